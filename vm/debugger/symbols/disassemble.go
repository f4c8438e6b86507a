package symbols

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"stackscope/analysis/source"
	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
)

// Code is disassembled in one address space: an address is the unit's number, from 1, times 2³²,
// plus the offset in the unit's binary encoding. Modules that have no binary encoding (of dialects
// other than cont) have four addresses for every instruction, and no bytes.

// CodeAddress is the address of an instruction; 0 is none.
type CodeAddress uint64

// Instruction is an instruction of a disassembly.
type Instruction struct {
	Address CodeAddress
	Func    snapshot.FuncID
	PC      int
	Title   string // of the function
	Text    string // with names where the module has them
	Bytes   []byte
	File    *Source // with Span: in the text format
	Span    source.Span
	// The place in the source that it comes from; Source is nil if that is not known.
	Source *Source
	Line   int // from 1
	Col    int // from 1; 0: not known
}

// Disassemble returns count instructions from the one at an address on, or from some instructions
// before or after it. Where the unit has none, Text is empty and the addresses go on. ok is false
// if no unit has the address. It must be called inside Do.
func (c *Code) Disassemble(a CodeAddress, skip, count int) (out []Instruction, ok bool) {
	unit, i, _ := c.locate(a)
	if unit < 0 {
		return nil, false
	}
	l := c.listingOf(unit)
	base := CodeAddress(unit+1) << 32
	lo, hi := CodeAddress(0), CodeAddress(0)
	if n := l.len(); n > 0 && count > 0 {
		lo, hi = CodeAddress(l.offset(0)), CodeAddress(l.end(n-1))
	}
	for j := i + skip; len(out) < count; j++ {
		switch {
		case j < 0:
			out = append(out, Instruction{Address: base + max(lo-min(lo, CodeAddress(-j)), 0)})
		case j >= l.len():
			out = append(out, Instruction{Address: base + hi + CodeAddress(j-l.len())})
		default:
			fn, pc := l.at(j)
			fi := c.FunctionOf(snapshot.FuncID{Unit: unit, Func: fn})
			x := Instruction{
				Address: base | CodeAddress(l.offset(j)), Func: fi.ID, PC: pc, Title: fi.Title,
				Text: fi.Text(pc), File: fi.Unit.File, Span: fi.WAT().Span(pc, true),
			}
			if p, ok := fi.Source().Place(pc); ok {
				x.Source, x.Line, x.Col = fi.FileOf(p), p.Line, p.Col
			}
			if l.code != nil {
				x.Bytes = l.code.Bytes(l.offset(j), l.end(j))
			}
			out = append(out, x)
		}
	}
	return out, true
}

// Text returns an instruction with its immediates, indented by its blocks.
func (fi *Function) Text(pc int) string {
	in := &fi.Func.Body[pc]
	if fi.depths == nil {
		fi.depths = make([]uint8, len(fi.Func.Body))
		d := 0
		for i := range fi.Func.Body {
			op := fi.Func.Body[i].Op
			at := d
			switch op {
			case wasm.OpEnd, wasm.OpDelegate:
				d--
				at = d
			case wasm.OpElse, wasm.OpCatch, wasm.OpCatchAll:
				at--
			}
			if op.OpensBlock() {
				d++
			}
			fi.depths[i] = uint8(min(max(at, 0), 40))
		}
	}
	return strings.Repeat("  ", int(fi.depths[pc])) + fi.instrText(in)
}

func (fi *Function) instrText(in *wasm.Instr) string {
	m, n := fi.Module, fi.Module.Names
	var b strings.Builder
	b.WriteString(in.Op.String())
	put := func(format string, args ...any) { b.WriteByte(' '); fmt.Fprintf(&b, format, args...) }
	ext := in.Ext
	if ext == nil {
		ext = &wasm.Ext{}
	}
	k := 0
	next := func() uint32 { k++; return in.Index(k - 1) }
	for _, imm := range in.Op.Info().Imms {
		switch imm {
		case wasm.ImmBlock:
			if i, ok := in.Block().Index(); ok {
				put("(type %s)", n.Type(i))
			} else if t, ok := in.Block().Result(); ok {
				put("(result %s)", TypeText(t, m))
			}
		case wasm.ImmType:
			put("%s", n.Type(next()))
		case wasm.ImmTypeUse:
			put("(type %s)", n.Type(next()))
		case wasm.ImmFunc:
			put("%s", n.Func(next()))
		case wasm.ImmTable:
			put("%s", n.Table(next()))
		case wasm.ImmMemory:
			put("%s", n.Mem(next()))
		case wasm.ImmGlobal:
			put("%s", n.Global(next()))
		case wasm.ImmLocal:
			put("%s", n.Local(fi.ID.Func, next()))
		case wasm.ImmTag:
			put("%s", n.Tag(next()))
		case wasm.ImmElem:
			put("%s", n.Elem(next()))
		case wasm.ImmData:
			put("%s", n.Data(next()))
		case wasm.ImmField:
			put("%s", n.Field(in.A, next()))
		case wasm.ImmLabel, wasm.ImmU32:
			put("%d", next())
		case wasm.ImmLabels:
			for _, l := range ext.Labels {
				put("%d", l)
			}
		case wasm.ImmI32:
			put("%d", int32(in.Imm))
		case wasm.ImmI64:
			put("%d", int64(in.Imm))
		case wasm.ImmF32:
			put("%s", strconv.FormatFloat(float64(math.Float32frombits(uint32(in.Imm))), 'g', -1, 32))
		case wasm.ImmF64:
			put("%s", strconv.FormatFloat(math.Float64frombits(in.Imm), 'g', -1, 64))
		case wasm.ImmV128, wasm.ImmLanes:
			put("i64x2 0x%016x 0x%016x", in.Imm, ext.Hi)
		case wasm.ImmLane:
			put("%d", in.Lane)
		case wasm.ImmMemArg:
			if in.A != 0 {
				put("%s", n.Mem(in.A))
			}
			if in.Imm != 0 {
				put("offset=%d", in.Imm)
			}
		case wasm.ImmResults:
			for _, t := range ext.Types {
				put("(result %s)", TypeText(t, m))
			}
		case wasm.ImmHeapType, wasm.ImmRefType:
			put("%s", TypeText(in.Ref(), m))
			for _, t := range ext.Types {
				put("%s", TypeText(t, m))
			}
		case wasm.ImmCatches:
			for _, c := range ext.Catches {
				switch c.Kind {
				case wasm.CatchTag:
					put("(catch %s %d)", n.Tag(c.Tag), c.Label)
				case wasm.CatchTagRef:
					put("(catch_ref %s %d)", n.Tag(c.Tag), c.Label)
				case wasm.CatchAll:
					put("(catch_all %d)", c.Label)
				default:
					put("(catch_all_ref %d)", c.Label)
				}
			}
		case wasm.ImmHandlerClauses:
			for _, h := range ext.HandlerClauses {
				if h.Switch {
					put("(on %s switch)", n.Tag(h.Tag))
				} else {
					put("(on %s %d)", n.Tag(h.Tag), h.Label)
				}
			}
		case wasm.ImmClauses:
			for _, h := range ext.HandlerClauses {
				put("(%s %d)", n.Tag(h.Tag), h.Label)
			}
		}
	}
	return b.String()
}
