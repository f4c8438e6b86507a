package action

import (
	"strconv"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// tryTable writes a folded try of the first version of exception handling as try_table: a block for
// each clause, which the clause branches to with what the exception holds, and one around all. It
// says nothing where that would not be the same: a label by number, delegate, rethrow.
func tryTable(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	n := p.Up(syntax.KBlock)
	if n.IsZero() || n.Op() != wasm.OpTry || !n.Folded() {
		return nil
	}
	f := p.Snap.File()
	t := query.NewTypes(p.Module)
	used := p.Snap.File().Text[p.Field().Span().Start:p.Field().Span().End]
	fresh := func(base string) string {
		s := base
		for k := 2; strings.Contains(used, s); k++ {
			s = base + strconv.Itoa(k)
		}
		used += " " + s
		return s
	}
	type clause struct{ head, payload, label, body string }
	var clauses []clause
	body, header := "", ""
	inner := func(c syntax.N, from int) string {
		return strings.TrimSpace(f.Text[from : c.Span().End-1])
	}
	for c := range n.Children() {
		switch c.Kind() {
		case syntax.KResult:
			header += " " + c.Text()
		case syntax.KDo:
			body = inner(c, c.Keyword().Span().End)
		case syntax.KCatchBlock:
			x := clause{label: fresh("$catch")}
			from := c.Keyword().Span().End
			if x.head = c.Keyword().Text(); x.head == "catch" {
				tag, ok := syntax.Tok{}, false
				for k := range c.Own() {
					if k.Kind() == syntax.TokID || k.Kind() == syntax.TokNat {
						tag, ok = k, true
						break
					}
				}
				if !ok {
					return nil
				}
				r, known := p.Module.RefAt(tag.Span().Start)
				ft := t.TagType(r.Index)
				if !known || ft == nil {
					return nil
				}
				x.head += " " + tag.Text()
				x.payload = t.Sig(nil, ft.Params)
				from = tag.Span().End
			}
			x.body = inner(c, from)
			clauses = append(clauses, x)
		default:
			return nil // parameters, a type, delegate
		}
	}
	if len(clauses) == 0 || !movesFreely(p, n) {
		return nil
	}
	out := ""
	if id, ok := n.ID(); ok {
		out = id.Text()
	} else {
		out = fresh("$tried")
	}
	ind := indentOf(f, n.Span().Start)
	var b strings.Builder
	b.WriteString("(block " + out + header)
	depth := "  "
	for i := len(clauses) - 1; i >= 0; i-- {
		b.WriteString("\n" + ind + depth + "(block " + clauses[i].label + clauses[i].payload)
		depth += "  "
	}
	b.WriteString("\n" + ind + depth + "(try_table" + clauses[0].payload)
	for _, c := range clauses {
		b.WriteString(" (" + c.head + " " + c.label + ")")
	}
	line := "\n" + ind + depth + "  "
	if body != "" {
		b.WriteString(line + body)
	}
	b.WriteString(line + "(br " + out + "))")
	for i, c := range clauses {
		depth = depth[2:]
		line := "\n" + ind + depth
		b.WriteString(")")
		if c.body != "" {
			b.WriteString(line + c.body)
		}
		if i < len(clauses)-1 {
			b.WriteString(line + "(br " + out + ")")
		}
	}
	b.WriteString(")")
	return []diag.Fix{{Title: "Convert to try_table", Edits: []source.Edit{{Span: n.Span(), New: b.String()}}}}
}

// movesFreely reports whether the code in a node means the same inside of more blocks: it has no
// label by number, and no instruction that names the try it stands in; and no comment that would
// swallow what is put after it.
func movesFreely(p query.Place, n syntax.N) bool {
	if strings.Contains(n.Text(), ";;") {
		return false
	}
	var free func(n syntax.N) bool
	free = func(n syntax.N) bool {
		op := n.Op()
		if op == wasm.OpRethrow || op == wasm.OpDelegate {
			return false
		}
		labels := op == wasm.OpBrTable
		for _, imm := range op.Info().Imms {
			labels = labels || imm == wasm.ImmLabel
		}
		for k := range n.Own() {
			if labels && k.Kind() == syntax.TokNat {
				return false
			}
		}
		for c := range n.Children() {
			switch c.Kind() {
			case syntax.KCatch, syntax.KOn, syntax.KClause: // a tag or label by number
				for k := range c.Own() {
					if k.Kind() == syntax.TokNat {
						return false
					}
				}
			}
			if !free(c) {
				return false
			}
		}
		return true
	}
	return free(n)
}
