package action

import (
	"strings"
	"testing"
)

// inTable reports whether the table of code actions has a title of a kind.
func inTable(kind, title string) bool {
	for _, a := range All() {
		if a.Kind == kind && fits(a.Title, title) {
			return true
		}
	}
	return false
}

// fits reports whether a title is made by a pattern, in which each … stands for some text.
func fits(pattern, title string) bool {
	first, rest, more := strings.Cut(pattern, "…")
	title, ok := strings.CutPrefix(title, first)
	if !ok || !more {
		return ok && title == ""
	}
	for i := 1; i <= len(title); i++ {
		if fits(rest, title[i:]) {
			return true
		}
	}
	return false
}

// TestActionsDocumented checks that the table of code actions reads as a reference: a sentence for
// each title.
func TestActionsDocumented(t *testing.T) {
	type key struct{ kind, title, doc string }
	seen := map[key]bool{}
	for _, a := range All() {
		if a.Title == "" || !strings.HasSuffix(a.Doc, ".") || strings.Contains(strings.TrimSuffix(a.Doc, "."), ". ") {
			t.Errorf("%s %q: %q is not a sentence", a.Kind, a.Title, a.Doc)
		}
		k := key{a.Kind, a.Title, a.Doc}
		if seen[k] && a.Codes == nil {
			t.Errorf("%s %q is there twice", a.Kind, a.Title)
		}
		seen[k] = true
	}
}
