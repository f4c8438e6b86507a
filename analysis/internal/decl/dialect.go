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
	shared := func(is wasm.Dialect, w string, t uint32) {
		if !weak {
			x, word, tok, weak = is, w, t, true
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
				case nd.Op.Info().Dialect.Info().Shared:
					shared(nd.Op.Info().Dialect, nd.Op.Info().Name, t)
				}
			} else if nd.Op == wasm.OpRefNull {
				if t := u.Keyword(uint32(i)) + 1; t < nd.TokEnd && u.TokKind(t) == syntax.TokKeyword {
					if x := heapWord(u.TokText(t)); x != wasm.DialectNone {
						return x, u.TokText(t), t, false
					}
				}
			}
		case syntax.KContType:
			return wasm.CompCont.Dialect(), "cont", u.Keyword(uint32(i)), false
		case syntax.KStackType:
			return wasm.CompStack.Dialect(), "stack", u.Keyword(uint32(i)), false
		case syntax.KFiberType:
			return wasm.CompFiber.Dialect(), "fiber", u.Keyword(uint32(i)), false
		case syntax.KEvent:
			return wasm.OpEvent.Info().Dialect, "event", u.Keyword(uint32(i)), false
		case syntax.KNumType:
			s := u.TokText(nd.Tok)
			if r, ok := wasm.AbbreviatedRef(s); ok && r.Heap().Dialect() != wasm.DialectNone {
				return r.Heap().Dialect(), s, nd.Tok, false
			}
		case syntax.KRefType:
			t, ok := u.HeapWord(uint32(i))
			if !ok {
				continue
			}
			s := u.TokText(t)
			h, _ := wasm.AbstractHeapType(s)
			inline := inlineDialect(h)
			switch {
			case inline == wasm.DialectNone:
				if x := heapWord(s); x != wasm.DialectNone {
					return x, s, t, false
				}
			case nd.Next > uint32(i)+1 || i > 0 && u.Nodes[i-1].Kind == syntax.KType: // results, or a definition
				return inline, s, t, false
			default:
				shared(h.Dialect(), s, t)
			}
		}
	}
	return
}

// heapWord returns the dialect that alone has an abstract heap type with the word.
func heapWord(s string) wasm.Dialect {
	h, ok := wasm.AbstractHeapType(s)
	if !ok || inlineDialect(h) != wasm.DialectNone {
		return wasm.DialectNone
	}
	return h.Dialect()
}

// inlineDialect returns the dialect whose inline types begin with the word of an abstract heap type
// that is another dialect's, DialectNone if there is none.
func inlineDialect(h wasm.HeapType) wasm.Dialect {
	for _, d := range wasm.Dialects() {
		if i := d.Info(); i.InlineType && h.Dialect() != d && h.Dialect() != wasm.DialectNone &&
			i.Type.String() == h.Format(nil) {
			return d
		}
	}
	return wasm.DialectNone
}

// sharedDialect returns the dialect of an instruction whose mnemonic several share, by the
// immediates that it has (docs/design/dialects.md §1), or DialectNone if they suit several:
// `switch` with two is cont, with one stacks; `fiber.new` of a function is fibers-handle, of a tag
// or with clauses fibers-mount.
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
	all := wasm.Lookup(u.Nodes[n].Op.Info().Name)
	only := func(suits func(imms []wasm.Imm) bool) wasm.Dialect {
		var is []wasm.Dialect
		for _, op := range all {
			if info := op.Info(); suits(info.Imms) {
				is = append(is, info.Dialect)
			}
		}
		if len(is) == 1 {
			return is[0]
		}
		return wasm.DialectNone
	}
	if x := only(func(imms []wasm.Imm) bool { return indexImms(imms) == k }); x != wasm.DialectNone {
		return x
	}
	if clause {
		return only(func(imms []wasm.Imm) bool {
			return slices.Contains(imms, wasm.ImmClauses) || slices.Contains(imms, wasm.ImmHandlerClauses)
		})
	}
	if k == 0 {
		return wasm.DialectNone
	}
	return only(func(imms []wasm.Imm) bool {
		return indexImms(imms) == k && d.hasIndex(immSpaces[imms[0]], u, first)
	})
}

// immSpaces has the spaces of the immediates by which instructions with the same mnemonic differ.
var immSpaces = map[wasm.Imm]Space{wasm.ImmTag: SpaceTag, wasm.ImmFunc: SpaceFunc, wasm.ImmType: SpaceType}

// indexImms counts the immediates at the beginning that are indices.
func indexImms(imms []wasm.Imm) int {
	for i, im := range imms {
		if _, ok := immSpaces[im]; !ok {
			return i
		}
	}
	return len(imms)
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
		f.Related = []cursor.Related{
			{At: b.Decls.DialectBy, Msg: "the module is in " + d.String() + " because of " + b.Decls.DialectWord},
		}
	}
	b.Report(f)
	return true
}

// foreignHeap reports an abstract heap type that the module's dialect does not have, and whether it
// is one. short: it is written as one word with `ref`.
func (b *Resolver) foreignHeap(t uint32, h wasm.HeapType, short bool) bool {
	if b.Decls.Dialect == wasm.DialectNone {
		return false
	}
	if h.Dialect() == wasm.DialectNone {
		return false
	}
	has := []wasm.Dialect{h.Dialect()}
	if x := inlineDialect(h); x != wasm.DialectNone && !short {
		has = append(has, x)
	}
	return b.Foreign(b.Unit.TokPlace(t), "the type `"+b.Unit.TokText(t)+"`", has...)
}
