package dwarf

import (
	"cmp"
	"slices"
	"sort"

	"stackscope/wasm"
)

// code converts addresses, which count from the contents of the code section.
type code struct {
	m     *wasm.Module
	base  uint64   // the offset of the contents in the file
	funcs []uint32 // those with a body, ascending by address
	written
}

func newCode(m *wasm.Module, base uint64) *code {
	c := &code{m: m, base: base}
	for i := range m.Funcs {
		if f := &m.Funcs[i]; f.Import < 0 && len(f.Body) > 0 && uint64(f.At) >= base {
			c.funcs = append(c.funcs, uint32(i))
		}
	}
	slices.SortFunc(c.funcs, func(a, b uint32) int { return cmp.Compare(m.Funcs[a].At, m.Funcs[b].At) })
	return c
}

// bounds returns the addresses of a function: of its local declarations, and after its end.
func (c *code) bounds(fn uint32) (lo, hi uint64) {
	f := &c.m.Funcs[fn]
	return uint64(f.At) - c.base, uint64(f.End) - c.base
}

// known reports whether a function has addresses.
func (c *code) known(fn uint32) bool {
	return int64(fn) < int64(len(c.m.Funcs)) && c.m.Funcs[fn].Import < 0 && len(c.m.Funcs[fn].Body) > 0 &&
		uint64(c.m.Funcs[fn].At) >= c.base
}

// fn returns the function that an address is in.
func (c *code) fn(addr uint64) (uint32, bool) {
	pos := addr + c.base
	i := sort.Search(len(c.funcs), func(i int) bool { return uint64(c.m.Funcs[c.funcs[i]].At) > pos })
	if i == 0 || pos < addr {
		return 0, false
	}
	f := c.funcs[i-1]
	return f, pos < uint64(c.m.Funcs[f].End)
}

// pc returns the first instruction of a function at an address or after it: an address in the local
// declarations is that of the first instruction.
func (c *code) pc(fn uint32, addr uint64) int {
	body := c.m.Funcs[fn].Body
	pos := addr + c.base
	return sort.Search(len(body), func(i int) bool { return uint64(body[i].At) >= pos })
}

// landing returns where a row begins that an address is at: where control comes from above and by
// branches. A branch to a block continues after its `end`, a branch to a loop after `loop`.
func (c *code) landing(fn uint32, pc int) int {
	body := c.m.Funcs[fn].Body
	for pc+2 < len(body) && (body[pc].Op == wasm.OpEnd || body[pc].Op == wasm.OpElse) {
		pc++
	}
	for i := pc; i+1 < len(body) && (body[i].Op == wasm.OpBlock || body[i].Op == wasm.OpLoop); i++ {
		if body[i].Op == wasm.OpLoop {
			pc = i + 1
		}
	}
	return pc
}

// addr returns the address of an instruction.
func (c *code) addr(fn uint32, pc int) (uint64, bool) {
	if !c.known(fn) || pc < 0 || pc >= len(c.m.Funcs[fn].Body) {
		return 0, false
	}
	return uint64(c.m.Funcs[fn].Body[pc].At) - c.base, true
}

// local returns the size in bytes of a local; 0: it has none that counts as a number.
func (c *code) local(fn, i uint32) int64 {
	f := &c.m.Funcs[fn]
	var params []wasm.ValType
	if t := c.m.FuncType(f.Type); t != nil {
		params = t.Params
	}
	if uint64(i) < uint64(len(params)) {
		return valSize(params[i])
	}
	if i -= uint32(len(params)); uint64(i) < uint64(len(f.Locals)) {
		return valSize(f.Locals[i])
	}
	return 0
}

func valSize(t wasm.ValType) int64 {
	switch t {
	case wasm.I32, wasm.F32:
		return 4
	case wasm.I64, wasm.F64:
		return 8
	case wasm.V128:
		return 16
	}
	return 0
}
