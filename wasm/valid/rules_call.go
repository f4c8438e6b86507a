package valid

import (
	"fmt"

	"stackscope/wasm"
)

func callRules() map[wasm.Op]rule {
	return map[wasm.Op]rule{
		wasm.OpCall:               typeCall,
		wasm.OpReturnCall:         typeCall,
		wasm.OpCallIndirect:       typeCallIndirect,
		wasm.OpReturnCallIndirect: typeCallIndirect,
		wasm.OpCallRef:            typeCallRef,
		wasm.OpReturnCallRef:      typeCallRef,
	}
}

// typeInvoke types a call of a function of type ft with the operands, which end in those of want
// that are not its parameters; tail calls end the code here.
func typeInvoke(t *Typer, in *wasm.Instr, ft *wasm.SubType, want []wasm.ValType, tail bool) {
	t.take(in, want)
	if !tail {
		t.pushAll(ft.Results)
		return
	}
	t.leave(in, ft)
}

// leave ends the code here: the instruction calls a function of type ft in place of the running
// one.
func (t *Typer) leave(in *wasm.Instr, ft *wasm.SubType) {
	if c := &t.ctl[0]; !c.Opaque && !t.e.MatchAll(ft.Results, c.Results) && !t.failed {
		t.labelMismatch(
			-1,
			c.Results,
			ft.Results,
			fmt.Sprintf("type mismatch: %s gives %s, but the function must return %s",
				in.Op, t.e.FormatTypes(ft.Results), t.e.FormatTypes(c.Results)),
		)
	}
	t.setUnreachable()
}

func typeCall(t *Typer, in *wasm.Instr) {
	ft := t.funcOf(in.A, 0)
	if ft == nil {
		t.giveUp()
		return
	}
	typeInvoke(t, in, ft, ft.Params, in.Op == wasm.OpReturnCall)
}

// typeCallIndirect has the table in A, the type in B.
func typeCallIndirect(t *Typer, in *wasm.Instr) {
	table := t.tableOf(in.A, 0)
	ft := t.funcType(in.B, 1)
	if table != nil && !t.e.Match(table.Type, wasm.FuncRef) {
		t.fail(
			CodeTypeMismatch, 0, "type mismatch: %s needs a table of functions, but table %s has type %s",
			in.Op, t.e.m.Names.Table(in.A), t.e.FormatType(table.Type),
		)
	}
	if ft == nil {
		t.giveUp()
		return
	}
	typeInvoke(t, in, ft, append(t.wants(ft.Params...), t.e.TableAddr(in.A)), in.Op == wasm.OpReturnCallIndirect)
}

func typeCallRef(t *Typer, in *wasm.Instr) {
	ft := t.funcType(in.A, 0)
	if ft == nil {
		t.giveUp()
		return
	}
	typeInvoke(
		t, in, ft, append(t.wants(ft.Params...), wasm.Ref(true, wasm.HeapType(in.A))),
		in.Op == wasm.OpReturnCallRef,
	)
}
