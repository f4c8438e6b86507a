package debug

import (
	"errors"
	"fmt"
	"strings"

	"stackscope/vm"
	"stackscope/wasm"
)

// Conditions are evaluated each time a breakpoint is reached, so they are compiled once: names are
// looked up, and expressions that are no more than arithmetic on constants, locals and globals are
// executed here. Everything else runs on the machine.

// term is a compiled operand of a condition.
type term func(f *vm.Frame) (Typed, error)

// test is a compiled condition.
type test func(f *vm.Frame) (bool, error)

// compileTest compiles a condition for a function: an expression that is true if it is neither zero
// nor null, or a comparison of two expressions.
func (e *Engine) compileTest(id FuncID, text string) test {
	l, op, r := splitComparison(text)
	a := e.compileTerm(id, l)
	if r == "" {
		return func(f *vm.Frame) (bool, error) {
			v, err := a(f)
			if err != nil {
				return false, err
			}
			return truth(v), nil
		}
	}
	b := e.compileTerm(id, r)
	return func(f *vm.Frame) (bool, error) {
		x, err := a(f)
		if err != nil {
			return false, err
		}
		y, err := b(f)
		if err != nil {
			return false, err
		}
		return compare(x, op, y)
	}
}

func (e *Engine) compileTerm(id FuncID, text string) term {
	text = strings.TrimSpace(text)
	slow := func(f *vm.Frame) (Typed, error) { return e.one(f, text) }
	fi := e.infoOf(id)
	if fi == nil || fi.fn == nil || text == "" {
		return slow
	}
	if isCode(text) {
		x := e.compile(id, text)
		if x.err != nil || len(x.results) != 1 {
			return slow
		}
		if t := fi.tiny(x); t != nil {
			return t
		}
		return slow
	}
	if v, ok := literal(text); ok {
		return func(*vm.Frame) (Typed, error) { return v, nil }
	}
	if i, ok := lookupLocal(fi, text); ok {
		return func(f *vm.Frame) (Typed, error) {
			if i >= f.NumLocals() {
				return Typed{}, fmt.Errorf("there is no local %s", text)
			}
			v := f.Local(i)
			return Typed{v, v.Type, f.Instance()}, nil
		}
	}
	if i, ok := lookupName(fi.mod.Names.Globals, text); ok {
		t := fi.mod.Globals[i].Type
		return func(f *vm.Frame) (Typed, error) {
			in := f.Instance()
			g := in.Global(i)
			if g == nil {
				return Typed{}, fmt.Errorf("there is no global %s", text)
			}
			return Typed{g.Get(), t, in}, nil
		}
	}
	return slow
}

// tinyDepth bounds the operands of what is executed here.
const tinyDepth = 16

var errTiny = errors.New("the expression needs the machine")

// tiny makes a term of a compiled expression if that is arithmetic on numbers without side effects;
// nil if it is not.
func (fi *funcInfo) tiny(x *expression) term {
	fn := &x.mod.Funcs[x.fn]
	body := fn.Body[:len(fn.Body)-1]
	if len(body) < x.nlocals {
		return nil
	}
	body = body[:len(body)-x.nlocals] // what gives the locals back
	depth := 0
	for i := range body {
		in := &body[i]
		switch in.Op {
		case wasm.OpI32Const, wasm.OpI64Const:
			depth++
		case wasm.OpLocalGet:
			depth++
		case wasm.OpGlobalGet:
			if t := x.mod.Globals[in.A].Type; t != wasm.I32 && t != wasm.I64 {
				return nil
			}
			depth++
		default:
			n, ok := tinyArity(in.Op)
			if !ok || depth < n {
				return nil
			}
			depth -= n - 1
		}
		if depth > tinyDepth {
			return nil
		}
	}
	t := x.results[0]
	if depth != 1 || t != wasm.I32 && t != wasm.I64 {
		return nil
	}
	return func(f *vm.Frame) (Typed, error) {
		v, err := runTiny(body, f)
		if t == wasm.I32 {
			v = uint64(uint32(v))
		}
		return Typed{vm.Value{Type: t, Lo: v}, t, nil}, err
	}
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
func runTiny(body []wasm.Instr, f *vm.Frame) (uint64, error) {
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
			if int(in.A) >= f.NumLocals() {
				return 0, errTiny
			}
			st[n] = f.Local(int(in.A)).Lo
			n++
			continue
		case wasm.OpGlobalGet:
			g := f.Instance().Global(in.A)
			if g == nil {
				return 0, errTiny
			}
			st[n] = g.Get().Lo
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
	return st[0], nil
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
