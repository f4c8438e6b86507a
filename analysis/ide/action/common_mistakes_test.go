package action

import (
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
)

// TestFirstMistakes holds what people get wrong first. Each wrong text gets exactly one error, at
// the words in «», and its first fix leads to the text after it; that has no error, or the one of
// the next pair.
func TestFirstMistakes(t *testing.T) {
	const cont = `(module (type $ft (func (param i32) (result i32))) (type $ct (cont $ft)) (tag $y (result i32)) (func $w (export "w") (param i32) (result i32) (local.get 0)) `
	checkMistakes(t, [][]string{
		// The list of the issue.
		{cont + `(func (export "f") (local $k «$ct») (local.set $k (cont.new $ct (ref.func $w)))))`,
			cont + `(func (export "f") (local $k (ref null $ct)) (local.set $k (cont.new $ct (ref.func $w)))))`},
		{cont + `(func (export "f") (param $k «$ct»)))`, cont + `(func (export "f") (param $k (ref $ct))))`},
		{`(module (func (param $a i32) (result i32) (local.get «a»)))`,
			`(module (func (param $a i32) (result i32) (local.get $a)))`},
		{`(module (func «add» (param $a i32) (result i32) (local.get $a)) (export "a" (func $add)))`,
			`(module (func $add (param $a i32) (result i32) (local.get $a)) (export "a" (func $add)))`},
		{cont + `(func (export "f") (drop (cont.new $ct «$w»))))`,
			cont + `(func (export "f") (drop (cont.new $ct (ref.func $w)))))`},
		{cont + `(func (export "f") (result i32) (resume «$ft» (i32.const 1) (cont.new $ct (ref.func $w)))))`,
			cont + `(func (export "f") (result i32) (resume $ct (i32.const 1) (cont.new $ct (ref.func $w)))))`},
		{cont + `(func (export "f") (drop (cont.new «$ft» (ref.func $w)))))`,
			cont + `(func (export "f") (drop (cont.new $ct (ref.func $w)))))`},
		{cont + `(func (export "f") (result i32) (resume $ct (cont.new $ct (ref.func $w)) «(i32.const 1)»)))`,
			cont + `(func (export "f") (result i32) (resume $ct (i32.const 1) (cont.new $ct (ref.func $w)))))`},
		{`(module (func (result i32) (i32.add (i32.const 1) (i32.const 2) «(i32.const 3)»)))`,
			`(module (func (result i32) (i32.add (i32.const 1) (i32.const 2))))`},
		{`(module (func $g (param i32)) (func (call $g (i32.const 1) «(i32.const 2)»)))`,
			`(module (func $g (param i32)) (func (call $g (i32.const 1))))`},
		{`(module (func (export "f") (i32.add (i32.const 1) (i32.const 2))«)»)`,
			`(module (func (export "f") (result i32) (i32.add (i32.const 1) (i32.const 2))))`},
		{`(module (func (if (i32.const 1) (nop)«)»))`, `(module (func (if (i32.const 1) (then (nop)))))`},
		{`(module (func (if (i32.const 1) (nop) (nop)«)» (nop)))`,
			`(module (func (if (i32.const 1) (then (nop) (nop))) (nop)))`},
		{`(module (func (result i32) «(»param i32) (local.get 0)))`,
			`(module (func (param i32) (result i32) (local.get 0)))`},
		{`(module (func (local $x i32) «(»param i32) (local.set $x (local.get 0))))`,
			`(module (func (param i32) (local $x i32) (local.set $x (local.get 0))))`},
		{`(module (func (nop) «(»local $x i32) (local.set $x (i32.const 1))))`,
			`(module (func (local $x i32) (nop) (local.set $x (i32.const 1))))`},
		{`(module (func (result i64) (i32.const 1)«)»)`, `(module (func (result i64) (i64.const 1)))`},
		{`(module (func (result i64) (i64.add (i64.const 1) «(i32.const 2)»)))`,
			`(module (func (result i64) (i64.add (i64.const 1) (i64.const 2))))`},
		{`(module (func (param i32) (result i64) (i64.add «(local.get 0)» (i64.const 2))))`,
			`(module (func (param i32) (result i64) (i64.add (i64.extend_i32_s (local.get 0)) (i64.const 2))))`},
		{"(module\n «//» a comment (with words\n (func))", "(module\n ;; a comment (with words\n (func))"},
		{"(module (func\n  (nop) «//»a comment\n  (nop)))", "(module (func\n  (nop) ;;a comment\n  (nop)))"},
		{"(module (func (drop (i32.add «//» one\n (i32.const 1) (i32.const 2)))))",
			"(module (func (drop (i32.add ;; one\n (i32.const 1) (i32.const 2)))))"},
		{"«#» a comment\n(module)", ";; a comment\n(module)"},
		{"(module\n  «#»a comment\n  (func))", "(module\n  ;;a comment\n  (func))"},
		{"(module «--» a comment\n  (func))", "(module ;; a comment\n  (func))"},
		{`(module (func (param i32«,» i32)))`, `(module (func (param i32 i32)))`},
		{`(module (func (result i32) (i32.add (i32.const 1)«,» (i32.const 2))))`,
			`(module (func (result i32) (i32.add (i32.const 1) (i32.const 2))))`},
		{`(module (func (param «int»)))`, `(module (func (param i32)))`},
		{`(module (func (param $x «double»)))`, `(module (func (param $x f64)))`},
		{`(module (func (param $x «fucnref»)))`, `(module (func (param $x funcref)))`},
		{`(«Module» (func))`, `(module (func))`},
		{`(module («Func» (nop)))`, `(module (func (nop)))`},
		{`(module (func (result i32) («I32.Const» 1)))`, `(module (func (result i32) (i32.const 1)))`},
		{`(module (func «NOP»))`, `(module (func nop))`},
		// More of the kind.
		{`(module (func (result i32) (i32.add «1» 2)))`,
			`(module (func (result i32) (i32.add (i32.const 1) (i32.const 2))))`},
		{`(module (func (param $a i64) (result i64) (i64.add «$a» 2)))`,
			`(module (func (param $a i64) (result i64) (i64.add (local.get $a) (i64.const 2))))`},
		{`(module (func (result i32) i32.add «1» 2))`,
			`(module (func (result i32) i32.const 1 i32.const 2 i32.add))`},
		{`(module (func (local $x f32) (local.set $x «1.5»)))`,
			`(module (func (local $x f32) (local.set $x (f32.const 1.5))))`},
		{`(module (func $g (param i64)) (func (call $g «1»)))`,
			`(module (func $g (param i64)) (func (call $g (i64.const 1))))`},
		{`(module (func (result i32) «(1)»))`, `(module (func (result i32) (i32.const 1)))`},
		{`(module (global $g i64 «0») (func (drop (global.get $g))))`,
			`(module (global $g i64 (i64.const 0)) (func (drop (global.get $g))))`},
		{`(module (func (drop (i32.const «1.5»))))`, `(module (func (drop (f64.const 1.5))))`},
		{`(module (func (export «f»)))`, `(module (func (export "f")))`},
		{`(module (func (export «'f'»)))`, `(module (func (export "f")))`},
		{`(module (import «env» "g" (func)))`, `(module (import "env" "g" (func)))`},
		{`(module («fn» (nop)))`, `(module (func (nop)))`},
		{`(module (func (local «x» i32) (local.set $x (i32.const 1))))`,
			`(module (func (local $x i32) (local.set $x (i32.const 1))))`},
		{`(module (func (block «l» (br $l))))`, ``},
		{`(module (func (block $l (br «l»))))`, `(module (func (block $l (br $l))))`},
		{`(module (tag $e) (func (suspend «e»)))`, `(module (tag $e) (func (suspend $e)))`},
		{`(module (type «t» (func)) (func (type $t)))`, `(module (type $t (func)) (func (type $t)))`},
		{`(module (memory «m» 1) (func (drop (memory.size $m))))`,
			`(module (memory $m 1) (func (drop (memory.size $m))))`},
		{`(module (func (param $count i32) (drop (local.get «$cuont»))))`,
			`(module (func (param $count i32) (drop (local.get $count))))`},
		{`(module (func («get_local» 0) drop) )`, ``},
		{`(module (func («i32.cnst» 1) drop))`, `(module (func (i32.const 1) drop))`},
		{`(module (func (result i32) (i32.const 1)`, `(module (func (result i32) (i32.const 1)))`},
		{`(module (func (local $x i32) (local.set $x «1») (local.set $x 2)))`, ``},
		// Two mistakes, one after the other.
		{`(module (func (param «int») (result int) (local.get 0)))`,
			`(module (func (param i32) (result «int») (local.get 0)))`,
			`(module (func (param i32) (result i32) (local.get 0)))`},
		{"(«Module»\n (Func (nop)))", "(module\n («Func» (nop)))", "(module\n (func (nop)))"},
		// Several of a kind on one line.
		{`(module (func (param i32«,» i32, i64) (result i32) (local.get 0)))`,
			`(module (func (param i32 i32 i64) (result i32) (local.get 0)))`},
		{`(module (func (param i32«,» i32) (result i32, i32) (local.get 0), (local.get 1)))`,
			`(module (func (param i32 i32) (result i32 i32) (local.get 0) (local.get 1)))`},
		{`(module (func (param «I32» I64) (result I32) (local.get 0)))`,
			`(module (func (param i32 i64) (result i32) (local.get 0)))`},
		{`(module (func (param i32) (result i32) («I32.ADD» (LOCAL.GET 0) (I32.CONST 1))))`,
			`(module (func (param i32) (result i32) (i32.add (local.get 0) (i32.const 1))))`},
		// Operators between operands.
		{`(module (func (param $a i32) (result i32) local.get $a «+» 1))`,
			`(module (func (param $a i32) (result i32) local.get $a i32.const 1 i32.add))`},
		{`(module (func (param $a i32) (result i32) (local.get $a «+» 1)))`,
			`(module (func (param $a i32) (result i32) (i32.add (local.get $a) (i32.const 1))))`},
		{`(module (func (param $a i64) (local.set $a (local.get $a «*» $a))))`,
			`(module (func (param $a i64) (local.set $a (i64.mul (local.get $a) (local.get $a)))))`},
		{`(module (func (param $a f64) (result f64) local.get $a «/» local.get $a))`,
			`(module (func (param $a f64) (result f64) local.get $a local.get $a f64.div))`},
		{`(module (func (result i32) (i32.const 1 «-» 2)))`,
			`(module (func (result i32) (i32.sub (i32.const 1) (i32.const 2))))`},
		{`(module (func (param $a i32) (local.set $a «=» 1)))`, ``},
		// Addresses.
		{`(module (memory 1) (func (result i32) (i32.load «4»)))`,
			`(module (memory 1) (func (result i32) (i32.load (i32.const 4))))`},
		{`(module (memory 1) (func (result i32) i32.load «4»))`,
			`(module (memory 1) (func (result i32) i32.const 4 i32.load))`},
		{`(module (memory 1) (func (param $p i32) (result i32) (i32.load «$p»)))`,
			`(module (memory 1) (func (param $p i32) (result i32) (i32.load (local.get $p))))`},
		{`(module (memory 1) (func (result i64) (i64.load offset=8 «$p»)) (global $p i32 (i32.const 1)))`,
			`(module (memory 1) (func (result i64) (i64.load offset=8 (global.get $p))) (global $p i32 (i32.const 1)))`},
		{`(module (memory i64 1) (func (result f32) (f32.load «4»)))`,
			`(module (memory i64 1) (func (result f32) (f32.load (i64.const 4))))`},
		{`(module (memory 1) (func (i64.store «4» 5)))`,
			`(module (memory 1) (func (i64.store (i32.const 4) (i64.const 5))))`},
	})
}

// checkMistakes checks chains of texts, see TestFirstMistakes.
func checkMistakes(t *testing.T, chains [][]string) {
	t.Helper()
	for _, texts := range chains {
		for i := 0; i < len(texts); i++ {
			text := strings.NewReplacer("«", "", "»", "").Replace(texts[i])
			if text == "" {
				break // only the one error counts
			}
			s := analysis.Open(source.NewFile("first.wat", text), analysis.Options{})
			var errs []diag.Diagnostic
			for _, d := range s.Diagnostics() {
				if d.Severity == diag.Error {
					errs = append(errs, d)
				}
			}
			if i == len(texts)-1 {
				for _, d := range errs {
					t.Errorf("%s: %s", text, d.Message)
				}
				break
			}
			if texts[i+1] == "" { // what has several errors, each told once
				seen := map[int]bool{}
				for _, d := range errs {
					if seen[d.Span.Start] {
						t.Errorf("%s: told twice: %s", text, d.Message)
					}
					seen[d.Span.Start] = true
				}
				if len(errs) == 0 {
					t.Errorf("%s: no error", text)
				}
				break
			}
			if len(errs) != 1 {
				t.Errorf("%s: %d errors", text, len(errs))
				for _, d := range errs {
					t.Log(d.Message)
				}
				break
			}
			d := errs[0]
			if a := strings.Index(texts[i], "«"); a >= 0 {
				b := strings.Index(texts[i], "»") - len("«")
				// A word in parentheses may be told with its parenthesis.
				if d.Span.Start != a && d.Span.Start != a-1 || d.Span.Start > b {
					t.Errorf("%s: at %q", texts[i], text[d.Span.Start:d.Span.End])
				}
			}
			fs := Fixes(s, &d)
			if len(fs) == 0 {
				t.Errorf("%s: no fix for %s", text, d.Message)
				break
			}
			got, ok := source.ApplyAll(text, fs[0].Edits)
			if want := strings.NewReplacer("«", "", "»", "").Replace(texts[i+1]); !ok || got != want {
				t.Errorf("%s: %q gives\n%s\nwant\n%s", text, fs[0].Title, got, want)
				break
			}
			if e := s.Edit(source.Edit{New: " "}); len(e.Diagnostics()) != len(s.Diagnostics()) {
				t.Errorf("%s: another number of diagnostics after an edit", text)
			}
		}
	}
}

// TestUnnamedTypes: a type without a name is shown as what it is, not by its number, as long as it
// is short. A type within itself is a number.
func TestUnnamedTypes(t *testing.T) {
	for _, c := range []struct{ types, want string }{
		{`(type (func (param i32)))`, `(func (param i32))`},
		{`(type (func (result i32 i64)))`, `(func (result i32 i64))`},
		{`(type (struct))`, `(struct)`},
		{`(type (struct (field i8) (field $x (mut i64))))`, `(struct (field i8) (field (mut i64)))`},
		{`(type (array (mut i16)))`, `(array (mut i16))`},
		{`(rec (type (cont 1)) (type (func (param i32))))`, `(cont (func (param i32)))`},
		{`(rec (type (cont $f)) (type $f (func (param i32))))`, `(cont $f)`},
		{`(rec (type (cont 1)) (type (func (param (ref 0)))))`, `(cont (func (param (ref 0))))`},
		{`(rec (type (struct (field (ref null 0)))))`, `(struct (field (ref null 0)))`},
		{`(rec (type (array (ref 1))) (type (struct (field (ref 2)))) (type (func)))`,
			`(array (ref (struct (field (ref 2)))))`},
		{`(rec (type (array (ref $s))) (type $s (struct)))`, `(array (ref $s))`},
		{`(type (sub (struct (field i32))))`, `(struct (field i32))`},
		{`(type (struct` + strings.Repeat(" (field i32)", 9) + `))`, `0`},
		{`(type (struct` + strings.Repeat(" (field (mut structref))", 8) + `))`, `0`},
	} {
		text := `(module ` + c.types + ` (func (param $x (ref 0)) (drop (i32.eqz (local.get $x)))))`
		found := false
		for _, d := range analysis.Open(source.NewFile("t.wat", text), analysis.Options{}).Diagnostics() {
			found = found || strings.Contains(d.Message, "stack has [(ref "+c.want+")]")
			if strings.Contains(d.Message, "stack has") && !found {
				t.Errorf("%s: %s", c.types, d.Message)
			}
		}
		if !found {
			t.Errorf("%s: %s is not reported", c.types, c.want)
		}
	}
}
