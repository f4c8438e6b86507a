package action

import (
	"regexp"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

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
