package analysis

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// switchFirst reports whether the first instruction that the siblings [c, end) execute is an
// event.switch, headers of blocks and loops without parameters left out.
func (l *lowerer) switchFirst(c, end uint32) bool {
	u := &l.u
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
			var x use
			l.readUse(c+1, k, &x)
			if l.useParams(&x) > 0 {
				return false
			}
			return l.switchFirst(k, nd.Next)
		}
	}
	return false
}

// useParams counts the parameters of a type use.
func (l *lowerer) useParams(x *use) int {
	if x.typeNode != 0 {
		if ft := l.d.mod.FuncType(l.useIndex(&use{typeNode: x.typeNode}, false)); ft != nil {
			return len(ft.Params)
		}
	}
	return len(x.params)
}

// dialectRules checks what lies beyond the types of the sequence that was lowered last.
func (l *lowerer) dialectRules() {
	if l.hush || l.out == nil || len(l.u.Errors) > 0 {
		return
	}
	switch l.d.dialect {
	case wasm.DialectTasks:
		for i := range l.instrs {
			switch l.instrs[i].Op {
			case wasm.OpTaskSuspend, wasm.OpTaskResume, wasm.OpTaskSwitchto:
				l.wantSwitch(i)
			case wasm.OpTaskNew:
				l.wantReady(i)
			}
		}
	case wasm.DialectFibersHandle:
		for i := range l.instrs {
			if l.instrs[i].Op == wasm.OpHandleFiberNew {
				l.warnEvents(i)
			}
		}
	}
}

// wantSwitch checks that an event.switch follows instruction i, headers of blocks and loops without
// parameters left out.
func (l *lowerer) wantSwitch(i int) {
	for k := i + 1; k < len(l.instrs); k++ {
		in := &l.instrs[k]
		switch in.Op {
		case wasm.OpEventSwitch, wasm.OpInvalid:
			return
		case wasm.OpBlock, wasm.OpLoop:
			if x, ok := in.Block().Index(); ok && x == wasm.BadIndex {
				return
			} else if ft := l.d.mod.FuncType(x); !ok || ft == nil || len(ft.Params) == 0 {
				continue
			}
		}
		op := l.instrs[i].Op
		f := cursor.Finding{
			Code: diag.EventSwitch,
			At:   l.ownPlace(l.nodes[i]),
			Msg: "event.switch required: it must follow " + op.String() +
				", to take the event that the task is continued with; here follows ",
		}
		switch {
		case in.Op != wasm.OpEnd:
			f.Msg += in.Op.String()
		case k == len(l.instrs)-1:
			f.Msg += "the end of the function"
		default:
			f.Msg += "the end of a block"
		}
		if in.Op != wasm.OpEnd {
			f.Related = []cursor.Related{{At: l.ownPlace(l.nodes[k]), Msg: "what follows"}}
		}
		l.report(f)
		return
	}
}

// wantReady checks that the function of a new task begins with an event.switch.
func (l *lowerer) wantReady(i int) {
	in := &l.instrs[i]
	if l.d.ready(in.A) {
		return
	}
	if ft := l.d.mod.FuncType(l.d.mod.Funcs[in.A].Type); ft == nil || len(ft.Params) == 0 || len(ft.Results) > 0 ||
		ft.Params[0] != wasm.TaskRef {
		return // no function of a task at all: the types say so
	}
	f := cursor.Finding{
		Code: diag.EventSwitch,
		At:   l.ownPlace(l.nodes[i]),
		Msg: "event.switch required: the function of a task begins with one, to take the event that starts it, but " +
			l.d.mod.FuncTitle(in.A) + " does not",
	}
	l.relateItem(SpaceFunc, in.A, "the function is declared here", &f)
	l.report(f)
}
