package dwarf

import (
	"sync"

	"stackscope/wasm"
)

// LLVM gives one local to several variables that are not alive at the same time, and that is the
// last thing it does: what it says of a variable still names the local after another value is in it.
// So a location in a local counts only as long as nothing has been written there since the location
// began, and one on the operand stack only where it begins. That leaves out some values that are
// right: a variable that is changed in place, in a loop.

// writes is where the locals of a function are written, and its loops.
type writes struct {
	of    map[uint32][]int // by local: instructions, ascending
	loops [][2]int         // first and last instruction
}

// written keeps the writes of functions that were looked at.
type written struct {
	mu sync.Mutex
	of map[uint32]*writes
}

// maxWritten bounds the functions whose writes are kept.
const maxWritten = 200

// writesOf returns the writes of a function.
func (c *code) writesOf(fn uint32) *writes {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.of[fn]; w != nil {
		return w
	}
	if c.of == nil || len(c.of) >= maxWritten {
		c.of = map[uint32]*writes{}
	}
	w := &writes{of: map[uint32][]int{}}
	var open []int // instructions that begin blocks
	body := c.m.Funcs[fn].Body
	for i := range body {
		switch in := &body[i]; in.Op {
		case wasm.OpLocalSet, wasm.OpLocalTee:
			w.of[in.A] = append(w.of[in.A], i)
		case wasm.OpEnd, wasm.OpDelegate:
			if n := len(open); n > 0 {
				if body[open[n-1]].Op == wasm.OpLoop {
					w.loops = append(w.loops, [2]int{open[n-1], i})
				}
				open = open[:n-1]
			}
		default:
			if in.Op.OpensBlock() {
				open = append(open, i)
			}
		}
	}
	c.of[fn] = w
	return w
}

// stale reports whether a local may have been written before an instruction, pc, since the place
// where a location in it began. A local that is no parameter is written once before it is anything.
func (c *code) stale(fn, local uint32, since, pc int) bool {
	w := c.writesOf(fn)
	writes := w.of[local]
	if t := c.m.FuncType(c.m.Funcs[fn].Type); since == 0 && len(writes) > 0 && t != nil &&
		uint64(local) >= uint64(len(t.Params)) {
		if pc <= writes[0] {
			return false
		}
		since = writes[0] + 1
	}
	for _, i := range writes {
		if i < since {
			continue
		}
		if i < pc {
			return true
		}
		for _, l := range w.loops {
			if since <= l[0] && l[0] <= pc && pc <= l[1] && i <= l[1] {
				return true
			}
		}
	}
	return false
}
