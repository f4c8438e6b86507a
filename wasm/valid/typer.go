package valid

import "stackscope/wasm"

// Typer types an instruction sequence one instruction at a time:
//
//	t := e.NewTyper(report)
//	t.Begin(fn)
//	for i := range body {
//		t.Step(&body[i])
//		// t.Popped(), t.Pushed(), t.Operands(), t.Controls() tell what it did
//	}
//	t.End()
//
// With report nil it trusts the code: it types in the same way and builds no messages. A Typer is
// for one goroutine, may be used again after End, and then allocates nothing. Slices it returns are
// valid until the next call.
type Typer struct {
	scope
	operands

	closed   Control        // the block that the step ended
	isClosed bool           // there is one
	erred    bool           // an earlier step was in error
	debt     int            // operands that were reported missing, and may be left over elsewhere
	surplus  int            // operands that were reported left over, and may be missing elsewhere
	arena    []wasm.ValType // single result types of blocks

	locals []wasm.ValType
	init   []bool   // by local: has a value
	inits  []uint32 // locals initialised so far, for undoing at the ends of blocks
}

// NewTyper returns a Typer that reports violations; report may be nil for trusted code.
func (e *Env) NewTyper(report func(Error)) *Typer {
	return &Typer{scope: scope{e: e, report: report}}
}

// Env returns the environment.
func (t *Typer) Env() *Env { return t.e }

// SetReport changes whom violations are reported to; nil for trusted code.
func (t *Typer) SetReport(report func(Error)) { t.report = report }

// Begin starts the body of a function, and checks the types of its locals. Step its instructions
// one after the other, OpEnd last.
func (t *Typer) Begin(fn uint32) { t.BeginLocals(fn, t.e.m.Funcs[fn].Locals) }

// BeginLocals is Begin of a body with other locals than the module has: those of a text that has
// changed since.
func (t *Typer) BeginLocals(fn uint32, locals []wasm.ValType) {
	t.reset(Place{Part: PartBody, Index: fn, Instr: -1, Imm: -1, Operand: -1})
	f := &t.e.m.Funcs[fn]
	c := Control{Op: wasm.OpInvalid, Start: -1}
	if ft := t.e.FuncType(f.Type); ft != nil {
		t.locals = append(t.locals, ft.Params...)
		c.Results = ft.Results
	} else {
		c.Opaque = true
	}
	for range t.locals {
		t.init = append(t.init, true)
	}
	t.locals = append(t.locals, locals...)
	for _, l := range locals {
		t.init = append(t.init, l.Defaultable())
	}
	t.ctl = append(t.ctl, c)
	if t.report == nil {
		return
	}
	if n := len(t.locals); n > maxLocals && n-len(locals) <= maxParams { // else the type was reported
		t.place.Sub = uint32(max(0, len(locals)-(n-maxLocals)))
		t.fail(CodeTooMany, -1, "the function has %s", tooMany(n, maxLocals, "locals"))
		t.place.Sub = 0
	}
	for i, l := range locals {
		if l.IsRef() {
			t.place.Sub = uint32(i)
			t.checkType(l, -1)
			t.checkHeapDialect(l, -1)
			t.place.Sub = 0
		}
	}
}

// BeginConst starts a constant expression that must give one value of type want (Unknown: any).
// Violations are reported at place, with Instr filled in. It sees the module's imported globals,
// and where place is PartInit of a global those before it; elsewhere all.
func (t *Typer) BeginConst(want wasm.ValType, place Place) {
	place.Instr, place.Imm, place.Operand = -1, -1, -1
	t.reset(place)
	t.konst = true
	t.globals = uint32(len(t.e.m.Globals))
	if place.Part == PartInit {
		if place.Of == PartGlobal {
			t.globals = place.Index
		} else {
			t.globals = t.e.importedGlobals
		}
	}
	t.arena = append(t.arena, want)
	t.ctl = append(t.ctl, Control{Op: wasm.OpInvalid, Start: -1, Results: t.arena[len(t.arena)-1:]})
}

func (t *Typer) reset(p Place) {
	t.place, t.konst = p, false
	t.ops, t.popped, t.ctl, t.low = t.ops[:0], t.popped[:0], t.ctl[:0], 0
	t.height = 0
	t.locals, t.init, t.inits = t.locals[:0], t.init[:0], t.inits[:0]
	t.arena = t.arena[:0]
	t.isClosed, t.failed, t.erred, t.debt, t.surplus = false, false, false, 0, 0
}

// Step types the next instruction.
func (t *Typer) Step(in *wasm.Instr) {
	t.place.Instr++
	t.popped = t.popped[:0]
	t.low = len(t.ops)
	t.erred = t.erred || t.failed
	t.isClosed, t.failed = false, false
	if len(t.ctl) == 0 {
		t.fail(CodeBlocks, -1, "unexpected token: %s after the end", in.Op)
		return
	}
	op := in.Op
	if op >= wasm.NumOps {
		op = wasm.OpInvalid
	}
	row := &rows[op]
	if t.konst || row.dialect != wasm.DialectNone {
		if !t.admit(in, row.dialect) {
			t.giveUp()
			return
		}
	}
	switch n := len(t.ops); row.short {
	case constant:
		t.ops = append(t.ops, row.r0)
		return
	case unary:
		if n > t.height && t.ops[n-1] == row.p0 {
			t.popped = append(t.popped, row.p0)
			t.ops[n-1] = row.r0
			t.low = n - 1
			return
		}
	case binary:
		if n > t.height+1 && t.ops[n-1] == row.p1 && t.ops[n-2] == row.p0 {
			t.popped = append(t.popped, row.p0, row.p1)
			t.ops[n-2] = row.r0
			t.ops = t.ops[:n-1]
			t.low = n - 2
			return
		}
	case getLocal:
		if i := in.A; int64(i) < int64(len(t.locals)) && int64(i) < int64(len(t.init)) && t.init[i] {
			t.ops = append(t.ops, t.locals[i])
			return
		}
	}
	if row.rule != nil {
		row.rule(t, in)
		return
	}
	t.take(in, row.params)
	t.pushAll(row.results)
}

// End finishes the sequence. Code that was cut off before its last OpEnd is reported by whoever
// made it; End says nothing about that.
func (t *Typer) End() {
	t.ctl = t.ctl[:0]
}

// Operands returns the operand stack, the top last, of all open blocks. Below the operands of an
// unreachable block more of type Unknown may be thought of.
func (t *Typer) Operands() []wasm.ValType { return t.ops }

// Popped returns the types of the operands that the last step consumed, the topmost last: the
// actual types, which may be subtypes of what the instruction asks for; Unknown for what is missing
// in unreachable code. For a block it has the parameters, for its end what was left as results, for
// a branch the values it carries.
func (t *Typer) Popped() []wasm.ValType { return t.popped }

// Pushed returns the types that the last step produced, the topmost last. For the start of a block
// they are the parameters, for its end the results, for a conditional branch what stays.
func (t *Typer) Pushed() []wasm.ValType { return t.ops[t.low:] }

// Controls returns the open blocks, the innermost last. It is empty after the last OpEnd.
func (t *Typer) Controls() []Control { return t.ctl }

// Label returns the block that a relative depth names, or nil.
func (t *Typer) Label(depth uint32) *Control {
	if int64(depth) >= int64(len(t.ctl)) {
		return nil
	}
	return &t.ctl[len(t.ctl)-1-int(depth)]
}

// Closed returns the block as it was before the last step ended it (end, delegate) or its first
// part (else, catch, catch_all), or nil if the step ended none.
func (t *Typer) Closed() *Control {
	if !t.isClosed {
		return nil
	}
	return &t.closed
}

// Unreachable reports whether the place after the last step cannot be reached.
func (t *Typer) Unreachable() bool {
	return len(t.ctl) > 0 && t.ctl[len(t.ctl)-1].Unreachable
}

// Failed reports whether the last step was in error, or could not be typed because of one before.
func (t *Typer) Failed() bool { return t.failed }

// PC returns the index of the instruction that was stepped last, -1 before the first.
func (t *Typer) PC() int { return t.place.Instr }

// Locals returns the types of the function's parameters and locals.
func (t *Typer) Locals() []wasm.ValType { return t.locals }

// Initialized reports whether a local surely has a value here.
func (t *Typer) Initialized(local uint32) bool {
	return int64(local) < int64(len(t.init)) && t.init[local]
}
