package vm

import (
	"context"
	"errors"
	"testing"

	"stackscope/wasm"
)

// legacyModule has two tags with an i32 and exports one function i32 -> i32 of the body.
func legacyModule(body ...wasm.Instr) *wasm.Module {
	m := module(
		[]wasm.SubType{ftype(i32s, i32s), ftype(i32s, nil)},
		testFunc(
			0, nil, ins(wasm.OpLocalGet, 0), ins(wasm.OpLocalGet, 0), blk(wasm.OpIf, wasm.BlockIndex(1)),
			ins(wasm.OpThrow, 0), ins(wasm.OpElse), ins(wasm.OpThrow, 1), ins(wasm.OpEnd),
			ins(wasm.OpUnreachable),
		),
		testFunc(0, nil, body...),
	)
	m.Tags = []wasm.Tag{{Type: 1, Import: -1}, {Type: 1, Import: -1}}
	return m
}

var resultI32 = wasm.BlockResult(wasm.I32)

// The function 0 throws tag 0 with its argument if that is not zero, else tag 1 with 0.
func TestLegacyExceptions(t *testing.T) {
	throw := []wasm.Instr{ins(wasm.OpLocalGet, 0), ins(wasm.OpCall, 0)}
	cat := func(parts ...any) (out []wasm.Instr) {
		for _, p := range parts {
			switch p := p.(type) {
			case wasm.Instr:
				out = append(out, p)
			case []wasm.Instr:
				out = append(out, p...)
			}
		}
		return out
	}
	end, try := ins(wasm.OpEnd), blk(wasm.OpTry, resultI32)
	add := func(n uint32) []wasm.Instr { return []wasm.Instr{i32c(n), ins(wasm.OpI32Add)} }
	for _, c := range []struct {
		name      string
		body      []wasm.Instr
		arg, want int32
	}{
		{"catch", cat(try, throw, ins(wasm.OpCatch, 0), add(100), end), 7, 107},
		{"second catch", cat(try, throw, ins(wasm.OpCatch, 0), add(100), ins(wasm.OpCatch, 1), add(200), end), 0, 200},
		{"catch_all", cat(try, throw, ins(wasm.OpCatch, 0), add(100), ins(wasm.OpCatchAll), i32c(9), end), 0, 9},
		{"no exception", cat(try, i32c(3), ins(wasm.OpCatch, 0), add(100), end, add(1)), 0, 4},
		{"rethrow", cat(try, try, throw, ins(wasm.OpCatchAll), ins(wasm.OpRethrow, 0), end, ins(wasm.OpCatch, 0), add(50), end), 5, 55},
		{"rethrow outer", cat(try, try, throw, ins(wasm.OpCatch, 0), ins(wasm.OpDrop), try, i32c(0), ins(wasm.OpCall, 0), ins(wasm.OpCatchAll), ins(wasm.OpRethrow, 1), end, end, ins(wasm.OpCatch, 0), add(50), end), 5, 55},
		{"delegate to try", cat(try, try, throw, ins(wasm.OpDelegate, 0), ins(wasm.OpCatch, 0), add(10), end), 5, 15},
		{"delegate past try", cat(try, try, try, throw, ins(wasm.OpDelegate, 1), ins(wasm.OpCatchAll), i32c(1), end, ins(wasm.OpCatch, 0), add(10), end), 5, 15},
		{"delegate to block", cat(try, blk(wasm.OpBlock, resultI32), try, try, throw, ins(wasm.OpDelegate, 1), ins(wasm.OpCatchAll), i32c(1), end, end, ins(wasm.OpCatch, 0), add(10), end), 5, 15},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, fn := start(t, legacyModule(c.body...))
			if r := call(t, m, fn, I32(c.arg)); r[0].I32() != c.want {
				t.Error(r[0].I32(), c.want)
			}
		})
	}
	m, fn := start(t, legacyModule(cat(try, throw, ins(wasm.OpDelegate, 0))...))
	_, err := m.Call(context.Background(), fn, I32(4))
	var x *Exception
	if !errors.As(err, &x) || x.Values[0].I32() != 4 {
		t.Error(err)
	}
}
