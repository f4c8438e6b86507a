package action

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// The messages of the parser and the checker by which a fix finds out what is wrong.
const (
	messageNoThen  = "`(then …)` is missing"
	messageInfix   = "stands before its operands"
	messageHeader  = "expected parameters, "
	messageStack   = "but stack has"
	suffixConstant = " constant"
)

// operandTypes returns fixes for operands of other types than the instruction takes: another order,
// another constant or a conversion, results for what is left.
func operandTypes(p query.Place, d *diag.Diagnostic) []diag.Fix {
	if !strings.Contains(d.Message, messageStack) {
		return retypeTag(p, d) // not about operands
	}
	if out := useGroupType(p, d); out != nil {
		return out
	}
	if out := orderOperands(p, d.Span); out != nil {
		return out
	}
	if out := constType(p, d.Span); out != nil {
		return out
	}
	return append(append(addResults(p, d), dropResult(p, d)...), retypeTag(p, d)...)
}

// contOf offers the continuation types of a function type that is named where one of them should
// be.
func contOf(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	r, ok := p.Module.RefAt(p.Tok.Span().Start)
	ir := p.Module.Declared()
	if !ok || ir == nil || r.Space != analysis.SpaceType || int64(r.Index) >= int64(len(ir.Types)) ||
		ir.Types[r.Index].Kind != wasm.CompFunc {
		return nil
	}
	switch p.Node.Op() {
	case wasm.OpContNew, wasm.OpContBind, wasm.OpResume, wasm.OpResumeThrow, wasm.OpResumeThrowRef, wasm.OpSwitch:
	default:
		return nil
	}
	t := query.NewTypes(p.Module)
	var out []diag.Fix
	for i := range ir.Types {
		if y := &ir.Types[i]; y.Kind == wasm.CompCont && y.Func == r.Index {
			name := t.Name(uint32(i))
			out = append(
				out,
				diag.Fix{
					Title: "Change to " + name, Preferred: len(out) == 0,
					Edits: []source.Edit{{Span: p.Tok.Span(), New: name}},
				},
			)
		}
	}
	return out
}

// typedOperands returns the folded operands of the instruction that a span is in, or is an operand
// of, with the types that they give and those that are asked for. Each gives one value.
func typedOperands(p query.Place, sp source.Span) (b *analysis.Body, ops []syntax.N, have, want []wasm.ValType) {
	fn, ok := p.Module.FuncAt(sp.Start)
	if !ok {
		return nil, nil, nil, nil
	}
	if b = p.Module.Body(fn); b == nil {
		return nil, nil, nil, nil
	}
	t := query.NewTypes(p.Module)
	for n, up := p.Node, 0; !n.IsZero() && up < 3; n, up = n.Parent(), up+1 {
		if n.Kind() != syntax.KInstr || n.Span() == sp {
			continue
		}
		i, ok := b.Index(n)
		if !ok {
			continue
		}
		params, _, ok := t.Instance(b, &b.Instrs[i])
		if ops = query.FoldedOperands(n); !ok || len(ops) == 0 || len(ops) != len(params) {
			return nil, nil, nil, nil
		}
		for _, o := range ops {
			k, ok := b.Index(o)
			if !ok || o.Kind() != syntax.KInstr {
				return nil, nil, nil, nil
			}
			_, results, ok := t.Instance(b, &b.Instrs[k])
			if !ok || len(results) != 1 || !t.Complete(b, o) || strings.HasPrefix(o.Op().String(), "return_call") {
				return nil, nil, nil, nil
			}
			have = append(have, results[0])
		}
		return b, ops, have, params
	}
	return nil, nil, nil, nil
}

// orderOperands puts operands in the order in which they fit, if there is one.
func orderOperands(p query.Place, sp source.Span) []diag.Fix {
	_, ops, have, want := typedOperands(p, sp)
	if len(ops) < 2 || len(ops) > 8 {
		return nil
	}
	env := p.Module.Env()
	used := make([]bool, len(ops))
	order := make([]int, 0, len(ops))
	var fit func(k int) bool
	fit = func(k int) bool {
		if k == len(want) {
			return true
		}
		for i := range ops {
			if !used[i] && env.Match(have[i], want[k]) {
				used[i], order = true, append(order, i)
				if fit(k + 1) {
					return true
				}
				used[i], order = false, order[:len(order)-1]
			}
		}
		return false
	}
	if !fit(0) {
		return nil
	}
	var edits []source.Edit
	for k, i := range order {
		if i != k {
			edits = append(edits, source.Edit{Span: ops[k].Span(), New: ops[i].Text()})
		}
	}
	if len(edits) == 0 {
		return nil
	}
	return []diag.Fix{{Title: "Reorder the operands", Edits: edits, Preferred: true}}
}

// constType returns a constant the type that is asked for, and offers to convert another number.
func constType(p query.Place, sp source.Span) []diag.Fix {
	change := func(n syntax.N, have, want wasm.ValType) []diag.Fix {
		w := constOp(want)
		if n.IsZero() || w == "" || constOp(have) == "" || have == want {
			return nil
		}
		switch n.Op() {
		case wasm.OpI32Const, wasm.OpI64Const:
			return []diag.Fix{
				{Title: "Change to " + w, Preferred: true, Edits: []source.Edit{{Span: n.Keyword().Span(), New: w}}},
			}
		case wasm.OpF32Const, wasm.OpF64Const:
			if want == wasm.F32 || want == wasm.F64 {
				return []diag.Fix{
					{
						Title:     "Change to " + w,
						Preferred: true,
						Edits:     []source.Edit{{Span: n.Keyword().Span(), New: w}},
					},
				}
			}
		}
		var out []diag.Fix
		for _, c := range conversions[[2]wasm.ValType{have, want}] {
			at := n.Span()
			out = append(out, diag.Fix{Title: "Convert with " + c, Edits: []source.Edit{
				{
					Span: source.Span{Start: at.Start, End: at.Start}, New: "(" + c + " ",
				}, {Span: source.Span{Start: at.End, End: at.End}, New: ")"}}})
		}
		if !n.Folded() {
			return nil
		}
		return out
	}
	if _, ops, have, want := typedOperands(p, sp); ops != nil {
		env := p.Module.Env()
		for k := range ops {
			if !env.Match(have[k], want[k]) {
				return change(ops[k], have[k], want[k])
			}
		}
		return nil
	}
	// At the end of a function: what it gives last.
	fn, ok := p.Module.FuncAt(sp.Start)
	if !ok {
		return nil
	}
	b := p.Module.Body(fn)
	if b == nil || len(b.Instrs) < 2 || b.Span(len(b.Instrs)-1).Start != sp.Start {
		return nil
	}
	last := len(b.Instrs) - 1
	left := b.StackBefore(last)
	ft := p.Module.Env().FuncTypeOf(fn)
	if ft == nil || len(left) != len(ft.Results) || len(left) == 0 || b.Node(last-1).Kind() != syntax.KInstr {
		return nil
	}
	return change(b.Node(last-1), left[len(left)-1], ft.Results[len(left)-1])
}

// constOp returns the mnemonic of the constants of a type.
func constOp(t wasm.ValType) string {
	switch t {
	case wasm.I32:
		return "i32.const"
	case wasm.I64:
		return "i64.const"
	case wasm.F32:
		return "f32.const"
	case wasm.F64:
		return "f64.const"
	}
	return ""
}

// conversions are the instructions that make one number type of another.
var conversions = map[[2]wasm.ValType][]string{
	{wasm.I32, wasm.I64}: {"i64.extend_i32_s", "i64.extend_i32_u"},
	{wasm.I64, wasm.I32}: {"i32.wrap_i64"},
	{wasm.F32, wasm.F64}: {"f64.promote_f32"},
	{wasm.F64, wasm.F32}: {"f32.demote_f64"},
	{wasm.I32, wasm.F32}: {"f32.convert_i32_s", "f32.convert_i32_u"},
	{wasm.I32, wasm.F64}: {"f64.convert_i32_s", "f64.convert_i32_u"},
	{wasm.I64, wasm.F32}: {"f32.convert_i64_s", "f32.convert_i64_u"},
	{wasm.I64, wasm.F64}: {"f64.convert_i64_s", "f64.convert_i64_u"},
	{wasm.F32, wasm.I32}: {"i32.trunc_sat_f32_s", "i32.trunc_sat_f32_u"},
	{wasm.F64, wasm.I32}: {"i32.trunc_sat_f64_s", "i32.trunc_sat_f64_u"},
	{wasm.F32, wasm.I64}: {"i64.trunc_sat_f32_s", "i64.trunc_sat_f32_u"},
	{wasm.F64, wasm.I64}: {"i64.trunc_sat_f64_s", "i64.trunc_sat_f64_u"},
}

// dropResult drops the one value that is left at the end of a function or block without results.
func dropResult(p query.Place, d *diag.Diagnostic) []diag.Fix {
	fn, ok := p.Module.FuncAt(d.Span.Start)
	if !ok || !strings.Contains(d.Message, "requires [] but stack has") ||
		!strings.HasSuffix(d.Message, "(1 too many)") {
		return nil
	}
	b := p.Module.Body(fn)
	if b == nil {
		return nil
	}
	for i := 1; i < len(b.Instrs); i++ {
		if b.Instrs[i].Op != wasm.OpEnd || b.Span(i).Start != d.Span.Start || b.Unreachable(i) {
			continue
		}
		n := b.Node(i - 1)
		sp := n.Span()
		if n == b.Node(i) {
			return nil // an empty block, left with its parameter
		}
		if n.IsZero() || n.Kind() != syntax.KInstr && n.Kind() != syntax.KBlock {
			return nil
		}
		end := source.Span{Start: sp.End, End: sp.End}
		if !n.Folded() {
			return []diag.Fix{{Title: "Drop the result", Edits: []source.Edit{{Span: end, New: " drop"}}}}
		}
		return []diag.Fix{
			{
				Title: "Drop the result",
				Edits: []source.Edit{
					{Span: source.Span{Start: sp.Start, End: sp.Start}, New: "(drop "},
					{Span: end, New: ")"},
				},
			},
		}
	}
	return nil
}

// addResults returns a function or block the results that are left on the stack at its end.
func addResults(p query.Place, d *diag.Diagnostic) []diag.Fix {
	fn, ok := p.Module.FuncAt(d.Span.Start)
	if !ok || !strings.Contains(d.Message, "requires [] but stack has") ||
		strings.Contains(d.Message, "event requires") {
		return nil // an event clause gives what its handle gives
	}
	b := p.Module.Body(fn)
	if b == nil {
		return nil
	}
	t := query.NewTypes(p.Module)
	for i := range b.Instrs {
		if b.Instrs[i].Op != wasm.OpEnd || b.Unreachable(i) {
			continue
		}
		n := b.Node(i)
		// The diagnostic stands at the end of what has too much.
		if sp := n.Span(); n.IsZero() ||
			d.Span.End != sp.End && !query.Inside(b.Span(i), d.Span) && !query.Inside(d.Span, n.Keyword().Span()) {
			continue
		}
		left, more := b.TopBefore(i, 1000)
		if len(left) == 0 || more > 0 || !t.Named(left) {
			continue
		}
		head := n.Keyword().Span().End
		typed := false
		for c := range n.Children() {
			switch c.Kind() {
			case syntax.KResult, syntax.KTypeUse:
				typed = true
			case syntax.KParam, syntax.KInlineExport:
				head = c.Span().End
			}
		}
		if id, ok := n.ID(); ok && id.Span().End > head && id.Span().Start < n.Keyword().Span().End+2 {
			head = id.Span().End
		}
		if typed || n.Kind() != syntax.KFunc && n.Kind() != syntax.KBlock || branchedTo(b, i) {
			continue
		}
		if n.Op() == wasm.OpHandle || n.Op() == wasm.OpIf && n.First(syntax.KElse).IsZero() {
			continue // the other clauses would have to give them too
		}
		edits := []source.Edit{{Span: source.Span{Start: head, End: head}, New: t.Sig(nil, left)}}
		if (n.Op() == wasm.OpIf || n.Kind() == syntax.KFunc) && !mends(p, edits) {
			continue // the other arm, or what uses the function, is for no results
		}
		return []diag.Fix{{Title: "Add" + t.Sig(nil, left) + " to the " + n.Keyword().Text(), Edits: edits}}
	}
	return nil
}

// branchedTo reports whether something branches to the end at an instruction, so that results there
// would be asked of the branches too.
func branchedTo(b *analysis.Body, end int) bool {
	for i := range b.Instrs {
		switch op := b.Instrs[i].Op; op {
		case wasm.OpReturn, wasm.OpReturnCall, wasm.OpReturnCallIndirect, wasm.OpReturnCallRef:
			if end == len(b.Instrs)-1 {
				return true
			}
		}
		for _, to := range b.LabelTargets(i) {
			if to == -1 && end == len(b.Instrs)-1 || to >= 0 && b.Instrs[to].Op != wasm.OpLoop && b.End(to) == end {
				return true
			}
		}
	}
	return false
}
