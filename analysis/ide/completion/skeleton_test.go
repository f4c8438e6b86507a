package completion

import (
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/wasm"
)

// TestGenerators checks that the generator skeleton of each design is a module without a diagnostic
// but for hints, in that design.
func TestGenerators(t *testing.T) {
	seen := map[wasm.Dialect]bool{}
	for _, g := range moduleSkeletons {
		text := "(module\n" + unsnippet(g.body) + "\n(export \"f\" (func $consume)))"
		s := analysis.Open(source.NewFile("g.wat", text), analysis.Options{})
		for _, d := range s.Diagnostics() {
			if d.Severity != diag.Hint {
				t.Errorf("%s: %s\n%s", g.word, d.Message, text)
			}
		}
		if d := s.Modules()[0].Dialect(); d != g.of.Info().Dialect {
			t.Errorf("%s is in the dialect %s", g.word, d)
		}
		seen[g.of.Info().Dialect] = true
	}
	for _, d := range wasm.Dialects() {
		if !seen[d] {
			t.Errorf("%s has no generator", d)
		}
	}
}

// pieceModules are modules in which all skeletons of a design have something to offer; `□` is where
// instructions stand.
var pieceModules = map[wasm.Dialect]string{
	wasm.DialectCont: `(module (@stack-switching "cont")
  (type $ft (func)) (type $ct (cont $ft)) (rec (type $fs (func (param (ref null $cs)))) (type $cs (cont $fs)))
  (tag $a) (tag $b (param i32)) (func $f (local $k (ref null $ct)) □))`,
	wasm.DialectStacks: `(module (@stack-switching "stacks")
  (rec (type $s (stack (param i32) (ref null $s))))
  (tag $stop (param i64 (ref null $s))) (func $other (param i32 (ref null $s)) (result i32) (i32.const 1))
  (func $body (param i32 (ref null $s))) (func $f □))`,
	wasm.DialectFibersMount: `(module (@stack-switching "fibers-mount")
  (tag $ret) (tag $go) (tag $next (param i32)) (func $begin (param f32 (ref fiber)))
  (func $with (param f32 (ref fiber) i32)) (func $f □))`,
	wasm.DialectFibersHandle: `(module (@stack-switching "fibers-handle")
  (type $ft (fiber)) (tag $go) (tag $next (param i32 i32)) (func $body (param (ref $ft) i32) (event $go)) (func $f □))`,
	wasm.DialectTasks: `(module (@stack-switching "tasks")
  (tag $go) (tag $next (param i32 i32)) (func $body (param (ref task) i32)
    (block $l (event.switch ($go $l))) (task.retire $go (local.get 0))) (func $f □))`,
}

// TestSkeletonsOfEveryDesign takes each skeleton that is offered for each mnemonic of each design,
// fills its places with unreachable code, and checks that the module has no error.
func TestSkeletonsOfEveryDesign(t *testing.T) {
	for _, d := range wasm.Dialects() {
		module := pieceModules[d]
		for _, sk := range skeletons {
			if sk.of.Info().Dialect != d {
				continue
			}
			for _, word := range sk.words {
				head, tail, _ := strings.Cut(module, "□")
				before := head + "\n(" + word + ")\n(unreachable)"
				s := analysis.Open(source.NewFile("s.wat", before+tail), analysis.Options{})
				off := len(head) + 2 + len(word)
				n := 0
				for _, it := range Complete(s, off).Items {
					if it.Kind != ItemSnippet || !strings.HasPrefix(it.Label, word) {
						continue
					}
					n++
					text := strings.ReplaceAll(head+"\n("+it.Insert+")\n(unreachable)"+tail, "()", "(unreachable)")
					for _, x := range []string{"(local.get $arg0)", "(local.get $k)"} {
						text = strings.ReplaceAll(text, x, "(unreachable)")
					}
					text = strings.ReplaceAll(text, "$tag", "$go")
					for _, x := range analysis.Open(source.NewFile("s.wat", text), analysis.Options{}).Diagnostics() {
						if x.Severity == diag.Error {
							t.Errorf("%s, %s: %s\n%s", d, it.Label, x.Message, text)
						}
					}
				}
				if n == 0 && word != "handle" {
					t.Errorf("%s: no skeleton for %s", d, word)
				}
			}
		}
	}
}
