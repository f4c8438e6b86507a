package step

import (
	"testing"

	"stackscope/vm/debugger/snapshot"
)

// The cases are those of the step semantics: rows of its table, and its corner cases (a) to (h).
// A trace lists what happens after the step is asked for; want is the index of the item it ends at,
// -1 if it never does.
func TestPlan(t *testing.T) {
	f, g := snapshot.FuncID{Unit: 0, Func: 1}, snapshot.FuncID{Unit: 0, Func: 2}
	pt := func(stack snapshot.StackID, depth int, fn snapshot.FuncID, pc int, stmt bool, line int) Point {
		return Point{Stack: stack, Depth: depth, Func: fn, PC: pc, Stmt: stmt, Line: line}
	}
	tail := func(p Point) Point { p.Tail = true; return p }
	type finished snapshot.StackID
	// control moved; is the plan's stack in the running chain?
	type left bool
	s := func(pc, line int) Point { return pt(1, 2, f, pc, true, line) }    // a statement of the frame stepped in
	mid := func(pc, line int) Point { return pt(1, 2, f, pc, false, line) } // inside one
	cases := []struct {
		name  string
		kind  Kind
		gran  Granularity
		at    Point
		other bool // the stack does not run
		stay  bool
		trace []any
		want  int
	}{
		{"next statement", Over, ByStatement, s(4, 10), false, false, []any{mid(5, 10), mid(6, 10), s(7, 10)}, 2},
		{"next line", Over, ByLine, s(4, 10), false, false, []any{mid(5, 10), s(7, 10), s(9, 11)}, 2},
		{"next line: a loop on one line", Over, ByLine, s(4, 10), false, false, []any{mid(5, 10), s(4, 10)}, 1},
		{"next instruction", Over, ByInstruction, s(4, 10), false, false, []any{mid(5, 10)}, 0},
		{
			"next over a call", Over, ByStatement, s(4, 10), false, false,
			[]any{pt(1, 3, g, 0, true, 2), pt(1, 3, g, 1, true, 3), mid(5, 10), s(6, 11)}, 3,
		},
		{
			"next instruction over a call", Over, ByInstruction, s(4, 10), false, false,
			[]any{pt(1, 3, g, 0, true, 2), mid(5, 10)}, 1,
		},
		{
			"next at the last statement: the caller, in the middle of its statement", Over, ByStatement,
			s(9, 12), false, false, []any{pt(1, 1, g, 3, false, 30)}, 0,
		},
		{
			"next out by an exception", Over, ByStatement, s(9, 12), false, false,
			[]any{pt(1, 3, g, 0, true, 2), pt(1, 1, g, 8, false, 31)}, 1,
		},
		{
			"next over a tail call: the activation has ended", Over, ByStatement, tail(s(9, 12)), false, false,
			[]any{pt(1, 2, g, 0, true, 2), pt(1, 2, g, 1, true, 3), pt(1, 1, g, 3, false, 30)}, 2,
		},
		{
			"next over a tail call by an operand's way", Over, ByStatement, s(7, 12), false, false,
			[]any{tail(mid(8, 12)), pt(1, 2, f, 0, true, 9), pt(1, 1, g, 3, false, 30)}, 2,
		},
		{
			"next at resume: the continuation suspends to us", Over, ByStatement, s(4, 10), false, false,
			[]any{pt(3, 1, g, 0, true, 2), pt(3, 1, g, 1, true, 3), s(8, 13)}, 2,
		},
		{
			"next at resume: the continuation returns", Over, ByStatement, s(4, 10), false, false,
			[]any{pt(3, 1, g, 0, true, 2), finished(3), mid(5, 10), s(6, 11)}, 3,
		},
		{
			"(a) next at resume: it suspends to an outer handler, we are parked and come back",
			Over,
			ByStatement,
			s(4, 10),
			false,
			false,
			[]any{
				pt(3, 1, g, 0, true, 2), pt(7, 1, f, 4, true, 10), pt(7, 1, f, 5, true, 11),
				pt(3, 1, g, 1, true, 3), s(6, 11),
			},
			4,
		},
		{
			"(b) next at suspend: never resumed", Over, ByStatement, s(4, 10), false, false,
			[]any{pt(7, 1, f, 4, true, 10), pt(7, 1, f, 9, true, 11), finished(7)}, -1,
		},
		{
			"next at suspend: until this stack proceeds", Over, ByStatement, s(4, 10), false, false,
			[]any{pt(7, 1, g, 1, true, 3), mid(5, 10), s(6, 11)}, 2,
		},
		{
			"next at suspend, by instruction", Over, ByInstruction, s(4, 10), false, false,
			[]any{pt(7, 1, g, 1, true, 3), mid(5, 10)}, 1,
		},
		{
			"(e) recursion on this stack", Over, ByStatement, s(4, 10), false, false,
			[]any{pt(1, 3, f, 0, true, 9), pt(1, 3, f, 4, true, 10), s(6, 11)}, 2,
		},
		{
			"(e) the same function on another stack at the same depth", Over, ByStatement, s(4, 10), false,
			false, []any{pt(5, 2, f, 5, true, 11), pt(5, 2, f, 6, true, 12), s(6, 11)}, 2,
		},
		{
			"(f) several resumes on a line, by line", Over, ByLine, s(4, 10), false, false,
			[]any{pt(3, 1, g, 0, true, 2), s(6, 10), pt(4, 1, g, 0, true, 2), s(8, 11)}, 3,
		},
		{
			"(f) several resumes on a line, by statement", Over, ByStatement, s(4, 10), false, false,
			[]any{pt(3, 1, g, 0, true, 2), s(6, 10)}, 1,
		},
		{
			"next at the end of the base frame: the resumer, after its resume", Over, ByStatement,
			pt(3, 1, g, 9, true, 8), false, false, []any{finished(3), pt(1, 2, f, 5, false, 10)}, 1,
		},
		{"stepIn at a call", Into, ByStatement, s(4, 10), false, false, []any{mid(5, 10), pt(1, 3, g, 0, true, 2)}, 1},
		{
			"stepIn by line at a recursive call", Into, ByLine, s(4, 10), false, false,
			[]any{pt(1, 3, f, 0, true, 10)}, 0,
		},
		{
			"stepIn at resume: a fresh continuation", Into, ByStatement, s(4, 10), false, false,
			[]any{mid(5, 10), pt(3, 1, g, 0, true, 2)}, 1,
		},
		{
			"stepIn at resume: after its suspend, in the middle of a statement", Into, ByStatement, s(4, 10),
			false, false, []any{pt(3, 1, g, 7, false, 4)}, 0,
		},
		{
			"stepIn at suspend: the handler's label", Into, ByStatement, pt(3, 1, g, 4, true, 10), false, false,
			[]any{pt(1, 2, f, 8, false, 13)}, 0,
		},
		{
			"stepIn at switch: the target, same function and depth", Into, ByLine, s(4, 10), false, false,
			[]any{pt(5, 2, f, 5, false, 10)}, 0,
		},
		{"stepIn at return", Into, ByStatement, s(9, 12), false, false, []any{pt(1, 1, g, 3, false, 30)}, 0},
		{
			"stepOut", Out, ByStatement, s(4, 10), false, false,
			[]any{s(6, 11), pt(1, 3, g, 0, true, 2), pt(1, 1, g, 3, false, 30)}, 2,
		},
		{
			"stepOut through suspends", Out, ByStatement, s(4, 10), false, false,
			[]any{s(6, 11), pt(7, 1, g, 1, true, 3), s(7, 12), pt(1, 1, g, 3, false, 30)}, 3,
		},
		{
			"stepOut of the base frame: where control goes when the stack returns", Out, ByStatement,
			pt(3, 1, g, 4, true, 10), false, false,
			[]any{pt(1, 2, f, 5, true, 11), pt(3, 1, g, 5, true, 11), finished(3), pt(1, 2, f, 5, false, 10)},
			3,
		},
		{
			"stepOut of a recursion", Out, ByStatement, pt(1, 3, f, 4, true, 10), false, false,
			[]any{pt(1, 4, f, 4, true, 10), pt(1, 3, f, 5, true, 11), pt(1, 2, f, 5, false, 10)}, 2,
		},
		{
			"(d) next on a suspended stack", Over, ByStatement, mid(5, 10), true, false,
			[]any{pt(7, 1, f, 4, true, 10), mid(5, 10), s(6, 11)}, 2,
		},
		{
			"(d) stepIn on a suspended stack", Into, ByStatement, mid(5, 10), true, false,
			[]any{pt(7, 1, f, 4, true, 10), mid(5, 10), pt(1, 3, g, 0, true, 1)}, 2,
		},
		{
			"(d) stepIn by instruction on a suspended stack", Into, ByInstruction, mid(5, 10), true, false,
			[]any{pt(7, 1, f, 4, true, 10), mid(5, 10)}, 1,
		},
		{
			"(d) a suspended tail call is not left by waiting", Over, ByInstruction, tail(mid(5, 10)), true,
			false, []any{pt(7, 1, f, 4, true, 10), mid(6, 10)}, 1,
		},
		{
			"(g) single thread: stops when the stack suspends", Over, ByStatement, s(4, 10), false, true,
			[]any{left(false), pt(7, 1, g, 1, false, 3)}, 1,
		},
		{
			"(g) single thread: a resumed child is no leaving", Over, ByStatement, s(4, 10), false, true,
			[]any{left(true), pt(3, 1, g, 0, true, 2), left(true), s(5, 11)}, 3,
		},
		{
			"(g) single thread: continue stops when the stack suspends", Run, ByStatement, s(4, 10), false,
			true, []any{s(5, 11), left(false), pt(7, 1, g, 1, false, 3)}, 2,
		},
		{
			"(g) single thread: continue stops when the stack returns", Run, ByStatement, s(4, 10), false, true,
			[]any{s(5, 11), finished(1), pt(7, 1, g, 1, false, 3)}, 2,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := NewPlan(c.kind, c.gran, c.at, !c.other)
			p.Stay = c.stay
			got := -1
			for i, x := range c.trace {
				switch x := x.(type) {
				case finished:
					p.Finished(snapshot.StackID(x))
					continue
				case left:
					p.Chained(bool(x))
					continue
				case Point:
					// Only what Watch asks for is shown, as the machine does.
					all, depth := p.Watch()
					if !all && (x.Stack != p.Stack || x.Depth > depth) {
						continue
					}
					if p.At(x) {
						got = i
					}
				}
				if got >= 0 {
					break
				}
			}
			if got != c.want {
				t.Errorf("ends at item %d, want %d", got, c.want)
			}
		})
	}
}
