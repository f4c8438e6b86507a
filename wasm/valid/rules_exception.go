package valid

import (
	"fmt"

	"stackscope/wasm"
)

func exceptionRules() map[wasm.Op]rule {
	return map[wasm.Op]rule{
		wasm.OpThrow: (*Typer).throw,
		wasm.OpThrowRef: func(t *Typer, in *wasm.Instr) {
			t.take(in, t.wants(wasm.ExnRef))
			t.setUnreachable()
		},
		wasm.OpTryTable: func(t *Typer, in *wasm.Instr) {
			t.catches(in)
			t.block(in)
		},
		wasm.OpCatch:    (*Typer).legacyCatch,
		wasm.OpCatchAll: (*Typer).legacyCatch,
		wasm.OpDelegate: (*Typer).delegate,
		wasm.OpRethrow:  (*Typer).rethrow,
	}
}

// throw : [t1* te*] -> [t2*], the tag's type [te*] -> [tr*]. Like the reference interpreter, it
// ignores the tag's results; so do catch clauses and resume_throw.
func (t *Typer) throw(in *wasm.Instr) {
	if ft := t.tagOf(in.A, 0); ft != nil {
		t.take(in, ft.Params)
	} else {
		t.takeRest()
	}
	t.setUnreachable()
}

// exnRefNN is what catch_ref and catch_all_ref give.
var exnRefNN = wasm.Ref(false, wasm.HeapExn)

// catches checks try_table's clauses; their labels are those around the try_table.
func (t *Typer) catches(in *wasm.Instr) {
	if in.Ext == nil {
		return
	}
	for i := range in.Ext.Catches {
		c := &in.Ext.Catches[i]
		imm := i + 1
		want := t.wants()
		if c.Kind == wasm.CatchTag || c.Kind == wasm.CatchTagRef {
			ft := t.tagOf(c.Tag, imm)
			if ft == nil {
				t.label(c.Label, imm)
				continue
			}
			want = append(want, ft.Params...)
		}
		if c.Kind == wasm.CatchTagRef || c.Kind == wasm.CatchAllRef {
			want = append(want, exnRefNN)
		}
		t.want = want
		l := t.label(c.Label, imm)
		if l == nil || l.Opaque || t.e.MatchAll(want, l.Label()) {
			continue
		}
		l.doubted(len(want))
		t.labelMismatch(imm, l.Label(), want, fmt.Sprintf("type mismatch: the catch clause gives %s, but its label takes %s",
			t.e.FormatTypes(want), t.e.FormatTypes(l.Label())))
	}
}

// legacyCatch types catch and catch_all of the deprecated exception instructions.
func (t *Typer) legacyCatch(in *wasm.Instr) {
	if op := t.top().Op; op != wasm.OpTry && op != wasm.OpCatch {
		t.fail(CodeBlocks, -1, "unexpected token: %s without try", in.Op)
		return
	}
	t.fallThrough(in)
	if in.Op == wasm.OpCatchAll {
		t.nextArm(in.Op, nil)
		return
	}
	ft := t.tagOf(in.A, 0)
	if ft == nil {
		t.nextArm(in.Op, nil)
		t.giveUp()
		return
	}
	t.nextArm(in.Op, ft.Params)
}

func (t *Typer) delegate(in *wasm.Instr) {
	if t.top().Op != wasm.OpTry {
		t.fail(CodeBlocks, -1, "unexpected token: delegate without try")
		return
	}
	t.end(in)
	if len(t.ctl) > 0 {
		t.label(in.A, 0)
	}
}

func (t *Typer) rethrow(in *wasm.Instr) {
	if c := t.label(in.A, 0); c != nil && c.Op != wasm.OpCatch && c.Op != wasm.OpCatchAll {
		t.fail(CodeBlocks, 0, "invalid rethrow label: it must name a try, and rethrow must be in its catch")
	}
	t.takeRest()
	t.setUnreachable()
}
