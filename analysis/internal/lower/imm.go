package lower

import (
	"errors"
	"math/bits"
	"strconv"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// immNames reports what an immediate is, to people.
var immNames = [...]string{
	wasm.ImmBlock: "a block type", wasm.ImmType: "a type", wasm.ImmTypeUse: "a type use", wasm.ImmFunc: "a function", wasm.ImmTable: "a table",
	wasm.ImmMemory: "a memory", wasm.ImmGlobal: "a global", wasm.ImmLocal: "a local", wasm.ImmLabel: "a label", wasm.ImmLabels: "labels",
	wasm.ImmTag: "a tag", wasm.ImmElem: "an elem segment", wasm.ImmData: "a data segment", wasm.ImmField: "a field", wasm.ImmU32: "a number",
	wasm.ImmI32: "an i32 constant", wasm.ImmI64: "an i64 constant", wasm.ImmF32: "an f32 constant", wasm.ImmF64: "an f64 constant",
	wasm.ImmV128: "a shape and its lanes", wasm.ImmLane: "a lane index", wasm.ImmLanes: "sixteen lane indices", wasm.ImmMemArg: "offset= and align=",
	wasm.ImmResults: "result types", wasm.ImmHeapType: "a heap type", wasm.ImmRefType: "a reference type", wasm.ImmCatches: "catch clauses",
	wasm.ImmHandlerClauses: "on clauses", wasm.ImmClauses: "clauses",
}

// immediateList reports what immediates an instruction takes.
func immediateList(info *wasm.OpInfo) string {
	var s []string
	for _, k := range info.Imms {
		s = append(s, immNames[k])
	}
	if len(s) == 1 {
		return s[0]
	}
	return strings.Join(s[:len(s)-1], ", ") + " and " + s[len(s)-1]
}

// missing reports an immediate that is not there.
func (l *immReader) missing(kw uint32, info *wasm.OpInfo, what string) bool {
	if l.Silent || l.Out == nil {
		return false
	}
	u := &l.Unit
	// What stands there instead, if the parser has complained about it, is enough said.
	if kw+1 < uint32(len(u.Tokens)) {
		if k := u.TokKind(kw + 1); k == syntax.TokBad || k == syntax.TokReserved || u.ErrorAt(kw+1) {
			return false
		}
	}
	f := cursor.Finding{
		Code: diag.Immediate, At: u.TokPlace(kw), Msg: "unexpected token: " + info.Name + " needs " + what,
	}
	f.Fixes = l.stackTypes(kw, info)
	l.Report(f)
	return false
}

// immediates reads the immediates of an instruction. It returns false if what the instruction would
// do is unknown: an immediate is missing.
func (l *immReader) immediates(in *wasm.Instr, info *wasm.OpInfo, p *cursor.Parts, kw uint32) bool {
	u := &l.Unit
	l.kw = kw
	indices := 0 // that were read
	put := func(i uint32) {
		in.SetIndex(indices, i)
		indices++
	}
	for k, kind := range info.Imms {
		switch kind {
		case wasm.ImmLocal:
			t, ok := p.IndexToken()
			if !ok {
				return l.missing(kw, info, "a local")
			}
			rk := decl.RefRead
			if in.Op != wasm.OpLocalGet {
				rk = decl.RefWrite
			}
			in.A = l.local(t, rk)
		case wasm.ImmGlobal:
			t, ok := p.IndexToken()
			if !ok {
				return l.missing(kw, info, "a global")
			}
			rk := decl.RefRead
			if in.Op == wasm.OpGlobalSet {
				rk = decl.RefWrite
			}
			in.A = l.Index(decl.SpaceGlobal, t, rk)
		case wasm.ImmLabel:
			t, ok := p.IndexToken()
			if !ok {
				return l.missing(kw, info, "a label")
			}
			put(l.label(t))
		case wasm.ImmFunc, wasm.ImmType, wasm.ImmTag:
			sp := immSpace(kind)
			t, ok := p.IndexToken()
			if !ok && kind == wasm.ImmTag {
				t, ok = l.tagBehind(info, p)
			}
			if !ok {
				return l.missing(kw, info, immNames[kind])
			}
			i := l.Index(sp, t, decl.RefRead)
			if sp == decl.SpaceType && decl.WritesArray(in.Op) && indices == 0 {
				l.Uses.Add(sp, 0, i, decl.RefWrite)
			}
			put(i)
		case wasm.ImmElem, wasm.ImmData:
			t, ok := p.IndexToken()
			if !ok {
				return l.missing(kw, info, immNames[kind])
			}
			put(l.Index(immSpace(kind), t, decl.RefRead))
		case wasm.ImmTable, wasm.ImmMemory:
			i, ok := l.optionalIndex(in, info, k, p, kw)
			if !ok {
				return false
			}
			put(i)
		case wasm.ImmTypeUse:
			l.ReadUse(p.Child, p.LastChild, &l.Use)
			l.skipUse(p)
			put(l.UseIndex(&l.Use, false))
		case wasm.ImmField:
			t, ok := p.IndexToken()
			if !ok {
				return l.missing(kw, info, "a field")
			}
			in.B = l.field(in.A, t, in.Op)
		case wasm.ImmU32:
			t, ok := p.Token(syntax.TokNat)
			if !ok {
				return l.missing(kw, info, "a number")
			}
			n, err := syntax.ParseNat(u.TokText(t), 32)
			if err != nil {
				l.ReportAt(diag.Number, u.TokPlace(t), "i32 constant out of range: "+u.TokText(t))
				return false
			}
			in.B = uint32(n)
		case wasm.ImmI32, wasm.ImmI64:
			t, ok := p.Token(syntax.TokNat, syntax.TokInt)
			if !ok {
				l.wrongNumber(p, kw, info, kind)
				return true // its type is known all the same
			}
			in.Imm = l.integer(t, bitsOf(kind))
		case wasm.ImmF32, wasm.ImmF64:
			t, ok := p.Token(syntax.TokFloat, syntax.TokNat, syntax.TokInt)
			if !ok {
				l.wrongNumber(p, kw, info, kind)
				return true
			}
			in.Imm = l.float(t, kind == wasm.ImmF64)
		case wasm.ImmV128:
			l.v128(in, p, kw, info)
		case wasm.ImmLane:
			t, ok := p.Token(syntax.TokNat, syntax.TokInt)
			if !ok {
				return l.missing(kw, info, "a lane index")
			}
			if u.TokKind(t) == syntax.TokInt {
				l.ReportAt(diag.Immediate, u.TokPlace(t), "unexpected token "+u.TokText(t)+": a lane index is needed")
			} else {
				in.Lane = l.lane(t)
			}
		case wasm.ImmLanes:
			l.lanes(in, p, kw, info)
		case wasm.ImmMemArg:
			lane := k+1 < len(info.Imms) && info.Imms[k+1] == wasm.ImmLane
			l.memArg(in, info, p, lane)
		case wasm.ImmLabels:
			if !l.labelList(in, p) {
				return l.missing(kw, info, "a label")
			}
		case wasm.ImmResults:
			l.selectTypes(in, p)
		case wasm.ImmHeapType:
			i, node, ok := p.Peek()
			if !ok || node || u.TokKind(i) == syntax.TokRParen {
				return l.missing(kw, info, "a heap type")
			}
			p.Skip()
			in.Imm = uint64(wasm.Ref(true, l.HeapType(i)))
		case wasm.ImmRefType:
			t, ok := l.refTypeImmediate(p, kw, info)
			if !ok {
				return false
			}
			if k > 0 && info.Imms[k-1] == wasm.ImmRefType {
				in.Ext = &wasm.Ext{Types: []wasm.ValType{t}}
			} else {
				in.Imm = uint64(t)
			}
		case wasm.ImmHandlerClauses:
			l.handlerClauses(in, p)
		case wasm.ImmClauses:
			l.clauses(in, p)
		}
	}
	return true
}

// labelList reads the labels of br_table, and reports whether there is one.
func (l *immReader) labelList(in *wasm.Instr, p *cursor.Parts) bool {
	in.Ext = &wasm.Ext{}
	for {
		t, ok := p.IndexToken()
		if !ok {
			return len(in.Ext.Labels) > 0
		}
		in.Ext.Labels = append(in.Ext.Labels, l.label(t))
	}
}

// optionalIndex reads the table or memory that is immediate k, which may be left out: before
// another index both must be there, and of a pair both or none.
func (l *immReader) optionalIndex(
	in *wasm.Instr, info *wasm.OpInfo, k int, p *cursor.Parts, kw uint32,
) (i uint32, ok bool) {
	sp := immSpace(info.Imms[k])
	n := CountIndices(p)
	need := 1
	if k+1 < len(info.Imms) {
		switch info.Imms[k+1] {
		case wasm.ImmElem, wasm.ImmData:
			need = 2
		case wasm.ImmTable, wasm.ImmMemory:
			if n == 1 {
				p.Skip()
				return 0, l.missing(kw, info, "two indices or none")
			}
		}
	}
	write := k == 0 && writesTable(in.Op)
	if n < need {
		l.impliedIndex(sp, write)
		return 0, true
	}
	t, _ := p.IndexToken()
	rk := decl.RefRead
	if write {
		rk = decl.RefWrite
	}
	return l.Index(sp, t, rk), true
}

// refTypeImmediate reads a reference type.
func (l *immReader) refTypeImmediate(p *cursor.Parts, kw uint32, info *wasm.OpInfo) (t wasm.ValType, ok bool) {
	u := &l.Unit
	i, node, ok := p.Peek()
	if !ok || node && u.Nodes[i].Kind != syntax.KRefType || !node && u.TokKind(i) != syntax.TokKeyword {
		return 0, l.missing(kw, info, "a reference type")
	}
	p.Skip()
	if node {
		t = l.RefType(i)
	} else if t = l.NumType(i); t == wasm.Unknown {
		l.ReportAt(diag.Immediate, u.TokPlace(i),
			"unexpected token "+u.TokText(i)+": "+info.Name+" needs a reference type")
	}
	if !t.IsRef() {
		if t != wasm.Unknown {
			l.ReportAt(diag.Immediate, u.TokPlace(i),
				"unexpected token "+t.String()+": "+info.Name+" needs a reference type")
		}
		t = wasm.Ref(true, wasm.HeapBad)
	}
	return t, true
}

// impliedIndex records that the instruction at hand means item 0 of a space without naming it.
func (l *immReader) impliedIndex(sp decl.Space, write bool) {
	k := decl.RefRead
	if write {
		k = decl.RefWrite
	}
	l.Uses.Add(sp, 0, 0, k)
	if n := len(l.Body.Implied); n == 0 || l.Body.Implied[n-1] != l.kw {
		l.Body.Implied = append(l.Body.Implied, l.kw)
	}
}

func immSpace(k wasm.Imm) decl.Space {
	switch k {
	case wasm.ImmFunc:
		return decl.SpaceFunc
	case wasm.ImmType:
		return decl.SpaceType
	case wasm.ImmTag:
		return decl.SpaceTag
	case wasm.ImmElem:
		return decl.SpaceElem
	case wasm.ImmData:
		return decl.SpaceData
	case wasm.ImmTable:
		return decl.SpaceTable
	case wasm.ImmMemory:
		return decl.SpaceMemory
	}
	return decl.SpaceNone
}

func writesTable(op wasm.Op) bool {
	switch op {
	case wasm.OpTableSet, wasm.OpTableInit, wasm.OpTableCopy, wasm.OpTableGrow, wasm.OpTableFill,
		wasm.OpMemoryInit, wasm.OpMemoryCopy, wasm.OpMemoryFill, wasm.OpMemoryGrow:
		return true
	}
	return false
}

// CountIndices counts the index tokens that come next.
func CountIndices(p *cursor.Parts) int {
	q := *p
	for n := 0; ; n++ {
		if _, ok := q.IndexToken(); !ok {
			return n
		}
	}
}

func (l *immReader) skipUse(p *cursor.Parts) {
	for {
		i, node, ok := p.Peek()
		if !ok || !node {
			return
		}
		switch l.Unit.Nodes[i].Kind {
		case syntax.KTypeUse, syntax.KParam, syntax.KResult:
			p.Skip()
		default:
			return
		}
	}
}

// field resolves a field of a structure type.
func (l *immReader) field(ty uint32, t uint32, op wasm.Op) uint32 {
	rk := decl.RefRead
	if op == wasm.OpStructSet {
		rk = decl.RefWrite
	}
	var names map[string]uint32
	if fs := l.Decls.Fields[ty]; fs != nil {
		names = fs.Names
	}
	i := wasm.BadIndex
	if l.Unit.TokKind(t) == syntax.TokNat {
		i = l.Number(decl.SpaceField, t)
	} else if j, ok := names[l.Unit.Name(t)]; ok {
		i = j
	} else if ty != wasm.BadIndex {
		l.UnknownName(decl.SpaceField, t, names)
	}
	if l.OnRef != nil {
		l.OnRef(decl.Sym{Space: decl.SpaceField, Owner: ty, Index: i}, t, rk)
	}
	if ty != wasm.BadIndex {
		l.Uses.Add(decl.SpaceField, ty, i, rk)
	}
	return i
}

// wrongNumber reports that a constant has no number, or one of the wrong kind.
func (l *immReader) wrongNumber(p *cursor.Parts, kw uint32, info *wasm.OpInfo, kind wasm.Imm) {
	i, node, ok := p.Peek()
	if ok && !node {
		switch k := l.Unit.TokKind(i); k {
		case syntax.TokFloat, syntax.TokKeyword, syntax.TokID, syntax.TokString:
			p.Skip()
			l.ReportAt(
				diag.Immediate, l.Unit.TokPlace(i),
				"unexpected token "+l.Unit.TokText(i)+": "+info.Name+" needs "+immNames[kind],
			)
			return
		case syntax.TokReserved, syntax.TokBad:
			p.Skip()
			return
		}
	}
	l.missing(kw, info, immNames[kind])
}

// integer reads an integer constant of w bits.
func (l *immReader) integer(t uint32, w int) uint64 {
	s := l.Unit.TokText(t)
	if len(s) <= 9 { // the plain case: a small decimal number
		n, neg, i := uint64(0), false, 0
		if s[0] == '-' {
			neg, i = true, 1
		}
		for ; i < len(s); i++ {
			c := s[i] - '0'
			if c > 9 {
				n = 1 << 63
				break
			}
			n = n*10 + uint64(c)
		}
		if n < 1<<63 {
			if neg {
				n = -n
			}
			if w == 32 {
				n &= 1<<32 - 1
			}
			return n
		}
	}
	n, err := syntax.ParseInt(s, w)
	if err != nil {
		l.badNumber(t, err, "i"+strconv.Itoa(w))
	}
	return n
}

func (l *immReader) badNumber(t uint32, err error, ty string) {
	s := l.Unit.TokText(t)
	if errors.Is(err, syntax.ErrRange) {
		l.ReportAt(diag.Number, l.Unit.TokPlace(t), "constant out of range: "+s+" does not fit "+ty)
		return
	}
	l.ReportAt(diag.Immediate, l.Unit.TokPlace(t), "unexpected token "+s+": an "+ty+" constant is needed")
}

// float reads a floating-point constant.
func (l *immReader) float(t uint32, f64 bool) uint64 {
	if f64 {
		n, err := syntax.ParseFloat64(l.Unit.TokText(t))
		if err != nil {
			l.badNumber(t, err, "f64")
		}
		return n
	}
	n, err := syntax.ParseFloat32(l.Unit.TokText(t))
	if err != nil {
		l.badNumber(t, err, "f32")
	}
	return uint64(n)
}

// lane reads a lane index.
func (l *immReader) lane(t uint32) uint8 {
	s := l.Unit.TokText(t)
	if l.Unit.TokKind(t) != syntax.TokNat {
		l.ReportAt(diag.Number, l.Unit.TokPlace(t), "i8 constant out of range: "+s+" is no lane index")
		return 0
	}
	n, err := syntax.ParseNat(s, 8)
	if err != nil {
		if errors.Is(err, syntax.ErrRange) {
			l.ReportAt(diag.Number, l.Unit.TokPlace(t), "i8 constant out of range: "+s+" is no lane index")
		} else {
			l.badNumber(t, err, "i8")
		}
	}
	return uint8(n)
}

// lanes reads the sixteen lane indices of i8x16.shuffle.
func (l *immReader) lanes(in *wasm.Instr, p *cursor.Parts, kw uint32, info *wasm.OpInfo) {
	x := &wasm.Ext{}
	n := 0
	for ; ; n++ {
		t, ok := p.Token(syntax.TokNat, syntax.TokInt, syntax.TokFloat)
		if !ok {
			break
		}
		v := uint64(l.lane(t))
		switch {
		case n < 8:
			in.Imm |= v << (8 * n)
		case n < 16:
			x.Hi |= v << (8 * (n - 8))
		}
	}
	in.Ext = x
	if n != 16 {
		l.ReportAt(
			diag.Immediate, l.Unit.TokPlace(kw),
			"invalid lane length: "+info.Name+" needs 16 lane indices, here are "+strconv.Itoa(n),
		)
	}
}

// shapes are the shapes of v128.const.
var shapes = map[string]struct {
	lanes, bits int
	float       bool
}{
	"i8x16": {
		16, 8, false,
	}, "i16x8": {8, 16, false}, "i32x4": {4, 32, false}, "i64x2": {2, 64, false}, "f32x4": {4, 32, true}, "f64x2": {2, 64, true},
}

// v128 reads the shape and lanes of v128.const.
func (l *immReader) v128(in *wasm.Instr, p *cursor.Parts, kw uint32, info *wasm.OpInfo) {
	u := &l.Unit
	x := &wasm.Ext{}
	in.Ext = x
	t, ok := p.Token(syntax.TokKeyword)
	if !ok {
		l.missing(kw, info, "a shape such as i32x4")
		for { // lanes without a shape: one error is enough
			if _, ok := p.Token(syntax.TokNat, syntax.TokInt, syntax.TokFloat); !ok {
				return
			}
		}
	}
	sh, ok := shapes[u.TokText(t)]
	if !ok {
		l.ReportAt(
			diag.Immediate, u.TokPlace(t),
			"unexpected token "+u.TokText(t)+": v128.const needs a shape such as i32x4",
		)
		for {
			if _, ok := p.Token(syntax.TokNat, syntax.TokInt, syntax.TokFloat, syntax.TokKeyword); !ok {
				return
			}
		}
	}
	n, bad := 0, false
	for ; ; n++ {
		i, ok := p.Token(syntax.TokNat, syntax.TokInt, syntax.TokFloat)
		if !ok {
			break
		}
		var v uint64
		switch {
		case sh.float:
			v = l.float(i, sh.bits == 64)
		case u.TokKind(i) == syntax.TokFloat:
			bad = true
			l.ReportAt(
				diag.Immediate, u.TokPlace(i),
				"unexpected token "+u.TokText(i)+": the lanes of "+u.TokText(t)+" are integers",
			)
		default:
			v = l.integer2(i, sh.bits)
		}
		if n < sh.lanes {
			if bit := n * sh.bits; bit < 64 {
				in.Imm |= v << bit
			} else {
				x.Hi |= v << (bit - 64)
			}
		}
	}
	if n != sh.lanes && !bad {
		if i, node, ok := p.Peek(); ok && !node && u.TokKind(i) != syntax.TokRParen {
			return // rest says it
		}
		l.ReportAt(
			diag.Immediate, u.TokPlace(t),
			"wrong number of lane literals: "+u.TokText(t)+" has "+strconv.Itoa(sh.lanes)+", here are "+strconv.Itoa(n),
		)
	}
}

func (l *immReader) integer2(t uint32, w int) uint64 {
	if w >= 32 {
		return l.integer(t, w)
	}
	n, err := syntax.ParseInt(l.Unit.TokText(t), w)
	if err != nil {
		l.badNumber(t, err, "i"+strconv.Itoa(w))
	}
	return n
}

// memArg reads `mem? offset=n? align=n?`. With lane set a lane index follows, so that a single
// number is that.
func (l *immReader) memArg(in *wasm.Instr, info *wasm.OpInfo, p *cursor.Parts, lane bool) {
	u := &l.Unit
	in.Align = info.Align
	i, node, ok := p.Peek()
	if !ok || node || u.TokKind(i) == syntax.TokRParen {
		l.impliedIndex(decl.SpaceMemory, memKind(in.Op) == decl.RefWrite)
		return
	}
	need := 1
	if lane && !l.memArgFollows(p) {
		need = 2
	}
	if CountIndices(p) >= need && (lane || !l.bareAddress(in, p, i)) {
		t, _ := p.IndexToken()
		in.A = l.Index(decl.SpaceMemory, t, memKind(in.Op))
	} else {
		l.impliedIndex(decl.SpaceMemory, memKind(in.Op) == decl.RefWrite)
	}
	off, align := false, false
	for {
		i, node, ok := p.Peek()
		if !ok || node || u.TokKind(i) != syntax.TokKeyword {
			return
		}
		s := u.TokText(i)
		switch {
		case strings.HasPrefix(s, "offset=") && !off && !align:
			off = true
			v, err := syntax.ParseNat(s[len("offset="):], 64)
			if err != nil {
				if errors.Is(err, syntax.ErrRange) {
					l.ReportAt(diag.Number, u.TokPlace(i), "i64 constant out of range: "+s)
				}
			}
			in.Imm = v
		case strings.HasPrefix(s, "align=") && !align:
			align = true
			v, err := syntax.ParseNat(s[len("align="):], 64)
			switch {
			case err != nil && !errors.Is(err, syntax.ErrRange): // the parser has reported it
			case err != nil:
				l.ReportAt(diag.Number, u.TokPlace(i), "i64 constant out of range: "+s)
			case v == 0 || v&(v-1) != 0:
				f := cursor.Finding{
					Code: diag.AlignPower, At: u.TokPlace(i),
					Msg: "alignment must be a power of two: " + s[len("align="):] + " is none",
				}
				f.Fixes = []cursor.Fix{
					{
						Title:     "Change to align=" + strconv.Itoa(1<<info.Align),
						Edits:     []cursor.Edit{{At: f.At, New: "align=" + strconv.Itoa(1<<info.Align)}},
						Preferred: true,
					},
				}
				l.Report(f)
			default:
				in.Align = uint8(bits.TrailingZeros64(v))
			}
		case strings.HasPrefix(s, "offset=") || strings.HasPrefix(s, "align="):
			l.ReportAt(
				diag.Immediate, u.TokPlace(i),
				"unexpected token "+s+": offset= comes first, then align=, each once",
			)
		default:
			return
		}
		p.Skip()
	}
}

// memArgFollows reports whether offset= or align= stands after the indices that come next, so that
// an index before it is the memory's.
func (l *immReader) memArgFollows(p *cursor.Parts) bool {
	q := *p
	for {
		if _, ok := q.IndexToken(); !ok {
			break
		}
	}
	i, node, ok := q.Peek()
	return ok && !node && l.Unit.TokKind(i) == syntax.TokKeyword
}

func memKind(op wasm.Op) decl.RefKind {
	if strings.Contains(op.Info().Name, "store") {
		return decl.RefWrite
	}
	return decl.RefRead
}

// selectTypes reads select's `(result t*)*`.
func (l *immReader) selectTypes(in *wasm.Instr, p *cursor.Parts) {
	for {
		c, ok := p.Node(syntax.KResult)
		if !ok {
			return
		}
		if in.Ext == nil {
			in.Ext = &wasm.Ext{Types: []wasm.ValType{}}
		}
		in.Ext.Types, _ = l.AppendTypes(c, in.Ext.Types)
	}
}

// immReader reads the immediates of instructions.
type immReader struct {
	scope
	kw         uint32 // keyword of the instruction whose immediates are being read
	taken, arg uint32 // of the instruction at hand: a tag after operands, a KEventArg with the event
	doubt      bool   // its operands are in another order than it takes them
}

// bitsOf returns the width of an integer immediate.
func bitsOf(k wasm.Imm) int {
	if k == wasm.ImmI64 {
		return 64
	}
	return 32
}
