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

// linker makes an instance.
type linker struct {
	m    *Machine
	inst *Instance
	ctx  context.Context
}

// Instantiate links a valid module, initialises it and runs its start function. name is for people
// and may be empty. The error is a *LinkError, or what Call returns if a segment or the start
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
	k := &linker{m: m, inst: inst, ctx: ctx}
	if err := k.linkImports(imports); err != nil {
		return nil, err
	}
	linear, fixed, err := m.claim(mod, len(inst.mems), len(inst.tables))
	if err != nil {
		return nil, err
	}
	if err := k.define(); err != nil {
		m.unreserve(linear, fixed)
		return nil, err
	}
	m.insts = append(m.insts, inst)
	m.barriers = m.barriers || p.HasBarrier
	if err := k.initialise(); err != nil {
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
func (k *linker) linkImports(imports Imports) error {
	mod := k.inst.mod
	found := make([]Extern, len(mod.Imports))
	var missing []int
	for i, im := range mod.Imports {
		if imports != nil {
			found[i] = imports.Import(im.Module, im.Name, im.Kind)
		}
		if found[i] == nil {
			missing = append(missing, i)
		}
	}
	if len(missing) > 0 {
		im := mod.Imports[missing[0]]
		return &LinkError{
			Message: "unknown import", Module: im.Module, Name: im.Name, In: mod, Missing: missing,
		}
	}
	for i, im := range mod.Imports {
		e := found[i]
		if g, ok := e.(*Generic); ok {
			var err error
			if e, err = k.declared(im, g); err != nil {
				return err
			}
		}
		if !k.fits(im, e) {
			return &LinkError{Message: "incompatible import type", Module: im.Module, Name: im.Name}
		}
		switch e := e.(type) {
		case *Func:
			k.inst.funcs = append(k.inst.funcs, e)
		case *Table:
			k.inst.tables = append(k.inst.tables, e)
		case *Memory:
			k.inst.mems = append(k.inst.mems, e)
		case *Global:
			k.inst.globals = append(k.inst.globals, e)
		case *Tag:
			k.inst.tags = append(k.inst.tags, e)
		}
	}
	return nil
}

// declared makes what an import of any type is for a declaration.
func (k *linker) declared(im wasm.Import, g *Generic) (Extern, error) {
	no := func(why string) error {
		return &LinkError{Message: "incompatible import type" + why, Module: im.Module, Name: im.Name}
	}
	t, ok := k.m.types.ExternType(k.inst.mod, k.inst.types, im.Kind, im.Index)
	if !ok || im.Kind != g.Kind {
		return nil, no("")
	}
	d := Declared{Module: im.Module, Name: im.Name, Type: t.Def, Value: t.Type, Mut: t.Mut, Limits: t.Limits}
	if im.Kind == wasm.ExternFunc || im.Kind == wasm.ExternTag {
		ft := k.m.types.Type(t.Def)
		d.Params, d.Results = ft.Params, ft.Results
	}
	e, err := g.Make(d)
	if err != nil {
		return nil, no(" (" + err.Error() + ")")
	}
	return e, nil
}

// fits reports whether something can be imported as declared.
func (k *linker) fits(im wasm.Import, e Extern) bool {
	want, ok := k.m.types.ExternType(k.inst.mod, k.inst.types, im.Kind, im.Index)
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
	return ok && k.m.types.MatchExtern(have, want)
}

// define makes what the module itself declares.
func (k *linker) define() error {
	mod := k.inst.mod
	defer func(outer *Instance) { k.m.linking = outer }(k.m.linking)
	k.m.linking = k.inst
	for i := len(k.inst.funcs); i < len(mod.Funcs); i++ {
		k.inst.funcs = append(
			k.inst.funcs,
			k.m.register(
				&Func{
					object: object{kind: objFunc}, canon: k.inst.types[mod.Funcs[i].Type], inst: k.inst,
					code: k.inst.prog.Funcs[i], index: uint32(i),
				},
			),
		)
	}
	for i := len(k.inst.tags); i < len(mod.Tags); i++ {
		k.inst.tags = append(k.inst.tags, k.m.newTag(k.inst.types[mod.Tags[i].Type], k.inst, uint32(i), ""))
	}
	k.inst.resolve()
	for i := len(k.inst.mems); i < len(mod.Mems); i++ {
		mem, err := k.m.newMemory(mod.Mems[i].Limits)
		if err != nil {
			return &LinkError{Message: err.Error()}
		}
		k.inst.mems = append(k.inst.mems, mem)
	}
	if len(k.inst.mems) > 0 {
		k.inst.mem0 = k.inst.mems[0]
	}
	for i := len(k.inst.globals); i < len(mod.Globals); i++ {
		g := &mod.Globals[i]
		v, err := k.constant(g.Type, g.Init)
		if err != nil {
			return err
		}
		k.inst.globals = append(
			k.inst.globals,
			&Global{typ: wasm.CanonVal(g.Type, k.inst.types), mut: g.Mut, lo: v.Lo, hi: v.Hi, ref: v.Ref},
		)
	}
	for i := len(k.inst.tables); i < len(mod.Tables); i++ {
		t := &mod.Tables[i]
		var v Value
		var err error
		if t.Init != nil {
			if v, err = k.constant(t.Type, t.Init); err != nil {
				return err
			}
		}
		tab, err := k.m.newTable(wasm.CanonVal(t.Type, k.inst.types), t.Limits, v.Ref)
		if err != nil {
			return &LinkError{Message: err.Error()}
		}
		k.inst.tables = append(k.inst.tables, tab)
	}
	k.inst.elems = make([][]Ref, len(mod.Elems))
	for i := range mod.Elems {
		e := &mod.Elems[i]
		refs := make([]Ref, len(e.Init))
		for j, init := range e.Init {
			v, err := k.constant(e.Type, init)
			if err != nil {
				return err
			}
			refs[j] = v.Ref
		}
		k.inst.elems[i] = refs
	}
	k.inst.datas = make([][]byte, len(mod.Datas))
	for i := range mod.Datas {
		k.inst.datas[i] = mod.Datas[i].Bytes
	}
	return nil
}

// initialise copies the active segments and runs the start function.
func (k *linker) initialise() error {
	mod := k.inst.mod
	for i := range mod.Elems {
		e := &mod.Elems[i]
		switch e.Mode {
		case wasm.SegmentActive:
			t := k.inst.tables[e.Table]
			at, err := k.constant(wasm.I64, e.Offset)
			if err != nil {
				return err
			}
			refs := k.inst.elems[i]
			if !within(at.Lo, uint64(len(refs)), t.Len()) {
				return k.startTrap(wasm.TrapTableOutOfBounds)
			}
			copy(t.elems[at.Lo:], refs)
			k.inst.elems[i] = nil
		case wasm.SegmentDeclarative:
			k.inst.elems[i] = nil
		}
	}
	for i := range mod.Datas {
		d := &mod.Datas[i]
		if d.Mode != wasm.SegmentActive {
			continue
		}
		mem := k.inst.mems[d.Memory]
		at, err := k.constant(wasm.I64, d.Offset)
		if err != nil {
			return err
		}
		if !within(at.Lo, uint64(len(d.Bytes)), uint64(len(mem.bytes))) {
			return k.startTrap(wasm.TrapMemoryOutOfBounds)
		}
		copy(mem.bytes[at.Lo:], d.Bytes)
		k.inst.datas[i] = nil
	}
	if mod.Start != wasm.BadIndex {
		_, err := k.m.Call(k.ctx, k.inst.funcs[mod.Start])
		return err
	}
	return nil
}

func (k *linker) startTrap(tk wasm.TrapKind) error {
	return &Trap{Kind: tk, Message: tk.String(), Backtrace: k.m.Backtrace()}
}

// constant evaluates a constant expression. Of its type only the class counts.
func (k *linker) constant(t wasm.ValType, body []wasm.Instr) (Value, error) {
	if len(body) == 2 {
		switch in := &body[0]; in.Op {
		case wasm.OpI32Const, wasm.OpF32Const:
			return Value{Type: t, Lo: uint64(uint32(in.Imm))}, nil
		case wasm.OpI64Const, wasm.OpF64Const:
			return Value{Type: t, Lo: in.Imm}, nil
		case wasm.OpRefNull:
			return Value{Type: t}, nil
		case wasm.OpRefFunc:
			return Value{Type: t, Ref: FuncRef(k.inst.funcs[in.A])}, nil
		case wasm.OpGlobalGet:
			g := k.inst.globals[in.A]
			return Value{Type: t, Lo: g.lo, Hi: g.hi, Ref: g.ref}, nil
		}
	}
	results := []wasm.ValType{t}
	c, err := k.inst.prog.unit().Constant(results, body)
	if err != nil {
		return Value{}, linkError(err)
	}
	fn := &Func{object: object{kind: objFunc}, inst: k.inst, code: c, index: wasm.BadIndex, canon: wasm.BadCanon}
	id := k.m.lastID
	s, err := k.m.enter(k.ctx, entry{fn: fn, put: func(*Stack) {}})
	if err != nil {
		return Value{}, err
	}
	v := getValues(results, s.nums, s.refs)[0]
	k.m.retire(s)
	if k.m.lastID == id+1 { // nobody has seen the stack
		k.m.lastID = id
	}
	return v, nil
}

// ErrNoExport is what Invoke returns for a name that is no exported function.
var ErrNoExport = errors.New("no exported function of this name")

// Invoke calls an exported function.
func (in *Instance) Invoke(ctx context.Context, name string, args ...Value) ([]Value, error) {
	fn, ok := in.Export(name).(*Func)
	if !ok {
		return nil, fmt.Errorf("%w: %q", ErrNoExport, name)
	}
	return in.mach.Call(ctx, fn, args...)
}
