package query

import (
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// ValueType returns the type of a local, global, field, table's or segment's element.
func (t Types) ValueType(y analysis.Symbol) (wasm.ValType, bool) {
	i := int(y.Index)
	switch y.Space {
	case analysis.SpaceLocal:
		ft := t.FuncType(y.Owner)
		if ft != nil && i < len(ft.Params) {
			return ft.Params[i], true
		}
		if b := t.m.Body(y.Owner); b != nil && i < len(b.Locals) {
			return b.Locals[i], true
		}
	case analysis.SpaceGlobal:
		if i < len(t.Declared.Globals) {
			return t.Declared.Globals[i].Type, true
		}
	case analysis.SpaceTable:
		if i < len(t.Declared.Tables) {
			return t.Declared.Tables[i].Type, true
		}
	case analysis.SpaceElem:
		if i < len(t.Declared.Elems) {
			return t.Declared.Elems[i].Type, true
		}
	case analysis.SpaceField:
		if ty := t.Sub(y.Owner); ty != nil && i < len(ty.Fields) {
			return ty.Fields[i].Type, true
		}
	}
	return wasm.Unknown, false
}

// Here returns the type that an instruction has at its place, where its immediates settle it; ""
// where they do not.
func (t Types) Here(b *analysis.Body, i int) string {
	in := &b.Instrs[i]
	params, results, ok := t.Instance(b, in)
	if !ok {
		params, results, ok = t.ofPlace(b, i, -1)
	}
	if !ok {
		return ""
	}
	return t.Arrow(params, results)
}

// Instance returns parameters and results of an instruction whose immediates settle them.
func (t Types) Instance(b *analysis.Body, in *wasm.Instr) (params, results []wasm.ValType, ok bool) {
	ref := func(null bool, i uint32) wasm.ValType { return wasm.Ref(null, wasm.HeapType(i)) }
	one := func(v wasm.ValType) []wasm.ValType { return []wasm.ValType{v} }
	if info := in.Op.Info(); info.Fixed {
		params = info.Params
		if info.Addr && len(params) > 0 && int64(in.A) < int64(len(t.Declared.Mems)) &&
			t.Declared.Mems[in.A].Limits.Is64 {
			params = append([]wasm.ValType{wasm.I64}, params[1:]...)
		}
		return params, info.Results, true
	}
	switch in.Op {
	case wasm.OpCall, wasm.OpReturnCall:
		if ft := t.FuncType(in.A); ft != nil {
			return ft.Params, ft.Results, true
		}
	case wasm.OpCallRef, wasm.OpReturnCallRef:
		if ft := t.Declared.FuncType(in.A); ft != nil {
			return append(Concat(ft.Params, nil), ref(true, in.A)), ft.Results, true
		}
	case wasm.OpLocalGet, wasm.OpLocalSet, wasm.OpLocalTee:
		if int64(in.A) < int64(len(b.Locals)) {
			v := one(b.Locals[in.A])
			switch in.Op {
			case wasm.OpLocalGet:
				return nil, v, true
			case wasm.OpLocalSet:
				return v, nil, true
			}
			return v, v, true
		}
	case wasm.OpGlobalGet, wasm.OpGlobalSet:
		if int64(in.A) < int64(len(t.Declared.Globals)) {
			v := one(t.Declared.Globals[in.A].Type)
			if in.Op == wasm.OpGlobalGet {
				return nil, v, true
			}
			return v, nil, true
		}
	case wasm.OpRefFunc:
		if int64(in.A) < int64(len(t.Declared.Funcs)) {
			return nil, one(ref(false, t.Declared.Funcs[in.A].Type)), true
		}
	case wasm.OpRefNull:
		return nil, one(in.Ref()), true
	case wasm.OpThrow:
		if ft := t.TagType(in.A); ft != nil {
			return ft.Params, nil, true
		}
	case wasm.OpCallIndirect, wasm.OpReturnCallIndirect:
		if ft := t.Declared.FuncType(in.B); ft != nil && int64(in.A) < int64(len(t.Declared.Tables)) {
			return append(Concat(ft.Params, nil), t.m.Env().TableAddr(in.A)), ft.Results, true
		}
	case wasm.OpStructNew:
		if ty := t.Sub(in.A); ty != nil && ty.Kind == wasm.CompStruct {
			for _, f := range ty.Fields {
				params = append(params, f.Type.Unpacked())
			}
			return params, one(ref(false, in.A)), true
		}
	case wasm.OpStructGet, wasm.OpStructGetS, wasm.OpStructGetU, wasm.OpStructSet:
		if ty := t.Sub(in.A); ty != nil && ty.Kind == wasm.CompStruct && int64(in.B) < int64(len(ty.Fields)) {
			v := ty.Fields[in.B].Type.Unpacked()
			if in.Op == wasm.OpStructSet {
				return []wasm.ValType{ref(true, in.A), v}, nil, true
			}
			return one(ref(true, in.A)), one(v), true
		}
	case wasm.OpArrayNew, wasm.OpArrayGet, wasm.OpArrayGetS, wasm.OpArrayGetU, wasm.OpArraySet:
		if ty := t.Sub(in.A); ty != nil && ty.Kind == wasm.CompArray && len(ty.Fields) == 1 {
			v := ty.Fields[0].Type.Unpacked()
			switch in.Op {
			case wasm.OpArrayNew:
				return []wasm.ValType{v, wasm.I32}, one(ref(false, in.A)), true
			case wasm.OpArraySet:
				return []wasm.ValType{ref(true, in.A), wasm.I32, v}, nil, true
			}
			return []wasm.ValType{ref(true, in.A), wasm.I32}, one(v), true
		}
	case wasm.OpBlock, wasm.OpLoop, wasm.OpTryTable, wasm.OpTry, wasm.OpBarrier, wasm.OpHandle:
		params, results = t.BlockType(in.Block())
		return params, results, true
	case wasm.OpIf:
		params, results = t.BlockType(in.Block())
		return append(Concat(params, nil), wasm.I32), results, true
	}
	if a, ok := t.m.Env().Ask(in, nil); ok && !a.OfPlace {
		return a.Params, a.Results, true
	}
	return nil, nil, false
}

// ofPlace is Instance of the instructions of dialects to whose type the operands, or the labels of
// clauses, belong as well. The operands before it are those of a folded instruction so far, if
// given is not negative: that many.
func (t Types) ofPlace(b *analysis.Body, i, given int) (params, results []wasm.ValType, ok bool) {
	in := &b.Instrs[i]
	switch in.Op {
	case wasm.OpEvent:
		if in.Block() == 0 {
			if ft := t.TagType(in.A); ft != nil {
				params = ft.Params
			}
		} else {
			params, _ = t.BlockType(in.Block())
		}
		return params, t.LabelTypes(b, i), true
	case wasm.OpEventSwitch:
		if in.Ext != nil {
			for _, h := range in.Ext.HandlerClauses {
				if n := t.ClauseTakes(b, i, h); n > len(params) {
					params = t.LabelTypes(b, b.Blocks(i)[h.Label])[:n]
				}
			}
		}
		return params, nil, true
	}
	before := b.StackBefore(i)
	if given >= 0 {
		before = before[max(0, len(before)-given):]
		if a, ok := t.m.Env().Ask(in, nil); ok {
			for range len(a.Params) - given { // what is still to come
				before = append(before[:len(before):len(before)], wasm.Unknown)
			}
		}
	}
	a, ok := t.m.Env().Ask(in, before)
	return a.Params, a.Results, ok
}

// ClauseTakes returns how many operands of an `event.switch` go to the label of a clause, before
// the payload of the event.
func (t Types) ClauseTakes(b *analysis.Body, i int, h wasm.HandlerClause) int {
	ft := t.TagType(h.Tag)
	bs := b.Blocks(i)
	if b.Instrs[i].Op != wasm.OpEventSwitch || ft == nil || int64(h.Label) >= int64(len(bs)) {
		return 0
	}
	return max(0, len(t.LabelTypes(b, bs[h.Label]))-len(ft.Params))
}

// Operands returns the types that an instruction consumes and pushes: those of instance, and of
// branches.
func (t Types) Operands(b *analysis.Body, i int) (params, results []wasm.ValType, ok bool) {
	return t.OperandsOf(b, i, -1)
}

// OperandsOf is Operands of a folded instruction that is being written: given operands of it stand
// there. With given negative it is Operands.
func (t Types) OperandsOf(b *analysis.Body, i, given int) (params, results []wasm.ValType, ok bool) {
	in := &b.Instrs[i]
	if params, results, ok = t.Instance(b, in); ok {
		return params, results, true
	}
	if in.Op.Info().Dialect != wasm.DialectNone {
		return t.ofPlace(b, i, given)
	}
	top := wasm.ValType(wasm.Unknown)
	if before, _ := b.TopBefore(i, 1); len(before) == 1 {
		top = before[0]
	}
	one := []wasm.ValType{top}
	switch in.Op {
	case wasm.OpReturn:
		return t.LabelTypes(b, -1), nil, true
	case wasm.OpDrop:
		return one, nil, true
	case wasm.OpRefIsNull:
		return one, []wasm.ValType{wasm.I32}, true
	case wasm.OpRefAsNonNull:
		if top.IsRef() {
			return one, []wasm.ValType{top.NonNull()}, true
		}
		return one, one, true
	case wasm.OpTableGet, wasm.OpTableSet, wasm.OpTableGrow, wasm.OpTableSize, wasm.OpTableFill:
		if int64(in.A) >= int64(len(t.Declared.Tables)) {
			return nil, nil, false
		}
		at, v := t.m.Env().TableAddr(in.A), t.Declared.Tables[in.A].Type
		switch in.Op {
		case wasm.OpTableGet:
			return []wasm.ValType{at}, []wasm.ValType{v}, true
		case wasm.OpTableSet:
			return []wasm.ValType{at, v}, nil, true
		case wasm.OpTableGrow:
			return []wasm.ValType{v, at}, []wasm.ValType{at}, true
		case wasm.OpTableSize:
			return nil, []wasm.ValType{at}, true
		}
		return []wasm.ValType{at, v, at}, nil, true
	case wasm.OpSelect:
		v := wasm.ValType(wasm.Unknown)
		if before, _ := b.TopBefore(i, 3); len(before) == 3 {
			v = before[0]
		}
		return []wasm.ValType{v, v, wasm.I32}, []wasm.ValType{v}, true
	}
	to := b.LabelTargets(i)
	if len(to) == 0 || to[len(to)-1] == -2 {
		return nil, nil, false
	}
	label := t.LabelTypes(b, to[len(to)-1]) // of br_table the default: all take as many
	last := len(label) - 1
	switch in.Op {
	case wasm.OpBr:
		return label, nil, true
	case wasm.OpBrIf:
		return Concat(label, []wasm.ValType{wasm.I32}), label, true
	case wasm.OpBrTable:
		return Concat(label, []wasm.ValType{wasm.I32}), nil, true
	case wasm.OpBrOnNull:
		if !top.IsRef() {
			return Concat(label, []wasm.ValType{wasm.Unknown}), Concat(label, []wasm.ValType{wasm.Unknown}), true
		}
		return Concat(label, []wasm.ValType{top}), Concat(label, []wasm.ValType{top.NonNull()}), true
	case wasm.OpBrOnNonNull:
		if last >= 0 && label[last].IsRef() {
			return Concat(label[:last], []wasm.ValType{label[last].OrNull()}), label[:last], true
		}
	case wasm.OpBrOnCast, wasm.OpBrOnCastFail:
		if last < 0 || in.Ext == nil || len(in.Ext.Types) == 0 {
			break
		}
		from, cast := in.Ref(), in.Ext.Types[0]
		stays := cast
		if in.Op == wasm.OpBrOnCast {
			if stays = from; cast.Nullable() {
				stays = from.NonNull()
			}
		}
		return Concat(label[:last], []wasm.ValType{from}), Concat(label[:last], []wasm.ValType{stays}), true
	}
	return nil, nil, false
}

// Complete reports whether a folded instruction and its operands have all that they take in them,
// each as one value.
func (t Types) Complete(b *analysis.Body, n syntax.N) bool {
	k, ok := b.Index(n)
	if !ok || n.Kind() != syntax.KInstr {
		return false
	}
	params, results, ok := t.Instance(b, &b.Instrs[k])
	ops := FoldedOperands(n)
	if !ok || len(results) != 1 || len(ops) != len(params) {
		return false
	}
	for _, o := range ops {
		if !t.Complete(b, o) {
			return false
		}
	}
	return true
}

// Effect returns what an instruction takes from the operand stack and leaves there, as far as its
// form and its place tell.
func (t Types) Effect(b *analysis.Body, i int) (params, results []wasm.ValType) {
	in := &b.Instrs[i]
	if params, results, ok := t.Instance(b, in); ok {
		return params, results
	}
	take := func(n, give int) ([]wasm.ValType, []wasm.ValType) {
		before, _ := b.TopBefore(i, n)
		after, _ := b.TopAfter(i, give)
		return before, after
	}
	branch := 0
	if to := b.LabelTargets(i); len(to) > 0 && to[0] != -2 {
		branch = len(t.LabelTypes(b, to[0]))
	}
	switch name := in.Op.String(); {
	case in.Op == wasm.OpDrop:
		return take(1, 0)
	case in.Op == wasm.OpSelect:
		return take(3, 1)
	case in.Op == wasm.OpBr:
		return take(branch, 0)
	case in.Op == wasm.OpBrIf:
		return take(branch+1, branch)
	case in.Op == wasm.OpBrTable:
		return take(branch+1, 0)
	case in.Op == wasm.OpReturn:
		if ft := t.FuncType(b.Func); ft != nil {
			return take(len(ft.Results), 0)
		}
	case in.Op == wasm.OpUnreachable:
		return nil, nil
	case strings.HasPrefix(name, "ref.cast"),
		strings.HasPrefix(name, "ref.as"),
		strings.HasSuffix(name, "convert_extern"),
		strings.HasSuffix(name, "convert_any"):
		return take(1, 1)
	}
	return b.Change(i)
}

// Named reports whether types can be written in a signature.
func (t Types) Named(ts []wasm.ValType) bool {
	return !slices.ContainsFunc(ts, func(v wasm.ValType) bool {
		if v.Kind() == wasm.KindUnknown || v.IsRef() && v.Heap() == wasm.HeapBad {
			return true
		}
		if !v.IsRef() || v.Heap() < 0 {
			return false
		}
		ty := t.Sub(uint32(v.Heap()))
		return ty == nil || ty.Implicit
	})
}

// BlockType returns parameters and results of a block type.
func (t Types) BlockType(b wasm.BlockType) (params, results []wasm.ValType) {
	if i, ok := b.Index(); ok {
		if ft := t.Declared.FuncType(i); ft != nil {
			return ft.Params, ft.Results
		}
		return nil, nil
	}
	if v, ok := b.Result(); ok {
		return nil, []wasm.ValType{v}
	}
	return nil, nil
}

// LabelTypes returns what a branch to the label of the block at an instruction brings: the
// parameters of a loop, the results of another block; of the function (block -1) its results.
func (t Types) LabelTypes(b *analysis.Body, block int) []wasm.ValType {
	if block < 0 || block >= len(b.Instrs) {
		if ft := t.FuncType(b.Func); ft != nil {
			return ft.Results
		}
		return nil
	}
	in := &b.Instrs[block]
	if in.Op == wasm.OpEvent { // the results are those of its handle
		for _, k := range b.Blocks(block) {
			if k < 0 || b.Instrs[k].Op == wasm.OpHandle {
				return t.LabelTypes(b, k)
			}
		}
	}
	params, results := t.BlockType(in.Block())
	if in.Op == wasm.OpLoop {
		return params
	}
	return results
}

// Describe returns in one phrase of which type a symbol is: `[i32] -> [i64]`, `mut i32`.
func (t Types) Describe(y analysis.Symbol) string {
	i := y.Index
	switch y.Space {
	case analysis.SpaceFunc:
		if ft := t.FuncType(i); ft != nil {
			return t.Arrow(ft.Params, ft.Results)
		}
		return ""
	case analysis.SpaceType:
		if ty := t.Sub(i); ty != nil && ty.Kind == wasm.CompStruct {
			return "struct"
		}
		return t.Short(i)
	case analysis.SpaceTag:
		ft := t.TagType(i)
		switch {
		case ft == nil:
			return ""
		case len(ft.Results) == 0:
			return t.List(ft.Params)
		}
		return t.Arrow(ft.Params, ft.Results)
	case analysis.SpaceGlobal:
		if int(i) >= len(t.Declared.Globals) {
			return ""
		}
		g := t.Declared.Globals[i]
		if g.Mut {
			return "mut " + t.Val(g.Type)
		}
		return t.Val(g.Type)
	case analysis.SpaceTable:
		v, _ := t.ValueType(y)
		return "table " + t.Val(v)
	case analysis.SpaceMemory:
		if int(i) < len(t.Declared.Mems) {
			return "memory" + Limits(t.Declared.Mems[i].Limits)
		}
		return "memory"
	case analysis.SpaceElem:
		return "elem"
	}
	return "data"
}
