package analysis

import (
	"slices"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// opDialect has the dialect of each mnemonic that is one dialect's alone; a mnemonic that several
// share decides nothing by itself.
var opDialect = func() (t [wasm.NumOps]wasm.Dialect) {
	for op := wasm.Op(1); op < wasm.NumOps; op++ {
		if all := wasm.Lookup(op.Info().Name); len(all) == 1 {
			t[op] = op.Info().Dialect
		}
	}
	return
}()

// detectDialect finds the module's dialect: annotation, option, first construct.
func (l *lowerer) detectDialect(n int, opts Options) {
	d := l.d
	if l.annotated(n) {
		d.dialectTold = true
		return
	}
	if opts.Dialect != wasm.DialectNone {
		d.dialect, d.mod.Dialect = opts.Dialect, opts.Dialect
		d.dialectWord, d.dialectTold = "the setting", true
		return
	}
	weak := -1
	for i := range n {
		l.u = l.unitAt(int32(i))
		if l.u.Kind != syntax.UnitField {
			continue
		}
		f := &d.units[i]
		f.dialect, f.word, f.tok, f.weak = firstDialect(&l.u, d)
		f.word = strings.Clone(f.word)
		if f.weak {
			if weak < 0 {
				weak = i
			}
		} else if f.dialect != wasm.DialectNone && !d.dialectKnown {
			l.fixDialect(f)
		}
	}
	if weak >= 0 && !d.dialectKnown {
		l.u = l.unitAt(int32(weak))
		l.fixDialect(&d.units[weak])
	}
}

// fixDialect settles the module's dialect on that of the current unit.
func (l *lowerer) fixDialect(f *unitFacts) {
	d := l.d
	d.dialect, d.mod.Dialect = f.dialect, f.dialect
	d.dialectWord, d.dialectBy, d.dialectKnown = "`"+f.word+"`", l.u.TokPlace(f.tok), true
}

// firstDialect returns the dialect of the first construct of a unit that only one dialect has, with
// the construct's word and token. weak: there are only constructs that both fiber dialects have,
// which make a module fibers-mount if nothing else speaks.
func firstDialect(u *cursor.Unit, d *decls) (x wasm.Dialect, word string, tok uint32, weak bool) {
	shared := func(w string, t uint32) {
		if !weak {
			x, word, tok, weak = wasm.DialectFibersMount, w, t, true
		}
	}
	for i := range u.Nodes {
		nd := &u.Nodes[i]
		switch nd.Kind {
		case syntax.KInstr, syntax.KBlock:
			if x := opDialect[nd.Op]; x != wasm.DialectNone {
				return x, nd.Op.Info().Name, u.Keyword(uint32(i)), false
			}
			if nd.Op == wasm.OpInvalid {
				continue
			}
			if nd.Op.Info().Dialect != wasm.DialectNone {
				t := u.Keyword(uint32(i))
				switch x := sharedDialect(u, uint32(i), d); {
				case x != wasm.DialectNone:
					return x, nd.Op.Info().Name, t, false
				case nd.Op.Info().Dialect == wasm.DialectFibersMount:
					shared(nd.Op.Info().Name, t)
				}
			} else if nd.Op == wasm.OpRefNull {
				if t := u.Keyword(uint32(i)) + 1; t < nd.TokEnd && u.TokKind(t) == syntax.TokKeyword {
					if x := heapWord(u.TokText(t)); x != wasm.DialectNone {
						return x, u.TokText(t), t, false
					}
				}
			}
		case syntax.KContType:
			return wasm.DialectCont, "cont", u.Keyword(uint32(i)), false
		case syntax.KStackType:
			return wasm.DialectStacks, "stack", u.Keyword(uint32(i)), false
		case syntax.KFiberType:
			return wasm.DialectFibersHandle, "fiber", u.Keyword(uint32(i)), false
		case syntax.KEvent:
			return wasm.DialectFibersHandle, "event", u.Keyword(uint32(i)), false
		case syntax.KNumType:
			switch s := u.TokText(nd.Tok); s {
			case "contref", "nullcontref":
				return wasm.DialectCont, s, nd.Tok, false
			case "fiberref":
				return wasm.DialectFibersMount, s, nd.Tok, false
			case "taskref":
				return wasm.DialectTasks, s, nd.Tok, false
			}
		case syntax.KRefType:
			t, ok := u.HeapWord(uint32(i))
			if !ok {
				continue
			}
			s := u.TokText(t)
			switch {
			case s != "fiber":
				if x := heapWord(s); x != wasm.DialectNone {
					return x, s, t, false
				}
			case nd.Next > uint32(i)+1 || i > 0 && u.Nodes[i-1].Kind == syntax.KType: // results, or a definition
				return wasm.DialectFibersHandle, s, t, false
			default:
				shared(s, t)
			}
		}
	}
	return
}

// heapWord returns the dialect that alone has an abstract heap type.
func heapWord(s string) wasm.Dialect {
	switch s {
	case "cont", "nocont":
		return wasm.DialectCont
	case "stack", "nostack":
		return wasm.DialectStacks
	case "task":
		return wasm.DialectTasks
	}
	return wasm.DialectNone
}

// sharedDialect tells the dialect of an instruction whose mnemonic several share by its immediates
// (docs/design/dialects.md §1): `switch` with two is cont, with one stacks; `fiber.new` of a
// function is fibers-handle, of a tag or with clauses fibers-mount.
func sharedDialect(u *cursor.Unit, n uint32, d *decls) wasm.Dialect {
	p := cursor.Parts{U: u, Tok: u.Keyword(n) + 1, End: u.Nodes[n].TokEnd, Child: n + 1, LastChild: u.Nodes[n].Next}
	k, first := 0, uint32(0)
	for {
		t, ok := p.IndexToken()
		if !ok {
			break
		}
		if k++; k == 1 {
			first = t
		}
	}
	i, node, ok := p.Peek()
	clause := ok && node && (u.Nodes[i].Kind == syntax.KClause || u.Nodes[i].Kind == syntax.KOn)
	name := u.Nodes[n].Op.Info().Name
	switch {
	case name == "switch" && k == 1:
		return wasm.DialectStacks
	case name == "switch" && k == 2:
		return wasm.DialectCont
	case clause && strings.HasPrefix(name, "fiber."):
		return wasm.DialectFibersMount
	case name == "fiber.new" && k == 1:
		tag, fn := d.names1(SpaceTag, u, first), d.names1(SpaceFunc, u, first)
		if tag && !fn {
			return wasm.DialectFibersMount
		}
		if fn && !tag {
			return wasm.DialectFibersHandle
		}
	}
	return wasm.DialectNone
}

// names1 reports whether an index token stands for something in a space.
func (d *decls) names1(sp Space, u *cursor.Unit, t uint32) bool {
	if u.TokKind(t) == syntax.TokID {
		_, ok := d.spaces[sp].names[u.Name(t)]
		return ok
	}
	n, err := syntax.ParseNat(u.TokText(t), 32)
	return err == nil && n < uint64(len(d.spaces[sp].items))
}

// annotated looks for `(@stack-switching "cont")` as the first item of the module.
func (l *lowerer) annotated(n int) bool {
	for i := range n {
		l.u = l.unitAt(int32(i))
		for k := range l.u.Nodes {
			nd := &l.u.Nodes[k]
			if nd.Kind != syntax.KAnnot || l.u.TokText(nd.Tok) != "(@stack-switching" {
				continue
			}
			t := nd.Tok + 1
			if t >= nd.TokEnd || l.u.TokKind(t) != syntax.TokString {
				l.errAt(
					diag.DialectName, l.u.NodePlace(uint32(k)),
					"unexpected token: (@stack-switching …) needs the name of a dialect, such as \"cont\"",
				)
				return false
			}
			s, _ := syntax.DecodeString(l.u.TokText(t))
			x, ok := wasm.ParseDialect(string(s))
			if !ok {
				f := cursor.Finding{
					Code: diag.DialectName, At: l.u.TokPlace(t),
					Msg: "unknown dialect " + l.u.TokText(t) + ": cont, stacks, fibers-mount, fibers-handle and tasks are known",
				}
				names := map[string]uint32{}
				for _, d := range wasm.Dialects() {
					names[d.String()] = 0
				}
				for j, near := range nearNames(string(s), names) {
					f.Fixes = append(f.Fixes, cursor.Fix{Title: "Change to \"" + near + "\"", Edits: []cursor.Edit{{At: f.At, New: `"` + near + `"`}}, Preferred: j == 0})
				}
				l.report(f)
				return false
			}
			l.d.dialect, l.d.mod.Dialect = x, x
			l.d.dialectWord, l.d.dialectBy, l.d.dialectKnown = "the annotation", l.u.NodePlace(uint32(k)), true
			return true
		}
		if l.u.Kind == syntax.UnitField && len(l.u.Nodes) > 0 && l.u.Nodes[0].Kind != syntax.KAnnot {
			return false
		}
	}
	return false
}

// inDialect returns the instruction of the module's dialect that a mnemonic means. One of another
// dialect is reported, and gives false.
func (l *lowerer) inDialect(n uint32, op wasm.Op) (wasm.Op, bool) {
	d := l.d.dialect
	if o, ok := op.In(d); ok {
		return o, true
	}
	if d == wasm.DialectNone { // several dialects have it, and nothing tells which is meant
		return op, true
	}
	kw := l.u.Keyword(n)
	l.foreign(l.u.TokPlace(kw), "`"+l.u.TokText(kw)+"`", dialectsOf(op.Info().Name)...)
	return op, false
}

// dialectsOf returns the dialects that have a mnemonic.
func dialectsOf(name string) (ds []wasm.Dialect) {
	for _, op := range wasm.Lookup(name) {
		ds = append(ds, op.Info().Dialect)
	}
	return
}

// foreign reports a construct that only other dialects than the module's have, and reports whether
// it is one.
func (b *binder) foreign(at cursor.Place, what string, has ...wasm.Dialect) bool {
	d := b.d.dialect
	if d == wasm.DialectNone || slices.Contains(has, d) {
		return false
	}
	names := make([]string, len(has))
	for i, x := range has {
		names[i] = x.String()
	}
	f := cursor.Finding{
		Code: diag.Dialect,
		At:   at,
		Msg: "another dialect: " + what + " belongs to " + strings.Join(
			names, " and ",
		) + ", but the module is in " + d.String(),
	}
	if d == wasm.DialectOff {
		f.Msg = "another dialect: " + what + " belongs to " + strings.Join(
			names, " and ",
		) + ", but the dialect setting none allows only WebAssembly 3.0"
	}
	if b.d.dialectKnown {
		f.Related = []cursor.Related{{At: b.d.dialectBy, Msg: "the module is in " + d.String() + " because of " + b.d.dialectWord}}
	}
	b.report(f)
	return true
}

// foreignHeap reports an abstract heap type that the module's dialect does not have, and tells
// whether it is one. short: it is written as one word with `ref`.
func (b *binder) foreignHeap(t uint32, h wasm.HeapType, short bool) bool {
	if b.d.dialect == wasm.DialectNone {
		return false
	}
	var has []wasm.Dialect
	switch h {
	case wasm.HeapCont, wasm.HeapNoCont:
		has = []wasm.Dialect{wasm.DialectCont}
	case wasm.HeapStack, wasm.HeapNoStack:
		has = []wasm.Dialect{wasm.DialectStacks}
	case wasm.HeapTask:
		has = []wasm.Dialect{wasm.DialectTasks}
	case wasm.HeapFiber:
		has = []wasm.Dialect{wasm.DialectFibersMount}
		if !short {
			has = append(has, wasm.DialectFibersHandle)
		}
	default:
		return false
	}
	return b.foreign(b.u.TokPlace(t), "the type `"+b.u.TokText(t)+"`", has...)
}

// ready reports a function's body what its creation as a stack asks for: in tasks that the first
// instruction is an event.switch, in fibers-handle that there are event clauses outside of handles.
func (l *lowerer) ready() bool {
	switch l.d.dialect {
	case wasm.DialectTasks:
		return l.switchFirst(1, l.u.Nodes[0].Next)
	case wasm.DialectFibersHandle:
		for c := uint32(1); c < l.u.Nodes[0].Next; c = l.u.Nodes[c].Next {
			if l.u.Nodes[c].Kind == syntax.KEvent {
				return true
			}
		}
	}
	return false
}

// ready tells the same of a function by its index; true of imports, which nobody can look into.
func (d *decls) ready(fn uint32) bool {
	if int64(fn) >= int64(len(d.mod.Funcs)) || d.mod.Funcs[fn].Import >= 0 {
		return true
	}
	return d.units[d.spaces[SpaceFunc].items[fn].unit].ready
}
