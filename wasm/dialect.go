package wasm

// Dialect is one of the five designs of stack switching, or none. A module uses one dialect at most.
type Dialect uint8

// The dialects, with the seed each comes from in docs/dialects.md.
const (
	DialectNone         Dialect = iota // Wasm 3.0 alone
	DialectCont                        // typed continuations
	DialectStacks                      // bag of stacks
	DialectFibersMount                 // fibers with control parents
	DialectFibersHandle                // fibers with handle/event blocks
	DialectTasks                       // tasks with event.switch
)

var dialectNames = [...]string{"", "cont", "stacks", "fibers-mount", "fibers-handle", "tasks"}

// String gives the dialect's name as in the annotation `(@stack-switching "cont")`; "" for none.
func (d Dialect) String() string {
	if int(d) < len(dialectNames) {
		return dialectNames[d]
	}
	return "invalid"
}

// ParseDialect gives the dialect of a name, and whether there is one.
func ParseDialect(s string) (Dialect, bool) {
	for i, n := range dialectNames {
		if n == s && i > 0 {
			return Dialect(i), true
		}
	}
	return DialectNone, false
}

// Dialects lists the five.
func Dialects() []Dialect {
	return []Dialect{DialectCont, DialectStacks, DialectFibersMount, DialectFibersHandle, DialectTasks}
}
