package dwarf

import (
	std "debug/dwarf"
	"errors"
	"math"
)

// baseType sets the type of a value: that of an entry of the unit; 0 is the generic type.
func (m *machine) baseType(off uint64, v *value) (std.Tag, error) {
	if off == 0 {
		v.enc, v.size = 0, m.u.asize
		return 0, nil
	}
	var d die
	x, ok := m.u.local(val{form: formRefUdata, u: off})
	if !ok || !d.read(m.u, x) || d.tag != std.TagBaseType {
		return 0, malformed("%#x is no base type", off)
	}
	size, _ := d.num(std.AttrByteSize)
	if n, ok := d.num(std.AttrBitSize); ok && size == 0 {
		size = (n + 7) / 8
	}
	enc, _ := d.num(std.AttrEncoding)
	if size < 1 || size > 8 || enc < 1 || enc > 0xff {
		return 0, malformed("a base type of %d bytes", size)
	}
	v.size, v.enc = uint8(size), uint8(enc)
	return d.tag, nil
}

// typed executes an operation that names a base type.
func (m *machine) typed(op uint8, r *buf) error {
	var to value
	if _, err := m.baseType(r.uleb(), &to); err != nil {
		return err
	}
	if op == opConstType || op == opGNUConstType {
		b := buf{b: r.bytes(uint64(r.u8()))}
		if to.x = b.fixed(int(to.size)); b.bad || to.enc == 0 {
			return malformed("a constant of another size")
		}
		return m.push(to)
	}
	v, err := m.pop()
	if err != nil {
		return err
	}
	from := v.size
	if from == 0 {
		from = 8
	}
	switch {
	case op == opReinterpret || op == opGNUReinterpret:
		if from != to.size && v.size != 0 {
			return malformed("it reinterprets a value of another size")
		}
		to.x = truncate(v.x, to.size)
	case v.enc == ateFloat || to.enc == ateFloat:
		to.x = convertFloat(v, to)
	default:
		to.x = truncate(v.signed(), to.size)
	}
	return m.push(to)
}

// isSigned reports whether the value's type has a sign.
func (v value) isSigned() bool {
	return v.enc == ateSigned || v.enc == ateSignedChar || v.enc == 0 && v.size == 0
}

// signed returns the number extended to 64 bits as its type has it.
func (v value) signed() uint64 {
	if v.isSigned() {
		return extend(v.x, v.size)
	}
	return v.x
}

func (v value) float() float64 {
	switch {
	case v.enc == ateFloat && v.size == 4:
		return float64(math.Float32frombits(uint32(v.x)))
	case v.enc == ateFloat:
		return math.Float64frombits(v.x)
	case v.isSigned():
		return float64(int64(v.signed()))
	}
	return float64(v.x)
}

// convertFloat converts a value to a type, one of which is a floating-point type.
func convertFloat(v, to value) uint64 {
	f := v.float()
	switch {
	case to.enc == ateFloat && to.size == 4:
		return uint64(math.Float32bits(float32(f)))
	case to.enc == ateFloat:
		return math.Float64bits(f)
	case math.IsNaN(f) || f >= 1<<64 || f < -1<<63:
		return 0
	case f < 0:
		return truncate(uint64(int64(f)), to.size)
	}
	return truncate(uint64(f), to.size)
}

func truth(b bool) value {
	if b {
		return value{x: 1}
	}
	return value{}
}

// arith executes an operation on numbers.
func (m *machine) arith(op uint8) error {
	b, err := m.pop()
	if err != nil {
		return err
	}
	if op == opAbs || op == opNeg || op == opNot {
		v, err := monadic(op, b)
		if err != nil {
			return err
		}
		return m.push(v)
	}
	a, err := m.pop()
	if err != nil {
		return err
	}
	if op != opShl && op != opShr && op != opShra && a.enc != b.enc {
		// A typed and a generic value do not mix; producers write constants as they come.
		if a.enc != 0 && b.enc != 0 {
			return malformed("an operation on values of two types")
		}
	}
	v, err := dyadic(op, a, b)
	if err != nil {
		return err
	}
	return m.push(v)
}

func monadic(op uint8, v value) (value, error) {
	out := value{size: v.size, enc: v.enc}
	if v.enc == ateFloat {
		f := v.float()
		switch op {
		case opAbs:
			f = math.Abs(f)
		case opNeg:
			f = -f
		default:
			return out, malformed("an operation on bits of a floating-point number")
		}
		out.x = convertFloat(value{x: math.Float64bits(f), size: 8, enc: ateFloat}, out)
		return out, nil
	}
	x := v.x
	switch op {
	case opAbs:
		if n := int64(extend(x, v.size)); n < 0 {
			x = uint64(-n)
		}
	case opNeg:
		x = -x
	case opNot:
		x = ^x
	}
	out.x = truncate(x, v.size)
	return out, nil
}

var errDivide = errors.New("DWARF: the location divides by zero")

// dyadic computes `a op b`. The result is as wide as the wider operand that is no constant.
func dyadic(op uint8, a, b value) (value, error) {
	out := value{size: max(a.size, b.size), enc: a.enc}
	if a.enc == 0 {
		out.enc = b.enc
	}
	if op == opShl || op == opShr || op == opShra {
		out.size, out.enc = a.size, a.enc
	}
	if a.enc == ateFloat || b.enc == ateFloat {
		return floats(op, a, b, out)
	}
	width := out.size
	if width == 0 {
		width = 8
	}
	signed := out.enc == 0 || out.enc == ateSigned || out.enc == ateSignedChar
	x, y := truncate(a.x, width), truncate(b.x, width)
	sx, sy := int64(extend(x, width)), int64(extend(y, width))
	less, equal := sx < sy, x == y
	if !signed {
		less = x < y
	}
	switch op {
	case opAnd:
		x &= y
	case opOr:
		x |= y
	case opXor:
		x ^= y
	case opPlus:
		x += y
	case opMinus:
		x -= y
	case opMul:
		x *= y
	case opDiv, opMod:
		if y == 0 {
			return out, errDivide
		}
		switch {
		case op == opDiv && signed && sy == -1:
			x = -x
		case op == opDiv && signed:
			x = uint64(sx / sy)
		case op == opDiv:
			x /= y
		case out.enc != 0 && signed && sy == -1:
			x = 0
		case out.enc != 0 && signed:
			x = uint64(sx % sy)
		default: // of the generic type, the remainder is unsigned
			x %= y
		}
	case opShl, opShr, opShra:
		if n := b.x; n >= 8*uint64(width) {
			if x = 0; op == opShra && sx < 0 {
				x = ^uint64(0)
			}
		} else if op == opShl {
			x <<= n
		} else if op == opShr {
			x >>= n
		} else {
			x = uint64(sx >> n)
		}
	case opEq:
		return truth(equal), nil
	case opNe:
		return truth(!equal), nil
	case opLt:
		return truth(less), nil
	case opLe:
		return truth(less || equal), nil
	case opGt:
		return truth(!less && !equal), nil
	case opGe:
		return truth(!less), nil
	}
	out.x = truncate(x, out.size)
	return out, nil
}

func floats(op uint8, a, b, out value) (value, error) {
	x, y := a.float(), b.float()
	switch op {
	case opPlus:
		x += y
	case opMinus:
		x -= y
	case opMul:
		x *= y
	case opDiv:
		x /= y
	case opEq:
		return truth(x == y), nil
	case opNe:
		return truth(x != y), nil
	case opLt:
		return truth(x < y), nil
	case opLe:
		return truth(x <= y), nil
	case opGt:
		return truth(x > y), nil
	case opGe:
		return truth(x >= y), nil
	default:
		return out, malformed("an operation on bits of a floating-point number")
	}
	out.x = convertFloat(value{x: math.Float64bits(x), size: 8, enc: ateFloat}, out)
	return out, nil
}
