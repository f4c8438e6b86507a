package valid

import (
	"testing"

	"stackscope/wasm"
)

var i32b = wasm.BlockResult(wasm.I32)

func TestControl(t *testing.T) {
	runBodies(t, []bodyCase{
		{name: "empty", body: body()},
		{name: "add", results: vals(wasm.I32), body: body(i32c, i32c, op(wasm.OpI32Add))},
		{name: "add of i64", results: vals(wasm.I32), body: body(i64c, i32c, op(wasm.OpI32Add)),
			want: []string{"type mismatch: instruction requires [i32 i32] but stack has [i64 i32] (i32.add)"}},
		{
			name: "too few", results: vals(wasm.I32), body: body(i32c, op(wasm.OpI32Add)),
			want: []string{"type mismatch: instruction requires [i32 i32] but stack has [i32]"},
		},
		{
			name: "missing result", results: vals(wasm.I32), body: body(),
			want: []string{"type mismatch: function body requires [i32] but stack has []"},
		},
		{
			name: "too many", body: body(i32c),
			want: []string{"type mismatch: function body requires [] but stack has [i32] (1 too many)"},
		},
		{name: "block", body: body(blk(wasm.OpBlock, i32b), i32c, end, drop)},
		{
			name: "block result", body: body(blk(wasm.OpBlock, i32b), i64c, end, drop),
			want: []string{"type mismatch: block requires [i32] but stack has [i64]"},
		},
		{
			name: "operands below a block", body: body(i32c, blk(wasm.OpBlock, 0), drop, end, drop),
			want: []string{"type mismatch: instruction requires [t] but stack has []"},
		},
		{
			name: "block with parameters",
			body: body(i32c, blk(wasm.OpBlock, wasm.BlockIndex(tI32toI64)), drop, i64c, end, drop),
		},
		{
			name: "loop label takes parameters",
			body: body(i32c, blk(wasm.OpLoop, wasm.BlockIndex(tI32toI64)), op(wasm.OpBr, 0), end, drop),
		},
		{name: "if", results: vals(wasm.I32), body: body(i32c, blk(wasm.OpIf, i32b), i32c, op(wasm.OpElse), i32c, end)},
		{
			name: "if without else", results: vals(wasm.I32),
			body: body(i32c, blk(wasm.OpIf, i32b), i32c, end),
			want: []string{"type mismatch: if without else"},
		},
		{name: "else without if", body: body(op(wasm.OpElse)), want: []string{"unexpected token: else"}},
		{name: "unreachable", results: vals(wasm.I32), body: body(unreachable, op(wasm.OpI32Add))},
		{
			name: "unreachable mismatch", results: vals(wasm.I32),
			body: body(unreachable, i64c, op(wasm.OpI32Add)),
			want: []string{"type mismatch: instruction requires [i32 i32] but stack has [i64]"},
		},
		{name: "unreachable rest", body: body(unreachable, i32c), want: []string{"type mismatch"}},
		{name: "unknown label", body: body(op(wasm.OpBr, 1)), want: []string{"unknown label 1"}},
		{name: "br_if keeps", results: vals(wasm.I32), body: body(i32c, i32c, op(wasm.OpBrIf, 0))},
		{
			name: "br_table", results: vals(wasm.I32),
			body: body(i32c, i32c, wasm.Instr{Op: wasm.OpBrTable, Ext: &wasm.Ext{Labels: []uint32{0, 0}}}),
		},
		{
			name: "br_table arity",
			body: body(
				blk(wasm.OpBlock, i32b), i32c, i32c,
				wasm.Instr{Op: wasm.OpBrTable, Ext: &wasm.Ext{Labels: []uint32{1, 0}}}, end, drop,
			),
			want: []string{"type mismatch: label 0 of br_table takes []"},
		},
		{name: "select", results: vals(wasm.I32), body: body(i32c, i32c, i32c, op(wasm.OpSelect))},
		{name: "select unreachable", results: vals(wasm.I32), body: body(unreachable, op(wasm.OpSelect))},
		{
			name: "select of refs",
			body: body(null(wasm.FuncRef), null(wasm.FuncRef), i32c, op(wasm.OpSelect), drop),
			want: []string{"type mismatch: select of references"},
		},
		{
			name: "select of a ref and an unknown",
			body: body(unreachable, null(wasm.FuncRef), i32c, op(wasm.OpSelect), drop),
			want: []string{"type mismatch: select of references"},
		},
		{
			name: "select differs", body: body(i64c, i32c, i32c, op(wasm.OpSelect), drop),
			want: []string{"type mismatch"},
		},
		{name: "invalid op absorbs", results: vals(wasm.I32), body: body(i64c, op(wasm.OpInvalid), op(wasm.OpI32Add))},
		{
			name: "bad block type absorbs", results: vals(wasm.I32),
			body: body(i64c, blk(wasm.OpBlock, wasm.BlockIndex(wasm.BadIndex)), i64c, end),
		},
		{name: "bad label absorbs", results: vals(wasm.I32), body: body(i64c, op(wasm.OpBr, wasm.BadIndex))},
		{
			name: "block without its result type is one error", results: vals(wasm.I32),
			body: body(blk(wasm.OpBlock, 0), i32c, end),
			want: []string{"type mismatch: block requires [] but stack has [i32]"},
		},
		{
			name: "if without its result type is one error", results: vals(wasm.I32),
			body: body(i32c, blk(wasm.OpIf, 0), i32c, op(wasm.OpElse), i32c, end, i32c, op(wasm.OpI32Add)),
			want: []string{"type mismatch: if requires [] but stack has [i32]"},
		},
		{
			name: "result type that is not meant is one error", body: body(blk(wasm.OpBlock, i32b), end),
			want: []string{"type mismatch: block requires [i32] but stack has []"},
		},
		{
			name: "operand outside of the block is one error",
			body: body(i32c, blk(wasm.OpBlock, 0), drop, end),
			want: []string{"type mismatch: instruction requires [t] but stack has []"},
		},
		{name: "after the end", body: append(body(), i32c), want: []string{"unexpected token"}},
	})
}

func TestVariables(t *testing.T) {
	nn := vals(ref(tVoid))
	runBodies(t, []bodyCase{
		{name: "get", params: vals(wasm.I64), results: vals(wasm.I64), body: body(op(wasm.OpLocalGet, 0))},
		{name: "unknown", body: body(op(wasm.OpLocalGet, 2), drop), want: []string{"unknown local 2"}},
		{name: "bad index absorbs", results: vals(wasm.I32), body: body(op(wasm.OpLocalGet, wasm.BadIndex))},
		{
			name: "uninitialised", locals: nn, body: body(op(wasm.OpLocalGet, 0), drop),
			want: []string{"uninitialized local 0"},
		},
		{
			name: "initialised", locals: nn,
			body: body(op(wasm.OpRefFunc, 1), op(wasm.OpLocalSet, 0), op(wasm.OpLocalGet, 0), drop),
		},
		{
			name:   "initialised in block",
			locals: nn,
			body: body(
				blk(wasm.OpBlock, 0), op(wasm.OpRefFunc, 1), op(wasm.OpLocalTee, 0), drop, end,
				op(wasm.OpLocalGet, 0), drop,
			),
			want: []string{"uninitialized local 0"},
		},
		{
			name:   "initialised in one arm",
			locals: nn,
			body: body(
				i32c, blk(wasm.OpIf, 0), op(wasm.OpRefFunc, 1), op(wasm.OpLocalSet, 0), op(wasm.OpElse),
				op(wasm.OpLocalGet, 0), drop, end,
			),
			want: []string{"uninitialized local 0"},
		},
		{name: "global", body: body(op(wasm.OpGlobalGet, 1), op(wasm.OpGlobalSet, 1))},
		{name: "immutable global", body: body(i32c, op(wasm.OpGlobalSet, 0)), want: []string{"immutable global"}},
		{name: "unknown global", body: body(i32c, op(wasm.OpGlobalSet, 9)), want: []string{"unknown global 9"}},
		{name: "local of unknown type", locals: vals(refNull(99)), body: body(), want: []string{"unknown type 99"}},
	})
}

func TestReferences(t *testing.T) {
	anyNull, eq := null(wasm.AnyRef), wasm.EqRef
	runBodies(t, []bodyCase{
		{name: "ref.func", body: body(op(wasm.OpRefFunc, 1), drop)},
		{name: "undeclared", body: body(op(wasm.OpRefFunc, 2), drop), want: []string{"undeclared function reference"}},
		{
			name: "undeclared in cont.new",
			body: body(op(wasm.OpRefFunc, 2), op(wasm.OpContNew, tContVoid), drop),
			want: []string{"undeclared function reference"},
		},
		{name: "unknown func", body: body(op(wasm.OpRefFunc, 7), drop), want: []string{"unknown function 7"}},
		{name: "is_null", body: body(anyNull, op(wasm.OpRefIsNull), drop)},
		{
			name: "is_null of i32", body: body(i32c, op(wasm.OpRefIsNull), drop),
			want: []string{"type mismatch: instruction requires [(ref null ht)] but stack has [i32]"},
		},
		{
			name: "as_non_null", results: vals(wasm.Ref(false, wasm.HeapAny)),
			body: body(anyNull, op(wasm.OpRefAsNonNull)),
		},
		{
			name: "as_non_null in unreachable code is a reference", results: vals(wasm.I32),
			body: body(unreachable, op(wasm.OpRefAsNonNull)), want: []string{"type mismatch"},
		},
		{name: "br_on_null", body: body(blk(wasm.OpBlock, 0), anyNull, op(wasm.OpBrOnNull, 0), drop, end)},
		{
			name: "br_on_non_null",
			body: body(
				blk(wasm.OpBlock, wasm.BlockResult(wasm.Ref(false, wasm.HeapAny))), anyNull,
				op(wasm.OpBrOnNonNull, 0), unreachable, end, drop,
			),
		},
		{
			name: "br_on_non_null label",
			body: body(blk(wasm.OpBlock, 0), anyNull, op(wasm.OpBrOnNonNull, 0), end),
			want: []string{"type mismatch"},
		},
		{name: "test", body: body(anyNull, rt(wasm.OpRefTest, 0, eq), drop)},
		{
			name: "cast across hierarchies", body: body(null(wasm.FuncRef), rt(wasm.OpRefCast, 0, eq), drop),
			want: []string{"type mismatch: instruction requires [anyref] but stack has [funcref]"},
		},
		{
			name: "cast to cont",
			body: body(null(refNull(tContVoid)), rt(wasm.OpRefCast, 0, refNull(tContVoid)), drop),
			want: []string{"invalid cast"},
		},
		{
			name: "br_on_cast", results: vals(eq),
			body: body(anyNull, rt(wasm.OpBrOnCast, 0, wasm.AnyRef, eq), drop, null(eq)),
		},
		{
			name: "br_on_cast not sub", results: vals(wasm.AnyRef),
			body: body(null(eq), rt(wasm.OpBrOnCast, 0, eq, wasm.AnyRef)),
			want: []string{"type mismatch on br_on_cast"},
		},
		{
			name: "br_on_cast_fail", results: vals(wasm.AnyRef),
			body: body(anyNull, rt(wasm.OpBrOnCastFail, 0, wasm.AnyRef, eq)),
		},
		{name: "convert", results: vals(wasm.ExternRef), body: body(anyNull, op(wasm.OpExternConvertAny))},
		{
			name: "convert keeps null", results: vals(wasm.Ref(false, wasm.HeapExtern)),
			body: body(anyNull, op(wasm.OpExternConvertAny)), want: []string{"type mismatch"},
		},
		{name: "null of unknown type", body: body(null(refNull(99)), drop), want: []string{"unknown type 99"}},
		{name: "null of bad type fits", results: vals(refNull(tVoid)), body: body(null(refNull(tBad)))},
	})
}

func TestCalls(t *testing.T) {
	runBodies(t, []bodyCase{
		{name: "call", body: body(op(wasm.OpCall, 1))},
		{
			name: "unknown", results: vals(wasm.I32), body: body(i64c, op(wasm.OpCall, 9)),
			want: []string{"unknown function 9"},
		},
		{name: "indirect", results: vals(wasm.I32), body: body(i32c, i32c, op(wasm.OpCallIndirect, 0, tI32))},
		{
			name: "indirect of externref", results: vals(wasm.I32),
			body: body(i32c, i64c, op(wasm.OpCallIndirect, 1, tI32)),
			want: []string{"type mismatch: call_indirect needs a table of functions"},
		},
		{
			name: "unknown table", results: vals(wasm.I32),
			body: body(i32c, i32c, op(wasm.OpCallIndirect, 5, tI32)), want: []string{"unknown table 5"},
		},
		{
			name: "type of another kind", body: body(i32c, op(wasm.OpCallIndirect, 0, tStruct)),
			want: []string{"non-function type 4"},
		},
		{name: "ref", results: vals(wasm.I32), body: body(i32c, null(refNull(tI32)), op(wasm.OpCallRef, tI32))},
		{
			name:    "ref of another type",
			results: vals(wasm.I32),
			body:    body(i32c, null(refNull(tVoid)), op(wasm.OpCallRef, tI32)),
			want: []string{
				"type mismatch: instruction requires [i32 (ref null (func (param i32) (result i32)))] but stack has [i32 (ref null (func))]",
			},
		},
		{name: "return_call ends the code", body: body(blk(wasm.OpBlock, i32b), op(wasm.OpReturnCall, 1), end, drop)},
		{
			name: "return_call results", results: vals(wasm.I32), body: body(op(wasm.OpReturnCall, 1)),
			want: []string{"type mismatch: return_call gives [], but the function must return [i32]"},
		},
		{
			name: "return_call_ref", results: vals(wasm.I32),
			body: body(i32c, null(refNull(tI32)), op(wasm.OpReturnCallRef, tI32)),
		},
	})
}

func TestAggregates(t *testing.T) {
	s, bytes, longs := null(refNull(tStruct)), null(refNull(tBytes)), null(refNull(tLongs))
	runBodies(t, []bodyCase{
		{
			name: "struct.new", results: vals(ref(tStruct)),
			body: body(i32c, i32c, op(wasm.OpRefFunc, 1), op(wasm.OpStructNew, tStruct)),
		},
		{
			name: "struct.new_default", body: body(op(wasm.OpStructNewDefault, tStruct), drop),
			want: []string{"field type is not defaultable"},
		},
		{
			name: "not a struct", body: body(i64c, op(wasm.OpStructNew, tVoid), drop),
			want: []string{"non-structure type 0"},
		},
		{name: "get", results: vals(wasm.I32), body: body(s, op(wasm.OpStructGet, tStruct, 0))},
		{
			name: "get packed", results: vals(wasm.I32), body: body(s, op(wasm.OpStructGet, tStruct, 1)),
			want: []string{"field is packed"},
		},
		{name: "get_s", results: vals(wasm.I32), body: body(s, op(wasm.OpStructGetS, tStruct, 1))},
		{
			name: "get_s unpacked", results: vals(wasm.I32),
			body: body(s, op(wasm.OpStructGetS, tStruct, 0)), want: []string{"field is unpacked"},
		},
		{
			name: "unknown field", results: vals(wasm.I32),
			body: body(s, op(wasm.OpStructGet, tStruct, 3)), want: []string{"unknown field 3"},
		},
		{name: "set", body: body(s, i32c, op(wasm.OpStructSet, tStruct, 0))},
		{
			name: "immutable field", body: body(s, i32c, op(wasm.OpStructSet, tStruct, 1)),
			want: []string{"immutable field"},
		},
		{name: "array.new", results: vals(ref(tBytes)), body: body(i32c, i32c, op(wasm.OpArrayNew, tBytes))},
		{
			name: "array.new_fixed", results: vals(ref(tLongs)),
			body: body(i64c, i64c, op(wasm.OpArrayNewFixed, tLongs, 2)),
		},
		{
			name: "array.new_fixed huge", results: vals(ref(tLongs)),
			body: body(i64c, op(wasm.OpArrayNewFixed, tLongs, 10_000)), want: []string{"type mismatch"},
		},
		{
			name: "array.new_fixed unreachable", results: vals(ref(tLongs)),
			body: body(unreachable, op(wasm.OpArrayNewFixed, tLongs, 10_000)),
		},
		{
			name: "array.new_fixed too long", results: vals(ref(tLongs)),
			body: body(unreachable, op(wasm.OpArrayNewFixed, tLongs, 1<<32-1)),
			want: []string{"the array has 4,294,967,295 operands, but engines accept at most 10,000"},
		},
		{name: "array.new_data", body: body(i32c, i32c, op(wasm.OpArrayNewData, tBytes, 0), drop)},
		{
			name: "array.new_data of refs", body: body(i32c, i32c, op(wasm.OpArrayNewData, tFuncRefs, 0), drop),
			want: []string{"array type is not numeric or vector"},
		},
		{name: "array.new_elem", body: body(i32c, i32c, op(wasm.OpArrayNewElem, tFuncRefs, 0), drop)},
		{
			name: "array.new_elem type", body: body(i32c, i32c, op(wasm.OpArrayNewElem, tFuncRefs, 1), drop),
			want: []string{"type mismatch"},
		},
		{name: "array.get", results: vals(wasm.I64), body: body(longs, i32c, op(wasm.OpArrayGet, tLongs))},
		{
			name: "array.get packed", results: vals(wasm.I32),
			body: body(bytes, i32c, op(wasm.OpArrayGet, tBytes)), want: []string{"field is packed"},
		},
		{name: "array.set", body: body(bytes, i32c, i32c, op(wasm.OpArraySet, tBytes))},
		{
			name: "immutable array", body: body(longs, i32c, i64c, op(wasm.OpArraySet, tLongs)),
			want: []string{"immutable array"},
		},
		{name: "array.copy", body: body(bytes, i32c, bytes, i32c, i32c, op(wasm.OpArrayCopy, tBytes, tBytes))},
		{
			name: "array.copy types",
			body: body(bytes, i32c, longs, i32c, i32c, op(wasm.OpArrayCopy, tBytes, tLongs)),
			want: []string{"array types do not match"},
		},
		{name: "array.init_data", body: body(bytes, i32c, i32c, i32c, op(wasm.OpArrayInitData, tBytes, 0))},
		{name: "array.fill", body: body(bytes, i32c, i32c, i32c, op(wasm.OpArrayFill, tBytes))},
		{
			name: "unknown data", body: body(bytes, i32c, i32c, i32c, op(wasm.OpArrayInitData, tBytes, 4)),
			want: []string{"unknown data segment 4"},
		},
	})
}

func TestMemoryAndTables(t *testing.T) {
	load := func(mem uint32, align uint8, off uint64) wasm.Instr {
		return wasm.Instr{Op: wasm.OpI32Load, A: mem, Align: align, Imm: off}
	}
	runBodies(t, []bodyCase{
		{name: "load", results: vals(wasm.I32), body: body(i32c, load(0, 2, 0))},
		{name: "load 64", results: vals(wasm.I32), body: body(i64c, load(1, 2, 1<<40))},
		{
			name: "load 64 by i32", results: vals(wasm.I32), body: body(i32c, load(1, 2, 0)),
			want: []string{"type mismatch: instruction requires [i64] but stack has [i32]"},
		},
		{
			name: "alignment", results: vals(wasm.I32), body: body(i32c, load(0, 3, 0)),
			want: []string{"alignment must not be larger than natural"},
		},
		{
			name: "offset", results: vals(wasm.I32), body: body(i32c, load(0, 2, 1<<32)),
			want: []string{"offset out of range"},
		},
		{
			name: "unknown memory", results: vals(wasm.I32), body: body(i64c, load(3, 2, 0)),
			want: []string{"unknown memory 3"},
		},
		{name: "store 64", body: body(i64c, i32c, wasm.Instr{Op: wasm.OpI32Store, A: 1})},
		{name: "copy mixed", body: body(i32c, i64c, i32c, op(wasm.OpMemoryCopy, 0, 1))},
		{name: "fill", body: body(i64c, i32c, i64c, op(wasm.OpMemoryFill, 1))},
		{name: "init", body: body(i64c, i32c, i32c, op(wasm.OpMemoryInit, 1, 0))},
		{name: "grow", results: vals(wasm.I64), body: body(i64c, op(wasm.OpMemoryGrow, 1))},
		{name: "unknown data", body: body(op(wasm.OpDataDrop, 1)), want: []string{"unknown data segment 1"}},
		{name: "unknown elem", body: body(op(wasm.OpElemDrop, 2)), want: []string{"unknown elem segment 2"}},
		{name: "table.get", results: vals(wasm.ExternRef), body: body(i64c, op(wasm.OpTableGet, 1))},
		{
			name: "table.set", body: body(i32c, null(wasm.ExternRef), op(wasm.OpTableSet, 0)),
			want: []string{"type mismatch"},
		},
		{
			name: "table.copy", body: body(i32c, i64c, i32c, op(wasm.OpTableCopy, 0, 1)),
			want: []string{"type mismatch: table 0 has elements"},
		},
		{name: "table.init", body: body(i32c, i32c, i32c, op(wasm.OpTableInit, 0, 0))},
		{name: "table.fill", body: body(i64c, null(wasm.ExternRef), i64c, op(wasm.OpTableFill, 1))},
		{
			name: "lane", results: vals(wasm.I32),
			body: body(num(wasm.OpV128Const, 0), wasm.Instr{Op: wasm.OpI16x8ExtractLaneS, Lane: 8}),
			want: []string{"invalid lane index"},
		},
		{
			name: "shuffle", results: vals(wasm.V128),
			body: body(
				num(wasm.OpV128Const, 0), num(wasm.OpV128Const, 0),
				wasm.Instr{Op: wasm.OpI8x16Shuffle, Imm: 0x20},
			),
			want: []string{"invalid lane index"},
		},
		{
			name: "load lane", results: vals(wasm.V128),
			body: body(i32c, num(wasm.OpV128Const, 0), wasm.Instr{Op: wasm.OpV128Load64Lane, Align: 3, Lane: 2}),
			want: []string{"invalid lane index"},
		},
	})
}

func TestExceptions(t *testing.T) {
	catch := func(k wasm.CatchKind, tag, label uint32) wasm.Instr {
		return wasm.Instr{Op: wasm.OpTryTable, Ext: &wasm.Ext{Catches: []wasm.Catch{{Kind: k, Tag: tag, Label: label}}}}
	}
	runBodies(t, []bodyCase{
		{name: "throw", body: body(i32c, op(wasm.OpThrow, gI32))},
		{
			name: "throw without", body: body(op(wasm.OpThrow, gI32)),
			want: []string{"type mismatch: instruction requires [i32] but stack has []"},
		},
		{name: "throw with results", body: body(i32c, op(wasm.OpThrow, gAsk))},
		{name: "throw_ref", body: body(null(wasm.ExnRef), op(wasm.OpThrowRef))},
		{name: "catch", body: body(blk(wasm.OpBlock, i32b), catch(wasm.CatchTag, gI32, 0), end, i32c, end, drop)},
		{name: "catch label is outside", body: body(catch(wasm.CatchAll, 0, 0), end)},
		{
			name: "catch types", body: body(catch(wasm.CatchTag, gI32, 0), end),
			want: []string{"type mismatch: the catch clause gives [i32], but its label takes []"},
		},
		{
			name: "catch_all_ref is not null",
			body: body(
				blk(wasm.OpBlock, wasm.BlockResult(exnRefNN)), catch(wasm.CatchAllRef, 0, 0), end, unreachable,
				end, drop,
			),
		},
		{
			name: "catch of tag with results",
			body: body(blk(wasm.OpBlock, i32b), catch(wasm.CatchTag, gAsk, 0), end, i32c, end, drop),
		},
		{
			name: "legacy", results: vals(wasm.I32),
			body: body(
				blk(wasm.OpTry, i32b), i32c, op(wasm.OpCatch, gI32), op(wasm.OpCatchAll), op(wasm.OpRethrow, 0),
				end,
			),
		},
		{name: "legacy delegate", body: body(blk(wasm.OpTry, 0), op(wasm.OpDelegate, 0))},
		{name: "rethrow outside", body: body(op(wasm.OpRethrow, 0)), want: []string{"invalid rethrow label"}},
		{name: "catch outside", body: body(op(wasm.OpCatchAll)), want: []string{"unexpected token"}},
	})
}
