package wasm

// Dialect is one of the five designs of stack switching, or none. A module uses one dialect at
// most. The zero value means that nothing has decided yet: a module without stack switching has it,
// and its tags may have results, so that it can serve modules of DialectCont.
type Dialect uint8

// The dialects, with the seed each comes from in docs/design/dialects.md.
const (
	DialectNone         Dialect = iota // not decided
	DialectCont                        // typed continuations
	DialectStacks                      // bag of stacks
	DialectFibersMount                 // fibers with control parents
	DialectFibersHandle                // fibers with handle/event blocks
	DialectTasks                       // tasks with event.switch
	DialectOff                         // WebAssembly 3.0 alone, without stack switching: a setting asks for it
)

var dialectNames = [...]string{"", "cont", "stacks", "fibers-mount", "fibers-handle", "tasks", "none"}

// String returns the dialect's name as in the annotation `(@stack-switching "cont")`; "" if it is
// not decided.
func (d Dialect) String() string {
	if int(d) < len(dialectNames) {
		return dialectNames[d]
	}
	return "invalid"
}

// ParseDialect returns the dialect that an annotation names, and whether there is one.
func ParseDialect(s string) (Dialect, bool) {
	for _, d := range Dialects() {
		if d.String() == s {
			return d, true
		}
	}
	return DialectNone, false
}

// ParseDialectSetting returns the dialect that a setting names, and whether there is one. A setting
// may be "none", for DialectOff, and "", for DialectNone.
func ParseDialectSetting(s string) (Dialect, bool) {
	switch s {
	case "":
		return DialectNone, true
	case DialectOff.String():
		return DialectOff, true
	}
	return ParseDialect(s)
}

// Switches reports whether the dialect is one of the five.
func (d Dialect) Switches() bool { return d != DialectNone && d != DialectOff }

// Dialects lists the five.
func Dialects() []Dialect {
	return []Dialect{DialectCont, DialectStacks, DialectFibersMount, DialectFibersHandle, DialectTasks}
}
