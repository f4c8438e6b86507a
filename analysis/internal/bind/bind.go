package bind

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// Module makes the declarations of a module from its n units. dialect is that of modules that do
// not declare one.
func Module(text cursor.Text, n int, name string, dialect wasm.Dialect) *decl.Decls {
	d := &decl.Decls{
		Mod:   &wasm.Module{Start: wasm.BadIndex, Names: wasm.NewNames(), DataCount: true},
		Start: decl.Item{Unit: -1},
	}
	d.Mod.Names.Module = name
	l := NewBinder(text, d, &d.Findings)
	l.Add = true
	l.Uses = decl.NewUseSet()
	d.Units, d.Bases = make([]decl.UnitFacts, n), make([]int, n)
	for i := range n {
		d.Bases[i] = cursor.FirstToken(&text.Tree.Units[text.First+i])
	}
	l.collect(n)
	l.findDeprecated(n)
	l.detectDialect(n, dialect)
	l.defineTypes()
	l.defineFields(n)
	d.Uses = l.Uses.Take()
	d.FillNames()
	d.ComputeHash()
	return d
}

// collect assigns every item its index and name. It looks at the beginnings of fields only.
func (l *Binder) collect(n int) {
	d := l.Decls
	var defined string // the kind of the last definition that imports must not follow
	for i := range n {
		l.Unit = l.Text.Unit(int32(i))
		d.Units[i].Fn = wasm.BadIndex
		if !l.Unit.IsField() {
			continue
		}
		root := &l.Unit.Nodes[0]
		switch root.Kind {
		case syntax.KType:
			d.Mod.Recs = append(d.Mod.Recs, wasm.RecGroup{Start: uint32(len(d.Spaces[decl.SpaceType].Items)), Len: 1})
			l.declareNode(decl.SpaceType, 0)
		case syntax.KRec:
			start := uint32(len(d.Spaces[decl.SpaceType].Items))
			for c := uint32(1); c < root.Next; c = l.Unit.Nodes[c].Next {
				if l.Unit.Nodes[c].Kind == syntax.KType {
					l.declareNode(decl.SpaceType, c)
				}
			}
			d.Mod.Recs = append(
				d.Mod.Recs,
				wasm.RecGroup{Start: start, Len: uint32(len(d.Spaces[decl.SpaceType].Items)) - start},
			)
		case syntax.KImport:
			for k, im := range importsOf(&l.Unit) {
				if defined != "" && k == 0 {
					l.importAfter(defined, l.Unit.Keyword(0))
				}
				l.declareNode(im.space, im.node)
			}
		case syntax.KFunc, syntax.KTable, syntax.KMemory, syntax.KGlobal, syntax.KTag:
			sp := fieldSpace(root.Kind)
			fn := l.declareNode(sp, 0)
			if im := l.inlineImport(); im != 0 {
				if defined != "" {
					l.importAfter(defined, l.Unit.Nodes[im].Tok)
				}
				continue
			}
			defined = sp.String()
			if root.Kind == syntax.KFunc {
				d.Units[i].Fn = fn
			}
			for c := uint32(1); c < root.Next && root.Kind != syntax.KFunc; c = l.Unit.Nodes[c].Next {
				switch l.Unit.Nodes[c].Kind {
				case syntax.KElemList:
					l.Declare(decl.SpaceElem, decl.Item{Unit: int32(i), Node: c, ID: -1, Part: 1})
				case syntax.KDataList:
					l.Declare(decl.SpaceData, decl.Item{Unit: int32(i), Node: c, ID: -1, Part: 1})
				}
			}
		case syntax.KElem:
			l.declareNode(decl.SpaceElem, 0)
		case syntax.KData:
			l.declareNode(decl.SpaceData, 0)
		}
	}
	d.Explicit = uint32(len(d.Spaces[decl.SpaceType].Items))
}

func fieldSpace(k syntax.Kind) decl.Space {
	switch k {
	case syntax.KType:
		return decl.SpaceType
	case syntax.KFunc:
		return decl.SpaceFunc
	case syntax.KTable:
		return decl.SpaceTable
	case syntax.KMemory:
		return decl.SpaceMemory
	case syntax.KGlobal:
		return decl.SpaceGlobal
	case syntax.KTag:
		return decl.SpaceTag
	case syntax.KElem:
		return decl.SpaceElem
	case syntax.KData:
		return decl.SpaceData
	}
	return decl.SpaceNone
}

// declareNode declares what a `(keyword $id …` node declares.
func (l *Binder) declareNode(sp decl.Space, n uint32) uint32 {
	id := l.Unit.IDToken(n)
	return l.Declare(sp, decl.Item{Unit: l.Unit.Index, Node: n, ID: id, Part: 0})
}

// inlineImport returns the inline import of the field, or 0.
func (l *Binder) inlineImport() uint32 {
	root := &l.Unit.Nodes[0]
	for c := uint32(1); c < root.Next; c = l.Unit.Nodes[c].Next {
		switch l.Unit.Nodes[c].Kind {
		case syntax.KInlineImport:
			return c
		case syntax.KInlineExport, syntax.KAnnot:
		default:
			return 0
		}
	}
	return 0
}

func (l *Binder) importAfter(defined string, t uint32) {
	l.ReportAt(diag.ImportOrder, l.Unit.TokPlace(t), "import after "+defined+" definition: imports come first")
}

// defineTypes reads the type definitions.
func (l *Binder) defineTypes() {
	d := l.Decls
	items := d.Spaces[decl.SpaceType].Items
	d.Mod.Types = make([]wasm.SubType, len(items), len(items)+min(16, len(d.Units)/2))
	d.SetNames(decl.SpaceType)
	d.Types.ByKey = make(map[string]uint32, len(items))
	if d.Dialect.Info().InlineType {
		l.indexFibers(items)
	}
	for i, it := range items {
		l.Unit = l.Text.Unit(it.Unit)
		l.Limit = uint32(i)
		l.Uses.Self = uint32(i)
		t := l.TypeDef(it.Node, uint32(i)) // may add types
		d.Mod.Types[i] = t
	}
	l.Limit, l.Uses.Self = wasm.BadIndex, wasm.BadIndex
	d.IndexTypes()
}

// defineFields reads everything else. Implicit types come into being in the order of the text.
func (l *Binder) defineFields(n int) {
	d := l.Decls
	d.Mod.Funcs = make([]wasm.Func, 0, len(d.Spaces[decl.SpaceFunc].Items))
	start := 0
	for i := range n {
		l.Unit = l.Text.Unit(int32(i))
		if !l.Unit.IsField() {
			continue
		}
		switch l.Unit.Nodes[0].Kind {
		case syntax.KStart:
			if start++; start == 2 {
				l.Report(
					cursor.Finding{
						Code: diag.MultipleStarts, At: l.Unit.NodePlace(0),
						Msg:     "multiple start sections: a module has one start function",
						Related: []cursor.Related{{At: d.Start.Place(l.Text), Msg: "the first one"}},
					},
				)
			}
			x := l.startDecl(0)
			if start == 1 {
				d.Mod.Start, d.Mod.StartAt = x, l.Pos(l.Unit.Keyword(0))
				d.Start = decl.Item{Unit: int32(i), Node: 0, ID: -1, Part: 0}
			}
		case syntax.KImport:
			l.defineImports()
		case syntax.KExport:
			e, id := l.exportDecl(0)
			d.Mod.Exports = append(d.Mod.Exports, e)
			d.Exports = append(d.Exports, decl.Item{Unit: int32(i), Node: 0, ID: id, Part: 0})
		case syntax.KElem:
			d.Mod.Elems = append(d.Mod.Elems, l.elemDecl(0))
		case syntax.KData:
			d.Mod.Datas = append(d.Mod.Datas, l.dataDecl(0))
		case syntax.KFunc, syntax.KTable, syntax.KMemory, syntax.KGlobal, syntax.KTag:
			l.defineItem(int32(i))
		}
	}
}

func (l *Binder) addImport(im wasm.Import, n uint32, word string) {
	d := l.Decls
	im.Kind, _ = externKind(word)
	im.Index = uint32(d.Count(decl.DeclSpace(word)))
	d.Mod.Imports = append(d.Mod.Imports, im)
	d.Imports = append(d.Imports, decl.Item{Unit: l.Unit.Index, Node: n, ID: -1, Part: 0})
}

// defineItem reads a func, table, memory, global or tag field.
func (l *Binder) defineItem(unit int32) {
	d := l.Decls
	root := &l.Unit.Nodes[0]
	sp := fieldSpace(root.Kind)
	word := sp.String()
	if sp == decl.SpaceFunc {
		word = "func"
	}
	kind, _ := externKind(word)
	p := l.head(0)
	index := uint32(d.Count(sp))
	imported, module, name := l.inlines(&p, kind, index, true)
	if imported {
		l.addImport(wasm.Import{Module: module, Name: name, At: l.Pos(l.Unit.Keyword(0))}, 0, word)
		l.importedDecl(0, &p, sp, int32(len(d.Mod.Imports)-1), true)
		return
	}
	switch sp {
	case decl.SpaceFunc:
		f := wasm.Func{
			Import: -1, At: l.Pos(l.Unit.Nodes[0].Tok),
			End: l.Pos(root.TokEnd-1) + wasm.Pos(l.Unit.Tokens[root.TokEnd-1].Len),
		}
		l.Added = l.Added[:0]
		f.Type = l.funcUse(0, true)
		d.Units[unit].Header = string(l.Added)
		d.Mod.Funcs = append(d.Mod.Funcs, f)
		l.bodyFacts(unit)
	case decl.SpaceTag:
		t := wasm.Tag{Type: l.funcUse(0, true), Import: -1, At: l.Pos(l.Unit.Keyword(0))}
		if l.Unit.Unclear(0) { // its uses are not to blame
			t.Type = wasm.BadIndex
		}
		d.Mod.Tags = append(d.Mod.Tags, t)
	case decl.SpaceTable:
		t, e := l.tableDecl(0, &p)
		d.Mod.Tables = append(d.Mod.Tables, t)
		if e != nil {
			e.Table = index
			d.Mod.Elems = append(d.Mod.Elems, *e)
		}
	case decl.SpaceMemory:
		m, data := l.memoryDecl(0, &p)
		d.Mod.Mems = append(d.Mod.Mems, m)
		if data != nil {
			data.Memory = index
			d.Mod.Datas = append(d.Mod.Datas, *data)
		}
	case decl.SpaceGlobal:
		d.Mod.Globals = append(d.Mod.Globals, l.globalDecl(0, &p))
	}
}

// bodyFacts finds the implicit types that a body needs, and adds them to the module.
func (l *Binder) bodyFacts(unit int32) {
	hush, uses := l.Silent, l.Uses
	l.Silent, l.Added, l.Uses = true, l.Added[:0], nil // the body's uses are its own
	l.bodyTypes(func(key []byte) {
		if _, ok := l.Decls.Types.ByKey[string(key)]; !ok {
			l.Intern(string(key))
		}
	})
	l.Silent, l.Uses = hush, uses
	l.Decls.Units[unit].Uses = string(l.Added)
	l.Decls.Units[unit].Ready = l.ready()
}

// bodyTypes returns the function types that the unit's body has without a type index.
func (l *Binder) bodyTypes(yield func(key []byte)) {
	nodes := l.Unit.Nodes
	fibers := l.Decls.Dialect.Info().InlineType
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
			if nodes[c].Kind == syntax.KResult && c+2 == nodes[c].Next &&
				(c+2 >= nd.Next || nodes[c+2].Kind != syntax.KResult) {
				continue
			}
			l.ReadUse(c, nd.Next, &l.Use)
			if l.Use.TypeNode != 0 || len(l.Use.Params) == 0 && len(l.Use.Results) < 2 {
				continue
			}
		case syntax.KInstr:
			if fibers && nd.Op == wasm.OpRefNull {
				if t := l.Unit.Keyword(uint32(i)) + 1; t < nd.TokEnd && l.Unit.TokKind(t) == syntax.TokKeyword &&
					l.Unit.TokText(t) == "fiber" {
					yield(decl.FiberKey(buf[:0], nil))
				}
			}
			if nd.Op != wasm.OpCallIndirect && nd.Op != wasm.OpReturnCallIndirect {
				continue
			}
			l.ReadUse(c, nd.Next, &l.Use)
			if l.Use.TypeNode != 0 {
				continue
			}
		default:
			continue
		}
		yield(decl.TypeKey(buf[:0], l.Use.Params, l.Use.Results))
	}
}

// Binder binds the declarations of a module, and goes over the references of its units.
type Binder struct{ fieldReader }

// NewBinder returns a binder for a module that reports to out, which may be nil.
func NewBinder(text cursor.Text, d *decl.Decls, out *[]cursor.Finding) *Binder {
	b := &Binder{}
	b.Init(text, d, out)
	return b
}
