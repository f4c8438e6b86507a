package sourcemap

import (
	"math/bits"

	"stackscope/analysis/debuginfo"
	"stackscope/wasm"
)

// maxUsage bounds the work, and the memory in words, for the locals of one function.
const maxUsage = 1 << 21

// usageOf finds where locals are used, in one pass: a branch backwards meets a state that has at
// least what was set at the loop's start.
func usageOf(body []wasm.Instr, locals []uint32) *usage {
	w := &walk{index: map[uint32]int{}, words: (len(locals) + 63) / 64}
	for k, i := range locals {
		w.index[i] = k
	}
	w.span = make([]debuginfo.Range, len(locals))
	w.block, w.set = make([]int, len(locals)), make([][]debuginfo.Range, len(locals))
	for k := range w.block {
		w.block[k] = -1
	}
	work := 0
	for i := range body {
		if in := &body[i]; in.Op.OpensBlock() || in.Op.Info().Effect == wasm.EffectBranch {
			work += w.words
			if in.Ext != nil {
				work += w.words * len(in.Ext.Labels)
			}
		}
	}
	w.linear = work > maxUsage
	w.since = make([]int, len(locals))
	w.cur = make([]uint64, w.words)
	w.open(0)
	for pc := range body {
		w.step(pc, &body[pc])
	}
	for k := range locals {
		w.change(k, false, len(body))
		if w.block[k] < 0 {
			w.block[k] = 0
		}
	}
	for len(w.frames) > 0 {
		w.close(len(body))
	}
	return &w.usage
}

// walk is the state of usageOf.
type walk struct {
	usage
	index  map[uint32]int // by local: its number here
	words  int
	frames []frame
	cur    []uint64 // the locals that are set
	dead   bool     // control does not come here
	since  []int    // of a local that is set: from where on
	linear bool     // too much work: a local counts as set after the first assignment in the text
}

// frame is an open block.
type frame struct {
	block int
	op    wasm.Op
	entry []uint64 // of `if` and `try`: what is set where it begins
	out   []uint64 // what is set on all ways to its end so far; nil: there is none
}

func (w *walk) open(pc int) int {
	parent, depth := -1, 0
	if n := len(w.frames); n > 0 {
		parent = w.frames[n-1].block
		depth = w.blocks[parent].depth + 1
	}
	b := len(w.blocks)
	w.blocks = append(w.blocks, block{debuginfo.Range{From: pc}, max(parent, 0), depth})
	w.frames = append(w.frames, frame{block: b})
	return b
}

func (w *walk) close(pc int) {
	n := len(w.frames)
	w.blocks[w.frames[n-1].block].To = pc
	w.frames = w.frames[:n-1]
}

func clone(s []uint64) []uint64 { return append([]uint64(nil), s...) }

// join takes what is set now into what is set at the end of a block.
func (w *walk) join(f *frame, state []uint64) {
	switch {
	case w.linear:
	case f.out == nil:
		f.out = clone(state)
	default:
		for i := range f.out {
			f.out[i] &= state[i]
		}
	}
}

func (w *walk) branch(label uint32) {
	n := len(w.frames) - 1 - int(label)
	if w.dead || n < 0 || w.frames[n].op == wasm.OpLoop {
		return
	}
	w.join(&w.frames[n], w.cur)
}

// become makes a state the current one, from an instruction on.
func (w *walk) become(state []uint64, pc int) {
	if w.linear {
		return
	}
	for i, x := range state {
		for d := w.cur[i] ^ x; d != 0; d &= d - 1 {
			k := 64*i + bits.TrailingZeros64(d)
			w.change(k, x>>(k%64)&1 != 0, pc)
		}
	}
}

// change sets or forgets a local, from an instruction on.
func (w *walk) change(k int, set bool, pc int) {
	bit := uint64(1) << (k % 64)
	switch was := w.cur[k/64]&bit != 0; {
	case set && !was:
		w.cur[k/64] |= bit
		w.since[k] = pc
	case !set && was:
		w.cur[k/64] &^= bit
		if w.since[k] < pc {
			w.usage.set[k] = append(w.usage.set[k], debuginfo.Range{From: w.since[k], To: pc})
		}
	}
}

// use records a use of a local in the innermost block.
func (w *walk) use(k, pc int) {
	if s := &w.span[k]; s.To == 0 {
		s.From = pc
	}
	w.span[k].To = pc + 1
	if len(w.frames) == 0 {
		return
	}
	b := w.block[k]
	if b < 0 {
		w.block[k] = w.frames[len(w.frames)-1].block
		return
	}
	// The block that was found is open, or one around it is.
	for b != 0 {
		if d := w.blocks[b].depth; d < len(w.frames) && w.frames[d].block == b {
			break
		}
		b = w.blocks[b].parent
	}
	w.block[k] = b
}

func (w *walk) step(pc int, in *wasm.Instr) {
	if len(w.frames) == 0 {
		return
	}
	switch in.Op {
	case wasm.OpLocalGet, wasm.OpLocalSet, wasm.OpLocalTee:
		if k, ok := w.index[in.A]; ok {
			w.use(k, pc)
			if in.Op != wasm.OpLocalGet {
				w.change(k, true, pc+1)
			}
		}
		return
	case wasm.OpElse, wasm.OpCatch, wasm.OpCatchAll:
		old := w.frames[len(w.frames)-1]
		if !w.dead {
			w.join(&old, w.cur)
		}
		w.close(pc)
		w.open(pc)
		f := &w.frames[len(w.frames)-1]
		f.op, f.entry, f.out = in.Op, old.entry, old.out
		w.dead = false
		w.become(old.entry, pc)
		return
	case wasm.OpEnd, wasm.OpDelegate:
		f := &w.frames[len(w.frames)-1]
		if !w.dead {
			w.join(f, w.cur)
		}
		if f.op == wasm.OpIf { // without else
			w.join(f, f.entry)
		}
		out := f.out
		w.close(pc + 1)
		w.dead = out == nil && !w.linear
		if out != nil {
			w.become(out, pc+1)
		}
		return
	}
	if in.Ext != nil { // control can go to the labels of clauses, of the instruction or of what it calls
		for _, c := range in.Ext.Catches {
			w.branch(c.Label)
		}
		for _, c := range in.Ext.HandlerClauses {
			if !c.Switch && in.Op.Info().Effect == wasm.EffectResume {
				w.branch(c.Label)
			}
		}
		for _, l := range in.Ext.Labels {
			w.branch(l)
		}
	}
	if in.Op.OpensBlock() {
		w.open(pc)
		f := &w.frames[len(w.frames)-1]
		f.op = in.Op
		if !w.linear && (in.Op == wasm.OpIf || in.Op == wasm.OpTry) {
			f.entry = clone(w.cur)
		}
		return
	}
	info := in.Op.Info()
	if info.Effect == wasm.EffectBranch && in.Op != wasm.OpBrTable {
		w.branch(in.A)
	}
	switch info.Effect {
	case wasm.EffectReturn, wasm.EffectTailCall, wasm.EffectTrap, wasm.EffectThrow:
		w.dead = true
	case wasm.EffectBranch:
		w.dead = w.dead || in.Op == wasm.OpBr || in.Op == wasm.OpBrTable
	}
}
