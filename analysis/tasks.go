package analysis

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// switchFirst reports whether the first instruction that the siblings [c, end) execute is an
// event.switch, headers of blocks and loops without parameters left out.
func (l *lowerer) switchFirst(c, end uint32) bool {
	u := &l.Unit
	for ; c < end; c = u.Nodes[c].Next {
		nd := &u.Nodes[c]
		switch nd.Kind {
		case syntax.KInstr:
			for k := c + 1; k < nd.Next; k = u.Nodes[k].Next {
				if cursor.IsInstr(u.Nodes[k].Kind) {
					return l.switchFirst(k, nd.Next)
				}
			}
			return nd.Op == wasm.OpEventSwitch
		case syntax.KBlock:
			if nd.Op != wasm.OpBlock && nd.Op != wasm.OpLoop {
				return false
			}
			k := c + 1
			for k < nd.Next && !cursor.IsInstr(u.Nodes[k].Kind) {
				k = u.Nodes[k].Next
			}
			var x decl.TypeUse
			l.ReadUse(c+1, k, &x)
			if l.useParams(&x) > 0 {
				return false
			}
			return l.switchFirst(k, nd.Next)
		}
	}
	return false
}

// useParams counts the parameters of a type use.
func (l *lowerer) useParams(x *decl.TypeUse) int {
	if x.TypeNode != 0 {
		if ft := l.Decls.Mod.FuncType(l.UseIndex(&decl.TypeUse{TypeNode: x.TypeNode}, false)); ft != nil {
			return len(ft.Params)
		}
	}
	return len(x.Params)
}

func init() {
	designs[wasm.DialectTasks] = design{
		ready: func(l *lowerer) bool { return l.switchFirst(1, l.Unit.Nodes[0].Next) },
		check: (*loweredBody).checkTasks,
	}
}

// checkTasks checks what lies beyond the types of a body of this design.
func (b *loweredBody) checkTasks(report cursor.Report) {
	for i := range b.instrs {
		switch b.instrs[i].Op {
		case wasm.OpTaskSuspend, wasm.OpTaskResume, wasm.OpTaskSwitchto:
			b.wantSwitch(i, report)
		case wasm.OpTaskNew:
			b.wantReady(i, report)
		}
	}
}

// wantSwitch checks that an event.switch follows instruction i, headers of blocks and loops without
// parameters left out.
func (b *loweredBody) wantSwitch(i int, report cursor.Report) {
	for k := i + 1; k < len(b.instrs); k++ {
		in := &b.instrs[k]
		switch in.Op {
		case wasm.OpEventSwitch, wasm.OpInvalid:
			return
		case wasm.OpBlock, wasm.OpLoop:
			if x, ok := in.Block().Index(); ok && x == wasm.BadIndex {
				return
			} else if ft := b.d.Mod.FuncType(x); !ok || ft == nil || len(ft.Params) == 0 {
				continue
			}
		}
		op := b.instrs[i].Op
		f := cursor.Finding{
			Code: diag.EventSwitch,
			At:   b.ownPlace(b.nodes[i]),
			Msg: "event.switch required: it must follow " + op.String() +
				", to take the event that the task is continued with; here follows ",
		}
		switch {
		case in.Op != wasm.OpEnd:
			f.Msg += in.Op.String()
		case k == len(b.instrs)-1:
			f.Msg += "the end of the function"
		default:
			f.Msg += "the end of a block"
		}
		if in.Op != wasm.OpEnd {
			f.Related = []cursor.Related{{At: b.ownPlace(b.nodes[k]), Msg: "what follows"}}
		}
		report(f)
		return
	}
}

// wantReady checks that the function of a new task begins with an event.switch.
func (b *loweredBody) wantReady(i int, report cursor.Report) {
	in := &b.instrs[i]
	if b.d.Ready(in.A) {
		return
	}
	if ft := b.d.Mod.FuncType(b.d.Mod.Funcs[in.A].Type); ft == nil || len(ft.Params) == 0 || len(ft.Results) > 0 ||
		ft.Params[0] != wasm.TaskRef {
		return // no function of a task at all: the types say so
	}
	f := cursor.Finding{
		Code: diag.EventSwitch,
		At:   b.ownPlace(b.nodes[i]),
		Msg: "event.switch required: the function of a task begins with one, to take the event that starts it, but " +
			b.d.Mod.FuncTitle(in.A) + " does not",
	}
	b.relateItem(decl.SpaceFunc, in.A, "the function is declared here", &f)
	report(f)
}
