package lint

import (
	"slices"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/lower"
	"stackscope/wasm"
)

// lintLeaves reports where the reference to a fiber or task leaves the module: code that has it
// can suspend the stack while it runs, frames of other modules included. References that are good
// once are no such capability.
func lintLeaves(b *lower.Body, report cursor.Report) {
	info := b.Decls.Dialect.Info()
	if !info.Events {
		return
	}
	mod := b.Decls.Mod
	names := func(t wasm.ValType) bool {
		if !t.IsRef() {
			return false
		}
		h := t.Heap()
		return h == info.Ref || h >= 0 && int64(h) < int64(len(mod.Types)) && mod.Types[h].Kind == info.Type &&
			info.Type != wasm.CompBad
	}
	say := func(i int, how string, sp decl.Space, item uint32, what string) {
		f := cursor.Finding{Code: diag.ReferenceLeaves, At: b.OwnPlace(b.Nodes[i]),
			Msg: "the reference to " + how + ": code that has it can suspend the " + info.Noun + " wherever it runs"}
		b.RelateItem(sp, item, what, &f)
		report(f)
	}
	for i := range b.Instrs {
		in := &b.Instrs[i]
		switch in.Op {
		case wasm.OpCall, wasm.OpReturnCall:
			if int64(in.A) >= int64(len(mod.Funcs)) || mod.Funcs[in.A].Import < 0 {
				continue
			}
			if ft := mod.FuncType(mod.Funcs[in.A].Type); ft != nil && slices.ContainsFunc(ft.Params, names) {
				say(i, "a "+info.Noun+" goes to "+mod.FuncTitle(in.A)+", which is imported", decl.SpaceFunc, in.A,
					"the function of another module")
			}
		case wasm.OpTableSet, wasm.OpGlobalSet:
			kind, sp, what := wasm.ExternTable, decl.SpaceTable, "the table"
			if in.Op == wasm.OpGlobalSet {
				kind, sp, what = wasm.ExternGlobal, decl.SpaceGlobal, "the global"
			}
			if own := i > 0 && b.Instrs[i-1].Op == wasm.OpLocalGet && int(b.Instrs[i-1].A) < b.NumParams() &&
				names(b.Locals[b.Instrs[i-1].A]); own && shared(mod, kind, in.A) {
				say(i, "a "+info.Noun+", a parameter, goes into "+what+", which other modules see", sp, in.A,
					what+" is imported or exported")
			}
		}
	}
}

// shared reports whether other modules see an item.
func shared(mod *wasm.Module, kind wasm.ExternKind, i uint32) bool {
	switch {
	case kind == wasm.ExternTable && int64(i) < int64(len(mod.Tables)) && mod.Tables[i].Import >= 0,
		kind == wasm.ExternGlobal && int64(i) < int64(len(mod.Globals)) && mod.Globals[i].Import >= 0:
		return true
	}
	return slices.ContainsFunc(mod.Exports, func(x wasm.Export) bool { return x.Kind == kind && x.Index == i })
}
