package analysis

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/internal/testing/suite"
)

// TestSuiteBlame looks at the place of the error that each assert_invalid and assert_malformed of a
// text module expects: it lies within one field of the module, and without that field the module
// does not have the error. (A field that the error is not about can be taken out without an effect
// on it.)
func TestSuiteBlame(t *testing.T) {
	n := 0
	for _, f := range suite.Files(t) {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		tree := syntax.Parse(source.NewFile(f, string(text)))
		for _, r := range tree.Modules() {
			cmd := tree.Root(r.First)
			if r.Binary || cmd.Kind() != syntax.KCommand || !mustFail(cmd.Keyword().Text()) {
				continue
			}
			n++
			src, expect := moduleText(tree, r)
			line, _ := tree.Src.LineCol(cmd.Span().Start)
			if why := blame(src, expect, Options{}.Asserted(cmd.Keyword().Text(), expect)); why != "" {
				t.Errorf("%s:%d: %s\n%s", filepath.Base(f), line, why, src)
			}
		}
	}
	t.Logf("%d modules", n)
	if n < 1500 {
		t.Error("too few modules")
	}
}

// moduleText returns the text of a module in an assertion, and the message that is expected.
func moduleText(tree *syntax.Tree, r syntax.ModuleRange) (src, expect string) {
	if r.Quote {
		var b strings.Builder
		for t := range r.Module.Own() {
			if t.Kind() == syntax.TokString {
				x, _ := syntax.DecodeString(t.Text())
				b.Write(x)
				b.WriteByte(' ')
			}
		}
		return b.String(), lastString(tree.Root(r.First))
	}
	depth, from, to := 0, r.Module.Span().Start, 0
	for i := r.First; i < r.End; i++ {
		u := &tree.Units[i]
		for _, k := range u.Tokens {
			off := u.Off + int(k.Off)
			if off < from || to > 0 {
				continue
			}
			switch k.Kind {
			case syntax.TokLParen, syntax.TokAnnot:
				depth++
			case syntax.TokRParen:
				if depth--; depth == 0 {
					to = off + 1
				}
			}
		}
	}
	return tree.Src.Text[from:to], lastString(r.Close)
}

// blame reports what is wrong with the place of the expected error of a module; "" if nothing is.
func blame(src, expect string, o Options) string {
	s := Open(source.NewFile("blame.wat", src), o)
	d, ok := expected(s, expect)
	if !ok {
		return "there is no error " + expect
	}
	fields := s.Tree().Modules()[0].Fields()
	in := -1
	for i, f := range fields {
		if sp := f.Span(); sp.Start <= d.Span.Start && d.Span.End <= sp.End {
			in = i
		}
	}
	at := fmt.Sprintf("%q is at [%d,%d)", d.Message, d.Span.Start, d.Span.End)
	if in < 0 {
		if len(fields) == 0 { // none could be understood as such
			return ""
		}
		return at + ", in no field"
	}
	sp := fields[in].Span()
	rest := Open(source.NewFile("blame.wat", src[:sp.Start]+strings.Repeat(" ", sp.End-sp.Start)+src[sp.End:]), o)
	for _, x := range rest.Diagnostics() {
		if x.Severity == diag.Error && x.Message == d.Message {
			return at + ", in field " + fmt.Sprint(in) + ", but without that field it is still there"
		}
	}
	return ""
}

// expected returns the first error whose message begins with what is expected.
func expected(s *Snapshot, expect string) (diag.Diagnostic, bool) {
	for _, d := range s.Diagnostics() {
		if d.Severity == diag.Error && strings.HasPrefix(d.Message, expect) {
			return d, true
		}
	}
	return diag.Diagnostic{}, false
}
