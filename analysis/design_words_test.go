package analysis_test

import (
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/testing/sidebyside"
	"stackscope/wasm"
)

// TestWordsOfDiagnostics checks, in each design whose references are good once, that what is said of
// a dropped and of a twice used reference has the words of the design.
func TestWordsOfDiagnostics(t *testing.T) {
	for _, x := range []struct{ design, text, want string }{
		{"cont", `(module (@stack-switching "cont")
  (type $f (func)) (type $c (cont $f))
  (func $g) (elem declare func $g)
  (func (drop (cont.new $c (ref.func $g))))
  (func (local $k (ref $c)) (local.set $k (cont.new $c (ref.func $g)))
    (resume $c (local.get $k)) (resume $c (local.get $k))))`, "it can never be resumed or unwound"},
		{"stacks", `(module (@stack-switching "stacks")
  (rec (type $s (stack (ref null $s))))
  (func $g (param (ref null $s)) (unreachable))
  (func (drop (stack.new $s $g)))
  (func (local $k (ref null $s)) (local.set $k (stack.new $s $g))
    (drop (switch $s (local.get $k))) (drop (switch $s (local.get $k)))))`, "it can never be switched to or unwound"},
	} {
		d, _ := wasm.ParseDialect(x.design)
		s := analysis.Open(source.NewFile(x.design+".wat", x.text), analysis.Options{})
		var all []string
		for _, y := range s.Diagnostics() {
			all = append(all, y.Message)
		}
		got := strings.Join(all, "\n")
		if !strings.Contains(got, x.want) || len(all) < 2 {
			t.Errorf("%s: %s", x.design, got)
		}
		for _, f := range sidebyside.Foreign(d, got) {
			t.Errorf("%s: %s", x.design, f)
		}
	}
}
