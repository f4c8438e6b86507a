package analysis

import (
	"encoding/binary"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// typeTable finds function types by structure, for type uses without an index.
type typeTable struct {
	byKey map[string]uint32
}

// typeKey packs a function type.
func typeKey(buf []byte, params, results []wasm.ValType) []byte {
	buf = binary.LittleEndian.AppendUint32(buf, uint32(len(params)))
	for _, ts := range [2][]wasm.ValType{params, results} {
		for _, t := range ts {
			buf = append(buf, byte(t), byte(t>>8))
			if t.IsRef() {
				buf = append(buf, byte(t>>32), byte(t>>40), byte(t>>48), byte(t>>56))
			}
		}
	}
	return buf
}

// keyTypes is the inverse of typeKey.
func keyTypes(key string) (params, results []wasm.ValType) {
	n := int(binary.LittleEndian.Uint32([]byte(key[:4])))
	var all []wasm.ValType
	for i := 4; i+1 < len(key); i += 2 {
		t := wasm.ValType(key[i]) | wasm.ValType(key[i+1])<<8
		if t.IsRef() {
			for j := range 4 {
				t |= wasm.ValType(key[i+2+j]) << (32 + 8*j)
			}
			i += 4
		}
		all = append(all, t)
	}
	return all[:n:n], all[n:]
}

// valType reads a value or storage type, a KNumType or KRefType node.
func (b *binder) valType(n uint32) wasm.ValType {
	nd := &b.u.Nodes[n]
	switch nd.Kind {
	case syntax.KNumType:
		return b.numType(nd.Tok)
	case syntax.KRefType:
		return b.refType(n)
	}
	return wasm.Unknown
}

// numType reads a type that is one keyword.
func (b *binder) numType(t uint32) wasm.ValType {
	switch s := b.u.TokText(t); s {
	case "i32":
		return wasm.I32
	case "i64":
		return wasm.I64
	case "f32":
		return wasm.F32
	case "f64":
		return wasm.F64
	case "v128":
		return wasm.V128
	case "i8":
		return wasm.I8
	case "i16":
		return wasm.I16
	default:
		if r, ok := wasm.AbbreviatedRef(s); ok {
			if b.foreignHeap(t, r.Heap(), true) {
				return wasm.Ref(r.Nullable(), wasm.HeapBad)
			}
			return r
		} // else the parser has reported it
	}
	return wasm.Unknown
}

// refType reads `(ref null? ht)`.
func (b *binder) refType(n uint32) wasm.ValType {
	p := b.u.Parts(n)
	p.Token(syntax.TokLParen)
	p.Word("ref")
	_, null := p.Word("null")
	i, node, ok := p.Peek()
	if !ok {
		return wasm.Ref(null, wasm.HeapBad)
	}
	if node {
		return wasm.Ref(null, wasm.HeapBad)
	}
	h := b.heapType(i)
	if h == wasm.HeapFiber {
		h = b.fiberType(n)
	}
	return wasm.Ref(null, h)
}

// heapType reads a heap type from a token.
func (b *binder) heapType(t uint32) wasm.HeapType {
	switch b.u.TokKind(t) {
	case syntax.TokKeyword:
		s := b.u.TokText(t)
		if h, ok := wasm.AbstractHeapType(s); ok {
			if b.foreignHeap(t, h, false) {
				return wasm.HeapBad
			}
			return h
		}
	case syntax.TokID, syntax.TokNat:
		i := b.index(SpaceType, t, RefRead)
		if i == wasm.BadIndex {
			return wasm.HeapBad
		}
		if i >= 1<<31 {
			b.errAt(SpaceType.unknownCode(), b.u.TokPlace(t), "unknown type "+b.u.TokText(t))
			return wasm.HeapBad
		}
		return wasm.HeapType(i)
	}
	return wasm.HeapBad
}

// appendTypes reads the types of a (param …), (result …) or (local …) node. It gives the token of
// the identifier, or -1.
func (b *binder) appendTypes(n uint32, ts []wasm.ValType) ([]wasm.ValType, int32) {
	u := &b.u
	nd := &u.Nodes[n]
	id := u.IdToken(n)
	for c := n + 1; c < nd.Next; c = u.Nodes[c].Next {
		switch u.Nodes[c].Kind {
		case syntax.KNumType, syntax.KRefType:
			t := b.valType(c)
			if t.Packed() {
				b.errAt(diag.Syntax, u.NodePlace(c), "unexpected token "+t.String()+": it can only be the type of a field")
				t = wasm.Unknown
			}
			ts = append(ts, t)
		}
	}
	if id >= 0 && nd.Next == n+1 {
		return b.aliasType(n, id, ts)
	}
	return ts, id
}

// fieldType reads a storage type with its mutability.
func (b *binder) fieldType(n uint32) wasm.FieldType {
	if b.u.Nodes[n].Kind == syntax.KMut {
		for c := n + 1; c < b.u.Nodes[n].Next; c = b.u.Nodes[c].Next {
			if cursor.IsType(b.u.Nodes[c].Kind) {
				return wasm.FieldType{Type: b.valType(c), Mut: true}
			}
		}
		return wasm.FieldType{Type: wasm.Unknown, Mut: true}
	}
	return wasm.FieldType{Type: b.valType(n)}
}

// compType reads a composite type into t.
func (b *binder) compType(n uint32, ti uint32, t *wasm.SubType) {
	u := &b.u
	nd := &u.Nodes[n]
	switch nd.Kind {
	case syntax.KFuncType:
		t.Kind = wasm.CompFunc
		for c := n + 1; c < nd.Next; c = u.Nodes[c].Next {
			switch u.Nodes[c].Kind {
			case syntax.KParam:
				t.Params, _ = b.appendTypes(c, t.Params)
			case syntax.KResult:
				t.Results, _ = b.appendTypes(c, t.Results)
			}
		}
	case syntax.KStructType:
		t.Kind = wasm.CompStruct
		for c := n + 1; c < nd.Next; c = u.Nodes[c].Next {
			if u.Nodes[c].Kind == syntax.KField {
				b.structField(c, ti, t)
			}
		}
	case syntax.KArrayType:
		t.Kind = wasm.CompArray
		for c := n + 1; c < nd.Next; c = u.Nodes[c].Next {
			if k := u.Nodes[c].Kind; cursor.IsType(k) || k == syntax.KMut {
				t.Fields = append(t.Fields[:0], b.fieldType(c))
			}
		}
		if len(t.Fields) == 0 {
			t.Fields = []wasm.FieldType{{Type: wasm.Unknown}}
		}
	case syntax.KContType:
		if b.foreign(u.TokPlace(u.Keyword(n)), "the type `cont`", wasm.DialectCont) {
			return
		}
		t.Kind = wasm.CompCont
		t.Func = wasm.BadIndex
		p := u.Parts(n)
		p.Token(syntax.TokLParen)
		p.Word("cont")
		if x, ok := p.IndexToken(); ok {
			t.Func = b.index(SpaceType, x, RefRead)
		} else if c, ok := p.Node(syntax.KTypeUse); ok {
			q := u.Parts(c)
			q.Token(syntax.TokLParen)
			q.Word("type")
			if x, ok := q.IndexToken(); ok {
				t.Func = b.index(SpaceType, x, RefRead)
			}
		}
	case syntax.KStackType:
		if b.foreign(u.TokPlace(u.Keyword(n)), "the type `stack`", wasm.DialectStacks) {
			return
		}
		t.Kind = wasm.CompStack
		b.stackType(n, t)
	case syntax.KRefType:
		b.fiberAlias(n, ti, t)
	case syntax.KFiberType:
		if b.foreign(u.TokPlace(u.Keyword(n)), "the type `fiber`", wasm.DialectFibersHandle) {
			return
		}
		t.Kind = wasm.CompFiber
		for c := n + 1; c < nd.Next; c = u.Nodes[c].Next {
			if u.Nodes[c].Kind == syntax.KResult {
				t.Results, _ = b.appendTypes(c, t.Results)
			}
		}
	}
}

func (b *binder) structField(n, ti uint32, t *wasm.SubType) {
	u := &b.u
	id := u.IdToken(n)
	for c := n + 1; c < u.Nodes[n].Next; c = u.Nodes[c].Next {
		if k := u.Nodes[c].Kind; cursor.IsType(k) || k == syntax.KMut {
			i := uint32(len(t.Fields))
			t.Fields = append(t.Fields, b.fieldType(c))
			if b.rec != nil {
				if id >= 0 {
					b.rec(Sym{SpaceField, ti, i}, uint32(id), RefDef)
				}
				continue
			}
			b.declareField(ti, i, item{u.Index, n, id, 0})
		}
	}
}

func (b *binder) declareField(ti, i uint32, it item) {
	fs := b.d.fields[ti]
	if fs == nil {
		fs = &fieldNames{}
		if b.d.fields == nil {
			b.d.fields = map[uint32]*fieldNames{}
		}
		b.d.fields[ti] = fs
	}
	fs.nodes = append(fs.nodes, it)
	if it.id < 0 {
		return
	}
	name := strings.Clone(b.u.Name(uint32(it.id)))
	if fs.names == nil {
		fs.names = map[string]uint32{}
	}
	if j, ok := fs.names[name]; ok {
		b.report(
			cursor.Finding{Code: diag.DuplicateName, At: b.u.TokPlace(uint32(it.id)), Msg: "duplicate field " + b.u.TokText(uint32(it.id)),
				Related: []cursor.Related{{At: b.idPlace(fs.nodes[j]), Msg: "first declared here"}}},
		)
		return
	}
	fs.names[name] = i
	wasm.Set2(b.d.mod.Names.Fields, ti, i, name)
}

// typeDef reads a `(type …)` node into type ti.
func (b *binder) typeDef(n, ti uint32) wasm.SubType {
	u := &b.u
	t := wasm.SubType{Final: true}
	kw := u.Keyword(n)
	t.At = wasm.Pos(u.Off) + wasm.Pos(u.Tokens[kw].Off)
	for c := n + 1; c < u.Nodes[n].Next; c = u.Nodes[c].Next {
		if u.Nodes[c].Kind != syntax.KSub {
			b.compType(c, ti, &t)
			continue
		}
		t.Final = false
		p := u.Parts(c)
		p.Token(syntax.TokLParen)
		p.Word("sub")
		if _, ok := p.Word("final"); ok {
			t.Final = true
		}
		for {
			x, ok := p.IndexToken()
			if !ok {
				break
			}
			t.Supers = append(t.Supers, b.index(SpaceType, x, RefRead))
		}
		for k := c + 1; k < u.Nodes[c].Next; k = u.Nodes[k].Next {
			b.compType(k, ti, &t)
		}
	}
	return t
}

// use is a type use as written: `(type $t)? (param …)* (result …)*`.
type use struct {
	typeNode        uint32 // KTypeUse, 0 if absent
	first, last     uint32 // the KParam and KResult nodes: first one, and one behind the last's subtree
	params, results []wasm.ValType
	written         bool // has params or results
}

// readUse reads the type use among the children [c, end) of a node.
func (b *binder) readUse(c, end uint32, x *use) {
	x.typeNode, x.first, x.last, x.written = 0, 0, 0, false
	x.params, x.results = x.params[:0], x.results[:0]
	for ; c < end; c = b.u.Nodes[c].Next {
		switch b.u.Nodes[c].Kind {
		case syntax.KTypeUse:
			x.typeNode = c
		case syntax.KParam:
			x.params, _ = b.appendTypes(c, x.params)
		case syntax.KResult:
			x.results, _ = b.appendTypes(c, x.results)
		case syntax.KAnnot, syntax.KInlineExport, syntax.KInlineImport:
			continue
		default:
			return
		}
		if k := b.u.Nodes[c].Kind; k == syntax.KParam || k == syntax.KResult {
			if !x.written {
				x.first = c
			}
			x.written, x.last = true, b.u.Nodes[c].Next
		}
	}
}

// useIndex returns the type index of a type use: the written one, else the first equal type. With
// add set a missing one is added to the module.
func (b *binder) useIndex(x *use, add bool) uint32 {
	if x.typeNode != 0 {
		p := b.u.Parts(x.typeNode)
		p.Token(syntax.TokLParen)
		p.Word("type")
		t, ok := p.IndexToken()
		if !ok {
			return wasm.BadIndex
		}
		i := b.index(SpaceType, t, RefRead)
		if x.written && i != wasm.BadIndex {
			b.checkUse(x, t, i)
		}
		return i
	}
	var buf [64]byte
	key := typeKey(buf[:0], x.params, x.results)
	if i, ok := b.d.types.byKey[string(key)]; ok {
		return i
	}
	if !add {
		return wasm.BadIndex
	}
	return b.intern(string(key))
}

// checkUse reports a type use whose parameters and results are not those of its type.
func (b *binder) checkUse(x *use, t, i uint32) {
	ft := b.d.mod.FuncType(i)
	if ft == nil || b.d.equalTypes(ft.Params, x.params) && b.d.equalTypes(ft.Results, x.results) {
		return
	}
	name := b.d.mod.Names.Type
	at := b.u.Place(b.u.Nodes[x.first].Tok, b.u.Nodes[x.last-1].TokEnd)
	at.To = max(at.To, b.u.NodePlace(x.first).To)
	f := cursor.Finding{
		Code: diag.InlineType,
		At:   at,
		Msg: "inline function type " + wasm.FormatTypes(x.params, name) + " -> " + wasm.FormatTypes(x.results, name) +
			" does not match type " + b.u.TokText(t) + ", which is " + wasm.FormatTypes(ft.Params, name) + " -> " + wasm.FormatTypes(ft.Results, name),
	}
	if int(i) < len(b.d.spaces[SpaceType].items) {
		f.Related = []cursor.Related{{At: b.idPlace(b.d.spaces[SpaceType].items[i]), Msg: "the type is defined here"}}
	}
	f.Fixes = []cursor.Fix{
		{Title: "Remove the inline parameters and results", Edits: []cursor.Edit{{At: at, New: ""}}},
	}
	b.report(f)
}

func (d *decls) equalTypes(a, b []wasm.ValType) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && a[i] != wasm.Unknown && b[i] != wasm.Unknown && !d.sameFiber(a[i], b[i]) {
			return false
		}
	}
	return true
}

// sameFiber reports whether two types are references to fiber types with the same results, one of
// them an implicit type.
func (d *decls) sameFiber(a, b wasm.ValType) bool {
	if !a.IsRef() || !b.IsRef() || a.Nullable() != b.Nullable() || a.Heap() < 0 || b.Heap() < 0 {
		return false
	}
	n := len(d.mod.Types)
	if int(a.Heap()) >= n || int(b.Heap()) >= n {
		return false
	}
	x, y := &d.mod.Types[a.Heap()], &d.mod.Types[b.Heap()]
	return x.Kind == wasm.CompFiber && y.Kind == wasm.CompFiber && (x.Implicit || y.Implicit) &&
		d.equalTypes(x.Results, y.Results)
}

// intern adds an implicit type to the module, which is being bound.
func (b *binder) intern(key string) uint32 {
	d := b.d
	i := uint32(len(d.mod.Types))
	t := wasm.SubType{Kind: wasm.CompFunc, Final: true, Implicit: true}
	if results, ok := fiberResults(key); ok {
		t.Kind, t.Results = wasm.CompFiber, results
	} else {
		t.Params, t.Results = keyTypes(key)
	}
	d.mod.Types = append(d.mod.Types, t)
	d.mod.Recs = append(d.mod.Recs, wasm.RecGroup{Start: i, Len: 1})
	d.types.byKey[key] = i
	b.added = keyRecord(b.added, key)
	return i
}

// keyRecord appends the key of a type with its length, so that keys in a row can be told apart.
func keyRecord(buf []byte, key string) []byte {
	buf = append(buf, byte(len(key)), byte(len(key)>>8))
	return append(buf, key...)
}

// indexTypes enters the explicit types that type uses may stand for.
func (d *decls) indexTypes() {
	var buf []byte
	for _, g := range d.mod.Recs {
		if g.Len != 1 {
			continue
		}
		t := &d.mod.Types[g.Start]
		if t.Kind != wasm.CompFunc || !t.Final || len(t.Supers) > 0 || t.Implicit {
			continue
		}
		buf = typeKey(buf[:0], t.Params, t.Results)
		if _, ok := d.types.byKey[string(buf)]; !ok {
			d.types.byKey[string(buf)] = g.Start
		}
	}
}
