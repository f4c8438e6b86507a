package symbols

import (
	"sort"

	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm/binary"
)

// listing holds the instructions of a unit in order of their addresses. Those of a function are
// looked at when one of them is asked for.
type listing struct {
	unit *Unit
	code *binary.Code // nil: no encoding
	// by function: how many instructions are before it; and after the last, how many there are
	first  []int
	starts map[uint32][]uint32 // by function: the offsets of its instructions in the encoding
}

// listingOf makes the listing of a unit, once.
func (c *Code) listingOf(unit int) *listing {
	if l := c.listings[unit]; l != nil {
		return l
	}
	u := c.list[unit]
	l := &listing{unit: u, first: make([]int, len(u.Module.Funcs)+1), starts: map[uint32][]uint32{}}
	for fn := range u.Module.Funcs {
		l.first[fn+1] = l.first[fn] + len(u.Module.Funcs[fn].Body)
	}
	if code, err := binary.EncodeCode(u.Module); err == nil {
		l.code = code
	}
	if c.listings == nil {
		c.listings = map[int]*listing{}
	}
	c.listings[unit] = l
	return l
}

// len returns how many instructions there are.
func (l *listing) len() int { return l.first[len(l.first)-1] }

// at returns the function and the place in its body of an instruction.
func (l *listing) at(i int) (fn uint32, pc int) {
	f := sort.Search(len(l.first), func(f int) bool { return l.first[f] > i }) - 1
	return uint32(f), i - l.first[f]
}

// of returns the offsets of the instructions of a function in the encoding.
func (l *listing) of(fn uint32) []uint32 {
	s, ok := l.starts[fn]
	if !ok {
		s = l.code.Instrs(fn)
		l.starts[fn] = s
	}
	return s
}

// offset returns the offset of an instruction in the unit's part of the address space.
func (l *listing) offset(i int) uint32 {
	if l.code == nil {
		return 4 * uint32(i+1)
	}
	fn, pc := l.at(i)
	return l.of(fn)[pc]
}

// end returns the offset after an instruction.
func (l *listing) end(i int) uint32 {
	if l.code == nil {
		return l.offset(i) + 4
	}
	fn, pc := l.at(i)
	if s := l.of(fn); pc+1 < len(s) {
		return s[pc+1]
	}
	_, end, _ := l.code.Func(fn)
	return end
}

// search returns the first instruction at an offset or after it; len if there is none.
func (l *listing) search(off uint32) int {
	if l.code == nil {
		return min(max(int((int64(off)+3)/4)-1, 0), l.len())
	}
	fn := sort.Search(len(l.unit.Module.Funcs), func(fn int) bool {
		_, end, ok := l.code.Func(uint32(fn))
		return ok && end > off
	})
	if fn == len(l.unit.Module.Funcs) {
		return l.len()
	}
	s := l.of(uint32(fn))
	return l.first[fn] + sort.Search(len(s), func(pc int) bool { return s[pc] >= off })
}

// Address returns the address of an instruction, 0 if it has none. It must be called inside Do.
func (c *Code) Address(id snapshot.FuncID, pc int) CodeAddress {
	if id.Unit < 0 || id.Unit >= len(c.list) || pc < 0 || int64(id.Func) >= int64(len(c.list[id.Unit].Module.Funcs)) {
		return 0
	}
	if pc >= len(c.list[id.Unit].Module.Funcs[id.Func].Body) {
		return 0
	}
	l := c.listingOf(id.Unit)
	return CodeAddress(id.Unit+1)<<32 | CodeAddress(l.offset(l.first[id.Func]+pc))
}

// At returns the instruction at an address; ok is false if none begins there.
func (c *Code) At(a CodeAddress) (id snapshot.FuncID, pc int, ok bool) {
	unit, i, exact := c.locate(a)
	if !exact {
		return id, 0, false
	}
	fn, pc := c.listingOf(unit).at(i)
	return snapshot.FuncID{Unit: unit, Func: fn}, pc, true
}

// locate returns the unit and the index in its listing of the instruction at an address or, if it
// is inside of one, of the next.
func (c *Code) locate(a CodeAddress) (unit, i int, exact bool) {
	unit = int(a>>32) - 1
	if unit < 0 || unit >= len(c.list) {
		return -1, 0, false
	}
	l := c.listingOf(unit)
	i = l.search(uint32(a))
	return unit, i, i < l.len() && l.offset(i) == uint32(a)
}
