package vm

import (
	"sync"
	"unsafe"

	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// op is one step of compiled code. Slots are relative to the frame: of its number slots and of its
// reference slots, which are counted apart. Most ops have the destination in a and operands in b,
// c. In the baseline form there is one op per source instruction, at the same index.
type op struct {
	code, a, b, c uint16
	imm           uint64
}

const opSize = 16

// The codes. An instruction that needs no more than its operands' slots has its wasm.Op as code;
// the others are these.
const (
	opMovN       = uint16(wasm.NumOps) + iota // a ← b
	opMovV                                    // a, a+1 ← b, b+1
	opMovR                                    // reference a ← b
	opTakeR                                   // reference a ← b, b is cleared
	opClearR                                  // reference a is cleared
	opConst                                   // a ← imm
	opConstV                                  // a, a+1 ← imm, hi[c]
	opEnd                                     // nothing: block, end, nop, drop
	opJump                                    // to imm
	opJumpMove                                // branches[imm]
	opBrIf                                    // a; distance imm
	opBrIfMove                                // a; branches[imm]
	opBrUnless                                // a; distance imm
	opTable                                   // a: index; branches[imm>>32 : ] of count uint32(imm)
	opBrNull                                  // reference a; branches[imm]
	opBrNonNull                               // reference a; branches[imm]
	opBrCast                                  // reference a; branches[imm], casts[c]
	opBrCastFail                              // the same
	opReturn                                  // results from a, b on; c numbers, imm references
	opSelN                                    // a ← b if c is zero
	opSelV
	opSelR // references a, b
	opGlobalGetN
	opGlobalGetV
	opGlobalGetR
	opGlobalSetN
	opGlobalSetV
	opGlobalSetR
	opObject  // m.object; number operands from a, references from b
	opBulk    // m.bulk: takes time that the operands decide, and pays for it
	opNumeric // m.numeric of the instruction c: a ← b, imm (slot)
	opSIMD    // number slots from a, memory or constant c
	opRethrow // reference a: the exception that a legacy catch holds
	opHook    // while stepping: ask, then execute the baseline op
	opBreak   // a breakpoint: ask, then execute the op it replaces
	opDead    // unreachable code
	opControl // m.control
	opEvents  // event.switch: branches[imm : ] by the pending event; resumes[c]
	opThunk   // the body of a stack whose function is the host's: calls it
	opWide    // accesses to other memories than a 32-bit memory 0: opWide + (Op - OpI32Load)
	opWideEnd = opWide + uint16(wasm.OpI64Store32-wasm.OpI32Load)
)

// code is a compiled function.
type code struct {
	fn           uint32
	body         []wasm.Instr
	baseline     []op
	baselineBase unsafe.Pointer         // the first of baseline
	instrumented []op                   // all opHook, otherwise as baseline; made when stepping first needs it
	breaks       map[uint32]*breakpoint // by pc

	fused     []op
	fusedBase unsafe.Pointer // the first of fused; nil if there is no fused form
	fusedAt   []uint32       // by pc
	fusedAts  unsafe.Pointer // the first of fastAt
	fusedPC   []uint32       // the pc of each fused op
	fusedPCs  unsafe.Pointer // the first of fastPC

	nums, refs       uint32 // slots of a frame, with one to spare so that no base points behind the areas
	parNums, parRefs uint32
	locNums, locRefs uint32 // with the parameters
	clearsLocals     bool   // there are locals that are none: a call clears them
	resNums, resRefs uint32
	locals           []local
	params, results  []wasm.ValType // the module's type indices
	hiddenRefs       uint32         // reference slots behind the locals that legacy catches use

	branches     []branch
	casts        []wasm.ValType // canonical
	vectorHighs  []uint64       // high halves of constant vectors
	points       []resumePoint
	regions      []region
	barriers     []pcRange
	entryClauses []handlerClause // of the dialect fibers-handle: the function's own
	canonResults []wasm.ValType  // of the dialect fibers-handle: results, canonical
	// where what a stack takes before it begins with the function is in Instance.clauses, plus 1;
	// 0: nothing
	entryTable   uint32
	entryEvent   uint32 // of the dialect tasks: the pc of the event.switch that begins it, or noEvent
	entryIsFirst bool   // no loop begins before it

	typed map[typedAt][]wasm.ValType // see operands
}

// local is where a parameter or local is kept.
type local struct {
	typ  wasm.ValType
	slot uint16
}

// branch is a jump that takes operands along.
type branch struct {
	pc, fused        uint32 // the target, and its index in the fused form
	srcN, dstN, numN uint16
	srcR, dstR, numR uint16
}

// resumePoint is what an instruction that makes or switches stacks needs beyond its op.
type resumePoint struct {
	nums, refs uint16 // arguments, without the references to stacks
	kind       wasm.Op
	table      uint32 // where its clauses are in Instance.clauses
	// the event; of resume_throw the exception; of fiber.new, .mount_new, .switch_new what a return
	// sends; BadIndex if none
	tag         uint32
	fn          uint32 // the function of an instruction that makes a stack
	nextEvent   uint32 // tasks: the pc of the event.switch that follows, or noEvent
	nextIsFirst bool   // tasks: no loop begins before it
	clauses     []handlerClause
	results     []wasm.ValType // fibers-handle: what the resumed fiber is to give; canonical
}

// handlerClause is a clause: an on-clause of a resume, a clause with a label, or an `event` of a
// handle in scope, or a pair of an event.switch. The payload goes to the slots dstN, dstR, behind
// what is taken along: what was saved at a handle's entry, the operands that an event.switch gives
// to a label, the new fiber of fiber.mount_new, .switch_new.
type handlerClause struct {
	tag            uint32
	pc             uint32
	dstN, dstR     uint16
	isSwitch       bool
	target         targetKind
	directJump     bool   // it only jumps and takes the values: whoever sends the event need not ask
	saveN, saveR   uint16 // where that is
	savedN, savedR uint16 // how much of it
	op             *op    // the fused op of pc, if it has one
}

// targetKind reports how a handler takes an event.
type targetKind uint8

const (
	targetLabel targetKind = iota // by a branch to pc
	targetPair                    // the same; it is a pair of an event.switch
	targetNext                    // the same; pc is behind the instruction, fiber.mount_new or .switch_new
	targetEntry                   // fiber.new of fibers-mount: in the function with index pc
	targetMoved                   // where a debugger has put the stack, at pc; the values are dropped
)

type pcRange struct{ from, to uint32 }

// region is a try_table or legacy try: the pcs it covers and its clauses. Regions are in the order
// in which they open, so the innermost one around a pc is the last that covers it.
type region struct {
	pcRange
	catches  []catchClause
	delegate bool
	next     int // delegate: the search goes on at this region and outwards
}

// catchClause is a catch clause.
type catchClause struct {
	kind       wasm.CatchKind
	tag        uint32
	pc         uint32
	dstN, dstR uint16
	keep       bool // legacy: the exception is kept in the slot hold
	hold       uint16
}

// program is a compiled module.
type program struct {
	mod        *wasm.Module
	types      []wasm.Canon
	layouts    []*layout   // by type index, of structures and arrays
	funcs      []*code     // by function index, nil for imports
	mu         sync.Mutex  // while functions are compiled: guards resumes and barrier
	tableSites []tableSite // by resumePoint.set
	hasBarrier bool        // some function has a barrier
	env        *valid.Env  // made when somebody looks at operands
}

// instrumentedOps returns the instrumented form, making it if need be.
//
//go:noinline
func (c *code) instrumentedOps() unsafe.Pointer {
	if c.instrumented == nil {
		c.instrumented = make([]op, len(c.baseline))
		for i := range c.baseline {
			c.instrumented[i] = c.baseline[i]
			c.instrumented[i].code = opHook
		}
	}
	return unsafe.Pointer(unsafe.SliceData(c.instrumented))
}

// original returns the code of a baseline op without a breakpoint's patch.
//
//go:noinline
func (c *code) original(pc uint32) uint16 {
	if k := c.baseline[pc].code; k != opBreak {
		return k
	}
	return c.breaks[pc].code
}

// inBarrier reports whether a pc is inside a barrier.
func (c *code) inBarrier(pc uint32) bool {
	for _, b := range c.barriers {
		if b.from <= pc && pc < b.to {
			return true
		}
	}
	return false
}
