package linear

import (
	"stackscope/analysis/internal/lower"
	"stackscope/wasm"
)

// refOp reports what an instruction does with the reference on top of the stack: whether it needs
// it to be good, and whether the reference is no good any more afterwards.
func refOp(b *lower.Body, in *wasm.Instr) (uses, consumes bool) {
	switch in.Op {
	case wasm.OpResume, wasm.OpResumeThrow, wasm.OpResumeThrowRef, wasm.OpSwitch, wasm.OpContBind,
		wasm.OpStackBind, wasm.OpStacksSwitch, wasm.OpSwitchRetire, wasm.OpSwitchThrow, wasm.OpReturnSwitch,
		wasm.OpReturnSwitchThrow, wasm.OpHandleFiberRelease, wasm.OpTaskRelease:
		return true, true
	case wasm.OpContNew: // takes a function
		return true, false
	case wasm.OpMountFiberRelease: // silent on a fiber that has ended
		return false, true
	case wasm.OpFiberMount, wasm.OpMountFiberSwitch, wasm.OpFiberDismount, wasm.OpFiberSwitchNew,
		wasm.OpFiberDismountRelease, wasm.OpFiberSwitchRelease:
		return true, false
	case wasm.OpFiberSuspend, wasm.OpFiberResume, wasm.OpHandleFiberSwitch, wasm.OpFiberRetire, wasm.OpFiberRetireto,
		wasm.OpTaskSuspend, wasm.OpTaskResume, wasm.OpTaskSwitchto, wasm.OpTaskRetire:
		// The payload lies above the reference.
		mod := b.Decls.Mod
		if int64(in.A) >= int64(len(mod.Tags)) {
			return false, false
		}
		ft := mod.FuncType(mod.Tags[in.A].Type)
		return ft != nil && len(ft.Params) == 0, false
	}
	return false, false
}

// followed reports whether the references of a type are followed: those that name a stack, in
// whichever dialect.
func followed(b *lower.Body, t wasm.ValType) bool {
	if !t.IsRef() {
		return false
	}
	switch h := t.Heap(); {
	case h == wasm.HeapFiber, h == wasm.HeapTask:
		return true
	case h >= 0 && int64(h) < int64(len(b.Decls.Mod.Types)):
		k := b.Decls.Mod.Types[h].Kind
		return k == wasm.CompCont || k == wasm.CompStack || k == wasm.CompFiber
	}
	return false
}

// isFuncRef reports whether a type is a reference to a function of a defined type, which cont.new
// takes.
func isFuncRef(b *lower.Body, t wasm.ValType) bool {
	if !t.IsRef() {
		return false
	}
	h := t.Heap()
	return h >= 0 && int64(h) < int64(len(b.Decls.Mod.Types)) && b.Decls.Mod.Types[h].Kind == wasm.CompFunc
}

// noun is what the dialect calls what a reference names.
func noun(b *lower.Body) string { return b.Decls.Dialect.Info().Noun }

// oneShot reports whether references are used up, rather than fibers and tasks released.
func oneShot(b *lower.Body) bool {
	return b.Decls.Dialect.Info().OneShot
}

// leavesForGood reports whether control does not continue after an instruction that gives it up.
func leavesForGood(op wasm.Op) bool {
	switch op {
	case wasm.OpSwitchRetire, wasm.OpFiberSuspend, wasm.OpHandleFiberSwitch, wasm.OpFiberRetire,
		wasm.OpFiberRetireto, wasm.OpTaskRetire, wasm.OpEventSwitch:
		return true
	}
	return op.Info().Leaves
}
