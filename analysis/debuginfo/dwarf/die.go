package dwarf

import (
	std "debug/dwarf"
)

// die is an entry. It can be read into again.
type die struct {
	u    *unit
	off  uint32
	tag  std.Tag // 0: the end of a list of children
	kids bool
	vals []val
	next uint32 // after its values
}

// read reads the entry at an offset; false: it is malformed.
func (d *die) read(u *unit, off uint32) bool {
	r := u.at(off)
	return d.decode(u, &r)
}

func (d *die) decode(u *unit, r *buf) bool {
	d.u, d.off, d.tag, d.kids, d.vals = u, uint32(r.p), 0, false, d.vals[:0]
	code := r.uleb()
	d.next = uint32(r.p)
	if r.bad {
		return false
	}
	if code == 0 {
		return true
	}
	a := u.abbs.get(code)
	if a == nil {
		r.fail()
		return false
	}
	d.tag, d.kids = a.tag, a.children
	if cap(d.vals) < len(a.attrs) {
		d.vals = make([]val, 0, len(a.attrs))
	}
	for i := range a.attrs {
		s := &a.attrs[i]
		v := r.value(s.form, s.implicit)
		v.attr = s.attr
		d.vals = append(d.vals, v)
	}
	d.next = uint32(r.p)
	return !r.bad
}

func (d *die) get(a std.Attr) (val, bool) {
	for i := range d.vals {
		if d.vals[i].attr == a {
			return d.vals[i], true
		}
	}
	return val{}, false
}

func (d *die) has(a std.Attr) bool { _, ok := d.get(a); return ok }

func (d *die) flag(a std.Attr) bool { v, ok := d.get(a); return ok && v.u != 0 }

func (d *die) str(a std.Attr) string {
	v, ok := d.get(a)
	if !ok {
		return ""
	}
	return string(d.u.text(v))
}

// num returns a constant; ok is false if it is something else, such as an expression.
func (d *die) num(a std.Attr) (n int64, ok bool) {
	v, ok := d.get(a)
	if !ok {
		return 0, false
	}
	return v.number()
}

// number returns the value of a constant form.
func (v val) number() (n int64, ok bool) {
	switch v.form {
	case formData1, formData2, formData4, formData8, formSdata, formUdata, formImplicitConst:
		return int64(v.u), true
	}
	return 0, false
}

// skip passes by the children of an entry that was just read, and returns the offset after them;
// ok is false if they are malformed.
func (u *unit) skip(d *die) (off uint32, ok bool) {
	if !d.kids {
		return d.next, true
	}
	if v, has := d.get(std.AttrSibling); has {
		if x, ok := u.local(v); ok && x >= d.next && x < u.end {
			return x, true
		}
	}
	r := u.at(d.next)
	for depth := 1; depth > 0; {
		code := r.uleb()
		if code == 0 {
			if r.bad {
				return 0, false
			}
			depth--
			continue
		}
		a := u.abbs.get(code)
		if a == nil {
			return 0, false
		}
		r.pass(a)
		if a.children {
			depth++
		}
	}
	return uint32(r.p), !r.bad
}

// pass passes by the values of an entry.
func (r *buf) pass(a *abbrev) {
	if a.fixed >= 0 {
		if a.fixed > len(r.b)-r.p {
			r.fail()
			return
		}
		r.p += a.fixed
		return
	}
	for i := range a.attrs {
		r.skip(a.attrs[i].form)
	}
}

// children calls f for each child of an entry, until it returns false. The child is reused.
func (u *unit) children(d *die, f func(c *die) bool) {
	if !d.kids {
		return
	}
	var c die
	for off := d.next; ; {
		if !c.read(u, off) || c.tag == 0 || !f(&c) {
			return
		}
		next, ok := u.skip(&c)
		if !ok {
			return
		}
		off = next
	}
}

// ref names an entry: the number of its space, whether it is in .debug_types, and its offset.
type ref uint64

const noRef ref = ^ref(0)

func (u *unit) ref(off uint32) ref {
	x := ref(u.s.id)<<33 | ref(off)
	if u.types {
		x |= 1 << 32
	}
	return x
}

// local returns the offset in the section of an entry of the same unit that a value names.
func (u *unit) local(v val) (uint32, bool) {
	switch v.form {
	case formRef1, formRef2, formRef4, formRef8, formRefUdata:
		if v.u < uint64(u.end-u.off) {
			return u.off + uint32(v.u), true
		}
	}
	return 0, false
}

// refer returns the entry that the value of an attribute names.
func (d *die) refer(a std.Attr) (ref, bool) {
	v, ok := d.get(a)
	if !ok {
		return noRef, false
	}
	return d.u.refer(v)
}

func (u *unit) refer(v val) (ref, bool) {
	switch v.form {
	case formRefAddr:
		if v.u >= uint64(len(u.s.info)) {
			return noRef, false
		}
		return ref(u.s.id)<<33 | ref(v.u), true
	case formRefSig8:
		return u.s.r.signature(v.u)
	}
	off, ok := u.local(v)
	return u.ref(off), ok
}

// find returns the unit of an entry, loaded, and its offset; nil: there is none.
func (r *Reader) find(x ref) (*unit, uint32) {
	off, types := uint32(x), x>>32&1 != 0
	s := r.space(uint32(x >> 33))
	if s == nil {
		return nil, 0
	}
	lo, hi := 0, len(s.units)
	for lo < hi {
		mid := (lo + hi) / 2
		if v := s.units[mid]; !v.types && types || v.types == types && v.off <= off {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return nil, 0
	}
	u := s.units[lo-1]
	if u.types != types || off < u.die || off >= u.end || !u.load() {
		return nil, 0
	}
	return u, off
}

// open reads an entry; false: it does not exist, or is malformed.
func (r *Reader) open(x ref, d *die) bool {
	u, off := r.find(x)
	return u != nil && d.read(u, off) && d.tag != 0
}
