package ide

import (
	"path"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// World reports the modules around a text. A nil World, and nil functions, know none but those
// that a script itself registers.
type World struct {
	// Source returns the module that an import name stands for, nil if it is not known.
	Source func(m *analysis.Module, name string) *analysis.Module
	// Importers returns the modules of other texts that import from a module, with their name for
	// it.
	Importers func(m *analysis.Module) []Importer
	// Names returns the names that a module could import from: of files beside it, and of the
	// settings.
	Names func(m *analysis.Module) []string
}

// Importer is a module that imports from another one, and by which name.
type Importer struct {
	Module *analysis.Module
	Name   string
}

// Site is a target in some text of the world.
type Site struct {
	Snap *analysis.Snapshot
	Target
}

// extern is an item of some module of the world.
type extern struct {
	m   *analysis.Module
	sym analysis.Sym
}

// maxHops bounds how far an import is followed through modules that export what they import.
const maxHops = 16

// Module returns the module that a module imports under a name, nil if it is not known. Modules
// that a script registers come first.
func (w *World) Module(m *analysis.Module, name string) *analysis.Module {
	if x, ok := m.Snapshot().Registered(m, name); ok {
		return x
	}
	if w == nil || w.Source == nil {
		return nil
	}
	return w.Source(m, name)
}

// importers returns the modules that import from m, those of its own script included.
func (w *World) importers(m *analysis.Module) []Importer {
	var out []Importer
	s := m.Snapshot()
	for _, name := range s.RegisteredNames(m) {
		for _, x := range s.Modules() {
			if y, ok := s.Registered(x, name); ok && y == m && x != m {
				out = append(out, Importer{x, name})
			}
		}
	}
	if w != nil && w.Importers != nil {
		out = append(out, w.Importers(m)...)
	}
	return out
}

// importOf returns the import that an item is, or -1.
func importOf(m *analysis.Module, sym analysis.Sym) int {
	mod := m.Declared()
	i := int64(sym.Index)
	switch {
	case sym.Space == analysis.SpaceFunc && i < int64(len(mod.Funcs)):
		return int(mod.Funcs[i].Import)
	case sym.Space == analysis.SpaceTable && i < int64(len(mod.Tables)):
		return int(mod.Tables[i].Import)
	case sym.Space == analysis.SpaceMemory && i < int64(len(mod.Mems)):
		return int(mod.Mems[i].Import)
	case sym.Space == analysis.SpaceGlobal && i < int64(len(mod.Globals)):
		return int(mod.Globals[i].Import)
	case sym.Space == analysis.SpaceTag && i < int64(len(mod.Tags)):
		return int(mod.Tags[i].Import)
	}
	return -1
}

// exporter returns what an imported item is in the module that it comes from, one step.
func (w *World) exporter(x extern) (extern, bool) {
	i := importOf(x.m, x.sym)
	if i < 0 || i >= len(x.m.Declared().Imports) {
		return extern{}, false
	}
	im := x.m.Declared().Imports[i]
	src := w.Module(x.m, im.Module)
	if src == nil || src == x.m {
		return extern{}, false
	}
	k := query.ExportNamed(src, im.Name)
	if k < 0 || src.Declared().Exports[k].Kind != im.Kind || src.Declared().Exports[k].Index == wasm.BadIndex {
		return extern{}, false
	}
	e := src.Declared().Exports[k]
	return extern{src, analysis.ExternSym(e.Kind, e.Index)}, true
}

// origin follows an imported item to where it is defined.
func (w *World) origin(x extern) extern {
	for range maxHops {
		y, ok := w.exporter(x)
		if !ok {
			break
		}
		x = y
	}
	return x
}

// family returns every item of the world that is the same as x: its origin, and what is imported
// from it, directly or over others.
func (w *World) family(x extern) []extern {
	out := []extern{w.origin(x)}
	seen := map[extern]bool{out[0]: true}
	if !seen[x] {
		out, seen[x] = append(out, x), true
	}
	const most = 10000
	for i := 0; i < len(out) && i < most; i++ {
		at := out[i]
		var names []string
		for _, e := range at.m.Declared().Exports {
			if analysis.ExternSym(e.Kind, e.Index) == at.sym {
				names = append(names, e.Name)
			}
		}
		if len(names) == 0 {
			continue
		}
		for _, user := range w.importers(at.m) {
			for _, im := range user.Module.Declared().Imports {
				for _, n := range names {
					if im.Module != user.Name || im.Name != n {
						continue
					}
					if y := (extern{user.Module, analysis.ExternSym(im.Kind, im.Index)}); !seen[y] &&
						y.sym.Space == at.sym.Space {
						seen[y] = true
						out = append(out, y)
					}
				}
			}
		}
	}
	return out
}

// externName is a string that names something between modules.
type externName struct {
	m      *analysis.Module
	imp    int         // the import whose string it is, or -1
	exp    int         // the export whose string it is, or -1
	module bool        // it is the module's name of the import
	span   source.Span // the string with its quotes
}

// externAt returns the import's or export's string at the place.
func externAt(p query.Place) (externName, bool) {
	if p.Module == nil || !p.HasTok || p.Tok.Kind() != syntax.TokString {
		return externName{}, false
	}
	at := p.Tok.Span()
	for i := range p.Module.Declared().Imports {
		mod, name := p.Module.ImportSpans(i)
		if mod == at || name == at {
			return externName{p.Module, i, -1, mod == at, at}, true
		}
	}
	for i := range p.Module.Declared().Exports {
		if p.Module.ExportSpan(i) == at {
			return externName{p.Module, -1, i, false, at}, true
		}
	}
	return externName{}, false
}

// item returns the item of the module that the string names.
func (n externName) item() extern {
	mod := n.m.Declared()
	if n.imp >= 0 {
		im := mod.Imports[n.imp]
		return extern{n.m, analysis.ExternSym(im.Kind, im.Index)}
	}
	e := mod.Exports[n.exp]
	return extern{n.m, analysis.ExternSym(e.Kind, e.Index)}
}

// site returns the target of an item.
func (x extern) site() (Site, bool) {
	y, ok := x.m.Symbol(x.sym)
	if !ok {
		return Site{}, false
	}
	return Site{x.m.Snapshot(), target(y)}, true
}

// moduleSite returns the beginning of a module.
func moduleSite(m *analysis.Module) Site {
	t := Target{Span: m.Span(), Name: m.NameSpan()}
	if t.Name.End == t.Name.Start {
		t.Name = source.Span{Start: t.Span.Start, End: min(t.Span.Start+len("(module"), t.Span.End)}
	}
	return Site{m.Snapshot(), t}
}

// DefinitionIn is Definition across the texts of a world: of an imported item, where it is defined;
// of the strings of imports and exports, what they name.
func DefinitionIn(w *World, s *analysis.Snapshot, off int) []Site {
	p := query.At(s, off)
	if n, ok := scriptNameAt(p); ok {
		return w.scriptDefinition(s, n)
	}
	if n, ok := linkAt(p); ok {
		return w.scriptDefinition(s, n)
	}
	if n, ok := externAt(p); ok {
		if n.module {
			if src := w.Module(n.m, n.m.Declared().Imports[n.imp].Module); src != nil {
				return []Site{moduleSite(src)}
			}
		}
		if t, ok := w.origin(n.item()).site(); ok {
			return []Site{t}
		}
		return nil
	}
	if y, _, ok := p.Symbol(); ok && importOf(p.Module, y.Sym) >= 0 {
		if t, ok := w.origin(extern{p.Module, y.Sym}).site(); ok {
			return []Site{t}
		}
	}
	var out []Site
	for _, t := range Definition(s, off) {
		out = append(out, Site{s, t})
	}
	return out
}

// itemAt returns the item that a name or a string at the place stands for, if other modules, or
// commands of a script, may name it.
func itemAt(p query.Place) (extern, bool) {
	if n, ok := scriptNameAt(p); ok {
		return invoked(n)
	}
	if n, ok := externAt(p); ok {
		return n.item(), true
	}
	y, _, ok := p.Symbol()
	if !ok || y.Space > analysis.SpaceTag || y.Space == analysis.SpaceType {
		return extern{}, false
	}
	return extern{p.Module, y.Sym}, true
}

// ReferencesIn is References across the texts of a world.
func ReferencesIn(w *World, s *analysis.Snapshot, off int, decl bool) []Site {
	p := query.At(s, off)
	if n, ok := linkAt(p); ok {
		return sitesOf(s, scriptSpans(s, n, decl))
	}
	x, ok := itemAt(p)
	if n, has := scriptNameAt(p); has && !ok {
		return sitesOf(s, scriptSpans(s, n, decl))
	}
	if !ok {
		return sitesOf(s, References(s, off, decl))
	}
	var out []Site
	for _, y := range w.family(x) {
		for _, r := range y.m.References(y.sym, decl) {
			out = append(out, Site{y.m.Snapshot(), Target{r.Span, r.Span}})
		}
		out = append(out, sitesOf(y.m.Snapshot(), y.invocations())...)
	}
	return out
}

// HoverIn is Hover, and adds where an imported item is defined.
func HoverIn(w *World, s *analysis.Snapshot, off int) (HoverInfo, bool) {
	p := query.At(s, off)
	if n, ok := scriptNameAt(p); ok {
		return w.hoverScript(p, n)
	}
	if n, ok := linkAt(p); ok {
		h, ok := w.hoverScript(p, n)
		h.Span = p.Tok.Span()
		return h, ok
	}
	n, str := externAt(p)
	if str && n.module {
		src := w.Module(n.m, n.m.Declared().Imports[n.imp].Module)
		if src == nil {
			return HoverInfo{}, false
		}
		var c card
		c.para("Module in `" + baseName(src) + "`")
		c.doc(query.DocAbove(src.Snapshot().File(), src.Span().Start))
		return HoverInfo{n.span, c.String()}, true
	}
	h, ok := HoverInfo{}, false
	var x extern
	if str {
		x = n.item()
		if y, has := x.m.Symbol(x.sym); has {
			h, ok = HoverInfo{n.span, describer{p}.hoverSymbol(y)}, true
		}
	} else {
		h, ok = Hover(s, off)
		if y, _, has := p.Symbol(); has {
			x = extern{p.Module, y.Sym}
		}
	}
	if !ok || x.m == nil {
		return h, ok
	}
	return w.withOrigin(h, x), true
}

// withOrigin adds to the hover of an imported item where it is defined.
func (w *World) withOrigin(h HoverInfo, x extern) HoverInfo {
	if importOf(x.m, x.sym) < 0 {
		return h
	}
	o := w.origin(x)
	y, has := o.m.Symbol(o.sym)
	if o == x || !has {
		return h
	}
	q := describer{query.At(o.m.Snapshot(), y.DeclSpan.Start)}
	q.Module = o.m
	var c card
	line, _ := o.m.Snapshot().File().LineCol(target(y).Name.Start)
	c.para("Defined in `" + baseName(o.m) + "`, line " + query.Index(uint32(line)) + ":")
	t := query.NewTypes(o.m)
	if t.Declared == nil {
		return h
	}
	c.code(q.defLine(t, y))
	if y.Space == analysis.SpaceFunc {
		c.lines(effectLines(t, o.m, y.Index))
	}
	c.doc(query.DocAbove(o.m.Snapshot().File(), y.DeclSpan.Start))
	h.Markdown += "\n\n---\n\n" + c.String()
	return h
}

// baseName returns the name of a module's file without its folder.
func baseName(m *analysis.Module) string { return path.Base(m.Snapshot().File().Name) }
