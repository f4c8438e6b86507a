package lang

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"stackscope/analysis/debuginfo"
	"stackscope/vm/debugger/arith"
	"stackscope/vm/debugger/expr"
)

// num is a number that is computed with.
type num struct {
	float   bool
	f       float64
	i       uint64 // extended by its sign
	size    int64
	signed  bool
	char    bool
	literal bool
}

// num returns the number that a value is.
func (ev *evaluator) num(v Value) (num, error) {
	v = v.settled()
	if v.unknown && v.typ == nil || mayBePrinted(v) {
		return num{size: 4, signed: true, i: 1, literal: true}, nil
	}
	t := debuginfo.Strip(v.typ)
	if v.form == formObject || t == nil {
		return num{}, fmt.Errorf("%s is not a number", describe(v))
	}
	switch t.Kind {
	case debuginfo.KindFloat:
		n, err := v.word()
		if err != nil {
			return num{}, err
		}
		if v.size() == 4 {
			return num{float: true, f: float64(math.Float32frombits(uint32(n))), size: 4, literal: v.literal}, nil
		}
		return num{float: true, f: math.Float64frombits(n), size: 8, literal: v.literal}, nil
	case debuginfo.KindBool, debuginfo.KindChar, debuginfo.KindInt, debuginfo.KindUint, debuginfo.KindEnum,
		debuginfo.KindPointer:
		n, err := v.integer()
		return num{
			i: uint64(n), size: v.size(), signed: signed(t), char: t.Kind == debuginfo.KindChar, literal: v.literal,
		}, err
	}
	return num{}, fmt.Errorf("%s is not a number", describe(v))
}

func describe(v Value) string {
	if v.form == formObject && v.ref.Ref.IsNull() {
		return "null"
	}
	if name := v.TypeName(); name != "" {
		return "a value of type " + name
	}
	return "it"
}

// number reads a number as it is typed.
func (ev *evaluator) number(text string) (Value, error) {
	s := strings.ReplaceAll(text, "_", "")
	s = strings.ReplaceAll(s, "'", "")
	low := strings.ToLower(s)
	hex := strings.HasPrefix(low, "0x")
	var t *debuginfo.Type
	suffixed := func(names ...string) bool {
		for _, n := range names {
			if digits, ok := strings.CutSuffix(low, n); ok && digits != "" && digits != "0x" {
				s, low = s[:len(digits)], digits
				return true
			}
		}
		return false
	}
	switch family(ev.lang) {
	case debuginfo.Rust, debuginfo.Zig, debuginfo.AssemblyScript:
		for _, n := range []string{
			"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "isize", "usize", "f32", "f64",
		} {
			if !(hex && n[0] == 'f') && suffixed(n) {
				t = basic(ev.lang, n)
				break
			}
		}
	case debuginfo.Kotlin:
		switch {
		case suffixed("ul"):
			t = basic(ev.lang, "ULong")
		case suffixed("u"):
			t = basic(ev.lang, "UInt")
		case suffixed("l"):
			t = basic(ev.lang, "Long")
		case !hex && suffixed("f"):
			t = basic(ev.lang, "Float")
		}
	default:
		switch {
		case suffixed("ull", "llu"):
			t = basic(ev.lang, "unsigned long long")
		case suffixed("ul", "lu"):
			t = basic(ev.lang, "unsigned long")
		case suffixed("ll"):
			t = basic(ev.lang, "long long")
		case suffixed("u"):
			t = basic(ev.lang, "unsigned int")
		case suffixed("l"):
			t = basic(ev.lang, "long")
		case !hex && strings.ContainsAny(low, ".e") && suffixed("f"):
			t = basic(ev.lang, "float")
		}
	}
	bad := fmt.Errorf("%s is not a number", expr.Brief(text))
	if !hex && strings.ContainsAny(low, ".e") || t != nil && t.Kind == debuginfo.KindFloat {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return Value{}, bad
		}
		if t == nil {
			t = floatType(ev.lang, 8)
		}
		v := ev.ofFloat(t, f)
		v.literal = true
		return v, nil
	}
	n, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		if n, err = strconv.ParseUint(s, 10, 64); err != nil {
			return Value{}, bad
		}
	}
	literal := t == nil
	if t == nil {
		switch {
		case n <= math.MaxInt32:
			t = intType(ev.lang, 4, true)
		case n <= math.MaxUint32 && hex && family(ev.lang) == debuginfo.C:
			t = intType(ev.lang, 4, false)
		case n <= math.MaxInt64:
			t = intType(ev.lang, 8, true)
		default:
			t = intType(ev.lang, 8, false)
		}
	}
	v := ev.scalar(t, n)
	v.literal = literal
	return v, nil
}

func (ev *evaluator) ofFloat(t *debuginfo.Type, f float64) Value {
	if sizeOf(t) == 4 {
		return ev.scalar(t, uint64(math.Float32bits(float32(f))))
	}
	return ev.scalar(t, math.Float64bits(f))
}

// unary applies a prefix operator.
func (ev *evaluator) unary(op string, x Value) (Value, error) {
	switch op {
	case "*":
		if kindOf(x.typ) == debuginfo.KindArray && x.form != formObject {
			return x.Index(0)
		}
		if x.unknown && x.typ == nil || mayBePrinted(x) {
			return Unknown(ev.env, nil, ev.lang), nil
		}
		v, err := x.Deref()
		if err != nil {
			if m := x.match(); m != nil && m.p.Deref != "" {
				return printedExpr(x, m, m.p.Deref)
			}
		}
		return v, err
	case "&":
		if x.form != formMemory || x.bits > 0 {
			return x, fmt.Errorf("%s is not in memory: it has no address", describe(x))
		}
		v := ev.scalar(pointerTo(ev.lang, x.typ), x.addr)
		v.unknown = x.unknown
		return v, nil
	}
	if op == "!" {
		if y := x.settled(); ev.lang == debuginfo.Rust && y.form != formObject && kindOf(y.typ) != debuginfo.KindBool {
			op = "~"
		} else {
			is, err := ev.truth(x)
			return ev.bool(!is), err
		}
	}
	n, err := ev.num(x)
	if err != nil {
		return x, err
	}
	switch {
	case n.float && op == "-":
		v := ev.ofFloat(floatType(ev.lang, n.size), -n.f)
		v.literal = n.literal
		return v, nil
	case n.float && op == "+":
		return x, nil
	case n.float:
		return x, fmt.Errorf("%s needs an integer", op)
	}
	n = ev.promote(n)
	switch op {
	case "-":
		n.i = -n.i
	case "~":
		n.i = ^n.i
	}
	v := ev.scalar(intType(ev.lang, n.size, n.signed), n.i)
	v.literal = n.literal
	return v, nil
}

// promote widens an integer as the language does before it computes.
func (ev *evaluator) promote(n num) num {
	switch family(ev.lang) {
	case debuginfo.C, debuginfo.Kotlin:
		if n.size < 4 && !n.float {
			n.size, n.signed = 4, true
		}
	}
	if n.char && n.size < 4 {
		n.size = 4
	}
	if n.size > 8 {
		n.size = 8
	}
	n.char = false
	return n
}

// unify returns both operands of one type.
func (ev *evaluator) unify(a, b num) (num, num) {
	if a.float || b.float {
		size := int64(0)
		for _, n := range []num{a, b} {
			if n.float && !(n.literal && (a.float && b.float && !(a.literal && b.literal))) {
				size = max(size, n.size)
			}
		}
		wide := func(n num) num {
			if !n.float {
				n.f = float64(int64(n.i))
				if !n.signed {
					n.f = float64(n.i)
				}
			}
			n.float, n.size = true, max(size, 4)
			return n
		}
		return wide(a), wide(b)
	}
	adapt := family(ev.lang) != debuginfo.C && family(ev.lang) != debuginfo.Kotlin
	switch {
	case adapt && a.literal && !b.literal && fits(a, b):
		a.size, a.signed = b.size, b.signed
		return a, b
	case adapt && b.literal && !a.literal && fits(b, a):
		b.size, b.signed = a.size, a.signed
		return a, b
	}
	a, b = ev.promote(a), ev.promote(b)
	size, isSigned := a.size, a.signed
	switch {
	case b.size > size:
		size, isSigned = b.size, b.signed
	case b.size == size:
		isSigned = a.signed && b.signed
	}
	a.size, a.signed, b.size, b.signed = size, isSigned, size, isSigned
	return a.wrapped(), b.wrapped()
}

// fits reports whether a literal is a number of the type of another one.
func fits(lit, of num) bool {
	bits := uint(min(of.size, 8)) * 8
	n := int64(lit.i)
	if of.signed {
		return n >= -1<<(bits-1) && n <= 1<<(bits-1)-1
	}
	return bits == 64 || lit.i < 1<<bits
}

// wrapped cuts a number to the size of its type.
func (n num) wrapped() num {
	if n.float || n.size >= 8 || n.size <= 0 {
		return n
	}
	shift := uint(64 - 8*n.size)
	if n.signed {
		n.i = uint64(int64(n.i<<shift) >> shift)
	} else {
		n.i = n.i << shift >> shift
	}
	return n
}

func (ev *evaluator) binary(n *node) (Value, error) {
	switch n.op {
	case "&&", "||":
		return ev.logical(n)
	case "?:":
		a, err := ev.eval(n.args[0])
		if err != nil || !ev.checking && !(a.form == formObject && a.ref.Ref.IsNull()) {
			return a, err
		}
		return ev.eval(n.args[1])
	}
	a, b, err := ev.operands(n)
	if err != nil {
		return a, err
	}
	switch n.op {
	case "==", "!=", "===", "!==":
		same, err := ev.equal(a, b, len(n.op) == 3)
		return ev.bool(same == (n.op[0] == '=')), err
	}
	return ev.apply(n.op, a, b)
}

// apply applies an operator to two values, which may be pointers.
func (ev *evaluator) apply(op string, a, b Value) (Value, error) {
	if v, ok, err := ev.pointers(op, a, b); ok {
		return v, err
	}
	x, err := ev.num(a)
	if err != nil {
		return a, err
	}
	y, err := ev.num(b)
	if err != nil {
		return b, err
	}
	return ev.compute(op, x, y)
}

// operands evaluates both sides of an operator. A name that is no variable may be one of the enum
// that the other side is of.
func (ev *evaluator) operands(n *node) (a, b Value, err error) {
	a, errA := ev.eval(n.args[0])
	b, errB := ev.eval(n.args[1])
	var name *NameError
	switch {
	case errA == nil && errB == nil:
		return a, b, nil
	case errA == nil && errors.As(errB, &name):
		if v, ok := ev.named(a, n.args[1]); ok {
			return a, v, nil
		}
	case errB == nil && errors.As(errA, &name):
		if v, ok := ev.named(b, n.args[0]); ok {
			return v, b, nil
		}
	}
	if errA != nil {
		return a, b, errA
	}
	return a, b, errB
}

// named returns what a name means beside a value: an enumerator of its type, a variant or an entry.
func (ev *evaluator) named(beside Value, n *node) (Value, bool) {
	name := n.text
	for n.kind == nMember && len(n.args) == 1 && n.args[0].kind == nName {
		n = n.args[0]
	}
	if n.kind != nName {
		return Value{}, false
	}
	beside = beside.settled()
	if beside.form == formObject {
		if beside.unknown || isEnumEntry(beside) {
			v := ev.text(name)
			v.entry = true
			return v, true
		}
		return Value{}, false
	}
	if v, ok := ev.enumerator(beside.typ, name); ok {
		return v, true
	}
	if t := debuginfo.Strip(beside.typ); t != nil && variantsOf(t) != nil {
		short := name[strings.LastIndexAny(name, ":.")+1:]
		for i := range variantsOf(t).Variants {
			if variantName(&variantsOf(t).Variants[i]) == short {
				v := ev.text(short)
				v.entry = true
				return v, true
			}
		}
	}
	return Value{}, false
}

// isEnumEntry reports whether an object is an entry of an enum of Kotlin.
func isEnumEntry(v Value) bool {
	for _, s := range supers(v) {
		if s == "kotlin.Enum" {
			return true
		}
	}
	return false
}

// entryName returns the name of an entry of an enum, or of a variant.
func entryName(v Value) (string, bool) {
	if v.form == formObject {
		if x, err := objectMember(v, "name"); err == nil && isEnumEntry(v) {
			return x.Content()
		}
		return "", false
	}
	name := v.VariantName()
	return name, name != ""
}

func (ev *evaluator) logical(n *node) (Value, error) {
	a, err := ev.eval(n.args[0])
	if err != nil {
		return a, err
	}
	is, err := ev.truth(a)
	if err != nil {
		return a, err
	}
	if is == (n.op == "||") && !ev.checking {
		return ev.bool(is), nil
	}
	b, err := ev.eval(n.args[1])
	if err != nil {
		return b, err
	}
	is, err = ev.truth(b)
	return ev.bool(is), err
}

// equal compares values: texts by their characters, objects by what they are unless same asks for
// one and the same object.
func (ev *evaluator) equal(a, b Value, same bool) (bool, error) {
	if ev.checking && (a.unknown || b.unknown) {
		return false, nil
	}
	if !same {
		a, b = a.settled(), b.settled()
	}
	switch {
	case a.entry:
		name, ok := entryName(b)
		return ok && name == string(a.data), nil
	case b.entry:
		name, ok := entryName(a)
		return ok && name == string(b.data), nil
	}
	if a.textual || b.textual || !same && a.form == formObject && b.form == formObject {
		s, ok := a.Content()
		t, ok2 := b.Content()
		if ok && ok2 {
			return s == t, nil
		}
		if a.textual && ok2 != ok && !isNull(b) || b.textual && ok2 != ok && !isNull(a) {
			return false, errors.New("only a text can be compared with a text")
		}
	}
	if a.form == formObject && isNull(a) || b.form == formObject && isNull(b) {
		return isNull(a) && isNull(b), nil
	}
	if a.form == formObject && b.form == formObject {
		return a.ref.Ref == b.ref.Ref, nil
	}
	x, err := ev.num(decay(a))
	if err != nil {
		return false, err
	}
	y, err := ev.num(decay(b))
	if err != nil {
		return false, err
	}
	x, y = ev.unify(x, y)
	if x.float {
		return x.f == y.f, nil
	}
	return x.i == y.i, nil
}

// isNull reports whether a value is a null reference or a null pointer.
func isNull(v Value) bool {
	if v.form == formObject {
		return v.ref.Ref.IsNull()
	}
	if kindOf(v.typ) != debuginfo.KindPointer {
		return false
	}
	n, err := v.word()
	return err == nil && n == 0
}

// decay returns an array as a pointer to its first element.
func decay(v Value) Value {
	if v.form == formMemory && kindOf(v.typ) == debuginfo.KindArray {
		ev := &evaluator{env: v.env, lang: v.lang}
		out := ev.scalar(pointerTo(v.lang, targetOf(v.typ)), v.addr)
		out.unknown = v.unknown
		return out
	}
	return v
}

// pointers computes with pointers; ok is false if there is none.
func (ev *evaluator) pointers(op string, a, b Value) (v Value, ok bool, err error) {
	a, b = decay(a.settled()), decay(b.settled())
	isA := a.form != formObject && kindOf(a.typ) == debuginfo.KindPointer
	isB := b.form != formObject && kindOf(b.typ) == debuginfo.KindPointer
	if !isA && !isB || strings.ContainsAny(op, "<>") && op != "<<" && op != ">>" {
		return v, false, nil
	}
	if !isA && op == "+" {
		a, b, isA, isB = b, a, isB, isA
	}
	x, err := a.word()
	if err != nil {
		return v, true, err
	}
	y, err := ev.num(b)
	if err != nil {
		return v, true, err
	}
	size := max(sizeOf(targetOf(a.typ)), 1)
	switch {
	case isA && isB && op == "-":
		return ev.scalar(intType(ev.lang, 4, true), uint64((int64(x)-int64(uint32(y.i)))/size)), true, nil
	case isA && !isB && op == "+":
		return ev.scalar(a.typ, uint64(uint32(x+y.i*uint64(size)))), true, nil
	case isA && !isB && op == "-":
		return ev.scalar(a.typ, uint64(uint32(x-y.i*uint64(size)))), true, nil
	}
	return v, true, fmt.Errorf("%s does not take pointers: convert them to integers first", op)
}

// compute applies an operator to numbers.
func (ev *evaluator) compute(op string, a, b num) (Value, error) {
	shift := op == "<<" || op == ">>" || op == ">>>"
	literal := a.literal && b.literal
	if shift {
		a, b = ev.promote(a), ev.promote(b)
	} else {
		a, b = ev.unify(a, b)
	}
	if a.float || b.float {
		return ev.computeFloats(op, a, b, literal)
	}
	comparison := map[string]bool{"<": true, ">": true, "<=": true, ">=": true}[op]
	if comparison {
		less, equal := a.i < b.i, a.i == b.i
		if a.signed {
			less = int64(a.i) < int64(b.i)
		}
		return ev.bool(map[string]bool{"<": less, "<=": less || equal, ">": !less && !equal, ">=": !less}[op]), nil
	}
	out := a
	bits := uint64(a.size) * 8
	switch op {
	case "+":
		out.i = a.i + b.i
	case "-":
		out.i = a.i - b.i
	case "*":
		out.i = a.i * b.i
	case "&":
		out.i = a.i & b.i
	case "|":
		out.i = a.i | b.i
	case "^":
		out.i = a.i ^ b.i
	case "<<":
		out.i = a.i << (b.i % bits)
	case ">>":
		if out.i = a.i >> (b.i % bits); a.signed {
			out.i = uint64(int64(a.i) >> (b.i % bits))
		}
	case ">>>":
		a.signed = false
		out.i = a.wrapped().i >> (b.i % bits)
	case "/", "%":
		switch {
		case b.i == 0 && ev.checking:
		case b.i == 0:
			return Value{}, errors.New("integer divide by zero")
		case a.signed && int64(b.i) == -1:
			if out.i = -a.i; op == "%" {
				out.i = 0
			}
		case a.signed && op == "/":
			out.i = uint64(int64(a.i) / int64(b.i))
		case a.signed:
			out.i = uint64(int64(a.i) % int64(b.i))
		case op == "/":
			out.i = a.i / b.i
		default:
			out.i = a.i % b.i
		}
	default:
		return Value{}, fmt.Errorf("%s does not take numbers", op)
	}
	v := ev.scalar(intType(ev.lang, out.size, out.signed), out.i)
	v.literal = literal
	return v, nil
}

func (ev *evaluator) computeFloats(op string, a, b num, literal bool) (Value, error) {
	var f float64
	switch op {
	case "<", ">", "<=", ">=":
		return ev.bool(map[string]bool{"<": a.f < b.f, ">": a.f > b.f, "<=": a.f <= b.f, ">=": a.f >= b.f}[op]), nil
	case "+":
		f = a.f + b.f
	case "-":
		f = a.f - b.f
	case "*":
		f = a.f * b.f
	case "/":
		f = a.f / b.f
	case "%":
		f = math.Mod(a.f, b.f)
	default:
		return Value{}, fmt.Errorf("%s does not take floating-point numbers", op)
	}
	v := ev.ofFloat(floatType(ev.lang, a.size), f)
	v.literal = literal
	return v, nil
}

// cast converts a value to a type.
func (ev *evaluator) cast(x Value, t *debuginfo.Type) (Value, error) {
	s := debuginfo.Strip(t)
	x = x.settled()
	switch {
	case s == nil:
		return x, errors.New("its type is not known")
	case x.unknown:
		return Unknown(ev.env, t, ev.lang), nil
	case s.Kind == debuginfo.KindPointer || s.Kind == debuginfo.KindReference:
		x = decay(x)
		if x.form == formObject && x.ref.Ref.IsNull() {
			return ev.scalar(t, 0), nil
		}
		n, err := ev.num(x)
		if err == nil && n.float {
			err = errors.New("a floating-point number is no pointer")
		}
		return ev.scalar(t, uint64(uint32(n.i))), err
	case !isScalar(s):
		return x, fmt.Errorf("nothing can be converted to %s", TypeName(t))
	}
	n, err := ev.num(decay(x))
	if err != nil {
		return x, err
	}
	return ev.scalar(t, convertBits(n, s)), nil
}

// convertBits returns the bits of a number as one of a scalar type.
func convertBits(n num, s *debuginfo.Type) uint64 {
	size := sizeOf(s)
	switch {
	case s.Kind == debuginfo.KindFloat:
		f := n.f
		if !n.float {
			if f = float64(int64(n.i)); !n.signed {
				f = float64(n.i)
			}
		}
		if size == 4 {
			return uint64(math.Float32bits(float32(f)))
		}
		return math.Float64bits(f)
	case s.Kind == debuginfo.KindBool:
		if n.float && n.f != 0 || !n.float && n.i != 0 {
			return 1
		}
		return 0
	case !n.float:
		return n.i
	case math.IsNaN(n.f):
		return 0
	case signed(s):
		bits := uint(min(size, 8))*8 - 1
		return uint64(int64(max(min(n.f, math.Ldexp(1, int(bits))-1), -math.Ldexp(1, int(bits)))))
	}
	return uint64(max(min(n.f, math.Ldexp(1, int(min(size, 8))*8)-1), 0))
}

// assign evaluates an assignment.
func (ev *evaluator) assign(n *node) (Value, error) {
	if !ev.assigns && !ev.checking {
		return Value{}, ErrAssign
	}
	to, err := ev.eval(n.args[0])
	if err != nil {
		return to, err
	}
	x, err := ev.eval(n.args[1])
	var name *NameError
	if errors.As(err, &name) {
		if v, ok := ev.named(to, n.args[1]); ok {
			x, err = v, nil
		}
	}
	if err != nil {
		return to, err
	}
	if n.op != "" {
		if x, err = ev.apply(n.op, to, x); err != nil {
			return to, err
		}
		x.literal = false
	}
	if ev.checking {
		return to, nil
	}
	return to, ev.store(to, x, n.op != "")
}

// store sets a value to another one.
func (ev *evaluator) store(to, x Value, wraps bool) error {
	t := debuginfo.Strip(to.typ)
	if t != nil && t.Kind == debuginfo.KindReference {
		next, err := to.Deref()
		if err != nil {
			return err
		}
		return ev.store(next, x, wraps)
	}
	if to.form == formObject {
		return ev.storeObject(to, x)
	}
	if t != nil && t.Kind == debuginfo.KindArray && isByte(targetOf(t)) {
		if s, ok := x.Content(); ok {
			return setTextOf(to, s)
		}
	}
	if !to.Settable() {
		if to.err != nil {
			return to.err
		}
		return fmt.Errorf("%s cannot be set: only numbers, characters, enums and pointers can", describe(to))
	}
	if t.Kind == debuginfo.KindPointer {
		v, err := ev.cast(x, to.typ)
		if err != nil {
			return err
		}
		n, err := v.word()
		if err != nil {
			return err
		}
		return to.setWord(n)
	}
	n, err := ev.num(x)
	if err != nil {
		return err
	}
	exact := n.literal && !wraps && t.Kind != debuginfo.KindFloat && t.Kind != debuginfo.KindBool
	if w := widthOf(to); exact && !n.float && w < 64 {
		if i := int64(n.i); i < -1<<(w-1) || i > 1<<w-1 {
			return fmt.Errorf("%d does not fit into %d bits", i, w)
		}
	}
	return to.setWord(convertBits(n, t))
}

// setTextOf sets an array of characters to a text, and what follows it to zero bytes.
func setTextOf(v Value, s string) error {
	n := v.Indexed()
	if len(s) > n {
		return fmt.Errorf("%d bytes do not fit where there are %d", len(s), n)
	}
	b := make([]byte, n)
	copy(b, s)
	return v.write(0, b)
}

func (ev *evaluator) storeObject(to, x Value) error {
	if m := to.match(); m != nil && m.p.As != "" && (x.form != formObject || m.p.Holds) {
		inner, err := shownAs(to, m)
		if err != nil {
			return err
		}
		if !m.p.Holds && !to.held {
			return fmt.Errorf("%s cannot be changed: it is a value of its own", to.TypeName())
		}
		inner.held = true
		return ev.store(inner, x, false)
	}
	switch {
	case to.setRef == nil:
		return errors.New("it cannot be set")
	case x.form != formObject:
		return fmt.Errorf("%s is not an object", describe(x))
	case ev.env.Objects != nil && !ev.env.Objects.Fits(x.ref, to.want):
		if x.ref.Ref.IsNull() {
			return errors.New("it cannot be null")
		}
		return fmt.Errorf("a %s does not fit there", x.TypeName())
	}
	n := x.ref
	n.Type = to.want
	return to.setRef(n)
}

// Assign evaluates the expression and sets a value to it; it returns what is there then.
func (x *Expr) Assign(env *Env, s Scope, to Value) (Value, error) {
	ev := &evaluator{env: env, lang: x.lang, scope: s, assigns: true}
	y, err := ev.eval(x.root)
	var name *NameError
	if errors.As(err, &name) {
		if v, ok := ev.named(to, x.root); ok {
			y, err = v, nil
		}
	}
	if err != nil {
		return to, err
	}
	if err := ev.store(to, y, false); err != nil {
		return to, err
	}
	if to.form == formObject && y.form == formObject {
		to.ref.Ref = y.ref.Ref
	}
	return to, nil
}

// Format writes the value in a format: x (hexadecimal), b (binary), o (octal), u (unsigned), d
// (signed), c (a character), f (the bits as a floating-point number), h (a floating-point number in
// hexadecimal), s (the text at this address).
func (v Value) Format(format byte) (string, error) {
	x := v.settled()
	if x.form == formObject || !isScalar(x.typ) {
		if format == 's' {
			if s, ok := v.Content(); ok {
				return QuoteBytes([]byte(s)), nil
			}
		}
		if format == 'r' {
			return v.Raw().Text(Style{}), nil
		}
		if format == 'x' {
			return v.Text(Style{Hex: true}), nil
		}
		return "", fmt.Errorf("%s has no other formats", describe(v))
	}
	n, err := x.word()
	if err != nil {
		return "", err
	}
	w := widthOf(x)
	if s, ok := arith.FormatInteger(n, int(w), format); ok {
		return s, nil
	}
	isFloat := kindOf(x.typ) == debuginfo.KindFloat
	switch format {
	case 'c':
		return quoteChar(rune(n)), nil
	case 'r':
		return v.Raw().Text(Style{}), nil
	case 'f':
		if w == 64 {
			return FloatText(math.Float64frombits(n), 64, v.lang), nil
		}
		return FloatText(float64(math.Float32frombits(uint32(n))), 32, v.lang), nil
	case 'h':
		switch {
		case isFloat && w == 32:
			return strconv.FormatFloat(float64(math.Float32frombits(uint32(n))), 'x', -1, 32), nil
		case isFloat:
			return strconv.FormatFloat(math.Float64frombits(n), 'x', -1, 64), nil
		}
		return fmt.Sprintf("0x%x", n), nil
	case 's':
		if x.env.Memory == nil || !x.readable(n, 1) {
			return "", fmt.Errorf("0x%x is out of memory", n)
		}
		c := Value{env: x.env, lang: debuginfo.C, form: formBytes}
		c.typ = pointerTo(debuginfo.C, basic(debuginfo.C, "char"))
		c.data = binary.LittleEndian.AppendUint32(nil, uint32(n))
		if s, ok := c.Content(); ok {
			return QuoteBytes([]byte(clip(s, textBytes))), nil
		}
		return `""`, nil
	}
	return "", fmt.Errorf("there is no format %c: want x, b, o, u, d, f, h, c, r or s", format)
}
