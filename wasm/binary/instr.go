package binary

import (
	"encoding/binary"
	"fmt"

	"stackscope/wasm"
)

// The encodings that the table cannot say: a second opcode of the same instruction, with the
// immediate in the opcode.
const (
	encSelectTyped  = 0x1c
	encRefTestNull  = 0xfb<<16 | 0x15
	encRefCastNull  = 0xfb<<16 | 0x17
	memArgHasMemory = 0x40
)

// opcodes is the instruction table by encoding.
type opcodes struct {
	plain    [256]wasm.Op
	prefixed [256][]wasm.Op
}

// byCode is computed once from the table and never changes.
var byCode = newOpcodes()

func newOpcodes() *opcodes {
	t := &opcodes{}
	set := func(enc uint32, op wasm.Op) {
		p, c := enc>>16, int(enc&0xffff)
		if p == 0 {
			t.plain[c] = op
			return
		}
		for len(t.prefixed[p]) <= c {
			t.prefixed[p] = append(t.prefixed[p], wasm.OpInvalid)
		}
		t.prefixed[p][c] = op
	}
	for op := wasm.Op(1); op < wasm.NumOps; op++ {
		if enc := op.Info().Enc; enc != wasm.NoEncoding {
			set(enc, op)
		}
	}
	set(encSelectTyped, wasm.OpSelect)
	set(encRefTestNull, wasm.OpRefTest)
	set(encRefCastNull, wasm.OpRefCast)
	return t
}

// instr reads an instruction into a zero one.
func (d *decoder) instr(in *wasm.Instr) {
	at := d.pos
	in.At = wasm.Pos(at)
	c := d.byte()
	enc := uint32(c)
	if table := byCode.prefixed[c]; table != nil {
		n := d.u32()
		if int64(n) < int64(len(table)) {
			in.Op = table[n]
		}
		if in.Op == wasm.OpInvalid {
			d.fail(at, fmt.Sprintf("illegal opcode %02x %02x", c, n))
			return
		}
		enc = enc<<16 | n
	} else if in.Op = byCode.plain[c]; in.Op == wasm.OpInvalid {
		d.fail(at, fmt.Sprintf("illegal opcode %02x", c))
		return
	}
	info := in.Op.Info()
	if len(info.Imms) == 0 && info.Dialect == wasm.DialectNone { // most instructions
		return
	}
	if info.Dialect != wasm.DialectNone {
		d.dialect = info.Dialect
	}
	switch enc {
	case encSelectTyped:
		types := list(&d.reader, d.valType)
		if types == nil {
			types = []wasm.ValType{}
		}
		in.Ext = &wasm.Ext{Types: types}
		return
	case encRefTestNull, encRefCastNull:
		in.Imm = uint64(wasm.Ref(true, d.heapType()))
		return
	}
	switch in.Op {
	case wasm.OpBrOnCast, wasm.OpBrOnCastFail:
		flagsAt := d.pos
		flags := d.byte()
		d.require(flags <= 3, flagsAt, "malformed br_on_cast flags")
		in.A = d.u32()
		in.Imm = uint64(wasm.Ref(flags&1 != 0, d.heapType()))
		in.Ext = &wasm.Ext{Types: []wasm.ValType{wasm.Ref(flags&2 != 0, d.heapType())}}
		return
	}
	index := 0
	for _, imm := range info.Imms {
		d.immediate(in, imm, &index)
	}
	if in.Op.BinarySwapped() {
		in.A, in.B = in.B, in.A
	}
}

// immediate reads one immediate; index counts the index immediates so far.
func (d *decoder) immediate(in *wasm.Instr, imm wasm.Imm, index *int) {
	switch imm {
	case wasm.ImmBlock:
		in.Imm = uint64(d.blockType())
	case wasm.ImmData, wasm.ImmType, wasm.ImmTypeUse, wasm.ImmFunc, wasm.ImmTable, wasm.ImmMemory, wasm.ImmGlobal,
		wasm.ImmLocal, wasm.ImmLabel, wasm.ImmTag, wasm.ImmElem, wasm.ImmField, wasm.ImmU32:
		if imm == wasm.ImmData {
			d.usesData = true
		}
		x := d.index()
		if *index == 0 {
			in.A = x
		} else {
			in.B = x
		}
		*index++
	case wasm.ImmLabels:
		labels := list(&d.reader, d.u32)
		in.Ext = &wasm.Ext{Labels: append(labels, d.u32())}
	case wasm.ImmI32:
		in.Imm = uint64(uint32(d.signed(32)))
	case wasm.ImmI64:
		in.Imm = uint64(d.signed(64))
	case wasm.ImmF32:
		in.Imm = uint64(d.fixed32())
	case wasm.ImmF64:
		in.Imm = d.fixed64()
	case wasm.ImmV128, wasm.ImmLanes:
		if s := d.bytes(16); s != nil {
			in.Imm = binary.LittleEndian.Uint64(s)
			in.Ext = &wasm.Ext{Hi: binary.LittleEndian.Uint64(s[8:])}
		}
	case wasm.ImmLane:
		in.Lane = d.byte()
	case wasm.ImmMemArg:
		at := d.pos
		flags := d.u32()
		d.require(flags < 2*memArgHasMemory, at, "malformed memop flags")
		in.Align = uint8(flags & (memArgHasMemory - 1))
		if flags&memArgHasMemory != 0 {
			in.A = d.u32()
		}
		in.Imm = d.unsigned(64)
	case wasm.ImmResults: // without types; see encSelectTyped
	case wasm.ImmHeapType:
		in.Imm = uint64(wasm.Ref(true, d.heapType()))
	case wasm.ImmRefType: // without null; see encRefTestNull
		in.Imm = uint64(wasm.Ref(false, d.heapType()))
	case wasm.ImmCatches:
		in.Ext = &wasm.Ext{Catches: list(&d.reader, d.catch)}
	case wasm.ImmHandlerClauses:
		in.Ext = &wasm.Ext{HandlerClauses: list(&d.reader, d.handlerClause)}
	default:
		d.fail(int(in.At), "immediate without an encoding")
	}
}

func (d *decoder) catch() wasm.Catch {
	c := wasm.Catch{At: d.at()}
	c.Kind = wasm.CatchKind(d.byte())
	d.require(c.Kind <= wasm.CatchAllRef, int(c.At), "malformed catch clause")
	if c.Kind == wasm.CatchTag || c.Kind == wasm.CatchTagRef {
		c.Tag = d.u32()
	}
	c.Label = d.u32()
	return c
}

func (d *decoder) handlerClause() wasm.HandlerClause {
	h := wasm.HandlerClause{At: d.at()}
	kind := d.byte()
	d.require(kind <= 1, int(h.At), "malformed on clause")
	h.Tag = d.u32()
	if h.Switch = kind == 1; !h.Switch {
		h.Label = d.u32()
	}
	return h
}
