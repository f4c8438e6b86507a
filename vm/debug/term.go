package debug

import (
	"strings"

	"stackscope/vm"
	"stackscope/wasm"
)

// What a condition compares are terms, compiled once: names are looked up, and expressions that are no
// more than arithmetic on constants, locals and globals are executed here. Everything else runs on
// the machine.

// term is a compiled operand of a condition.
type term struct {
	eval func(f *vm.Frame) (Typed, error)
	// integer gives the value of a term that is an integer, as compare takes it; nil if it is something
	// else or needs the machine.
	integer func(f *vm.Frame) int64
	// pure tells that eval only looks.
	pure bool
}

// integerTerm makes a term of a function that gives an integer.
func integerTerm(t wasm.ValType, get func(f *vm.Frame) int64) term {
	return term{integer: get, pure: true, eval: func(f *vm.Frame) (Typed, error) {
		v := vm.Value{Type: t, Lo: uint64(get(f))}
		if t == wasm.I32 {
			v.Lo = uint64(uint32(v.Lo))
		}
		return Typed{Value: v, Type: t}, nil
	}}
}

func (e *Engine) compileTerm(id FuncID, text string) term {
	text = strings.TrimSpace(text)
	slow := term{eval: func(f *vm.Frame) (Typed, error) { return e.one(f, text) }}
	fi := e.infoOf(id)
	if fi == nil || fi.fn == nil || text == "" {
		return slow
	}
	if e.isPath(fi, text) {
		return slow
	}
	if isCode(text) {
		x := e.compile(id, text)
		if x.err != nil || len(x.results) != 1 {
			return slow
		}
		if t, ok := fi.tiny(x); ok {
			return t
		}
		return slow
	}
	if v, ok := literal(text); ok {
		if v.Type == wasm.I64 {
			n := integer(v)
			return integerTerm(v.Type, func(*vm.Frame) int64 { return n })
		}
		return term{pure: true, eval: func(*vm.Frame) (Typed, error) { return v, nil }}
	}
	if i, ok := lookupLocal(fi, text); ok {
		switch fi.localType(i) {
		case wasm.I32:
			return integerTerm(wasm.I32, func(f *vm.Frame) int64 { return int64(int32(f.LocalNum(i))) })
		case wasm.I64:
			return integerTerm(wasm.I64, func(f *vm.Frame) int64 { return int64(f.LocalNum(i)) })
		case wasm.ValType(0):
			return slow
		}
		return term{pure: true, eval: func(f *vm.Frame) (Typed, error) {
			v := f.Local(i)
			return Typed{Value: v, Type: v.Type, In: f.Instance()}, nil
		}}
	}
	if i, ok := lookupName(fi.mod.Names.Globals, text); ok && int64(i) < int64(len(fi.mod.Globals)) {
		switch t := fi.mod.Globals[i].Type; t {
		case wasm.I32:
			return integerTerm(t, func(f *vm.Frame) int64 { return int64(int32(f.Instance().Global(i).Get().Lo)) })
		case wasm.I64:
			return integerTerm(t, func(f *vm.Frame) int64 { return int64(f.Instance().Global(i).Get().Lo) })
		default:
			return term{pure: true, eval: func(f *vm.Frame) (Typed, error) {
				in := f.Instance()
				return Typed{Value: in.Global(i).Get(), Type: t, In: in}, nil
			}}
		}
	}
	return slow
}

// localType gives the type of a local; the zero type if the function does not have it.
func (fi *funcInfo) localType(i int) wasm.ValType {
	ft := fi.mod.FuncType(fi.fn.Type)
	switch {
	case ft == nil || i < 0:
	case i < len(ft.Params):
		return ft.Params[i]
	case i-len(ft.Params) < len(fi.fn.Locals):
		return fi.fn.Locals[i-len(ft.Params)]
	}
	return wasm.ValType(0)
}

// tinyDepth bounds the operands of what is executed here.
const tinyDepth = 16

// tiny makes a term of a compiled expression if that is arithmetic on integers without side effects.
func (fi *funcInfo) tiny(x *expression) (term, bool) {
	body, depth := x.code, 0
	for i := range body {
		in := &body[i]
		switch in.Op {
		case wasm.OpI32Const, wasm.OpI64Const:
			depth++
		case wasm.OpLocalGet:
			if t := fi.localType(int(in.A)); t != wasm.I32 && t != wasm.I64 {
				return term{}, false
			}
			depth++
		case wasm.OpGlobalGet:
			if t := x.mod.Globals[in.A].Type; t != wasm.I32 && t != wasm.I64 {
				return term{}, false
			}
			depth++
		default:
			n, ok := tinyArity(in.Op)
			if !ok || depth < n {
				return term{}, false
			}
			depth -= n - 1
		}
		if depth > tinyDepth {
			return term{}, false
		}
	}
	t := x.results[0]
	if depth != 1 || t != wasm.I32 && t != wasm.I64 {
		return term{}, false
	}
	if t == wasm.I32 {
		return integerTerm(t, func(f *vm.Frame) int64 { return int64(int32(runTiny(body, f))) }), true
	}
	return integerTerm(t, func(f *vm.Frame) int64 { return int64(runTiny(body, f)) }), true
}

// tinyArity tells how many operands an operation has that is executed here.
func tinyArity(op wasm.Op) (int, bool) {
	switch op {
	case wasm.OpI32Eqz, wasm.OpI64Eqz, wasm.OpI32WrapI64, wasm.OpI64ExtendI32S, wasm.OpI64ExtendI32U:
		return 1, true
	case wasm.OpI32Eq, wasm.OpI32Ne, wasm.OpI32LtS, wasm.OpI32LtU, wasm.OpI32GtS, wasm.OpI32GtU, wasm.OpI32LeS, wasm.OpI32LeU, wasm.OpI32GeS, wasm.OpI32GeU,
		wasm.OpI64Eq, wasm.OpI64Ne, wasm.OpI64LtS, wasm.OpI64LtU, wasm.OpI64GtS, wasm.OpI64GtU, wasm.OpI64LeS, wasm.OpI64LeU, wasm.OpI64GeS, wasm.OpI64GeU,
		wasm.OpI32Add, wasm.OpI32Sub, wasm.OpI32Mul, wasm.OpI32And, wasm.OpI32Or, wasm.OpI32Xor,
		wasm.OpI64Add, wasm.OpI64Sub, wasm.OpI64Mul, wasm.OpI64And, wasm.OpI64Or, wasm.OpI64Xor:
		return 2, true
	}
	return 0, false
}

// runTiny executes what tiny has let through. An i32 is kept zero-extended.
func runTiny(body []wasm.Instr, f *vm.Frame) uint64 {
	var st [tinyDepth + 1]uint64
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

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
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
