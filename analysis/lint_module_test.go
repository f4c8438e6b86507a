package analysis

import (
	"slices"
	"strings"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
)

// lintsOf returns code and marked text of what is no error, sorted.
func lintsOf(t *testing.T, text string, o Options) []string {
	t.Helper()
	out := []string{}
	for _, d := range Open(source.NewFile("a.wat", text), o).Diagnostics() {
		if d.Severity == diag.Error {
			t.Errorf("%s\n%s", text, d.Message)
		}
		out = append(out, string(d.Code)+" "+text[d.Span.Start:d.Span.End])
	}
	slices.Sort(out)
	return out
}

// Module-level lints, each with what they must not say.
func TestModuleLints(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       string // separated by "; "
	}{
		{"all spaces", `(module (type $t (func)) (import "a" "b" (func $i)) (func $f) (table $tab 1 funcref) (memory $m 1) (global $g i32 (i32.const 0)) (tag $e) (elem $el funcref) (data $d "x") (export "x" (func $x)) (func $x (local $l i32)))`,
			"unused $d; unused $e; unused $el; unused $f; unused $g; unused $i; unused $l; unused $m; unused $t; unused $tab"},
		{"no exports", `(module (type $t (func)) (func $f) (global $g (mut i32) (i32.const 0)))`, "needless-mut (mut i32); unused $f; unused $g; unused $t"},
		{"no exports, used", `(module (type $t (func)) (func $_main (type $t) (call $f)) (func $f))`, ""},
		{"meant", `(module (func $_f) (func (export "x")))`, ""},
		{"by number", `(module (func $f) (func (export "x") (call 0)))`, ""},
		{"by itself", `(module (func $f (call $f)) (type $t (struct (field (ref null $t)))) (func (export "x")))`, "unused $f; unused $t"},
		{"by start", `(module (func $f) (start $f))`, ""},
		{"by segments", `(module (func $f) (table $t 1 funcref) (elem $e (i32.const 0) func $f) (memory $m 1) (data $d (i32.const 0) "x") (func (export "x")))`, ""},
		{"memory without index", `(module (memory $m 1) (func (export "x") (result i32) (i32.load (i32.const 0))))`, ""},
		{"memory without index or arguments", `(module (memory $m 1) (func (export "x") (result i32) memory.size))`, ""},
		{"broken elsewhere", `(module (func $f) (func (export "x")))`, "unused $f"},
		{"mut", `(module (global $g (mut i32) (i32.const 0)) (global $h (mut i32) (i32.const 0)) (global $e (export "e") (mut i32) (i32.const 0)) (func (export "x") (result i32) (global.set $h (i32.const 1)) (i32.add (global.get $g) (global.get $h))))`,
			"needless-mut (mut i32)"},
		{"mut fields", `(module (type $s (struct (field $a (mut i32)) (field $b (mut i32)) (field $c i32))) (func (export "x") (local $v (ref null $s)) (local.set $v (struct.new_default $s)) (struct.set $s $a (local.get $v) (i32.const 1)) (drop (struct.get $s $b (local.get $v)))))`,
			"needless-mut (mut i32); unused $c"},
		{"fields that leave", `(module (type $s (struct (field $a (mut i32)) (field $c i32))) (func (export "x") (result (ref $s)) (struct.new_default $s)))`, ""},
		{"fields of twins", `(module (type $s (struct (field $a (mut i32)))) (type $u (struct (field $b (mut i32)))) (func (export "x") (drop (struct.new_default $s)) (drop (struct.new_default $u))))`, ""},
		{"dead", `(module (func (export "x") (result i32) (return (i32.const 1)) (drop (i32.add (i32.const 1) (i32.const 2))) (i32.const 3)))`, "unreachable (drop (i32.add (i32.const 1) (i32.const 2))) (i32.const 3)"},
		{"dead constant", `(module (func (export "x") (result i32) (return (i32.const 1)) (i32.const 3)))`, ""},
		{"dead parent", `(module (func (export "x") (result i32) (i32.add (i32.const 1) (return (i32.const 1)))))`, ""},
		{"after a block", `(module (func (export "x") (block $b (br $b)) (call 0)))`, ""},
		{"after a loop, which typing takes to end", `(module (func (export "x") (loop $b (br $b)) (call 0)))`, ""},
		{"else", `(module (func (export "x") (if (i32.const 1) (then (return)) (else (call 0))) (call 0)))`, ""},
		{"labels", `(module (func (export "x") (block $a (block $b (br 1))) (block $_c)))`, "unused-label $b"},
		{"locals", `(module (func (export "x") (param $p i32) (local $a i32) (local $b i32) (local.set $b (i32.const 1))))`, "unread $b; unused $a"},
		{"deprecated", `(module (@deprecated "use $g") (func $f) (func $g (@deprecated)) (func (export "x") (call $f) (call $g)) (export "f" (func $f)))`, "deprecated $f; deprecated $g"},
		{"useless", `(module (tag $e) (func (export "x") (block $a (try_table (catch $e $a) (catch_all $a) (catch $e $a) (throw $e))) (try_table)))`, "needless-try-table try_table; useless-catch (catch $e $a)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(lintsOf(t, c.text, Options{}), "; "); got != c.want {
				t.Errorf("got  %s\nwant %s\n%s", got, c.want, c.text)
			}
		})
	}
	off := Options{
		Severity: map[diag.Code]diag.Severity{
			diag.Unused: diag.Off, diag.OmittedIndex: diag.Information,
			diag.ImplicitModule: diag.Hint, diag.UnusedParam: diag.Warning,
		},
	}
	const text = `(memory $m 1) (func (export "x") (param $p i32) (drop (i32.load (i32.const 0))) (drop (i32.load $m (i32.const 0)))) (func $f)`
	if got := strings.Join(lintsOf(t, text, off), "; "); got != "implicit-module memory; omitted-index i32.load; unused-param $p" {
		t.Errorf("with severities: %s", got)
	}
	// Nothing is said of the whole while something is wrong in it.
	for _, d := range Open(source.NewFile("a.wat", `(module (func $f) (func (export "x") (call $g)))`), Options{}).Diagnostics() {
		if d.Code == diag.Unused {
			t.Errorf("beside an error: %s", d.Message)
		}
	}
}
