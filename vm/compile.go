package vm

import (
	"fmt"
	"unsafe"

	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// maxSlots is how many number slots, or reference slots, a frame can have.
const maxSlots = 1<<16 - 2

// compiler turns one function body into baseline code. It follows the classes of the operands
// (number, vector, reference), from which their slots follow; the body is valid.
type compiler struct {
	p       *program
	types   *wasm.TypeStore
	c       *code
	classes []class
	n, r    int // next free number and reference slot
	maxN    int
	maxR    int
	ctl     []control
	dead    bool
	tries   int // legacy tries open
	handles handles
	typer   *valid.Typer // follows the body where the classes of results depend on types; else nil
	err     error
}

type class uint8

const (
	number class = iota
	vector
	reference
)

func classOf(t wasm.ValType) class {
	switch t.Kind() {
	case wasm.KindRef:
		return reference
	case wasm.KindV128:
		return vector
	}
	return number
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
	classes []class
	ctl     []control
	heights []uint16
	fuser   fuser
}

// compile compiles a body. The error names what is not supported.
func (p *program) compile(
	types *wasm.TypeStore, sc *scratch, fn uint32, params, results, locals []wasm.ValType, body []wasm.Instr,
) (*code, error) {
	k := &compiler{
		p: p, types: types, c: &code{fn: fn, body: body, params: params, results: results},
		classes: sc.classes[:0], ctl: sc.ctl[:0],
	}
	defer func() { sc.classes, sc.ctl = k.classes, k.ctl }()
	c := k.c
	c.baseline = make([]op, len(body))
	c.baselineBase = unsafe.Pointer(unsafe.SliceData(c.baseline))
	c.locals = make([]local, 0, len(params)+len(locals))
	add := func(t wasm.ValType) {
		n, r := slots(t)
		at := k.n
		if r > 0 {
			at = k.r
		}
		c.locals = append(c.locals, local{t, uint16(at)})
		k.n, k.r = k.n+n, k.r+r
	}
	for _, t := range params {
		add(t)
	}
	c.parNums, c.parRefs = uint32(k.n), uint32(k.r)
	for _, t := range locals {
		add(t)
		if k.n > maxSlots || k.r > maxSlots {
			return nil, k.tooLarge()
		}
	}
	k.prescan(body)
	c.hiddenRefs = uint32(legacyDepth(body))
	c.locNums, c.locRefs = uint32(k.n), uint32(k.r)+c.hiddenRefs
	c.clearsLocals = c.locNums > c.parNums || c.locRefs > c.parRefs
	k.r += int(c.hiddenRefs)
	rn, rr := slotsOf(results)
	c.resNums, c.resRefs = uint32(rn), uint32(rr)
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
	c.entryEvent, c.entryIsFirst = k.eventFrom(0)
	c.entryClauses = k.clauses(&k.ctl[0])
	if p.mod.Dialect == wasm.DialectFibersHandle {
		c.canonResults = k.canonical(results)
	}
	if len(c.entryClauses) > 0 || c.entryEvent != noEvent && c.entryIsFirst {
		c.entryTable = k.set(entryClausesIndex) + 1
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
	c.nums = uint32(k.maxN) + 1
	if k.maxR > 0 {
		c.refs = uint32(k.maxR) + 1
	}
	c.fuse(&sc.fuser, heights)
	return c, nil
}

func (k *compiler) tooLarge() error {
	return &LinkError{
		Message: fmt.Sprintf("function %s needs more than %d slots in its frame", k.p.mod.Names.Func(k.c.fn), maxSlots),
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

func (k *compiler) push(c class) int {
	k.classes = append(k.classes, c)
	at := k.n
	switch c {
	case number:
		k.n++
	case vector:
		k.n += 2
	case reference:
		at = k.r
		k.r++
		k.maxR = max(k.maxR, k.r)
		return at
	}
	k.maxN = max(k.maxN, k.n)
	return at
}

func (k *compiler) pop() (class, int) {
	c := k.classes[len(k.classes)-1]
	k.classes = k.classes[:len(k.classes)-1]
	switch c {
	case number:
		k.n--
		return c, k.n
	case vector:
		k.n -= 2
		return c, k.n
	}
	k.r--
	return c, k.r
}

func (k *compiler) pops(ts []wasm.ValType) {
	for range ts {
		k.pop()
	}
}

func (k *compiler) pushes(ts []wasm.ValType) {
	for _, t := range ts {
		k.push(classOf(t))
	}
}

// effect pops and pushes and gives where the operands begin.
func (k *compiler) effect(params, results []wasm.ValType) (a, b uint16) {
	k.pops(params)
	a, b = uint16(k.n), uint16(k.r)
	k.pushes(results)
	return a, b
}

func (k *compiler) blockType(in *wasm.Instr) (params, results []wasm.ValType) {
	bt := in.Block()
	if i, ok := bt.Index(); ok {
		t := k.p.mod.FuncType(i)
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
		arm: -1, regions: len(k.c.regions), region: -1, barrier: -1,
	}
	if !k.dead {
		pn, pr := slotsOf(params)
		ct.heightN, ct.heightR, ct.classes = k.n-pn, k.r-pr, len(k.classes)-len(params)
		if in.Op == wasm.OpLoop {
			ct.lblN, ct.lblR = pn, pr
		} else {
			ct.lblN, ct.lblR = slotsOf(results)
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
		k.c.branches[f.i].pc = uint32(pc)
	case fixHandler:
		k.c.points[f.i].clauses[f.j].pc = uint32(pc)
	case fixClause:
		k.c.regions[f.i].catches[f.j].pc = uint32(pc)
	}
}

// jumpTo sets the distance of a jump.
func (k *compiler) jumpTo(from, to int) { k.c.baseline[from].imm = uint64((to - from) * opSize) }

// branch adds a branch to a label with the operands now on top.
func (k *compiler) branch(depth uint32) int {
	ct := k.label(depth)
	b := branch{dstN: uint16(ct.heightN), numN: uint16(ct.lblN), dstR: uint16(ct.heightR), numR: uint16(ct.lblR)}
	b.srcN, b.srcR = uint16(k.n-ct.lblN), uint16(k.r-ct.lblR)
	k.c.branches = append(k.c.branches, b)
	i := len(k.c.branches) - 1
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
	o := &k.c.baseline[pc]
	o.a = uint16(a)
	if k.straight(depth) {
		o.code = plainCode
		k.target(k.label(depth), fix{fixOp, pc, 0})
		return
	}
	o.code, o.imm = moveCode, uint64(k.branch(depth))
}

// end closes the innermost block at pc.
func (k *compiler) end(pc int, o *op) {
	k.closeEvent()
	n := len(k.ctl) - 1
	ct := &k.ctl[n]
	o.code = opEnd
	if n == 0 { // the function
		for _, f := range ct.fixes {
			k.applyFix(f, pc)
		}
		*o = op{
			code: opReturn, a: uint16(ct.heightN), b: uint16(ct.heightR), c: uint16(k.c.resNums),
			imm: uint64(k.c.resRefs),
		}
		k.ctl = k.ctl[:n]
		return
	}
	if ct.region >= 0 && k.c.regions[ct.region].to == 0 {
		k.c.regions[ct.region].to = uint32(pc)
	}
	if ct.barrier >= 0 {
		k.c.barriers[ct.barrier].to = uint32(pc)
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
func (k *compiler) nextArm(pc int, o *op, params []wasm.ValType) {
	ct := &k.ctl[len(k.ctl)-1]
	if ct.dead {
		o.code = opDead
		return
	}
	o.code = opJump
	ct.fixes = append(ct.fixes, fix{fixOp, pc, 0})
	if ct.arm >= 0 {
		k.jumpTo(ct.arm, pc+1)
		ct.arm = -1
	}
	k.reset(ct)
	k.pushes(params)
	k.dead = false
}
