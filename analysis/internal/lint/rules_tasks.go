package lint

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/lower"
	"stackscope/wasm"
)

// wantSwitch checks that an event.switch follows instruction i, headers of blocks and loops without
// parameters left out.
func wantSwitch(b *lower.Body, i int, report cursor.Report) {
	for k := i + 1; k < len(b.Instrs); k++ {
		in := &b.Instrs[k]
		switch in.Op {
		case wasm.OpEventSwitch, wasm.OpInvalid:
			return
		case wasm.OpBlock, wasm.OpLoop:
			if x, ok := in.Block().Index(); ok && x == wasm.BadIndex {
				return
			} else if ft := b.Decls.Mod.FuncType(x); !ok || ft == nil || len(ft.Params) == 0 {
				continue
			}
		}
		op := b.Instrs[i].Op
		f := cursor.Finding{
			Code: diag.EventSwitch,
			At:   b.OwnPlace(b.Nodes[i]),
			Msg: "event.switch required: it must follow " + op.String() +
				", to take the event that the task is continued with; here follows ",
		}
		switch {
		case in.Op != wasm.OpEnd:
			f.Msg += in.Op.String()
		case k == len(b.Instrs)-1:
			f.Msg += "the end of the function"
		default:
			f.Msg += "the end of a block"
		}
		if in.Op != wasm.OpEnd {
			f.Related = []cursor.Related{{At: b.OwnPlace(b.Nodes[k]), Msg: "what follows"}}
		}
		report(f)
		return
	}
}

// wantReady checks that the function of a new task begins with an event.switch.
func wantReady(b *lower.Body, i int, report cursor.Report) {
	in := &b.Instrs[i]
	if b.Decls.Ready(in.A) {
		return
	}
	if ft := b.Decls.Mod.FuncType(b.Decls.Mod.Funcs[in.A].Type); ft == nil || len(ft.Params) == 0 ||
		len(ft.Results) > 0 ||
		ft.Params[0] != wasm.TaskRef {
		return // no function of a task at all: the types say so
	}
	f := cursor.Finding{
		Code: diag.EventSwitch,
		At:   b.OwnPlace(b.Nodes[i]),
		Msg: "event.switch required: the function of a task begins with one, to take the event that starts it, but " +
			b.Decls.Mod.FuncTitle(in.A) + " does not",
	}
	b.RelateItem(decl.SpaceFunc, in.A, "the function is declared here", &f)
	report(f)
}

func init() { rules[wasm.DialectTasks] = checkTasks }

func checkTasks(b *lower.Body, report cursor.Report) {
	for i := range b.Instrs {
		switch b.Instrs[i].Op {
		case wasm.OpTaskSuspend, wasm.OpTaskResume, wasm.OpTaskSwitchto:
			wantSwitch(b, i, report)
		case wasm.OpTaskNew:
			wantReady(b, i, report)
		}
	}
}
