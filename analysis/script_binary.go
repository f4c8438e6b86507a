package analysis

import (
	"errors"
	"fmt"

	"stackscope/analysis/diag"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
	"stackscope/wasm/binary"
	"stackscope/wasm/valid"
)

// binaryDiagnostics adds what a script's binary modules say: the whole module is the place.
func (s *Snapshot) binaryDiagnostics(out []diag.Diagnostic) []diag.Diagnostic {
	for _, r := range s.binaries {
		word, expect := "", ""
		root := s.tree.Root(r.First)
		if root.Kind() == syntax.KCommand {
			word, expect = root.Keyword().Text(), lastString(root)
		}
		ds := s.binaryErrors(r.Module, s.opts.Asserted(word, expect))
		if mustFail(word) {
			if d, bad := s.expectError(ds, word, expect, root.Keyword().Span()); bad {
				out = append(out, d)
			}
			continue
		}
		for _, d := range ds {
			if d.Severity = s.severity(d.Code); d.Severity != diag.Off {
				out = append(out, d)
			}
		}
	}
	return out
}

// binaryErrors returns the errors of a (module binary …): of its bytes, else of what they say.
func (s *Snapshot) binaryErrors(mod syntax.N, o Options) []diag.Diagnostic {
	var b []byte
	for t := range mod.Own() {
		if t.Kind() != syntax.TokString {
			continue
		}
		x, err := syntax.DecodeString(t.Text())
		if err != nil {
			return nil // the parser has said it
		}
		b = append(b, x...)
	}
	m, err := binary.Decode(b)
	if err != nil {
		msg := err.Error()
		var be *binary.Error
		if errors.As(err, &be) {
			msg = fmt.Sprintf("%s (byte %#x of the binary module)", be.Msg, be.Off)
		}
		return []diag.Diagnostic{{Code: diag.Binary, Severity: diag.Error, Span: mod.Span(), Message: msg}}
	}
	if o.Dialect == wasm.DialectOff {
		m.Dialect = o.Dialect
	}
	var out []diag.Diagnostic
	valid.New(m).Module(func(e valid.Error) {
		out = append(
			out,
			diag.Diagnostic{
				Code: diag.Code(e.Code), Severity: diag.Error, Span: mod.Span(),
				Message: e.Msg + " (in the binary module)",
			},
		)
	})
	return out
}
