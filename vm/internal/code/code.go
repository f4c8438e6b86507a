package code

import (
	"math"
	"strconv"
	"unsafe"

	"stackscope/wasm"
)

// Op is one step of compiled code. Slots are relative to the frame: of its number slots and of its
// reference slots, which are counted apart. Most ops have the destination in a and operands in b,
// c. In the baseline form there is one op per source instruction, at the same index.
type Op struct {
	Code, A, B, C uint16
	Imm           uint64
}

const OpSize = 16

// The codes. An instruction that needs no more than its operands' slots has its wasm.Op as code;
// the others are these.
const (
	OpMovN       = uint16(wasm.NumOps) + iota // a ← b
	OpMovV                                    // a, a+1 ← b, b+1
	OpMovR                                    // reference a ← b
	OpTakeR                                   // reference a ← b, b is cleared
	OpClearR                                  // reference a is cleared
	OpConst                                   // a ← imm
	OpConstV                                  // a, a+1 ← imm, hi[c]
	OpEnd                                     // nothing: block, end, nop, drop
	OpJump                                    // to imm
	OpJumpMove                                // branches[imm]
	OpBrIf                                    // a; distance imm
	OpBrIfMove                                // a; branches[imm]
	OpBrUnless                                // a; distance imm
	OpTable                                   // a: index; branches[imm>>32 : ] of count uint32(imm)
	OpBrNull                                  // reference a; branches[imm]
	OpBrNonNull                               // reference a; branches[imm]
	OpBrCast                                  // reference a; branches[imm], casts[c]
	OpBrCastFail                              // the same
	OpReturn                                  // results from a, b on; c numbers, imm references
	OpSelN                                    // a ← b if c is zero
	OpSelV
	OpSelR // references a, b
	OpGlobalGetN
	OpGlobalGetV
	OpGlobalGetR
	OpGlobalSetN
	OpGlobalSetV
	OpGlobalSetR
	OpObject       // m.object; number operands from a, references from b
	OpBulk         // m.bulk: takes time that the operands decide, and pays for it
	OpNumeric      // m.numeric of the instruction c: a ← b, imm (slot)
	OpSIMD         // number slots from a, memory or constant c
	OpRethrow      // reference a: the exception that a legacy catch holds
	OpHook         // while stepping: ask, then execute the baseline op
	OpBreak        // a breakpoint: ask, then execute the op it replaces
	OpDead         // unreachable code
	OpControl      // m.control
	OpControlThrow // controlThrow
	OpEvents       // event.switch: branches[imm : ] by the pending event; resumes[c]
	OpThunk        // the body of a stack whose function is the host's: calls it
	OpWide         // accesses to other memories than a 32-bit memory 0: opWide + (Op - OpI32Load)
	OpWideEnd      = OpWide + uint16(wasm.OpI64Store32-wasm.OpI32Load)
)

// Func is a compiled function.
type Func struct {
	Index        uint32
	Body         []wasm.Instr
	Baseline     []Op
	BaselineBase unsafe.Pointer    // the first of baseline
	Instrumented []Op              // all opHook, otherwise as baseline; made when stepping first needs it
	Breaks       map[uint32]*Patch // by pc

	Fused     []Op
	FusedBase unsafe.Pointer // the first of fused; nil if there is no fused form
	FusedAt   []uint32       // by pc
	FusedAts  unsafe.Pointer // the first of fastAt
	FusedPC   []uint32       // the pc of each fused op
	FusedPCs  unsafe.Pointer // the first of fastPC

	Nums, Refs       uint32 // slots of a frame, with one to spare so that no base points past the areas
	ParNums, ParRefs uint32
	LocNums, LocRefs uint32 // with the parameters
	ClearsLocals     bool   // there are locals that are none: a call clears them
	ResNums, ResRefs uint32
	Locals           []Local
	Params, Results  []wasm.ValType // the module's type indices
	HiddenRefs       uint32         // reference slots after the locals that legacy catches use

	Branches     []Branch
	Casts        []wasm.ValType // canonical
	VectorHighs  []uint64       // high halves of constant vectors
	Points       []ResumePoint
	Regions      []Region
	Barriers     []PCRange
	EntryClauses []HandlerClause // of the dialect fibers-handle: the function's own
	CanonResults []wasm.ValType  // of the dialect fibers-handle: results, canonical
	// where what a stack takes before it begins with the function is in Instance.clauses, plus 1;
	// 0: nothing
	EntryTable   uint32
	EntryEvent   uint32 // of the dialect tasks: the pc of the event.switch that begins it, or noEvent
	EntryIsFirst bool   // no loop begins before it

}

// Local is where a parameter or local is kept.
type Local struct {
	Type wasm.ValType
	Slot uint16
}

// Branch is a jump that takes operands along.
type Branch struct {
	PC, Fused        uint32 // the target, and its index in the fused form
	SrcN, DstN, NumN uint16
	SrcR, DstR, NumR uint16
}

// ResumePoint is what an instruction that makes or switches stacks needs beyond its op.
type ResumePoint struct {
	Nums, Refs uint16 // arguments, without the references to stacks
	Kind       wasm.Op
	Table      uint32 // where its clauses are in Instance.clauses
	// the event; of resume_throw, switch_throw the exception; of fiber.new, .mount_new, .switch_new what a return
	// sends; BadIndex if none
	Tag  uint32
	Func uint32 // the function of an instruction that makes a stack, or calls it later
	// return_switch: how many of its operands are the first arguments of the function that it calls
	KeptNums, KeptRefs uint16
	NextEvent          uint32 // tasks: the pc of the event.switch that follows, or noEvent
	NextIsFirst        bool   // tasks: no loop begins before it
	Clauses            []HandlerClause
	Results            []wasm.ValType // fibers-handle: what the resumed fiber is to give; canonical
}

// HandlerClause is a clause: a handler clause of a resume, a clause with a label, or an `event` of
// a handle in scope, or a pair of an event.switch. The payload goes to the slots dstN, dstR, after
// what is taken along: what was saved at a handle's entry, the operands that an event.switch gives
// to a label, the new fiber of fiber.mount_new, .switch_new.
type HandlerClause struct {
	Tag            uint32
	PC             uint32
	DstN, DstR     uint16
	IsSwitch       bool
	Target         targetKind
	DirectJump     bool   // it only jumps and takes the values: whoever sends the event need not ask
	SaveN, SaveR   uint16 // where that is
	SavedN, SavedR uint16 // how much of it
	Op             *Op    // the fused op of pc, if it has one
}

// targetKind reports how a handler takes an event.
type targetKind uint8

const (
	TargetLabel targetKind = iota // by a branch to pc
	TargetPair                    // the same; it is a pair of an event.switch
	TargetNext                    // the same; pc is after the instruction, fiber.mount_new or .switch_new
	TargetEntry                   // fiber.new of fibers-mount: in the function with index pc
	TargetMoved                   // where a debugger has put the stack, at pc; the values are dropped
)

type PCRange struct{ From, To uint32 }

// Region is a try_table or legacy try: the pcs it covers and its clauses. Regions are in the order
// in which they open, so the innermost one around a pc is the last that covers it.
type Region struct {
	PCRange
	Catches  []CatchClause
	Delegate bool
	Next     int // delegate: the search goes on at this region and outwards
}

// CatchClause is a catch clause.
type CatchClause struct {
	Kind       wasm.CatchKind
	Tag        uint32
	PC         uint32
	DstN, DstR uint16
	Keep       bool // legacy: the exception is kept in the slot hold
	Hold       uint16
}

// TableSite is where the clauses of an instruction, or of a function, are.
type TableSite struct {
	Func  *Func
	Index int // in c.resumes, or ownClauses
}

// EntryClausesIndex stands for the clauses that a function begins with.
const EntryClausesIndex = -1

// Patch is what a breakpoint has replaced: the op's code, and what is asked before the machine
// stops there (nil: it always stops).
type Patch struct {
	Code   uint16
	StopIf func() bool
}

// NoEvent is the pc of an event.switch that is not there.
const NoEvent = ^uint32(0)

// Program is the code of a compiled module.
type Program struct {
	Mod        *wasm.Module
	Types      []wasm.Canon
	Funcs      []*Func     // by function index, nil for imports
	TableSites []TableSite // by resumePoint.table
	HasBarrier bool        // some function has a barrier
}

// FuncType returns the type of a function.
func (p *Program) FuncType(fn uint32) *wasm.SubType { return p.Mod.FuncType(p.Mod.Funcs[fn].Type) }

// TagType returns the type of a tag.
func (p *Program) TagType(tag uint32) *wasm.SubType { return p.Mod.FuncType(p.Mod.Tags[tag].Type) }

// InstrumentedOps returns the instrumented form, making it if need be.
//
//go:noinline
func (c *Func) InstrumentedOps() unsafe.Pointer {
	if c.Instrumented == nil {
		c.Instrumented = make([]Op, len(c.Baseline))
		for i := range c.Baseline {
			c.Instrumented[i] = c.Baseline[i]
			c.Instrumented[i].Code = OpHook
		}
	}
	return unsafe.Pointer(unsafe.SliceData(c.Instrumented))
}

// Original returns the code of a baseline op without a breakpoint's patch.
//
//go:noinline
func (c *Func) Original(pc uint32) uint16 {
	if k := c.Baseline[pc].Code; k != OpBreak {
		return k
	}
	return c.Breaks[pc].Code
}

// InBarrier reports whether a pc is inside a barrier.
func (c *Func) InBarrier(pc uint32) bool {
	for _, b := range c.Barriers {
		if b.From <= pc && pc < b.To {
			return true
		}
	}
	return false
}

// Class is how an operand is kept: in a number slot, in two, in a reference slot.
type Class uint8

const (
	Number Class = iota
	Vector
	Reference
)

func ClassOf(t wasm.ValType) Class {
	switch t.Kind() {
	case wasm.KindRef:
		return Reference
	case wasm.KindV128:
		return Vector
	}
	return Number
}

// Slots reports how many number slots and reference slots a value of the type takes.
func Slots(t wasm.ValType) (nums, refs int) {
	switch t.Kind() {
	case wasm.KindRef:
		return 0, 1
	case wasm.KindV128:
		return 2, 0
	}
	return 1, 0
}

// SlotsOf is slots of all of them.
func SlotsOf(ts []wasm.ValType) (nums, refs int) {
	for _, t := range ts {
		n, r := Slots(t)
		nums, refs = nums+n, refs+r
	}
	return nums, refs
}

// At returns the op at a pc; pcOf is its inverse.
func At(base unsafe.Pointer, pc uint32) *Op {
	return (*Op)(unsafe.Add(base, uintptr(pc)*OpSize))
}

func PCOf(base unsafe.Pointer, o *Op) uint32 {
	return uint32((uintptr(unsafe.Pointer(o)) - uintptr(base)) / OpSize)
}

// PCIn returns the pc of the fused op at an index.
func PCIn(pcs unsafe.Pointer, i uint32) uint32 { return *(*uint32)(unsafe.Add(pcs, uintptr(i)*4)) }

func Next(o *Op) *Op { return (*Op)(unsafe.Add(unsafe.Pointer(o), OpSize)) }

// JumpTarget returns the target of an opJump, opBrIf or opBrUnless.
func JumpTarget(o *Op) *Op { return (*Op)(unsafe.Add(unsafe.Pointer(o), int(o.Imm))) }

// The counts and the number beside them in the low half of imm of rResume, rSwitch and
// rStackSwitch.
const (
	PassBits = 6
	setBits  = 20
)

// PassImm puts the counts of arguments, and a number beside them, into the low half of an imm, if
// they are small.
func PassImm(pt *ResumePoint, n uint32) (uint64, bool) {
	ok := pt.Nums < 1<<PassBits && pt.Refs < 1<<PassBits && n < 1<<setBits
	return uint64(pt.Nums) | uint64(pt.Refs)<<PassBits | uint64(n)<<(2*PassBits), ok
}

// DisableFused takes the fused form of a function away, or gives it back. A frame that runs in it
// leaves it at the next safe point, since whoever sets a breakpoint does so while the machine
// stands at one.
func (c *Func) DisableFused(on bool) {
	if on || len(c.Fused) == 0 {
		c.FusedBase = nil
	} else {
		c.FusedBase = unsafe.Pointer(unsafe.SliceData(c.Fused))
	}
}

// Where names a place for the report of a fault.
func (c *Func) Where(pc uint32) string {
	s := "function " + strconv.Itoa(int(c.Index)) + " at instruction " + strconv.Itoa(int(pc))
	if int(pc) < len(c.Body) {
		s += " (" + c.Body[pc].Op.String() + ")"
	}
	return s
}

// ClauseLists yields the lists of clauses of the function, each once: instructions may share one.
func (c *Func) ClauseLists(yield func([]HandlerClause) bool) {
	if len(c.EntryClauses) > 0 && !yield(c.EntryClauses) {
		return
	}
	var last *HandlerClause
	done := map[*HandlerClause]bool{}
	for i := range c.Points {
		hs := c.Points[i].Clauses
		if len(hs) == 0 || &hs[0] == last {
			continue
		}
		if last = &hs[0]; !done[last] {
			done[last] = true
			if !yield(hs) {
				return
			}
		}
	}
}

// FindOps sets in the clauses of the function the ops where they continue.
func (c *Func) FindOps() { c.ClauseLists(c.findOps) }

func (c *Func) findOps(hs []HandlerClause) bool {
	for i := range hs {
		if h := &hs[i]; h.Leads() && c.FusedAt[h.PC] != NoFused {
			h.Op = At(c.FusedBase, c.FusedAt[h.PC])
			h.DirectJump = h.Target <= TargetNext && h.SavedN|h.SavedR == 0
		}
	}
	return true
}

// Leads reports whether a clause leads to its pc in the function that it is in.
func (h *HandlerClause) Leads() bool { return !h.IsSwitch && h.Target != TargetEntry }

// NoFused is the fastAt of a pc where the fused form cannot be entered.
const NoFused = math.MaxUint32

// BigFixed is how many elements an array.new_fixed may have that is not a bulk instruction.
const BigFixed = 256
