package debug

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"stackscope/vm"
	"stackscope/wasm"
)

// Cancel ends a continuation that is new or suspended the way a program does it: an exception with a
// tag is thrown where it stands, so that its catch clauses run. That happens at once, on top of the
// running chain; nothing stops in it. The text tells what came of it. It must be called inside Do.
func (e *Engine) Cancel(id StackID, tag string, args []string) (text string, err error) {
	st := e.find(id)
	switch {
	case st == nil:
		return "", fmt.Errorf("there is no stack #%d", id)
	case st.Dialect() != wasm.DialectCont:
		return "", fmt.Errorf("#%d cannot be cancelled with a tag: only a continuation can, others are released", id)
	case st.Parent() != nil:
		return "", fmt.Errorf("#%d cannot be cancelled: #%d waits for it", id, st.Parent().ID())
	case st.State() == vm.StackRunning || st.State() == vm.StackWaiting && st.Leaf() == st:
		return "", fmt.Errorf("#%d cannot be cancelled: it is running", id)
	}
	t, err := e.tagNamed(st, tag)
	if err != nil {
		return "", err
	}
	if len(args) != len(t.Params()) {
		return "", fmt.Errorf("%s takes %d values, not %d", tagName(t), len(t.Params()), len(args))
	}
	vals := make([]vm.Value, len(args))
	for i, a := range args {
		if vals[i], err = ParseValue(t.Params()[i], a); err != nil {
			return "", fmt.Errorf("value %d of %s: %w", i+1, tagName(t), err)
		}
	}
	fn, err := e.canceller(st)
	if err != nil {
		return "", err
	}
	name := e.baseTitle(st)
	ref := vm.Value{Type: wasm.Ref(true, wasm.HeapCont), Ref: st.Reference()}
	exn := vm.NewExn(t, vals...)
	out, err := e.quietly(fn, []vm.Value{vm.RefValue(exn), ref})
	var trap *vm.Trap
	switch {
	case errors.As(err, &trap) && trap.Kind == wasm.TrapUnhandledTag:
		return fmt.Sprintf("#%d %s suspended itself with %s while it was cancelled: it was ended", id, name, tagName(trap.Tag)), nil
	case err != nil:
		return fmt.Sprintf("#%d %s ended with: %v", id, name, err), nil
	case len(out) == 1 && out[0].I32() == 0:
		return fmt.Sprintf("#%d %s caught %s and returned", id, name, tagName(t)), nil
	}
	return fmt.Sprintf("#%d %s was ended by %s", id, name, tagName(t)), nil
}

// AllContinuations tells whether the stacks are continuations, which can be cancelled. It must be called
// inside Do.
func (e *Engine) AllContinuations(ids []StackID) bool {
	for _, id := range ids {
		if st := e.find(id); st == nil || st.Dialect() != wasm.DialectCont {
			return false
		}
	}
	return true
}

// tagNamed finds a tag by name or export, first in the module of a stack's function.
func (e *Engine) tagNamed(st *vm.Stack, name string) (*vm.Tag, error) {
	bare := strings.Trim(strings.TrimPrefix(strings.TrimSpace(name), "$"), `"`)
	ins := e.mach.Instances()
	if in := st.BaseFunc().Instance(); in != nil {
		ins = append([]*vm.Instance{in}, ins...)
	}
	for _, in := range ins {
		if i, ok := lookupName(in.Module().Names.Tags, bare); ok {
			return in.Tag(i), nil
		}
		if t, ok := in.Export(bare).(*vm.Tag); ok {
			return t, nil
		}
	}
	return nil, fmt.Errorf("there is no tag %s", name)
}

// canceller makes a function that throws an exception into a continuation with the results of a
// stack's: it gives 0 if that returns, 1 if an exception leaves it.
func (e *Engine) canceller(st *vm.Stack) (*vm.Func, error) {
	base := st.BaseFunc()
	m := &wasm.Module{Dialect: wasm.DialectCont, Names: wasm.NewNames(), Start: wasm.BadIndex, DataCount: true}
	var results []wasm.ValType
	if in := base.Instance(); in != nil && !base.IsHost() && base.Index() != wasm.BadIndex {
		from := in.Module()
		m.Types, m.Recs = append(m.Types, from.Types...), append(m.Recs, from.Recs...)
		ft := from.FuncType(from.Funcs[base.Index()].Type)
		if ft == nil {
			return nil, errors.New("the type of its function is not known")
		}
		results = ft.Results
	} else {
		results = e.mach.Types().Type(base.Type()).Results
	}
	add := func(t wasm.SubType) uint32 {
		t.Final, t.Implicit = true, true
		m.Recs = append(m.Recs, wasm.RecGroup{Start: uint32(len(m.Types)), Len: 1})
		m.Types = append(m.Types, t)
		return uint32(len(m.Types) - 1)
	}
	f := add(wasm.SubType{Kind: wasm.CompFunc, Results: results})
	ct := add(wasm.SubType{Kind: wasm.CompCont, Func: f})
	self := add(wasm.SubType{Kind: wasm.CompFunc, Params: []wasm.ValType{wasm.Ref(true, wasm.HeapExn), wasm.Ref(true, wasm.HeapType(ct))}, Results: []wasm.ValType{wasm.I32}})
	body := []wasm.Instr{
		{Op: wasm.OpBlock},
		{Op: wasm.OpTryTable, Ext: &wasm.Ext{Catches: []wasm.Catch{{Kind: wasm.CatchAll}}}},
		{Op: wasm.OpLocalGet}, {Op: wasm.OpLocalGet, A: 1},
		{Op: wasm.OpResumeThrowRef, A: ct, Ext: &wasm.Ext{}},
	}
	for range results {
		body = append(body, wasm.Instr{Op: wasm.OpDrop})
	}
	body = append(body, wasm.Instr{Op: wasm.OpEnd}, wasm.Instr{Op: wasm.OpI32Const}, wasm.Instr{Op: wasm.OpReturn}, wasm.Instr{Op: wasm.OpEnd},
		wasm.Instr{Op: wasm.OpI32Const, Imm: 1}, wasm.Instr{Op: wasm.OpEnd})
	m.Funcs = []wasm.Func{{Type: self, Import: -1, Body: body}}
	m.Exports = []wasm.Export{{Kind: wasm.ExternFunc}}
	end := e.hush()
	defer end()
	in, err := e.mach.Instantiate(context.Background(), m, evalName, nil)
	if err != nil {
		return nil, err
	}
	return in.Func(0), nil
}
