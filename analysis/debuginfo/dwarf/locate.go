package dwarf

import (
	std "debug/dwarf"
	"errors"
	"fmt"

	"stackscope/analysis/debuginfo"
)

// locator returns what finds the value of a variable of a function, f, or outside of functions (f is
// nil). size is the bytes of its type; -1: not known.
func (u *unit) locator(f *frame, d *die, size int64) func(int, debuginfo.Context) (debuginfo.Where, error) {
	if v, ok := d.get(std.AttrConstValue); ok {
		return u.constant(v, size)
	}
	v, ok := d.get(std.AttrLocation)
	if !ok {
		return nowhere
	}
	return func(pc int, c debuginfo.Context) (debuginfo.Where, error) {
		expr, since, err := u.location(f, v, pc)
		if err != nil {
			return nil, err
		}
		m := machine{u: u, f: f, pc: pc, since: since, c: c, size: size}
		return m.where(expr)
	}
}

// location returns the expression of a location at an instruction, and the instruction since which it
// holds: 0 of one that holds everywhere.
func (u *unit) location(f *frame, v val, pc int) (expr []byte, since int, err error) {
	if v.form == formExprloc || v.b != nil || v.form == formBlock1 || v.form == formBlock {
		return v.b, 0, nil
	}
	if f == nil {
		return nil, 0, errors.New("DWARF: a list of locations outside of functions")
	}
	addr, ok := u.s.r.code.addr(f.fn, pc)
	if !ok {
		return nil, 0, fmt.Errorf("DWARF: no instruction %d", pc)
	}
	expr, low, err := u.locationAt(v, addr)
	return expr, u.s.r.code.pc(f.fn, low), err
}

// constant returns what finds a value that the entry has.
func (u *unit) constant(v val, size int64) func(int, debuginfo.Context) (debuginfo.Where, error) {
	var b []byte
	if n, ok := v.number(); ok {
		b = little(uint64(n), size)
		if v.form == formData1 || v.form == formData2 || v.form == formData4 {
			b = little(v.u, size)
		}
	} else if v.b != nil {
		b = v.b
	} else if s := u.text(v); s != nil {
		b = append(s[:len(s):len(s)], 0)
	}
	where := debuginfo.Where{{Kind: debuginfo.Constant, Bytes: b}}
	return func(int, debuginfo.Context) (debuginfo.Where, error) {
		if b == nil || size >= 0 && int64(len(b)) < size {
			return nil, debuginfo.ErrOptimizedOut
		}
		return where, nil
	}
}

// little returns the bytes of a number: as many as a type has, at most 8; 8 if that is not known.
// What is wider is the sign.
func little(x uint64, size int64) []byte {
	if size < 0 || size > 16 {
		size = 8
	}
	b := make([]byte, size)
	for i := range b {
		if i < 8 {
			b[i] = byte(x >> (8 * i))
		} else if int64(x) < 0 {
			b[i] = 0xff
		}
	}
	return b
}

// locationAt returns the expression of a list of locations at an address.
// It also returns the first address that it is for.
func (u *unit) locationAt(v val, addr uint64) (expr []byte, low uint64, err error) {
	l := list{u: u, addr: addr, base: u.low, all: ^uint64(0) >> (64 - 8*u.asize)}
	if u.skeleton != nil {
		l.base = u.skeleton.low
	}
	off := v.u
	switch {
	case u.version >= 5:
		if v.form == formLoclistx {
			var ok bool
			if off, ok = indexedList(u.s.locs, u.base.locs, v.u, u.wide); !ok {
				return nil, 0, fmt.Errorf("DWARF: no list of locations %d", v.u)
			}
		}
		l.r = at(u.s.locs, off)
		l.next = l.next5
	case u.s.split:
		l.r = at(u.s.loc, u.base.loc+off)
		l.next = l.nextGNU
	default:
		l.r = at(u.s.loc, off)
		l.next = l.next4
	}
	l.r.asize = u.asize
	return l.find(off)
}

// list is a list of locations that is read.
type list struct {
	u         *unit
	r         buf
	addr      uint64 // that is looked for
	base, all uint64
	next      func() (e listEntry)
	fallback  []byte
}

// listEntry is an entry of a list.
type listEntry struct {
	low, high     uint64
	expr          []byte
	end, none, ok bool
}

func (l *list) find(off uint64) (expr []byte, low uint64, err error) {
	for {
		e := l.next()
		switch {
		case l.r.bad || !e.ok:
			return nil, 0, fmt.Errorf("DWARF: the list of locations at %#x is malformed", off)
		case e.end:
			if l.fallback != nil {
				return l.fallback, 0, nil
			}
			return nil, 0, debuginfo.ErrOptimizedOut
		case e.none:
		case l.addr >= e.low&l.all && l.addr < e.high&l.all && !l.u.dropped(e.low&l.all):
			return e.expr, e.low & l.all, nil
		}
	}
}

func (l *list) next4() (e listEntry) {
	e.ok = true
	low, high := l.r.addr(), l.r.addr()
	switch {
	case low == 0 && high == 0:
		e.end = true
		return e
	case low == l.all:
		l.base, e.none = high, true
		return e
	}
	e.expr = l.r.bytes(uint64(l.r.u16()))
	e.none = l.u.dropped(low) && low != 0 || l.u.dropped(l.base) && l.base != 0
	e.low, e.high = l.base+low, l.base+high
	return e
}

// The entries of a list of locations that differ from those of ranges (DW_LLE_*).
const (
	lleDefault = 5
	lleView    = 9
)

func (l *list) next5() (e listEntry) {
	kind := l.r.u8()
	switch kind {
	case lleDefault:
		l.fallback = l.r.bytes(l.r.uleb())
		return listEntry{none: true, ok: true}
	case lleView:
		l.r.uleb()
		l.r.uleb()
		return listEntry{none: true, ok: true}
	}
	if kind > lleDefault {
		kind-- // as in a list of ranges, which has no default
	}
	e.low, e.high, e.end, e.ok = lists{l.u}.rangeEntry(&l.r, kind, &l.base)
	if e.end || kind == rleBase || kind == rleBasex || !e.ok {
		e.none = !e.end
		return e
	}
	e.expr = l.r.bytes(l.r.uleb())
	e.none = e.low == e.high
	return e
}

// nextGNU reads an entry of a split unit of DWARF 4.
func (l *list) nextGNU() (e listEntry) {
	e.ok = true
	var more bool
	switch l.r.u8() {
	case 0:
		e.end = true
		return e
	case 1:
		l.base, e.ok = l.u.indexed(l.r.uleb())
		e.none = true
		return e
	case 2:
		e.low, e.ok = l.u.indexed(l.r.uleb())
		e.high, more = l.u.indexed(l.r.uleb())
		e.ok = e.ok && more
	case 3:
		e.low, e.ok = l.u.indexed(l.r.uleb())
		e.high = e.low + uint64(l.r.u32())
	case 4:
		e.low, e.high = l.base+uint64(l.r.u32()), l.base+uint64(l.r.u32())
	default:
		e.ok = false
	}
	e.expr = l.r.bytes(uint64(l.r.u16()))
	return e
}
