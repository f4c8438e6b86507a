package action

import (
	"regexp"
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
		return nil // not about operands
	}
	if out := orderOperands(p, d.Span); out != nil {
		return out
	}
	if out := constType(p, d.Span); out != nil {
		return out
	}
	return append(addResults(p, d), dropResult(p, d)...)
}

// wrapThen puts what follows the condition of an `if` in `(then …)`.
func wrapThen(p query.Place, d *diag.Diagnostic) []diag.Fix {
	n := p.Up(syntax.KBlock)
	if !strings.Contains(d.Message, messageNoThen) || n.IsZero() || n.Op() != wasm.OpIf {
		return nil
	}
	ops := query.FoldedOperands(n)
	if len(ops) < 2 {
		return nil
	}
	from, to := ops[1].Span().Start, ops[len(ops)-1].Span().End
	return []diag.Fix{{Title: "Wrap in (then …)", Preferred: true, Edits: []source.Edit{
		{Span: source.Span{Start: from, End: from}, New: "(then "}, {Span: source.Span{Start: to, End: to},
			New: ")"}}}}
}

// orderHeader moves a part of a header to where it belongs: parameters, then results, then locals,
// then instructions.
func orderHeader(p query.Place, d *diag.Diagnostic) []diag.Fix {
	n := p.Up(syntax.KParam, syntax.KResult, syntax.KLocal)
	if !strings.Contains(d.Message, messageHeader) || n.IsZero() {
		return nil
	}
	if n.Parent().Kind() == syntax.KInstr {
		switch n.Parent().Op() {
		case wasm.OpSelect, wasm.OpCallIndirect, wasm.OpReturnCallIndirect:
		default:
			return nil // it has no place there
		}
	}
	rank := func(k syntax.Kind) int {
		switch k {
		case syntax.KParam:
			return 1
		case syntax.KResult:
			return 2
		case syntax.KLocal:
			return 3
		case syntax.KInstr, syntax.KBlock, syntax.KError:
			return 4
		}
		return 0
	}
	for c := range n.Parent().Children() {
		if c.Span().Start >= n.Span().Start {
			return nil
		}
		if rank(c.Kind()) > rank(n.Kind()) {
			at := c.Span().Start
			edits := []source.Edit{{Span: source.Span{Start: at, End: at}, New: n.Text() + " "}, {Span: cutOut(p, n)}}
			if !mends(p, edits) {
				return nil // it is not whole, or more is in the wrong place
			}
			return []diag.Fix{{Title: "Move " + n.Keyword().Text() + " to its place", Preferred: true, Edits: edits}}
		}
	}
	return nil
}

// otherConst offers the constants of floats where an integer constant has a fraction.
func otherConst(p query.Place, d *diag.Diagnostic) []diag.Fix {
	op := p.Node.Op()
	if !strings.HasSuffix(d.Message, suffixConstant) || op != wasm.OpI32Const && op != wasm.OpI64Const {
		return nil
	}
	fraction := false
	for t := range p.Node.Own() {
		fraction = fraction || t.Kind() == syntax.TokFloat
	}
	if !fraction {
		return nil
	}
	var out []diag.Fix
	for _, w := range []string{"f64.const", "f32.const"} {
		out = append(
			out,
			diag.Fix{Title: "Change to " + w, Edits: []source.Edit{{Span: p.Node.Keyword().Span(), New: w}}},
		)
	}
	return out
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

// The operands of an operator that infix rewrites: a local or constant before it, with nothing
// folded in it, and one or a number after.
var (
	infixLeft  = regexp.MustCompile(`(\(?)(?:local\.get \$?[\w.-]+|[if](?:32|64)\.const [\w.+-]+)$`)
	infixRight = regexp.MustCompile(`^(?:(local\.get \$?[\w.-]+|[if](?:32|64)\.const [\w.+-]+)|(\$[\w.-]+)|(-?\d+))`)
)

// infix writes `local.get $a + 1` as the format has it, where both operands are plain.
func infix(p query.Place, d *diag.Diagnostic) []diag.Fix {
	if !strings.Contains(d.Message, messageInfix) {
		return nil
	}
	sp := d.Span
	text := p.Snap.File().Text
	op := syntax.InfixOp(text[sp.Start:sp.End])
	line := strings.LastIndexAny(text[:sp.Start], "\n\r") + 1
	before := strings.TrimRight(text[line:sp.Start], " \t")
	after := strings.TrimLeft(text[sp.End:], " \t")
	l, r := infixLeft.FindStringSubmatchIndex(before), infixRight.FindStringSubmatch(after)
	fn, ok := p.Module.FuncAt(sp.Start)
	if op == "" || l == nil || r == nil || !ok {
		return nil
	}
	rest := strings.TrimLeft(after[len(r[0]):], " \t")
	folded := l[3] > l[2]
	if rest == "" || rest[0] != ')' && (folded || rest[0] != '\n' && rest[0] != '\r') {
		return nil // another operand, or operator, follows
	}
	left := before[l[3]:]
	ty, _, isConst := strings.Cut(left, ".const ")
	if b := p.Module.Body(fn); !isConst && b != nil {
		ty = ""
		if i := b.At(line + l[3]); i >= 0 && b.Instrs[i].Op == wasm.OpLocalGet && !b.Unreachable(i) {
			if ts := b.StackAfter(i); len(ts) > 0 {
				ty = strings.TrimSuffix(constOp(ts[len(ts)-1]), ".const")
			}
		}
	}
	if ty == "" {
		return nil
	}
	right := r[1]
	switch {
	case r[2] != "":
		right = "local.get " + r[2]
	case r[3] != "":
		right = ty + ".const " + r[3]
	}
	if ty[0] == 'f' {
		if op == "rem_s" || op == "and" || op == "or" || op == "xor" || strings.HasPrefix(op, "sh") {
			return nil
		}
		op = strings.TrimSuffix(op, "_s")
	}
	end := sp.End + strings.Index(text[sp.End:], r[0]) + len(r[0])
	at := source.Span{Start: line + l[3], End: end}
	out := left + " " + right + " " + ty + "." + op
	if folded {
		out = ty + "." + op + " (" + left + ") (" + right + ")"
	}
	return []diag.Fix{
		{Title: "Convert to " + ty + "." + op, Preferred: true, Edits: []source.Edit{{Span: at, New: out}}},
	}
}
