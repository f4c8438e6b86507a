package text

import (
	"fmt"
	"math"
	"strconv"

	"stackscope/wasm"
)

// instr puts an instruction: mnemonic and immediates.
func (b *body) instr(in *wasm.Instr) {
	info := in.Op.Info()
	b.put(in.Op.String())
	if in.Op.OpensBlock() || in.Op == wasm.OpEvent {
		n, named := b.names.Labels[b.fn][b.blocks]
		if n != "" {
			b.put(" ", Identifier(n))
		} else if !b.o.NoComments && b.fn != wasm.BadIndex {
			b.putf(" (;@%d;)", b.blocks)
		}
		if named && n == "" {
			b.put(` (@name "")`)
		}
	}
	ext := in.Ext
	if ext == nil {
		ext = &wasm.Ext{}
	}
	index, refs := 0, 0
	next := func() uint32 {
		index++
		return in.Index(index - 1)
	}
	for _, imm := range info.Imms {
		switch imm {
		case wasm.ImmType:
			b.put(" ", b.id.types.use(next()))
		case wasm.ImmTypeUse:
			b.typeUse(next(), nil)
		case wasm.ImmFunc:
			b.put(" ", b.id.funcs.use(next()))
		case wasm.ImmTable, wasm.ImmMemory:
			b.optional(in, imm, next())
		case wasm.ImmGlobal:
			b.put(" ", b.id.globals.use(next()))
		case wasm.ImmLocal:
			b.put(" ", b.locals.use(next()))
		case wasm.ImmLabel:
			b.put(" ", b.label(next()))
		case wasm.ImmTag:
			b.put(" ", b.id.tags.use(next()))
		case wasm.ImmElem:
			b.put(" ", b.id.elems.use(next()))
		case wasm.ImmData:
			b.put(" ", b.id.datas.use(next()))
		case wasm.ImmField:
			b.put(" ", b.id.fields[in.A].use(next()))
		case wasm.ImmU32:
			b.putf(" %d", next())
		case wasm.ImmRefType:
			t := in.Ref()
			if refs > 0 && len(ext.Types) > 0 {
				t = ext.Types[0]
			}
			refs++
			b.put(" ", b.valType(t))
		default:
			b.immediate(in, ext, imm)
		}
	}
}

// optional puts a table or memory index, which may be left out if all that the instruction names
// are 0.
func (b *body) optional(in *wasm.Instr, imm wasm.Imm, x uint32) {
	t, second := b.id.mems, false
	if imm == wasm.ImmTable {
		t = b.id.tables
	}
	if imms := in.Op.Info().Imms; len(imms) == 2 && imms[0] == imms[1] {
		second = true // a copy names both or none
	}
	if x != 0 || second && (in.A != 0 || in.B != 0) {
		b.put(" ", t.use(x))
	}
}

// immediate puts an immediate that is not an index.
func (b *body) immediate(in *wasm.Instr, ext *wasm.Ext, imm wasm.Imm) {
	switch imm {
	case wasm.ImmBlock:
		if t, ok := in.Block().Index(); ok {
			b.typeUse(t, nil)
		} else if t, ok := in.Block().Result(); ok {
			b.put(" (result ", b.valType(t), ")")
		}
	case wasm.ImmLabels:
		for _, l := range ext.Labels {
			b.put(" ", b.label(l))
		}
	case wasm.ImmI32:
		b.putf(" %d", int32(in.Imm))
	case wasm.ImmI64:
		b.putf(" %d", int64(in.Imm))
	case wasm.ImmF32:
		b.put(" ", Float32(uint32(in.Imm)))
	case wasm.ImmF64:
		b.put(" ", Float64(in.Imm))
	case wasm.ImmV128:
		b.putf(" i32x4 0x%08x 0x%08x 0x%08x 0x%08x", uint32(in.Imm), in.Imm>>32, uint32(ext.Hi), ext.Hi>>32)
	case wasm.ImmLanes:
		for i := range 16 {
			x := in.Imm
			if i >= 8 {
				x = ext.Hi
			}
			b.putf(" %d", byte(x>>(i%8*8)))
		}
	case wasm.ImmLane:
		b.putf(" %d", in.Lane)
	case wasm.ImmMemArg:
		if in.A != 0 {
			b.put(" ", b.id.mems.use(in.A))
		}
		if in.Imm != 0 {
			b.putf(" offset=%d", in.Imm)
		}
		if in.Align != in.Op.Info().Align && in.Align < 64 {
			b.putf(" align=%d", uint64(1)<<in.Align)
		}
	case wasm.ImmResults:
		if ext.Types != nil {
			b.put(" (result")
			for _, t := range ext.Types {
				b.put(" ", b.valType(t))
			}
			b.put(")")
		}
	case wasm.ImmHeapType:
		b.put(" ", in.Ref().Heap().Format(b.id.types.use))
	case wasm.ImmCatches:
		for _, c := range ext.Catches {
			b.clause(
				catchNames[min(c.Kind, wasm.CatchAllRef)], c.Tag,
				c.Kind == wasm.CatchTag || c.Kind == wasm.CatchTagRef, b.label(c.Label),
			)
		}
	case wasm.ImmHandlerClauses:
		for _, h := range ext.HandlerClauses {
			to := "switch"
			if !h.Switch {
				to = b.label(h.Label)
			}
			b.clause("on", h.Tag, true, to)
		}
	case wasm.ImmClauses:
		for _, h := range ext.HandlerClauses {
			to := b.id.funcs.use(h.Label)
			if in.Op != wasm.OpMountFiberNew {
				to = b.label(h.Label)
			}
			b.put(" (", b.id.tags.use(h.Tag), " ", to, ")")
		}
	}
}

// catchNames are the keywords by wasm.CatchKind.
var catchNames = [...]string{"catch", "catch_ref", "catch_all", "catch_all_ref"}

func (b *body) clause(kind string, tag uint32, hasTag bool, to string) {
	b.put(" (", kind, " ")
	if hasTag {
		b.put(b.id.tags.use(tag), " ")
	}
	b.put(to, ")")
}

// Float32 returns the bits of an f32 as a literal that reads back as the same bits.
func Float32(bits uint32) string {
	return float(bits>>31 != 0, uint64(bits&0x7fffff), bits>>23&0xff == 0xff, 1<<22, func() string {
		return strconv.FormatFloat(float64(math.Float32frombits(bits)), 'g', -1, 32)
	})
}

// Float64 returns the bits of an f64 as a literal that reads back as the same bits.
func Float64(bits uint64) string {
	return float(bits>>63 != 0, bits&(1<<52-1), bits>>52&0x7ff == 0x7ff, 1<<51, func() string {
		return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
	})
}

func float(neg bool, mantissa uint64, special bool, quiet uint64, finite func() string) string {
	if !special {
		return finite()
	}
	sign := ""
	if neg {
		sign = "-"
	}
	switch mantissa {
	case 0:
		return sign + "inf"
	case quiet:
		return sign + "nan"
	}
	return fmt.Sprintf("%snan:0x%x", sign, mantissa)
}
