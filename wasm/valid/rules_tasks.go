package valid

import (
	"fmt"

	"stackscope/wasm"
)

var _ = addRules(tasksRules)

// The rules of the dialect `tasks`: docs/design/dialects.md §6. That the first instruction of a
// task's function is an event.switch is no matter of types, and is not checked here.
func tasksRules() map[wasm.Op]rule {
	return map[wasm.Op]rule{
		wasm.OpTaskNew:      typeTaskNew,
		wasm.OpTaskSuspend:  func(t *Typer, in *wasm.Instr) { typeTaskEvent(t, in, wasm.TaskRef) },
		wasm.OpTaskResume:   func(t *Typer, in *wasm.Instr) { typeTaskEvent(t, in, wasm.TaskRef) },
		wasm.OpTaskSwitchto: func(t *Typer, in *wasm.Instr) { typeTaskEvent(t, in, wasm.TaskRef, wasm.TaskRef) },
		wasm.OpTaskRetire: func(t *Typer, in *wasm.Instr) {
			typeTaskEvent(t, in, wasm.TaskRef)
			t.setUnreachable()
		},
		wasm.OpTaskRelease: func(t *Typer, in *wasm.Instr) { t.take(in, t.wants(wasm.TaskRef)) },
		wasm.OpEventSwitch: typeEventSwitch,
	}
}

// typeTaskNew : [t*] -> [(ref task)], $f : [(ref task) t*] -> [] up to subtyping.
func typeTaskNew(t *Typer, in *wasm.Instr) {
	ft := t.funcOf(in.A, 0)
	if ft == nil {
		t.giveUp()
		t.push(wasm.Ref(false, wasm.HeapTask))
		return
	}
	if len(ft.Params) == 0 || !t.e.Match(wasm.Ref(false, wasm.HeapTask), ft.Params[0]) || len(ft.Results) > 0 {
		t.labelMismatch(
			0,
			nil,
			ft.Params,
			fmt.Sprintf(
				"type mismatch: the function of a task takes (ref task) or taskref first and returns nothing, but %s has type %s",
				t.e.m.FuncTitle(in.A), t.e.FormatFunc(ft),
			),
		)
		t.giveUp()
	} else {
		t.take(in, ft.Params[1:])
	}
	t.push(wasm.Ref(false, wasm.HeapTask))
}

// typeTaskEvent : [tasks te*] -> [], $e = [te*] in A.
func typeTaskEvent(t *Typer, in *wasm.Instr, tasks ...wasm.ValType) {
	ev := t.tagOf(in.A, 0)
	if ev == nil {
		t.giveUp()
		return
	}
	t.take(in, append(t.wants(tasks...), ev.Params...))
}

// typeEventSwitch : [t* x*] -> [t'*]; each label : [x* te*], its own x* taken from the operands.
func typeEventSwitch(t *Typer, in *wasm.Instr) {
	if in.Ext != nil {
		for i, h := range in.Ext.HandlerClauses {
			ev := t.tagOf(h.Tag, i)
			l := t.label(h.Label, i)
			if ev == nil || l == nil || l.Opaque {
				continue
			}
			t.eventTarget(i, h, ev.Params, l.Label())
		}
	}
	t.takeRest()
	t.setUnreachable()
}

// eventTarget checks one label of event.switch.
func (t *Typer) eventTarget(imm int, h wasm.HandlerClause, te, label []wasm.ValType) {
	n := len(label) - len(te)
	if n < 0 || !t.e.MatchAll(te, label[n:]) {
		t.labelMismatch(imm, label, te, fmt.Sprintf("type mismatch: the event %s brings %s, but its label takes %s",
			t.e.m.Names.Tag(h.Tag), t.e.FormatTypes(te), t.e.FormatTypes(label)))
		return
	}
	c := t.top()
	have := len(t.ops) - c.Height
	fits := have >= n || c.Unreachable
	for k := 1; fits && k <= min(n, have); k++ {
		fits = t.e.Match(t.ops[len(t.ops)-k], label[n-k])
	}
	if !fits {
		got := t.ops[len(t.ops)-min(n, have):]
		t.labelMismatch(
			imm,
			label[:n],
			got,
			fmt.Sprintf("type mismatch: the label for event %s requires %s before the event's values but stack has %s",
				t.e.m.Names.Tag(h.Tag), t.e.FormatTypes(label[:n]), t.e.FormatTypes(got)),
		)
	}
}
