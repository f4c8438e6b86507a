package diag

// The codes of the analyses that follow control and stacks. All are warnings at most:
// the module is valid.
const (
	ConsumedContinuation Code = "consumed-continuation" // a one-shot reference used again
	NullContinuation     Code = "null-continuation"     // a null reference where a continuation is used up
	ShadowedHandler      Code = "shadowed-handler"      // a clause behind another of the same tag
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
}
