package valid

import (
	"reflect"
	"testing"

	"stackscope/wasm"
)

func TestCont(t *testing.T) {
	k0, k1 := null(refNull(tContVoid)), null(refNull(tContI32))
	h := func(tag, label uint32) wasm.HandlerClause { return wasm.HandlerClause{Tag: tag, Label: label} }
	sw := func(tag uint32) wasm.HandlerClause { return wasm.HandlerClause{Tag: tag, Switch: true} }
	res := func(t wasm.ValType) wasm.Instr { return blk(wasm.OpBlock, wasm.BlockResult(t)) }
	runBodies(t, []bodyCase{
		{
			name: "cont.new", results: vals(ref(tContVoid)),
			body: body(op(wasm.OpRefFunc, 1), op(wasm.OpContNew, tContVoid)),
		},
		{
			name: "cont.new of a function type",
			body: body(op(wasm.OpRefFunc, 1), op(wasm.OpContNew, tVoid), drop),
			want: []string{"non-continuation type 0"},
		},
		{name: "cont.bind", results: vals(ref(tContI32)), body: body(k1, op(wasm.OpContBind, tContI32, tContI32))},
		{
			name: "cont.bind types", body: body(k1, op(wasm.OpContBind, tContI32, tContVoid), drop),
			want: []string{"type mismatch in continuation types"},
		},
		{name: "suspend", results: vals(wasm.I64), body: body(i32c, op(wasm.OpSuspend, gAsk))},
		{name: "unknown tag", body: body(op(wasm.OpSuspend, 9)), want: []string{"unknown tag 9"}},
		{name: "resume", results: vals(wasm.I32), body: body(i32c, k1, on(wasm.OpResume, tContI32, 0))},
		{
			name: "resume operands", results: vals(wasm.I32),
			body: body(k1, on(wasm.OpResume, tContI32, 0)), want: []string{"type mismatch"},
		},
		{
			name: "handler",
			body: body(res(ref(tContVoid)), k0, on(wasm.OpResume, tContVoid, 0, h(gVoid, 0)), unreachable, end, drop),
		},
		{
			name: "handler label null",
			body: body(
				res(refNull(tContVoid)), k0, on(wasm.OpResume, tContVoid, 0, h(gVoid, 0)), unreachable, end,
				drop,
			),
		},
		{
			name: "handler label is a loop",
			body: body(
				k0, blk(wasm.OpLoop, wasm.BlockIndex(tUnderTest)), on(wasm.OpResume, tContVoid, 0, h(gVoid, 0)),
				end,
			),
			params: vals(refNull(tContVoid)),
		},
		{
			name:    "loop with results does not do",
			results: vals(refNull(tContVoid)),
			body: body(
				blk(wasm.OpLoop, wasm.BlockIndex(tUnderTest)), k0, on(wasm.OpResume, tContVoid, 0, h(gVoid, 0)),
				k0, end,
			),
			want: []string{
				"type mismatch: the label of (on 0 …) has type [], but it also receives the suspended continuation",
			},
		},
		{
			name: "abstract label",
			body: body(
				res(wasm.Ref(false, wasm.HeapCont)), k0, on(wasm.OpResume, tContVoid, 0, h(gVoid, 0)),
				unreachable, end, drop,
			),
			want: []string{
				"type mismatch: instruction requires concrete continuation reference type but label has [(ref cont)]: it needs [(ref 2)]",
			},
		},
		{
			name: "function label",
			body: body(res(ref(tVoid)), k0, on(wasm.OpResume, tContVoid, 0, h(gVoid, 0)), unreachable, end, drop),
			want: []string{"non-continuation type 0"},
		},
		{
			name: "payload missing",
			body: body(res(ref(tContVoid)), k0, on(wasm.OpResume, tContVoid, 0, h(gI32, 0)), unreachable, end, drop),
			want: []string{
				"type mismatch: tag 1 brings [i32] before the continuation, but the label takes []: it needs [i32 (ref 2)]",
			},
		},
		{
			name: "a wrong label is one error",
			body: body(
				blk(wasm.OpBlock, i32b),
				k0,
				on(wasm.OpResume, tContVoid, 0, h(gI32, 0)),
				op(wasm.OpReturn),
				end,
				k0,
				on(wasm.OpResume, tContVoid, 0),
				op(wasm.OpSuspend, gVoid),
				on(
					wasm.OpResume, tContVoid, 0,
				),
				op(wasm.OpI32Eqz),
				drop,
			),
			want: []string{"type mismatch: the label of (on 1 …) has type [i32]"},
		},
		{
			name: "wrong continuation",
			body: body(res(ref(tContI32)), k0, on(wasm.OpResume, tContVoid, 0, h(gVoid, 0)), unreachable, end, drop),
			want: []string{
				"type mismatch: the continuation suspended with tag 0 takes [] and gives [], but the label's (ref (cont (func (param i32) (result i32)))) is one of [i32] -> [i32]: it needs [(ref 2)]",
			},
		},
		{
			name: "no such continuation type",
			body: body(res(ref(tContI32)), k0, on(wasm.OpResume, tContVoid, 0, h(gLong, 0)), unreachable, end, drop),
			want: []string{
				"type mismatch: the continuation suspended with tag 3 takes [i32] and gives [], but the label's (ref (cont (func (param i32) (result i32)))) is one of [i32] -> [i32]; it needs a continuation type of [i32] -> []",
			},
		},
		{
			name: "unknown label and tag",
			body: body(k0, on(wasm.OpResume, tContVoid, 0, h(9, 0), h(gVoid, 9))),
			want: []string{"unknown tag 9", "unknown label 9"},
		},
		{name: "bad index absorbs", body: body(k0, on(wasm.OpResume, tContVoid, 0, h(wasm.BadIndex, wasm.BadIndex)))},
		{
			name: "bad type absorbs", results: vals(wasm.I32),
			body: body(i64c, on(wasm.OpResume, wasm.BadIndex, 0, h(gVoid, 0))),
		},
		{name: "on switch", results: vals(wasm.I32), body: body(i32c, k1, on(wasm.OpResume, tContI32, 0, sw(gLong)))},
		{
			name: "on switch results", body: body(k0, on(wasm.OpResume, tContVoid, 0, sw(gLong))),
			want: []string{"type mismatch in switch tag: 3 has results [i32], but"},
		},
		{
			name: "on switch parameters", body: body(k0, on(wasm.OpResume, tContVoid, 0, sw(gI32))),
			want: []string{"type mismatch in switch tag"},
		},
		{name: "resume_throw", body: body(i32c, k0, on(wasm.OpResumeThrow, tContVoid, gI32))},
		{name: "resume_throw with results", body: body(i32c, k0, on(wasm.OpResumeThrow, tContVoid, gAsk))},
		{name: "resume_throw_ref", body: body(null(wasm.ExnRef), k0, on(wasm.OpResumeThrowRef, tContVoid, 0))},
		{name: "switch", body: body(i32c, null(refNull(tContSwap)), op(wasm.OpSwitch, tContSwap, gVoid))},
		{
			name: "switch tag", body: body(i32c, null(refNull(tContSwap)), op(wasm.OpSwitch, tContSwap, gI32)),
			want: []string{"type mismatch in switch tag"},
		},
		{
			name: "switch without a way back", body: body(k0, op(wasm.OpSwitch, tContVoid, gVoid)),
			want: []string{"type mismatch: switch needs a continuation"},
		},
		{name: "barrier", results: vals(wasm.I32), body: body(blk(wasm.OpBarrier, i32b), i32c, op(wasm.OpBr, 0), end)},
		{
			name: "other dialect", results: vals(wasm.I32), body: body(i64c, op(wasm.OpTaskNew, 0)),
			want: []string{`task.new is an instruction of the dialect "tasks", but the module is in "cont"`},
		},
	})
}

func TestHandlerMismatch(t *testing.T) {
	b := body(blk(wasm.OpBlock, wasm.BlockResult(refNull(tContI32))), null(refNull(tContI32)),
		on(wasm.OpResume, tContI32, 0, wasm.HandlerClause{Tag: gAsk, Label: 0}), unreachable, end, drop)
	b = append([]wasm.Instr{op(wasm.OpNop)}, b...)
	var got []Error
	New(fixture(nil, nil, nil, b)).Body(0, func(e Error) { got = append(got, e) })
	if len(got) != 2 || got[0].Clause == nil { // the second: resume has no argument
		t.Fatalf("%+v", got)
	}
	want := &ClauseMismatch{
		Tag: gAsk, Resume: 3, Block: 1, Has: vals(refNull(tContI32)),
		Needs: vals(wasm.I32, refNull(tContLong)), ContParams: vals(wasm.I64),
		ContResults: vals(wasm.I32),
	}
	if !reflect.DeepEqual(got[0].Clause, want) {
		t.Errorf("got  %+v\nwant %+v", got[0].Clause, want)
	}
	if got[0].Instr != 3 || got[0].Imm != 1 {
		t.Errorf("place %+v", got[0].Place)
	}
}
