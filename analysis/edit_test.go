package analysis

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"stackscope/analysis/source"
	"stackscope/internal/testing/genwat"
)

// exampleTexts returns texts to edit: the examples, a generated module, a script.
func exampleTexts(t testing.TB) []string {
	var out []string
	files, _ := filepath.Glob("../testdata/examples/*/*.wa[ts]*")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(b))
	}
	return append(
		out,
		genwat.Text(genwat.Options{Bytes: 6000, Seed: 7, Stacks: true}),
		genwat.Text(genwat.Options{Bytes: 6000, Seed: 8}),
		"(module (func $f (block (param i32 i32) (result i32 i32) (i32.const 1))) (func $g (param i64 i64) (call_indirect (param f32))))\n"+
			"(assert_invalid (module (func $h (result i32) (block (result f32 f32) nop))) \"type mismatch\")\n(module (func (call $x)) (func $x))",
	)
}

// typed is what people type.
var typed = []string{
	"(", ")", "\n", " ", "1", "$x", "i32.add", "(param i32)", "(result i32 i64)", "(local $q i32)", "block",
	"end", "\"", ";;", "(;", "drop", "(block (param i64) (result f32 f64) unreachable)",
	"(call_indirect (param v128))", "$yield", "x", "(export \"e\")", "(type $t0 (func (param f64)))",
	"cont.new 0", "switch 1", "(@deprecated \"no\")", "call $f", "global.get $g", "global.set $g",
	"(suspend $yield)", "(func $new (call $f))", "mut", "br 0", "return",
}

func randomEdit(r *rand.Rand, text string) source.Edit {
	at := r.IntN(len(text) + 1)
	e := source.Edit{Span: source.Span{Start: at, End: at}}
	switch r.IntN(3) {
	case 0:
		e.New = typed[r.IntN(len(typed))]
	case 1:
		e.End = min(len(text), at+1+r.IntN(12))
	default:
		e.End = min(len(text), at+1+r.IntN(3))
		e.New = typed[r.IntN(len(typed))]
	}
	return e
}

// same compares a snapshot that edits made with a fresh one of the same text.
func same(t *testing.T, s *Snapshot) bool {
	fresh := Open(source.NewFile(s.File().Name, s.File().Text), s.opts)
	ok := true
	if g, w := s.Diagnostics(), fresh.Diagnostics(); !reflect.DeepEqual(g, w) {
		ok = false
		for i := 0; i < max(len(g), len(w)); i++ {
			if i >= len(g) || i >= len(w) || !reflect.DeepEqual(g[i], w[i]) {
				if i < len(g) {
					t.Errorf("edited: %+v", g[i])
				}
				if i < len(w) {
					t.Errorf("fresh:  %+v", w[i])
				}
				break
			}
		}
	}
	if len(s.mods) != len(fresh.mods) {
		t.Errorf("%d modules, want %d", len(s.mods), len(fresh.mods))
		return false
	}
	for i := range s.mods {
		g, gok := s.mods[i].Lower()
		w, wok := fresh.mods[i].Lower()
		if gok != wok {
			t.Errorf("module %d: ok %v, want %v", i, gok, wok)
			ok = false
		}
		if !reflect.DeepEqual(g, w) {
			t.Errorf("module %d lowers differently", i)
			gv, wv := reflect.ValueOf(*g), reflect.ValueOf(*w)
			for k := range gv.NumField() {
				if !reflect.DeepEqual(gv.Field(k).Interface(), wv.Field(k).Interface()) {
					g, w := gv.Field(k), wv.Field(k)
					for g.Kind() == reflect.Slice && g.Len() > 0 && w.Len() == g.Len() {
						j := 0
						for j < g.Len()-1 && reflect.DeepEqual(g.Index(j).Interface(), w.Index(j).Interface()) {
							j++
						}
						g, w = g.Index(j), w.Index(j)
					}
					t.Errorf("%s: %+v\nwant %+v", gv.Type().Field(k).Name, g.Interface(), w.Interface())
				}
			}
			ok = false
		}
	}
	return ok
}

// TestEditEqualsOpen makes random edits, one upon the other, and compares with a fresh snapshot.
func TestEditEqualsOpen(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, text := range exampleTexts(t) {
		s := Open(source.NewFile("f", text), Options{})
		for range 40 {
			if r.IntN(8) == 0 { // start over, or the text is soon nonsense
				s = Open(source.NewFile("f", text), Options{})
			}
			e := randomEdit(r, s.File().Text)
			before := s.File().Text
			s = s.Edit(e)
			if !same(t, s) {
				t.Fatalf("after %+v of\n%s", e, before)
			}
		}
	}
}

// TestEditDeprecates: an annotation that is typed in the body of a function, or changed or removed
// there, reaches all uses of the function.
func TestEditDeprecates(t *testing.T) {
	const head = "(module (elem declare func $f) (start $f) (func $f (local i32) nop"
	s := Open(source.NewFile("f", head+"))"), Options{})
	at := len(head)
	for _, e := range []source.Edit{
		{Span: source.Span{Start: at, End: at}, New: ` (@deprecated "no") nop`},
		{Span: source.Span{Start: at + 15, End: at + 17}, New: `never`},
		{Span: source.Span{Start: at, End: at + 21}},
	} {
		if s = s.Edit(e); !same(t, s) {
			t.Fatalf("after %+v: %s", e, s.File().Text)
		}
	}
}
