package diag

// The codes of the analyses that follow control and stacks. All are warnings at most:
// the module is valid.
const (
	ConsumedContinuation Code = "consumed-continuation"  // a one-shot reference used again
	NullContinuation     Code = "null-continuation"      // a null reference where a continuation is created or consumed
	ShadowedHandler      Code = "shadowed-handler"       // a clause after another of the same tag
	IdleHandler          Code = "idle-handler"           // a clause whose tag nothing sends to it
	UnhandledTag         Code = "unhandled-tag"          // a suspension that nothing handles
	SwitchOnlyHandler    Code = "switch-only-handler"    // a suspend where only switch is handled
	BarrierSuspension    Code = "barrier-suspension"     // a suspension that a barrier is around
	EventUntaken         Code = "event-without-clause"   // an event that no clause handles
	AbandonedCont        Code = "abandoned-continuation" // a one-shot reference that is dropped
	MoribundUse          Code = "moribund-use"           // a fiber or task that was released is used
	ReturnsUnretired     Code = "returns-unretired"      // a stack or task whose function returns
	EventNotTaken        Code = "event-not-taken"        // an event that the state it meets does not take
	EndedUse             Code = "use-after-end"          // a fiber or task that surely has ended is resumed
	StateWithoutCancel   Code = "state-without-cancel"   // a state that lacks an event that the others take
)

// flowRows are their rows.
var flowRows = []Info{
	{Code: ConsumedContinuation, Severity: Warning, Title: "a continuation is used after it was consumed",
		Doc:   "Continuations are one-shot: `resume`, `resume_throw`, `resume_throw_ref`, `switch` and `cont.bind` consume the reference, and using it again traps; in the dialect stacks `switch`, `switch_retire` and `stack.bind` do. Use the continuation that the handler label, `switch` or `cont.bind` returns instead.\n\nReferences are followed through the locals of one function. It is reported only where it happens on every path to the place; in a loop, on every path of the next iteration. References in globals, tables and structures are not followed, nor what a called function does with one.",
		Wrong: "(module (type $f (func)) (type $c (cont $f)) (func (param $k (ref $c)) (resume $c (local.get $k)) (resume $c (local.get $k))))",
		Right: "(module (type $f (func)) (type $c (cont $f)) (func (param $k (ref $c)) (param $l (ref $c)) (resume $c (local.get $k)) (resume $c (local.get $l))))"},
	{Code: NullContinuation, Severity: Warning, Title: "a null reference where a continuation is created or consumed",
		Doc:   "`resume`, `resume_throw`, `resume_throw_ref`, `switch` and `cont.bind` trap on null, and so does every instruction that consumes a stack, fiber or task. `cont.new` traps on a null function reference. The local has not been set on any path to the place, or it was set to null.",
		Wrong: "(module (type $f (func)) (type $c (cont $f)) (func (local $k (ref null $c)) (resume $c (local.get $k))))",
		Right: "(module (type $f (func)) (type $c (cont $f)) (elem declare func $g) (func $g) (func (local $k (ref null $c)) (local.set $k (cont.new $c (ref.func $g))) (resume $c (local.get $k))))"},
	{Code: ShadowedHandler, Severity: Warning, Title: "a handler clause that never fires",
		Doc:   "If an instruction has two handler clauses for one tag, the first that matches handles the suspension. A `switch` clause and a clause with a label do not compete: one handles `switch`, the other `suspend`.",
		Wrong: "(module (type $f (func)) (type $c (cont $f)) (tag $t) (func (param $k (ref $c)) (block $a (result (ref $c)) (block $b (result (ref $c)) (resume $c (on $t $a) (on $t $b) (local.get $k)) (return)) (return (drop))) (drop)))",
		Right: "(module (type $f (func)) (type $c (cont $f)) (tag $t) (func (param $k (ref $c)) (block $a (result (ref $c)) (resume $c (on $t $a) (local.get $k)) (return)) (drop)))"},
	{Code: IdleHandler, Severity: Warning, Title: "a handler clause that nothing ever reaches",
		Doc:   "No function that the resumed continuation may run suspends (or, for a `switch` clause, switches) with the tag; in the other dialects: nothing in the module sends the event. It is reported only for tags that are neither imported nor exported. Which functions a continuation may run is decided by their results: every function whose reference is taken counts, and so do those that other modules could pass in.",
		Wrong: "(module (type $f (func)) (type $c (cont $f)) (tag $t) (func $g) (elem declare func $g) (func (export \"run\") (block $h (result (ref $c)) (resume $c (on $t $h) (cont.new $c (ref.func $g))) (return)) (drop)))",
		Right: "(module (type $f (func)) (type $c (cont $f)) (tag $t) (func $g (suspend $t)) (elem declare func $g) (func (export \"run\") (block $h (result (ref $c)) (resume $c (on $t $h) (cont.new $c (ref.func $g))) (return)) (drop)))"},
	{Code: UnhandledTag, Severity: Warning, Title: "a suspension that no caller handles",
		Doc:   "No path from an export or the start function to this `suspend` (or `switch`) passes a `resume` that handles the tag, so it traps with `unhandled tag`. The related places show one path. It is reported only for tags that are neither imported nor exported, and only if no `resume` of the module could handle the tag anywhere. If the instruction traps earlier, because a continuation is null or consumed, or is never reached, only that is reported, as far as one function shows it.",
		Wrong: "(module (tag $t) (func $g (suspend $t)) (func (export \"run\") (call $g)))",
		Right: "(module (type $f (func)) (type $c (cont $f)) (tag $t) (func $g (suspend $t)) (elem declare func $g) (func (export \"run\") (block $h (result (ref $c)) (resume $c (on $t $h) (cont.new $c (ref.func $g))) (return)) (drop)))"},
	{Code: SwitchOnlyHandler, Severity: Warning, Title: "a suspend where only switch is handled",
		Doc:   "The tag only has clauses `(on $tag switch)`. They handle `switch`, not `suspend`.",
		Wrong: "(module (rec (type $f (func (param (ref null $c)))) (type $c (cont $f))) (type $g0 (func)) (type $g1 (cont $g0)) (tag $t) (func $g (suspend $t)) (elem declare func $g) (func (export \"run\") (resume $g1 (on $t switch) (cont.new $g1 (ref.func $g)))))",
		Right: "(module (type $f (func)) (type $c (cont $f)) (tag $t) (func $g (suspend $t)) (elem declare func $g) (func (export \"run\") (block $h (result (ref $c)) (resume $c (on $t $h) (cont.new $c (ref.func $g))) (return)) (drop)))"},
	{Code: BarrierSuspension, Severity: Warning, Title: "a suspension that a barrier stops",
		Doc:   "The search for a handler clause ends at a `barrier` and at the host: a `suspend` or `switch` inside a `barrier`, or in a function called there, traps with `suspension across a barrier`. A start function has no handler around it either.",
		Wrong: "(module (tag $t) (func (export \"run\") (barrier (suspend $t))))",
		Right: "(module (tag $t (export \"t\")) (func (export \"run\") (barrier (nop)) (suspend $t)))"},
	{Code: EventUntaken, Severity: Warning, Title: "an event that no clause handles",
		Doc:   "In the dialects fibers-handle and tasks, a fiber or task that receives an event without a clause for it traps. In fibers-mount the instruction falls through every time, and a fiber whose return event is not handled traps in its parent. It is reported only for tags that are neither imported nor exported and that no clause in the module names.",
		Wrong: "(module (@stack-switching \"fibers-handle\") (type $ft (fiber)) (tag $go) (tag $other) (func $f (param (ref $ft)) (event $other)) (func (export \"run\") (fiber.resume $go (fiber.new $f))))",
		Right: "(module (@stack-switching \"fibers-handle\") (type $ft (fiber)) (tag $go) (func $f (param (ref $ft)) (event $go)) (func (export \"run\") (fiber.resume $go (fiber.new $f))))"},
	{Code: ReturnsUnretired, Severity: Warning, Title: "a stack or task whose function returns",
		Doc:   "A task ends with `task.retire`, a stack in the dialect stacks with `switch_retire`. If its function returns instead, it traps. It is reported for functions that reach their end or a `return` and neither call nor yield control anywhere.",
		Wrong: "(module (@stack-switching \"tasks\") (tag $go) (func $f (param taskref) (block $l (event.switch ($go $l)))) (func (export \"run\") (result (ref task)) (task.new $f)))",
		Right: "(module (@stack-switching \"tasks\") (tag $go) (tag $over (export \"over\")) (func $f (param $t taskref) (block $l (event.switch ($go $l))) (task.retire $over (local.get $t))) (func (export \"run\") (result (ref task)) (task.new $f)))"},
	{Code: AbandonedCont, Severity: Hint, Title: "a continuation that is dropped",
		Doc:   "The suspended code can never continue, and its cleanup never runs; `resume_throw` unwinds it. It is reported for a `drop` right where the reference is created: after `cont.new`, `cont.bind`, or a block that only handler clauses lead to (in the dialect stacks: `stack.new`, `stack.bind`). References that are kept somewhere and forgotten are not found.",
		Wrong: "(module (type $f (func)) (type $c (cont $f)) (elem declare func $g) (func $g) (func (drop (cont.new $c (ref.func $g)))))",
		Right: "(module (type $f (func)) (type $c (cont $f)) (elem declare func $g) (func $g) (func (resume $c (cont.new $c (ref.func $g)))))"},
	{Code: MoribundUse, Severity: Warning, Title: "a fiber or task is used after it was released",
		Doc:   "A released fiber or task has ended: resuming it, switching to it or releasing it again traps (in fibers-mount `fiber.release` does not). References are followed through the locals of one function, and it is reported only where it happens on every path. Functions with `handle` or `event` are not analysed, and neither is what a callee releases.",
		Wrong: "(module (@stack-switching \"tasks\") (tag $go) (func (param $t taskref) (task.release (local.get $t)) (block $l (task.resume $go (local.get $t)) (event.switch ($go $l)))))",
		Right: "(module (@stack-switching \"tasks\") (tag $go) (func (param $t taskref) (block $l (task.resume $go (local.get $t)) (event.switch ($go $l))) (task.release (local.get $t))))"},
	{Code: EventNotTaken, Severity: Warning, Title: "an event that the state it meets does not take",
		Doc:   "The fiber or task that gets the event stands where it has no clause for it, on every path to the instruction: in fibers-handle and tasks that traps, in fibers-mount the instruction falls through to a trap. Or there is no clause for any event that it can answer with. `wasm-ls protocol` shows the states of a function, and which events each takes.\n\nA stack is followed in a local of the function that made it, as long as nothing else has its reference and it only gives up control itself. Tags that are imported twice may be the same.",
		Wrong: "(module (@stack-switching \"tasks\") (tag $go (export \"go\")) (tag $next (export \"next\")) (tag $done (export \"done\")) (func $f (param $me taskref) (block $l (event.switch ($go $l))) (block $m (task.suspend $done (local.get $me)) (event.switch ($next $m))) (task.retire $done (local.get $me))) (func (export \"run\") (local $t taskref) (local.set $t (task.new $f)) (block $l (task.resume $go (local.get $t)) (event.switch ($done $l))) (block $l (task.resume $go (local.get $t)) (event.switch ($done $l)))))",
		Right: "(module (@stack-switching \"tasks\") (tag $go (export \"go\")) (tag $next (export \"next\")) (tag $done (export \"done\")) (func $f (param $me taskref) (block $l (event.switch ($go $l))) (block $m (task.suspend $done (local.get $me)) (event.switch ($next $m))) (task.retire $done (local.get $me))) (func (export \"run\") (local $t taskref) (local.set $t (task.new $f)) (block $l (task.resume $go (local.get $t)) (event.switch ($done $l))) (block $l (task.resume $next (local.get $t)) (event.switch ($done $l)))))"},
	{Code: EndedUse, Severity: Warning, Title: "a fiber or task is used after it has ended",
		Doc:   "On every path to the instruction the fiber or task has returned, retired, or thrown an exception: to give it control, or to release it, traps (in fibers-mount `fiber.release` does not). It is found as `event-not-taken` is.",
		Wrong: "(module (@stack-switching \"tasks\") (tag $go (export \"go\")) (tag $done (export \"done\")) (func $f (param $me taskref) (block $l (event.switch ($go $l))) (task.retire $done (local.get $me))) (func (export \"run\") (local $t taskref) (local.set $t (task.new $f)) (block $l (task.resume $go (local.get $t)) (event.switch ($done $l))) (block $l (task.resume $go (local.get $t)) (event.switch ($done $l)))))",
		Right: "(module (@stack-switching \"tasks\") (tag $go (export \"go\")) (tag $done (export \"done\")) (func $f (param $me taskref) (block $l (event.switch ($go $l))) (task.retire $done (local.get $me))) (func (export \"run\") (local $t taskref) (local.set $t (task.new $f)) (block $l (task.resume $go (local.get $t)) (event.switch ($done $l))) (local.set $t (task.new $f)) (block $l (task.resume $go (local.get $t)) (event.switch ($done $l)))))"},
	{Code: StateWithoutCancel, Severity: Hint, Title: "a state that does not take the event that ends the others",
		Doc:   "An event ends the fiber or task wherever it is taken, as a cancellation does: without giving control to its parent again. Something in the module sends it, at least two other states take it, this one does not: a fiber or task that is cancelled while it stands here traps, or in fibers-mount stays as it is. If it is never cancelled here, nothing is wrong. Fibers and tasks that have not begun are left alone.",
		Wrong: "(module (@stack-switching \"tasks\") (tag $go (export \"t\")) (tag $cancel (export \"c\")) (tag $pause (export \"pause\")) (tag $done (export \"done\")) (table $ts (export \"ts\") 1 taskref) (func $f (param $me taskref) (block $end (block $l (event.switch ($go $l) ($cancel $end))) (block $m (task.suspend $pause (local.get $me)) (event.switch ($go $m) ($cancel $end))) (block $n (task.suspend $pause (local.get $me)) (event.switch ($go $n)))) (task.retire $done (local.get $me))) (func (export \"new\") (table.set $ts (i32.const 0) (task.new $f))) (func (export \"go\") (block $l (task.resume $go (table.get $ts (i32.const 0))) (event.switch ($pause $l) ($done $l)))) (func (export \"cancel\") (block $l (task.resume $cancel (table.get $ts (i32.const 0))) (event.switch ($done $l)))))",
		Right: "(module (@stack-switching \"tasks\") (tag $go (export \"t\")) (tag $cancel (export \"c\")) (tag $pause (export \"pause\")) (tag $done (export \"done\")) (table $ts (export \"ts\") 1 taskref) (func $f (param $me taskref) (block $end (block $l (event.switch ($go $l) ($cancel $end))) (block $m (task.suspend $pause (local.get $me)) (event.switch ($go $m) ($cancel $end))) (block $n (task.suspend $pause (local.get $me)) (event.switch ($go $n) ($cancel $end)))) (task.retire $done (local.get $me))) (func (export \"new\") (table.set $ts (i32.const 0) (task.new $f))) (func (export \"go\") (block $l (task.resume $go (table.get $ts (i32.const 0))) (event.switch ($pause $l) ($done $l)))) (func (export \"cancel\") (block $l (task.resume $cancel (table.get $ts (i32.const 0))) (event.switch ($done $l)))))"},
}
