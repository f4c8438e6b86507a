package action

import (
	"slices"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/wasm"
)

// tagUses are modules in which `$u` is the one tag that is not declared, with the type that its use
// asks for: each instruction with a tag and each kind of clause of each design.
var tagUses = []struct{ dialect, text, want string }{
	{"cont", `(type $f (func (param i64) (result i32))) (type $c (cont $f)) (func (param $k (ref $c)) (result i32)
	  (block $on (result f32 (ref $c)) (return (resume $c (on $u $on) (i64.const 1) (local.get $k)))) (unreachable))`,
		"(param f32) (result i64)"},
	{"cont", `(func (result i32) (i32.add (suspend $u (i64.const 2)) (i32.const 1)))`, "(param i64) (result i32)"},
	{"cont", `(func (suspend $u))`, ""},
	{"cont", `(type $f (func)) (type $c (cont $f)) (func (param $k (ref $c))
	  (resume_throw $c $u (f64.const 1) (local.get $k)))`, "(param f64)"},
	{"cont", `(rec (type $f (func (param (ref null $c)) (result f32))) (type $c (cont $f))) (func (param $k (ref $c))
	  (result f32) (resume $c (on $u switch) (ref.null $c) (local.get $k)))`, "(result f32)"},
	{"cont", `(rec (type $f (func (param (ref null $c)) (result f32))) (type $c (cont $f))) (func (param $k (ref $c))
	  (result (ref null $c)) (switch $c $u (local.get $k)))`, "(result f32)"},
	{"none", `(func (throw $u (i32.const 1) (i64.const 2)))`, "(param i32 i64)"},
	{"none", `(func (block $l (result i32 exnref) (try_table (catch_ref $u $l)) (return)) (unreachable))`, "(param i32)"},

	{"stacks", `(rec (type $s (stack (param i32) (ref null $y))) (type $y (stack (param f32) (ref null $s))))
	  (func (param $t (ref $s)) (result f32 (ref null $s)) (switch_throw $s $u (i64.const 1) (local.get $t)))`,
		"(param i64 (ref null $y))"},
	{"stacks", `(rec (type $s (stack (param i32) (ref null $y))) (type $y (stack (param f32) (ref null $s))))
	  (func $f (param i32 f32 (ref null $s)))
	  (func (param $t (ref $s)) (return_switch_throw $s $u $f (i32.const 2) (i64.const 1) (local.get $t)))`,
		"(param i64 (ref null $y))"},

	{"fibers-mount", `(func (param $f fiberref) (fiber.mount $u (i64.const 1) (local.get $f)))`, "(param i64)"},
	{"fibers-mount", `(func (param $f fiberref) (fiber.dismount $u (i64.const 1) (local.get $f)))`, "(param i64)"},
	{"fibers-mount", `(func (param $f fiberref) i64.const 1 local.get $f fiber.dismount_release $u)`, "(param i64)"},
	{"fibers-mount", `(func (param $f fiberref) (fiber.switch $u (i64.const 1) (local.get $f) (local.get $f)))`,
		"(param i64)"},
	{"fibers-mount", `(func (param $f fiberref) (fiber.switch_release $u (local.get $f) (local.get $f)))`, ""},
	{"fibers-mount", `(tag $go) (func (param $f fiberref) (block $l (result f32)
	  (fiber.mount $go ($u $l) (local.get $f)) (return)) (drop))`, "(param f32)"},
	{"fibers-mount", `(tag $go) (func $b (param i32 (ref fiber)) (result f64) (unreachable))
	  (func (drop (fiber.new $u ($go $b) (i32.const 1))))`, "(param f64)"},
	{"fibers-mount", `(tag $r (param f64)) (func $b (param i32 (ref fiber) i64) (result f64) (unreachable))
	  (func (drop (fiber.new $r ($u $b) (i32.const 1))))`, "(param i64)"},
	{"fibers-mount", `(func $b (param (ref fiber)) (result f64) (unreachable))
	  (func (fiber.mount_new $u $b) (drop) (drop))`, "(param f64)"},
	{"fibers-mount", `(tag $r) (func $b (param (ref fiber))) (func (block $l (result (ref fiber) i32)
	  (drop (fiber.mount_new $r $b ($u $l))) (return)) (drop) (drop))`, "(param i32)"},
	{"fibers-mount", `(tag $r) (func $b (param (ref fiber))) (func (param $f fiberref) (block $l (result (ref fiber) i32)
	  (drop (fiber.switch_new $r $b ($u $l) (local.get $f))) (return)) (drop) (drop))`, "(param i32)"},

	{"fibers-handle", `(type $ft (fiber)) (func (param $f (ref $ft)) (fiber.resume $u (local.get $f) (i64.const 1)))`,
		"(param i64)"},
	{"fibers-handle", `(type $ft (fiber)) (func (param $f (ref $ft)) (fiber.suspend (local.get $f) $u (i64.const 1)))`,
		"(param i64)"},
	{"fibers-handle", `(type $ft (fiber)) (func (param $f (ref $ft)) local.get $f i64.const 1 fiber.retire $u)`,
		"(param i64)"},
	{"fibers-handle", `(type $ft (fiber)) (func (param $f (ref $ft))
	  (fiber.switch $u (local.get $f) (local.get $f) (i64.const 1)))`, "(param i64)"},
	{"fibers-handle", `(type $ft (fiber)) (func (param $f (ref $ft)) local.get $f local.get $f i32.const 1
	  fiber.retireto $u)`, "(param i32)"},
	{"fibers-handle", `(func (handle (event $u (param i32 i64) (drop) (drop))))`, "(param i32 i64)"},
	{"fibers-handle", `(func (handle (event $l $u (param i32) (drop))))`, "(param i32)"},

	{"tasks", `(func (param $t taskref) (block $x (task.resume $u (local.get $t) (i64.const 1)) (event.switch)))`,
		"(param i64)"},
	{"tasks", `(func (param $t taskref) (block $x (task.suspend (local.get $t) ($u (i64.const 1))) (event.switch)))`,
		"(param i64)"},
	{"tasks", `(func (param $t taskref) (task.retire (local.get $t) ($u (i64.const 1))))`, "(param i64)"},
	{"tasks", `(func (param $t taskref) (block $x local.get $t local.get $t f32.const 1 task.switchto $u event.switch))`,
		"(param f32)"},
	{"tasks", `(tag $go) (func (param $t taskref) (block $x (result i32 f32) (i32.const 1)
	  (task.resume $go (local.get $t)) (event.switch ($u $x))) (drop) (drop))`, "(param f32)"},
}

// errorsOf returns the errors of a text.
func errorsOf(s *analysis.Snapshot) (out []diag.Diagnostic) {
	for _, d := range s.Diagnostics() {
		if d.Severity == diag.Error {
			out = append(out, d)
		}
	}
	return out
}

// TestTagsOfEveryUse declares an undeclared tag, and changes one of another type, with the type that
// its use asks for: there is one error before and none after.
func TestTagsOfEveryUse(t *testing.T) {
	covered := map[wasm.Op]bool{}
	for _, c := range tagUses {
		head := `(module (@stack-switching "` + c.dialect + `") `
		if c.dialect == "none" {
			head = "(module "
		}
		declared := strings.TrimRight("(tag $u "+c.want, " ") + ")"
		for _, wrong := range []string{"", `(tag $u (param funcref)) `} {
			text := head + wrong + c.text + ")"
			s := analysis.Open(source.NewFile("t.wat", text), analysis.Options{})
			title := "Declare $u: " + declared
			if wrong != "" {
				title = "Change the tag to " + declared
			}
			errs := errorsOf(s)
			found := false
			for k := range errs {
				for _, x := range Fixes(s, &errs[k]) {
					if x.Title != title {
						continue
					}
					found = true
					for _, d := range errorsOf(s.EditAll(x.Edits)) {
						t.Errorf("%s\n%s: %s leaves: %s", c.dialect, text, title, d.Message)
					}
				}
			}
			if len(errs) != 1 && wrong == "" || wrong != "" && len(errs) > 0 && !found || wrong == "" && !found {
				t.Errorf("%s\n%s: no fix %q", c.dialect, text, title)
				for _, d := range errs {
					t.Log(d.Message)
				}
			}
			if wrong == "" {
				for _, u := range s.Tree().Units {
					for _, n := range u.Nodes {
						covered[n.Op] = true
					}
				}
			}
		}
	}
	for op := wasm.Op(1); op < wasm.NumOps; op++ {
		if imms := op.Info().Imms; slices.Contains(imms, wasm.ImmTag) && !op.Info().Legacy {
			first := wasm.Lookup(op.String())[0] // what the parser notes
			if !covered[op] && !covered[first] {
				t.Errorf("no case has %s", op)
			}
		}
	}
}
