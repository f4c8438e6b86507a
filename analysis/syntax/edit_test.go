package syntax

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stackscope/analysis/source"
)

// diffTrees reports where two trees differ, or "".
func diffTrees(a, b *Tree) string {
	if a.Src.Text != b.Src.Text {
		return "the texts differ"
	}
	for i := range max(len(a.Units), len(b.Units)) {
		if i >= len(a.Units) || i >= len(b.Units) {
			return fmt.Sprintf("%d units, want %d", len(a.Units), len(b.Units))
		}
		x, y := a.Units[i], b.Units[i]
		switch {
		case x.Off != y.Off || x.Kind != y.Kind || x.Len != y.Len || x.entry != y.entry:
			return fmt.Sprintf(
				"unit %d: %d+%d kind %d %v, want %d+%d kind %d %v", i, x.Off, x.Len, x.Kind, x.entry, y.Off,
				y.Len, y.Kind, y.entry,
			)
		case !slices.Equal(x.Tokens, y.Tokens):
			return fmt.Sprintf("unit %d: tokens %v, want %v", i, x.Tokens, y.Tokens)
		case !slices.Equal(x.Nodes, y.Nodes):
			return fmt.Sprintf("unit %d: nodes %v, want %v", i, x.Nodes, y.Nodes)
		case !slices.Equal(x.Errors, y.Errors):
			return fmt.Sprintf("unit %d: errors %v, want %v", i, x.Errors, y.Errors)
		}
	}
	return ""
}

// pieces are what random edits insert.
var pieces = []string{
	"(", ")", "\"", "(;", ";)", ";;", "\n", " ", "$x", "1", "(func ", "(module ", "end", "block ", "(@a ", "(@",
	"\n(func (nop))\n", "\n)", "(type $t (func))", "\n(assert_return (invoke \"f\"))",
	"(assert_invalid (module ", "\\", "a", "é", "\xff", "$", "$\"a\"", "i32.add", "if", "else", "(then",
	"(param i32)", "(;(;", "))", "\n(import \"a\" \"b\" (func))", "\n(@x ",
}

func randomEdit(r *rand.Rand, text string) source.Edit {
	s := r.IntN(len(text) + 1)
	n := 0
	if r.IntN(3) > 0 {
		n = min(r.IntN(4), len(text)-s)
	}
	if r.IntN(10) == 0 {
		n = min(r.IntN(60), len(text)-s)
	}
	e := source.Edit{Span: source.Span{Start: s, End: s + n}}
	if r.IntN(4) > 0 {
		e.New = pieces[r.IntN(len(pieces))]
	}
	return e
}

var editSeeds = []string{
	"", "(module)", "(module $m\n  (func $f (param i32) (result i32)\n    (i32.add (local.get 0) (i32.const 1)))\n  (func $g\n    block $l\n      br $l\n    end $l)\n  (data \"abc\")\n)\n",
	"(func)\n(func (export \"f\"))\n;; c\n(memory 1)",
	"(module (func))\n(assert_return (invoke \"f\" (i32.const 1)) (i32.const 2))\n(assert_invalid (module (func (nop))) \"type\")\n(module quote \"(func)\")\n(register \"x\" $m)\n(module definition $d (func))",
	"(module (@custom \"x\" (a b)) (@name \"n\") (func (@x) nop (@y)) (; c (; d ;) ;) (rec (type (func)) (type (struct (field i32)))))",
	"(module (func $a (if (i32.const 1) (then (nop)) (else (nop)))) (func $b (try_table (catch 0 0) (nop))) (elem (i32.const 0) $a $b) (data (i32.const 0) \"a\\n\\00\"))",
}

func checkEdit(t testing.TB, tr *Tree, e source.Edit) *Tree {
	t.Helper()
	got := tr.Edit(e)
	checkTree(t, got)
	want := Parse(source.NewFile(tr.Src.Name, got.Src.Text))
	if d := diffTrees(got, want); d != "" {
		t.Fatalf("%q\nedit [%d,%d) %q: %s", tr.Src.Text, e.Start, e.End, e.New, d)
	}
	return got
}

func TestEditEqualsFresh(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range editSeeds {
		for range 300 {
			tr := Parse(source.NewFile("f", s))
			for range 12 {
				tr = checkEdit(t, tr, randomEdit(r, tr.Src.Text))
			}
		}
	}
}

func TestEditSuite(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, text := range texts(t) {
		if len(text) > 60_000 {
			continue
		}
		tr := Parse(source.NewFile(name, text))
		for range 15 {
			tr = checkEdit(t, tr, randomEdit(r, tr.Src.Text))
		}
	}
}

// TestEditSharesUnits checks that an edit in a function makes that one unit again.
func TestEditSharesUnits(t *testing.T) {
	var b strings.Builder
	b.WriteString("(module\n")
	for i := range 100 {
		fmt.Fprintf(&b, "  (func $f%d (result i32)\n    (i32.add (i32.const %d) (i32.const 2)))\n", i, i)
	}
	b.WriteString(")\n")
	tr := Parse(source.NewFile("f", b.String()))
	for _, i := range []int{0, 50, 99} {
		at := strings.Index(b.String(), fmt.Sprintf("$f%d ", i)) + len("$f0 (result i32)\n    (i32.add (i32.")
		for _, ins := range []string{"x", " ", "(nop)", "\n"} {
			got := checkEdit(t, tr, source.Edit{Span: source.Span{Start: at, End: at}, New: ins})
			fresh := 0
			for j := range got.Units {
				if got.Units[j].Unit != tr.Units[j].Unit {
					fresh++
				}
			}
			if fresh != 1 || len(got.Units) != len(tr.Units) {
				t.Errorf("insertion of %q into $f%d made %d units again", ins, i, fresh)
			}
		}
	}
}

func FuzzLossless(f *testing.F) {
	for _, s := range editSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tr := Parse(source.NewFile("f", text))
		checkTree(t, tr)
		tr.Errors()
		tr.Modules()
		tr.Commands()
		for off := range len(text) + 1 {
			if n, k := tr.At(off); !k.IsZero() && !n.IsZero() {
				n.Parent()
			}
		}
	})
}

func FuzzEdit(f *testing.F) {
	for i, s := range editSeeds {
		f.Add(s, 5*i, 5*i+2, pieces[i])
	}
	f.Fuzz(func(t *testing.T, text string, s, e int, repl string) {
		checkEdit(t, Parse(source.NewFile("f", text)), source.Edit{Span: source.Span{Start: s, End: e}, New: repl})
	})
}

// TestEditAllEqualsFresh makes several edits at once, among them edits of names alone.
func TestEditAllEqualsFresh(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	long := "(module\n" + strings.Repeat(
		"  (func $f (param $x i32) (block $l (br $l) (call $f (local.get $x))) block $k br $k end $k)\n", 30,
	) + ")"
	for _, s := range append([]string{long}, editSeeds...) {
		for range 300 {
			tr := Parse(source.NewFile("f", s))
			for range 4 {
				text := tr.Src.Text
				var es []source.Edit
				at := 0
				for range r.IntN(6) {
					if at > len(text) {
						break
					}
					e := randomEdit(r, text[at:])
					if k := strings.IndexByte(text[at+e.Start:], '$'); r.IntN(2) == 0 && k >= 0 {
						e.Start += k + 1
						e.End = min(e.Start+r.IntN(2), len(text)-at)
						e.New = []string{"", "y", "long-name", "\"q", "z)"}[r.IntN(5)]
					}
					e.Start, e.End = e.Start+at, e.End+at
					es = append(es, e)
					at = e.End + r.IntN(2)
				}
				next := tr.EditAll(es)
				checkTree(t, next)
				if d := diffTrees(next, Parse(source.NewFile("f", next.Src.Text))); d != "" {
					t.Fatalf("%q\nedits %v: %s", text, es, d)
				}
				tr = next
			}
		}
	}
}

// TestRenameSharesNodes checks that an edit of a name makes no node again.
func TestRenameSharesNodes(t *testing.T) {
	const text = "(module (func $callee) (func $f (call $callee) call $callee (block $l)))"
	tr := Parse(source.NewFile("f", text))
	var es []source.Edit
	for at := 0; ; {
		k := strings.Index(text[at:], "$callee")
		if k < 0 {
			break
		}
		at += k
		es = append(es, source.Edit{Span: source.Span{Start: at, End: at + len("$callee")}, New: "$x"})
		at++
	}
	got := tr.EditAll(es)
	if d := diffTrees(got, Parse(source.NewFile("f", got.Src.Text))); d != "" {
		t.Fatal(d)
	}
	for _, i := range []int{1, 2} {
		if &got.Units[i].Nodes[0] != &tr.Units[i].Nodes[0] {
			t.Errorf("unit %d was parsed", i)
		}
	}
	at := strings.Index(text, "$l")
	if next := tr.Edit(source.Edit{Span: source.Span{Start: at + 1, End: at + 2}, New: "m"}); &next.Units[2].Nodes[0] == &tr.Units[2].Nodes[0] {
		t.Error("a label was taken for a name that does not matter")
	}
}
