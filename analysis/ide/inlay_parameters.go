package ide

import (
	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// parameters names the parameters before the constant operands of folded calls, and the fields
// before those of struct.new.
func (w *inlayer) parameters(root syntax.N) {
	u := &root.T.Units[root.U]
	for k := range u.Nodes {
		if u.Nodes[k].Kind != syntax.KInstr {
			continue
		}
		n := syntax.N{T: root.T, U: root.U, I: int32(k)}
		if sp := n.Span(); !n.Folded() || sp.End < w.sp.Start || sp.Start > w.sp.End {
			continue
		}
		sp := analysis.SpaceNone
		switch n.Op() {
		case wasm.OpCall, wasm.OpReturnCall:
			sp = analysis.SpaceFunc
		case wasm.OpStructNew:
			sp = analysis.SpaceType
		}
		if args := query.FoldedOperands(n); sp != analysis.SpaceNone && len(args) > 0 {
			w.named(n, sp, args)
		}
	}
}

// named adds the hints of one instruction whose first immediate names an item of a space.
func (w *inlayer) named(n syntax.N, sp analysis.Space, args []syntax.N) {
	var names []analysis.Symbol
	for t := range n.Own() {
		r, ok := w.m.RefAt(t.Span().Start)
		if !ok || r.Space != sp || r.Index == wasm.BadIndex {
			continue
		}
		if sp == analysis.SpaceType {
			names = w.m.Fields(r.Index)
		} else if ft := w.t.FuncType(r.Index); ft != nil {
			locals := w.m.Locals(r.Index)
			names = locals[:min(len(locals), len(ft.Params))]
		}
		break
	}
	if len(names) != len(args) {
		return // an operand is on the stack already, or makes several values
	}
	for _, a := range args {
		if a.Kind() != syntax.KInstr ||
			len(a.Op().Info().Results) != 1 && !constant(a.Op()) && !single(a.Op()) && !w.callOfOne(a) {
			return
		}
	}
	for i, a := range args {
		y := names[i]
		if y.Name == "" || !constant(a.Op()) {
			continue
		}
		w.add(
			Hint{
				Off:    a.Span().Start,
				Label:  query.Identifier(y.Name) + ":",
				Param:  true,
				Target: target(y).Name,
				Tooltip: func() string {
					var c card
					c.code(y.Space.String() + " " + query.Identifier(y.Name) + " " + w.value(y))
					return c.String()
				},
			},
		)
	}
}

// callOfOne reports whether an instruction is a call of a function with one result.
func (w *inlayer) callOfOne(n syntax.N) bool {
	if n.Op() != wasm.OpCall {
		return false
	}
	for t := range n.Own() {
		if r, ok := w.m.RefAt(t.Span().Start); ok && r.Space == analysis.SpaceFunc {
			ft := w.t.FuncType(r.Index)
			return ft != nil && len(ft.Results) == 1
		}
	}
	return false
}

// constant reports whether an instruction is a constant.
func constant(op wasm.Op) bool {
	switch op {
	case wasm.OpI32Const, wasm.OpI64Const, wasm.OpF32Const, wasm.OpF64Const, wasm.OpV128Const, wasm.OpRefNull:
		return true
	}
	return false
}

// single reports whether an instruction without a fixed type makes one value.
func single(op wasm.Op) bool {
	switch op {
	case wasm.OpLocalGet, wasm.OpLocalTee, wasm.OpGlobalGet, wasm.OpRefFunc, wasm.OpStructGet,
		wasm.OpArrayGet, wasm.OpTableGet, wasm.OpSelect, wasm.OpStructNew, wasm.OpContNew:
		return true
	}
	return false
}
