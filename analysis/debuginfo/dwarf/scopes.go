package dwarf

import (
	std "debug/dwarf"

	"stackscope/analysis/debuginfo"
)

// frame is what the locations of a function's variables are computed with.
type frame struct {
	fn   uint32
	u    *unit
	base []byte // DW_AT_frame_base, if it is an expression
	list *val   // DW_AT_frame_base, if it is a list of locations
	body int    // where the prologue ends: before that, what the frame base names is not there
}

// scopes reads the scopes of a function.
func (u *unit) scopes(fn uint32, d *die, info about, body int) *debuginfo.Scope {
	s := &debuginfo.Scope{Kind: debuginfo.ScopeFunc, Name: info.name, Decl: info.decl,
		Ranges: []debuginfo.Range{{From: 0, To: len(u.s.r.code.m.Funcs[fn].Body)}}}
	f := &frame{fn: fn, u: u, body: body}
	if v, ok := d.get(std.AttrFrameBase); ok {
		if v.b != nil {
			f.base = v.b
		} else {
			f.list = &v
		}
	}
	u.s.r.funcsMu.Lock()
	u.s.r.frames[fn] = f
	u.s.r.funcsMu.Unlock()
	if d.kids {
		if _, ok := u.inside(f, s, d.next, 0); !ok {
			u.s.r.warnf("the function at %#x is malformed: a part is left out", d.off)
		}
	}
	return s
}

// inside reads the entries in a scope, from the offset of the first on, and returns the offset
// after them; ok is false if they are malformed.
func (u *unit) inside(f *frame, s *debuginfo.Scope, off uint32, depth int) (next uint32, ok bool) {
	for {
		var d die
		if depth > maxDepth || !d.read(u, off) {
			return 0, false
		}
		if d.tag == 0 {
			return d.next, true
		}
		switch d.tag {
		case std.TagFormalParameter, std.TagVariable, std.TagConstant:
			if v := u.variable(f, &d); v != nil {
				s.Vars = append(s.Vars, v)
			}
		case std.TagLexDwarfBlock, std.TagInlinedSubroutine, std.TagTryDwarfBlock, std.TagCatchDwarfBlock:
			if in := u.scope(f, &d); in != nil {
				if off, ok = d.next, true; d.kids {
					if off, ok = u.inside(f, in, d.next, depth+1); !ok {
						s.Inner = append(s.Inner, in)
						return 0, false
					}
				}
				s.Inner = append(s.Inner, in)
				continue
			}
		}
		if off, ok = u.skip(&d); !ok {
			return 0, false
		}
	}
}

// scope returns the scope of an entry, without what is in it; nil: it has no code.
func (u *unit) scope(f *frame, d *die) *debuginfo.Scope {
	s := &debuginfo.Scope{Kind: debuginfo.ScopeBlock}
	c := u.s.r.code
	lo, hi := c.bounds(f.fn)
	ranges, _ := u.ranges(d)
	for _, x := range ranges {
		r := debuginfo.Range{From: c.pc(f.fn, max(x[0], lo)), To: c.pc(f.fn, min(x[1], hi))}
		if x[0] < hi && x[1] > lo && r.From < r.To {
			s.Ranges = append(s.Ranges, r)
		}
	}
	if len(s.Ranges) == 0 {
		return nil
	}
	if d.tag == std.TagInlinedSubroutine {
		s.Kind = debuginfo.ScopeInline
		info := d.describe()
		s.Name, s.Decl = info.name, info.decl
		s.Call = d.place(std.AttrCallFile, std.AttrCallLine, std.AttrCallColumn)
	}
	return s
}

// variable returns the variable of an entry; nil: it is a declaration, or has no name.
func (u *unit) variable(f *frame, d *die) *debuginfo.Variable {
	if d.flag(std.AttrDeclaration) && !d.has(std.AttrLocation) && !d.has(std.AttrConstValue) {
		return nil
	}
	info := d.describe()
	if info.name == "" {
		return nil
	}
	v := &debuginfo.Variable{Name: info.name, Decl: info.decl, Param: d.tag == std.TagFormalParameter,
		Artificial: info.artificial}
	size := int64(-1)
	if info.typ != noRef {
		v.Type = u.s.r.complete(info.typ)
		if v.Type != nil {
			size = v.Type.Size
		}
	}
	v.Locate = u.locator(f, d, size)
	return v
}

// frameOf returns what the locations of a function are computed with.
func (r *Reader) frameOf(fn uint32) *frame {
	r.Func(fn)
	r.funcsMu.Lock()
	defer r.funcsMu.Unlock()
	return r.frames[fn]
}
