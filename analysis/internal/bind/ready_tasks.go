package bind

import (
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// switchFirst reports whether the first instruction that the siblings [c, end) execute is an
// event.switch, headers of blocks and loops without parameters left out.
func (l *Binder) switchFirst(c, end uint32) bool {
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
func (l *Binder) useParams(x *decl.TypeUse) int {
	if x.TypeNode != 0 {
		if ft := l.Decls.Mod.FuncType(l.UseIndex(&decl.TypeUse{TypeNode: x.TypeNode}, false)); ft != nil {
			return len(ft.Params)
		}
	}
	return len(x.Params)
}

func init() {
	ready[wasm.DialectTasks] = func(l *Binder) bool { return l.switchFirst(1, l.Unit.Nodes[0].Next) }
}
