package dwarf

import (
	std "debug/dwarf"
	"errors"
	"fmt"
	"math"
	"strings"

	"stackscope/analysis/debuginfo"
	"stackscope/wasm"
)

// Bounds of an expression.
const (
	maxSteps  = 10_000
	maxStack  = 1000
	maxCalls  = 16
	maxPieces = 1000
)

// value is a value on the stack of an expression.
type value struct {
	x uint64
	// size is how many bytes it has: 4 or 8, in a typed value what its type has. 0: it is a constant,
	// as wide as what it is used with.
	size uint8
	enc  uint8 // DW_ATE_* of a typed value; 0: it is of the generic type
	// from is the place that the value was just read from, if isFrom.
	from   debuginfo.Piece
	isFrom bool
}

// Encodings of base types (DW_ATE_*).
const (
	ateAddress      = 0x01
	ateBoolean      = 0x02
	ateComplex      = 0x03
	ateFloat        = 0x04
	ateSigned       = 0x05
	ateSignedChar   = 0x06
	ateUnsigned     = 0x07
	ateUnsignedChar = 0x08
	ateUTF          = 0x10
	ateASCII        = 0x12
)

// machine evaluates an expression.
type machine struct {
	u     *unit
	f     *frame // nil: outside of functions
	pc    int
	since int // the instruction since which the expression holds
	c     debuginfo.Context
	size  int64 // of the variable, in bytes; -1: not known
	stack []value
	out   debuginfo.Where
	done  *debuginfo.Piece // the location that the operations so far describe; nil: the top of the stack
	steps int
	calls int
	inner bool // computes the frame base: what it reads is a number, not a place
}

// errPrologue reports a variable whose place is not made yet.
var errPrologue = errors.New("it has no value before the prologue of the function ends")

func malformed(format string, args ...any) error {
	return fmt.Errorf("DWARF: malformed location: "+format, args...)
}

// where evaluates the location of a variable.
func (m *machine) where(expr []byte) (debuginfo.Where, error) {
	if len(expr) == 0 {
		return nil, debuginfo.ErrOptimizedOut
	}
	if err := m.run(expr); err != nil {
		return nil, err
	}
	if len(m.out) > 0 {
		if m.done != nil || len(m.stack) > 0 {
			return nil, malformed("it ends after a piece without the size of another")
		}
		return m.out, nil
	}
	p, err := m.piece(0)
	if err != nil {
		return nil, err
	}
	if p.Kind == debuginfo.Absent {
		return nil, debuginfo.ErrOptimizedOut
	}
	return debuginfo.Where{p}, nil
}

// number evaluates an expression to a number: that on the top of the stack.
func (m *machine) number(expr []byte) (value, error) {
	if err := m.run(expr); err != nil {
		return value{}, err
	}
	if len(m.out) > 0 || len(m.stack) == 0 {
		return value{}, malformed("it is no number")
	}
	return m.stack[len(m.stack)-1], nil
}

// piece ends a location: it has so many bits, 0 if it is the whole value.
func (m *machine) piece(size int64) (debuginfo.Piece, error) {
	p := m.done
	m.done = nil
	switch {
	case p != nil:
	case len(m.stack) == 0:
		return debuginfo.Piece{Kind: debuginfo.Absent, Size: size}, nil
	default:
		v := m.stack[len(m.stack)-1]
		if v.isFrom && m.u.valueOnly() {
			if m.stackValue(); m.done == nil {
				return debuginfo.Piece{}, malformed("a value that cannot be read")
			}
			return m.piece(size)
		}
		p = &debuginfo.Piece{Kind: debuginfo.InMemory, Addr: m.address(v)}
	}
	m.stack = m.stack[:0]
	p.Size = size
	return m.fit(*p)
}

// fit checks a piece against the size of the value.
func (m *machine) fit(p debuginfo.Piece) (debuginfo.Piece, error) {
	want := m.size
	if p.Size > 0 {
		want = (p.Size + p.Offset + 7) / 8
	}
	absent := debuginfo.Piece{Kind: debuginfo.Absent, Size: p.Size}
	switch p.Kind {
	case debuginfo.InLocal:
		if m.f == nil {
			return p, malformed("a local outside of functions")
		}
		n := m.u.s.r.code.local(m.f.fn, p.Index)
		if n == 0 {
			return p, malformed("local %d is no number", p.Index)
		}
		if want > n {
			return absent, nil
		}
	case debuginfo.Constant:
		if want > int64(len(p.Bytes)) {
			return absent, nil
		}
		if want >= 0 {
			p.Bytes = p.Bytes[:want]
		}
	}
	return p, nil
}

// address returns the address that a value is.
func (m *machine) address(v value) uint64 { return v.x & (^uint64(0) >> (64 - 8*m.u.asize)) }

func (m *machine) push(v value) error {
	if len(m.stack) >= maxStack {
		return malformed("it pushes without end")
	}
	m.stack = append(m.stack, v)
	return nil
}

func (m *machine) constant(x uint64) error { return m.push(value{x: x}) }

var errUnderflow = malformed("an operation has no operand")

func (m *machine) pop() (value, error) {
	if len(m.stack) == 0 {
		return value{}, errUnderflow
	}
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return v, nil
}

// run executes the operations of an expression.
func (m *machine) run(expr []byte) error {
	r := buf{b: expr, wide: m.u.wide, asize: m.u.asize}
	if len(expr) > 0 && expr[0] == opPlusUconst && len(m.stack) == 0 && m.calls == 0 && !m.inner {
		// LLVM up to 22 leaves the frame base out where that is a global.
		if err := m.fbreg(0); err != nil {
			return err
		}
	}
	for r.p < len(r.b) {
		if m.steps++; m.steps > maxSteps {
			return malformed("it does not end")
		}
		if m.done != nil {
			if op := r.b[r.p]; op != opPiece && op != opBitPiece && op != opNop {
				return malformed("an operation after the location")
			}
		}
		if err := m.step(&r); err != nil {
			return err
		}
		if r.bad {
			return malformed("an operation is truncated")
		}
	}
	return nil
}

// The operations that are named here (DW_OP_*).
const (
	opAddr             = 0x03
	opDeref            = 0x06
	opConst1u          = 0x08
	opConstu           = 0x10
	opConsts           = 0x11
	opDup              = 0x12
	opDrop             = 0x13
	opOver             = 0x14
	opPick             = 0x15
	opSwap             = 0x16
	opRot              = 0x17
	opAbs              = 0x19
	opAnd              = 0x1a
	opDiv              = 0x1b
	opMinus            = 0x1c
	opMod              = 0x1d
	opMul              = 0x1e
	opNeg              = 0x1f
	opNot              = 0x20
	opOr               = 0x21
	opPlus             = 0x22
	opPlusUconst       = 0x23
	opShl              = 0x24
	opShr              = 0x25
	opShra             = 0x26
	opXor              = 0x27
	opBra              = 0x28
	opEq               = 0x29
	opGe               = 0x2a
	opGt               = 0x2b
	opLe               = 0x2c
	opLt               = 0x2d
	opNe               = 0x2e
	opSkip             = 0x2f
	opLit0             = 0x30
	opReg0             = 0x50
	opRegx             = 0x90
	opFbreg            = 0x91
	opBregx            = 0x92
	opPiece            = 0x93
	opDerefSize        = 0x94
	opNop              = 0x96
	opCall2            = 0x98
	opCall4            = 0x99
	opCallRef          = 0x9a
	opBitPiece         = 0x9d
	opImplicitValue    = 0x9e
	opStackValue       = 0x9f
	opImplicitPointer  = 0xa0
	opAddrx            = 0xa1
	opConstx           = 0xa2
	opEntryValue       = 0xa3
	opConstType        = 0xa4
	opDerefType        = 0xa6
	opConvert          = 0xa8
	opReinterpret      = 0xa9
	opWASM             = 0xed
	opGNUImplicit      = 0xf2
	opGNUEntryValue    = 0xf3
	opGNUConstType     = 0xf4
	opGNUDerefType     = 0xf6
	opGNUConvert       = 0xf7
	opGNUReinterpret   = 0xf9
	opGNUAddrIndex     = 0xfb
	opGNUConstIndex    = 0xfc
	opGNUVariableValue = 0xfd
	opGNUParameterRef  = 0xfa
	opPushObject       = 0x97
	opFormTLS          = 0x9b
	opCallFrame        = 0x9c
	opGNUPushTLS       = 0xe0
	opGNUUninitialised = 0xf0
)

func (m *machine) step(r *buf) error {
	op := r.u8()
	switch {
	case op >= opLit0 && op < opReg0:
		if op < opLit0+32 {
			return m.constant(uint64(op - opLit0))
		}
	case op >= opConst1u && op < opConstu:
		// const1u, const1s, const2u … const8s
		n := 1 << ((op - opConst1u) / 2)
		x := r.fixed(n)
		if op&1 != 0 {
			x = extend(x, uint8(n))
		}
		return m.constant(x)
	case op >= opDup && op <= opRot:
		return m.shuffle(op, r)
	case op >= opAbs && op <= opNe && op != opBra && op != opPlusUconst:
		return m.arith(op)
	}
	switch op {
	case opNop, opGNUUninitialised:
		return nil
	case opAddr:
		return m.push(value{x: r.addr()})
	case opAddrx, opGNUAddrIndex, opConstx, opGNUConstIndex:
		x, ok := m.u.indexed(r.uleb())
		if !ok {
			return malformed("no such address in the table")
		}
		return m.constant(x)
	case opConstu:
		return m.constant(r.uleb())
	case opConsts:
		return m.constant(uint64(r.sleb()))
	case opPlusUconst:
		if err := m.constant(r.uleb()); err != nil {
			return err
		}
		return m.arith(opPlus)
	case opBra, opSkip:
		return m.jump(op, r)
	case opFbreg:
		return m.fbreg(r.sleb())
	case opDeref, opDerefSize, opDerefType, opGNUDerefType:
		return m.deref(op, r)
	case opConstType, opGNUConstType, opConvert, opGNUConvert, opReinterpret, opGNUReinterpret:
		return m.typed(op, r)
	case opCall2, opCall4, opCallRef:
		return m.call(op, r)
	case opEntryValue, opGNUEntryValue:
		return m.entryValue(r.bytes(r.uleb()))
	case opWASM:
		return m.wasm(r)
	}
	return m.locationOp(op, r)
}

// locationOp executes an operation that ends a location.
func (m *machine) locationOp(op uint8, r *buf) error {
	if m.inner && op != opStackValue {
		return malformed("operation %#x in the frame base", op)
	}
	switch op {
	case opStackValue:
		return m.stackValue()
	case opImplicitValue:
		b := r.bytes(r.uleb())
		m.done = &debuginfo.Piece{Kind: debuginfo.Constant, Bytes: b}
		return nil
	case opImplicitPointer, opGNUImplicit:
		// The pointer is gone, and so is its address.
		r.offset()
		r.sleb()
		m.done = &debuginfo.Piece{Kind: debuginfo.Absent}
		return nil
	case opPiece, opBitPiece:
		size, off := r.uleb(), uint64(0)
		if op == opBitPiece {
			off = r.uleb()
		} else if size <= 1<<32 {
			size *= 8
		}
		if r.bad || size == 0 || size > 1<<35 || off > 1<<35 || len(m.out) >= maxPieces {
			return malformed("a piece of %d bits at %d", size, off)
		}
		if m.done != nil {
			m.done.Offset = int64(off)
		}
		p, err := m.piece(int64(size))
		if err != nil {
			return err
		}
		p.Offset = int64(off)
		m.out = append(m.out, p)
		return nil
	case opGNUParameterRef, opGNUVariableValue:
		return debuginfo.ErrOptimizedOut
	case opPushObject, opFormTLS, opGNUPushTLS, opCallFrame:
		return fmt.Errorf("DWARF: operation %#x of the location cannot be computed", op)
	}
	if op >= opReg0 && op <= opBregx && op != opFbreg {
		return malformed("it names a register, and WebAssembly has none")
	}
	return malformed("operation %#x is not known", op)
}

// stackValue makes the value on the top of the stack the value of the variable.
func (m *machine) stackValue() error {
	if m.inner {
		return nil
	}
	v, err := m.pop()
	if err != nil {
		return err
	}
	if v.isFrom {
		p := v.from
		m.done = &p
		return nil
	}
	size := int64(v.size)
	if v.size == 0 {
		// A constant has the width of the variable: it is sign-extended, as LLVM writes it.
		if size = m.size; size < 0 || size > 16 {
			size = 8
		}
	}
	m.done = &debuginfo.Piece{Kind: debuginfo.Constant, Bytes: little(v.x, size)}
	return nil
}

func (m *machine) shuffle(op uint8, r *buf) error {
	n := len(m.stack)
	need, i := 1, 0
	switch op {
	case opOver:
		need, i = 2, 1
	case opPick:
		i = int(r.u8())
		need = i + 1
	case opSwap:
		need = 2
	case opRot:
		need = 3
	}
	if n < need {
		return errUnderflow
	}
	switch op {
	case opDrop:
		m.stack = m.stack[:n-1]
	case opSwap:
		m.stack[n-1], m.stack[n-2] = m.stack[n-2], m.stack[n-1]
	case opRot:
		m.stack[n-1], m.stack[n-2], m.stack[n-3] = m.stack[n-2], m.stack[n-3], m.stack[n-1]
	default:
		return m.push(m.stack[n-1-i])
	}
	return nil
}

func (m *machine) jump(op uint8, r *buf) error {
	n := int(int16(r.u16()))
	if op == opBra {
		v, err := m.pop()
		if err != nil {
			return err
		}
		if v.x == 0 {
			return nil
		}
	}
	if to := r.p + n; to >= 0 && to <= len(r.b) {
		r.p = to
		return nil
	}
	return malformed("a jump leaves it")
}

// innermost is what a Context can say besides: whether its frame is the innermost one of its stack.
type innermost interface{ Innermost() bool }

// fbreg pushes the frame base with an offset.
func (m *machine) fbreg(off int64) error {
	if m.f == nil || m.inner {
		return malformed("no function has the frame base")
	}
	if m.pc < m.f.body {
		return errPrologue
	}
	expr, since := m.f.base, 0
	if m.f.list != nil {
		var err error
		if expr, since, err = m.f.u.location(m.f, *m.f.list, m.pc); err != nil {
			return err
		}
	}
	if len(expr) == 0 {
		return malformed("the function has no frame base")
	}
	if expr[0] == opWASM && len(expr) > 1 && (expr[1] == wasmGlobal || expr[1] == wasmGlobal32) {
		if in, ok := m.c.(innermost); ok && !in.Innermost() {
			return errors.New("the stack pointer has moved since this frame was the innermost")
		}
	}
	b := machine{
		u: m.f.u, f: m.f, pc: m.pc, since: since, c: m.c, size: -1, inner: true, steps: m.steps, calls: m.calls,
	}
	v, err := b.number(expr)
	if err != nil {
		return err
	}
	m.steps = b.steps
	return m.push(value{x: m.address(value{x: v.x + uint64(off)}), size: m.u.asize})
}

// What DW_OP_WASM_location names.
const (
	wasmLocal = iota
	wasmGlobal
	wasmOperand
	wasmGlobal32
)

// wasm executes DW_OP_WASM_location.
func (m *machine) wasm(r *buf) error {
	kind := r.u8()
	var i uint64
	if kind == wasmGlobal32 {
		i = uint64(r.u32())
	} else {
		i = r.uleb()
	}
	if r.bad || i > math.MaxUint32 {
		return malformed("a local, global or operand has no number")
	}
	v := value{isFrom: true, from: debuginfo.Piece{Index: uint32(i)}}
	var ok bool
	var what string
	size := int64(0)
	switch kind {
	case wasmLocal:
		if m.f == nil {
			return malformed("a local outside of functions")
		}
		what, v.from.Kind = "local", debuginfo.InLocal
		size = m.u.s.r.code.local(m.f.fn, uint32(i))
		if size > 0 && m.u.s.r.code.stale(m.f.fn, uint32(i), m.since, m.pc) {
			return debuginfo.ErrOptimizedOut
		}
		v.x, ok = m.c.Local(uint32(i))
	case wasmGlobal, wasmGlobal32:
		what, v.from.Kind = "global", debuginfo.InGlobal
		if g := m.u.s.r.in.Module.Globals; i < uint64(len(g)) {
			size = valSize(g[i].Type)
		}
		v.x, ok = m.c.Global(uint32(i))
	case wasmOperand:
		what, v.from.Kind = "operand", debuginfo.InOperand
		if m.pc != m.since { // it may have been used since, and another be in its place
			return debuginfo.ErrOptimizedOut
		}
		size = 8
		if v.x, ok = m.c.Operand(uint32(i)); !ok { // not yet
			return debuginfo.ErrOptimizedOut
		}
	default:
		return malformed("place %d is not known", kind)
	}
	if !ok || size == 0 {
		return fmt.Errorf("%s %d has no number", what, i)
	}
	v.size = uint8(min(size, 8))
	if v.size == 4 {
		v.x &= math.MaxUint32
	}
	return m.push(v)
}

// entryValue pushes the value that an expression had when the function was entered. That of a
// parameter that no instruction changes is what it has now.
func (m *machine) entryValue(expr []byte) error {
	r := buf{b: expr}
	if m.f == nil || r.u8() != opWASM || r.u8() != wasmLocal {
		return debuginfo.ErrOptimizedOut
	}
	i := r.uleb()
	fn := &m.u.s.r.code.m.Funcs[m.f.fn]
	t := m.u.s.r.code.m.FuncType(fn.Type)
	if r.bad || r.p != len(expr) || t == nil || i >= uint64(len(t.Params)) {
		return debuginfo.ErrOptimizedOut
	}
	for k := range fn.Body {
		if in := &fn.Body[k]; (in.Op == wasm.OpLocalSet || in.Op == wasm.OpLocalTee) && uint64(in.A) == i {
			return debuginfo.ErrOptimizedOut
		}
	}
	return m.run(expr)
}

// call executes the location of another entry.
func (m *machine) call(op uint8, r *buf) error {
	var x ref
	var ok bool
	switch op {
	case opCall2:
		x, ok = m.u.refer(val{form: formRef2, u: uint64(r.u16())})
	case opCall4:
		x, ok = m.u.refer(val{form: formRef4, u: uint64(r.u32())})
	default:
		x, ok = m.u.refer(val{form: formRefAddr, u: r.offset()})
	}
	var d die
	if !ok || !m.u.s.r.open(x, &d) {
		return malformed("it calls an entry that does not exist")
	}
	if m.calls++; m.calls > maxCalls {
		return malformed("it calls without end")
	}
	v, has := d.get(std.AttrLocation)
	if !has {
		return nil
	}
	expr, since, err := d.u.location(m.f, v, m.pc)
	if err != nil {
		return err
	}
	u, outer := m.u, m.since
	m.u, m.since = d.u, since
	err = m.run(expr)
	m.u, m.since = u, outer
	return err
}

// deref reads a number from memory.
func (m *machine) deref(op uint8, r *buf) error {
	v := value{size: m.u.asize}
	switch op {
	case opDerefSize:
		v.size = r.u8()
	case opDerefType, opGNUDerefType:
		v.size = r.u8()
		if _, err := m.baseType(r.uleb(), &v); err != nil {
			return err
		}
	}
	if v.size == 0 || v.size > 8 {
		return malformed("it reads a number of %d bytes", v.size)
	}
	a, err := m.pop()
	if err != nil {
		return err
	}
	p := make([]byte, v.size)
	if !m.c.Read(m.address(a), p) {
		return fmt.Errorf("no memory at %#x", m.address(a))
	}
	b := buf{b: p}
	v.x = b.fixed(int(v.size))
	if v.enc == 0 && v.size < 4 {
		v.size = 4
	}
	return m.push(v)
}

// extend sign-extends the low bytes of a number.
func extend(x uint64, size uint8) uint64 {
	if size == 0 || size >= 8 {
		return x
	}
	s := 64 - 8*uint(size)
	return uint64(int64(x<<s) >> s)
}

// truncate keeps the low bytes of a number.
func truncate(x uint64, size uint8) uint64 {
	if size == 0 || size >= 8 {
		return x
	}
	return x & (1<<(8*uint(size)) - 1)
}

// valueOnly reports that a bare DW_OP_WASM_location is the value of a variable. So LLVM wrote it before
// version 11; since then it is an address, and DW_OP_stack_value follows a value.
func (u *unit) valueOnly() bool {
	var major int
	_, after, ok := strings.Cut(u.producer, "clang version ")
	if _, err := fmt.Sscanf(after, "%d.", &major); !ok || err != nil {
		return false
	}
	return major < 11
}
