package completion

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/wasm"
)

// How well an item goes with the operands at the cursor, best first.
const (
	fitExact   uint8 = iota // takes what is on the stack, or gives what is wanted
	fitLikely               // goes with it
	fitUnknown              // depends
	fitNot                  // is a type error
)

// operands rates how well something fits the operands at the cursor.
type operands struct {
	*scanner
	m      *analysis.Module
	t      query.Types
	fn     uint32
	inFunc bool

	ops      operandsAt
	typed    typedImms         // of the instruction whose immediate is offered
	asked    int               // how often the typing engine was asked about an entry
	byType   []analysis.Symbol // see entries
	locTypes []wasm.ValType    // see localTypes
}

// operandsAt is what is known of the operands where something is completed.
type operandsAt struct {
	known bool
	// stack are the operands before it, the top last, of the innermost block.
	stack []wasm.ValType
	// want is the type that the operand being written must have; hole reports whether there is one.
	want wasm.ValType
	hole bool
	// taken is the type on top of the stack for the instruction whose immediate is being written.
	taken wasm.ValType
	takes bool
	own   bool           // taken stands after the cursor, inside the folded instruction
	given []wasm.ValType // then, all that stand there
}

// find finds out what is on the operand stack at the cursor, and what is wanted there: what a
// folded instruction around takes next.
func (c *operands) find() {
	if !c.inFunc || c.t.Declared == nil {
		return
	}
	b := c.m.Body(c.fn)
	if b == nil || len(b.Instrs) == 0 {
		return
	}
	f := c.frame(0)
	at := c.replace.Start
	around := f // the form that a folded operand here would be in
	if len(c.stack) > 1 && (f.head == "" || len(wasm.Lookup(f.head)) > 0 && !sequence(f.head)) {
		at = f.open
		around = c.frame(1)
	}
	o := &c.ops
	i := b.Next(at)
	if b.Unreachable(i) {
		return
	}
	o.known, o.stack = true, b.StackBefore(i)
	if j := c.current(b); j >= 0 {
		if s, more := b.TopBefore(j, 1); len(s) > 0 && !b.Unreachable(j) {
			o.taken, o.takes, o.own = s[0], true, f.flatAt == 0 && 1+more > len(o.stack)
			if o.own {
				o.given = b.StackBefore(j)[len(o.stack):]
			}
		} else if len(o.stack) > 0 && f.flatAt > 0 {
			o.taken, o.takes = o.stack[len(o.stack)-1], true
		}
	}
	c.operandIn(b, around, at)
}

// operandIn finds the type that an operand at an offset inside a folded instruction must have.
func (c *operands) operandIn(b *analysis.Body, around frame, at int) {
	o := &c.ops
	if ops := wasm.Lookup(around.head); len(ops) == 0 || around.open >= at {
		return
	} else if ops[0].OpensBlock() && ops[0] != wasm.OpIf {
		return
	}
	k := b.At(around.headAt)
	if k < 0 || k >= len(b.Instrs) || b.Span(k).Start != around.headAt {
		return
	}
	i := b.Next(at)
	if b.Unreachable(i) {
		return
	}
	given := b.HeightBefore(i) - b.HeightBefore(b.Next(around.open))
	params, _ := c.t.Effect(b, k)
	if _, _, exact := c.t.Instance(b, &b.Instrs[k]); !exact {
		if ps := c.ofStacks(b, k, around.head, given); ps != nil {
			params = ps
		} else if len(params) == 0 {
			return
		}
	}
	if given >= 0 && given < len(params) {
		o.want, o.hole = params[given], true
	}
}

// ofStacks returns the operands of a folded instruction of a dialect whose type is not settled by its
// immediates, or whose tag is not written yet: then only the stacks before the payload are known.
func (c *operands) ofStacks(b *analysis.Body, k int, head string, given int) []wasm.ValType {
	op, ok := c.opOf(head)
	d := op.Info().Dialect.Info()
	if !ok || !d.Events || given < 0 {
		return nil
	}
	if params, _, ok := c.t.OperandsOf(b, k, given); ok && len(params) > 0 {
		return params
	}
	does := op.Does()
	if d.TagFirst || does&(wasm.DoesSwitch|wasm.DoesEndOther) == 0 || does&wasm.DoesCreate != 0 {
		return nil
	}
	stack := wasm.Ref(true, d.Ref)
	if op.Info().Effect == wasm.EffectSwitch || op.Info().Then == wasm.EffectSwitch {
		return []wasm.ValType{stack, stack}
	}
	return []wasm.ValType{stack}
}

// current returns the instruction whose immediates are being written, -1 if there is none.
func (c *operands) current(b *analysis.Body) int {
	f := c.frame(0)
	at := f.flatAt
	if at == 0 {
		at = f.headAt
	}
	if at == 0 {
		return -1
	}
	if i := b.At(at); i >= 0 && i < len(b.Instrs) && b.Span(i).Start == at {
		return i
	}
	return -1
}

// match reports whether a value of type a can stand where b is wanted.
func (c *operands) match(a, b wasm.ValType) bool {
	return a == b || a.Kind() == wasm.KindUnknown || b.Kind() == wasm.KindUnknown || c.m.Env().Match(a, b) ||
		c.anyStack(a, b)
}

// anyStack reports whether b stands for a reference to a stack of any type, and a is one.
func (c *operands) anyStack(a, b wasm.ValType) bool {
	if !a.IsRef() || !b.IsRef() || a.Heap() < 0 || b.Heap() >= 0 || a.Nullable() && !b.Nullable() {
		return false
	}
	ty := c.t.Sub(uint32(a.Heap()))
	return ty != nil && ty.Kind == wasm.CompFiber && b.Heap() == ty.Kind.Dialect().Info().Ref
}

// onStack reports whether operands of the types are on top of the stack.
func (c *operands) onStack(params []wasm.ValType) bool {
	s := c.ops.stack
	if len(s) < len(params) {
		return false
	}
	s = s[len(s)-len(params):]
	for i := range params {
		if !c.match(s[i], params[i]) {
			return false
		}
	}
	return true
}

// gives reports how well something with these results fits where an operand is wanted, and with
// these parameters where operands are on the stack.
func (c *operands) gives(params, results []wasm.ValType, folded bool) uint8 {
	o := &c.ops
	switch {
	case !o.known:
		return fitUnknown
	case o.hole:
		if len(results) == 1 && c.match(results[0], o.want) {
			return fitExact
		}
		return fitNot
	case folded:
		if len(results) == 0 {
			return fitExact // a statement
		}
		return fitUnknown
	case len(params) == 0:
		if len(o.stack) == 0 {
			return fitExact
		}
		return fitLikely
	case c.onStack(params):
		return fitExact
	}
	return fitNot
}

// instrFit reports how well an instruction fits at the cursor.
func (c *operands) instrFit(op wasm.Op, folded bool) uint8 {
	o := &c.ops
	if !o.known {
		return fitUnknown
	}
	info := op.Info()
	if info.Fixed {
		return c.gives(info.Params, info.Results, folded)
	}
	any := func(n int, f func(i int) uint8) uint8 {
		best := fitNot
		for i := 0; i < n && best != fitExact; i++ {
			best = min(best, f(i))
		}
		return best
	}
	ir := c.t.Declared
	locals := c.localTypes()
	one := func(v wasm.ValType) []wasm.ValType { return []wasm.ValType{v} }
	switch op {
	case wasm.OpLocalGet:
		return any(len(locals), func(i int) uint8 { return c.gives(nil, one(locals[i]), folded) })
	case wasm.OpLocalSet:
		return any(len(locals), func(i int) uint8 { return c.gives(one(locals[i]), nil, folded) })
	case wasm.OpLocalTee:
		return any(len(locals), func(i int) uint8 { return c.gives(one(locals[i]), one(locals[i]), folded) })
	case wasm.OpGlobalGet:
		return any(len(ir.Globals), func(i int) uint8 { return c.gives(nil, one(ir.Globals[i].Type), folded) })
	case wasm.OpGlobalSet:
		return any(len(ir.Globals), func(i int) uint8 {
			if !ir.Globals[i].Mut {
				return fitNot
			}
			return c.gives(one(ir.Globals[i].Type), nil, folded)
		})
	case wasm.OpCall:
		return any(min(len(ir.Funcs), maxLooked), func(i int) uint8 { return c.funcFit(uint32(i), folded) })
	case wasm.OpDrop:
		if o.hole {
			return fitNot
		}
		if !folded && len(o.stack) == 0 {
			return fitNot
		}
		return fitLikely
	case wasm.OpSuspend, wasm.OpThrow:
		return any(len(ir.Tags), func(i int) uint8 { return c.tagFit(uint32(i), op, folded) })
	case wasm.OpResume, wasm.OpContNew, wasm.OpContBind, wasm.OpSwitch, wasm.OpResumeThrow, wasm.OpResumeThrowRef:
		return any(len(ir.Types), func(i int) uint8 { return c.contFit(uint32(i), op, folded) })
	case wasm.OpRefFunc:
		return any(min(len(ir.Funcs), maxLooked), func(i int) uint8 { return c.refFuncFit(uint32(i), folded) })
	case wasm.OpRefNull:
		return c.gives(nil, one(wasm.Ref(true, wasm.HeapNone)), folded)
	}
	if op.Info().Dialect != wasm.DialectNone {
		return c.switchingFit(op, folded)
	}
	return fitUnknown
}

// maxLooked bounds how many functions are looked at for one that fits.
const maxLooked = 4096

// localTypes returns the types of the parameters and locals.
func (c *operands) localTypes() []wasm.ValType {
	if c.locTypes == nil && c.inFunc && c.t.Declared != nil {
		if b := c.m.Body(c.fn); b != nil {
			c.locTypes = b.Locals
		}
	}
	return c.locTypes
}

func (c *operands) funcFit(fn uint32, folded bool) uint8 {
	ft := c.t.FuncType(fn)
	if ft == nil {
		return fitNot
	}
	return c.gives(ft.Params, ft.Results, folded)
}

func (c *operands) tagFit(tag uint32, op wasm.Op, folded bool) uint8 {
	ft := c.t.TagType(tag)
	if ft == nil || op == wasm.OpThrow && len(ft.Results) > 0 {
		return fitNot
	}
	if op == wasm.OpThrow { // what follows does not run
		if c.ops.hole || folded {
			return fitUnknown
		}
		return c.gives(ft.Params, nil, folded)
	}
	return c.gives(ft.Params, ft.Results, folded)
}

// refFuncFit returns how well a reference to a function fits.
func (c *operands) refFuncFit(fn uint32, folded bool) uint8 {
	if c.t.FuncType(fn) == nil {
		return fitNot
	}
	return c.gives(nil, []wasm.ValType{wasm.Ref(false, wasm.HeapType(c.t.Declared.Funcs[fn].Type))}, folded)
}

// contFit reports how well an instruction with a continuation type fits.
func (c *operands) contFit(ty uint32, op wasm.Op, folded bool) uint8 {
	cf := c.t.Declared.ContFunc(ty)
	if cf == nil {
		return fitNot
	}
	k := wasm.Ref(true, wasm.HeapType(ty))
	if c.ops.own && c.frame(0).head == op.String() {
		if op == wasm.OpContNew {
			k = wasm.Ref(true, wasm.HeapType(c.t.Declared.Types[ty].Func))
		}
		if !c.match(c.ops.taken, k) {
			return fitNot
		}
		return fitExact
	}
	switch op {
	case wasm.OpContNew:
		return c.gives(
			[]wasm.ValType{wasm.Ref(true, wasm.HeapType(c.t.Declared.Types[ty].Func))},
			[]wasm.ValType{wasm.Ref(false, wasm.HeapType(ty))}, folded,
		)
	case wasm.OpResume:
		return c.gives(append(query.Concat(cf.Params, nil), k), cf.Results, folded)
	}
	if c.ops.hole || folded {
		return fitUnknown
	}
	return c.gives([]wasm.ValType{k}, nil, false)
}

// immFit reports how well an item goes with the instruction whose immediate it would be.
func (c *operands) immFit(op wasm.Op, y analysis.Symbol) uint8 {
	o := &c.ops
	if !o.known {
		return fitUnknown
	}
	folded := c.frame(0).flatAt == 0
	if c.typed.op == op && op.Info().Dialect != wasm.DialectNone && !op.Info().Dialect.Info().HandlerClauses {
		return c.typedFit(y.Index, folded)
	}
	value := func(v wasm.ValType, read bool) uint8 {
		switch {
		case read && o.hole && c.match(v, o.want), !read && o.takes && c.match(o.taken, v):
			return fitExact
		case read && !o.hole, !read && !o.takes:
			return fitUnknown
		}
		return fitNot
	}
	switch y.Space {
	case analysis.SpaceLocal:
		if ls := c.localTypes(); int64(y.Index) < int64(len(ls)) {
			return value(ls[y.Index], op == wasm.OpLocalGet)
		}
	case analysis.SpaceGlobal:
		if int64(y.Index) < int64(len(c.t.Declared.Globals)) {
			return value(c.t.Declared.Globals[y.Index].Type, op == wasm.OpGlobalGet)
		}
	case analysis.SpaceFunc:
		if op == wasm.OpCall || op == wasm.OpReturnCall {
			return c.calleeFit(y.Index, folded)
		}
		if op == wasm.OpRefFunc {
			return c.refFuncFit(y.Index, folded)
		}
	case analysis.SpaceTag:
		if op == wasm.OpSuspend || op == wasm.OpThrow {
			return c.tagFit(y.Index, op, folded)
		}
	case analysis.SpaceType:
		if c.t.Declared.ContFunc(y.Index) != nil {
			return c.contFit(y.Index, op, folded)
		}
		if (op == wasm.OpCallRef || op == wasm.OpReturnCallRef || op.Info().Dialect != wasm.DialectNone) && o.takes &&
			o.taken.IsRef() {
			return value(wasm.Ref(true, wasm.HeapType(y.Index)), false)
		}
		if name := op.String(); o.takes && (strings.HasPrefix(name, "struct.") ||
			strings.HasPrefix(name, "array.")) &&
			!strings.Contains(name, "new") {
			return value(wasm.Ref(true, wasm.HeapType(y.Index)), false)
		}
	}
	return fitUnknown
}

// calleeFit is funcFit, but what a folded call that is a statement gives counts: a value would be
// left over.
func (c *operands) calleeFit(fn uint32, folded bool) uint8 {
	ft := c.t.FuncType(fn)
	if ft != nil && folded && !c.ops.hole && len(ft.Results) > 0 {
		return fitLikely
	}
	return c.funcFit(fn, folded)
}
