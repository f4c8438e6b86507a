package vm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"stackscope/vm/internal/code"
	"stackscope/vm/internal/simd"
	"stackscope/wasm"
	"strconv"
	"unsafe"
)

// slice is how many safe points pass between two looks at fuel, pause and termination.
const slice = 1 << 13

// maxNesting bounds calls of the host from within host functions, each of which takes Go stack.
const maxNesting = 500

// The flags that other goroutines set.
const (
	flagPause     = 1 << iota // RequestPause
	flagTerminate             // Terminate
	flagCancel                // the context is done
)

// activation is a host call in progress: outer is the stack that ran when a host function made it.
type activation struct {
	outer     *Stack
	root      *Stack // the rooted stack of the call
	host      *Func  // the host function that made it, nil for the outermost
	promising bool   // it can be suspended, see CallPromising
}

// Call calls a function with arguments of its parameter types. The error is a *Trap, an *Exception,
// an *Exit or a *Crash, or a plain one if the arguments do not fit. A deadline or cancellation of
// ctx interrupts the call (wasm.TrapInterrupted).
func (m *Machine) Call(ctx context.Context, fn *Func, args ...Value) (results []Value, err error) {
	if err := checkArgs(m, fn, args); err != nil {
		return nil, err
	}
	return m.call(ctx, fn, args)
}

// checkArgs checks arguments against the parameters of a function.
func checkArgs(m *Machine, fn *Func, args []Value) error {
	t := m.types.Type(fn.canon)
	if len(args) != len(t.Params) {
		return fmt.Errorf("%s takes %d arguments, not %d", fn, len(t.Params), len(args))
	}
	for i, a := range args {
		if !m.Fits(a, t.Params[i]) {
			return fmt.Errorf("argument %d of %s is of type %s, not %s", i, fn, a.Type, t.Params[i])
		}
	}
	return nil
}

// CallTrusted is Call for arguments that are known to be of the parameters' types, because they
// come from variables of these types: continuations, which Call cannot tell apart, and locals that
// are not set yet. A debugger evaluates expressions with it: unless the call makes stacks, those of
// the program get the ids that they get without it.
func (m *Machine) CallTrusted(ctx context.Context, fn *Func, args ...Value) ([]Value, error) {
	id := m.lastID
	results, err := m.call(ctx, fn, args)
	if m.lastID == id+1 { // only the rooted stack, which nothing can name any more
		m.lastID = id
	}
	return results, err
}

func (m *Machine) call(ctx context.Context, fn *Func, args []Value) (results []Value, err error) {
	return entry{fn: fn, put: func(s *Stack) { putValues(args, s.nums, s.refs) }}.call(ctx, m)
}

// call begins or continues a host call. It returns the results.
func (e entry) call(ctx context.Context, m *Machine) ([]Value, error) {
	t := m.types.Type(e.fn.canon)
	if len(m.acts) >= maxNesting {
		return nil, NewTrap(wasm.TrapStackExhausted, "")
	}
	if e.fn.code == nil {
		e.fn = m.thunk(e.fn)
	}
	s, err := m.enter(ctx, e)
	if err != nil {
		return nil, err
	}
	results := getValues(t.Results, s.nums, s.refs)
	m.retire(s)
	return results, nil
}

// entry is a host call that begins, or continues.
type entry struct {
	fn        *Func
	put       func(*Stack) // stores the arguments on the new stack
	promising bool         // it can be suspended, see CallPromising
	again     *Parked      // the call that continues; nil: it begins
	answer    Answer       // what it continues with
}

// enter runs a function on a new rooted stack, or continues one that was suspended. It returns the
// stack, with the results in its first slots.
func (m *Machine) enter(ctx context.Context, e entry) (s *Stack, err error) {
	fn := e.fn
	depth, prev, prevCtx, host, fault, late := len(m.acts), m.cur, m.ctx, m.host, m.fault, m.lateFault
	m.acts = append(m.acts, activation{outer: prev, host: host, promising: e.promising})
	m.ctx, m.host = ctx, nil
	m.fault, m.lateFault = noFault, false // those that the probe looks at are of the outer call
	if m.probe != nil {
		m.hostWatch.set(nil)
		if host != nil {
			defer m.hostWatch.set(host)
		}
	}
	stop := func() {}
	if ctx.Done() != nil && ctx != prevCtx {
		if ctx.Err() != nil {
			m.flags.Or(flagCancel)
		}
		done := make(chan struct{})
		unhook := context.AfterFunc(ctx, func() {
			m.flags.Or(flagCancel)
			close(done)
		})
		stop = func() {
			if !unhook() {
				<-done
			}
		}
	}
	if m.flags.Load() != 0 {
		m.regain()
	}
	defer func() {
		stop()
		if x := recover(); x != nil {
			err = newCrash(x)
		}
		m.acts, m.cur, m.ctx, m.host, m.fault, m.lateFault = m.acts[:depth], prev, prevCtx, host, fault, late
		if depth == 0 || ctx != prevCtx { // a nested call's end is not that of the outer one
			m.flags.And(^int32(flagCancel))
			if depth > 0 && prevCtx.Err() != nil {
				m.flags.Or(flagCancel)
			}
		}
	}()
	// A debugger's own stack is none of the program's, nor is that of a constant expression.
	told := !fn.OfDebugger() && fn.canon != wasm.BadCanon
	if e.again != nil {
		s = e.again.root
	} else if s = e.begin(m, told); s != nil {
		e.put(s)
	} else {
		return nil, NewTrap(m.exhausted(), "")
	}
	id, done := s.id, false
	m.acts[depth].root = s
	if e.again != nil {
		done, err = m.unpark(e.again, e.answer)
	}
	if err == nil && !done {
		err = m.run()
	}
	if err != nil {
		if err == errParked {
			return s, m.park(s, fn)
		}
		if s.id == id && s.state != StackMoribund { // the dialect stacks has parked it
			m.kill(s.Leaf(), EndTrapped, nil)
		}
		return nil, err
	}
	if m.watched && told {
		m.emitEnded(EventFinish, s, 0, Site{fn, 0}, end{kind: EndReturned}, func() []Value {
			return getValues(m.types.Type(fn.canon).Results, s.nums, s.refs)
		})
	}
	return s, nil
}

// begin makes the rooted stack of a host call the running one; nil if there is no room for it.
func (e entry) begin(m *Machine, told bool) *Stack {
	s := m.takeStack(e.fn, wasm.DialectNone)
	if s == nil {
		return nil
	}
	s.state, s.maker, s.makerPC = StackRunning, nil, -1
	s.rooted = true
	m.cur = s
	if m.watched && told {
		m.emit(Event{Kind: EventCreate, Stack: s.id, Base: s.BaseFunc(), Site: s.CreatedAt()})
		m.emit(Event{Kind: EventStart, Stack: s.id, Base: s.BaseFunc(), Site: Site{e.fn, 0}})
	}
	return s
}

// regain returns what is left of the slice, so that the next safe point looks at the flags.
func (m *Machine) regain() {
	if m.opt.Fuel > 0 {
		m.fuel += uint64(max(m.budget, 0))
	}
	m.budget = 0
}

// safePoint looks at what wants attention and grants the next slice of safe points. Something may
// have changed frames or the form of the code when it returns.
func (m *Machine) safePoint(s *Stack) wasm.TrapKind {
	m.budget = slice
	if m.atSafe != nil {
		m.budget = 1
	}
	if m.opt.Fuel > 0 {
		m.budget = int64(min(uint64(m.budget), m.fuel))
		m.fuel -= uint64(m.budget)
		if m.budget == 0 {
			return wasm.TrapOutOfFuel
		}
	}
	tk := m.attention(s)
	if tk == 0 && m.atSafe != nil {
		m.atSafe()
	}
	return tk
}

// attention serves the flags.
func (d *Debugging) attention(s *Stack) wasm.TrapKind {
	switch f := d.m.flags.Load(); {
	case f&(flagTerminate|flagCancel) != 0:
		return wasm.TrapInterrupted
	case f&flagPause != 0:
		d.m.flags.And(^int32(flagPause))
		d.stop(s, &Stop{Reason: StopPause})
		if d.m.flags.Load()&flagTerminate != 0 {
			return wasm.TrapInterrupted
		}
	}
	return 0
}

// callHost calls a host function with its arguments at the absolute slots nb, rb of s, where the
// results go. It returns an exception to throw at the call, or the error that ends the host call.
func (m *Machine) callHost(s *Stack, fn *Func, nb, rb uint32) (*Exn, error) {
	h := fn.host
	var c *Call
	if n := len(m.calls) - 1; n >= 0 {
		c = m.calls[n]
		m.calls = m.calls[:n]
	} else {
		c = &Call{mach: m}
	}
	c.ctx, c.fn, c.caller = m.ctx, fn, nil
	if in := s.top().fn.inst; in != m.hostInst {
		c.caller = in
	}
	c.parN, c.parR = s.nums[nb:nb+uint32(h.parNums)], s.refs[rb:rb+uint32(h.parRefs)]
	c.nums, c.refs = resize(c.nums, h.resNums), resize(c.refs, h.resRefs)
	outer := m.host
	m.host = fn
	if m.probe != nil {
		m.hostWatch.set(fn)
	}
	err := h.fn(c)
	if m.probe != nil {
		m.hostWatch.set(nil)
	}
	m.host = outer
	if err != nil {
		return m.hostError(s, fn, err)
	}
	if h.resRefs > 0 {
		for i, v := range getValues(h.results, c.nums, c.refs) {
			if !m.Fits(v, h.results[i]) {
				return m.hostError(s, fn, fmt.Errorf("result %d is %s", i, refType(v.Ref)))
			}
		}
	}
	copy(s.nums[nb:], c.nums)
	clear(c.parR)
	copy(s.refs[rb:], c.refs)
	clear(c.refs)
	m.calls = append(m.calls, c)
	return nil, nil
}

func resize[T any](s []T, n int) []T {
	if n > cap(s) {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// hostError sorts what a host function returned.
func (m *Machine) hostError(s *Stack, fn *Func, err error) (*Exn, error) {
	var x *Exception
	var t *Trap
	var exit *Exit
	var crash *Crash
	switch {
	case err == errParked:
		return nil, err
	case errors.As(err, &x):
		r := x.Ref
		if r.IsNull() {
			r = NewExn(x.Tag, x.Values...)
		}
		return r.asExn(), nil
	case errors.As(err, &exit), errors.As(err, &crash):
		m.kill(s, EndExited, nil)
		return nil, err
	case errors.As(err, &t):
		return nil, m.raiseHost(s, t)
	}
	outer := m.host
	m.host = fn
	err = m.raiseHost(s, &Trap{Kind: wasm.TrapHost, Message: wasm.TrapHost.String() + ": " + err.Error(), Cause: err})
	m.host = outer
	return nil, err
}

// thunk returns a function that can be a stack's base and calls a host function.
func (m *Machine) thunk(fn *Func) *Func {
	if t := m.thunks[fn]; t != nil {
		return t
	}
	h := fn.host
	c := &code.Func{
		Baseline: []code.Op{{Code: code.OpThunk}, {Code: code.OpReturn, C: uint16(h.resNums), Imm: uint64(h.resRefs)}},
		Body:     []wasm.Instr{{Op: wasm.OpNop}, {Op: wasm.OpEnd}},
		Nums:     uint32(max(h.parNums, h.resNums)) + 1,
		ParNums:  uint32(h.parNums), LocNums: uint32(h.parNums), ResNums: uint32(h.resNums),
		EntryEvent: code.NoEvent,
		ParRefs:    uint32(h.parRefs), LocRefs: uint32(h.parRefs), ResRefs: uint32(h.resRefs),
	}
	if n := max(h.parRefs, h.resRefs); n > 0 {
		c.Refs = uint32(n) + 1
	}
	c.BaselineBase = unsafe.Pointer(unsafe.SliceData(c.Baseline))
	t := m.register(
		&Func{object: object{kind: objFunc}, canon: fn.canon, inst: m.hostInst, code: c, thunk: fn, name: fn.name},
	)
	m.thunks[fn] = t
	return t
}

// indirect finds the function of a call_indirect.
func (inst *Instance) indirect(o *code.Op, f nslots) (*Func, wasm.TrapKind) {
	t := inst.tables[o.C]
	i := f.u64(uint16(o.Imm >> 32))
	if i >= uint64(len(t.elems)) {
		inst.mach.detail = strconv.FormatUint(i, 10)
		return nil, wasm.TrapUndefinedElement
	}
	r := t.elems[i]
	if r.obj == nil {
		inst.mach.detail = strconv.FormatUint(i, 10)
		return nil, wasm.TrapUninitializedElement
	}
	fn := r.asFunc()
	if want := wasm.Canon(uint32(o.Imm)); fn.canon != want && !inst.mach.types.Sub(fn.canon, want) {
		return nil, wasm.TrapIndirectCallType
	}
	return fn, 0
}

// vector executes a SIMD instruction.
func (inst *Instance) vector(s *Stack, cd *code.Func, o *code.Op, pc uint32) wasm.TrapKind {
	in := &cd.Body[pc]
	var hi uint64
	var mem []byte
	if in.Op == wasm.OpI8x16Shuffle {
		hi = cd.VectorHighs[o.C]
	} else if int(o.C) < len(inst.mems) {
		mem = inst.mems[o.C].bytes
	}
	return simd.Execute(in.Op, s.nums[s.top().numBase+uint32(o.A):], uint8(o.B), o.Imm, hi, mem)
}

// wide executes a load or store on any memory.
func wide(op wasm.Op, mem *Memory, addr, offset, x uint64) (uint64, wasm.TrapKind) {
	size := uint64(1)
	switch op {
	case wasm.OpI64Load, wasm.OpF64Load, wasm.OpI64Store, wasm.OpF64Store:
		size = 8
	case wasm.OpI32Load, wasm.OpF32Load, wasm.OpI64Load32S, wasm.OpI64Load32U, wasm.OpI32Store,
		wasm.OpF32Store, wasm.OpI64Store32:
		size = 4
	case wasm.OpI32Load16S, wasm.OpI32Load16U, wasm.OpI64Load16S, wasm.OpI64Load16U, wasm.OpI32Store16,
		wasm.OpI64Store16:
		size = 2
	}
	ea := addr + offset
	if ea < addr || ea > math.MaxUint64-size || ea+size > uint64(len(mem.bytes)) {
		return 0, wasm.TrapMemoryOutOfBounds
	}
	b := mem.bytes[ea : ea+size]
	if op >= wasm.OpI32Store {
		for i := range b {
			b[i] = byte(x >> (8 * i))
		}
		return 0, 0
	}
	for i, v := range b {
		x |= uint64(v) << (8 * i)
	}
	switch op {
	case wasm.OpI32Load8S:
		x = uint64(uint32(int8(x)))
	case wasm.OpI32Load16S:
		x = uint64(uint32(int16(x)))
	case wasm.OpI64Load8S:
		x = uint64(int8(x))
	case wasm.OpI64Load16S:
		x = uint64(int16(x))
	case wasm.OpI64Load32S:
		x = uint64(int32(x))
	}
	return x, 0
}

// wideAccess executes an opWide.
func wideAccess(in wasm.Op, mem *Memory, o *code.Op, f nslots) wasm.TrapKind {
	if in >= wasm.OpI32Store {
		_, tk := wide(in, mem, f.u64(o.A), o.Imm, f.u64(o.B))
		return tk
	}
	x, tk := wide(in, mem, f.u64(o.B), o.Imm, 0)
	if tk == 0 {
		f.set(o.A, x)
	}
	return tk
}

// tailRefs moves the reference arguments of a tail call from ra to the frame's first slots, and
// clears what the old frame (old slots) and the new one leave unused.
func tailRefs(s *Stack, base, ra uint32, cd *code.Func, old uint32) {
	end := base + max(old, cd.Refs)
	copy(s.refs[base:], s.refs[base+ra:base+ra+cd.ParRefs])
	clear(s.refs[base+cd.ParRefs : end])
}

// returnRefs moves nr reference results from ra to the frame's first slots and clears the others.
func returnRefs(r rslots, ra, nr, all uint32) {
	for i := uint32(0); i < nr; i++ {
		*r.at(uint16(i)) = *r.at(uint16(ra + i))
	}
	for i := nr; i < all; i++ {
		*r.at(uint16(i)) = Ref{}
	}
}

// refEq consumes two references and reports whether they are the same, as 0 or 1. The loop calls it
// for the sake of all other ops: where it cleared both slots itself, the compiler saved a variable
// at each op.
//
//go:noinline
func refEq(r rslots, b, c uint16) (same uint64) {
	if *r.at(b) == *r.at(c) {
		same = 1
	}
	*r.at(b), *r.at(c) = Ref{}, Ref{}
	return same
}

// moveRefs moves the references of a branch.
func moveRefs(r rslots, br *code.Branch) {
	for i := uint16(0); i < br.NumR; i++ {
		*r.at(br.DstR + i) = *r.at(br.SrcR + i)
	}
}
