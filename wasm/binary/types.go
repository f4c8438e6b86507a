package binary

import "stackscope/wasm"

// codes pairs the abstract heap types with their encoding.
var codes = [...]struct {
	heap wasm.HeapType
	code byte
}{
	{
		wasm.HeapNoExn, 0x74,
	}, {wasm.HeapNoFunc, 0x73}, {wasm.HeapNoExtern, 0x72}, {wasm.HeapNone, 0x71}, {wasm.HeapFunc, 0x70},
	{wasm.HeapExtern, 0x6f}, {wasm.HeapAny, 0x6e}, {wasm.HeapEq, 0x6d}, {wasm.HeapI31, 0x6c}, {wasm.HeapStruct, 0x6b},
	{wasm.HeapArray, 0x6a}, {wasm.HeapExn, 0x69}, {wasm.HeapCont, 0x68}, {wasm.HeapNoCont, 0x75},
}

// The other bytes of types.
const (
	codeI32      = 0x7f
	codeI64      = 0x7e
	codeF32      = 0x7d
	codeF64      = 0x7c
	codeV128     = 0x7b
	codeI8       = 0x78
	codeI16      = 0x77
	codeRef      = 0x64
	codeRefNull  = 0x63
	codeFunc     = 0x60
	codeStruct   = 0x5f
	codeArray    = 0x5e
	codeCont     = 0x5d
	codeSub      = 0x50
	codeSubFinal = 0x4f
	codeRec      = 0x4e
	codeEmpty    = 0x40 // as block type
)

func heapCode(h wasm.HeapType) (byte, bool) {
	for _, c := range codes {
		if c.heap == h {
			return c.code, true
		}
	}
	return 0, false
}

func (d *decoder) heapByCode(code byte) (wasm.HeapType, bool) {
	for _, c := range codes {
		if c.code == code {
			d.dialect = max(d.dialect, c.heap.Dialect())
			return c.heap, true
		}
	}
	return wasm.HeapBad, false
}

// peek returns the next byte without taking it, 0 at the end.
func (d *decoder) peek() byte {
	if d.eof() {
		return 0
	}
	return d.b[d.pos]
}

// negative reports whether a byte is a whole signed LEB128 number below zero: the codes of types.
func negative(b byte) bool { return b >= 0x40 && b < 0x80 }

func (d *decoder) heapType() wasm.HeapType {
	at := d.pos
	if c := d.peek(); negative(c) {
		d.pos++
		h, ok := d.heapByCode(c)
		d.require(ok, at, "malformed heap type")
		return h
	}
	x := d.signed(33)
	d.require(x >= 0 && x < 1<<31, at, "malformed heap type")
	return wasm.HeapType(x)
}

func (d *decoder) refType() wasm.ValType {
	t, ok := d.tryRefType()
	if !ok {
		d.fail(d.pos, "malformed reference type")
	}
	return t
}

func (d *decoder) tryRefType() (wasm.ValType, bool) {
	if d.eof() {
		d.byte()
		return wasm.Unknown, true
	}
	switch c := d.peek(); c {
	case codeRef, codeRefNull:
		d.pos++
		return wasm.Ref(c == codeRefNull, d.heapType()), true
	default:
		h, ok := d.heapByCode(c)
		if ok {
			d.pos++
		}
		return wasm.Ref(true, h), ok
	}
}

func (d *decoder) valType() wasm.ValType {
	t := wasm.Unknown
	switch d.peek() {
	case codeI32:
		t = wasm.I32
	case codeI64:
		t = wasm.I64
	case codeF32:
		t = wasm.F32
	case codeF64:
		t = wasm.F64
	case codeV128:
		t = wasm.V128
	default:
		t, ok := d.tryRefType()
		if !ok {
			d.fail(d.pos, "malformed value type")
		}
		return t
	}
	d.pos++
	return t
}

func (d *decoder) mutability() bool {
	at := d.pos
	b := d.byte()
	d.require(b <= 1, at, "malformed mutability")
	return b == 1
}

func (d *decoder) fieldType() wasm.FieldType {
	f := wasm.FieldType{}
	switch d.peek() {
	case codeI8:
		f.Type = wasm.I8
		d.pos++
	case codeI16:
		f.Type = wasm.I16
		d.pos++
	default:
		f.Type = d.valType()
	}
	f.Mut = d.mutability()
	return f
}

// recType reads a recursion group, or a type that is one by itself.
func (d *decoder) recType() {
	g := wasm.RecGroup{Start: uint32(len(d.m.Types)), Len: 1}
	if d.peek() != codeRec {
		d.m.Types = append(d.m.Types, d.subType())
	} else {
		d.pos++
		n := d.count()
		for i := 0; i < n && d.err == nil; i++ {
			d.m.Types = append(d.m.Types, d.subType())
		}
		g.Len = uint32(n)
	}
	d.m.Recs = append(d.m.Recs, g)
}

func (d *decoder) subType() wasm.SubType {
	t := wasm.SubType{Final: true, At: d.at()}
	if c := d.peek(); c == codeSub || c == codeSubFinal {
		d.pos++
		t.Final = c == codeSubFinal
		t.Supers = list(&d.reader, d.u32)
	}
	at := d.pos
	switch d.byte() {
	case codeFunc:
		t.Kind = wasm.CompFunc
		t.Params = list(&d.reader, d.valType)
		t.Results = list(&d.reader, d.valType)
	case codeStruct:
		t.Kind = wasm.CompStruct
		t.Fields = list(&d.reader, d.fieldType)
	case codeArray:
		t.Kind = wasm.CompArray
		t.Fields = []wasm.FieldType{d.fieldType()}
	case codeCont:
		t.Kind = wasm.CompCont
		d.dialect = wasm.CompCont.Dialect()
		x := d.signed(33)
		d.require(x >= 0, at, "malformed heap type")
		t.Func = uint32(x)
	default:
		if d.err == nil && d.b[at] >= 0x80 {
			d.fail(at, "integer representation too long")
		}
		d.fail(at, "malformed definition type")
	}
	return t
}

// The bits of limits' flags.
const (
	limitsMax = 1
	limits64  = 4
)

func (d *decoder) limits() wasm.Limits {
	at := d.pos
	flags := d.byte()
	d.require(flags&^(limitsMax|limits64) == 0, at, "malformed limits flags")
	l := wasm.Limits{HasMax: flags&limitsMax != 0, Is64: flags&limits64 != 0}
	l.Min = d.unsigned(64) // validation bounds them
	if l.HasMax {
		l.Max = d.unsigned(64)
	}
	return l
}

func (d *decoder) blockType() wasm.BlockType {
	c := d.peek()
	switch {
	case c == codeEmpty:
		d.pos++
		return 0
	case negative(c):
		return wasm.BlockResult(d.valType())
	}
	at := d.pos
	x := d.signed(33)
	d.require(x >= 0, at, "malformed block type")
	return wasm.BlockIndex(uint32(x))
}
