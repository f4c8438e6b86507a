package dwarf

import (
	std "debug/dwarf"
	"sort"

	"stackscope/analysis/debuginfo"
	"stackscope/wasm"
)

// maxFuncs is how many functions are kept.
const maxFuncs = 2000

// Func implements debuginfo.Reader.
func (r *Reader) Func(fn uint32) *debuginfo.Func {
	if !r.code.known(fn) {
		return nil
	}
	r.funcsMu.Lock()
	f, ok := r.funcs[fn]
	r.funcsMu.Unlock()
	if ok {
		return f
	}
	f = r.readFunc(fn)
	r.funcsMu.Lock()
	defer r.funcsMu.Unlock()
	if old, ok := r.funcs[fn]; ok {
		return old
	}
	for old := range r.funcs {
		if len(r.funcs) < maxFuncs {
			break
		}
		delete(r.funcs, old)
		delete(r.frames, old)
	}
	r.funcs[fn] = f
	return f
}

// entryOf returns the entry of a function in a unit, which is loaded.
func (u *unit) entryOf(fn uint32) (off uint32, ok bool) {
	lo, hi := u.s.r.code.bounds(fn)
	funcs := u.indexOf().funcs
	i := sort.Search(len(funcs), func(i int) bool { return funcs[i].addr >= lo })
	// The function begins at its local declarations, or at an instruction before the second one: an
	// address inside of the code is that of something else.
	if i == len(funcs) || funcs[i].addr >= hi || u.s.r.code.pc(fn, funcs[i].addr) > 0 {
		return 0, false
	}
	return funcs[i].off, true
}

// unitOf returns the unit of a function, split if it is, and its entry; off is 0 if it has lines
// only, u is nil if it has nothing.
func (r *Reader) unitOf(fn uint32) (u *unit, off uint32, lines *lineTable) {
	for _, x := range r.unitsOf(fn) {
		t := x.table()
		w := x
		if f := x.whole(); f != nil {
			w = f
		}
		if off, ok := w.entryOf(fn); ok {
			return w, off, t
		}
		if u == nil && t != nil && len(t.rowsOf(fn)) > 0 {
			u, lines = w, t
		}
	}
	return u, 0, lines
}

func (r *Reader) readFunc(fn uint32) *debuginfo.Func {
	u, off, t := r.unitOf(fn)
	if u == nil {
		return nil
	}
	f := &debuginfo.Func{Language: u.lang}
	if t != nil {
		f.Rows = t.rowsOf(fn)
	}
	var d die
	if off == 0 || !d.read(u, off) {
		f.Name = r.in.Module.Names.Funcs[fn]
		f.Body = body(f)
	} else {
		info := d.describe()
		f.Name, f.Linkage, f.Decl, f.Runtime = info.name, info.linkage, info.decl, info.artificial
		f.Body = u.homes(fn, f, &d)
		f.Root = u.scopes(fn, &d, info, f.Body)
		if f.Name == "" {
			f.Name = f.Linkage
		}
	}
	return f
}

// body returns where the code of a function begins after its prologue: where the line table says,
// else at the second row, as gdb has it, if the first one is the line where the function is declared.
func body(f *debuginfo.Func) int {
	for _, x := range f.Rows {
		if x.PrologueEnd {
			return x.PC
		}
	}
	first := -1
	for i, x := range f.Rows {
		switch {
		case x.File == nil:
		case first < 0:
			if first = i; f.Decl.File != nil && f.Decl.Line != x.Line {
				return x.PC
			}
		case x.Line != f.Rows[first].Line && x.Stmt:
			return x.PC
		}
	}
	return 0
}

// homes returns where the prologue ends. zig's line tables end it before parameters are stored in the
// frame: rows that do nothing else belong to it.
func (u *unit) homes(fn uint32, f *debuginfo.Func, d *die) int {
	pc := body(f)
	v, _ := d.get(std.AttrFrameBase)
	base := buf{b: v.b}
	if base.u8() != opWASM || base.u8() != wasmLocal {
		return pc
	}
	local := uint32(base.uleb())
	t := u.s.r.code.m.FuncType(u.s.r.code.m.Funcs[fn].Type)
	if base.bad || t == nil {
		return pc
	}
	for i, x := range f.Rows {
		if x.PC == pc && i+1 < len(f.Rows) && f.Rows[i+1].File != nil &&
			storesParams(u.s.r.code.m.Funcs[fn].Body[pc:f.Rows[i+1].PC], local, uint32(len(t.Params))) {
			pc = f.Rows[i+1].PC
		}
	}
	return pc
}

// storesParams reports whether instructions store parameters at the address that a local has, and
// do nothing else.
func storesParams(body []wasm.Instr, local, params uint32) bool {
	for ; len(body) >= 3; body = body[3:] {
		if body[0].Op != wasm.OpLocalGet || body[0].A != local ||
			body[1].Op != wasm.OpLocalGet || body[1].A >= params ||
			body[2].Op < wasm.OpI32Store || body[2].Op > wasm.OpI64Store32 {
			return false
		}
	}
	return len(body) == 0
}

// about is what an entry, and those that it comes from, say.
type about struct {
	name, linkage string
	decl          debuginfo.Place
	typ           ref
	artificial    bool
	lang          debuginfo.Language
}

// maxOrigins is how many entries an entry may come from.
const maxOrigins = 8

// describe reads an entry with its abstract origin and what that specifies.
func (d *die) describe() about {
	out := about{typ: noRef, lang: d.u.lang}
	x := *d
	x.vals = append([]val(nil), d.vals...)
	for range maxOrigins {
		v := x.u
		if out.name == "" {
			out.name = x.qualifiedName()
		}
		if out.linkage == "" {
			if out.linkage = x.str(std.AttrLinkageName); out.linkage == "" {
				out.linkage = x.str(attrMIPSLinkage)
			}
		}
		if out.decl.Line == 0 {
			out.decl = x.place(std.AttrDeclFile, std.AttrDeclLine, std.AttrDeclColumn)
		}
		if t, ok := x.refer(std.AttrType); ok && out.typ == noRef {
			out.typ = t
		}
		out.artificial = out.artificial || x.flag(std.AttrArtificial) || x.has(std.AttrTrampoline)
		next, ok := x.refer(std.AttrAbstractOrigin)
		if !ok {
			if next, ok = x.refer(std.AttrSpecification); !ok {
				break
			}
		}
		if !v.s.r.open(next, &x) {
			break
		}
	}
	return out
}

// qualifiedName returns the name of an entry: of a function, or a variable outside of functions, with
// the names of what it is in.
func (d *die) qualifiedName() string {
	name := d.str(std.AttrName)
	if name == "" || d.tag == std.TagFormalParameter || d.tag == std.TagLabel {
		return name
	}
	if d.has(std.AttrSpecification) || d.has(std.AttrAbstractOrigin) {
		return name
	}
	if d.tag == std.TagSubprogram {
		return d.u.qualified(d.off, name, true)
	}
	return name
}

// place reads a place from attributes of an entry.
func (d *die) place(file, line, col std.Attr) debuginfo.Place {
	n, ok := d.num(line)
	if !ok || n <= 0 || n > 1<<31 {
		return debuginfo.Place{}
	}
	i, ok := d.num(file)
	if !ok || i < 0 {
		return debuginfo.Place{}
	}
	f := d.u.table().file(uint64(i))
	if f == nil {
		return debuginfo.Place{}
	}
	c, _ := d.num(col)
	return debuginfo.Place{File: f, Line: int(n), Col: int(min(max(c, 0), 1<<31))}
}

// plainName returns the name of an entry, or of what it comes from, without what that is in.
func (d *die) plainName() string {
	x := *d
	x.vals = append([]val(nil), d.vals...)
	for range maxOrigins {
		if name := x.str(std.AttrName); name != "" {
			return name
		}
		next, ok := x.refer(std.AttrAbstractOrigin)
		if !ok {
			next, ok = x.refer(std.AttrSpecification)
		}
		if !ok || !d.u.s.r.open(next, &x) {
			break
		}
	}
	return ""
}
