package dwarf

import (
	std "debug/dwarf"
)

// maxRanges is how many ranges an entry may have.
const maxRanges = 1 << 20

// ranges returns the addresses of an entry, without those of dropped code; known is false if the
// entry does not say, or in a malformed way.
func (u *unit) ranges(d *die) (out [][2]uint64, known bool) {
	if v, ok := d.get(std.AttrRanges); ok {
		return lists{u}.rangeList(v)
	}
	v, ok := d.get(std.AttrLowpc)
	if !ok {
		return nil, false
	}
	low, ok := u.address(v)
	if !ok {
		return nil, false
	}
	v, ok = d.get(std.AttrHighpc)
	if !ok {
		return nil, false
	}
	high, ok := u.address(v)
	if !ok {
		n, isNum := v.number()
		if !isNum || n < 0 {
			return nil, false
		}
		high = low + uint64(n)
	}
	if low == 0 && high > 0 && d.tag == std.TagCompileUnit && len(u.s.units) == 1 {
		return [][2]uint64{{0, high}}, true // all there is: the linker has not dropped it
	}
	return lists{u}.appendRange(nil, low, high), true
}

// lists reads the lists of ranges of a unit.
type lists struct{ *unit }

func (u lists) appendRange(out [][2]uint64, low, high uint64) [][2]uint64 {
	if u.dropped(low) || high <= low || len(out) >= maxRanges {
		return out
	}
	return append(out, [2]uint64{low, high})
}

// rangeList reads the list that DW_AT_ranges names.
func (u lists) rangeList(v val) (out [][2]uint64, known bool) {
	if u.version < 5 {
		off, s := v.u, u.s
		if u.skeleton != nil { // ranges stay in the module
			off, s = off+u.skeleton.base.ranges, u.skeleton.s
		}
		return u.ranges4(s.rng, off)
	}
	s, off := u.s, v.u
	if v.form == formRnglistx {
		var ok bool
		if off, ok = indexedList(s.rngs, u.base.rngs, v.u, u.wide); !ok {
			return nil, false
		}
	} else if u.s.split && u.skeleton != nil {
		s = u.skeleton.s
	}
	return u.ranges5(s.rngs, off)
}

// indexedList returns the offset of a list by its number in the table at base.
func indexedList(section []byte, base, i uint64, wide bool) (uint64, bool) {
	size := uint64(4)
	if wide {
		size = 8
	}
	if i > uint64(len(section)) || base > uint64(len(section)) {
		return 0, false
	}
	r := at(section, base+i*size)
	r.wide = wide
	off := r.offset()
	return base + off, !r.bad && off <= uint64(len(section))
}

func (u lists) ranges4(section []byte, off uint64) (out [][2]uint64, known bool) {
	r := at(section, off)
	r.asize = u.asize
	base, all := u.low, ^uint64(0)>>(64-8*u.asize)
	if u.skeleton != nil {
		base = u.skeleton.low
	}
	start := r.p
	for {
		low, high := r.addr(), r.addr()
		if r.bad || !u.s.r.spend(2*int(u.asize)) {
			u.s.r.warnf("the list of ranges at %#x is malformed", start)
			return nil, false
		}
		switch {
		case low == 0 && high == 0:
			return out, true
		case low == all:
			base = high
		case u.dropped(low) && low != 0, u.dropped(base) && base != 0:
		default:
			out = u.appendRange(out, (base+low)&all, (base+high)&all)
		}
	}
}

// The entries of a list of ranges (DW_RLE_*).
const (
	rleEnd = iota
	rleBasex
	rleStartxEndx
	rleStartxLength
	rleOffsetPair
	rleBase
	rleStartEnd
	rleStartLength
)

func (u lists) ranges5(section []byte, off uint64) (out [][2]uint64, known bool) {
	r := at(section, off)
	r.asize = u.asize
	base, all := u.low, ^uint64(0)>>(64-8*u.asize)
	if u.skeleton != nil {
		base = u.skeleton.low
	}
	start := r.p
	for {
		from, kind := r.p, r.u8()
		low, high, end, ok := u.rangeEntry(&r, kind, &base)
		if !ok || r.bad || !u.s.r.spend(r.p-from) {
			u.s.r.warnf("the list of ranges at %#x is malformed", start)
			return nil, false
		}
		if end {
			return out, true
		}
		if low != high {
			out = u.appendRange(out, low&all, high&all)
		}
	}
}

// rangeEntry reads an entry of a list of ranges or locations of DWARF 5. An entry that has no range
// returns two equal numbers. A base that was dropped makes all its ranges so.
func (u lists) rangeEntry(r *buf, kind uint8, base *uint64) (low, high uint64, end, ok bool) {
	ok = true
	switch kind {
	case rleEnd:
		return 0, 0, true, true
	case rleBasex:
		*base, ok = u.indexed(r.uleb())
	case rleStartxEndx:
		var more bool
		low, ok = u.indexed(r.uleb())
		high, more = u.indexed(r.uleb())
		ok = ok && more
	case rleStartxLength:
		low, ok = u.indexed(r.uleb())
		high = low + r.uleb()
	case rleOffsetPair:
		if low, high = r.uleb(), r.uleb(); u.dropped(*base) && *base != 0 {
			return 0, 0, false, true
		}
		low, high = low+*base, high+*base
	case rleBase:
		*base = r.addr()
	case rleStartEnd:
		low, high = r.addr(), r.addr()
	case rleStartLength:
		low = r.addr()
		high = low + r.uleb()
	default:
		ok = false
	}
	return low, high, false, ok
}
