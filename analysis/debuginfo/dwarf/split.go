package dwarf

import "sync"

// splits has the split units that are open.
type splits struct {
	mu      sync.Mutex
	pack    map[uint64]*unit  // of the package, by their number
	objects map[string]*space // object files by name; nil: it is not there
	sigs    map[uint64]ref    // types by the signature of their unit
}

// openPackage opens the package of split units, if there is one.
func (r *Reader) openPackage() {
	r.addSignatures(r.main)
	if len(r.in.Sections[".debug_info.dwo"]) == 0 {
		return
	}
	s := newSpace(r, uint32(len(r.spaces)), r.in.Sections, true)
	r.spaces = append(r.spaces, s)
	s.readUnits(false)
	s.readUnits(true)
	r.split.pack = map[uint64]*unit{}
	for _, name := range []string{".debug_cu_index", ".debug_tu_index"} {
		if b := r.in.Sections[name]; len(b) > 0 && !s.readIndex(b, r.split.pack) {
			r.warnf("%s is malformed", name)
		}
	}
	r.addSignatures(s)
}

// addSignatures records the type units of a space.
func (r *Reader) addSignatures(s *space) {
	if r.split.sigs == nil {
		r.split.sigs = map[uint64]ref{}
	}
	for _, u := range s.units {
		if u.kind == utType || u.kind == utSplitType {
			if _, ok := r.split.sigs[u.sig]; !ok && u.typ >= u.die && u.typ < u.end {
				r.split.sigs[u.sig] = u.ref(u.typ)
			}
		}
	}
}

// signature returns the type of a type unit.
func (r *Reader) signature(sig uint64) (ref, bool) {
	r.split.mu.Lock()
	defer r.split.mu.Unlock()
	x, ok := r.split.sigs[sig]
	return x, ok
}

// The columns of the index of a package (DW_SECT_*).
const (
	sectInfo       = 1
	sectTypes      = 2
	sectAbbrev     = 3
	sectLine       = 4
	sectLoc        = 5 // .debug_loclists in DWARF 5
	sectStrOffsets = 6
	sectRnglists   = 8
)

// readIndex reads an index of a package: where the parts of the sections begin that each unit has. It
// records compilation units by their number.
func (s *space) readIndex(section []byte, units map[uint64]*unit) bool {
	r := buf{b: section}
	version := r.u16()
	r.u16()
	columns, rows, slots := uint64(r.u32()), uint64(r.u32()), uint64(r.u32())
	if r.bad || version != 2 && version != 5 || columns > 16 || rows > slots || slots > uint64(len(section))/12 {
		return false
	}
	ids := buf{b: r.bytes(8 * slots)}
	numbers := buf{b: r.bytes(4 * slots)}
	head := buf{b: r.bytes(4 * columns)}
	table := r.bytes(4 * columns * rows)
	if r.bad {
		return false
	}
	kinds := make([]uint32, columns)
	for i := range kinds {
		kinds[i] = head.u32()
	}
	byOffset := map[tableKey]*unit{}
	for _, u := range s.units {
		key := tableKey{off: uint64(u.off)}
		if u.types {
			key.s = s
		}
		byOffset[key] = u
	}
	for range slots {
		id, n := ids.u64(), uint64(numbers.u32())
		if n == 0 || n > rows {
			continue
		}
		row := buf{b: table[4*columns*(n-1):]}
		var c contribution
		key := tableKey{}
		for _, kind := range kinds {
			off := uint64(row.u32())
			switch kind {
			case sectInfo:
				key = tableKey{off: off}
			case sectTypes:
				key = tableKey{s: s, off: off}
			case sectAbbrev:
				c.abbrev = off
			case sectLine:
				c.line = off
			case sectLoc:
				c.loc, c.locs = off, off
			case sectStrOffsets:
				c.strOffs = off
			case sectRnglists:
				c.rngs = off
			}
		}
		if u := byOffset[key]; u != nil {
			u.base = c
			if u.kind == utCompile || u.kind == utSplitCompile {
				units[id] = u
			}
		}
	}
	return true
}

// whole returns the split unit of a skeleton, loaded; nil: it is none, or its unit is not there.
func (u *unit) whole() *unit {
	u.wholeOnce.Do(func() {
		if u.s.split || !u.load() || u.dwoName == "" {
			return
		}
		r := u.s.r
		f := r.splitUnit(u)
		if f == nil {
			r.warnf("%s is not here: of the functions that it describes, only lines are known", u.dwoName)
			return
		}
		if f.load() {
			u.full = f
		}
	})
	return u.full
}

// splitUnit returns the split unit of a skeleton.
func (r *Reader) splitUnit(u *unit) *unit {
	r.split.mu.Lock()
	defer r.split.mu.Unlock()
	f := r.split.pack[u.dwoID]
	if f == nil {
		s := r.object(u.dwoName, u.dir)
		if s == nil {
			return nil
		}
		for _, x := range s.units {
			if x.kind == utCompile && !x.types || x.kind == utSplitCompile && x.dwoID == u.dwoID {
				f = x
				break
			}
		}
	}
	if f == nil || f.skeleton != nil {
		return nil
	}
	f.skeleton = u
	return f
}

// object opens an object file with split units.
func (r *Reader) object(name, dir string) *space {
	if r.in.Object == nil {
		return nil
	}
	key := join(dir, name)
	if s, ok := r.split.objects[key]; ok {
		return s
	}
	var s *space
	if sections := r.in.Object(name, dir); len(sections[".debug_info.dwo"]) > 0 {
		for _, b := range sections {
			r.limit.Add(32 * int64(len(b)))
		}
		r.spacesMu.Lock()
		s = newSpace(r, uint32(len(r.spaces)), sections, true)
		s.readUnits(false)
		s.readUnits(true)
		r.spaces = append(r.spaces, s)
		r.spacesMu.Unlock()
		r.addSignatures(s)
	}
	if r.split.objects == nil {
		r.split.objects = map[string]*space{}
	}
	r.split.objects[key] = s
	return s
}
