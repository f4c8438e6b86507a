package compile

import "stackscope/wasm"

// bulkSig returns the type of an instruction on whole memories, tables and segments. Of sizes and
// addresses only the class counts.
func (u *Unit) bulkSig(in *wasm.Instr) (params, results []wasm.ValType) {
	num := wasm.I32
	switch in.Op {
	case wasm.OpMemorySize, wasm.OpTableSize:
		return nil, []wasm.ValType{num}
	case wasm.OpMemoryGrow:
		return []wasm.ValType{num}, []wasm.ValType{num}
	case wasm.OpMemoryInit, wasm.OpMemoryCopy, wasm.OpMemoryFill, wasm.OpTableInit, wasm.OpTableCopy:
		return []wasm.ValType{num, num, num}, nil
	case wasm.OpTableGrow:
		return []wasm.ValType{wasm.FuncRef, num}, []wasm.ValType{num}
	case wasm.OpTableFill:
		return []wasm.ValType{num, wasm.FuncRef, num}, nil
	}
	return nil, nil
}

// objectSig returns the type of an instruction on structures, arrays and references. Of references
// only the class counts.
func (u *Unit) objectSig(in *wasm.Instr) (params, results []wasm.ValType) {
	num, ref := wasm.I32, wasm.AnyRef
	one := []wasm.ValType{ref}
	elem := func() wasm.ValType { return u.Mod.Types[in.A].Fields[0].Type.Unpacked() }
	switch in.Op {
	case wasm.OpRefTest:
		return one, []wasm.ValType{num}
	case wasm.OpRefCast, wasm.OpAnyConvertExtern, wasm.OpExternConvertAny:
		return one, one
	case wasm.OpRefI31:
		return []wasm.ValType{num}, one
	case wasm.OpI31GetS, wasm.OpI31GetU, wasm.OpArrayLen:
		return one, []wasm.ValType{num}
	case wasm.OpStructNew:
		for _, f := range u.Mod.Types[in.A].Fields {
			params = append(params, f.Type.Unpacked())
		}
		return params, one
	case wasm.OpStructNewDefault:
		return nil, one
	case wasm.OpStructGet, wasm.OpStructGetS, wasm.OpStructGetU:
		return one, []wasm.ValType{u.Mod.Types[in.A].Fields[in.B].Type.Unpacked()}
	case wasm.OpStructSet:
		return []wasm.ValType{ref, u.Mod.Types[in.A].Fields[in.B].Type.Unpacked()}, nil
	case wasm.OpArrayNew:
		return []wasm.ValType{elem(), num}, one
	case wasm.OpArrayNewDefault:
		return []wasm.ValType{num}, one
	case wasm.OpArrayNewFixed:
		for range in.B {
			params = append(params, elem())
		}
		return params, one
	case wasm.OpArrayNewData, wasm.OpArrayNewElem:
		return []wasm.ValType{num, num}, one
	case wasm.OpArrayGet, wasm.OpArrayGetS, wasm.OpArrayGetU:
		return []wasm.ValType{ref, num}, []wasm.ValType{elem()}
	case wasm.OpArraySet:
		return []wasm.ValType{ref, num, elem()}, nil
	case wasm.OpArrayFill:
		return []wasm.ValType{ref, num, elem(), num}, nil
	case wasm.OpArrayCopy:
		return []wasm.ValType{ref, num, ref, num, num}, nil
	case wasm.OpArrayInitData, wasm.OpArrayInitElem:
		return []wasm.ValType{ref, num, num, num}, nil
	}
	return nil, nil
}
