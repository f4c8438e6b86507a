package programs

import (
	"fmt"
	"strings"
)

// ClausePrograms returns a program for each design and way in which an event is looked up in
// clauses, as many as are said, of which the last one takes it. A unit is one event, or two. The
// names are those of the design and of what has the clauses.
func ClausePrograms(clauses int) map[string]string {
	last := fmt.Sprintf("$e%d", clauses-1)
	tags, labels, ends := "", "", ""
	for i := range clauses {
		tags += fmt.Sprintf("(tag $e%d)\n", i)
		if i < clauses-1 {
			labels += fmt.Sprintf("(block $l%d ", i)
			ends += "(unreachable))\n"
		}
	}
	// list writes a clause for each tag but the last, where another one stands.
	list := func(each, other string) string {
		var b strings.Builder
		for i := range clauses - 1 {
			b.WriteString(strings.ReplaceAll(each, "N", fmt.Sprint(i)))
		}
		return b.String() + strings.ReplaceAll(other, "LAST", last)
	}
	// module writes a module with a loop of n rounds, each of which leaves its block at label $h.
	module := func(dialect, fields, locals, before, round string) string {
		return `(module (@stack-switching "` + dialect + `") (tag $ask) (tag $ret) ` + tags + fields + `
		  (func (export "run") (param $n i32) (result i64) ` + locals + before + `
		    (loop $l ` + strings.ReplaceAll(round, "LAST", last) + `
		      (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
		    (i64.const 0)))`
	}
	contLabels, contEnds := "", ""
	for i := range clauses - 1 {
		contLabels += fmt.Sprintf("(block $l%d (result (ref $c)) ", i)
		contEnds += ")\n(drop) (unreachable)"
	}
	cont := `(type $f (func)) (type $c (cont $f)) (elem declare func $g $p $start)
		  (rec (type $fp (func (param (ref null $cp)))) (type $cp (cont $fp)))`
	return map[string]string{
		"cont/resume": module(
			"cont", cont+`(func $p (type $fp)) (func $start) (func $g (loop $l (suspend `+last+`) (br $l)))`,
			"(local $c (ref null $c))", "(local.set $c (cont.new $c (ref.func $g)))",
			`(block $h (result (ref $c)) `+contLabels+
				"(resume $c"+list(" (on $eN $lN)", " (on LAST $h)")+" (local.get $c)) (unreachable)"+contEnds+`)
		      (local.set $c)`,
		),
		"cont/switch": module(
			"cont", cont+`
			  (global $n (mut i32) (i32.const 0)) (func $g)
			  (func $p (type $fp) (param $k (ref null $cp))
			    (loop $l
			      (global.set $n (i32.sub (global.get $n) (i32.const 1)))
			      (if (i32.le_s (global.get $n) (i32.const 0)) (then (return)))
			      (local.set $k (switch $cp `+last+` (local.get $k)))
			      (br $l)))
			  (func $start (call $p (cont.new $cp (ref.func $p))))`,
			"", "(global.set $n (local.get $n))",
			"(resume $c"+list(" (on $eN switch)", " (on LAST switch)")+" (cont.new $c (ref.func $start))) (local.set $n (i32.const 1))",
		),
		"fibers-mount/labels": module(
			"fibers-mount", `
			  (func $g (param $me (ref fiber)) (loop $l (fiber.dismount `+last+` ($ask $l) (local.get $me))))`,
			"(local $f fiberref)", "(local.set $f (fiber.new $ret ($ask $g)))",
			"(block $h "+labels+"(fiber.mount $ask"+list(" ($eN $lN)", " (LAST $h)")+" (local.get $f)) (unreachable)"+ends+")",
		),
		"fibers-mount/entries": module(
			"fibers-mount", `(func $g (param (ref fiber))) (func $x (param (ref fiber)) (unreachable))`,
			"", "",
			"(block $h (fiber.mount LAST ($ret $h) (fiber.new $ret"+list(" ($eN $x)", " (LAST $g)")+")) (unreachable))",
		),
		"fibers-handle/handle": module(
			"fibers-handle", `
			  (type $g (fiber))
			  (func $g (param $me (ref null $g)) (unreachable)
			    (event $ask (loop $l (handle (fiber.suspend (local.get $me) `+last+`) (event $ask (br $l))))))`,
			"(local $f (ref null $g))", "(local.set $f (fiber.new $g))",
			"(handle (fiber.resume (local.get $f) $ask) (unreachable) "+list("(event $eN (unreachable))\n", "(event LAST)")+")",
		),
		"fibers-handle/function": module(
			"fibers-handle", `
			  (type $g (fiber))
			  (func $g (param $me (ref null $g)) (unreachable) `+list("(event $eN (unreachable))\n", "(event LAST)")+")",
			"", "", "(fiber.resume (fiber.new $g) LAST)",
		),
		"tasks/event.switch": module(
			"tasks", `
			  (func $g (param $me taskref)
			    (block $on (event.switch ($ask $on)))
			    (loop $l (task.suspend `+last+` (local.get $me)) (event.switch ($ask $l))))`,
			"(local $t taskref)", "(local.set $t (task.new $g))",
			"(block $h "+labels+"(task.resume $ask (local.get $t)) (event.switch"+list(" ($eN $lN)", " (LAST $h)")+")"+ends+")",
		),
	}
}
