package vm_test

import (
	"testing"

	"stackscope/wasm"
)

const mountPrelude = `
  (tag $go) (tag $v (param i32)) (tag $ret (param i32)) (tag $none) (tag $x (param i32))
  (tag $in (param i32)) (tag $wide (param i32 fiberref i64))
  (global $g (mut i32) (i32.const 0))
  (global $a (mut fiberref) (ref.null fiber))
  (global $b (mut fiberref) (ref.null fiber))
  ;; yields n, n+1 … for each $go, ends with 99 at an $in
  (func $gen (param $n i32) (param $me (ref fiber)) (result i32)
    (block $in (result i32)
      (loop $l
        (local.set $n (i32.add (local.get $n) (i32.const 1)))
        (fiber.dismount $v ($go $l) ($in $in) (i32.sub (local.get $n) (i32.const 1)) (local.get $me)))
      (unreachable))
    (drop)
    (i32.const 99))
  (func $new (param $n i32) (result (ref fiber)) (fiber.new $ret ($go $gen) (local.get $n)))
  ;; mounts with $go: the value of its $v, or of its return and 1000
  (func $next (param $f fiberref) (result i32)
    (block $r (result i32)
      (block $h (result i32)
        (fiber.mount $go ($v $h) ($ret $r) (local.get $f))
        (return (i32.const -1)))
      (return))
    (i32.add (i32.const 1000)))
  (func $end (param $me (ref fiber)) (result i32) (i32.const 7))
  (func $throws (param $me (ref fiber)) (result i32) (throw $x (i32.const 5)))
`

var mountPrograms = []program{
	{"a generator", "33", `
	  (func (export "run") (result i32) (local $f fiberref)
	    (local.set $f (call $new (i32.const 10)))
	    (i32.add (call $next (local.get $f)) (i32.add (call $next (local.get $f)) (call $next (local.get $f)))))`},
	{"an entry for each event", "1207", `
	  (func $other (param $n i32) (param $me (ref fiber)) (param $p i32) (result i32)
	    (i32.add (i32.mul (local.get $n) (i32.const 100)) (local.get $p)))
	  (func (export "run") (result i32)
	    (block $r (result i32)
	      (fiber.mount $in ($ret $r) (i32.const 7) (fiber.new $ret ($go $gen) ($in $other) (i32.const 12)))
	      (i32.const -1)))`},
	{"the first matching entry counts", "1007", `
	  (func $e1 (param $me (ref fiber)) (result i32) (i32.const 7))
	  (func $e2 (param $me (ref fiber)) (result i32) (unreachable))
	  (func (export "run") (result i32) (call $next (fiber.new $ret ($none $e2) ($go $e1) ($go $e2))))`},
	{"no entry: the mount falls through", "-1", `
	  (func (export "run") (result i32) (call $next (fiber.new $ret ($none $end))))`},
	{"no entries at all", "-1", `
	  (func (export "run") (result i32) (call $next (fiber.new $ret)))`},
	{"what fell through can be tried again", "1007", `
	  (func (export "run") (result i32) (local $f fiberref)
	    (local.set $f (fiber.new $ret ($go $end)))
	    (fiber.mount $none (local.get $f))
	    (fiber.mount $v (i32.const 3) (local.get $f))
	    (call $next (local.get $f)))`},
	{"a dismount falls through", "5", `
	  (func $f (param $me (ref fiber)) (result i32)
	    (fiber.dismount $none (local.get $me))
	    (fiber.dismount_release $none (local.get $me))
	    (fiber.switch $none (local.get $me) (fiber.new $ret ($go $end)))
	    (fiber.switch_release $none (local.get $me) (fiber.new $ret ($go $end)))
	    (i32.const 5))
	  (func (export "run") (result i32)
	    (i32.sub (call $next (fiber.new $ret ($go $f))) (i32.const 1000)))`},
	{"another event for a suspended fiber", "99", `
	  (func (export "run") (result i32) (local $f fiberref)
	    (local.set $f (call $new (i32.const 10)))
	    (drop (call $next (local.get $f)))
	    (block $r (result i32)
	      (fiber.mount $in ($ret $r) (i32.const 1) (local.get $f))
	      (i32.const -1)))`},
	{"a return that nobody takes", "unhandled event $ret", `
	  (func (export "run") (result i32) (fiber.mount $go (fiber.new $ret ($go $end))) (i32.const 1))`},
	{"a fiber that has returned", "fiber is moribund", `
	  (func (export "run") (result i32) (local $f fiberref)
	    (local.set $f (fiber.new $ret ($go $end)))
	    (drop (call $next (local.get $f)))
	    (call $next (local.get $f)))`},
	{"an exception goes on in the parent", "5", `
	  (func (export "run") (result i32)
	    (block $h (result i32)
	      (try_table (catch $x $h) (drop (call $next (fiber.new $ret ($go $throws)))))
	      (i32.const -1)))`},
	{"after its exception a fiber is moribund", "fiber is moribund", `
	  (func (export "run") (result i32)
	    (global.set $a (fiber.new $ret ($go $throws)))
	    (block $h (result i32)
	      (try_table (catch $x $h) (drop (call $next (global.get $a))))
	      (i32.const -1))
	    (drop)
	    (call $next (global.get $a)))`},
	{"mount of null", "null fiber reference", `(func (export "run") (result i32) (call $next (ref.null fiber)))`},
	{
		"dismount of null", "null fiber reference",
		`(func (export "run") (result i32) (fiber.dismount $go (ref.null fiber)) (i32.const 1))`,
	},
	{
		"dismount_release of null", "null fiber reference",
		`(func (export "run") (result i32) (fiber.dismount_release $go (ref.null fiber)) (i32.const 1))`,
	},
	{
		"release of null", "null fiber reference",
		`(func (export "run") (result i32) (fiber.release (ref.null fiber)) (i32.const 1))`,
	},
	{"switch from null", "null fiber reference", `
	  (func (export "run") (result i32) (fiber.switch $go (ref.null fiber) (ref.null fiber)) (i32.const 1))`},
	{"switch to null", "null fiber reference", `
	  (func $f (param $me (ref fiber)) (result i32) (fiber.switch $go (local.get $me) (ref.null fiber)) (i32.const 1))
	  (func (export "run") (result i32) (call $next (fiber.new $ret ($go $f))))`},
	{"switch_new from null", "null fiber reference", `
	  (func (export "run") (result i32) (fiber.switch_new $ret $end (ref.null fiber)) (return))`},
	{"release is silent on a moribund fiber", "1", `
	  (func (export "run") (result i32) (local $f fiberref)
	    (local.set $f (call $new (i32.const 1)))
	    (fiber.release (local.get $f)) (fiber.release (local.get $f)) (i32.const 1))`},
	{"a released fiber", "fiber is moribund", `
	  (func (export "run") (result i32) (local $f fiberref)
	    (local.set $f (call $new (i32.const 1)))
	    (drop (call $next (local.get $f)))
	    (fiber.release (local.get $f)) (call $next (local.get $f)))`},
	{"release of the running fiber", "fiber has a control parent", `
	  (func $f (param $me (ref fiber)) (result i32) (fiber.release (local.get $me)) (i32.const 1))
	  (func (export "run") (result i32) (call $next (fiber.new $ret ($go $f))))`},
	{"mount of the running fiber", "fiber has a control parent", `
	  (func $f (param $me (ref fiber)) (result i32) (call $next (local.get $me)))
	  (func (export "run") (result i32) (call $next (fiber.new $ret ($go $f))))`},
	{"dismount of what is not active", "fiber is not current nor an ancestor", `
	  (func (export "run") (result i32) (fiber.dismount $go (call $new (i32.const 1))) (i32.const 1))`},
	{"switch from what is not active", "fiber is not current nor an ancestor", `
	  (func (export "run") (result i32) (fiber.switch $go (call $new (i32.const 1)) (ref.null fiber)) (i32.const 1))`},
	{"switch to what is mounted", "fiber has a control parent", `
	  (func $inner (param $me (ref fiber)) (result i32)
	    (fiber.switch $go (local.get $me) (global.get $a)) (i32.const 1))
	  (func $outer (param $me (ref fiber)) (result i32)
	    (global.set $a (local.get $me))
	    (call $next (fiber.new $ret ($go $inner))))
	  (func (export "run") (result i32) (call $next (fiber.new $ret ($go $outer))))`},
	{"switch gives the parent on", "1018", `
	  (func $two (param $me (ref fiber)) (param $n i32) (result i32)
	    (i32.add (local.get $n) (i32.const 1)))
	  (func $one (param $me (ref fiber)) (result i32)
	    (fiber.switch $in (i32.const 17) (local.get $me) (fiber.new $ret ($in $two)))
	    (unreachable))
	  (func (export "run") (result i32) (call $next (fiber.new $ret ($go $one))))`},
	{"what was switched from can be mounted", "1004", `
	  (func $two (param $me (ref fiber)) (result i32) (call $next (global.get $a)))
	  (func $one (param $me (ref fiber)) (result i32)
	    (global.set $a (local.get $me))
	    (block $on (fiber.switch $go ($go $on) (local.get $me) (fiber.new $ret ($go $two))) (unreachable))
	    (i32.const -996))
	  (func (export "run") (result i32) (call $next (fiber.new $ret ($go $one))))`},
	{"switch to itself", "1042", `
	  (func $f (param $me (ref fiber)) (result i32)
	    (fiber.switch $go (local.get $me) (local.get $me))
	    (block $h (result i32)
	      (fiber.switch $in ($in $h) (i32.const 42) (local.get $me) (local.get $me))
	      (i32.const -1)))
	  (func (export "run") (result i32) (call $next (fiber.new $ret ($go $f))))`},
	{"switch_release to itself falls through", "1001", `
	  (func $f (param $me (ref fiber)) (result i32)
	    (fiber.switch_release $go (local.get $me) (local.get $me))
	    (i32.const 1))
	  (func (export "run") (result i32) (call $next (fiber.new $ret ($go $f))))`},
	{"dismounting an ancestor detaches a segment", "112", `
	  (func $inner (param $me (ref fiber)) (result i32)
	    (block $on (fiber.dismount $v ($go $on) (i32.const 1) (global.get $a)) (unreachable))
	    (i32.const 10))
	  (func $outer (param $me (ref fiber)) (result i32)
	    (i32.sub (call $next (fiber.new $ret ($go $inner))) (i32.const 999)))
	  (func (export "run") (result i32)
	    (global.set $a (fiber.new $ret ($go $outer)))
	    (i32.add (i32.mul (call $next (global.get $a)) (i32.const 101)) (i32.sub (call $next (global.get $a)) (i32.const 1000))))`},
	{"a fiber within a segment cannot be mounted", "fiber has a control parent", `
	  (func $inner (param $me (ref fiber)) (result i32)
	    (global.set $b (local.get $me))
	    (fiber.dismount $v (i32.const 1) (global.get $a)) (unreachable))
	  (func $outer (param $me (ref fiber)) (result i32) (call $next (fiber.new $ret ($go $inner))))
	  (func (export "run") (result i32)
	    (global.set $a (fiber.new $ret ($go $outer)))
	    (drop (call $next (global.get $a)))
	    (call $next (global.get $b)))`},
	{"release takes the segment along", "fiber is moribund", `
	  (func $inner (param $me (ref fiber)) (result i32)
	    (global.set $b (local.get $me))
	    (fiber.dismount $v (i32.const 1) (global.get $a)) (unreachable))
	  (func $outer (param $me (ref fiber)) (result i32) (call $next (fiber.new $ret ($go $inner))))
	  (func (export "run") (result i32)
	    (global.set $a (fiber.new $ret ($go $outer)))
	    (drop (call $next (global.get $a)))
	    (fiber.release (global.get $a))
	    (call $next (global.get $b)))`},
	{"dismount_release ends the fiber", "fiber is moribund", `
	  (func $f (param $me (ref fiber)) (result i32) (fiber.dismount_release $v (i32.const 3) (local.get $me)) (unreachable))
	  (func (export "run") (result i32)
	    (global.set $a (fiber.new $ret ($go $f)))
	    (if (i32.ne (call $next (global.get $a)) (i32.const 3)) (then (return (i32.const -1))))
	    (call $next (global.get $a)))`},
	{"switch_release ends the segment", "fiber is moribund", `
	  (func $two (param $me (ref fiber)) (result i32) (call $next (global.get $b)))
	  (func $inner (param $me (ref fiber)) (result i32)
	    (global.set $b (local.get $me))
	    (fiber.switch_release $go (global.get $a) (fiber.new $ret ($go $two))) (unreachable))
	  (func $outer (param $me (ref fiber)) (result i32) (call $next (fiber.new $ret ($go $inner))))
	  (func (export "run") (result i32)
	    (global.set $a (fiber.new $ret ($go $outer)))
	    (call $next (global.get $a)))`},
	{"mount_new, and a return", "57", `
	  (func $f (param $n i32) (param $me (ref fiber)) (result i32) (i32.add (local.get $n) (i32.const 7)))
	  (func (export "run") (result i32) (local $n i32)
	    (fiber.mount_new $ret $f (i32.const 50))
	    (local.set $n) (drop) (local.get $n))`},
	{"mount_new, and events", "61", `
	  (func $f (param $n i32) (param $me (ref fiber)) (result i32)
	    (block $on (fiber.dismount $v ($go $on) (local.get $n) (local.get $me)) (unreachable))
	    (i32.const 11))
	  (func (export "run") (result i32) (local $f fiberref) (local $n i32)
	    (block $h (result (ref fiber) i32)
	      (fiber.mount_new $ret $f ($v $h) (i32.const 50))
	      (unreachable))
	    (local.set $n) (local.set $f)
	    (i32.add (local.get $n) (i32.sub (call $next (local.get $f)) (i32.const 1000))))`},
	{"the own return comes before any clause", "50", `
	  (func $f (param $n i32) (param $me (ref fiber)) (result i32) (local.get $n))
	  (func (export "run") (result i32) (local $n i32)
	    (block $h (result (ref fiber) i32)
	      (fiber.mount_new $ret $f ($ret $h) (i32.const 50))
	      (local.set $n) (drop) (return (local.get $n)))
	    (unreachable))`},
	{"switch_new", "73", `
	  (func $two (param $n i32) (param $me (ref fiber)) (result i32)
	    (i32.add (local.get $n) (i32.const 3)))
	  (func $one (param $me (ref fiber)) (result i32)
	    (fiber.switch_new $ret $two (i32.const 70) (local.get $me)) (unreachable))
	  (func (export "run") (result i32) (i32.sub (call $next (fiber.new $ret ($go $one))) (i32.const 1000)))`},
	{"what switch_new left is resumed with the new fiber", "88", `
	  (func $two (param $n i32) (param $me (ref fiber)) (result i32)
	    (fiber.switch $in (local.get $n) (local.get $me) (global.get $a))
	    (unreachable))
	  (func $one (param $me (ref fiber)) (result i32) (local $n i32)
	    (global.set $a (local.get $me))
	    (block $on (result (ref fiber) i32)
	      (fiber.switch_new $ret $two ($in $on) (i32.const 87) (local.get $me))
	      (unreachable))
	    (local.set $n)
	    (fiber.release)
	    (i32.add (local.get $n) (i32.const 1)))
	  (func (export "run") (result i32) (i32.sub (call $next (fiber.new $ret ($go $one))) (i32.const 1000)))`},
	{"whoever sends the own return to switch_new", "76", `
	  (func $two (param $n i32) (param $me (ref fiber)) (result i32)
	    (fiber.switch $ret (local.get $n) (local.get $me) (global.get $a))
	    (unreachable))
	  (func $one (param $me (ref fiber)) (result i32) (local $n i32)
	    (global.set $a (local.get $me))
	    (fiber.switch_new $ret $two (i32.const 75) (local.get $me))
	    (local.set $n) (drop)
	    (i32.add (local.get $n) (i32.const 1)))
	  (func (export "run") (result i32) (i32.sub (call $next (fiber.new $ret ($go $one))) (i32.const 1000)))`},
	{"values of every class", "12", `
	  (func $f (param $i i64) (param $r fiberref) (param $me (ref fiber)) (param i32 fiberref i64) (result i32)
	    (fiber.dismount $wide (i32.wrap_i64 (local.get $i)) (local.get 4) (i64.extend_i32_u (local.get 3)) (local.get $me))
	    (unreachable))
	  (func (export "run") (result i32) (local $i i64) (local $t fiberref)
	    (block $h (result i32 fiberref i64)
	      (fiber.mount $wide ($wide $h) (i32.const 7) (call $new (i32.const 1)) (i64.const 9)
	        (fiber.new $ret ($wide $f) (i64.const 4) (ref.null fiber)))
	      (unreachable))
	    (local.set $i) (local.set $t)
	    (i32.add (i32.wrap_i64 (local.get $i)))
	    (i32.add (i32.eqz (ref.is_null (local.get $t)))))`},
	{"the loop of the clause", "10", `
	  (func (export "run") (result i32) (local $f fiberref) (local $n i32) (local $got i32)
	    (local.set $f (call $new (i32.const 0)))
	    (i32.const -1)
	    (loop $l (param i32) (result i32)
	      (local.set $got)
	      (if (i32.lt_s (local.get $got) (i32.const 9)) (then
	        (local.set $n (i32.add (local.get $n) (i32.const 1)))
	        (i32.const 0) (fiber.mount $go ($v $l) (local.get $f))
	        (unreachable)))
	      (local.get $n)))`},
	{"many live fibers", "20000", `
	  (table $t 20000 fiberref)
	  (func (export "run") (result i32) (local $i i32) (local $n i32)
	    (loop $fill
	      (table.set $t (local.get $i) (call $new (local.get $i)))
	      (drop (call $next (table.get $t (local.get $i))))
	      (br_if $fill (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 20000))))
	    (local.set $i (i32.const 0))
	    (loop $all
	      (local.set $n (i32.add (local.get $n) (i32.eq (call $next (table.get $t (local.get $i))) (i32.add (local.get $i) (i32.const 1)))))
	      (br_if $all (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 20000))))
	    (local.get $n))`},
}

func TestMount(t *testing.T) {
	runPrograms(t, wasm.DialectFibersMount, `(@stack-switching "fibers-mount")`+mountPrelude, mountPrograms)
}
