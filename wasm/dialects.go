package wasm

// Dialect is one of the five designs of stack switching, or none. A module uses one dialect at
// most. The zero value means that nothing has decided yet: a module without stack switching has it,
// and its tags may have results, so that it can serve modules of DialectCont.
type Dialect uint8

// The dialects. What differs between them and is not a rule is in their rows of the table: compare
// with a constant only in the files of that design (docs/design/adding-a-dialect.md).
const (
	DialectNone         Dialect = iota // not decided
	DialectCont                        // typed continuations
	DialectStacks                      // bag of stacks
	DialectFibersMount                 // fibers with control parents
	DialectFibersHandle                // fibers with handle/event blocks
	DialectTasks                       // tasks with event.switch
	DialectOff                         // WebAssembly 3.0 alone, without stack switching: a setting asks for it

	NumDialects // the number of rows in the table
)

// DialectInfo is a row of the table of dialects.
type DialectInfo struct {
	Name  string   // as in the annotation `(@stack-switching "cont")` and in settings
	Seed  string   // the published design that it follows, see docs/design/dialects.md
	Words          // of the design, for people
	Word  string   // what a reference names as one word of text, as in the constant `(ref.cont)`
	Ref   HeapType // the abstract heap type that stands for the type of such a reference

	// Upstream marks the dialect of the WebAssembly proposal. It has a binary encoding, and it is
	// offered, and taken from binaries, where nothing says which dialect a module is in.
	Upstream bool

	Type       CompKind   // the composite type that only this dialect has; CompBad if none
	Heaps      []HeapType // the abstract heap types that only this dialect has
	InlineType bool       // `(ref fiber i32)` is written in place of an index of a type definition
	TagResults bool       // tags may have results

	// Shared marks the dialect of a module that has only constructs of several dialects, this one
	// among them.
	Shared bool

	TagFirst     bool // an instruction's tag is its first immediate, and payloads come before the stack
	TagAfter     bool // an instruction's tag may also follow its first operand
	EventOperand bool // an event with its payload is written as the last operand, `($tag …)`
	BareClauses  bool // clauses are written `($tag $label)`, never with `on`

	// HandlerClauses marks a dialect in which a suspension searches the clauses of the stacks that
	// wait.
	HandlerClauses bool
	// Events marks a dialect in which an event goes to one stack, which looks up its own clauses.
	Events bool
	// FallsThrough marks a dialect in which an event that its stack has no clause for makes the
	// instruction fall through; elsewhere it traps.
	FallsThrough bool
	// NewClauses marks a dialect whose instructions that make a stack have the clauses by which it
	// begins.
	NewClauses bool
	// ReturnEvent marks a dialect in which a stack whose function returns sends an event.
	ReturnEvent bool
	// EventSwitch marks a dialect in which an instruction after the one that switched takes the
	// event, rather than clauses.
	EventSwitch bool
	// FrameEvents marks a dialect whose events go to the blocks around an instruction of a frame.
	FrameEvents bool

	Throws    bool     // a suspended stack can be resumed with an exception
	OneShot   bool     // a switch consumes the reference that it uses
	MustEnd   string   // the instruction that ends a stack whose function may not return; "" if it may
	Exception TrapKind // the trap of an exception that leaves a stack; 0 if it goes on in the parent
	Stale     TrapKind // the trap of a use of a reference that is used up, or whose stack has ended
}

var dialects = [NumDialects]DialectInfo{
	DialectNone: {Words: contWords, Word: "cont", Ref: HeapStack},
	DialectCont: {
		Name: "cont", Seed: "typed continuations", Words: contWords, Word: "cont", Ref: HeapCont,
		Upstream: true, Type: CompCont, Heaps: []HeapType{HeapCont, HeapNoCont}, TagResults: true,
		HandlerClauses: true, Throws: true, OneShot: true, Stale: TrapContinuationConsumed,
	},
	DialectStacks: {
		Name: "stacks", Seed: "bag of stacks", Words: stacksWords, Word: "stack", Ref: HeapStack,
		Type: CompStack, Heaps: []HeapType{HeapStack, HeapNoStack}, OneShot: true,
		MustEnd: "switch_retire", Exception: TrapCoroutineException, Stale: TrapStackConsumed,
	},
	DialectFibersMount: {
		Name: "fibers-mount", Seed: "fibers with control parents", Words: mountWords, Word: "fiber", Ref: HeapFiber,
		Heaps: []HeapType{HeapFiber}, Shared: true, TagFirst: true, Events: true, FallsThrough: true,
		NewClauses: true, ReturnEvent: true, Stale: TrapFiberMoribund,
	},
	DialectFibersHandle: {
		Name: "fibers-handle", Seed: "fibers with handle blocks", Words: handleWords, Word: "fiber", Ref: HeapFiber,
		Type: CompFiber, InlineType: true, TagAfter: true, FrameEvents: true, Events: true, Stale: TrapFiberMoribund,
	},
	DialectTasks: {
		Name: "tasks", Seed: "tasks", Words: tasksWords, Word: "task", Ref: HeapTask,
		Heaps: []HeapType{HeapTask}, EventOperand: true, BareClauses: true,
		Events: true, EventSwitch: true, MustEnd: "task.retire", Exception: TrapTaskException, Stale: TrapTaskMoribund,
	},
	DialectOff: {Name: "none", Words: contWords, Word: "cont", Ref: HeapCont},
}

// Info returns the row of the dialect. A Dialect beyond the table has the row of DialectNone. The
// row must not be changed.
func (d Dialect) Info() *DialectInfo {
	if d >= NumDialects {
		d = DialectNone
	}
	return &dialects[d]
}

// String returns the dialect's name as in the annotation `(@stack-switching "cont")`; "" if it is
// not decided.
func (d Dialect) String() string {
	if d < NumDialects {
		return dialects[d].Name
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

// Switches reports whether the dialect is a design of stack switching, rather than none.
func (d Dialect) Switches() bool { return d != DialectNone && d != DialectOff }

// Admits reports whether a module of dialect d may have a construct of dialect of: its own, that of
// no dialect, and any while nothing has decided.
func (d Dialect) Admits(of Dialect) bool {
	return of == d || of == DialectNone || d == DialectNone
}

// OrUpstream returns the dialect, and that of the WebAssembly proposal if it is not decided.
func (d Dialect) OrUpstream() Dialect {
	if d == DialectNone {
		return upstream
	}
	return d
}

// Dialects lists the designs of stack switching, in the order of the table. The result must not be
// changed.
func Dialects() []Dialect { return designs }

// designs, upstream and typeDialects are computed once from the table.
var (
	designs = func() (ds []Dialect) {
		for d := range NumDialects {
			if d.Switches() {
				ds = append(ds, d)
			}
		}
		return
	}()
	upstream = func() Dialect {
		for _, d := range designs {
			if dialects[d].Upstream {
				return d
			}
		}
		return DialectNone
	}()
	typeDialects = func() (t [len(compNames)]Dialect) {
		for _, d := range designs {
			if k := dialects[d].Type; k != CompBad {
				t[k] = d
			}
		}
		return
	}()
)

// Dialect returns the dialect that alone has the kind of type, DialectNone for those of Wasm 3.0.
func (k CompKind) Dialect() Dialect { return typeDialects[k] }
