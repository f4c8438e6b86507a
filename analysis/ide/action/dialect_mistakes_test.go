package action

import (
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
)

// TestDialectMistakes holds what people get wrong first in the designs of stack switching, as
// TestFirstMistakes does.
func TestDialectMistakes(t *testing.T) {
	const handle = `(module (@stack-switching "fibers-handle") (type $ft (fiber)) (tag $go) (tag $end) `
	const cont = `(module (type $ft (func (param i32))) (type $ct (cont $ft)) `
	const rec = `(module (rec (type $a (func (param i32))) (type $x (struct))) (type $ct (cont $a)) (elem declare func $f) `
	const recUse = ` (func (export "g") (drop (cont.new $ct «(ref.func $f)»))))`
	const recRight = ` (func (export "g") (drop (cont.new $ct (ref.func $f)))))`
	checkMistakes(t, [][]string{
		// Reference types without their parentheses.
		{handle + `(func (export "f") (param «ref» $ft)))`, handle + `(func (export "f") (param (ref $ft))))`},
		{handle + `(func (export "f") (param «ref» null $ft)))`, handle + `(func (export "f") (param (ref null $ft))))`},
		{handle + `(func (export "f") (param $x «ref» $ft)))`, handle + `(func (export "f") (param $x (ref $ft))))`},
		{handle + `(func (export "f") (result «ref» null $ft) (ref.null $ft)))`,
			handle + `(func (export "f") (result (ref null $ft)) (ref.null $ft)))`},
		{handle + `(tag $e (export "e") (param «ref» $ft)))`, handle + `(tag $e (export "e") (param (ref $ft))))`},
		{handle + `(func (export "f") (local $x «ref» null $ft)))`,
			handle + `(func (export "f") (local $x (ref null $ft))))`},
		{handle + `(global (export "g") (mut «ref» null $ft) (ref.null $ft)))`,
			handle + `(global (export "g") (mut (ref null $ft)) (ref.null $ft)))`},
		{cont + `(table (export "t") 1 «ref» null $ct))`, cont + `(table (export "t") 1 (ref null $ct)))`},
		{cont + `(type $s (struct (field $k «ref» null $ct))) (global (export "g") (ref $s) (struct.new_default $s)))`,
			cont + `(type $s (struct (field $k (ref null $ct)))) (global (export "g") (ref $s) (struct.new_default $s)))`},
		{cont + `(type $k2 (cont «ref» $ft)) (func (export "f") (param (ref $k2))))`,
			cont + `(type $k2 (cont $ft)) (func (export "f") (param (ref $k2))))`},
		{cont + `(type $k2 (cont «ref» null $ft)) (func (export "f") (param (ref $k2))))`,
			cont + `(type $k2 (cont $ft)) (func (export "f") (param (ref $k2))))`},

		// Names without their dollar.
		{handle + `(func (export "f") (handle (nop) (event «go_»))) (tag $go_))`,
			handle + `(func (export "f") (handle (nop) (event $go_))) (tag $go_))`},
		{handle + `(func (export "f") (handle (nop) (event «end_»))) (tag $end_))`,
			handle + `(func (export "f") (handle (nop) (event $end_))) (tag $end_))`},
		{handle + `(func (export "f") (handle (nop) (event «end_») (event $go))) (tag $end_))`,
			handle + `(func (export "f") (handle (nop) (event $end_) (event $go))) (tag $end_))`},
		{handle + `(func (export "f") (param $f (ref $ft)) (fiber.resume «go» (local.get $f))))`,
			handle + `(func (export "f") (param $f (ref $ft)) (fiber.resume $go (local.get $f))))`},
		{handle + `(func (export "f") (handle (nop) (event «finish_» (drop)))))`,
			handle + `(func (export "f") (handle (nop) (event «$finish_» (drop)))))`, ""},

		// Events without values.
		{handle + `(func (export "f") (param $f (ref $ft)) (fiber.resume (local.get $f) $go «()»)))`,
			handle + `(func (export "f") (param $f (ref $ft)) (fiber.resume (local.get $f) $go )))`},
		{handle + `(func (export "f") (param $f (ref $ft)) (fiber.suspend $go (local.get $f) «()»)))`,
			handle + `(func (export "f") (param $f (ref $ft)) (fiber.suspend $go (local.get $f) )))`},
		{handle + `(func (export "f") (handle (nop) (event $go) «()» (event $end))))`,
			handle + `(func (export "f") (handle (nop) (event $go)  (event $end))))`},
		{handle + `(func (export "f") (handle (nop) (event $go «()»))))`, handle + `(func (export "f") (handle (nop) (event $go ))))`},
		{`(module (@stack-switching "tasks") (tag $go) (func (export "f") (param $t taskref)
		  (block $l (task.resume $go (local.get $t) «()») (event.switch ($go $l)))))`,
			`(module (@stack-switching "tasks") (tag $go) (func (export "f") (param $t taskref)
		  (block $l (task.resume $go (local.get $t) ) (event.switch ($go $l)))))`},

		// Types of the same shape in several recursion groups.
		{rec + `(func $f (param i32))` + recUse, rec + `(func $f (type $a) (param i32))` + recRight},
		{rec + `(func $f (export "f") (param $n i32))` + recUse, rec + `(func $f (export "f") (type $a) (param $n i32))` + recRight},
		{rec + `(type $b (func (param i32))) (func $f (type $b))` + recUse,
			rec + `(type $b (func (param i32))) (func $f (type $a))` + recRight},
		{rec + `(func $f (param i32)) (func (export "g") ref.func $f «cont.new» $ct drop))`,
			rec + `(func $f (type $a) (param i32)) (func (export "g") ref.func $f cont.new $ct drop))`},
		{rec + `(func $f (param i32)) (func (export "g") (call_ref $a (i32.const 1) «(ref.func $f)»)))`,
			rec + `(func $f (type $a) (param i32)) (func (export "g") (call_ref $a (i32.const 1) (ref.func $f))))`},

		// Imports after definitions.
		{"(module\n  (func $f)\n  («import» \"m\" \"g\" (func $g))\n  (func (export \"h\") (call $f) (call $g)))",
			"(module\n  (import \"m\" \"g\" (func $g))\n  (func $f)\n  (func (export \"h\") (call $f) (call $g)))"},
		{"(module\n  ;; The first.\n  (func $f)\n  ;; Comes\n  ;; along.\n  (func $g («import» \"m\" \"g\"))\n  (func (export \"h\") (call $f) (call $g)))",
			"(module\n  ;; Comes\n  ;; along.\n  (func $g (import \"m\" \"g\"))\n  ;; The first.\n  (func $f)\n  (func (export \"h\") (call $f) (call $g)))"},
		{"(module\n  (memory 1)\n  (tag $t («import» \"m\" \"t\"))\n  (func (export \"h\") (throw $t)))",
			"(module\n  (tag $t (import \"m\" \"t\"))\n  (memory 1)\n  (func (export \"h\") (throw $t)))"},
	})
}

// TestSafeMistakes applies all safe fixes to mistakes that have only one meaning, several at once.
func TestSafeMistakes(t *testing.T) {
	for _, c := range []struct{ wrong, right string }{
		{
			"(module (@stack-switching \"fibers-handle\")\n  (type $ft (fiber))\n  (tag $go_)\n" +
				"  (func $f (export \"f\") (param ref $ft)\n    (handle (fiber.resume $go_ (local.get 0) ()) (event go_)))\n" +
				"  (func $g (import \"m\" \"g\"))\n  (func (export \"h\") (param ref $ft) (param ref $ft) (call $g)))",
			"(module (@stack-switching \"fibers-handle\")\n  (type $ft (fiber))\n  (func $g (import \"m\" \"g\"))\n  (tag $go_)\n" +
				"  (func $f (export \"f\") (param (ref $ft))\n    (handle (fiber.resume $go_ (local.get 0) ) (event $go_)))\n" +
				"  (func (export \"h\") (param (ref $ft)) (param (ref $ft)) (call $g)))",
		},
		{ // an index may mean another function then
			"(module (func $f) (import \"m\" \"g\" (func $g)) (func (export \"h\") (call 0) (call $g)))",
			"(module (func $f) (import \"m\" \"g\" (func $g)) (func (export \"h\") (call 0) (call $g)))",
		},
	} {
		s := analysis.Open(source.NewFile("w.wat", c.wrong), analysis.Options{})
		edits, n := FixAll(s)
		if got := s.EditAll(edits).File().Text; got != c.right {
			t.Errorf("%d fixes make\n%s\nwant\n%s", n, got, c.right)
		}
	}
}
