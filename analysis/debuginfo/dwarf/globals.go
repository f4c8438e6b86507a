package dwarf

import (
	std "debug/dwarf"
	"slices"

	"stackscope/analysis/debuginfo"
)

// Globals implements debuginfo.Reader. The list of the unit that was asked about last is kept: at each
// stop it is asked for many times. Those that the linker dropped are the last, and of the unit of
// the function only: copies of them may be elsewhere.
func (r *Reader) Globals(fn uint32) []*debuginfo.Variable {
	if !r.code.known(fn) {
		return nil
	}
	u, _, _ := r.unitOf(fn)
	r.seenMu.Lock()
	defer r.seenMu.Unlock()
	if u == nil || u != r.seenUnit {
		r.seenUnit, r.seen = u, slices.Clip(r.globalsOf(u))
	}
	return r.seen
}

// globalsOf returns the variables that a unit sees, which may be nil.
func (r *Reader) globalsOf(u *unit) []*debuginfo.Variable {
	var out, gone []*debuginfo.Variable
	if u != nil {
		out, gone = u.variables()
		out = slices.Clone(out)
	}
	units := r.allUnits()
	r.globalsOnce.Do(func() { each(units, func(x *unit) { x.variables() }) })
	for _, x := range units {
		if x != u && x.kind != utType && x.kind != utSplitType && x.load() {
			there, _ := x.variables()
			out = append(out, there...)
		}
	}
	return append(out, gone...)
}

// variables returns the variables of a unit that are outside of functions: those that are there, and
// those that the linker dropped.
func (u *unit) variables() (there, gone []*debuginfo.Variable) {
	u.globOnce.Do(func() {
		for _, n := range u.indexOf().vars {
			var d die
			if !d.read(u, n.off) {
				continue
			}
			loc, has := d.get(std.AttrLocation)
			if !has && !d.has(std.AttrConstValue) {
				continue // a declaration
			}
			v := u.variable(nil, &d)
			if v == nil {
				continue
			}
			v.Name = d.globalName()
			if has && loc.gone(u) {
				v.Locate = nowhere
				u.gone = append(u.gone, v)
			} else {
				u.globals = append(u.globals, v)
			}
		}
	})
	return u.globals, u.gone
}

func nowhere(int, debuginfo.Context) (debuginfo.Where, error) { return nil, debuginfo.ErrOptimizedOut }

// gone reports that a location is the address of a variable that the linker dropped.
func (v val) gone(u *unit) bool {
	if len(v.b) != 1+int(u.asize) || v.b[0] != opAddr {
		return false
	}
	r := buf{b: v.b, p: 1, asize: u.asize}
	return u.dropped(r.addr())
}

// globalName returns the name of a variable outside of functions with namespaces: a static member is
// declared in its class.
func (d *die) globalName() string {
	x := *d
	x.vals = append([]val(nil), d.vals...)
	for range maxOrigins {
		if name := x.str(std.AttrName); name != "" && !x.has(std.AttrSpecification) {
			return x.qualifiedStatic(name)
		}
		next, ok := x.refer(std.AttrSpecification)
		if !ok {
			if next, ok = x.refer(std.AttrAbstractOrigin); !ok {
				break
			}
		}
		if !d.u.s.r.open(next, &x) {
			break
		}
	}
	return ""
}

// qualifiedStatic returns the name of a variable, or of a static member of a class, with what it is
// in.
func (d *die) qualifiedStatic(name string) string {
	u := d.u
	if d.tag != std.TagMember {
		return u.qualified(d.off, name, false)
	}
	x := u.indexOf()
	for i := x.before(d.off); i >= 0; i = x.nodes[i].parent {
		var c die
		if !c.read(u, x.nodes[i].off) {
			break
		}
		if end, ok := u.skip(&c); ok && end > d.off {
			return u.qualified(c.off, c.str(std.AttrName), false) + separator(u.lang) + name
		}
	}
	return name
}
