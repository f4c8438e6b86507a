package cli

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
)

// TestSnippetWindow shows random lines with random places: what stands above the carets is the text
// of the place, and no line is wider than asked for.
func TestSnippetWindow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	alphabet := []string{"a", "(", " ", "\t", "日", "é", "e\u0301", "😀", "\x01", "\u202e", "\xff", "\u200b", "ｗ"}
	for round := range 4000 {
		var b strings.Builder
		n := rng.IntN(40)
		if round%4 == 0 {
			n = rng.IntN(2000)
		}
		for range n {
			b.WriteString(alphabet[rng.IntN(len(alphabet))])
		}
		end := []string{"", "\n", "\r\n"}[rng.IntN(3)]
		text := "first\n" + b.String() + end
		f := source.NewFile("x.wat", text)
		ln := f.Line(1)
		from := ln.Start
		if ln.End > ln.Start {
			from += rng.IntN(ln.End - ln.Start + 1)
		}
		to := min(ln.End, from+rng.IntN(12))
		columns := 20 + rng.IntN(60)
		w := newWindow(f, 1, source.Span{Start: from, End: to}, columns)
		width := 0
		for _, r := range w.text {
			width += runeWidth(r)
			if r < ' ' || r == 0x7f || 0x202a <= r && r <= 0x202e {
				t.Fatalf("%q: shows %q", text, w.text)
			}
		}
		if width > columns {
			t.Fatalf("%q [%d,%d): %d columns of %d: %q", text, from, to, width, columns, w.text)
		}
		a, z, ok := w.columns(source.Span{Start: from, End: to})
		if !ok {
			t.Fatalf("%q [%d,%d): not shown in %q", text, from, to, w.text)
		}
		if z <= a {
			t.Fatalf("%q [%d,%d): columns %d to %d", text, from, to, a, z)
		}
		// The text of the place, shown at its column, is what stands above the carets.
		if to > from && to <= w.to && utf8.RuneStart(text[from]) && (to == len(text) || utf8.RuneStart(text[to])) {
			want := layout(text, from, to, a).text
			if got := cut(w.text, a, a+strWidth(want)); !strings.Contains(got, want) {
				t.Fatalf("%q [%d,%d): %q above the carets, want %q in %q", text, from, to, got, want, w.text)
			}
		}
	}
}

func strWidth(s string) (n int) {
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// cut returns the part of a text between two columns, with what has no width at its ends.
func cut(s string, from, to int) string {
	var b strings.Builder
	col := 0
	for _, r := range s {
		if col >= from && col+runeWidth(r) <= to {
			b.WriteRune(r)
		}
		col += runeWidth(r)
	}
	return b.String()
}

// TestSnippets shows a whole report.
func TestSnippets(t *testing.T) {
	text := "(module\r\n\t(func $f (param i32)\r\n\t\tlocal.get 0)\r\n  (; 日本 ;) (call $g))\r\n"
	f := source.NewFile("x.wat", text)
	at := func(s string) source.Span {
		i := strings.Index(text, s)
		return source.Span{Start: i, End: i + len(s)}
	}
	var out bytes.Buffer
	s := &Snippets{W: &out}
	s.Print(f, []diag.Diagnostic{
		{
			Code: "unknown-func", Severity: diag.Error, Span: at("$g"), Message: "unknown function $g",
			Fixes: []diag.Fix{{Title: "one"}, {Title: "two"}, {Title: "three"}, {Title: "four"}},
			Related: []diag.Related{{Span: at("$f"), Message: "like this one"},
				{File: "other.wat", Message: "exported there"}},
		},
		{
			Severity: diag.Warning, Span: at("local.get 0)\r\n  (;"), Message: "over\nlines",
			Related: []diag.Related{{Span: at("0)"), Message: "the index"}},
		},
		{Severity: diag.Hint, Span: source.Span{Start: len(text), End: len(text)}, Message: "at the end"},
	})
	const want = `error[unknown-func]: unknown function $g
 --> x.wat:4:18
  |
2 |     (func $f (param i32)
  |           -- like this one
...
4 |   (; 日本 ;) (call $g))
  |                    ^^
  |
  = note: other.wat: exported there
  = help: one
  = help: two
  = help: three
  = help: … 1 more

warning: over lines
 --> x.wat:3:3
  |
3 |         local.get 0)
  |         ^^^^^^^^^^^^
  |                   -- the index

hint: at the end
 --> x.wat:5:1
  |
5 | ` + `
  | ^

`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, c := range []struct {
		n    Count
		want string
	}{
		{Count{Errors: 2, Warnings: 1, Files: 3}, "2 errors, 1 warning in 3 files"},
		{Count{Others: 1, Files: 1, Checked: 4}, "1 hint in 1 file"},
		{Count{Checked: 2}, "no problems in 2 files"},
	} {
		if got := c.n.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
