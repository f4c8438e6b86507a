package vm

import "stackscope/wasm"

// inlined reports whether the dispatch loop has a case for a scalar numeric instruction; the others go
// through numeric.
func inlined(op wasm.Op) bool {
	switch op {
	case wasm.OpI32Eqz, wasm.OpI32Eq, wasm.OpI32Ne, wasm.OpI32LtS, wasm.OpI32LtU, wasm.OpI32GtS, wasm.OpI32GtU, wasm.OpI32LeS,
		wasm.OpI32LeU, wasm.OpI32GeS, wasm.OpI32GeU, wasm.OpI32Clz, wasm.OpI32Ctz, wasm.OpI32Add, wasm.OpI32Sub,
		wasm.OpI32Mul, wasm.OpI32And, wasm.OpI32Or, wasm.OpI32Xor, wasm.OpI32DivS, wasm.OpI32DivU, wasm.OpI32RemS, wasm.OpI32RemU,
		wasm.OpI32Shl, wasm.OpI32ShrS, wasm.OpI32ShrU, wasm.OpI32Rotl, wasm.OpI32Rotr, wasm.OpI64Eqz, wasm.OpI64Eq, wasm.OpI64Ne,
		wasm.OpI64LtS, wasm.OpI64LtU, wasm.OpI64GtS, wasm.OpI64GtU, wasm.OpI64LeS, wasm.OpI64LeU, wasm.OpI64GeS, wasm.OpI64GeU,
		wasm.OpI64Clz, wasm.OpI64Ctz, wasm.OpI64Add, wasm.OpI64Sub, wasm.OpI64Mul, wasm.OpI64And, wasm.OpI64Or,
		wasm.OpI64Xor, wasm.OpI64DivS, wasm.OpI64DivU, wasm.OpI64RemS, wasm.OpI64RemU, wasm.OpI64Shl, wasm.OpI64ShrS, wasm.OpI64ShrU,
		wasm.OpI64Rotl, wasm.OpI64Rotr, wasm.OpF32Eq, wasm.OpF32Ne, wasm.OpF32Lt, wasm.OpF32Gt, wasm.OpF32Le, wasm.OpF32Ge,
		wasm.OpF32Add, wasm.OpF32Sub, wasm.OpF32Mul, wasm.OpF32Div, wasm.OpF32Abs, wasm.OpF32Neg, wasm.OpF32Sqrt, wasm.OpF64Eq,
		wasm.OpF64Ne, wasm.OpF64Lt, wasm.OpF64Gt, wasm.OpF64Le, wasm.OpF64Ge, wasm.OpF64Add, wasm.OpF64Sub, wasm.OpF64Mul,
		wasm.OpF64Div, wasm.OpF64Abs, wasm.OpF64Neg, wasm.OpF64Sqrt, wasm.OpI32WrapI64, wasm.OpI64ExtendI32S, wasm.OpI64ExtendI32U, wasm.OpF32ConvertI32S,
		wasm.OpF64ConvertI32S, wasm.OpF64ConvertI32U, wasm.OpF64ConvertI64S, wasm.OpI32ReinterpretF32, wasm.OpI64ReinterpretF64, wasm.OpF32ReinterpretI32, wasm.OpF64ReinterpretI64, wasm.OpI32Extend8S,
		wasm.OpI32Extend16S, wasm.OpI64Extend8S, wasm.OpI64Extend16S, wasm.OpI64Extend32S:
		return true
	}
	return false
}
