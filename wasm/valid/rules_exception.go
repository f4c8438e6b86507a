package valid

import (
	"fmt"

	"stackscope/wasm"
)

func exceptionRules() map[wasm.Op]rule {
	return map[wasm.Op]rule{
		wasm.OpThrow: typeThrow,
		wasm.OpThrowRef: func(t *Typer, in *wasm.Instr) {
			t.take(in, t.wants(wasm.ExnRef))
			t.setUnreachable()
		},
		wasm.OpTryTable: func(t *Typer, in *wasm.Instr) {
			typeCatches(t, in)
			typeBlock(t, in)
		},
		wasm.OpCatch:    typeLegacyCatch,
		wasm.OpCatchAll: typeLegacyCatch,
		wasm.OpDelegate: typeDelegate,
		wasm.OpRethrow:  typeRethrow,
	}
}

// typeThrow : [t1* te*] -> [t2*], the tag's type [te*] -> [tr*]. Like the reference interpreter, it
// ignores the tag's results; so do catch clauses and resume_throw.
func typeThrow(t *Typer, in *wasm.Instr) {
	if ft := t.tagOf(in.A, 0); ft != nil {
		t.take(in, ft.Params)
	} else {
		t.takeRest()
	}
	t.setUnreachable()
}

// exnRefNN is what catch_ref and catch_all_ref give.
var exnRefNN = wasm.Ref(false, wasm.HeapExn)

// typeCatches checks try_table's clauses; their labels are those around the try_table.
func typeCatches(t *Typer, in *wasm.Instr) {
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

// typeLegacyCatch types catch and catch_all of the deprecated exception instructions.
func typeLegacyCatch(t *Typer, in *wasm.Instr) {
	if op := t.top().Op; op != wasm.OpTry && op != wasm.OpCatch {
		t.fail(CodeBlocks, -1, "unexpected token: %s without try", in.Op)
		return
	}
	t.fallThrough(in)
	if in.Op == wasm.OpCatchAll {
		typeNextArm(t, in.Op, nil)
		return
	}
	ft := t.tagOf(in.A, 0)
	if ft == nil {
		typeNextArm(t, in.Op, nil)
		t.giveUp()
		return
	}
	typeNextArm(t, in.Op, ft.Params)
}

func typeDelegate(t *Typer, in *wasm.Instr) {
	if t.top().Op != wasm.OpTry {
		t.fail(CodeBlocks, -1, "unexpected token: delegate without try")
		return
	}
	typeEnd(t, in)
	if len(t.ctl) > 0 {
		t.label(in.A, 0)
	}
}

func typeRethrow(t *Typer, in *wasm.Instr) {
	if c := t.label(in.A, 0); c != nil && c.Op != wasm.OpCatch && c.Op != wasm.OpCatchAll {
		t.fail(CodeBlocks, 0, "invalid rethrow label: it must name a try, and rethrow must be in its catch")
	}
	t.takeRest()
	t.setUnreachable()
}
