package ide_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/ide"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// shown writes a signature with its active parameter between angle brackets.
func shown(x ide.SignatureInfo) string {
	if x.Active < 0 || x.Active >= len(x.Params) {
		return x.Label
	}
	p := x.Params[x.Active]
	return x.Label[:p.Start] + "‹" + x.Label[p.Start:p.End] + "›" + x.Label[p.End:]
}

// TestSignatureOfEveryInstruction asks for the signature before each operand of each instruction of
// each design, and in each part of each clause; goldens have the answers. The active parameter is
// the operand, or part, that the cursor stands before.
func TestSignatureOfEveryInstruction(t *testing.T) {
	for _, d := range wasm.Dialects() {
		s := everyProgram(t, d)
		var got strings.Builder
		seen, said := map[string]bool{}, map[string]bool{}
		show := func(what string, off int, wantActive int) {
			x, ok := ide.Signature(s, off)
			line, col := s.File().LineCol(off)
			if !ok {
				t.Errorf("%s:%d:%d: no signature of %s", s.File().Name, line, col, what)
				return
			}
			if x.Active != wantActive {
				t.Errorf("%s:%d:%d: %s is at part %d, want %d", s.File().Name, line, col, shown(x), x.Active, wantActive)
			}
			if text := shown(x) + "\n"; !said[text] {
				said[text] = true
				got.WriteString(text)
			}
		}
		everyPlace(s, d, func(what string, n syntax.N, at source.Span) {
			seen[what] = true
			if n.Kind() == syntax.KOn || n.Kind() == syntax.KClause {
				k := 0
				for tok := range n.Own() {
					if tok.Kind() == syntax.TokID {
						show(what, tok.Span().Start, k)
						k++
					}
				}
				return
			}
			if n.Kind() == syntax.KBlock || n.Kind() == syntax.KEvent {
				show(what, at.End+1, min(1, strings.Count(what, "event")))
				return
			}
			ops := ide.OperandNodes(n)
			x, _ := ide.Signature(s, at.End+1)
			if len(ops) == 0 && len(x.Params) == 0 {
				show(what, at.End+1, -1)
			}
			for k, o := range ops {
				show(what, o.Span().Start, len(x.Params)-len(ops)+k)
			}
		})
		checkEvery(t, d, "signature", seen, got.String())
	}
}

// TestSignatureTyped types each instruction of each design character by character, with the
// parentheses closed as an editor does: there is a signature from the space after the mnemonic on,
// until the parenthesis of the instruction is closed.
func TestSignatureTyped(t *testing.T) {
	for _, d := range wasm.Dialects() {
		s := everyProgram(t, d)
		text := s.File().Text
		everyPlace(s, d, func(what string, n syntax.N, at source.Span) {
			b, _ := bodyAt(s, at.Start)
			if n.Kind() != syntax.KInstr || b == nil {
				return
			}
			imms := wasm.Lookup(what)[0].Info().Imms
			if len(ide.OperandNodes(n)) == 0 && !slices.Contains(imms, wasm.ImmClauses) {
				return
			}
			sp := n.Span()
			for off := at.End + 1; off < sp.End; off++ {
				typed := text[sp.Start:off]
				open := strings.Count(typed, "(") - strings.Count(typed, ")")
				half := s.EditAll([]source.Edit{{Span: source.Span{Start: off, End: sp.End}, New: strings.Repeat(")", open)}})
				x, ok := ide.Signature(half, off)
				if !ok {
					t.Errorf("%s: no signature after %q", d, typed)
					return
				}
				if x.Active >= len(x.Params) {
					t.Errorf("%s: after %q part %d of %d is active", d, typed, x.Active, len(x.Params))
				}
			}
		})
	}
}

// TestSignatureWithoutImmediates asks at each mnemonic of each design with nothing after it: the
// general form is the answer.
func TestSignatureWithoutImmediates(t *testing.T) {
	for op := wasm.Op(1); op < wasm.NumOps; op++ {
		in := op.Info()
		if in.Dialect == wasm.DialectNone {
			continue
		}
		for _, form := range []string{"(%s )", "%s "} {
			if op == wasm.OpEvent && form[0] != '(' {
				continue
			}
			head := fmt.Sprintf("(module (@stack-switching %q) (func ", in.Dialect)
			text := head + fmt.Sprintf(form, op) + "))"
			off := len(head) + strings.Index(fmt.Sprintf(form, op), op.String()) + len(op.String()) + 1
			s := analysis.Open(source.NewFile("a.wat", text), analysis.Options{})
			x, ok := ide.Signature(s, off)
			if !ok || !strings.HasPrefix(x.Label, op.String()) {
				t.Errorf("%s: %q has the signature %q", in.Dialect, text[:off], x.Label)
			}
		}
	}
}
