package analysis_test

import (
	"slices"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
)

// An exception that one stack throws where another stands comes out of the switch of that one, and
// not out of the instruction that throws it, unless it is caught there. The function that a stack
// calls when control comes back counts as called.
func TestEffectsOfSwitchThrow(t *testing.T) {
	s := analysis.Open(source.NewFile("t.wat", `(module (@stack-switching "stacks")
	  (type $s (stack (param i32) (ref null $s)))
	  (tag $stop (param (ref null $s))) (tag $other (param (ref null $s))) (tag $own)
	  (func $switches (param $k (ref null $s)) (drop (drop (switch $s (i32.const 1) (local.get $k)))))
	  (func $catches (param $k (ref null $s))
	    (block $l (result (ref null $s))
	      (try_table (catch $stop $l) (call $switches (local.get $k)))
	      (return))
	    (drop))
	  (func $throws (param $k (ref null $s)) (return_switch_throw $s $stop $after (local.get $k)))
	  (func $after (param i32 (ref null $s)) (throw $own))
	  (func $retires (param $k (ref null $s)) (switch_retire $s (i32.const 1) (local.get $k)))
	  (func $none)
	  (export "a" (func $switches)) (export "b" (func $catches)) (export "c" (func $throws))
	  (export "d" (func $retires)) (export "e" (func $none)) (export "f" (tag $other)))`), analysis.Options{})
	m := s.Modules()[0]
	for name, want := range map[string][]uint32{
		"switches": {0}, "catches": nil, "throws": {2}, "after": {2}, "retires": nil, "none": nil,
	} {
		y, ok := m.Lookup(analysis.SpaceFunc, name)
		if got := m.StackEffects().Of(y.Index).Throws; !ok || !slices.Equal(got, want) {
			t.Errorf("$%s throws %v, not %v", name, got, want)
		}
	}
}
