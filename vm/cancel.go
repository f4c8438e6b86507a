package vm

import (
	"context"
	"unsafe"

	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// Cancel throws an exception into a continuation that is new or suspended, the head of its segment,
// as resume_throw_ref does, on top of the running chain: its catch clauses run, and the probe sees
// what happens in them. Above it stands a rooted stack that is the debugger's (Stack.OfDebugger).
// returned reports that it caught the exception and returned; else the exception has ended it. The
// error is that of a Call. In the end the running stack is the one that ran before.
//
// Cancel may be called by the probe, also while another call of it has not returned.
func (d *Debugging) Cancel(ctx context.Context, st *Stack, exn Ref) (returned bool, err error) {
	s, err := d.m.enter(ctx, entry{
		fn: d.canceller(st), put: func(s *Stack) { s.refs[0], s.refs[1] = exn, st.Reference() },
	})
	if err != nil {
		return false, err
	}
	returned = s.nums[0] == 1
	d.m.retire(s)
	return returned, nil
}

// OfDebugger reports that the stack stands for a debugger that cancels the one above it: no code of
// the program runs on it.
func (s *Stack) OfDebugger() bool { return s.rooted && s.base.OfDebugger() }

// OfDebugger reports that the function is none of the program's, but that of such a stack.
func (f *Func) OfDebugger() bool { return f != nil && f.inst != nil && f.inst == f.inst.mach.debugger }

// canceller returns a function that has no place in any module: it throws the exception of its
// first parameter into the continuation of its second, drops what that returns, and returns 1, or 0
// if an exception comes back.
func (d *Debugging) canceller(st *Stack) *Func {
	if d.debugger == nil {
		d.debugger = &Instance{
			name: "debugger", mach: d.m,
			mod: &wasm.Module{Names: wasm.NewNames(), Start: wasm.BadIndex}, clauses: make([]clauseTable, 1),
		}
	}
	results := st.base.code
	c := &code.Func{
		Baseline: []code.Op{
			{Code: uint16(wasm.OpResumeThrowRef)},
			{Code: code.OpConst, Imm: 1},
			{Code: code.OpReturn, C: 1},
			{Code: code.OpConst},
			{Code: code.OpReturn, C: 1},
		},
		Body: []wasm.Instr{
			{Op: wasm.OpResumeThrowRef}, {Op: wasm.OpI32Const, Imm: 1}, {Op: wasm.OpReturn},
			{Op: wasm.OpI32Const}, {Op: wasm.OpEnd},
		},
		Nums: results.ResNums + 2, Refs: results.ResRefs + 3,
		ParRefs: 2, LocRefs: 2, ResNums: 1,
		Points: []code.ResumePoint{{Refs: 1, Kind: wasm.OpResumeThrowRef, NextEvent: code.NoEvent}},
		Regions: []code.Region{
			{PCRange: code.PCRange{From: 0, To: 1}, Catches: []code.CatchClause{{Kind: wasm.CatchAll, PC: 3}}},
		},
		EntryEvent: code.NoEvent,
	}
	c.BaselineBase = unsafe.Pointer(unsafe.SliceData(c.Baseline))
	return &Func{
		object: object{kind: objFunc}, canon: d.m.funcType(nil, []wasm.ValType{wasm.I32}), inst: d.debugger,
		index: wasm.BadIndex, code: c, name: "the debugger",
	}
}

// Release ends a stack that is new or suspended, with all that hangs below it: references to it are
// consumed, or moribund, from here on. It reports whether it could; a stack of the running chain,
// one inside a suspended segment, and the stack of a call of the host cannot. The machine must
// stand still.
func (d *Debugging) Release(s *Stack) bool {
	head := s.state == StackNew || s.state == StackSuspended || s.state == StackWaiting && s.leaf != nil
	if !head || s.rooted || s.parent != nil {
		return false
	}
	for t := s.Leaf(); t != nil; {
		p := t.parent
		if d.m.watched {
			e := end{kind: EndByDebugger}
			if t != s {
				e.with = s.id
			}
			d.m.emitEnded(EventRelease, t, 0, Site{PC: -1}, e, nil)
		}
		d.m.retire(t)
		t = p
	}
	return true
}

// Reference returns a reference to the stack that is good now.
func (s *Stack) Reference() Ref { return Ref{&s.object, s.generation} }
