package watch

import (
	"math"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// Access is what a data breakpoint waits for; the constants are bits.
type Access uint8

// The accesses.
const (
	Reads Access = 1 << iota
	Writes
)

// span64 is a range of a memory, a table or an array.
type span64 struct{ at, n uint64 }

func (a span64) meets(at, n uint64) bool {
	return a.n > 0 && n > 0 && a.at <= at+(n-1) && at <= a.at+(a.n-1)
}

// Touched is what an instruction that is about to be executed touches.
type Touched struct {
	At          snapshot.Site
	mem         [2]*vm.Memory // read, written
	table       [2]*vm.Table
	object      [2]vm.Ref
	global      [2]*vm.Global
	span        [2]span64
	local       int // -1: none
	localAccess Access
	stack       snapshot.StackID
	depth       int
}

const read, written = 0, 1

// Touches reports what the instruction does to a datum.
func (a *Touched) Touches(w *Datum) Access {
	var did Access
	for i := range 2 {
		hit := false
		switch {
		case w.Memory != nil:
			hit = a.mem[i] == w.Memory && a.span[i].meets(w.At, w.N)
		case w.Global != nil:
			hit = a.global[i] == w.Global
		case w.Table != nil:
			hit = a.table[i] == w.Table && a.span[i].meets(w.At, 1)
		case !w.Object.IsNull():
			hit = a.object[i] == w.Object && a.span[i].meets(w.At, 1)
		default:
			hit = a.local == w.Local && a.stack == w.Stack && a.depth == w.Depth && a.localAccess&(1<<i) != 0
		}
		if hit {
			did |= 1 << i
		}
	}
	return did
}

// Access reports what the instruction that a frame is about to execute touches.
func (df *Finder) Access(f *vm.Frame) *Touched {
	fi := df.sym.Function(f.Func())
	a := &Touched{At: fi.Site(f.PC(), true), local: -1, stack: snapshot.StackID(f.Stack().ID()), depth: f.Depth()}
	in := fi.Instr(f.PC())
	inst := f.Instance()
	if in == nil || inst == nil {
		return a
	}
	num := func(i int) uint64 { return f.Top(i).Lo }
	info := in.Op.Info()
	idx, _ := symbols.Index(in, wasm.ImmMemory, 0)
	switch op := in.Op; op {
	case wasm.OpMemoryFill:
		a.mem[written], a.span[written] = inst.Memory(idx), span64{num(2), num(0)}
	case wasm.OpMemoryCopy:
		from, _ := symbols.Index(in, wasm.ImmMemory, 1)
		a.mem[written], a.span[written] = inst.Memory(idx), span64{num(2), num(0)}
		a.mem[read], a.span[read] = inst.Memory(from), span64{num(1), num(0)}
	case wasm.OpMemoryInit:
		a.mem[written], a.span[written] = inst.Memory(idx), span64{num(2), num(0)}
	case wasm.OpGlobalGet:
		a.global[read] = inst.Global(in.A)
	case wasm.OpGlobalSet:
		a.global[written] = inst.Global(in.A)
	case wasm.OpLocalGet:
		a.local, a.localAccess = int(in.A), Reads
	case wasm.OpLocalSet, wasm.OpLocalTee:
		a.local, a.localAccess = int(in.A), Writes
	case wasm.OpTableGet, wasm.OpTableSet, wasm.OpTableFill, wasm.OpTableCopy, wasm.OpTableInit,
		wasm.OpCallIndirect, wasm.OpReturnCallIndirect:
		t, _ := symbols.Index(in, wasm.ImmTable, 0)
		table := inst.Table(t)
		switch op {
		case wasm.OpTableSet:
			a.table[written], a.span[written] = table, span64{num(1), 1}
		case wasm.OpTableFill, wasm.OpTableInit, wasm.OpTableCopy:
			a.table[written], a.span[written] = table, span64{num(2), num(0)}
			if op == wasm.OpTableCopy {
				from, _ := symbols.Index(in, wasm.ImmTable, 1)
				a.table[read], a.span[read] = inst.Table(from), span64{num(1), num(0)}
			}
		default:
			a.table[read], a.span[read] = table, span64{num(0), 1}
		}
	case wasm.OpStructGet, wasm.OpStructGetS, wasm.OpStructGetU:
		a.object[read], a.span[read] = f.Top(0).Ref, span64{uint64(in.B), 1}
	case wasm.OpStructSet:
		a.object[written], a.span[written] = f.Top(1).Ref, span64{uint64(in.B), 1}
	case wasm.OpArrayGet, wasm.OpArrayGetS, wasm.OpArrayGetU:
		a.object[read], a.span[read] = f.Top(1).Ref, span64{num(0), 1}
	case wasm.OpArraySet:
		a.object[written], a.span[written] = f.Top(2).Ref, span64{num(1), 1}
	case wasm.OpArrayFill:
		a.object[written], a.span[written] = f.Top(3).Ref, span64{num(2), num(0)}
	case wasm.OpArrayCopy:
		a.object[written], a.span[written] = f.Top(4).Ref, span64{num(3), num(0)}
		a.object[read], a.span[read] = f.Top(2).Ref, span64{num(1), num(0)}
	case wasm.OpArrayInitData, wasm.OpArrayInitElem:
		a.object[written], a.span[written] = f.Top(3).Ref, span64{num(2), num(0)}
	default:
		if len(info.Imms) == 0 || info.Imms[0] != wasm.ImmMemArg {
			break
		}
		// An access has its address below the value that is stored, or whose lane is loaded or
		// stored.
		mem, size := inst.Memory(in.A), uint64(1)<<info.Align
		addr := num(len(info.Params) - 1)
		if addr > math.MaxUint64-in.Imm {
			break
		}
		i := read
		if len(info.Results) == 0 {
			i = written
		}
		a.mem[i], a.span[i] = mem, span64{addr + in.Imm, size}
	}
	return a
}
