package valid

import (
	"strconv"

	"stackscope/wasm"
)

// Module reports the violations of the whole module: Declarations, then Bodies.
func (e *Env) Module(report func(Error)) {
	e.Declarations(report)
	e.Bodies(report)
}

// Bodies reports the violations in all function bodies that are there.
func (e *Env) Bodies(report func(Error)) {
	t := e.NewTyper(report)
	for i := range e.m.Funcs {
		if e.m.Funcs[i].Body != nil {
			t.Body(uint32(i))
		}
	}
}

// Body reports the violations in a function's body and the types of its locals.
func (e *Env) Body(fn uint32, report func(Error)) { e.NewTyper(report).Body(fn) }

// Body types the whole body of a function: Begin, a Step each, End.
func (t *Typer) Body(fn uint32) {
	t.Begin(fn)
	body := t.e.m.Funcs[fn].Body
	for i := range body {
		t.Step(&body[i])
	}
	t.End()
}

// Const types a whole constant expression that must give a value of type want. The sequence may go
// without its last OpEnd.
func (t *Typer) Const(want wasm.ValType, place Place, init []wasm.Instr) {
	t.BeginConst(want, place)
	for i := range init {
		t.Step(&init[i])
	}
	if len(t.ctl) > 0 {
		t.Step(&wasm.Instr{Op: wasm.OpEnd})
	}
	t.End()
}

func itoa(i uint32) string { return strconv.FormatUint(uint64(i), 10) }
