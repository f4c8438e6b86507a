package bind

import (
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/lower"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// head walks a field up to its description: past keyword and identifier.
func (b *fieldReader) head(n uint32) cursor.Parts {
	p := b.Unit.Parts(n)
	p.Token(syntax.TokLParen)
	p.Token(syntax.TokKeyword)
	p.Token(syntax.TokID)
	return p
}

// inlines reads the inline exports and the inline import of a field, and goes past them.
func (b *fieldReader) inlines(
	p *cursor.Parts, k wasm.ExternKind, index uint32, collect bool,
) (imported bool, module, name string) {
	for {
		i, node, ok := p.Peek()
		if !ok || !node {
			return
		}
		switch b.Unit.Nodes[i].Kind {
		case syntax.KInlineExport:
			if collect {
				q := b.Unit.Parts(i)
				q.Token(syntax.TokLParen)
				q.Word("export")
				if t, ok := q.Token(syntax.TokString); ok {
					b.Decls.Mod.Exports = append(
						b.Decls.Mod.Exports, wasm.Export{Name: b.Name(t), Kind: k, Index: index, At: b.Pos(t)},
					)
					b.Decls.Exports = append(
						b.Decls.Exports, decl.Item{Unit: b.Unit.Index, Node: i, ID: int32(t), Part: 0},
					)
				}
			}
		case syntax.KInlineImport:
			imported = true
			q := b.Unit.Parts(i)
			q.Token(syntax.TokLParen)
			q.Word("import")
			if t, ok := q.Token(syntax.TokString); ok && collect {
				module = b.Name(t)
			}
			if t, ok := q.Token(syntax.TokString); ok && collect {
				name = b.Name(t)
			}
		default:
			return
		}
		p.Skip()
	}
}

// funcUse reads the type use of a function, tag, or their imports: children of node n.
func (l *fieldReader) funcUse(n uint32, add bool) uint32 {
	l.ReadUse(n+1, l.Unit.Nodes[n].Next, &l.Use)
	return l.UseIndex(&l.Use, add)
}

// limits reads `i32|i64? min max? shared? (pagesize n)?`.
func (b *fieldReader) limits(p *cursor.Parts) wasm.Limits {
	var lim wasm.Limits
	u := &b.Unit
	if i, node, ok := p.Peek(); ok {
		t := i
		if node {
			t = u.Nodes[i].Tok
		}
		if !node || u.Nodes[i].Kind == syntax.KNumType {
			if s := u.TokText(t); s == "i64" || s == "i32" {
				lim.Is64 = s == "i64"
				p.Skip()
			}
		}
	}
	size := 64 // what fits is for the validator to judge
	if t, ok := p.Token(syntax.TokNat); ok {
		lim.Min = b.size(t, size)
		if t, ok := p.Token(syntax.TokNat); ok {
			lim.HasMax = true
			lim.Max = b.size(t, size)
		}
	}
	if _, ok := p.Word("shared"); ok {
		lim.Shared = true
	}
	if c, ok := p.Node(syntax.KPageSize); ok {
		q := u.Parts(c)
		q.Token(syntax.TokLParen)
		q.Word("pagesize")
		if t, ok := q.Token(syntax.TokNat); ok {
			lim.HasPage = true
			v, err := syntax.ParseNat(u.TokText(t), 64)
			switch {
			case err != nil || v == 0 || v&(v-1) != 0:
				b.ReportAt(diag.Limits, u.TokPlace(t), "invalid custom page size: it must be 1 or 65536")
			default:
				for ; v > 1; v >>= 1 {
					lim.PageBits++
				}
			}
		}
	}
	return lim
}

func (b *fieldReader) size(t uint32, w int) uint64 {
	v, err := syntax.ParseNat(b.Unit.TokText(t), w)
	if err != nil {
		b.ReportAt(diag.Number, b.Unit.TokPlace(t), "i64 constant out of range: "+b.Unit.TokText(t))
	}
	return v
}

// tableDecl reads a table from after its inline imports and exports. A segment inside comes along.
func (l *fieldReader) tableDecl(n uint32, p *cursor.Parts) (wasm.Table, *wasm.Elem) {
	t := wasm.Table{Import: -1, At: l.Pos(l.Unit.Keyword(n)), Type: wasm.Unknown}
	t.Limits = l.limits(p)
	if i, node, ok := p.Peek(); ok && node && cursor.IsType(l.Unit.Nodes[i].Kind) {
		t.Type = l.ValType(i)
		if !t.Type.IsRef() && t.Type != wasm.Unknown {
			l.ReportAt(
				diag.Syntax, l.Unit.NodePlace(i),
				"unexpected token "+t.Type.String()+": a table holds references",
			)
			t.Type = wasm.Unknown
		}
		p.Skip()
	}
	if c, ok := p.Node(syntax.KElemList); ok {
		e := &wasm.Elem{Type: t.Type, Mode: wasm.SegmentActive, At: t.At}
		q := l.Unit.Parts(c)
		q.Token(syntax.TokLParen)
		q.Word("elem")
		l.elemItems(&q, e)
		t.Limits.Min = uint64(len(e.Init))
		t.Limits.Max, t.Limits.HasMax = t.Limits.Min, true
		op := wasm.OpI32Const
		if t.Limits.Is64 {
			op = wasm.OpI64Const
		}
		e.Offset = []wasm.Instr{{Op: op, At: t.At}, {Op: wasm.OpEnd, At: t.At}}
		return t, e
	}
	if i, node, ok := p.Peek(); ok && node && cursor.IsInstr(l.Unit.Nodes[i].Kind) {
		t.Init = l.Expr(i, l.Unit.Nodes[n].Next, l.Unit.Nodes[n].TokEnd-1)
	}
	return t, nil
}

// memoryDecl reads a memory. A segment inside comes along.
func (l *fieldReader) memoryDecl(n uint32, p *cursor.Parts) (wasm.Memory, *wasm.Data) {
	m := wasm.Memory{Import: -1, At: l.Pos(l.Unit.Keyword(n))}
	m.Limits = l.limits(p)
	c, ok := p.Node(syntax.KDataList)
	if !ok {
		return m, nil
	}
	d := &wasm.Data{Mode: wasm.SegmentActive, At: m.At}
	q := l.Unit.Parts(c)
	q.Token(syntax.TokLParen)
	q.Word("data")
	d.Bytes = l.bytes(&q)
	bitsPerPage := uint8(16)
	if m.Limits.HasPage {
		bitsPerPage = m.Limits.PageBits
	}
	m.Limits.Min = (uint64(len(d.Bytes)) + 1<<bitsPerPage - 1) >> bitsPerPage
	m.Limits.Max, m.Limits.HasMax = m.Limits.Min, true
	op := wasm.OpI32Const
	if m.Limits.Is64 {
		op = wasm.OpI64Const
	}
	d.Offset = []wasm.Instr{{Op: op, At: m.At}, {Op: wasm.OpEnd, At: m.At}}
	return m, d
}

// bytes reads strings.
func (b *fieldReader) bytes(p *cursor.Parts) []byte {
	var out []byte
	for {
		t, ok := p.Token(syntax.TokString)
		if !ok {
			return out
		}
		s, err := syntax.DecodeString(b.Unit.TokText(t))
		if err == nil {
			out = append(out, s...)
		}
	}
}

// globalDecl reads a global.
func (l *fieldReader) globalDecl(n uint32, p *cursor.Parts) wasm.Global {
	g := wasm.Global{Import: -1, At: l.Pos(l.Unit.Keyword(n)), Type: wasm.Unknown}
	if i, node, ok := p.Peek(); ok && node &&
		(cursor.IsType(l.Unit.Nodes[i].Kind) || l.Unit.Nodes[i].Kind == syntax.KMut) {
		ft := l.FieldType(i)
		g.Type, g.Mut = ft.Type, ft.Mut
		if g.Type.Packed() {
			l.ReportAt(
				diag.Syntax, l.Unit.NodePlace(i),
				"unexpected token "+g.Type.String()+": it can only be the type of a field",
			)
			g.Type = wasm.Unknown
		}
		p.Skip()
	}
	i, _, ok := p.Peek()
	if !ok || i >= p.LastChild || p.Child >= p.LastChild {
		i = p.LastChild
	} else {
		i = p.Child
	}
	g.Init = l.Expr(i, p.LastChild, l.Unit.Nodes[n].TokEnd-1)
	return g
}

// elemItems reads the type and items of an element segment.
func (l *fieldReader) elemItems(p *cursor.Parts, e *wasm.Elem) {
	u := &l.Unit
	for {
		i, node, ok := p.Peek()
		if !ok {
			return
		}
		p.Skip()
		switch {
		case !node && (u.TokKind(i) == syntax.TokID || u.TokKind(i) == syntax.TokNat):
			at := l.Pos(i)
			e.Init = append(
				e.Init,
				[]wasm.Instr{
					{Op: wasm.OpRefFunc, A: l.Index(decl.SpaceFunc, i, decl.RefRead), At: at},
					{Op: wasm.OpEnd, At: at},
				},
			)
		case !node:
		case cursor.IsType(u.Nodes[i].Kind):
			e.Type = l.ValType(i)
			if !e.Type.IsRef() && e.Type != wasm.Unknown {
				l.ReportAt(
					diag.Syntax, u.NodePlace(i),
					"unexpected token "+e.Type.String()+": an element segment holds references",
				)
				e.Type = wasm.Unknown
			}
		case u.Nodes[i].Kind == syntax.KItem:
			e.Init = append(e.Init, l.Expr(i+1, u.Nodes[i].Next, u.Nodes[i].TokEnd-1))
		case cursor.IsInstr(u.Nodes[i].Kind):
			e.Init = append(e.Init, l.Expr(i, u.Nodes[i].Next, u.Nodes[i].TokEnd-1))
		}
	}
}

// elemDecl reads an element segment.
func (l *fieldReader) elemDecl(n uint32) wasm.Elem {
	u := &l.Unit
	p := l.head(n)
	e := wasm.Elem{Type: wasm.Ref(false, wasm.HeapFunc), At: l.Pos(u.Keyword(n))}
	if _, ok := p.Word("declare"); ok {
		e.Mode = wasm.SegmentDeclarative
	}
	if c, ok := p.Node(syntax.KTableUse); ok {
		e.Table = l.useOf(c, decl.SpaceTable)
	} else if i, node, ok := p.Peek(); ok && !node && u.TokKind(i) == syntax.TokNat && l.offsetBehind(p) {
		p.Skip()
		e.Table = l.Index(decl.SpaceTable, i, decl.RefWrite)
	}
	if c, ok := p.Node(syntax.KOffset); ok {
		l.Uses.Add(decl.SpaceTable, 0, e.Table, decl.RefWrite)
		e.Mode = wasm.SegmentActive
		e.Offset = l.offset(c)
	}
	p.Word("func")
	l.elemItems(&p, &e)
	return e
}

// offsetBehind reports whether an offset stands after the next part: then that is an old-style
// index.
func (l *fieldReader) offsetBehind(p cursor.Parts) bool {
	p.Skip()
	_, ok := p.Node(syntax.KOffset)
	return ok
}

func (l *fieldReader) useOf(c uint32, sp decl.Space) uint32 {
	q := l.Unit.Parts(c)
	q.Token(syntax.TokLParen)
	q.Token(syntax.TokKeyword)
	if t, ok := q.IndexToken(); ok {
		return l.Index(sp, t, decl.RefWrite)
	}
	return wasm.BadIndex
}

// offset lowers a KOffset: `(offset …)`, or the folded instruction that stands for it.
func (l *fieldReader) offset(c uint32) []wasm.Instr {
	return l.Expr(c+1, l.Unit.Nodes[c].Next, l.Unit.Nodes[c].TokEnd-1)
}

// dataDecl reads a data segment.
func (l *fieldReader) dataDecl(n uint32) wasm.Data {
	p := l.head(n)
	d := wasm.Data{At: l.Pos(l.Unit.Keyword(n))}
	if c, ok := p.Node(syntax.KMemoryUse); ok {
		d.Memory = l.useOf(c, decl.SpaceMemory)
	} else if i, node, ok := p.Peek(); ok && !node && l.Unit.TokKind(i) == syntax.TokNat && l.offsetBehind(p) {
		p.Skip()
		d.Memory = l.Index(decl.SpaceMemory, i, decl.RefWrite)
	}
	if c, ok := p.Node(syntax.KOffset); ok {
		l.Uses.Add(decl.SpaceMemory, 0, d.Memory, decl.RefWrite)
		d.Mode = wasm.SegmentActive
		d.Offset = l.offset(c)
	}
	d.Bytes = l.bytes(&p)
	return d
}

// importedDecl reads an extern type: what an import describes. p stands after keyword and
// identifier.
func (l *fieldReader) importedDecl(n uint32, p *cursor.Parts, sp decl.Space, im int32, add bool) {
	d := l.Decls
	at := l.Pos(l.Unit.Keyword(n))
	// The whole of a func extern type may be a node of its own.
	switch sp {
	case decl.SpaceFunc, decl.SpaceTag:
		un := n
		if i, node, ok := p.Peek(); ok && node && l.Unit.Nodes[i].Kind == syntax.KFuncType {
			un = i
		}
		ti := l.funcUse(un, add)
		l.paramDefs(un)
		if l.OnRef != nil {
			return
		}
		if sp == decl.SpaceFunc {
			d.Mod.Funcs = append(d.Mod.Funcs, wasm.Func{Type: ti, Import: im, At: at})
		} else {
			d.Mod.Tags = append(d.Mod.Tags, wasm.Tag{Type: ti, Import: im, At: at})
		}
	case decl.SpaceTable:
		t, _ := l.tableDecl(n, p)
		t.Import = im
		if l.OnRef == nil {
			d.Mod.Tables = append(d.Mod.Tables, t)
		}
	case decl.SpaceMemory:
		m, _ := l.memoryDecl(n, p)
		m.Import = im
		if l.OnRef == nil {
			d.Mod.Mems = append(d.Mod.Mems, m)
		}
	case decl.SpaceGlobal:
		g := l.globalDecl(n, p)
		g.Import, g.Init = im, nil
		if l.OnRef == nil {
			d.Mod.Globals = append(d.Mod.Globals, g)
		}
	}
}

// paramDefs looks for duplicate names among the parameters of an import.
func (l *fieldReader) paramDefs(n uint32) {
	seen := map[string]uint32(nil)
	for c := n + 1; c < l.Unit.Nodes[n].Next; c = l.Unit.Nodes[c].Next {
		if l.Unit.Nodes[c].Kind != syntax.KParam || l.Unit.IDToken(c) < 0 {
			continue
		}
		t := uint32(l.Unit.IDToken(c))
		s := l.Unit.Name(t)
		if o, ok := seen[s]; ok {
			l.Report(
				cursor.Finding{
					Code: diag.DuplicateName, At: l.Unit.TokPlace(t), Msg: "duplicate local " + l.Unit.TokText(t),
					Related: []cursor.Related{{At: l.Unit.TokPlace(o), Msg: "first declared here"}},
				},
			)
			continue
		}
		if seen == nil {
			seen = map[string]uint32{}
		}
		seen[s] = t
	}
}

// exportDecl reads an export field.
func (l *fieldReader) exportDecl(n uint32) (wasm.Export, int32) {
	p := l.Unit.Parts(n)
	p.Token(syntax.TokLParen)
	p.Word("export")
	e := wasm.Export{Index: wasm.BadIndex, At: l.Pos(l.Unit.Keyword(n))}
	id := int32(-1)
	if t, ok := p.Token(syntax.TokString); ok {
		e.Name = l.Name(t)
		e.At = l.Pos(t)
		id = int32(t)
	}
	if c, ok := p.Node(syntax.KExportDesc); ok {
		word := l.Unit.TokText(l.Unit.Keyword(c))
		e.Kind, _ = externKind(word)
		q := l.Unit.Parts(c)
		q.Token(syntax.TokLParen)
		q.Token(syntax.TokKeyword)
		if t, ok := q.IndexToken(); ok {
			e.Index = l.Index(decl.DeclSpace(word), t, decl.RefRead)
		}
	}
	return e, id
}

func externKind(word string) (wasm.ExternKind, bool) {
	switch strings.TrimSpace(word) {
	case "func":
		return wasm.ExternFunc, true
	case "table":
		return wasm.ExternTable, true
	case "memory":
		return wasm.ExternMemory, true
	case "global":
		return wasm.ExternGlobal, true
	case "tag":
		return wasm.ExternTag, true
	}
	return 0, false
}

// startDecl reads a start field.
func (l *fieldReader) startDecl(n uint32) uint32 {
	p := l.Unit.Parts(n)
	p.Token(syntax.TokLParen)
	p.Word("start")
	if t, ok := p.IndexToken(); ok {
		return l.Index(decl.SpaceFunc, t, decl.RefRead)
	}
	return wasm.BadIndex
}

// fieldReader reads what module fields declare.
type fieldReader struct{ lower.Lowerer }
