package analysis

import (
	"slices"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/wasm"
)

// IR returns the module's declarations: everything but the bodies of functions, their locals and
// statements, and the names of locals and labels. It must not be changed.
func (m *Module) IR() *wasm.Module {
	m.ir.Do(func() {
		d := m.decls()
		m.irMod = d.Mod
		if !m.fresh {
			m.irMod = m.moved()
		}
	})
	return m.irMod
}

// Declared is as IR, but for positions in the text: they may be those of an earlier snapshot. It
// costs nothing after an edit inside of a body.
func (m *Module) Declared() *wasm.Module { return m.decls().Mod }

// moved returns the declarations with the positions of this snapshot, which came from another.
func (m *Module) moved() *wasm.Module {
	d := m.decls()
	c := *d.Mod
	delta := make([]int, m.units)
	for i := range delta {
		delta[i] = cursor.FirstToken(&m.snap.tree.Units[m.first+i]) - d.Bases[i]
	}
	at := func(sp decl.Space, i int, p wasm.Pos) wasm.Pos {
		return p + wasm.Pos(delta[d.Spaces[sp].Items[i].Unit])
	}
	expr := func(sp decl.Space, i int, e []wasm.Instr) []wasm.Instr {
		dl := delta[d.Spaces[sp].Items[i].Unit]
		if dl == 0 || e == nil {
			return e
		}
		e = slices.Clone(e)
		for k := range e {
			e[k].At += wasm.Pos(dl)
			e[k].Ext = movedExt(e[k].Ext, wasm.Pos(dl))
		}
		return e
	}
	c.Types = slices.Clone(c.Types)
	for i := range d.Spaces[decl.SpaceType].Items {
		c.Types[i].At = at(decl.SpaceType, i, c.Types[i].At)
	}
	c.Funcs = slices.Clone(c.Funcs)
	for i := range c.Funcs {
		f := &c.Funcs[i]
		f.At = at(decl.SpaceFunc, i, f.At)
		if it := d.Spaces[decl.SpaceFunc].Items[i]; f.Import < 0 {
			u := m.unit(it.Unit)
			last := u.Tokens[u.Nodes[0].TokEnd-1]
			f.End = wasm.Pos(u.Off) + wasm.Pos(last.Off+last.Len)
		}
	}
	c.Tables = slices.Clone(c.Tables)
	for i := range c.Tables {
		c.Tables[i].At = at(decl.SpaceTable, i, c.Tables[i].At)
		c.Tables[i].Init = expr(decl.SpaceTable, i, c.Tables[i].Init)
	}
	c.Mems = slices.Clone(c.Mems)
	for i := range c.Mems {
		c.Mems[i].At = at(decl.SpaceMemory, i, c.Mems[i].At)
	}
	c.Globals = slices.Clone(c.Globals)
	for i := range c.Globals {
		c.Globals[i].At = at(decl.SpaceGlobal, i, c.Globals[i].At)
		c.Globals[i].Init = expr(decl.SpaceGlobal, i, c.Globals[i].Init)
	}
	c.Tags = slices.Clone(c.Tags)
	for i := range c.Tags {
		c.Tags[i].At = at(decl.SpaceTag, i, c.Tags[i].At)
	}
	c.Elems = slices.Clone(c.Elems)
	for i := range c.Elems {
		e := &c.Elems[i]
		e.At = at(decl.SpaceElem, i, e.At)
		e.Offset = expr(decl.SpaceElem, i, e.Offset)
		e.Init = slices.Clone(e.Init)
		for k := range e.Init {
			e.Init[k] = expr(decl.SpaceElem, i, e.Init[k])
		}
	}
	c.Datas = slices.Clone(c.Datas)
	for i := range c.Datas {
		c.Datas[i].At = at(decl.SpaceData, i, c.Datas[i].At)
		c.Datas[i].Offset = expr(decl.SpaceData, i, c.Datas[i].Offset)
	}
	c.Imports = slices.Clone(c.Imports)
	for i := range c.Imports {
		c.Imports[i].At += wasm.Pos(delta[d.Imports[i].Unit])
	}
	c.Exports = slices.Clone(c.Exports)
	for i := range c.Exports {
		c.Exports[i].At += wasm.Pos(delta[d.Exports[i].Unit])
	}
	if d.Start.Unit >= 0 {
		c.StartAt += wasm.Pos(delta[d.Start.Unit])
	}
	return &c
}

// movedExt returns the rest of an instruction with its clauses' positions moved by a distance.
// Clauses stand in an initial value only by mistake, but there they are.
func movedExt(x *wasm.Ext, by wasm.Pos) *wasm.Ext {
	if x == nil || len(x.HandlerClauses) == 0 && len(x.Catches) == 0 {
		return x
	}
	c := *x
	c.HandlerClauses, c.Catches = slices.Clone(x.HandlerClauses), slices.Clone(x.Catches)
	for i := range c.HandlerClauses {
		c.HandlerClauses[i].At += by
	}
	for i := range c.Catches {
		c.Catches[i].At += by
	}
	return &c
}

// Lower returns the whole module, with bodies, statements and names, for the VM and for encoding.
// ok is false if the module has an error; what could not be understood is then missing from it.
// It must not be changed.
func (m *Module) Lower() (mod *wasm.Module, ok bool) {
	m.lower.Do(func() {
		c := *m.IR()
		d := m.decls()
		c.Funcs = slices.Clone(c.Funcs)
		names := *c.Names
		names.Locals, names.Labels = map[uint32]map[uint32]string{}, map[uint32]map[uint32]string{}
		c.Names = &names
		notes := m.annotations()
		notes.rename(&names)
		var out []cursor.Finding
		l := m.lowerer(&out)
		l.WantStmts = true
		for i := range d.Units {
			fn := d.Units[i].Fn
			if fn == wasm.BadIndex {
				continue
			}
			l.Unit = m.unit(int32(i))
			l.Function(fn)
			f := &c.Funcs[fn]
			f.Body = slices.Clone(l.Body.Instrs)
			if f.Body == nil {
				f.Body = []wasm.Instr{}
			}
			f.Locals = slices.Clone(l.Body.Locals[min(l.Body.NumParams(), len(l.Body.Locals)):])
			f.Stmts = l.Body.Statements()
			for k, s := range l.Body.LocalNames {
				if s != "" {
					wasm.Set2(names.Locals, fn, uint32(k), s)
				}
			}
			for k, b := range l.Body.Blocks {
				if b.Label >= 0 {
					wasm.Set2(names.Labels, fn, uint32(k), l.Unit.Name(uint32(b.Label)))
				}
			}
			if b := notes.units[int32(i)]; b != nil {
				b.renameLocals(&names, fn, uint32(min(l.Body.NumParams(), len(l.Body.Locals))), l.Body.Blocks)
				f.Hints = hintsOf(l.Body, b.hints)
			}
		}
		for i := range c.Funcs {
			if it := d.Spaces[decl.SpaceFunc].Items[i]; c.Funcs[i].Import >= 0 {
				m.importNames(&names, uint32(i), it)
				if b := notes.units[it.Unit]; b != nil && !cursor.IsGroup(m.unit(it.Unit).Unit) {
					b.renameLocals(&names, uint32(i), 0, nil)
				}
			}
		}
		c.Customs = notes.customs
		m.lowered = &c
		m.lowerOK = !m.HasErrors()
	})
	return m.lowered, m.lowerOK
}

// importNames takes the names of an imported function's parameters.
func (m *Module) importNames(names *wasm.Names, fn uint32, it decl.Item) {
	l := m.lowerer(nil)
	l.Silent = true
	l.Unit = m.unit(it.Unit)
	l.Begin(fn)
	l.Params(l.Unit.ExternOf(it.Node))
	for k, s := range l.Body.LocalNames {
		if s != "" {
			wasm.Set2(names.Locals, fn, uint32(k), s)
		}
	}
}

// HasErrors reports whether the module is malformed or invalid, whatever the severities are set to.
func (m *Module) HasErrors() bool {
	m.checkAll()
	return m.broken() || m.annotations().wrong
}

// anyError reports whether one of the findings makes a module invalid.
func anyError(fs []cursor.Finding) bool {
	for i := range fs {
		if r := diag.Lookup(fs[i].Code); r == nil || r.Severity == diag.Error {
			return true
		}
	}
	return false
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
