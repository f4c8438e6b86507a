package vm

// The dispatch loop reads code and slots without bounds checks. What makes this right:
//
//   - Code comes from valid bodies. Every slot in an op is below the frame's size (code.nums,
//     code.refs), and every pc below len(code.baseline); the last op is a return.
//   - An access to memory is compared with its length at each access.
//   - A frame is pushed only after its whole size has been allocated on its stack (grow), and
//     pointers into the areas are taken again after anything that may replace them.
//   - code.nums and code.refs have one slot to spare, so that no frame's base points behind an area
//     (a pointer behind an object could keep another one alive, or point nowhere).

// The slots are in slots_unchecked.go. Built with the tag `checked` they are in slots_checked.go,
// and verify_on.go looks at each op before it is executed: every access is compared with what there
// is.
//
// The compiler inlines into a function as large as the loop only what is very small: the methods
// here are, and what is not is written out there.
