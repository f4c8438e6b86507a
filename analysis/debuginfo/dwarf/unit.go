package dwarf

import (
	std "debug/dwarf"
	"fmt"
	"strings"
	"sync"

	"stackscope/analysis/debuginfo"
)

// Sections are the sections of a file by their names, such as ".debug_info" or ".debug_info.dwo".
type Sections = map[string][]byte

// space is the sections that units and what they refer to are in: those of the module, of a package
// of split units, or of the object file of a split unit.
type space struct {
	r     *Reader
	id    uint32
	split bool
	info  []byte
	types []byte // .debug_types of DWARF 4
	abb   []byte
	str   []byte
	offs  []byte // .debug_str_offsets
	lineS []byte // .debug_line_str
	loc   []byte
	locs  []byte // .debug_loclists
	rng   []byte // .debug_ranges
	rngs  []byte // .debug_rnglists
	addr  []byte
	line  []byte

	abbrevs abbrevCache
	units   []*unit // ascending by (section, offset)
}

func newSpace(r *Reader, id uint32, s Sections, split bool) *space {
	suffix := ""
	if split {
		suffix = ".dwo"
	}
	get := func(name string) []byte { return s[name+suffix] }
	return &space{
		r: r, id: id, split: split, info: get(".debug_info"), types: get(".debug_types"),
		abb: get(".debug_abbrev"), str: get(".debug_str"), offs: get(".debug_str_offsets"),
		lineS: get(".debug_line_str"), loc: get(".debug_loc"), locs: get(".debug_loclists"),
		rng: get(".debug_ranges"), rngs: get(".debug_rnglists"), addr: get(".debug_addr"), line: get(".debug_line"),
	}
}

// unit is a compilation unit, or a type unit. What is read of its root entry does not change.
type unit struct {
	s       *space
	types   bool   // it is in .debug_types
	off     uint32 // of the header
	end     uint32
	die     uint32 // of the root entry
	version uint16
	kind    uint8 // DW_UT_*
	asize   uint8
	wide    bool
	abbOff  uint64
	sig     uint64 // of a type unit
	typ     uint32 // of a type unit: the entry of the type
	dwoID   uint64

	once     sync.Once
	bad      bool // it is malformed
	abbs     *abbrevs
	base     contribution
	name     string
	dir      string
	producer string
	lang     debuginfo.Language
	low      uint64
	lineOff  uint64
	hasLine  bool
	dwoName  string
	full     *unit // of a skeleton: the split unit; set by whole
	skeleton *unit // of a split unit: its skeleton

	wholeOnce sync.Once
	indexOnce sync.Once
	index     unitIndex
	globOnce  sync.Once
	globals   []*debuginfo.Variable
	gone      []*debuginfo.Variable // that the linker dropped
}

// contribution is where a unit's part of each section begins.
type contribution struct {
	abbrev, line, strOffs, addr, rngs, ranges, locs, loc uint64
	hasStr, hasLocs, hasRngs                             bool
}

// The kinds of units (DW_UT_*).
const (
	utCompile      = 1
	utType         = 2
	utPartial      = 3
	utSkeleton     = 4
	utSplitCompile = 5
	utSplitType    = 6
)

// section returns the section that the unit's entries are in.
func (u *unit) section() []byte {
	if u.types {
		return u.s.types
	}
	return u.s.info
}

// at returns a reader of the unit's entries from an offset in their section on.
func (u *unit) at(off uint32) buf {
	return buf{b: u.section()[:u.end], p: int(min(off, u.end)), wide: u.wide, asize: u.asize}
}

// readUnits reads the headers of the units of a section. A malformed header ends it: the
// place of the next one is not known.
func (s *space) readUnits(types bool) {
	section, name := s.info, ".debug_info"
	if types {
		section, name = s.types, ".debug_types"
	}
	r := buf{b: section}
	for r.p < len(section) {
		u := &unit{s: s, types: types, off: uint32(r.p), kind: utCompile}
		n := r.length()
		if r.bad || n > uint64(len(section)-r.p) || uint64(len(section)) > 1<<32-2 {
			s.r.warnf("%s: the unit at %#x is truncated: what follows is left out", name, u.off)
			return
		}
		end := r.p + int(n)
		u.end, u.wide = uint32(end), r.wide
		h := buf{b: section[:end], p: r.p, wide: r.wide}
		r.p = end
		if err := u.header(&h); err != "" {
			s.r.warnf("%s: the unit at %#x is left out: %s", name, u.off, err)
			continue
		}
		s.units = append(s.units, u)
	}
}

func (u *unit) header(h *buf) (problem string) {
	u.version = h.u16()
	if u.version < 2 || u.version > 5 {
		return fmt.Sprintf("version %d of DWARF is not known", u.version)
	}
	if u.version >= 5 {
		u.kind, u.asize = h.u8(), h.u8()
		u.abbOff = h.offset()
	} else {
		u.abbOff = h.offset()
		u.asize = h.u8()
		if u.types {
			u.kind = utType
		}
	}
	switch u.kind {
	case utSkeleton, utSplitCompile:
		u.dwoID = h.u64()
	case utType, utSplitType:
		u.sig = h.u64()
		u.typ = u.off + uint32(min(h.offset(), 1<<31))
	case utCompile, utPartial:
	default:
		return fmt.Sprintf("its kind %#x is not known", u.kind)
	}
	u.die = uint32(h.p)
	switch {
	case h.bad || u.die >= u.end:
		return "it is truncated"
	case u.asize != 4 && u.asize != 8:
		return fmt.Sprintf("addresses of %d bytes", u.asize)
	}
	return ""
}

// load reads the root entry, once; ok is false if the unit is malformed.
func (u *unit) load() (ok bool) {
	u.once.Do(func() {
		if problem := u.root(); problem != "" {
			u.bad = true
			u.s.r.warnf("the unit at %#x is left out: %s", u.off, problem)
		}
	})
	return !u.bad
}

func (u *unit) root() (problem string) {
	u.abbs = u.s.abbrevs.get(u.s.abb, abbrevKey{u.base.abbrev + u.abbOff, u.asize, u.wide})
	if u.abbs == nil {
		return "its abbreviations are malformed"
	}
	var d die
	if !d.read(u, u.die) || d.tag == 0 {
		return "its first entry is malformed"
	}
	b := &u.base
	num := func(a std.Attr, p *uint64, has *bool) {
		if v, ok := d.get(a); ok {
			*p = v.u
			if has != nil {
				*has = true
			}
		}
	}
	if !u.s.split {
		num(std.AttrStrOffsetsBase, &b.strOffs, &b.hasStr)
		num(attrGNURangesBase, &b.ranges, nil)
		num(std.AttrRnglistsBase, &b.rngs, &b.hasRngs)
	}
	num(std.AttrLoclistsBase, &b.locs, &b.hasLocs)
	num(attrGNUAddrBase, &b.addr, nil)
	num(std.AttrAddrBase, &b.addr, nil)
	u.defaults()
	if v, ok := d.get(std.AttrStmtList); ok {
		u.lineOff, u.hasLine = b.line+v.u, true
	}
	u.name, u.dir, u.producer = d.str(std.AttrName), d.str(std.AttrCompDir), d.str(std.AttrProducer)
	num(attrGNUDwoID, &u.dwoID, nil)
	if u.dwoName = d.str(std.AttrDwoName); u.dwoName == "" {
		u.dwoName = d.str(attrGNUDwoName)
	}
	lang, _ := d.get(std.AttrLanguage)
	u.lang = language(lang.u, u.producer, u.name)
	if v, ok := d.get(std.AttrLowpc); ok {
		u.low, _ = u.address(v)
	}
	return ""
}

// defaults sets what a unit does not say: of a split unit, tables begin after the header of the
// section's contribution.
func (u *unit) defaults() {
	b, header := &u.base, uint64(0)
	if u.version >= 5 {
		if header = 8; u.wide {
			header = 16
		}
	}
	if u.s.split && !b.hasStr {
		b.strOffs += header
	} else if !b.hasStr && u.version >= 5 {
		b.strOffs = header
	}
	if u.version < 5 {
		return
	}
	if header += 4; !b.hasLocs {
		b.locs += header
	}
	if !b.hasRngs {
		b.rngs += header
	}
}

// addrUnit returns the unit whose table of addresses counts: of a split unit, its skeleton.
func (u *unit) addrUnit() *unit {
	if u.skeleton != nil {
		return u.skeleton
	}
	return u
}

// indexed returns an address of the table of addresses.
func (u *unit) indexed(i uint64) (uint64, bool) {
	a := u.addrUnit()
	if a.s.split || i > uint64(len(a.s.addr)) {
		return 0, false
	}
	r := at(a.s.addr, a.base.addr+i*uint64(u.asize))
	r.asize = u.asize
	x := r.addr()
	return x, !r.bad
}

// address returns the address that a value is.
func (u *unit) address(v val) (uint64, bool) {
	switch v.form {
	case formAddr:
		return v.u, true
	case formAddrx, formAddrx1, formAddrx2, formAddrx3, formAddrx4, formGNUAddrIndex:
		return u.indexed(v.u)
	}
	return 0, false
}

// dropped reports that an address is that of code or data that the linker dropped. Linkers write 0,
// -1 or -2; no function is at 0, where the code section has its count of functions.
func (u *unit) dropped(addr uint64) bool {
	return addr == 0 || addr >= ^uint64(0)>>(64-8*u.asize)-1
}

// maxName is how many bytes a name or path may have.
const maxName = 1 << 16

// text returns the bytes of a string, without a copy.
func (u *unit) text(v val) []byte {
	var section []byte
	off := v.u
	switch v.form {
	case formString:
		return v.b[:min(len(v.b), maxName)]
	case formStrp:
		section = u.s.str
	case formLineStrp:
		section = u.s.lineS
	case formStrx, formStrx1, formStrx2, formStrx3, formStrx4, formGNUStrIndex:
		size := uint64(4)
		if u.wide {
			size = 8
		}
		if v.u > uint64(len(u.s.offs)) {
			return nil
		}
		r := at(u.s.offs, u.base.strOffs+v.u*size)
		r.wide = u.wide
		if off = r.offset(); r.bad {
			return nil
		}
		section = u.s.str
	default:
		return nil
	}
	if off >= uint64(len(section)) {
		return nil
	}
	s := section[off:min(uint64(len(section)), off+maxName)]
	r := buf{b: s}
	return r.cstr()
}

// language converts a DW_LANG code.
func language(code uint64, producer, name string) debuginfo.Language {
	if strings.HasPrefix(producer, "zig ") || strings.HasSuffix(name, ".zig") {
		return debuginfo.Zig
	}
	if strings.HasPrefix(producer, "Kotlin/") { // says that it is C++
		return debuginfo.Kotlin
	}
	switch code {
	case 0x01, 0x02, 0x0c, 0x1d, 0x2c, 0x3e:
		return debuginfo.C
	case 0x04, 0x1a, 0x21, 0x2a, 0x2b, 0x3a:
		return debuginfo.CPlusPlus
	case 0x1c, 0x9000:
		return debuginfo.Rust
	case 0x16:
		return debuginfo.Go
	case 0x1b:
		return debuginfo.OCaml
	case 0x26:
		return debuginfo.Kotlin
	case 0x27:
		return debuginfo.Zig
	}
	return debuginfo.Other
}
