// Package gendwarf generates large modules with DWARF 4 for benchmarks: units of C++ with types in a
// namespace, functions with parameters, blocks and variables in a frame, and line tables. Equal
// options generate equal modules.
package gendwarf

import (
	"encoding/binary"
	"fmt"
)

// Options say what to generate.
type Options struct {
	Units int // compilation units
	Funcs int // functions of each unit
	Types int // structs of each unit
	// Rows is how many rows each function has, of three instructions each.
	Rows int
}

// The instructions of a function, by their sizes: global.get, local.set; then i32.const, drop, nop.
const (
	prologue = 4
	rowSize  = 4
)

// Func is the function of the name `uN::fM`.
func (o Options) Func(unit, fn int) uint32 { return uint32(unit*o.Funcs + fn) }

// Line is the line of a row of a function in its file, `src/uN.cc`.
func (o Options) Line(fn, row int) int { return 10 + fn*(o.Rows+5) + row }

// Module returns the module, and how many bytes of it are DWARF.
func Module(o Options) (data []byte, size int) {
	g := &gen{o: o}
	g.abbrevs()
	g.codeSection()
	for u := range o.Units {
		g.unit(u)
	}
	out := []byte("\x00asm\x01\x00\x00\x00")
	section := func(id byte, b []byte) {
		out = append(out, id)
		out = binary.AppendUvarint(out, uint64(len(b)))
		out = append(out, b...)
	}
	n := o.Units * o.Funcs
	types := []byte{1, 0x60, 1, 0x7f, 1, 0x7f}
	section(1, types)
	funcs := binary.AppendUvarint(nil, uint64(n))
	section(3, append(funcs, make([]byte, n)...))
	section(5, []byte{1, 0, 1})
	section(6, []byte{1, 0x7f, 1, 0x41, 0, 0x0b})
	section(7, append([]byte{1, 3, 'r', 'u', 'n', 0}, 0))
	section(10, g.code)
	for _, s := range []struct {
		name string
		b    []byte
	}{{".debug_abbrev", g.abbrev}, {".debug_info", g.info}, {".debug_str", g.str}, {".debug_line", g.lines},
		{".debug_ranges", g.ranges}} {
		size += len(s.b)
		section(0, append(append([]byte{byte(len(s.name))}, s.name...), s.b...))
	}
	return out, size
}

type gen struct {
	o                                      Options
	abbrev, info, str, lines, ranges, code []byte
	at                                     []uint32 // of each function, in the contents of the code section
	start                                  int      // of the unit
	strs                                   map[string]uint32
}

// The tags, attributes and forms that are used, as DWARF numbers them.
const (
	aUnit = 1 + iota
	aNamespace
	aBase
	aPointer
	aStruct
	aMember
	aFunc
	aParam
	aVar
	aBlock
	aGlobal
)

func (g *gen) abbrevs() {
	add := func(code, tag, children byte, attrs ...byte) {
		g.abbrev = append(g.abbrev, code, tag, children)
		g.abbrev = append(g.abbrev, attrs...)
		g.abbrev = append(g.abbrev, 0, 0)
	}
	const (
		strp, data1, data2, data4, ref4, addr, offset, expr, flag = 0x0e, 0x0b, 0x05, 0x06, 0x13, 0x01, 0x17, 0x18, 0x19
	)
	add(aUnit, 0x11, 1, 0x25, strp, 0x13, data2, 0x03, strp, 0x10, offset, 0x1b, strp, 0x11, addr, 0x55, offset)
	add(aNamespace, 0x39, 1, 0x03, strp)
	add(aBase, 0x24, 0, 0x03, strp, 0x3e, data1, 0x0b, data1)
	add(aPointer, 0x0f, 0, 0x49, ref4)
	add(aStruct, 0x13, 1, 0x36, data1, 0x03, strp, 0x0b, data1, 0x3a, data1, 0x3b, data2)
	add(aMember, 0x0d, 0, 0x03, strp, 0x49, ref4, 0x3a, data1, 0x3b, data2, 0x38, data1)
	add(aFunc, 0x2e, 1, 0x11, addr, 0x12, data4, 0x40, expr, 0x6e, strp, 0x03, strp, 0x3a, data1, 0x3b, data2,
		0x49, ref4, 0x3f, flag)
	add(aParam, 0x05, 0, 0x02, expr, 0x03, strp, 0x3a, data1, 0x3b, data2, 0x49, ref4)
	add(aVar, 0x34, 0, 0x02, expr, 0x03, strp, 0x3a, data1, 0x3b, data2, 0x49, ref4)
	add(aBlock, 0x0b, 1, 0x11, addr, 0x12, data4)
	add(aGlobal, 0x34, 0, 0x03, strp, 0x49, ref4, 0x3a, data1, 0x3b, data2, 0x02, expr)
	g.abbrev = append(g.abbrev, 0)
}

func (g *gen) codeSection() {
	var body []byte
	body = append(body, 1, 1, 0x7f)       // a local
	body = append(body, 0x23, 0, 0x21, 1) // global.get 0, local.set 1
	for range g.o.Rows {
		body = append(body, 0x41, 7, 0x1a, 0x01) // i32.const 7, drop, nop
	}
	body = append(body, 0x41, 0, 0x0b)
	n := g.o.Units * g.o.Funcs
	g.code = binary.AppendUvarint(nil, uint64(n))
	for range n {
		g.code = binary.AppendUvarint(g.code, uint64(len(body)))
		g.at = append(g.at, uint32(len(g.code)))
		g.code = append(g.code, body...)
	}
}

func (g *gen) size() uint32 { return uint32(3 + prologue + rowSize*g.o.Rows + 3) }

func (g *gen) b(x ...byte) { g.info = append(g.info, x...) }

func (g *gen) u2(x int) { g.info = binary.LittleEndian.AppendUint16(g.info, uint16(x)) }

func (g *gen) u4(x uint32) { g.info = binary.LittleEndian.AppendUint32(g.info, x) }

func (g *gen) s(s string) {
	if g.strs == nil {
		g.strs = map[string]uint32{}
	}
	off, ok := g.strs[s]
	if !ok {
		off = uint32(len(g.str))
		g.strs[s] = off
		g.str = append(append(g.str, s...), 0)
	}
	g.u4(off)
}

// here is the offset in the unit.
func (g *gen) here() uint32 { return uint32(len(g.info) - g.start) }

func (g *gen) unit(u int) {
	o := g.o
	g.start = len(g.info)
	g.u4(0)
	g.u2(4)
	g.u4(0)
	g.b(4, aUnit)
	g.s("clang version 22.1.8")
	g.u2(0x21)
	g.s(fmt.Sprintf("src/u%d.cc", u))
	g.u4(uint32(len(g.lines)))
	g.s("/build")
	g.u4(0)
	g.u4(uint32(len(g.ranges)))
	integer := g.here()
	g.b(aBase)
	g.s("int")
	g.b(5, 4)
	g.b(aNamespace)
	g.s(fmt.Sprintf("u%d", u))
	var pointers []uint32
	for t := range o.Types {
		at := g.here()
		g.b(aStruct, 5)
		g.s(fmt.Sprintf("Type%d", t))
		g.b(24, 1)
		g.u2(t + 1)
		for m := range 6 {
			g.b(aMember)
			g.s(fmt.Sprintf("member%d", m))
			g.u4(integer)
			g.b(1)
			g.u2(t + 2)
			g.b(byte(4 * m))
		}
		g.b(0)
		pointers = append(pointers, g.here())
		g.b(aPointer)
		g.u4(at)
	}
	g.b(aGlobal)
	g.s("shared")
	g.u4(integer)
	g.b(1)
	g.u2(3)
	g.b(5, 3)
	g.u4(uint32(1024 + 4*u))
	for f := range o.Funcs {
		g.function(u, f, integer, pointers[f%len(pointers)])
	}
	g.b(0, 0)
	binary.LittleEndian.PutUint32(g.info[g.start:], uint32(len(g.info)-g.start-4))
	g.ranges = append(g.ranges, make([]byte, 8)...)
	g.lineTable(u)
}

func (g *gen) function(u, f int, integer, pointer uint32) {
	at, line := g.at[g.o.Func(u, f)], g.o.Line(f, 0)
	g.ranges = binary.LittleEndian.AppendUint32(g.ranges, at)
	g.ranges = binary.LittleEndian.AppendUint32(g.ranges, at+g.size())
	g.b(aFunc)
	g.u4(at)
	g.u4(g.size())
	g.b(4, 0xed, 0, 1, 0x9f)
	g.s(fmt.Sprintf("_ZN2u%d2f%dEi", u, f))
	g.s(fmt.Sprintf("f%d", f))
	g.b(1)
	g.u2(line)
	g.u4(integer)
	variable := func(abbrev, off byte, name string, typ uint32) {
		g.b(abbrev, 2, 0x91, off)
		g.s(name)
		g.b(1)
		g.u2(line)
		g.u4(typ)
	}
	variable(aParam, 12, "n", integer)
	variable(aVar, 8, "object", pointer)
	for i := range 4 {
		variable(aVar, byte(16+4*i), fmt.Sprintf("local%d", i), integer)
	}
	g.b(aBlock)
	g.u4(at + 3 + prologue + rowSize)
	g.u4(uint32(rowSize * (g.o.Rows - 1)))
	variable(aVar, 4, "inner", integer)
	g.b(0, 0)
}

func (g *gen) lineTable(u int) {
	start := len(g.lines)
	le := binary.LittleEndian
	g.lines = append(g.lines, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0)
	header := len(g.lines)
	g.lines = append(g.lines, 1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1)
	g.lines = append(g.lines, 0)
	g.lines = append(g.lines, fmt.Sprintf("src/u%d.cc", u)...)
	g.lines = append(g.lines, 0, 0, 0, 0, 0)
	le.PutUint32(g.lines[start+6:], uint32(len(g.lines)-header))
	for f := range g.o.Funcs {
		g.lines = append(g.lines, 0, 5, 2)
		g.lines = le.AppendUint32(g.lines, g.at[g.o.Func(u, f)])
		g.lines = append(g.lines, 3)
		g.lines = sleb(g.lines, g.o.Line(f, 0)-1)
		g.lines = append(g.lines, 1)
		g.lines = append(g.lines, 2, 3+prologue, 10, 3, 1, 5, 3, 1) // prologue_end, the next line, column 3
		for range g.o.Rows - 1 {
			g.lines = append(g.lines, 13+5+1+14*rowSize) // four bytes and a line on
		}
		g.lines = append(g.lines, 2)
		g.lines = binary.AppendUvarint(g.lines, uint64(rowSize+3))
		g.lines = append(g.lines, 0, 1, 1)
	}
	le.PutUint32(g.lines[start:], uint32(len(g.lines)-start-4))
}

func sleb(b []byte, n int) []byte {
	for {
		c := byte(n & 0x7f)
		n >>= 7
		if n == 0 && c&0x40 == 0 || n == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}
