package analysis

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"stackscope/analysis/source"
)

// declTexts are modules whose declarations the edits of TestEditDeclarations break and mend: names,
// exports and types that are there twice, or are there twice after an edit.
var declTexts = []string{
	`(module $m
  (type $t (func (param i32) (result i32)))
  (rec (type $a (sub (struct (field $x (mut i32))))) (type $b (sub $a (struct (field $x (mut i32)) (field $y f32)))))
  (import "env" "f" (func $imp (type $t)))
  (tag $e (export "e") (param i32))
  (memory $mem (export "mem") 1)
  (table $tab 2 funcref)
  (global $g (export "g") (mut i32) (i32.const 1))
  (func $f (export "f") (type $t) (local $x i32)
    (block (param i32 i64) (result i32 i32) unreachable) (local.set $x) (local.get $x))
  (func $h (export "h") (export "k") (param $p i64) (result i64)
    (call_indirect (param i64 i64) (result i64) (local.get $p) (local.get $p) (i32.const 0)))
  (export "e" (func $f))
  (export "z" (memory $mem))
  (elem $el declare func $f $h)
  (data $d (i32.const 0) "abc")
  (start $init)
  (func $init (call $f (i32.const 1)) drop)
  (func (export "last") (throw $e (i32.const 1))))
`,
	`(type $ft (func)) (type $ct (cont $ft))
(tag $yield (param i32))
(func $gen (export "gen") (suspend $yield (i32.const 1)))
(func $main (export "main") (local $k (ref null $ct))
  (local.set $k (cont.new $ct (ref.func $gen)))
  (block $on (result i32 (ref $ct))
    (resume $ct (on $yield $on) (local.get $k)) (return))
  (local.set $k) (drop))
(elem declare func $gen)
(export "gen" (func $main))
`,
	`(module $a (func $f (export "a")) (func $g (export "b")))
(module $b (func $f (export "a") (param i32)) (func $g (export "a")))
(assert_invalid (module (func (export "a")) (func (export "a"))) "duplicate export name")
(assert_return (invoke $a "a"))
`,
	`(module $m (@name "a module")
  (type $t (@name "type") (func (param $x (@name "ex") i32)))
  (type $s (struct (field $a (@name "b") i32) (field (@name "b") i64)))
  (@custom "x" (after type) "y")
  (import "env" "f" (func $imp (@name "f") (param (@name "p") i32)))
  (func $f (@name "f") (param $x (@name "y") i32) (local (@name "y") i32)
    (block $l (@name "m")
      (@metadata.code.branch_hint "\01") (br_if $l (local.get $x)))
    local.get 0 (@metadata.code.branch_hint "\00") if nop end)
  (@custom "z" (before code)))
`,
}

// declWords are what the edits put in, or in place of one another.
var declWords = []string{
	"(", ")", "))", "\"", "\"a\"", "\"e\"", "\"f\"", "\"h\"", "export", "(export \"e\")",
	"(export \"e\" (func 0))", "(export \"f\" (memory 0))", "func", "(func", "(func $f",
	"(func (export \"e\"))", "type", "(type $t", "(type $t (func))", "(type 0)", "$f", "$h", "$t", "$x", "$",
	"param", "(param i32)", "(param $x i32)", "(result i64)", "(local i32)", "import", "(import \"a\" \"b\")",
	"(import \"a\" \"b\" (func))", "module", "(module", "(module $a", "start", "(start 0)", "tag", "rec",
	"(rec", "memory", "global", "(;", ";)", ";;", "\n", " ", "(@a", "(@name \"n\")", "(@name",
	"(@custom \"c\" (after last) \"d\")", "(@metadata.code.branch_hint \"\\01\")",
	"(@metadata.code.branch_hint", "if", "br_if", "0", "1", "i32", "cont", "(cont $t)",
	"(block (param i32) (result f32 f32)", "(call_indirect (param f32))", "nop", "\r\n", "\r", "é", "\x00",
	"(param $", "(assert_invalid (module", "elem declare func 0", "\n(export \"e\")", "\n(func", "\n(type",
}

// declEdit returns an edit of a declaration: a word goes, comes, is doubled or becomes another one.
func declEdit(r *rand.Rand, text string) source.Edit {
	word := func(at int) (int, int) { // the word or paren around an offset
		a, b := at, at
		const delims = "() \n"
		for a > 0 && !strings.ContainsRune(delims, rune(text[a-1])) {
			a--
		}
		for b < len(text) && !strings.ContainsRune(delims, rune(text[b])) {
			b++
		}
		if a == b && b < len(text) {
			b++
		}
		return a, b
	}
	at := r.IntN(len(text) + 1)
	if r.IntN(2) == 0 { // near a declaration
		words := []string{"(export", "(func", "(type", "(import", "(module", "(param", ")"}
		w := words[r.IntN(len(words))]
		if i := strings.Index(text[at:], w); i >= 0 {
			at += i + r.IntN(len(w)+1)
		}
	}
	a, b := word(at)
	e := source.Edit{Span: source.Span{Start: a, End: b}}
	switch r.IntN(10) {
	case 8: // a stretch is copied here from elsewhere
		c := r.IntN(len(text) + 1)
		e.Start, e.End, e.New = at, at+r.IntN(min(3, len(text)-at)+1), text[c:min(len(text), c+r.IntN(90))]
	case 9: // a stretch goes
		e.Start, e.End = at, min(len(text), at+r.IntN(60))
	case 0: // a word goes
	case 1, 2: // becomes another
		e.New = declWords[r.IntN(len(declWords))]
	case 3, 4: // comes in front
		e.End = a
		e.New = declWords[r.IntN(len(declWords))] + []string{"", " "}[r.IntN(2)]
	case 5: // is doubled, or copied from elsewhere
		c, d := word(r.IntN(len(text) + 1))
		e.Start, e.End, e.New = b, b, " "+text[c:d]
	case 6: // one character goes
		e.Start, e.End = at, min(len(text), at+1)
	case 7: // one character comes
		e.Start, e.End, e.New = at, at, []string{"(", ")", "\"", "a", " ", "\n", "$", ";"}[r.IntN(8)]
	}
	return e
}

// undo returns the edit that takes an edit of a text back.
func undo(e source.Edit, text string) source.Edit {
	return source.Edit{Span: source.Span{Start: e.Start, End: e.Start + len(e.New)}, New: text[e.Start:e.End]}
}

// TestEditDeclarations breaks and mends declarations, and compares with a fresh snapshot. The
// number of sequences of edits is 60, or STACKSCOPE_EDITS; the first seed is 1, or STACKSCOPE_SEED.
func TestEditDeclarations(t *testing.T) {
	number := func(name string, n uint64) uint64 {
		if v, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil {
			return v
		}
		return n
	}
	texts := append(exampleTexts(t), declTexts...)
	from, runs := number("STACKSCOPE_SEED", 1), number("STACKSCOPE_EDITS", 60)
	for seed := from; seed < from+runs; seed++ {
		r := rand.New(rand.NewPCG(seed, 3))
		text := declTexts[r.IntN(len(declTexts))]
		if r.IntN(3) == 0 {
			text = texts[r.IntN(len(texts))]
		}
		s := Open(source.NewFile("f", text), Options{})
		var back []source.Edit
		for range 30 {
			before := s.File().Text
			e := declEdit(r, before)
			if len(back) > 0 && r.IntN(5) < 2 {
				e, back = back[len(back)-1], back[:len(back)-1]
			} else {
				back = append(back, undo(e, before))
			}
			s = s.Edit(e)
			if r.IntN(4) == 0 {
				continue // edits that nobody asks in between
			}
			if !same(t, s) {
				t.Fatalf("seed %d: after %+v of\n%s", seed, e, before)
			}
		}
	}
}

// TestEditMalformedDeclaration: what is wrong with a declaration is silent while its unit is
// malformed, though the declarations are the same before and after the body is broken and mended.
func TestEditMalformedDeclaration(t *testing.T) {
	const text = "(module (func (export \"e\") nop)\n(func (export \"e\") nop))"
	at := strings.LastIndex(text, "nop")
	s := Open(source.NewFile("f", text), Options{})
	for i, want := range []bool{true, false, true} {
		if !same(t, s) {
			t.Fatalf("after %d edits", i)
		}
		got := false
		for _, d := range s.Diagnostics() {
			got = got || d.Code == "duplicate-export"
		}
		if got != want {
			t.Errorf("after %d edits: duplicate export reported: %v", i, got)
		}
		e := source.Edit{Span: source.Span{Start: at, End: at}, New: "(i32.const 0 0xl "}
		if i == 1 {
			e = undo(e, text)
		}
		s = s.Edit(e)
	}
}
