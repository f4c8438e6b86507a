package diag

// The codes of the analyses that follow control and stacks, and of lints. All are warnings at most:
// the module is valid.
const (
	ConsumedContinuation Code = "consumed-continuation" // a one-shot reference used again
	NullContinuation     Code = "null-continuation"     // a null reference where a continuation is used up
	ShadowedHandler      Code = "shadowed-handler"      // a clause behind another of the same tag
	Shadow               Code = "shadow"                // a label that hides another
	Unused               Code = "unused"                // a local that nothing uses
	Unread               Code = "unread"                // a local that is set and never read
	NeedlessTryTable     Code = "needless-try-table"    // a try_table without clauses
	UselessCatch         Code = "useless-catch"         // a catch clause that never matches
)

// flowRows are their rows.
var flowRows = []Info{
	{Code: ConsumedContinuation, Severity: Warning, Title: "a continuation is used again after it was consumed",
		Doc:   "Continuations are one-shot: `resume`, `resume_throw`, `resume_throw_ref`, `switch` and `cont.bind` consume the reference, and using it again traps. Go on with the continuation that the handler label, `switch` or `cont.bind` gives.\n\nReferences are followed through the locals of one function. It is said only of what happens on every path to the place, in a loop on every path of its next turn. References in globals, tables and structures are not followed, nor what a called function does with one.",
		Wrong: "(module (type $f (func)) (type $c (cont $f)) (func (param $k (ref $c)) (resume $c (local.get $k)) (resume $c (local.get $k))))",
		Right: "(module (type $f (func)) (type $c (cont $f)) (func (param $k (ref $c)) (param $l (ref $c)) (resume $c (local.get $k)) (resume $c (local.get $l))))"},
	{Code: NullContinuation, Severity: Warning, Title: "a null reference where a continuation is consumed",
		Doc:   "`resume`, `resume_throw`, `resume_throw_ref`, `switch` and `cont.bind` trap on null. The local has not been set on any path to the place, or it was set to null.",
		Wrong: "(module (type $f (func)) (type $c (cont $f)) (func (local $k (ref null $c)) (resume $c (local.get $k))))",
		Right: "(module (type $f (func)) (type $c (cont $f)) (elem declare func $g) (func $g) (func (local $k (ref null $c)) (local.set $k (cont.new $c (ref.func $g))) (resume $c (local.get $k))))"},
	{Code: ShadowedHandler, Severity: Warning, Title: "a handler clause that never fires",
		Doc:   "Of two clauses for one tag in the same instruction, the first that fits takes the suspension. A `switch` clause and a clause with a label do not compete: the one is for `switch`, the other for `suspend`.",
		Wrong: "(module (type $f (func)) (type $c (cont $f)) (tag $t) (func (param $k (ref $c)) (block $a (result (ref $c)) (block $b (result (ref $c)) (resume $c (on $t $a) (on $t $b) (local.get $k)) (return)) (return (drop))) (drop)))",
		Right: "(module (type $f (func)) (type $c (cont $f)) (tag $t) (func (param $k (ref $c)) (block $a (result (ref $c)) (resume $c (on $t $a) (local.get $k)) (return)) (drop)))"},
	{Code: Shadow, Severity: Warning, Title: "a label hides an outer label",
		Doc:   "A branch by name goes to the innermost block of that name. Rename one of the two, or allow it with `(@lint.allow \"shadow\")` in the function.",
		Wrong: "(module (func (block $a (block $a (br $a)))))",
		Right: "(module (func (block $a (block $b (br $b)))))"},
	{Code: Unused, Severity: Off, Title: "a local that is never used",
		Doc:   "Nothing reads or sets the local. It is off unless a severity is set for it. A name that begins with `$_` says that this is meant.",
		Wrong: "(module (func (local $x i32)))",
		Right: "(module (func (local $_x i32)))"},
	{Code: Unread, Severity: Off, Title: "a local that is set and never read",
		Doc:   "What is stored in the local is never used. It is off unless a severity is set for it. A name that begins with `$_` says that this is meant.",
		Wrong: "(module (func (local $x i32) (local.set $x (i32.const 1))))",
		Right: "(module (func (result i32) (local $x i32) (local.set $x (i32.const 1)) (local.get $x)))"},
	{Code: NeedlessTryTable, Severity: Warning, Title: "a try_table without clauses",
		Doc:   "Without a clause it catches nothing; `block` does the same.",
		Wrong: "(module (func (try_table (nop))))",
		Right: "(module (func (block (nop))))"},
	{Code: UselessCatch, Severity: Warning, Title: "a catch clause that never matches",
		Doc:   "Clauses are tried in order: one behind `catch_all`, or behind another for the same tag, never matches.",
		Wrong: "(module (tag $e) (func (block $a (try_table (catch_all $a) (catch $e $a)))))",
		Right: "(module (tag $e) (func (block $a (try_table (catch $e $a) (catch_all $a)))))"},
}
