package sourcemap_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"stackscope/analysis/debuginfo"
	"stackscope/analysis/debuginfo/sourcemap"
	"stackscope/wasm"
)

// items encodes items of `scopes`: the tag and unsigned numbers; a number in a slice is signed.
func items(list ...[]any) string {
	var out []string
	for _, it := range list {
		var b strings.Builder
		for _, x := range it {
			switch x := x.(type) {
			case int: // unsigned: without the sign bit
				for {
					d := x & 31
					if x >>= 5; x != 0 {
						d |= 32
					}
					b.WriteByte(digits[d])
					if x == 0 {
						break
					}
				}
			case []int:
				for _, n := range x {
					vlq(&b, n)
				}
			}
		}
		out = append(out, b.String())
	}
	return strings.Join(out, ",")
}

type s = []int // signed

func describe(b *strings.Builder, sc *debuginfo.Scope, indent string, pcs int) {
	fmt.Fprintf(b, "%s%d %s %v decl %s call %s\n", indent, sc.Kind, sc.Name, sc.Ranges, sc.Decl, sc.Call)
	for _, v := range sc.Vars {
		fmt.Fprintf(b, "%s  %s:", indent, v.Name)
		for pc := range pcs {
			w, err := v.Locate(pc, nil)
			switch {
			case errors.Is(err, debuginfo.ErrOptimizedOut):
				b.WriteString(" -")
			case err != nil:
				b.WriteString(" !")
			case w[0].Kind == debuginfo.Constant:
				fmt.Fprintf(b, " =%d", w[0].Bytes[0])
			default:
				fmt.Fprintf(b, " %d", w[0].Index)
			}
		}
		b.WriteByte('\n')
	}
	for _, x := range sc.Inner {
		describe(b, x, indent+"  ", pcs)
	}
}

// The scopes of a map name functions, say what was inlined, and where values are.
func TestScopes(t *testing.T) {
	n := wasm.OpNop
	m := module([]string{"f1", "f2"}, op(n, n, n, n, n, wasm.OpEnd), op(n, wasm.OpEnd))
	m.Names.Locals[0] = map[uint32]string{1: "a_1"}
	names := `"outer","total","inner","k","a_1","$var3","7","x.y"` // 0 …
	scopes := items(
		[]any{1, 1 | 4, 0, 0, s{0}}, // outer, from 0:0
		[]any{3, s{1, 2}},           // total, k
		[]any{1, 1 | 4, 2, 4, s{2}}, // inner, from 2:4
		[]any{3, s{-3, 3}},          // outer as a name of a variable, k
		[]any{2, 1, 0},
		[]any{2, 5, 1},
		[]any{4, 2 | 4, 98, s{0}}, // f1 is outer
		[]any{6, 5, 8},            // total: a_1, k: x.y
		[]any{7, 0, 0, 0, 4},      // total: nothing from 102 on
		[]any{4, 2, 4, s{1}},      // from 102: inner
		[]any{8, 0, 3, 1},         // called at 3:1
		[]any{6, 6, 7},            // $var3, 7
		[]any{5, 4},               // to 106
		[]any{5, 10},              // to 116
		[]any{40, 1, 2, 3},        // of a later version
	)
	mp := parse(t, `{"version":3,"sources":["a.x"],"names":[`+names+`],"mappings":"`+
		mappings([4]int{100, 0, 0, 0})+`","scopes":"`+scopes+`"}`)
	r := sourcemap.New(m, mp)
	f := r.Func(0)
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", f.Name, f.Decl)
	describe(&b, f.Root, "", 6)
	const want = `outer a.x:1:1
0 outer [{0 6}] decl a.x:1:1 call ?
  total: 1 - - - - -
  k: ! ! ! ! ! !
  1 inner [{1 3}] decl a.x:3:5 call a.x:4:2
    outer: 3 3 3 3 3 3
    k: =7 =7 =7 =7 =7 =7
`
	if b.String() != want || len(mp.Warnings) > 0 {
		t.Errorf("%s\nwant\n%s%q", b.String(), want, mp.Warnings)
	}
	// What is cut off is left out.
	for i := range scopes {
		mp := parse(t, `{"version":3,"sources":["a.x"],"names":[`+names+`],"mappings":"","scopes":"`+scopes[:i]+`"}`)
		if r := sourcemap.New(m, mp); r.Func(1) != nil {
			t.Errorf("%q: something of another function", scopes[:i])
		}
	}
}
