package lsp

import (
	"strings"
	"testing"
)

// TestReferenceComplete checks that each setting, request, field and command has a name, a type and
// a sentence.
func TestReferenceComplete(t *testing.T) {
	sentence := func(what, doc string) {
		if !strings.HasSuffix(doc, ".") {
			t.Errorf("%s: %q is no sentence", what, doc)
		}
	}
	seen := map[string]bool{}
	name := func(s string) {
		if s == "" || strings.HasSuffix(s, ".") || seen[s] {
			t.Errorf("name %q", s)
		}
		seen[s] = true
	}
	for _, s := range Settings() {
		name(s.Name)
		sentence(s.Name, s.Doc)
	}
	for _, r := range Requests() {
		name(r.Method)
		sentence(r.Method, r.Doc)
		for _, f := range append(r.Params, r.Result...) {
			name(r.Method + " " + f.Name)
			sentence(r.Method+" "+f.Name, f.Doc)
		}
	}
	for _, c := range Commands() {
		name(c.Name)
		sentence(c.Name, c.Doc)
	}
}
