package completion

import (
	"slices"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
)

// TestCompleteScript: the commands of a script offer modules and exports, in half-written text too.
func TestCompleteScript(t *testing.T) {
	const head = `(module $lib (func (export "fib")) (func (export "fac")) (global (export "g") i32 (i32.const 1)))
(module definition $D (func (export "d")))
(module $last (func (export "z")))
`
	for _, x := range []struct {
		text string // `|` is the cursor
		want string
		name bool
	}{
		{`(invoke |`, `$last $lib "z"`, true},
		{`(invoke |)`, `$last $lib "z"`, true},
		{`(invoke $l|)`, `$last $lib`, true},
		{`(invoke $lib |)`, `"fib" "fac"`, false},
		{`(invoke $lib "|")`, `fib fac`, false},
		{`(invoke $lib "|`, `fib fac`, false},
		{`(invoke $lib "fi|`, `fib`, false},
		{`(invoke $lib "fi|b" (i32.const 1))`, `fib`, false},
		{`(assert_return (invoke $lib "f|") (i32.const 1))`, `fib fac`, false},
		{`(assert_return (get $lib "|"))`, `g`, false},
		{`(invoke "|")`, `z`, false},
		{`(invoke $lib "fib"|)`, ``, false},
		{`(register "x" |)`, `$last $lib`, false},
		{`(register "|")`, ``, false},
		{`(assert_trap (invoke "z") "|")`, ``, false},
		{`(module (func $f (local.get |)))`, ``, true},
		{`(module (tag $e) (func (block $b (resume 0 (on |)))))`, `$e`, true},
		{`(module (tag $e) (func (block $b (resume 0 (on $e |)))))`, `$b switch`, true},
		{`(module (type $f (func)) (type $c (cont $f)) (func (resume |)))`, `$c`, true},
		{`(module (func (i32.add |)))`, ``, false},
	} {
		before, after, _ := strings.Cut(x.text, "|")
		s := analysis.Open(source.NewFile("s.wast", head+before+after), analysis.Options{})
		c := Complete(s, len(head+before))
		var got []string
		for _, it := range c.Items {
			got = append(got, it.Label)
		}
		if x.want != "" || x.name {
			if want := strings.Fields(x.want); !slices.Equal(got, want) {
				t.Errorf("%s offers %q, want %q", x.text, got, want)
			}
		}
		if c.Name != x.name {
			t.Errorf("%s: a name has to come: %v", x.text, c.Name)
		}
	}
}
