package syntax

import (
	"fmt"
	"strings"
	"testing"

	"stackscope/analysis/source"
)

// TestRecovery holds mistakes: each gives one error, at a place, and what follows it is understood.
func TestRecovery(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       string // line:col message prefix; several with |
		fields     int    // of the first module
		fixed      bool   // the fix puts it right
	}{
		{"missing paren in a body", "(module\n  (func $a (result i32)\n    (i32.add (local.get 0) (i32.const 1))\n  (func $b (nop))\n  (memory 1))", "3:42 unexpected token `(func`: `)` is missing", 3, true},
		{"two missing parens", "(module\n  (func $a (result i32)\n    (i32.add (local.get 0) (i32.const 1)\n  (func $b (nop))\n  (memory 1))", "3:41 unexpected token `(func`: `)` is missing", 3, true},
		{"missing paren of a module", "(module\n  (func)\n", "2:9 unexpected token: the text ends", 1, true},
		{"missing paren of a module in a script", "(module\n  (func)\n(assert_return (invoke \"f\"))\n(module)", "2:9 unexpected token `(assert_return`: the `)` of the module is missing", 1, true},
		{"missing parens in a script", "(module\n  (func (nop)\n\n(assert_return (invoke \"f\"))\n(module)", "2:14 unexpected token `(assert_return`", 1, true},
		{"unclosed fold at the end", "(module (func (i32.const 1)", "1:28 unexpected token: the text ends", 1, true},
		{"extra paren after a field", "(module\n  (func (nop)))\n  (func)\n  (memory 1))\n", "2:15 unexpected token `)`: it closes nothing", 3, true},
		{"extra paren in a body", "(module\n  (func (drop (i32.const 1)))\n    (drop (i32.const 2)))\n  (func)\n)", "3:5 unexpected token `(drop`", 2, false},
		{"extra paren in the last body", "(module\n  (func (drop (i32.const 1)))\n    (drop (i32.const 2)))\n)", "3:5 unexpected token `(drop`", 1, false},
		{"extra paren at the end", "(module (func)))\n", "1:16 unexpected token `)`: it closes nothing", 1, true},
		{"unclosed string", "(module\n  (import \"a \"b\" (func))\n  (data (i32.const 0) \"abc)\n  (func))", "", 3, false},
		{"unclosed data string", "(module\n  (data (i32.const 0) \"abc)\n  (func))", "2:23 unclosed string", 2, false},
		{"unclosed comment", "(module\n  (func) (; comment\n  (func (nop))\n  (memory 1))", "2:10 unclosed comment", 3, false},
		{"missing end", "(module\n  (func\n    block\n      nop\n  )\n  (func))", "4:10 unexpected token `)`: the `end` of `block` is missing", 2, true},
		{"two missing ends", "(module\n  (func\n    block\n    loop\n      nop\n  )\n  (func))", "5:10 unexpected token `)`: the `end` of `loop` is missing", 2, true},
		{"missing end and parens", "(module\n  (func\n    block\n      nop\n  (func)\n  (memory 1))", "4:10 unexpected token `(func`: the `end` of `block` is missing", 3, true},
		{"extra end", "(module (func nop end) (func))", "1:19 unexpected token `end`", 2, true},
		{"extra end with a label", "(module (func block $l end end $l nop) (func))", "1:28 unexpected token `end`", 2, false},
		{"else without if", "(module (func block else end) (func))", "1:21 unexpected token `else`", 2, false},
		{"mismatching label", "(module (func block $a nop end $b) (func))", "1:32 mismatching label $b: the block is $a", 2, false},
		{"label of nothing", "(module (func block nop end $b) (func))", "1:29 mismatching label $b: the block has none", 2, true},
		{"bare instruction in a fold", "(module (func (i32.add (local.get 0) i32.const 1)) (func))", "1:38 unexpected token `i32.const`", 2, false},
		{"local after an instruction", "(module (func nop (local i32)) (func))", "1:19 unexpected token `(local`", 2, false},
		{"param after a result", "(module (func (result i32) (param i32) (unreachable)) (func))", "1:28 unexpected token `(param`", 2, false},
		{"name in a block's parameter", "(module (func (block (param $x i32) (drop))) (func))", "1:29 unexpected token `$x`", 2, false},
		{"if without then", "(module (func (if (i32.const 1) (nop))) (func))", "1:38 unexpected token `)`: `(then …)` is missing", 2, false},
		{"typing a field", "(module\n  (fu\n  (func (nop))\n  (memory 1))", "2:3 unexpected token `(fu`", 2, false},
		{"typing an instruction", "(module\n  (func $f\n    (i32.\n  )\n  (func (nop))\n)", "4:4 unexpected token `(func`: `)` is missing", 2, false},
		{"typing a paren", "(module\n  (func $f\n    (\n  )\n  (func (nop))\n)", "", 2, false},
		{"empty parens", "(module (func $f () nop) (func (nop)))", "1:18 unexpected token `()`: expected an instruction", 2, true},
		{"code outside of functions", "(module\n  (func)\n  i32.const 1\n  drop\n  (func))", "3:3 unexpected token `i32.const`: an instruction outside", 2, false},
		{"no quotes", "(module (import a b (func)) (func))", "1:17 unexpected token `a`: expected a name in quotes", 2, false},
		{"reserved word", "(module (func (i32.const 0x)) (func))", "1:26 unknown operator 0x", 2, false},
		{"bad type", "(module (func (param i33)) (func))", "1:22 unknown operator i33", 2, false},
		{"name without a type", "(module (func (param $x)) (func (local $x) (nop)))", "1:24 unexpected token `)`: expected a type|1:42 unexpected token `)`: expected a type", 2, false},
		{"bad export", "(module (export \"a\" (fun 0)) (func))", "1:21 unexpected token `(fun`", 2, false},
		{"hash for dollar", "(module (func (call #f)) (func))", "1:21 unknown operator #f", 2, false},
		{"illegal character", "(module (func (call é)) (func))", "1:21 illegal character", 2, false},
		{"body of an import", "(module (func (import \"a\" \"b\") (nop)) (func))", "1:32 unexpected token `(nop`", 2, false},
		{"fields after a module", "(module) (func)", "1:8 unexpected token `)`: it closes nothing|1:16 unexpected token: the text ends", 1, false},
		{"fields before a module", "(func)\n(module)", "2:1 unexpected token `(module`: expected a module field", 1, false},
		{"passive segment without func", "(module (func $f) (elem $e $f $f) (func))", "1:28 unexpected token `$f`: expected `func` or a reference type", 3, true},
		{"nameless passive segment without func", "(module (func) (elem 0) (func))", "1:22 unexpected token `0`: expected `func`", 3, true},
		{"declarative segment without func", "(module (func $f) (elem declare $f))", "1:33 unexpected token `$f`: expected `func`", 2, true},
		{"segment of a table without func", "(module (table $t 1 funcref) (func $f) (elem (table $t) (i32.const 0) $f))", "1:71 unexpected token `$f`: expected `func`", 3, true},
		{"empty segment", "(module (elem $e) (func))", "1:17 unexpected token `)`: expected `func` or a reference type", 2, false},
		{"instructions after the last event", "(module (func (handle (nop) (event $e) (nop))) (func))", "1:40 unexpected token `(nop`", 2, false},
		{"clause after operands", "(module (func (resume $ct (local.get 0) (on $e $l))) (func))", "1:41 unexpected token `(on`", 2, false},
		{"unclosed annotation", "(module (@custom \"x\"\n  (func)\n", "", 1, false},
		{"missing message", "(assert_invalid (module (func)))\n(module)", "1:32 unexpected token `)`: expected the message", 1, false},
		{"bad command", "(modul)\n(assert_return (invoke \"f\"))", "1:1 unexpected token `(modul`", -1, false},
		{"instruction without parens in offset", "(module (data i32.const 0 \"a\") (func))", "1:15 unexpected token `i32.const`", 2, false},
	} {
		tr := Parse(source.NewFile("f", c.text))
		checkTree(t, tr)
		var got []string
		var edits []source.Edit
		for _, e := range tr.Errors() {
			l, col := tr.Src.LineCol(e.Span.Start)
			got = append(got, fmt.Sprintf("%d:%d %s", l, col, e.Message))
			for _, f := range e.Fixes {
				edits = append(edits, f.Edits...)
			}
		}
		want := strings.Split(c.want, "|")
		ok := len(got) == len(want)
		for i := range want {
			ok = ok && strings.HasPrefix(got[i], want[i])
		}
		if !ok && c.want != "" || len(got) == 0 {
			t.Errorf("%s:\n%s\n  errors\t%s\n  want\t%s", c.name, c.text, strings.Join(got, "\n\t"), c.want)
		}
		if ms := tr.Modules(); c.fields >= 0 && (len(ms) == 0 || len(ms[0].Fields()) != c.fields) {
			n := -1
			if len(ms) > 0 {
				n = len(ms[0].Fields())
			}
			t.Errorf("%s: %d fields, want %d\n%s", c.name, n, c.fields, c.text)
		}
		if c.fixed {
			text, _ := source.ApplyAll(c.text, edits)
			if f := Parse(source.NewFile("f", text)); f.HasErrors() {
				t.Errorf("%s: the fix gives\n%s\n%v", c.name, text, f.Errors())
			}
		}
	}
}
