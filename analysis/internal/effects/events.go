package effects

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/lower"
	"stackscope/wasm"
)

// events records what an instruction of the dialects other than cont sends and takes.
func events(in *wasm.Instr, add func(stepKind, uint32)) {
	switch in.Op {
	case wasm.OpStackNew:
		add(effBase, in.B)
	case wasm.OpStacksSwitch:
		add(effPark, 0)
	case wasm.OpSwitchThrow:
		add(effPark, 0)
		add(effThrowInto, in.B)
	case wasm.OpReturnSwitch:
		add(effCall, in.Index(1))
	case wasm.OpReturnSwitchThrow:
		add(effThrowInto, in.Index(1))
		add(effCall, in.Index(2))
	case wasm.OpTaskNew, wasm.OpHandleFiberNew, wasm.OpFiberSpawn:
		add(effBase, in.A)
	case wasm.OpMountFiberNew:
		add(effReturnEvent, in.A)
		for k := range lower.HandlerClauses(in) {
			add(effBase, in.Ext.HandlerClauses[k].Label)
		}
	case wasm.OpFiberMountNew, wasm.OpFiberSwitchNew:
		add(effBase, in.B)
	case wasm.OpFiberMount, wasm.OpMountFiberSwitch, wasm.OpFiberDismount, wasm.OpFiberDismountRelease,
		wasm.OpFiberSwitchRelease, wasm.OpFiberSuspend, wasm.OpFiberResume, wasm.OpHandleFiberSwitch,
		wasm.OpFiberRetire, wasm.OpFiberRetireto, wasm.OpTaskSuspend, wasm.OpTaskResume,
		wasm.OpTaskSwitchto, wasm.OpTaskRetire:
		add(effSend, in.A)
	case wasm.OpEvent:
		add(effTake, in.A)
	}
	for _, h := range lower.HandlerClauses(in) {
		add(effTake, h.Tag)
	}
}

// givesUp reports whether control may never come back from an instruction: from a call, or where
// the stack gives up control.
func givesUp(op wasm.Op) bool {
	switch op.Info().Effect {
	case wasm.EffectCall, wasm.EffectTailCall, wasm.EffectResume, wasm.EffectSuspend, wasm.EffectSwitch,
		wasm.EffectRetire:
		return true
	}
	return false
}

// Sealed reports whether no reference of another module can get into this one, so that calls by
// type and resumes run functions of this module only.
func Sealed(ir *wasm.Module) bool {
	refs := func(ts []wasm.ValType) bool {
		for _, t := range ts {
			if t.IsRef() {
				return true
			}
		}
		return false
	}
	for _, im := range ir.Imports {
		switch im.Kind {
		case wasm.ExternTable:
			return false
		case wasm.ExternGlobal:
			if int64(im.Index) >= int64(len(ir.Globals)) || ir.Globals[im.Index].Type.IsRef() {
				return false
			}
		case wasm.ExternFunc:
			ft := (*wasm.SubType)(nil)
			if int64(im.Index) < int64(len(ir.Funcs)) {
				ft = ir.FuncType(ir.Funcs[im.Index].Type)
			}
			if ft == nil || refs(ft.Results) {
				return false
			}
		case wasm.ExternTag:
			if int64(im.Index) >= int64(len(ir.Tags)) {
				return false
			}
			if ft := ir.FuncType(ir.Tags[im.Index].Type); ft == nil || refs(ft.Params) || refs(ft.Results) {
				return false
			}
		}
	}
	for _, x := range ir.Exports {
		i := int64(x.Index)
		switch {
		case x.Kind == wasm.ExternTable:
			return false
		case x.Kind == wasm.ExternGlobal && i < int64(len(ir.Globals)):
			if g := ir.Globals[i]; g.Mut && g.Type.IsRef() {
				return false
			}
		case x.Kind == wasm.ExternFunc && i < int64(len(ir.Funcs)):
			if ft := ir.FuncType(ir.Funcs[i].Type); ft == nil || refs(ft.Params) {
				return false
			}
		case x.Kind == wasm.ExternTag && i < int64(len(ir.Tags)):
			if ft := ir.FuncType(ir.Tags[i].Type); ft == nil || refs(ft.Params) || refs(ft.Results) {
				return false
			}
		}
	}
	return true
}

// ownTags reports each tag whether no other module can know it: it is neither imported nor
// exported.
func ownTags(ir *wasm.Module) []bool {
	own := make([]bool, len(ir.Tags))
	for i := range own {
		own[i] = ir.Tags[i].Import < 0
	}
	for _, x := range ir.Exports {
		if x.Kind == wasm.ExternTag && int64(x.Index) < int64(len(own)) {
			own[x.Index] = false
		}
	}
	return own
}

// mostVerdicts bounds the verdicts on the events of one function: each has to be found in its body.
const mostVerdicts = 100

// judgeEvents finds events of the other dialects that no clause of the module takes, and clauses
// for events that nothing sends. It looks at own tags only, at the module as a whole.
func (p *Program) judgeEvents(f *Verdicts, own []bool) {
	d := p.Decls
	sent, taken := make([]bool, len(own)), make([]bool, len(own))
	is := func(t uint32) bool { return int64(t) < int64(len(own)) && own[t] }
	p.eachTaken(func(_ uint32, _ *Summary, it step) {
		if !is(it.a) {
			return
		}
		switch it.kind {
		case effSend, effReturnEvent:
			sent[it.a] = true
		case effTake:
			taken[it.a] = true
		}
	})
	seen := map[[3]uint32]bool{}
	p.eachTaken(func(fn uint32, _ *Summary, it step) {
		k := [3]uint32{fn, uint32(it.kind), it.a}
		if it.kind != effSend && it.kind != effReturnEvent && it.kind != effTake || !is(it.a) || seen[k] ||
			len(f.ByFunc[fn]) >= mostVerdicts {
			return
		}
		seen[k] = true
		v := verdict{kind: it.kind, tag: it.a}
		tag := d.Mod.Names.Tag(it.a)
		switch {
		case it.kind == effTake && !sent[it.a]:
			v.code, v.msg = diag.IdleHandler, "this clause never fires: nothing sends the event "+tag
		case it.kind == effSend && !taken[it.a]:
			v.code, v.msg = diag.EventUntaken, "no clause handles the event "+tag+": its receiver traps"
			if d.Dialect.Info().FallsThrough {
				v.msg = "no clause handles the event " + tag + ": the instruction always falls through"
			}
		case it.kind == effReturnEvent && !taken[it.a]:
			v.code, v.msg = diag.EventUntaken, "no clause handles the event "+tag+", which the fiber sends when it returns: its parent traps"
		default:
			return
		}
		v.where = []cursor.Related{p.declPlace(decl.SpaceTag, it.a, "the tag: no other module can use it")}
		f.ByFunc[fn] = append(f.ByFunc[fn], v)
	})
}

// judgeReturns finds functions that a stack or a task begins with and that may return, which traps.
func (p *Program) judgeReturns(f *Verdicts) {
	d := p.Decls
	info := d.Dialect.Info()
	if info.MustEnd == "" {
		return
	}
	said := map[uint32]bool{}
	p.eachTaken(func(_ uint32, _ *Summary, it step) {
		if it.kind != effBase || said[it.a] || int64(it.a) >= int64(len(d.Mod.Funcs)) {
			return
		}
		if st := p.Of(it.a); st == nil || !st.returns {
			return
		}
		said[it.a] = true
		f.Findings = append(
			f.Findings,
			cursor.Finding{Code: diag.ReturnsUnretired, At: p.declPlace(decl.SpaceFunc, it.a, "").At,
				Msg: "a " + info.Noun + " begins with " + d.Mod.FuncTitle(
					it.a,
				) + ", which returns; that traps: a " + info.Noun + " ends with " + info.MustEnd},
		)
	})
}

// placeEvent finds what an instruction has to do with an event.
func placeEvent(b *lower.Body, v verdict, i int, add func(cursor.Place)) {
	in := &b.Instrs[i]
	events(in, func(k stepKind, tag uint32) {
		if k != v.kind || tag != v.tag {
			return
		}
		if k != effTake || in.Op == wasm.OpEvent {
			add(b.OwnPlace(b.Nodes[i]))
		}
	})
	if d := in.Op.Info().Dialect; v.kind != effTake || d == wasm.DialectNone || d.Info().HandlerClauses {
		return
	}
	for _, h := range lower.HandlerClauses(in) {
		if h.Tag == v.tag {
			add(b.ClausePlace(h.At))
		}
	}
}
