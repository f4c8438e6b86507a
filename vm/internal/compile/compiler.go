package compile

import (
	"fmt"
	"stackscope/vm/internal/code"
	"stackscope/wasm"
	"stackscope/wasm/valid"
	"unsafe"
)

// maxSlots is how many number slots, or reference slots, a frame can have.
const maxSlots = 1<<16 - 2

// compiler turns one function body into baseline code. It follows the classes of the operands
// (number, vector, reference), from which their slots follow; the body is valid.
type compiler struct {
	p *Unit
	c *code.Func
	operands
	ctl     []control
	dead    bool
	tries   int // legacy tries open
	handles handles
	inScope int          // clauses, see maxInScope
	typer   *valid.Typer // follows the body where the classes of results depend on types; else nil
	err     error
}

// operands are those of an instruction that is compiled: their classes, and the slots that they
// take.
type operands struct {
	classes []code.Class
	n, r    int // next free number and reference slot
	maxN    int
	maxR    int
}

// control is an open block.
type control struct {
	op               wasm.Op
	pc               int
	heightN, heightR int // slots below the parameters
	classes          int // operands below the parameters
	params, results  []wasm.ValType
	lblN, lblR       int  // what a branch takes along
	dead             bool // opened in dead code
	arm              int  // `if` whose else has not come yet, else -1
	fixes            []fix
	regions          int // regions that were open before
	region           int // own region, or -1
	hold             int // slot of a legacy try's exception
	barrier          int
	scope            []code.HandlerClause // of a handle: those in scope in it, once they are asked for
}

// fix is a place that waits for the end of a block.
type fix struct {
	kind uint8
	i, j int
}

const (
	fixOp uint8 = iota
	fixBranch
	fixHandler
	fixClause
)

// scratch is memory that the compilation of one function leaves to that of the next.
type scratch struct {
	classes []code.Class
	ctl     []control
	heights []uint16
	fuser   fuser
}

// compile compiles a body. The error names what is not supported.
func (u *Unit) compile(
	sc *scratch, fn uint32, params, results, locals []wasm.ValType, body []wasm.Instr,
) (*code.Func, error) {
	k := &compiler{
		p: u, c: &code.Func{Index: fn, Body: body, Params: params, Results: results},
		operands: operands{classes: sc.classes[:0]}, ctl: sc.ctl[:0],
	}
	defer func() { sc.classes, sc.ctl = k.classes, k.ctl }()
	c := k.c
	c.Baseline = make([]code.Op, len(body))
	c.BaselineBase = unsafe.Pointer(unsafe.SliceData(c.Baseline))
	c.Locals = make([]code.Local, 0, len(params)+len(locals))
	add := func(t wasm.ValType) {
		n, r := code.Slots(t)
		at := k.n
		if r > 0 {
			at = k.r
		}
		c.Locals = append(c.Locals, code.Local{Type: t, Slot: uint16(at)})
		k.n, k.r = k.n+n, k.r+r
	}
	for _, t := range params {
		add(t)
	}
	c.ParNums, c.ParRefs = uint32(k.n), uint32(k.r)
	for _, t := range locals {
		add(t)
		if k.n > maxSlots || k.r > maxSlots {
			return nil, k.tooLarge()
		}
	}
	k.prescan(body)
	c.HiddenRefs = uint32(legacyDepth(body))
	c.LocNums, c.LocRefs = uint32(k.n), uint32(k.r)+c.HiddenRefs
	c.ClearsLocals = c.LocNums > c.ParNums || c.LocRefs > c.ParRefs
	k.r += int(c.HiddenRefs)
	rn, rr := code.SlotsOf(results)
	c.ResNums, c.ResRefs = uint32(rn), uint32(rr)
	k.maxN, k.maxR = max(k.n, rn), max(k.r, rr)
	k.ctl = append(
		k.ctl,
		control{
			op: wasm.OpBlock, pc: -1, heightN: k.n, heightR: k.r, results: results, lblN: rn,
			lblR: rr, arm: -1, region: -1, barrier: -1,
		},
	)
	sc.heights = append(sc.heights[:0], make([]uint16, len(body))...)
	heights := sc.heights
	c.EntryEvent, c.EntryIsFirst = k.eventFrom(0)
	c.EntryClauses = k.clauses(&k.ctl[0])
	if u.Mod.Dialect.Info().FrameEvents {
		c.CanonResults = k.canonical(results)
	}
	if len(c.EntryClauses) > 0 || c.EntryEvent != code.NoEvent && c.EntryIsFirst {
		c.EntryTable = k.set(code.EntryClausesIndex) + 1
	}
	for pc := range body {
		if k.typer != nil {
			k.typer.Step(&body[pc])
		}
		heights[pc] = uint16(k.n)
		k.instr(pc, &body[pc])
		if k.err != nil {
			return nil, k.err
		}
	}
	if k.maxN > maxSlots || k.maxR > maxSlots {
		return nil, k.tooLarge()
	}
	c.Nums = uint32(k.maxN) + 1
	if k.maxR > 0 {
		c.Refs = uint32(k.maxR) + 1
	}
	fuse(c, &sc.fuser, heights)
	return c, nil
}

func (k *compiler) tooLarge() error {
	return &Unsupported{
		fmt.Sprintf("function %s needs more than %d slots in its frame", k.p.Mod.Names.Func(k.c.Index), maxSlots),
	}
}

// legacyDepth returns the deepest nesting of legacy tries.
func legacyDepth(body []wasm.Instr) int {
	var open []bool
	depth, most := 0, 0
	for i := range body {
		switch op := body[i].Op; {
		case op.OpensBlock():
			open = append(open, op == wasm.OpTry)
			if op == wasm.OpTry {
				depth++
				most = max(most, depth)
			}
		case op == wasm.OpEnd || op == wasm.OpDelegate:
			if n := len(open); n > 0 {
				if open[n-1] {
					depth--
				}
				open = open[:n-1]
			}
		}
	}
	return most
}

func (k *operands) push(c code.Class) int {
	k.classes = append(k.classes, c)
	at := k.n
	switch c {
	case code.Number:
		k.n++
	case code.Vector:
		k.n += 2
	case code.Reference:
		at = k.r
		k.r++
		k.maxR = max(k.maxR, k.r)
		return at
	}
	k.maxN = max(k.maxN, k.n)
	return at
}

func (k *operands) pop() (code.Class, int) {
	c := k.classes[len(k.classes)-1]
	k.classes = k.classes[:len(k.classes)-1]
	switch c {
	case code.Number:
		k.n--
		return c, k.n
	case code.Vector:
		k.n -= 2
		return c, k.n
	}
	k.r--
	return c, k.r
}

func (k *operands) pops(ts []wasm.ValType) {
	for range ts {
		k.pop()
	}
}

func (k *operands) pushes(ts []wasm.ValType) {
	for _, t := range ts {
		k.push(code.ClassOf(t))
	}
}

// effect pops and pushes and returns where the operands begin.
func (k *operands) effect(params, results []wasm.ValType) (a, b uint16) {
	k.pops(params)
	a, b = uint16(k.n), uint16(k.r)
	k.pushes(results)
	return a, b
}

func (k *compiler) blockType(in *wasm.Instr) (params, results []wasm.ValType) {
	bt := in.Block()
	if i, ok := bt.Index(); ok {
		t := k.p.Mod.FuncType(i)
		return t.Params, t.Results
	}
	if t, ok := bt.Result(); ok {
		return nil, []wasm.ValType{t}
	}
	return nil, nil
}

func (k *compiler) open(pc int, in *wasm.Instr) *control {
	params, results := k.blockType(in)
	var fixes []fix // of a block that has been closed
	if n := len(k.ctl); n < cap(k.ctl) {
		fixes = k.ctl[:n+1][n].fixes[:0]
	}
	ct := control{
		fixes: fixes, op: in.Op, pc: pc, params: params, results: results, dead: k.dead,
		arm: -1, regions: len(k.c.Regions), region: -1, barrier: -1,
	}
	if !k.dead {
		pn, pr := code.SlotsOf(params)
		ct.heightN, ct.heightR, ct.classes = k.n-pn, k.r-pr, len(k.classes)-len(params)
		if in.Op == wasm.OpLoop {
			ct.lblN, ct.lblR = pn, pr
		} else {
			ct.lblN, ct.lblR = code.SlotsOf(results)
		}
	}
	k.ctl = append(k.ctl, ct)
	return &k.ctl[len(k.ctl)-1]
}

// label returns the block that a relative depth names. The label of an event clause is its
// handle's.
func (k *compiler) label(depth uint32) *control {
	i := len(k.ctl) - 1 - int(depth)
	if k.ctl[i].op == wasm.OpEvent {
		i--
	}
	return &k.ctl[i]
}

// target makes a place refer to a label.
func (k *compiler) target(ct *control, f fix) {
	if ct.op == wasm.OpLoop {
		k.applyFix(f, ct.pc)
	} else {
		ct.fixes = append(ct.fixes, f)
	}
}

func (k *compiler) applyFix(f fix, pc int) {
	switch f.kind {
	case fixOp:
		k.jumpTo(f.i, pc)
	case fixBranch:
		k.c.Branches[f.i].PC = uint32(pc)
	case fixHandler:
		k.c.Points[f.i].Clauses[f.j].PC = uint32(pc)
	case fixClause:
		k.c.Regions[f.i].Catches[f.j].PC = uint32(pc)
	}
}

// jumpTo sets the distance of a jump.
func (k *compiler) jumpTo(from, to int) { k.c.Baseline[from].Imm = uint64((to - from) * code.OpSize) }

// branch adds a branch to a label with the operands now on top.
func (k *compiler) branch(depth uint32) int {
	ct := k.label(depth)
	b := code.Branch{DstN: uint16(ct.heightN), NumN: uint16(ct.lblN), DstR: uint16(ct.heightR), NumR: uint16(ct.lblR)}
	b.SrcN, b.SrcR = uint16(k.n-ct.lblN), uint16(k.r-ct.lblR)
	k.c.Branches = append(k.c.Branches, b)
	i := len(k.c.Branches) - 1
	k.target(ct, fix{fixBranch, i, 0})
	return i
}

// straight reports whether a branch to the label moves nothing.
func (k *compiler) straight(depth uint32) bool {
	ct := k.label(depth)
	return (ct.lblN == 0 || k.n-ct.lblN == ct.heightN) && (ct.lblR == 0 || k.r-ct.lblR == ct.heightR)
}

// jump emits a branch: plainCode if it moves nothing, else moveCode.
func (k *compiler) jump(pc int, depth uint32, a int, plainCode, moveCode uint16) {
	o := &k.c.Baseline[pc]
	o.A = uint16(a)
	if k.straight(depth) {
		o.Code = plainCode
		k.target(k.label(depth), fix{fixOp, pc, 0})
		return
	}
	o.Code, o.Imm = moveCode, uint64(k.branch(depth))
}

// end closes the innermost block at pc.
func (k *compiler) end(pc int, o *code.Op) {
	k.closeEvent()
	n := len(k.ctl) - 1
	ct := &k.ctl[n]
	o.Code = code.OpEnd
	if n == 0 { // the function
		for _, f := range ct.fixes {
			k.applyFix(f, pc)
		}
		*o = code.Op{
			Code: code.OpReturn, A: uint16(ct.heightN), B: uint16(ct.heightR), C: uint16(k.c.ResNums),
			Imm: uint64(k.c.ResRefs),
		}
		k.ctl = k.ctl[:n]
		return
	}
	if ct.region >= 0 && k.c.Regions[ct.region].To == 0 {
		k.c.Regions[ct.region].To = uint32(pc)
	}
	if ct.barrier >= 0 {
		k.c.Barriers[ct.barrier].To = uint32(pc)
	}
	if ct.op == wasm.OpTry {
		k.tries--
	}
	k.dead = ct.dead
	if !ct.dead {
		if ct.arm >= 0 {
			k.jumpTo(ct.arm, pc+1)
		}
		for _, f := range ct.fixes {
			k.applyFix(f, pc+1)
		}
		k.reset(ct)
		k.pushes(ct.results)
	}
	k.ctl = k.ctl[:n]
}

// reset goes back to the operands below a block.
func (k *compiler) reset(ct *control) {
	k.n, k.r, k.classes = ct.heightN, ct.heightR, k.classes[:ct.classes]
}

// arm begins another arm (else, catch) of the innermost block at pc; the arm before jumps to the
// end.
func (k *compiler) nextArm(pc int, o *code.Op, params []wasm.ValType) {
	ct := &k.ctl[len(k.ctl)-1]
	if ct.dead {
		o.Code = code.OpDead
		return
	}
	o.Code = code.OpJump
	ct.fixes = append(ct.fixes, fix{fixOp, pc, 0})
	if ct.arm >= 0 {
		k.jumpTo(ct.arm, pc+1)
		ct.arm = -1
	}
	k.reset(ct)
	k.pushes(params)
	k.dead = false
}
