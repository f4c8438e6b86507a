package analysis

import (
	"hash/maphash"
	"slices"
	"strconv"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// bind makes the declarations of a module's units [first, first+n) of a tree.
func bind(tree *syntax.Tree, first, n int, name string, opts Options) *decls {
	d := &decls{mod: &wasm.Module{Start: wasm.BadIndex, Names: wasm.NewNames(), DataCount: true}, start: item{unit: -1}}
	d.mod.Names.Module = name
	l := &lowerer{}
	l.tree, l.first, l.d, l.out = tree, first, d, &d.findings
	l.add, l.limit = true, wasm.BadIndex
	l.uses = newUseSet()
	d.units, d.bases = make([]unitFacts, n), make([]int, n)
	for i := range n {
		d.bases[i] = cursor.FirstToken(&tree.Units[first+i])
	}
	l.collect(n)
	l.findDeprecated(n)
	l.detectDialect(n, opts)
	l.defineTypes()
	l.defineFields(n)
	d.uses = l.uses.take()
	d.names()
	d.sum()
	return d
}

// collect gives every item its index and name. It looks at the beginnings of fields only.
func (l *lowerer) collect(n int) {
	d := l.d
	var defined string // the kind of the last definition that imports must not follow
	for i := range n {
		l.u = l.unitAt(int32(i))
		d.units[i].fn = wasm.BadIndex
		if !l.u.IsField() {
			continue
		}
		root := &l.u.Nodes[0]
		switch root.Kind {
		case syntax.KType:
			d.mod.Recs = append(d.mod.Recs, wasm.RecGroup{Start: uint32(len(d.spaces[SpaceType].items)), Len: 1})
			l.declareNode(SpaceType, 0)
		case syntax.KRec:
			start := uint32(len(d.spaces[SpaceType].items))
			for c := uint32(1); c < root.Next; c = l.u.Nodes[c].Next {
				if l.u.Nodes[c].Kind == syntax.KType {
					l.declareNode(SpaceType, c)
				}
			}
			d.mod.Recs = append(d.mod.Recs, wasm.RecGroup{Start: start, Len: uint32(len(d.spaces[SpaceType].items)) - start})
		case syntax.KImport:
			for k, im := range importsOf(&l.u) {
				if defined != "" && k == 0 {
					l.importAfter(defined, l.u.Keyword(0))
				}
				l.declareNode(im.space, im.node)
			}
		case syntax.KFunc, syntax.KTable, syntax.KMemory, syntax.KGlobal, syntax.KTag:
			sp := fieldSpace(root.Kind)
			fn := l.declareNode(sp, 0)
			if im := l.inlineImport(); im != 0 {
				if defined != "" {
					l.importAfter(defined, l.u.Nodes[im].Tok)
				}
				continue
			}
			defined = sp.String()
			if root.Kind == syntax.KFunc {
				d.units[i].fn = fn
			}
			for c := uint32(1); c < root.Next && root.Kind != syntax.KFunc; c = l.u.Nodes[c].Next {
				switch l.u.Nodes[c].Kind {
				case syntax.KElemList:
					l.declare(SpaceElem, item{int32(i), c, -1, 1})
				case syntax.KDataList:
					l.declare(SpaceData, item{int32(i), c, -1, 1})
				}
			}
		case syntax.KElem:
			l.declareNode(SpaceElem, 0)
		case syntax.KData:
			l.declareNode(SpaceData, 0)
		}
	}
	d.explicit = uint32(len(d.spaces[SpaceType].items))
}

func fieldSpace(k syntax.Kind) Space {
	switch k {
	case syntax.KType:
		return SpaceType
	case syntax.KFunc:
		return SpaceFunc
	case syntax.KTable:
		return SpaceTable
	case syntax.KMemory:
		return SpaceMemory
	case syntax.KGlobal:
		return SpaceGlobal
	case syntax.KTag:
		return SpaceTag
	case syntax.KElem:
		return SpaceElem
	case syntax.KData:
		return SpaceData
	}
	return SpaceNone
}

// declareNode declares what a `(keyword $id …` node declares.
func (l *lowerer) declareNode(sp Space, n uint32) uint32 {
	id := l.u.IdToken(n)
	return l.declare(sp, item{l.u.Index, n, id, 0})
}

// inlineImport returns the inline import of the field, or 0.
func (l *lowerer) inlineImport() uint32 {
	root := &l.u.Nodes[0]
	for c := uint32(1); c < root.Next; c = l.u.Nodes[c].Next {
		switch l.u.Nodes[c].Kind {
		case syntax.KInlineImport:
			return c
		case syntax.KInlineExport, syntax.KAnnot:
		default:
			return 0
		}
	}
	return 0
}

func (l *lowerer) importAfter(defined string, t uint32) {
	l.errAt(diag.ImportOrder, l.u.TokPlace(t), "import after "+defined+" definition: imports come first")
}

// defineTypes reads the type definitions.
func (l *lowerer) defineTypes() {
	d := l.d
	items := d.spaces[SpaceType].items
	d.mod.Types = make([]wasm.SubType, len(items), len(items)+min(16, len(d.units)/2))
	d.setNames(SpaceType)
	d.types.byKey = make(map[string]uint32, len(items))
	if d.dialect == wasm.DialectFibersHandle {
		l.indexFibers(items)
	}
	for i, it := range items {
		l.u = l.unitAt(it.unit)
		l.limit = uint32(i)
		l.uses.self = uint32(i)
		t := l.typeDef(it.node, uint32(i)) // may add types
		d.mod.Types[i] = t
	}
	l.limit, l.uses.self = wasm.BadIndex, wasm.BadIndex
	d.indexTypes()
}

// defineFields reads everything else. Implicit types come into being in the order of the text.
func (l *lowerer) defineFields(n int) {
	d := l.d
	d.mod.Funcs = make([]wasm.Func, 0, len(d.spaces[SpaceFunc].items))
	start := 0
	for i := range n {
		l.u = l.unitAt(int32(i))
		if !l.u.IsField() {
			continue
		}
		switch l.u.Nodes[0].Kind {
		case syntax.KStart:
			if start++; start == 2 {
				l.report(
					cursor.Finding{
						Code: diag.MultipleStarts, At: l.u.NodePlace(0),
						Msg:     "multiple start sections: a module has one start function",
						Related: []cursor.Related{{At: l.idPlace(d.start), Msg: "the first one"}},
					},
				)
			}
			x := l.startDecl(0)
			if start == 1 {
				d.mod.Start, d.mod.StartAt = x, l.pos(l.u.Keyword(0))
				d.start = item{int32(i), 0, -1, 0}
			}
		case syntax.KImport:
			l.defineImports()
		case syntax.KExport:
			e, id := l.exportDecl(0)
			d.mod.Exports = append(d.mod.Exports, e)
			d.exports = append(d.exports, item{int32(i), 0, id, 0})
		case syntax.KElem:
			d.mod.Elems = append(d.mod.Elems, l.elemDecl(0))
		case syntax.KData:
			d.mod.Datas = append(d.mod.Datas, l.dataDecl(0))
		case syntax.KFunc, syntax.KTable, syntax.KMemory, syntax.KGlobal, syntax.KTag:
			l.defineItem(int32(i))
		}
	}
}

func (l *lowerer) addImport(im wasm.Import, n uint32, word string) {
	d := l.d
	im.Kind, _ = externKind(word)
	im.Index = uint32(d.count(declSpace(word)))
	d.mod.Imports = append(d.mod.Imports, im)
	d.imports = append(d.imports, item{l.u.Index, n, -1, 0})
}

// count returns how many items of a space have been defined so far.
func (d *decls) count(sp Space) int {
	switch sp {
	case SpaceFunc:
		return len(d.mod.Funcs)
	case SpaceTable:
		return len(d.mod.Tables)
	case SpaceMemory:
		return len(d.mod.Mems)
	case SpaceGlobal:
		return len(d.mod.Globals)
	case SpaceTag:
		return len(d.mod.Tags)
	}
	return 0
}

// defineItem reads a func, table, memory, global or tag field.
func (l *lowerer) defineItem(unit int32) {
	d := l.d
	root := &l.u.Nodes[0]
	sp := fieldSpace(root.Kind)
	word := sp.String()
	if sp == SpaceFunc {
		word = "func"
	}
	kind, _ := externKind(word)
	p := l.head(0)
	index := uint32(d.count(sp))
	imported, module, name := l.inlines(&p, kind, index, true)
	if imported {
		l.addImport(wasm.Import{Module: module, Name: name, At: l.pos(l.u.Keyword(0))}, 0, word)
		l.importedDecl(0, &p, sp, int32(len(d.mod.Imports)-1), true)
		return
	}
	switch sp {
	case SpaceFunc:
		f := wasm.Func{
			Import: -1, At: l.pos(l.u.Nodes[0].Tok),
			End: l.pos(root.TokEnd-1) + wasm.Pos(l.u.Tokens[root.TokEnd-1].Len),
		}
		l.added = l.added[:0]
		f.Type = l.funcUse(0, true)
		d.units[unit].header = string(l.added)
		d.mod.Funcs = append(d.mod.Funcs, f)
		l.bodyFacts(unit)
	case SpaceTag:
		d.mod.Tags = append(d.mod.Tags, wasm.Tag{Type: l.funcUse(0, true), Import: -1, At: l.pos(l.u.Keyword(0))})
	case SpaceTable:
		t, e := l.tableDecl(0, &p)
		d.mod.Tables = append(d.mod.Tables, t)
		if e != nil {
			e.Table = index
			d.mod.Elems = append(d.mod.Elems, *e)
		}
	case SpaceMemory:
		m, data := l.memoryDecl(0, &p)
		d.mod.Mems = append(d.mod.Mems, m)
		if data != nil {
			data.Memory = index
			d.mod.Datas = append(d.mod.Datas, *data)
		}
	case SpaceGlobal:
		d.mod.Globals = append(d.mod.Globals, l.globalDecl(0, &p))
	}
}

// bodyFacts finds the implicit types that a body needs, and adds them to the module.
func (l *lowerer) bodyFacts(unit int32) {
	hush, uses := l.hush, l.uses
	l.hush, l.added, l.uses = true, l.added[:0], nil // the body's uses are its own
	l.bodyTypes(func(key []byte) {
		if _, ok := l.d.types.byKey[string(key)]; !ok {
			l.intern(string(key))
		}
	})
	l.hush, l.uses = hush, uses
	l.d.units[unit].uses = string(l.added)
	l.d.units[unit].ready = l.ready()
}

// bodyTypes gives the function types that the unit's body has without a type index.
func (l *lowerer) bodyTypes(yield func(key []byte)) {
	nodes := l.u.Nodes
	fibers := l.d.dialect == wasm.DialectFibersHandle
	var buf [64]byte
	for i := 1; i < len(nodes); i++ {
		nd := &nodes[i]
		c := uint32(i) + 1
		switch nd.Kind {
		case syntax.KRefType:
			if fibers {
				l.fiberKeys(uint32(i), yield)
			}
			continue
		case syntax.KBlock, syntax.KEvent:
			if c >= nd.Next || nodes[c].Kind != syntax.KParam && nodes[c].Kind != syntax.KResult {
				continue
			}
			// One result of one plain type needs none.
			if nodes[c].Kind == syntax.KResult && c+2 == nodes[c].Next && (c+2 >= nd.Next || nodes[c+2].Kind != syntax.KResult) {
				continue
			}
			l.readUse(c, nd.Next, &l.use)
			if l.use.typeNode != 0 || len(l.use.params) == 0 && len(l.use.results) < 2 {
				continue
			}
		case syntax.KInstr:
			if fibers && nd.Op == wasm.OpRefNull {
				if t := l.u.Keyword(uint32(i)) + 1; t < nd.TokEnd && l.u.TokKind(t) == syntax.TokKeyword && l.u.TokText(t) == "fiber" {
					yield(fiberKey(buf[:0], nil))
				}
			}
			if nd.Op != wasm.OpCallIndirect && nd.Op != wasm.OpReturnCallIndirect {
				continue
			}
			l.readUse(c, nd.Next, &l.use)
			if l.use.typeNode != 0 {
				continue
			}
		default:
			continue
		}
		yield(typeKey(buf[:0], l.use.params, l.use.results))
	}
}

// setNames fills in the names of a space in the module.
func (d *decls) setNames(sp Space) {
	m := d.nameMap(sp)
	for s, i := range d.spaces[sp].names {
		m[i] = s
	}
}

// names fills in the names of the module's items.
func (d *decls) names() {
	for sp := SpaceFunc; sp <= SpaceData; sp++ {
		d.setNames(sp)
	}
}

var seed = maphash.MakeSeed()

// sum computes a hash of all that bodies depend on. Two modules with the same sum give the same
// findings for the same body.
func (d *decls) sum() {
	var h maphash.Hash
	h.SetSeed(seed)
	u32 := func(v uint32) {
		var b [4]byte
		b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
		h.Write(b[:])
	}
	val := func(t wasm.ValType) { u32(uint32(t)); u32(uint32(t >> 32)) }
	flag := func(fs ...bool) {
		for _, f := range fs {
			if f {
				h.WriteByte(1)
			} else {
				h.WriteByte(0)
			}
		}
	}
	h.WriteByte(byte(d.mod.Dialect))
	for _, g := range d.mod.Recs {
		if g.Start < d.explicit {
			u32(g.Len)
		}
	}
	for sp := SpaceType; sp <= SpaceData; sp++ {
		u32(uint32(len(d.spaces[sp].items)))
		names := d.nameMap(sp)
		for i := range d.spaces[sp].items {
			if s, ok := names[uint32(i)]; ok {
				h.WriteString(s)
			}
			h.WriteByte(0)
		}
	}
	typ := func(i uint32) {
		if i < d.explicit || int(i) >= len(d.mod.Types) {
			u32(i)
			return
		}
		t := &d.mod.Types[i]
		for _, p := range t.Params {
			val(p)
		}
		h.WriteByte(0xff)
		for _, p := range t.Results {
			val(p)
		}
		h.WriteByte(0xfe)
	}
	for i := range d.mod.Types[:min(int(d.explicit), len(d.mod.Types))] {
		t := &d.mod.Types[i]
		h.WriteByte(byte(t.Kind))
		flag(t.Final)
		for _, s := range t.Supers {
			u32(s)
		}
		h.WriteByte(0xfd)
		for _, p := range t.Params {
			val(p)
		}
		h.WriteByte(0xff)
		for _, p := range t.Results {
			val(p)
		}
		h.WriteByte(0xfe)
		for _, f := range t.Fields {
			val(f.Type)
			flag(f.Mut)
		}
		u32(t.Func)
		if fs := d.fields[uint32(i)]; fs != nil {
			for k := range fs.nodes {
				h.WriteString(d.mod.Names.Fields[uint32(i)][uint32(k)])
				h.WriteByte(0)
			}
		}
	}
	for i := range d.mod.Types { // inline fiber types are named by their index
		if t := &d.mod.Types[i]; t.Implicit && t.Kind == wasm.CompFiber {
			u32(uint32(i))
			typ(uint32(i))
		}
	}
	for i := range d.mod.Funcs {
		typ(d.mod.Funcs[i].Type)
		flag(d.mod.Funcs[i].Import >= 0, d.ready(uint32(i)))
	}
	for i := range d.mod.Tables {
		val(d.mod.Tables[i].Type)
		flag(d.mod.Tables[i].Limits.Is64)
	}
	for i := range d.mod.Mems {
		l := &d.mod.Mems[i].Limits
		flag(l.Is64, l.Shared)
	}
	for i := range d.mod.Globals {
		val(d.mod.Globals[i].Type)
		flag(d.mod.Globals[i].Mut)
	}
	for i := range d.mod.Tags {
		typ(d.mod.Tags[i].Type)
	}
	for i := range d.mod.Elems {
		val(d.mod.Elems[i].Type)
	}
	for _, e := range d.mod.Exports {
		if e.Kind == wasm.ExternFunc {
			u32(e.Index)
		}
	}
	h.WriteByte(0xfc)
	refs := func(body []wasm.Instr) {
		for i := range body {
			if body[i].Op == wasm.OpRefFunc {
				u32(body[i].A)
			}
		}
	}
	for i := range d.mod.Elems {
		refs(d.mod.Elems[i].Offset)
		for _, e := range d.mod.Elems[i].Init {
			refs(e)
		}
	}
	for i := range d.mod.Globals {
		refs(d.mod.Globals[i].Init)
	}
	for i := range d.mod.Tables {
		refs(d.mod.Tables[i].Init)
	}
	deps := make([]string, 0, len(d.deprecated))
	for s, words := range d.deprecated {
		deps = append(deps, s.Space.String()+strconv.Itoa(int(s.Index))+words)
	}
	slices.Sort(deps)
	for _, s := range deps {
		h.WriteString(s)
		h.WriteByte(0)
	}
	d.hash = h.Sum64()
}
