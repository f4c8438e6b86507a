package wast

import (
	"fmt"
	"strings"

	"stackscope/analysis/syntax"
	"stackscope/internal/values"
	"stackscope/vm"
	"stackscope/wasm"
)

// Pattern is an expected result, or an argument if it is one value.
type Pattern struct {
	Text   string // as written
	either []Pattern
	typ    wasm.ValType // of numbers and vectors; wasm.Unknown for references
	lanes  []lane
	bits   int // of a lane
	ref    refPattern
}

// lane is an expected number, or a lane of a vector.
type lane struct {
	bits uint64
	nan  nanKind
}

type nanKind uint8

const (
	nanNone       nanKind = iota
	nanCanonical          // any sign; only the highest bit of the payload is set
	nanArithmetic         // any sign and payload; its highest bit is set
)

// refPattern is an expected reference.
type refPattern struct {
	kind string // "null", "func", "extern", "host" …
	heap wasm.HeapType
	num  uint64
	has  bool   // num counts
	id   string // of a promise, in a drive script
}

// pattern parses a constant; if result is set, also patterns for results: `either`, NaN patterns,
// references by their kind.
func (p *parser) pattern(result bool) Pattern {
	from := p.off()
	end := p.closing(p.i)
	pat := Pattern{Text: p.text[from:p.toks[end-1].end()]}
	p.next()
	w := p.keyword()
	switch w {
	case "i32.const", "i64.const", "f32.const", "f64.const":
		t := map[byte]wasm.ValType{'i': wasm.I32, 'f': wasm.F32}[w[0]]
		pat.bits = 32
		if w[1] == '6' {
			t++
			pat.bits = 64
		}
		pat.typ = t
		pat.lanes = []lane{p.lane(t.String(), pat.bits, w[0] == 'f', result)}
	case "v128.const":
		pat.typ = wasm.V128
		shape := p.keyword()
		n, bits, float := syntax.LaneShape(shape)
		if n == 0 {
			p.fail("expected a shape such as i32x4")
		}
		pat.bits = bits
		for range n {
			pat.lanes = append(pat.lanes, p.lane(shape, bits, float, result))
		}
	case "either":
		if !result {
			p.fail("expected a constant")
		}
		for p.at(syntax.TokLParen) && p.err == "" {
			pat.either = append(pat.either, p.pattern(result))
		}
	default:
		if p.drive && w == "arg" {
			p.argument(&pat)
			break
		}
		kind, ok := strings.CutPrefix(w, "ref.")
		if !ok {
			p.fail("expected a constant")
			break
		}
		pat.ref.kind = kind
		pat.ref.heap = wasm.HeapBad
		switch {
		case p.at(syntax.TokNat):
			n, err := syntax.ParseNat(p.lit(), 32)
			if err != nil {
				p.fail(err.Error())
			}
			pat.ref.num, pat.ref.has = n, true
			p.next()
		case kind == "null" && p.at(syntax.TokKeyword):
			h, ok := wasm.AbstractHeapType(p.keyword())
			if !ok {
				p.i--
				p.fail("expected a heap type")
			}
			pat.ref.heap = h
		case p.drive && kind == "promise":
			if pat.ref.id = p.id(); pat.ref.id == "" {
				p.fail("expected a name such as `$p`")
			}
		case p.at(syntax.TokID): // (ref.func $f), (ref.null $t)
			p.next()
		}
		if _, known := refKinds[kind]; !known && (!p.drive || kind != "promise") {
			p.fail(fmt.Sprintf("unknown constant `%s`", w))
		}
	}
	if p.err == "" && p.i != end-1 {
		p.fail("unexpected token")
	}
	p.i = end
	return pat
}

// argument parses what follows `(arg`.
func (p *parser) argument(pat *Pattern) {
	n, err := syntax.ParseNat(p.lit(), 10)
	if err != nil || !p.at(syntax.TokNat) {
		p.fail("expected the number of an argument")
	}
	pat.ref.kind, pat.ref.num = "arg", uint64(n)
	p.next()
}

func (p *parser) lane(what string, bits int, float, result bool) lane {
	lit := p.lit()
	var x uint64
	var err error
	switch {
	case float && result && lit == "nan:canonical":
		p.next()
		return lane{nan: nanCanonical}
	case float && result && lit == "nan:arithmetic":
		p.next()
		return lane{nan: nanArithmetic}
	case float && bits == 32:
		var y uint32
		y, err = syntax.ParseFloat32(lit)
		x = uint64(y)
	case float:
		x, err = syntax.ParseFloat64(lit)
	default:
		x, err = syntax.ParseInt(lit, bits)
	}
	if err != nil {
		p.fail(fmt.Sprintf("%v: expected a number for %s", err, what))
		return lane{}
	}
	p.next()
	return lane{bits: x}
}

// refKinds maps `ref.KIND` without a number to the references that match. match has rules for those
// that are nil.
var refKinds = map[string][]vm.RefKind{
	"null": nil, "extern": nil, "host": nil, "i31": {vm.RefI31}, "func": {vm.RefFunc}, "struct": {vm.RefStruct}, "array": {vm.RefArray},
	"eq": {
		vm.RefI31, vm.RefStruct, vm.RefArray,
	}, "any": {vm.RefI31, vm.RefStruct, vm.RefArray, vm.RefHost}, "exn": {vm.RefExn},
	"cont": {vm.RefStack}, "stack": {vm.RefStack}, "fiber": {vm.RefStack}, "task": {vm.RefStack},
}

// Match reports whether a result matches the pattern.
func (p *Pattern) Match(v vm.Value) bool {
	if p.either != nil {
		for i := range p.either {
			if p.either[i].Match(v) {
				return true
			}
		}
		return false
	}
	if p.typ == wasm.Unknown {
		return v.Type.IsRef() && p.ref.match(v)
	}
	if v.Type != p.typ {
		return false
	}
	for i, l := range p.lanes {
		at := i * p.bits
		x := v.Lo
		if at >= 64 {
			x = v.Hi
		}
		x >>= at % 64
		if p.bits < 64 {
			x &= 1<<p.bits - 1
		}
		if !l.match(x, p.bits) {
			return false
		}
	}
	return true
}

func (l lane) match(x uint64, bits int) bool {
	quiet := uint64(0x7fc0_0000)
	if bits == 64 {
		quiet = 0x7ff8_0000_0000_0000
	}
	switch l.nan {
	case nanCanonical:
		return x&^(1<<(bits-1)) == quiet
	case nanArithmetic:
		return x&quiet == quiet
	}
	return x == l.bits
}

func (r *refPattern) match(v vm.Value) bool {
	if r.kind == "null" {
		return v.Ref.IsNull()
	}
	if v.Ref.IsNull() {
		return false
	}
	kind := v.Ref.Kind()
	switch {
	case r.has && r.kind == "i31":
		x, ok := v.Ref.I31()
		return ok && x == uint32(r.num)&0x7fffffff
	case r.has:
		x, _ := v.Ref.Host()
		return kind == vm.RefHost && x == values.HostNumber(r.num)
	case r.kind == "extern":
		return v.Type.Heap() == wasm.HeapExtern || v.Type.Heap() == wasm.HeapBad
	case r.kind == "host":
		return kind == vm.RefHost
	}
	for _, k := range refKinds[r.kind] {
		if k == kind {
			return true
		}
	}
	return false
}

// Numbers has the references to host numbers: the same one each time.
type Numbers map[uint64]vm.Ref

// Value returns the value of a pattern that is an argument.
func (r Numbers) Value(p *Pattern) (vm.Value, error) {
	if p.typ != wasm.Unknown {
		v := vm.Value{Type: p.typ}
		for i, l := range p.lanes {
			at := i * p.bits
			if at < 64 {
				v.Lo |= l.bits << at
			} else {
				v.Hi |= l.bits << (at - 64)
			}
		}
		return v, nil
	}
	switch {
	case p.ref.kind == "null":
		return vm.NullValue(wasm.Ref(true, p.ref.heap)), nil
	case p.ref.has && (p.ref.kind == "extern" || p.ref.kind == "host"):
		t := wasm.Ref(false, wasm.HeapExtern)
		if p.ref.kind == "host" {
			t = wasm.Ref(false, wasm.HeapAny)
		}
		return vm.Value{Type: t, Ref: r.host(p.ref.num)}, nil
	case p.ref.has && p.ref.kind == "i31":
		return vm.Value{Type: wasm.I31RefNN, Ref: vm.I31Ref(uint32(p.ref.num))}, nil
	}
	return vm.Value{}, fmt.Errorf("`%s` cannot be an argument", p.Text)
}
