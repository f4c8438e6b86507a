package decl

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

// FirstDialect returns the dialect of the first construct of a unit that only one dialect has, with
// the construct's word and token. weak: there are only constructs that both fiber dialects have,
// which make a module fibers-mount if nothing else speaks.
func FirstDialect(u *cursor.Unit, d *Decls) (x wasm.Dialect, word string, tok uint32, weak bool) {
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
func sharedDialect(u *cursor.Unit, n uint32, d *Decls) wasm.Dialect {
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
		tag, fn := d.hasIndex(SpaceTag, u, first), d.hasIndex(SpaceFunc, u, first)
		if tag && !fn {
			return wasm.DialectFibersMount
		}
		if fn && !tag {
			return wasm.DialectFibersHandle
		}
	}
	return wasm.DialectNone
}

// DialectsOf returns the dialects that have a mnemonic.
func DialectsOf(name string) (ds []wasm.Dialect) {
	for _, op := range wasm.Lookup(name) {
		ds = append(ds, op.Info().Dialect)
	}
	return
}

// Foreign reports a construct that only other dialects than the module's have, and reports whether
// it is one.
func (b *Resolver) Foreign(at cursor.Place, what string, has ...wasm.Dialect) bool {
	d := b.Decls.Dialect
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
	if b.Decls.DialectPlaced {
		f.Related = []cursor.Related{{At: b.Decls.DialectBy, Msg: "the module is in " + d.String() + " because of " + b.Decls.DialectWord}}
	}
	b.Report(f)
	return true
}

// foreignHeap reports an abstract heap type that the module's dialect does not have, and tells
// whether it is one. short: it is written as one word with `ref`.
func (b *Resolver) foreignHeap(t uint32, h wasm.HeapType, short bool) bool {
	if b.Decls.Dialect == wasm.DialectNone {
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
	return b.Foreign(b.Unit.TokPlace(t), "the type `"+b.Unit.TokText(t)+"`", has...)
}
