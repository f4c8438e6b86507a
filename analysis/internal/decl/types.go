package decl

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
	ByKey map[string]uint32
}

// TypeKey packs a function type.
func TypeKey(buf []byte, params, results []wasm.ValType) []byte {
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

// ValType reads a value or storage type, a KNumType or KRefType node.
func (b *TypeReader) ValType(n uint32) wasm.ValType {
	nd := &b.Unit.Nodes[n]
	switch nd.Kind {
	case syntax.KNumType:
		return b.NumType(nd.Tok)
	case syntax.KRefType:
		return b.RefType(n)
	}
	return wasm.Unknown
}

// NumType reads a type that is one keyword.
func (b *TypeReader) NumType(t uint32) wasm.ValType {
	switch s := b.Unit.TokText(t); s {
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

// RefType reads `(ref null? ht)`.
func (b *TypeReader) RefType(n uint32) wasm.ValType {
	p := b.Unit.Parts(n)
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
	h := b.HeapType(i)
	if h == wasm.HeapFiber {
		h = b.fiberType(n)
	}
	return wasm.Ref(null, h)
}

// HeapType reads a heap type from a token.
func (b *TypeReader) HeapType(t uint32) wasm.HeapType {
	switch b.Unit.TokKind(t) {
	case syntax.TokKeyword:
		s := b.Unit.TokText(t)
		if h, ok := wasm.AbstractHeapType(s); ok {
			if b.foreignHeap(t, h, false) {
				return wasm.HeapBad
			}
			return h
		}
	case syntax.TokID, syntax.TokNat:
		i := b.Index(SpaceType, t, RefRead)
		if i == wasm.BadIndex {
			return wasm.HeapBad
		}
		if i >= 1<<31 {
			b.ReportAt(SpaceType.unknownCode(), b.Unit.TokPlace(t), "unknown type "+b.Unit.TokText(t))
			return wasm.HeapBad
		}
		return wasm.HeapType(i)
	}
	return wasm.HeapBad
}

// AppendTypes reads the types of a (param …), (result …) or (local …) node. It returns the token of
// the identifier, or -1.
func (b *TypeReader) AppendTypes(n uint32, ts []wasm.ValType) ([]wasm.ValType, int32) {
	u := &b.Unit
	nd := &u.Nodes[n]
	id := u.IDToken(n)
	for c := n + 1; c < nd.Next; c = u.Nodes[c].Next {
		switch u.Nodes[c].Kind {
		case syntax.KNumType, syntax.KRefType:
			t := b.ValType(c)
			if t.Packed() {
				b.ReportAt(
					diag.Syntax, u.NodePlace(c),
					"unexpected token "+t.String()+": it can only be the type of a field",
				)
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

// FieldType reads a storage type with its mutability.
func (b *TypeReader) FieldType(n uint32) wasm.FieldType {
	if b.Unit.Nodes[n].Kind == syntax.KMut {
		for c := n + 1; c < b.Unit.Nodes[n].Next; c = b.Unit.Nodes[c].Next {
			if cursor.IsType(b.Unit.Nodes[c].Kind) {
				return wasm.FieldType{Type: b.ValType(c), Mut: true}
			}
		}
		return wasm.FieldType{Type: wasm.Unknown, Mut: true}
	}
	return wasm.FieldType{Type: b.ValType(n)}
}

// CompType reads a composite type into t.
func (b *TypeReader) CompType(n uint32, ti uint32, t *wasm.SubType) {
	u := &b.Unit
	nd := &u.Nodes[n]
	switch nd.Kind {
	case syntax.KFuncType:
		t.Kind = wasm.CompFunc
		for c := n + 1; c < nd.Next; c = u.Nodes[c].Next {
			switch u.Nodes[c].Kind {
			case syntax.KParam:
				t.Params, _ = b.AppendTypes(c, t.Params)
			case syntax.KResult:
				t.Results, _ = b.AppendTypes(c, t.Results)
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
				t.Fields = append(t.Fields[:0], b.FieldType(c))
			}
		}
		if len(t.Fields) == 0 {
			t.Fields = []wasm.FieldType{{Type: wasm.Unknown}}
		}
	case syntax.KContType:
		if b.Foreign(u.TokPlace(u.Keyword(n)), "the type `cont`", wasm.CompCont.Dialect()) {
			return
		}
		t.Kind = wasm.CompCont
		t.Func = wasm.BadIndex
		p := u.Parts(n)
		p.Token(syntax.TokLParen)
		p.Word("cont")
		if x, ok := p.IndexToken(); ok {
			t.Func = b.Index(SpaceType, x, RefRead)
		} else if c, ok := p.Node(syntax.KTypeUse); ok {
			q := u.Parts(c)
			q.Token(syntax.TokLParen)
			q.Word("type")
			if x, ok := q.IndexToken(); ok {
				t.Func = b.Index(SpaceType, x, RefRead)
			}
		}
	case syntax.KStackType:
		if b.Foreign(u.TokPlace(u.Keyword(n)), "the type `stack`", wasm.CompStack.Dialect()) {
			return
		}
		t.Kind = wasm.CompStack
		b.stackType(n, t)
	case syntax.KRefType:
		b.fiberAlias(n, ti, t)
	case syntax.KFiberType:
		if b.Foreign(u.TokPlace(u.Keyword(n)), "the type `fiber`", wasm.CompFiber.Dialect()) {
			return
		}
		t.Kind = wasm.CompFiber
		for c := n + 1; c < nd.Next; c = u.Nodes[c].Next {
			if u.Nodes[c].Kind == syntax.KResult {
				t.Results, _ = b.AppendTypes(c, t.Results)
			}
		}
	}
}

func (b *TypeReader) structField(n, ti uint32, t *wasm.SubType) {
	u := &b.Unit
	id := u.IDToken(n)
	for c := n + 1; c < u.Nodes[n].Next; c = u.Nodes[c].Next {
		if k := u.Nodes[c].Kind; cursor.IsType(k) || k == syntax.KMut {
			i := uint32(len(t.Fields))
			t.Fields = append(t.Fields, b.FieldType(c))
			if b.OnRef != nil {
				if id >= 0 {
					b.OnRef(Sym{SpaceField, ti, i}, uint32(id), RefDef)
				}
				continue
			}
			b.declareField(ti, i, Item{u.Index, n, id, 0})
		}
	}
}

func (b *TypeReader) declareField(ti, i uint32, it Item) {
	fs := b.Decls.Fields[ti]
	if fs == nil {
		fs = &fieldNames{}
		if b.Decls.Fields == nil {
			b.Decls.Fields = map[uint32]*fieldNames{}
		}
		b.Decls.Fields[ti] = fs
	}
	fs.Nodes = append(fs.Nodes, it)
	if it.ID < 0 {
		return
	}
	name := strings.Clone(b.Unit.Name(uint32(it.ID)))
	if fs.Names == nil {
		fs.Names = map[string]uint32{}
	}
	if j, ok := fs.Names[name]; ok {
		b.Report(
			cursor.Finding{
				Code: diag.DuplicateName, At: b.Unit.TokPlace(uint32(it.ID)),
				Msg:     "duplicate field " + b.Unit.TokText(uint32(it.ID)),
				Related: []cursor.Related{{At: fs.Nodes[j].Place(b.Text), Msg: "first declared here"}},
			},
		)
		return
	}
	fs.Names[name] = i
	wasm.Set2(b.Decls.Mod.Names.Fields, ti, i, name)
}

// TypeDef reads a `(type …)` node into type ti.
func (b *TypeReader) TypeDef(n, ti uint32) wasm.SubType {
	u := &b.Unit
	t := wasm.SubType{Final: true}
	kw := u.Keyword(n)
	t.At = wasm.Pos(u.Off) + wasm.Pos(u.Tokens[kw].Off)
	for c := n + 1; c < u.Nodes[n].Next; c = u.Nodes[c].Next {
		if u.Nodes[c].Kind != syntax.KSub {
			b.CompType(c, ti, &t)
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
			t.Supers = append(t.Supers, b.Index(SpaceType, x, RefRead))
		}
		for k := c + 1; k < u.Nodes[c].Next; k = u.Nodes[k].Next {
			b.CompType(k, ti, &t)
		}
	}
	if u.Unclear(n) { // its uses are not to blame
		t.Kind = wasm.CompBad
	}
	return t
}

// TypeUse is a type use as written: `(type $t)? (param …)* (result …)*`.
type TypeUse struct {
	TypeNode        uint32 // KTypeUse, 0 if absent
	first, last     uint32 // the first and the last of the KParam and KResult nodes
	Params, Results []wasm.ValType
	written         bool // has params or results
}

// ReadUse reads the type use among the children [c, end) of a node.
func (b *TypeReader) ReadUse(c, end uint32, x *TypeUse) {
	x.TypeNode, x.first, x.last, x.written = 0, 0, 0, false
	x.Params, x.Results = x.Params[:0], x.Results[:0]
	for ; c < end; c = b.Unit.Nodes[c].Next {
		switch b.Unit.Nodes[c].Kind {
		case syntax.KTypeUse:
			x.TypeNode = c
		case syntax.KParam:
			x.Params, _ = b.AppendTypes(c, x.Params)
		case syntax.KResult:
			x.Results, _ = b.AppendTypes(c, x.Results)
		case syntax.KAnnot, syntax.KInlineExport, syntax.KInlineImport:
			continue
		default:
			return
		}
		if k := b.Unit.Nodes[c].Kind; k == syntax.KParam || k == syntax.KResult {
			if !x.written {
				x.first = c
			}
			x.written, x.last = true, c
		}
	}
}

// UseIndex returns the type index of a type use: the written one, else the first equal type. With
// add set a missing one is added to the module.
func (b *TypeReader) UseIndex(x *TypeUse, add bool) uint32 {
	if x.TypeNode != 0 {
		p := b.Unit.Parts(x.TypeNode)
		p.Token(syntax.TokLParen)
		p.Word("type")
		t, ok := p.IndexToken()
		if !ok {
			return wasm.BadIndex
		}
		i := b.Index(SpaceType, t, RefRead)
		if x.written && i != wasm.BadIndex {
			b.checkUse(x, t, i)
		}
		return i
	}
	var buf [64]byte
	key := TypeKey(buf[:0], x.Params, x.Results)
	if i, ok := b.Decls.Types.ByKey[string(key)]; ok {
		return i
	}
	if !add {
		return wasm.BadIndex
	}
	return b.Intern(string(key))
}

// checkUse reports a type use whose parameters and results are not those of its type.
func (b *TypeReader) checkUse(x *TypeUse, t, i uint32) {
	ft := b.Decls.Mod.FuncType(i)
	if ft == nil || b.Decls.equalTypes(ft.Params, x.Params) && b.Decls.equalTypes(ft.Results, x.Results) {
		return
	}
	name := b.Decls.Mod.Names.Type
	at := b.Unit.Place(b.Unit.Nodes[x.first].Tok, b.Unit.Nodes[x.last].TokEnd)
	at.To = max(at.To, b.Unit.NodePlace(x.first).To)
	f := cursor.Finding{
		Code: diag.InlineType,
		At:   at,
		Msg: "inline function type " + wasm.FormatTypes(x.Params, name) + " -> " + wasm.FormatTypes(x.Results, name) +
			" does not match type " + b.Unit.TokText(t) + ", which is " + wasm.FormatTypes(ft.Params, name) + " -> " + wasm.FormatTypes(ft.Results, name),
	}
	if int(i) < len(b.Decls.Spaces[SpaceType].Items) {
		f.Related = []cursor.Related{
			{At: b.Decls.Spaces[SpaceType].Items[i].Place(b.Text), Msg: "the type is defined here"},
		}
	}
	f.Fixes = []cursor.Fix{
		{Title: "Remove the inline parameters and results", Edits: []cursor.Edit{{At: at, New: ""}}},
	}
	b.Report(f)
}

// Intern adds an implicit type to the module, which is being bound.
func (b *TypeReader) Intern(key string) uint32 {
	d := b.Decls
	i := uint32(len(d.Mod.Types))
	t := wasm.SubType{Kind: wasm.CompFunc, Final: true, Implicit: true}
	if results, ok := fiberResults(key); ok {
		t.Kind, t.Results = wasm.CompFiber, results
	} else {
		t.Params, t.Results = keyTypes(key)
	}
	d.Mod.Types = append(d.Mod.Types, t)
	d.Mod.Recs = append(d.Mod.Recs, wasm.RecGroup{Start: i, Len: 1})
	d.Types.ByKey[key] = i
	b.Added = KeyRecord(b.Added, key)
	return i
}

// KeyRecord appends the key of a type with its length, so that keys in a row can be told apart.
func KeyRecord(buf []byte, key string) []byte {
	buf = append(buf, byte(len(key)), byte(len(key)>>8))
	return append(buf, key...)
}
