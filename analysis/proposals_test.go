package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
)

// errorsOf returns the messages of the errors of a text.
func errorsOf(name, text string) []string {
	out := []string{}
	for _, d := range Open(source.NewFile(name, text), Options{}).Diagnostics() {
		if d.Severity == diag.Error {
			out = append(out, d.Message)
		}
	}
	return out
}

// TestProposals: what belongs to a proposal that is not supported is one error a module, however
// often the module uses it.
func TestProposals(t *testing.T) {
	atomics := strings.Repeat(
		"(func (result i32) (i32.atomic.load offset=4 (i32.const 0)) (i32.atomic.rmw8.add_u (i32.const 0) (i32.const 1)) drop)\n",
		340,
	)
	for _, c := range []struct {
		name string
		text string
		want []string // parts of the messages
	}{
		{"threads", "(module (memory 1 1 shared) " + atomics + ")", []string{"unknown operator i32.atomic.load: the proposal threads is not supported (680 places in this module)"}},
		{"two modules", "(module (func (atomic.fence)))\n(module (func (i64.add128 (i64.const 1)) (nop)) (func (i64.sub128)))",
			[]string{"atomic.fence: the proposal threads", "i64.add128: the proposal wide-arithmetic is not supported (2 places"}},
		{"types", "(module (type $s (shared (struct (field i32)))) (func $f (param (ref $s))) (func (call $f (struct.new $s (i32.const 1)))))", []string{"shared-everything-threads"}},
		{"descriptors", "(module (rec (type $a (descriptor $b (struct))) (type $b (describes $a (struct)))) (func $f (param (ref (exact $a))) (drop (ref.get_desc $a (local.get 0)))))", []string{"custom-descriptors"}},
		{"stringref", `(module (import "a" "b" (func $s (param stringref))) (func (param $x stringref) (call $s (string.const "abc"))) (func (call $s (local.get 0)) (drop (string.concat))))`, []string{"stringref"}},
		{"half", "(module (func (drop (f16x8.add (f16x8.splat (f32.const 1)) (f16x8.splat (f32.const 1))))))", []string{"f16x8.add: the proposal half-precision"}},
		{"and another mistake", "(module (func (atomic.fence)) (func (result i32) (i64.const 1)))", []string{"threads", "type mismatch"}},
		{"a typo is none", "(module (func (i32.atomc.load)))", []string{"unknown operator i32.atomc.load"}},
		{"quoted", `(module quote "(func (atomic.fence) (atomic.fence))")`, []string{"threads"}},
		{"expected", `(assert_malformed (module quote "(func (atomic.fence) (atomic.fence))") "unknown operator")`, nil},
		{"component", "(component\n (core module $m (func (export \"run\") (result i32) i32.const 42))\n (core instance $i (instantiate $m))\n (func (export \"run\") (result u32) (canon lift (core func $i \"run\")))\n (import \"log\" (func $log (param \"msg\" string))))", []string{"this is a component; only core modules are supported"}},
		{"component in a script", "(module)\n(component $c (import \"x\" (func)))\n(assert_invalid (component (type $x u32)) \"x\")", []string{"this is a component"}},
	} {
		got := errorsOf("p.wast", c.text)
		ok := len(got) == len(c.want)
		for i := range min(len(got), len(c.want)) {
			ok = ok && strings.Contains(got[i], c.want[i])
		}
		if !ok {
			t.Errorf("%s: %s", c.name, strings.Join(got, "\n\t"))
		}
	}
}

// TestBidi: characters that make a text look other than it is read are warned of wherever they are
// no error, and the fix takes them away.
func TestBidi(t *testing.T) {
	for _, c := range []struct {
		text  string
		want  string // code and characters
		fixed string
	}{
		{"(module ;; a \u202e b\n)", "bidi U+202E", "(module ;; a  b\n)"},
		{"(module (; \u2066\u2069 ;))", "bidi U+2066 U+2069", "(module (;  ;))"},
		{"(module (memory 1) (data \"x\u202dy\"))", "bidi U+202D", `(module (memory 1) (data "x\u{202d}y"))`},
		{"(module (func (export \"\u2067f\")))", "bidi U+2067", `(module (func (export "\u{2067}f")))`},
		{"(module (func $_f (export \"f\") (call $\"_g\u202a\")) (func $\"_g\u202a\"))", "bidi U+202A bidi U+202A", `(module (func $_f (export "f") (call $"_g\u{202a}")) (func $"_g\u{202a}"))`},
		{"(module (@note \"\u202e\"))", "bidi U+202E", `(module (@note "\u{202e}"))`},
		{"(module (func \u202e))", "syntax illegal character", ""},
		{"(module (@lint.allow \"bidi\") (; \u202e ;))", "", ""},
		{"(module (func (@lint.allow \"bidi\") (; \u202e ;)))", "", ""},
		{"(module (; é 😀 \u200e \u2013 ;))", "", ""},
		{";; \u202b\n(module)", "bidi U+202B", ";; \n(module)"},
	} {
		s := Open(source.NewFile("b.wat", c.text), Options{})
		var got []string
		fixed := c.text
		ds := slices.Clone(s.Diagnostics())
		for _, d := range ds {
			msg := strings.TrimPrefix(d.Message, "bidirectional control character ")
			msg, _, _ = strings.Cut(msg, ":")
			got = append(got, fmt.Sprintf("%s %s", d.Code, msg))
		}
		slices.Reverse(ds)
		for _, d := range ds {
			if len(d.Fixes) > 0 {
				fixed, _ = source.ApplyAll(fixed, d.Fixes[0].Edits)
			}
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%q: %s, want %s", c.text, g, c.want)
		} else if c.fixed != "" && fixed != c.fixed {
			t.Errorf("%q: fixed %q", c.text, fixed)
		} else if e := s.Edit(source.Edit{New: " "}); !same(t, e) {
			t.Error(c.text)
		}
	}
	if n := len(errorsOf("b.wat", "(module (; "+strings.Repeat("x\u202e", 1000)+" ;))")); n > 0 {
		t.Error("errors")
	}
	many := Open(source.NewFile("b.wat", "(module (; "+strings.Repeat("x\u202e", 1000)+" ;))"), Options{})
	if n := len(many.Diagnostics()); n != maxBidi {
		t.Errorf("%d warnings", n)
	}
}
