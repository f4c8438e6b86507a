package vm

import (
	"context"
	"errors"
	"fmt"
	"stackscope/vm/internal/code"
	"stackscope/vm/internal/compile"
	"stackscope/wasm"
)

// Compile compiles a valid module, all of it in the baseline and the fused form. Instantiate does
// so if it has not been done. The error is a *LinkError.
func (m *Machine) Compile(mod *wasm.Module) (err error) {
	defer guard(&err)
	_, err = m.load(mod)
	return err
}

// load compiles a module, once.
func (m *Machine) load(mod *wasm.Module) (*program, error) {
	if p := m.programs[mod]; p != nil {
		return p, nil
	}
	p := &program{
		Program: &code.Program{Mod: mod, Types: m.types.Add(mod), Funcs: make([]*code.Func, len(mod.Funcs))},
		layouts: make([]*layout, len(mod.Types)),
	}
	for i := range mod.Types {
		if k := mod.Types[i].Kind; k == wasm.CompStruct || k == wasm.CompArray {
			p.layouts[i] = layoutOf(p.Types[i], m.types.Type(p.Types[i]))
		}
	}
	if err := p.unit().All(); err != nil {
		return nil, linkError(err)
	}
	m.programs[mod] = p
	return p, nil
}

// unit returns the program for the compiler.
func (p *program) unit() *compile.Unit {
	isLarge := func(typ uint32) bool { return p.layouts[typ].size > bigStruct }
	return compile.New(p.Program, isLarge, guard)
}

// linkError returns an error of the compiler as one that Instantiate gives.
func linkError(err error) error {
	if e := (*compile.Unsupported)(nil); errors.As(err, &e) {
		return &LinkError{Message: e.Error()}
	}
	return err
}

// Instantiate links a valid module, initialises it and runs its start function. name is for people
// and may be empty. The error is a *LinkError, or what Call gives if a segment or the start
// function traps; the instance's effects on shared tables and memories remain then, as the
// specification says.
func (m *Machine) Instantiate(
	ctx context.Context, mod *wasm.Module, name string, imports Imports,
) (inst *Instance, err error) {
	defer guard(&err)
	p, err := m.load(mod)
	if err != nil {
		return nil, err
	}
	inst = &Instance{id: uint32(len(m.insts)) + 1, name: name, mach: m, mod: mod, prog: p, types: p.Types}
	if err := m.linkImports(inst, imports); err != nil {
		return nil, err
	}
	linear, fixed, err := m.claim(mod, len(inst.mems), len(inst.tables))
	if err != nil {
		return nil, err
	}
	if err := m.define(ctx, inst); err != nil {
		m.unreserve(linear, fixed)
		return nil, err
	}
	m.insts = append(m.insts, inst)
	m.barriers = m.barriers || p.HasBarrier
	if err := m.initialise(ctx, inst); err != nil {
		return nil, err
	}
	return inst, nil
}

func guard(err *error) {
	if x := recover(); x != nil {
		*err = newCrash(x)
	}
}

// linkImports finds the imports.
func (m *Machine) linkImports(inst *Instance, imports Imports) error {
	mod := inst.mod
	for _, im := range mod.Imports {
		var e Extern
		if imports != nil {
			e = imports.Import(im.Module, im.Name)
		}
		if e == nil {
			return &LinkError{Message: "unknown import", Module: im.Module, Name: im.Name}
		}
		if !m.fits(inst, im, e) {
			return &LinkError{Message: "incompatible import type", Module: im.Module, Name: im.Name}
		}
		switch e := e.(type) {
		case *Func:
			inst.funcs = append(inst.funcs, e)
		case *Table:
			inst.tables = append(inst.tables, e)
		case *Memory:
			inst.mems = append(inst.mems, e)
		case *Global:
			inst.globals = append(inst.globals, e)
		case *Tag:
			inst.tags = append(inst.tags, e)
		}
	}
	return nil
}

// fits reports whether something can be imported as declared.
func (m *Machine) fits(inst *Instance, im wasm.Import, e Extern) bool {
	want, ok := m.types.ExternType(inst.mod, inst.types, im.Kind, im.Index)
	have := wasm.ExternType{Kind: e.ExternKind()}
	switch e := e.(type) {
	case *Func:
		have.Def = e.canon
	case *Table:
		have.Type, have.Limits = e.typ, e.limits
		have.Limits.Min = e.Len()
	case *Memory:
		have.Limits = e.limits
		have.Limits.Min = e.Pages()
	case *Global:
		have.Type, have.Mut = e.typ, e.mut
	case *Tag:
		have.Def = e.canon
	}
	return ok && m.types.MatchExtern(have, want)
}

// define makes what the module itself declares.
func (m *Machine) define(ctx context.Context, inst *Instance) error {
	mod := inst.mod
	defer func(outer *Instance) { m.linking = outer }(m.linking)
	m.linking = inst
	for i := len(inst.funcs); i < len(mod.Funcs); i++ {
		inst.funcs = append(
			inst.funcs,
			m.register(
				&Func{
					object: object{kind: objFunc}, canon: inst.types[mod.Funcs[i].Type], inst: inst,
					code: inst.prog.Funcs[i], index: uint32(i),
				},
			),
		)
	}
	for i := len(inst.tags); i < len(mod.Tags); i++ {
		inst.tags = append(inst.tags, m.newTag(inst.types[mod.Tags[i].Type], inst, uint32(i), ""))
	}
	inst.resolve()
	for i := len(inst.mems); i < len(mod.Mems); i++ {
		mem, err := m.newMemory(mod.Mems[i].Limits)
		if err != nil {
			return &LinkError{Message: err.Error()}
		}
		inst.mems = append(inst.mems, mem)
	}
	if len(inst.mems) > 0 {
		inst.mem0 = inst.mems[0]
	}
	for i := len(inst.globals); i < len(mod.Globals); i++ {
		g := &mod.Globals[i]
		v, err := m.constant(ctx, inst, g.Type, g.Init)
		if err != nil {
			return err
		}
		inst.globals = append(
			inst.globals,
			&Global{typ: wasm.CanonVal(g.Type, inst.types), mut: g.Mut, lo: v.Lo, hi: v.Hi, ref: v.Ref},
		)
	}
	for i := len(inst.tables); i < len(mod.Tables); i++ {
		t := &mod.Tables[i]
		var v Value
		var err error
		if t.Init != nil {
			if v, err = m.constant(ctx, inst, t.Type, t.Init); err != nil {
				return err
			}
		}
		tab, err := m.newTable(wasm.CanonVal(t.Type, inst.types), t.Limits, v.Ref)
		if err != nil {
			return &LinkError{Message: err.Error()}
		}
		inst.tables = append(inst.tables, tab)
	}
	inst.elems = make([][]Ref, len(mod.Elems))
	for i := range mod.Elems {
		e := &mod.Elems[i]
		refs := make([]Ref, len(e.Init))
		for j, init := range e.Init {
			v, err := m.constant(ctx, inst, e.Type, init)
			if err != nil {
				return err
			}
			refs[j] = v.Ref
		}
		inst.elems[i] = refs
	}
	inst.datas = make([][]byte, len(mod.Datas))
	for i := range mod.Datas {
		inst.datas[i] = mod.Datas[i].Bytes
	}
	return nil
}

// initialise copies the active segments and runs the start function.
func (m *Machine) initialise(ctx context.Context, inst *Instance) error {
	mod := inst.mod
	for i := range mod.Elems {
		e := &mod.Elems[i]
		switch e.Mode {
		case wasm.SegmentActive:
			t := inst.tables[e.Table]
			at, err := m.constant(ctx, inst, wasm.I64, e.Offset)
			if err != nil {
				return err
			}
			refs := inst.elems[i]
			if !within(at.Lo, uint64(len(refs)), t.Len()) {
				return m.startTrap(wasm.TrapTableOutOfBounds)
			}
			copy(t.elems[at.Lo:], refs)
			inst.elems[i] = nil
		case wasm.SegmentDeclarative:
			inst.elems[i] = nil
		}
	}
	for i := range mod.Datas {
		d := &mod.Datas[i]
		if d.Mode != wasm.SegmentActive {
			continue
		}
		mem := inst.mems[d.Memory]
		at, err := m.constant(ctx, inst, wasm.I64, d.Offset)
		if err != nil {
			return err
		}
		if !within(at.Lo, uint64(len(d.Bytes)), uint64(len(mem.bytes))) {
			return m.startTrap(wasm.TrapMemoryOutOfBounds)
		}
		copy(mem.bytes[at.Lo:], d.Bytes)
		inst.datas[i] = nil
	}
	if mod.Start != wasm.BadIndex {
		_, err := m.Call(ctx, inst.funcs[mod.Start])
		return err
	}
	return nil
}

func (m *Machine) startTrap(k wasm.TrapKind) error {
	return &Trap{Kind: k, Message: k.String(), Backtrace: m.Backtrace()}
}

// constant evaluates a constant expression. Of its type only the class counts.
func (m *Machine) constant(ctx context.Context, inst *Instance, t wasm.ValType, body []wasm.Instr) (Value, error) {
	if len(body) == 2 {
		switch in := &body[0]; in.Op {
		case wasm.OpI32Const, wasm.OpF32Const:
			return Value{Type: t, Lo: uint64(uint32(in.Imm))}, nil
		case wasm.OpI64Const, wasm.OpF64Const:
			return Value{Type: t, Lo: in.Imm}, nil
		case wasm.OpRefNull:
			return Value{Type: t}, nil
		case wasm.OpRefFunc:
			return Value{Type: t, Ref: FuncRef(inst.funcs[in.A])}, nil
		case wasm.OpGlobalGet:
			g := inst.globals[in.A]
			return Value{Type: t, Lo: g.lo, Hi: g.hi, Ref: g.ref}, nil
		}
	}
	results := []wasm.ValType{t}
	c, err := inst.prog.unit().Constant(results, body)
	if err != nil {
		return Value{}, linkError(err)
	}
	fn := &Func{object: object{kind: objFunc}, inst: inst, code: c, index: wasm.BadIndex, canon: wasm.BadCanon}
	s, err := m.enter(ctx, fn, func(*Stack) {})
	if err != nil {
		return Value{}, err
	}
	v := getValues(results, s.nums, s.refs)[0]
	m.retire(s)
	return v, nil
}

// ErrNoExport is what Invoke gives for a name that is no exported function.
var ErrNoExport = errors.New("no exported function of this name")

// Invoke calls an exported function.
func (in *Instance) Invoke(ctx context.Context, name string, args ...Value) ([]Value, error) {
	fn, ok := in.Export(name).(*Func)
	if !ok {
		return nil, fmt.Errorf("%w: %q", ErrNoExport, name)
	}
	return in.mach.Call(ctx, fn, args...)
}
