package arith

import (
	"stackscope/vm"
	"stackscope/wasm"
)

// codeDepth bounds the operands of what is executed here.
const codeDepth = 16

// CodeTerm makes a term of code with one result of type t if that is arithmetic on integers without
// side effects. m is the module that it is compiled in, local returns the type of a local.
func CodeTerm(body []wasm.Instr, t wasm.ValType, m *wasm.Module, local func(int) wasm.ValType) (Term, bool) {
	depth := 0
	for i := range body {
		in := &body[i]
		switch in.Op {
		case wasm.OpI32Const, wasm.OpI64Const:
			depth++
		case wasm.OpLocalGet:
			if l := local(int(in.A)); l != wasm.I32 && l != wasm.I64 {
				return Term{}, false
			}
			depth++
		case wasm.OpGlobalGet:
			if g := m.Globals[in.A].Type; g != wasm.I32 && g != wasm.I64 {
				return Term{}, false
			}
			depth++
		default:
			n, ok := codeArity(in.Op)
			if !ok || depth < n {
				return Term{}, false
			}
			depth -= n - 1
		}
		if depth > codeDepth {
			return Term{}, false
		}
	}
	if depth != 1 || t != wasm.I32 && t != wasm.I64 {
		return Term{}, false
	}
	if t == wasm.I32 {
		return IntegerTerm(Shape{Type: t}, func(f *vm.Frame) int64 { return int64(int32(runCode(body, f))) }), true
	}
	return IntegerTerm(Shape{Type: t}, func(f *vm.Frame) int64 { return int64(runCode(body, f)) }), true
}

// codeArity reports how many operands an operation has that is executed here.
func codeArity(op wasm.Op) (int, bool) {
	switch op {
	case wasm.OpI32Eqz, wasm.OpI64Eqz, wasm.OpI32WrapI64, wasm.OpI64ExtendI32S, wasm.OpI64ExtendI32U:
		return 1, true
	case wasm.OpI32Eq, wasm.OpI32Ne, wasm.OpI32LtS, wasm.OpI32LtU, wasm.OpI32GtS, wasm.OpI32GtU,
		wasm.OpI32LeS, wasm.OpI32LeU, wasm.OpI32GeS, wasm.OpI32GeU, wasm.OpI64Eq, wasm.OpI64Ne,
		wasm.OpI64LtS, wasm.OpI64LtU, wasm.OpI64GtS, wasm.OpI64GtU, wasm.OpI64LeS, wasm.OpI64LeU,
		wasm.OpI64GeS, wasm.OpI64GeU, wasm.OpI32Add, wasm.OpI32Sub, wasm.OpI32Mul, wasm.OpI32And,
		wasm.OpI32Or, wasm.OpI32Xor, wasm.OpI64Add, wasm.OpI64Sub, wasm.OpI64Mul, wasm.OpI64And,
		wasm.OpI64Or, wasm.OpI64Xor:
		return 2, true
	}
	return 0, false
}

// runCode executes what tiny has let through. An i32 is kept zero-extended.
func runCode(body []wasm.Instr, f *vm.Frame) uint64 {
	var st [codeDepth + 1]uint64
	n := 0
	for i := range body {
		in := &body[i]
		switch in.Op {
		case wasm.OpI32Const, wasm.OpI64Const:
			st[n] = in.Imm
			n++
			continue
		case wasm.OpLocalGet:
			st[n] = f.LocalNum(int(in.A))
			n++
			continue
		case wasm.OpGlobalGet:
			st[n] = f.Instance().Global(in.A).Get().Lo
			n++
			continue
		case wasm.OpI32Eqz:
			st[n-1] = bit(uint32(st[n-1]) == 0)
			continue
		case wasm.OpI64Eqz:
			st[n-1] = bit(st[n-1] == 0)
			continue
		case wasm.OpI32WrapI64, wasm.OpI64ExtendI32U:
			st[n-1] = uint64(uint32(st[n-1]))
			continue
		case wasm.OpI64ExtendI32S:
			st[n-1] = uint64(int64(int32(st[n-1])))
			continue
		}
		n--
		st[n-1] = binary2(in.Op, st[n-1], st[n])
	}
	return st[0]
}

// binary2 executes an operation with two operands.
func binary2(op wasm.Op, a, b uint64) uint64 {
	x, y := int32(a), int32(b)
	u, v := uint32(a), uint32(b)
	p, q := int64(a), int64(b)
	switch op {
	case wasm.OpI32Eq:
		return bit(u == v)
	case wasm.OpI32Ne:
		return bit(u != v)
	case wasm.OpI32LtS:
		return bit(x < y)
	case wasm.OpI32LtU:
		return bit(u < v)
	case wasm.OpI32GtS:
		return bit(x > y)
	case wasm.OpI32GtU:
		return bit(u > v)
	case wasm.OpI32LeS:
		return bit(x <= y)
	case wasm.OpI32LeU:
		return bit(u <= v)
	case wasm.OpI32GeS:
		return bit(x >= y)
	case wasm.OpI32GeU:
		return bit(u >= v)
	case wasm.OpI64Eq:
		return bit(a == b)
	case wasm.OpI64Ne:
		return bit(a != b)
	case wasm.OpI64LtS:
		return bit(p < q)
	case wasm.OpI64LtU:
		return bit(a < b)
	case wasm.OpI64GtS:
		return bit(p > q)
	case wasm.OpI64GtU:
		return bit(a > b)
	case wasm.OpI64LeS:
		return bit(p <= q)
	case wasm.OpI64LeU:
		return bit(a <= b)
	case wasm.OpI64GeS:
		return bit(p >= q)
	case wasm.OpI64GeU:
		return bit(a >= b)
	case wasm.OpI32Add:
		return uint64(u + v)
	case wasm.OpI32Sub:
		return uint64(u - v)
	case wasm.OpI32Mul:
		return uint64(u * v)
	case wasm.OpI32And:
		return uint64(u & v)
	case wasm.OpI32Or:
		return uint64(u | v)
	case wasm.OpI32Xor:
		return uint64(u ^ v)
	case wasm.OpI64Add:
		return a + b
	case wasm.OpI64Sub:
		return a - b
	case wasm.OpI64Mul:
		return a * b
	case wasm.OpI64And:
		return a & b
	case wasm.OpI64Or:
		return a | b
	}
	return a ^ b
}
