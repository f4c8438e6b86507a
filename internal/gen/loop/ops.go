package main

import "strings"

// def is an op: its code's name, the roles of its operands (see roles) and what it does. An op that
// does what one instruction does to the same slots has the instruction's name, and is a case of the
// baseline loop, too.
type def struct{ name, roles, body string }

// binary are the integer operators in the order of their codes: x and y are the operands, s the
// signed type. Those from cmp on are comparisons.
var binary = []struct{ name, expr string }{
	{"Add", "x + y"}, {"Sub", "x - y"}, {"Mul", "x * y"}, {"And", "x & y"}, {"Or", "x | y"}, {"Xor", "x ^ y"},
	{
		"Shl", "x << (y & m)",
	}, {"ShrS", "u(s(x) >> (y & m))"}, {"ShrU", "x >> (y & m)"}, {"Rotl", "rot(x, int(y & m))"}, {"Rotr", "rot(x, -int(y & m))"},
	{"Eq", "x == y"}, {"Ne", "x != y"}, {"LtS", "s(x) < s(y)"}, {"LtU", "x < y"}, {"GtS", "s(x) > s(y)"}, {"GtU", "x > y"},
	{"LeS", "s(x) <= s(y)"}, {"LeU", "x <= y"}, {"GeS", "s(x) >= s(y)"}, {"GeU", "x >= y"},
}

// joinShifts are the operators that join two operands which are both shifted by a constant,
// twoShifts the shifts.
var joinShifts, twoShifts = []int{0, 4, 5}, []int{6, 8, 9}

const (
	numArith = 6  // operators that may join another one
	shifts   = 6  // the first shift
	compares = 11 // the first comparison
)

// floats are the comparisons of floating-point numbers and, from arith on, the operators.
var floats = []struct{ name, expr string }{
	{"Eq", "x == y"}, {"Ne", "x != y"}, {"Lt", "x < y"}, {"Gt", "x > y"}, {"Le", "x <= y"}, {"Ge", "x >= y"},
	{"Add", "x + y"}, {"Sub", "x - y"}, {"Mul", "x * y"}, {"Div", "x / y"},
}

const floatArith = 6

// width is i32 or i64.
type width struct {
	name, u, s, mask, rot string
	slot                  func(string) string // a slot's value
	imm, high             string
}

var widths = []width{
	{"I32", "uint32", "int32", "31", "bits.RotateLeft32", func(s string) string { return s + "32" }, "I32", "H32"},
	{"I64", "uint64", "int64", "63", "bits.RotateLeft64", func(s string) string { return s }, "I", "H64"},
}

// with writes an operator's expression with operands.
func (w width) with(expr, x, y string) string {
	return strings.NewReplacer("rot(", w.rot+"(", "u(", w.u+"(", "s(", w.s+"(", "m)", w.mask+")", "x", x, "y", y).
		Replace(expr)
}

// store returns the statement that puts a value of the width into a slot.
func (w width) store(to, value string) string { return to + " = uint64(" + value + ")" }

// truth returns the statements that put a condition into a slot.
func truth(to, cond string) string { return "x = 0\nif " + cond + " { x = 1 }\n" + to + " = x" }

func when(cond, then string) string { return "if " + cond + " {\n" + then + "\n}" }

// all returns the ops in the order of their codes.
func all() []def {
	var ops []def
	add := func(name, roles, body string) { ops = append(ops, def{name, roles, body}) }
	add("Invalid", "", "goto baseline") // so that zeroed code is not an op
	moves(add)
	for _, w := range widths {
		integers(add, w)
	}
	for _, w := range []struct{ name, r, conv string }{{"F32", "f", "Float32bits"}, {"F64", "F", "Float64bits"}} {
		floating(add, w.name, w.r, w.conv)
	}
	unary(add)
	memory(add)
	withLoad(add)
	branches(add)
	for _, d := range byHand {
		add(d.name, d.roles, d.body)
	}
	return ops
}

type adder func(name, roles, body string)

func moves(add adder) {
	add("Mov", "an bn dst", "A = B")
	add("Mov2", "an bn cn dn", "A = B\nC = D")
	add(
		"Mov3",
		"an bn cn dn en gn",
		"A = B\nC = D\n*(*uint64)(unsafe.Add(f, uintptr(uint16(o.Imm>>16))*8)) = *(*uint64)(unsafe.Add(f, uintptr(uint16(o.Imm>>32))*8))",
	)
	add("Const", "an dst", "A = I")
	add("Select", "an bn cn dn dst", "if D32 != 0 { A = B } else { A = C }")
	add("GlobalGet", "an dst", "A = v.inst.globals[I].lo")
	add("GlobalSet", "an", "v.inst.globals[I].lo = A")
}

// integers adds the operators of a width: with two slots, with a constant, joined with another
// operator, joined with a shift by a constant.
func integers(add adder, w width) {
	for _, two := range []bool{true, false} {
		for i, b := range binary {
			name, roles, y := w.name+b.name, "an bn cn pure", w.slot("C")
			if !two {
				name, roles, y = name+"K", "an bn pure", w.imm
			}
			e := w.with(b.expr, w.slot("B"), y)
			if i >= compares {
				add(name, roles, truth("A", e))
			} else {
				add(name, roles, w.store("A", e))
			}
		}
	}
	for _, x := range binary[:numArith] { // a = (b x c) y d
		for _, y := range binary[:numArith] {
			e := w.with(y.expr, "("+w.with(x.expr, w.slot("B"), w.slot("C"))+")", w.slot("D"))
			add(w.name+x.name+y.name, "an bn cn dn pure", w.store("A", e))
		}
	}
	for _, y := range binary[:numArith] { // a = b y (c sh imm)
		for _, sh := range binary[shifts : shifts+4] {
			e := w.with(y.expr, w.slot("B"), "("+w.with(sh.expr, w.slot("C"), w.imm)+")")
			add(w.name+sh.name+y.name, "an bn cn pure", w.store("A", e))
		}
	}
	for _, y := range joinShifts { // a = (b sh k) y (c sh k'): the low and the high half of imm
		for _, sh1 := range twoShifts {
			for _, sh2 := range twoShifts {
				e := w.with(
					binary[y].expr, "("+w.with(binary[sh1].expr, w.slot("B"), "I32")+")",
					"("+w.with(binary[sh2].expr, w.slot("C"), "H32")+")",
				)
				add(w.name+binary[sh1].name+binary[sh2].name+binary[y].name, "an bn cn pure", w.store("A", e))
			}
		}
	}
	for _, b := range binary[:compares] { // the result is returned: a is its slot in the baseline form
		add(w.name+b.name+"Ret", "an bn cn", w.store("x", w.with(b.expr, w.slot("B"), w.slot("C")))+"\ngoto ret")
	}
	for _, b := range binary[:compares] {
		add(w.name+b.name+"KRet", "an bn", w.store("x", w.with(b.expr, w.slot("B"), w.imm))+"\ngoto ret")
	}
	div := func(name, trapOverflow, e string) {
		body := when(w.slot("C")+" == 0", "TRAP(IntegerDivideByZero)") + "\n"
		if trapOverflow != "" {
			body += when(trapOverflow, "TRAP(IntegerOverflow)") + "\n"
		}
		add(w.name+name, "an bn cn dst", body+w.store("A", w.with(e, w.slot("B"), w.slot("C"))))
	}
	top := "1<<31"
	if w.name == "I64" {
		top = "1<<63"
	}
	div("DivS", w.slot("B")+" == "+top+" && "+w.s+"("+w.slot("C")+") == -1", "u(s(x) / s(y))")
	div("DivU", "", "x / y")
	div("RemS", "", "u(s(x) % s(y))")
	div("RemU", "", "x % y")
}

func floating(add adder, name, r, conv string) {
	arith := func(e string) string {
		if r == "f" {
			return "A = uint64(math." + conv + "(" + e + "))"
		}
		return "A = math." + conv + "(" + e + ")"
	}
	sub := func(e, x, y string) string { return strings.NewReplacer("x", x, "y", y).Replace(e) }
	for i, b := range floats {
		e := sub(b.expr, "B"+r, "C"+r)
		if i < floatArith {
			add(name+b.name, "an bn cn pure", truth("A", e))
		} else {
			add(name+b.name, "an bn cn pure", arith(e))
		}
	}
	k := "math.Float64frombits(I)"
	typ := "float64"
	if r == "f" {
		k, typ = "math.Float32frombits(I32)", "float32"
	}
	for _, b := range floats[floatArith:] {
		add(name+b.name+"K", "an bn pure", arith(sub(b.expr, "B"+r, k)))
	}
	// the conversion keeps the compiler from joining the two into one rounding
	product := typ + "(B" + r + " * C" + r + ")"
	add(name+"MulAdd", "an bn cn dn pure", arith(product+" + D"+r))
	add(name+"AddMul", "an bn cn dn pure", arith("D"+r+" + "+product))
	add(name+"MulSub", "an bn cn dn pure", arith(product+" - D"+r))
	add(name+"SubMul", "an bn cn dn pure", arith("D"+r+" - "+product))
	if r == "f" {
		add("F32Abs", "an bn pure", "A = uint64(B32 &^ (1<<31))")
		add("F32Neg", "an bn pure", "A = uint64(B32 ^ 1<<31)")
		add("F32Sqrt", "an bn pure", "A = uint64(math.Float32bits(float32(math.Sqrt(float64(Bf)))))")
	} else {
		add("F64Abs", "an bn pure", "A = B &^ (1<<63)")
		add("F64Neg", "an bn pure", "A = B ^ 1<<63")
		add("F64Sqrt", "an bn pure", "A = math.Float64bits(math.Sqrt(BF))")
	}
}

func unary(add adder) {
	for _, u := range []struct{ name, body string }{
		{"I32Eqz", truth("A", "B32 == 0")}, {"I64Eqz", truth("A", "B == 0")},
		{"I32Clz", "A = uint64(bits.LeadingZeros32(B32))"}, {"I32Ctz", "A = uint64(bits.TrailingZeros32(B32))"},
		{"I64Clz", "A = uint64(bits.LeadingZeros64(B))"}, {"I64Ctz", "A = uint64(bits.TrailingZeros64(B))"},
		{"I32WrapI64", "A = uint64(B32)"}, {"I64ExtendI32S", "A = uint64(int64(int32(B32)))"},
		{"F32ConvertI32S", "A = uint64(math.Float32bits(float32(int32(B32))))"},
		{"F64ConvertI32S", "A = math.Float64bits(float64(int32(B32)))"},
		{"F64ConvertI32U", "A = math.Float64bits(float64(B32))"},
		{"F64ConvertI64S", "A = math.Float64bits(float64(int64(B)))"},
		{"I32Extend8S", "A = uint64(uint32(int8(B32)))"}, {"I32Extend16S", "A = uint64(uint32(int16(B32)))"},
		{"I64Extend8S", "A = uint64(int64(int8(B)))"}, {"I64Extend16S", "A = uint64(int64(int16(B)))"}, {"I64Extend32S", "A = uint64(int64(int32(B)))"},
	} {
		add(u.name, "an bn pure", u.body)
	}
}

// memory adds loads and stores of memory 0. The address is in a slot; or the sum of two, a slot and
// a constant, a shifted slot; or a slot and a shifted one.
func memory(add adder) {
	modes := []struct{ name, roles, addr, value string }{
		{"", "bn", "uint64(B32) + I", "A"},
		{"Sum", "bn cn", "uint64(B32+C32) + I", "A"},
		{"Plus", "bn", "uint64(B32+H32) + uint64(I32)", "A"},
		{"Shl", "bn", "uint64(B32<<(o.C&31)) + I", "A"},
		{"Shl2", "bn cn", "uint64(B32+C32<<(H32&31)) + uint64(I32)", "A"},
		{"At", "", "I", "A"},
	}
	for _, m := range modes {
		for _, l := range loads {
			add(l.name+m.name, strings.TrimSpace("an dst "+m.roles), access(m.addr, l.size)+"A = "+l.value)
		}
		for _, s := range stores {
			add(s.name+m.name, strings.TrimSpace("an "+m.roles), access(m.addr, s.size)+strings.Replace(s.stmt, "VALUE", "A", 1))
		}
	}
	for _, s := range stores { // a constant
		add(s.name+"K", "bn", access("uint64(B32) + uint64(I32)", s.size)+strings.Replace(s.stmt, "VALUE", "H64", 1))
	}
}

// withLoad adds the operators whose second operand is in memory 0, at a slot or at a shifted one,
// and a constant: a = b op memory[c], a = b op memory[c << high half of imm].
func withLoad(add adder) {
	for _, mode := range []struct{ name, addr string }{{"Load", "uint64(C32) + uint64(I32)"}, {"LoadShl", "uint64(C32<<(H32&31)) + uint64(I32)"}} {
		for _, w := range widths {
			for _, b := range binary[:numArith] {
				size, value := "4", "load32(p)"
				if w.name == "I64" {
					size, value = "8", "load64(p)"
				}
				add(
					w.name+b.name+mode.name, "an bn cn dst",
					access(mode.addr, size)+w.store("A", w.with(b.expr, w.slot("B"), value)),
				)
			}
		}
		for _, f := range []struct{ name, r, size, conv, value string }{{"F32", "f", "4", "uint64(math.Float32bits(", "math.Float32frombits(load32(p))"}, {"F64", "F", "8", "(math.Float64bits(", "math.Float64frombits(load64(p))"}} {
			for _, b := range floats[floatArith:] {
				e := strings.NewReplacer("x", "B"+f.r, "y", f.value).Replace(b.expr)
				add(f.name+b.name+mode.name, "an bn cn dst", access(mode.addr, f.size)+"A = "+f.conv+e+"))")
			}
		}
	}
}

// access returns the statements that let p point to what an address leads to.
func access(addr, size string) string {
	return "x = " + addr + "\nif x+" + size + " > ml { goto outOfBounds }\nif checked { checkAccess(v.mem, mb, x, " + size + ") }\np = unsafe.Add(mb, x)\n"
}

// loads and stores are the accesses to memory at p, with the instructions that they are.
var loads = []struct{ name, size, value, instrs string }{
	{"Load32", "4", "uint64(load32(p))", "I32Load F32Load I64Load32U"},
	{"Load64", "8", "load64(p)", "I64Load F64Load"},
	{"Load8U", "1", "uint64(*(*uint8)(p))", "I32Load8U I64Load8U"},
	{"Load16U", "2", "uint64(load16(p))", "I32Load16U I64Load16U"},
	{"Load8S32", "1", "uint64(uint32(int8(*(*uint8)(p))))", "I32Load8S"},
	{"Load16S32", "2", "uint64(uint32(int16(load16(p))))", "I32Load16S"},
	{"Load8S64", "1", "uint64(int8(*(*uint8)(p)))", "I64Load8S"},
	{"Load16S64", "2", "uint64(int16(load16(p)))", "I64Load16S"},
	{"Load32S64", "4", "uint64(int32(load32(p)))", "I64Load32S"},
}

var stores = []struct{ name, size, stmt, instrs string }{
	{"Store32", "4", "store32(p, uint32(VALUE))", "I32Store F32Store I64Store32"},
	{"Store64", "8", "store64(p, VALUE)", "I64Store F64Store"},
	{"Store8", "1", "*(*uint8)(p) = uint8(VALUE)", "I32Store8 I64Store8"},
	{"Store16", "2", "store16(p, uint16(VALUE))", "I32Store16 I64Store16"},
}

// branches adds the branches: those within a turn, and those back to a loop, which are safe points.
func branches(add adder) {
	for _, back := range []bool{false, true} {
		suffix, take := "", "JUMP"
		if back {
			suffix, take = "Back", "BACK"
		}
		add("Jump"+suffix, "jump", take)
		for _, w := range widths {
			for _, k := range []bool{false, true} {
				for _, b := range binary[compares:] {
					if k {
						add("Br"+w.name+b.name+"K"+suffix, "bn jump", when(w.with(b.expr, w.slot("B"), w.high), take))
					} else {
						add("Br"+w.name+b.name+suffix, "bn cn jump", when(w.with(b.expr, w.slot("B"), w.slot("C")), take))
					}
				}
			}
			add("Br"+w.name+"Test"+suffix, "bn jump", when(w.slot("B")+"&"+w.high+" != 0", take))
			add("Br"+w.name+"TestNot"+suffix, "bn jump", when(w.slot("B")+"&"+w.high+" == 0", take))
		}
		for _, r := range []string{"f", "F"} {
			name := map[string]string{"f": "F32", "F": "F64"}[r]
			for _, not := range []string{"", "Not"} {
				for _, b := range floats[:floatArith] {
					cond := strings.NewReplacer("x", "B"+r, "y", "C"+r).Replace(b.expr)
					if not != "" {
						cond = "!(" + cond + ")"
					}
					add("Br"+not+name+b.name+suffix, "bn cn jump", when(cond, take))
				}
			}
		}
	}
	// a += c, and back if a compares with b or a constant; in the first rows c is a slot
	for _, w := range widths {
		for _, b := range binary[compares:] {
			x := "x"
			if w.name == "I32" {
				x = "uint32(x)"
			}
			add(
				"Step"+w.name+b.name, "an bn cn jump",
				"x = uint64("+w.slot("A")+" + "+w.slot("C")+")\nA = x\n"+when(w.with(b.expr, x, w.slot("B")), "BACK"),
			)
		}
	}
	for _, w := range widths {
		for _, k := range []bool{false, true} {
			for _, b := range binary[compares:] {
				inc := "x = uint64(" + w.slot("A") + " + " + w.u + "(int16(o.C)))\nA = x\n"
				x := "x"
				if w.name == "I32" {
					x = "uint32(x)"
				}
				if k {
					add("Inc"+w.name+b.name+"K", "an jump", inc+when(w.with(b.expr, x, w.high), "BACK"))
				} else {
					add("Inc"+w.name+b.name, "an bn jump", inc+when(w.with(b.expr, x, w.slot("B")), "BACK"))
				}
			}
		}
	}
}
