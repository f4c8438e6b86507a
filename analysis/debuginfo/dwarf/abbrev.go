package dwarf

import (
	std "debug/dwarf"
	"sync"
)

// abbrev is the shape of an entry.
type abbrev struct {
	tag      std.Tag
	children bool
	fixed    int // bytes of all values; -1: it depends on the bytes
	attrs    []attrSpec
}

type attrSpec struct {
	attr     std.Attr
	form     form
	implicit int64
}

// abbrevs is a table of shapes by code.
type abbrevs struct {
	list   []abbrev       // by code-1, while codes count from 1
	others map[uint64]int // other codes; the index in list
}

func (t *abbrevs) get(code uint64) *abbrev {
	if i := code - 1; i < uint64(len(t.list)) && t.others == nil {
		return &t.list[i]
	}
	if i, ok := t.others[code]; ok {
		return &t.list[i]
	}
	return nil
}

// abbrevKey names a table: the sizes of its values depend on the unit.
type abbrevKey struct {
	off   uint64
	asize uint8
	wide  bool
}

// abbrevCache has the tables of a section that were read.
type abbrevCache struct {
	mu     sync.Mutex
	tables map[abbrevKey]*abbrevs
	read   int // bytes
}

// get returns the table at an offset of a section; nil: it is malformed.
func (c *abbrevCache) get(section []byte, key abbrevKey) *abbrevs {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t, ok := c.tables[key]; ok {
		return t
	}
	var t *abbrevs
	// Tables of a linker do not overlap.
	if c.read <= 4*len(section)+1<<16 {
		var n int
		t, n = readAbbrevs(section, key)
		c.read += n
	}
	if c.tables == nil {
		c.tables = map[abbrevKey]*abbrevs{}
	}
	c.tables[key] = t
	return t
}

// readAbbrevs returns a table, nil if it is malformed, and how many bytes were read.
func readAbbrevs(section []byte, key abbrevKey) (*abbrevs, int) {
	r := at(section, key.off)
	t := &abbrevs{}
	if !t.read(&r, key) {
		t = nil
	}
	return t, max(r.p-int(min(key.off, uint64(len(section)))), 0)
}

func (t *abbrevs) read(r *buf, key abbrevKey) bool {
	var specs []attrSpec // of all entries, one after the other
	for {
		code := r.uleb()
		if r.bad {
			return false
		}
		if code == 0 {
			return true
		}
		a := abbrev{tag: std.Tag(r.uleb()), children: r.u8() != 0}
		first := len(specs)
		for {
			s := attrSpec{attr: std.Attr(r.uleb()), form: form(r.uleb())}
			if s.form == formImplicitConst {
				s.implicit = r.sleb()
			}
			if r.bad {
				return false
			}
			if s.attr == 0 && s.form == 0 {
				break
			}
			n := s.form.size(key.asize, key.wide)
			switch {
			case n == -2:
				return false
			case n < 0 || a.fixed < 0:
				a.fixed = -1
			default:
				a.fixed += n
			}
			specs = append(specs, s)
		}
		a.attrs = specs[first:len(specs):len(specs)]
		if t.others == nil && code != uint64(len(t.list)+1) {
			t.others = map[uint64]int{}
			for i := range t.list {
				t.others[uint64(i+1)] = i
			}
		}
		if t.others != nil {
			if _, ok := t.others[code]; ok {
				return false // two shapes of a code
			}
			t.others[code] = len(t.list)
		}
		t.list = append(t.list, a)
	}
}
