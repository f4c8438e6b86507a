package valid

import (
	"testing"

	"stackscope/wasm"
)

// benchBody is a loop of ordinary code: locals, arithmetic, memory, branches, calls.
func benchBody(n int) []wasm.Instr {
	var b []wasm.Instr
	for range n {
		b = append(
			b,
			blk(wasm.OpBlock, 0),
			blk(wasm.OpLoop, 0),
			op(
				wasm.OpLocalGet, 0,
			),
			i32c,
			op(wasm.OpI32Add),
			op(wasm.OpLocalTee, 0),
			num(wasm.OpI32Const, 100),
			op(wasm.OpI32GeU),
			op(wasm.OpBrIf, 1),
			op(
				wasm.OpLocalGet, 0,
			),
			op(wasm.OpLocalGet, 0),
			wasm.Instr{Op: wasm.OpI32Load, Align: 2},
			wasm.Instr{Op: wasm.OpI32Store, Align: 2},
			op(wasm.OpLocalGet, 1),
			op(wasm.OpLocalGet, 1),
			op(wasm.OpI64Mul),
			op(wasm.OpLocalSet, 1),
			op(wasm.OpLocalGet, 2),
			op(wasm.OpCallRef, tVoid),
			op(wasm.OpCall, 1),
			op(wasm.OpBr, 0),
			end,
			end,
		)
	}
	return append(b, end)
}

func benchModule() *wasm.Module {
	return fixture(vals(wasm.I32, wasm.I64, ref(tVoid)), nil, nil, benchBody(50))
}

func BenchmarkStep(b *testing.B) {
	for _, trusted := range []bool{false, true} {
		name := "report=yes"
		if trusted {
			name = "report=nil"
		}
		b.Run(name, func(b *testing.B) {
			m := benchModule()
			report := func(err Error) { b.Fatal(err.Msg) }
			if trusted {
				report = nil
			}
			t := New(m).NewTyper(report)
			b.ReportAllocs()
			for b.Loop() {
				t.Body(0)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(m.Funcs[0].Body)), "ns/instr")
		})
	}
}

func TestNoAllocation(t *testing.T) {
	ty := New(benchModule()).NewTyper(nil)
	ty.Body(0)
	if n := testing.AllocsPerRun(10, func() { ty.Body(0) }); n != 0 {
		t.Errorf("%v allocations for a function", n)
	}
}
