package analysis

import (
	"slices"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// mustFail reports whether a module stands in an assertion that it is wrong.
func mustFail(word string) bool {
	switch word {
	case "assert_invalid", "assert_malformed", "assert_invalid_custom", "assert_malformed_custom":
		return true
	}
	return false
}

// liftedRules has the messages of those rules of WebAssembly 3.0 that stack switching lifts. An
// assertion of one speaks of WebAssembly 3.0 alone. The official suite has one: tag.wast asserts
// that tags have no results.
var liftedRules = []string{"non-empty tag result type"}

// Asserted returns the options for a module in an assertion, of which word is the keyword and
// expect the message. word is "" if the module is in none.
func (o Options) Asserted(word, expect string) Options {
	if o.Dialect == wasm.DialectNone && word == "assert_invalid" && slices.Contains(liftedRules, expect) {
		o.Dialect = wasm.DialectOff
	}
	return o
}

// scriptDiagnostics adds what a script's quoted modules say.
func (s *Snapshot) scriptDiagnostics(out []diag.Diagnostic) []diag.Diagnostic {
	for _, q := range s.quotes {
		word, expect := "", ""
		root := s.tree.Root(q.First)
		if root.Kind() == syntax.KCommand {
			word, expect = root.Keyword().Text(), lastString(root)
		}
		ds := s.quoted(q.Module, s.opts.Asserted(word, expect)).Diagnostics()
		if mustFail(word) {
			if d, bad := s.expectError(ds, word, expect, root.Keyword().Span()); bad {
				out = append(out, d)
			}
			continue
		}
		at := q.Module.Span()
		for _, d := range ds {
			d.Span, d.Related, d.Fixes = at, nil, nil
			d.Message += " (in the quoted module)"
			out = append(out, d)
		}
	}
	return out
}

// quoted analyses the text that a (module quote …) holds.
func (s *Snapshot) quoted(mod syntax.N, o Options) *Snapshot {
	var b strings.Builder
	for t := range mod.Own() {
		if t.Kind() == syntax.TokString {
			x, _ := syntax.DecodeString(t.Text())
			b.Write(x)
			b.WriteByte(' ')
		}
	}
	return Open(source.NewFile(s.File().Name, b.String()), o)
}

// expectError looks among a module's diagnostics for the error that its assertion expects: one
// whose message begins with the expected words, as in the specification's interpreter. Without one
// it returns the diagnostic that says so. Other words are only a hint: every engine has its own.
func (s *Snapshot) expectError(ds []diag.Diagnostic, word, expect string, at source.Span) (diag.Diagnostic, bool) {
	var first *diag.Diagnostic
	for i := range ds {
		d := &ds[i]
		if d.Severity != diag.Error {
			continue
		}
		if strings.HasPrefix(d.Message, expect) {
			return diag.Diagnostic{}, false
		}
		if first == nil {
			first = d
		}
	}
	d := diag.Diagnostic{Code: diag.ScriptAssert, Span: at}
	switch {
	case first == nil:
		d.Message = "the module should be rejected (" + expect + "), but nothing is wrong with it"
	case strings.HasPrefix(word, "assert_invalid") && diag.IsMalformed(first.Code):
		d.Message = "the module should be invalid (" + expect + "), but it is malformed: " + first.Message
	default:
		d.Code = diag.ScriptWords
		d.Message = "the module is rejected with another message: expected \"" + expect + "\", reported \"" + first.Message + "\""
	}
	d.Severity = s.severity(d.Code)
	if d.Severity == diag.Hint {
		s.hints++
	}
	return d, d.Severity != diag.Off && (d.Severity != diag.Hint || s.hints <= maxHints)
}
