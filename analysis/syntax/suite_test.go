package syntax

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/analysis/source"
	"stackscope/internal/testing/suite"
)

// texts returns the texts of the official test suite, by name.
func texts(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, path := range suite.Files(t) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(path)] = string(b)
	}
	return out
}

// checkTree checks what holds of every tree.
func checkTree(t testing.TB, tr *Tree) {
	t.Helper()
	at := 0
	for i := range tr.Units {
		u := &tr.Units[i]
		if u.Off != at {
			t.Fatalf("unit %d begins at %d, want %d", i, u.Off, at)
		}
		at += int(u.Len)
		end := uint32(0)
		for j, k := range u.Tokens {
			if k.Off < end || k.Len == 0 {
				t.Fatalf("unit %d token %d: %+v after %d", i, j, k, end)
			}
			end = k.Off + k.Len
		}
		if end > u.Len || u.Kind != UnitEnd && end != u.Len {
			t.Fatalf("unit %d: tokens end at %d, unit at %d", i, end, u.Len)
		}
		if u.Kind == UnitEnd != (i == len(tr.Units)-1) {
			t.Fatalf("unit %d of %d has kind %d", i, len(tr.Units), u.Kind)
		}
		checkNodes(t, i, u.Unit)
	}
	if at != len(tr.Src.Text) {
		t.Fatalf("units end at %d, text at %d", at, len(tr.Src.Text))
	}
}

func checkNodes(t testing.TB, i int, u *Unit) {
	t.Helper()
	if len(u.Tokens) == 0 {
		if len(u.Nodes) != 0 {
			t.Fatalf("unit %d has nodes and no tokens", i)
		}
		return
	}
	if len(u.Nodes) == 0 || u.Nodes[0].Tok != 0 || int(u.Nodes[0].TokEnd) != len(u.Tokens) ||
		int(u.Nodes[0].Next) != len(u.Nodes) {
		t.Fatalf(
			"unit %d: the root does not cover it: %+v of %d tokens, %d nodes", i,
			u.Nodes[:min(1, len(u.Nodes))], len(u.Tokens), len(u.Nodes),
		)
	}
	var stack []int
	end := make([]uint32, len(u.Nodes)) // token at which the last child of a node ends
	for j := range u.Nodes {
		d := &u.Nodes[j]
		for len(stack) > 0 && int(u.Nodes[stack[len(stack)-1]].Next) <= j {
			stack = stack[:len(stack)-1]
		}
		if d.TokEnd <= d.Tok || int(d.Next) <= j {
			t.Fatalf("unit %d node %d: %+v", i, j, d)
		}
		if len(stack) > 0 {
			s := stack[len(stack)-1]
			up := &u.Nodes[s]
			if d.Tok < max(up.Tok, end[s]) || d.TokEnd > up.TokEnd || d.Next > up.Next {
				t.Fatalf("unit %d node %d %+v does not fit into %d %+v", i, j, d, s, up)
			}
			end[s] = d.TokEnd
		}
		stack = append(stack, j)
	}
}

func TestSuiteParses(t *testing.T) {
	bad := 0
	for name, text := range texts(t) {
		f := source.NewFile(name, text)
		tr := Parse(f)
		checkTree(t, tr)
		for _, e := range tr.Errors() {
			l, c := f.LineCol(e.Span.Start)
			if bad++; bad < 40 {
				t.Errorf("%s:%d:%d: %s", name, l, c, e.Message)
			}
		}
	}
}

// TestSuiteQuoted checks the modules in quotes: those that are well formed give no error, of those
// that are not this prints which are left to package analysis.
func TestSuiteQuoted(t *testing.T) {
	left, found := 0, 0
	for name, text := range texts(t) {
		f := source.NewFile(name, text)
		tr := Parse(f)
		for _, c := range tr.Commands() {
			m := c
			malformed := false
			want := ""
			if c.Kind() == KCommand {
				if m = c.First(KModule); m.IsZero() {
					continue
				}
				malformed = c.Keyword().Text() == "assert_malformed"
				for k := range c.Own() {
					if k.Kind() == TokString {
						want = k.Name()
					}
				}
			}
			quote := false
			var b strings.Builder
			for k := range m.Own() {
				quote = quote || k.Text() == "quote"
				if k.Kind() == TokString {
					b.Write(k.Bytes())
					b.WriteByte(' ')
				}
			}
			if !quote {
				continue
			}
			q := Parse(source.NewFile("quote", b.String()))
			checkTree(t, q)
			l, _ := f.LineCol(c.Span().Start)
			switch {
			case !malformed && q.HasErrors():
				t.Errorf("%s:%d: %s\n%s", name, l, q.Errors()[0].Message, b.String())
			case !malformed:
			case !q.HasErrors():
				left++
				for _, lexical := range []string{"malformed UTF-8", "illegal character", "unclosed", "empty", "mismatching label"} {
					if strings.HasPrefix(want, lexical) {
						t.Errorf("%s:%d: no error, want %q\n%s", name, l, want, b.String())
					}
				}
				if testing.Verbose() {
					t.Logf("left: %s:%d: %s: %s", name, l, want, b.String())
				}
			default:
				found++
				if got := q.Errors()[0].Message; !strings.HasPrefix(got, want) {
					t.Errorf("%s:%d: error %q, want %q\n%s", name, l, got, want, b.String())
				}
				if n := len(q.Errors()); n > 1 && testing.Verbose() {
					t.Logf("%s:%d: %d errors %v: %s", name, l, n, q.Errors(), b.String())
				}
			}
		}
	}
	t.Logf("malformed modules: %d found, %d left to analysis", found, left)
}
