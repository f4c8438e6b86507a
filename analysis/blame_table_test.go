package analysis

import (
	"strings"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
)

// TestBlame holds the place of the first error of modules that are wrong in all kinds of ways:
// «these words», in the one field that a person would change. The message begins with the words in
// front of the module.
func TestBlame(t *testing.T) {
	for _, c := range []struct{ message, text string }{
		// types
		{"unknown type", `(module (type $a (func)) (type $b (func (param (ref «$c»)))))`},
		{"unknown type", `(module (func) (func (type «7»)))`},
		{"sub type", `(module (type $a (func)) («type $b» (sub $a (func))))`},
		{"sub type", `(module (type $a (sub (struct (field i32)))) («type $b» (sub $a (struct (field i64)))))`},
		{"inline function type", `(module (type $a (func (param i32))) (func $g) (func (type $a) «(param i64)»))`},
		{"duplicate type", `(module (type $a (func)) (func) (type «$a» (func)))`},
		{"duplicate field", `(module (type $a (struct (field $x i32) (field «$x» i32))))`},
		{"unknown type", `(module (type $f (func)) (type $k (cont «9»)))`},
		{"non-function type", `(module (type $s (struct)) (type $k (cont «$s»)))`},
		// imports and exports
		{"import after function", `(module (func) («import» "a" "b" (memory 1)))`},
		{"unknown type", `(module (import "a" "c" (func)) (import "a" "b" (func (type «5»))))`},
		{"duplicate export name", `(module (func $f) (export "a" (func $f)) (memory 1) (export «"a"» (memory 0)))`},
		{"unknown function", `(module (memory 1) (export "a" (func «0»)))`},
		{"unknown global", `(module (func) (export "a" (global «$g»)))`},
		{"unknown memory", `(module (func) (export "a" (memory «0»)))`},
		{"unknown table", `(module (func) (export "a" (table «$t»)))`},
		{"unknown tag", `(module (func) (export "a" (tag «0»)))`},
		// tables, memories, globals, tags
		{"size minimum must not be greater than maximum", `(module (func) (memory «2 1»))`},
		{"size minimum must not be greater than maximum", `(module (func) (table «2 1» funcref))`},
		{"memory size", `(module (func) (memory «65537»))`},
		{"type mismatch", `(module (func) (global i32 «(i64.const 0)»))`},
		{"constant expression required", `(module (func $f (result i32) (i32.const 0)) (global i32 («call $f»)))`},
		{"unknown global", `(module (global $a i32 (global.get «$b»)) (global $b i32 (i32.const 0)))`},
		{"type mismatch", `(module (func) «(table 1 (ref func))»)`},
		{"duplicate global", `(module (global $a i32 (i32.const 0)) (func) (global «$a» i32 (i32.const 0)))`},
		// start, segments
		{"unknown function", `(module (func) (start «1»))`},
		{"start function", `(module (func $f (param i32)) (start «$f»))`},
		{"multiple start sections", `(module (func $f) (start $f) «(start $f)»)`},
		{"unknown memory", `(module (func) «(data (i32.const 0) "x")»)`},
		{"unknown table", `(module (func) «(elem (i32.const 0) func 0)»)`},
		{"unknown function", `(module (table 1 funcref) (elem (i32.const 0) func «3»))`},
		{"type mismatch", `(module (memory 1) (data «(i64.const 0)» "x"))`},
		{"type mismatch", `(module (table 1 externref) (func) «(elem (i32.const 0) func 0)»)`},
		{"unknown data segment", `(module (data "x") (func) (func (data.drop «1»)))`},
		{"unknown elem segment", `(module (func) (func (elem.drop «0»)))`},
		// bodies
		{"type mismatch", `(module (func (result i32) (i32.const 0)) (func (result i32) (i64.const 0)«)»)`},
		{"unknown function", `(module (func) (func (call «$g»)))`},
		{"unknown local", `(module (func (local i32)) (func (local.set «0» (i32.const 1))))`},
		{"unknown label", `(module (func (block $l)) (func (br «$l»)))`},
		{"undeclared function reference", `(module (func $f) (func (drop (ref.func «$f»))))`},
		{"immutable global", `(module (global $g i32 (i32.const 0)) (func) (func (global.set «$g» (i32.const 0))))`},
		{"uninitialized local", `(module (func) (func (local (ref func)) (drop (local.get «0»))))`},
		{"alignment must not be larger than natural", `(module (memory 1) (func) (func (drop (i32.load «align=8» (i32.const 0)))))`},
		{"unknown tag", `(module (tag) (func) (func (suspend «1»)))`},
		{"unknown operator", `(module (func) (func («i32.foo»)) (func))`},
		{"constant out of range", `(module (func) (func (drop (i32.const «0x1_0000_0000»))))`},
		{"unexpected token", `(module (func) (func (local i32) (nop) «(»local i32)) (func))`},
		{"malformed UTF-8 encoding", `(module (func) (export «"\ff"» (func 0)))`},
		{"duplicate local", `(module (func) (func (param $x i32) (local «$x» i32)))`},
	} {
		from := strings.Index(c.text, "«")
		to := strings.Index(c.text, "»") - len("«")
		text := strings.NewReplacer("«", "", "»", "").Replace(c.text)
		s := Open(source.NewFile("blame.wat", text), Options{})
		var first *diag.Diagnostic
		for _, d := range s.Diagnostics() {
			if d.Severity == diag.Error && first == nil {
				first = &d
			}
		}
		switch {
		case first == nil:
			t.Errorf("%s: no error", text)
		case !strings.HasPrefix(first.Message, c.message):
			t.Errorf("%s: %q, not %s", text, first.Message, c.message)
		case from < 0 || first.Span != (source.Span{Start: from, End: to}):
			t.Errorf("%s: %s: %q is the place", text, c.message, text[first.Span.Start:first.Span.End])
		}
	}
}
