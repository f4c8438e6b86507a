package analysis

import (
	"sync"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/bind"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/effects"
	"stackscope/analysis/internal/lower"
	"stackscope/analysis/internal/protocol"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// Module is one text module of a snapshot.
type Module struct {
	snap  *Snapshot
	rng   moduleRange
	first int // first unit of the fields in the tree
	units int // number of units

	bound sync.Once
	d     *decl.Decls
	fresh bool   // d was made by this snapshot
	reuse *reuse // what an earlier snapshot knows

	check  sync.Once
	states []*bodyState // by function, once checked

	ir    sync.Once
	irMod *wasm.Module

	allow        sync.Once
	allows       bool     // the text has such an annotation
	allowedCodes []string // by (@lint.allow …) among the fields

	annotOnce sync.Once
	annots    *annotations

	whole sync.Once
	facts *facts

	recent recent

	lower   sync.Once
	lowered *wasm.Module
	lowerOK bool
}

// moduleRange is where a module is among the units of a tree.
type moduleRange struct {
	open, close int // units; -1 if there is none
	first, end  int // units of the fields
	assert      string
	expect      string // the message of an assert_invalid or assert_malformed
	definition  bool
	implicit    bool
}

// bodyState is what is known of a function's body.
type bodyState struct {
	findings []cursor.Finding
	// fragile: must be checked again when declarations change, though their hash is the same.
	fragile bool
	effects *effects.Summary // nil if the function does nothing that counts
	// protocol is the flow between its switches of stacks, nil if the function makes none and calls
	// nothing.
	protocol *protocol.Summary
	uses     []decl.ItemUse // the items that it names
	broken   bool           // there is an error in the function
}

// cleanBody is the state of a body without anything to say of it.
var cleanBody = &bodyState{}

// reuse is what an earlier snapshot leaves for a module.
type reuse struct {
	d      *decl.Decls  // the declarations, if the edit left them as they were; else nil
	hash   uint64       // of the declarations the states were computed with
	states []*bodyState // by function index of d, if d is set; nil entries are unknown
	byUnit map[*syntax.Unit]*bodyState
	facts  *facts                // of the module as a whole, if d is set
	was    map[uint32]*bodyState // the states before, of the functions that were edited
}

// Snapshot returns the snapshot the module belongs to.
func (m *Module) Snapshot() *Snapshot { return m.snap }

// Span returns the module's text, from its first byte to after its last.
func (m *Module) Span() source.Span {
	us := m.snap.tree.Units
	if m.rng.implicit {
		return source.Span{Start: 0, End: len(m.snap.tree.Src.Text)}
	}
	var s source.Span
	if m.rng.open >= 0 {
		s.Start = cursor.FirstToken(&us[m.rng.open])
	}
	s.End = len(m.snap.tree.Src.Text)
	if m.rng.close >= 0 {
		c := &us[m.rng.close]
		s.End = c.Off + int(c.Len)
	}
	return s
}

// Name returns the module's name without `$`, or "".
func (m *Module) Name() string {
	if t, ok := m.nameToken(); ok {
		return cursor.DecodeID(t.Text())
	}
	return ""
}

// nameToken returns the identifier of the module.
func (m *Module) nameToken() (syntax.Tok, bool) {
	if m.rng.open < 0 {
		return syntax.Tok{}, false
	}
	u := &m.snap.tree.Units[m.rng.open]
	for i := range u.Tokens {
		if u.Tokens[i].Kind == syntax.TokID {
			return syntax.Tok{T: m.snap.tree, U: int32(m.rng.open), I: int32(i)}, true
		}
	}
	return syntax.Tok{}, false
}

// NameSpan returns the place of the module's identifier; empty if it has none.
func (m *Module) NameSpan() source.Span {
	if t, ok := m.nameToken(); ok {
		return t.Span()
	}
	return source.Span{}
}

// Assertion returns the keyword of the assertion the module stands in, such as assert_invalid, with
// the message that it expects; "" if it stands alone.
func (m *Module) Assertion() (word, message string) { return m.rng.assert, m.rng.expect }

// options returns the options for the module.
func (m *Module) options() Options { return m.snap.opts.Asserted(m.rng.assert, m.rng.expect) }

// Dialect returns the dialect of stack switching the module is in.
func (m *Module) Dialect() wasm.Dialect { return m.decls().Dialect }

// Env returns the typing environment: canonical types, signatures, formatting of types.
func (m *Module) Env() *valid.Env { return m.decls().Environment() }

// decls binds the module, once.
func (m *Module) decls() *decl.Decls {
	m.bound.Do(func() {
		if m.reuse != nil && m.reuse.d != nil {
			m.d = m.reuse.d
			return
		}
		m.fresh = true
		if m.bare() {
			x := &m.snap.empty[m.units]
			x.once.Do(func() { x.d = bind.Module(m.text(), m.units, "", m.snap.opts.Dialect) })
			m.d = x.d
			return
		}
		m.d = bind.Module(m.text(), m.units, m.Name(), m.options().Dialect)
	})
	return m.d
}

// bare reports whether the module has neither a name nor anything in it: all such modules of a text
// with as many units share their declarations.
func (m *Module) bare() bool {
	us := m.snap.tree.Units[m.first : m.first+m.units]
	return m.units <= 1 && m.rng.assert == "" && m.rng.open >= 0 && m.NameSpan().End == 0 &&
		(m.units == 0 || len(us[0].Tokens) == 0 && len(us[0].Nodes) == 0)
}

// unit returns a unit of the module by its number.
func (m *Module) unit(i int32) cursor.Unit {
	return m.text().Unit(i)
}

// text returns the text of the module's fields.
func (m *Module) text() cursor.Text { return cursor.Text{Tree: m.snap.tree, First: m.first} }

// lowerer returns a lowerer for the module that reports to out, which may be nil.
func (m *Module) lowerer(out *[]cursor.Finding) *lower.Lowerer {
	return lower.NewLowerer(m.text(), m.decls(), out)
}

// node returns a node of the tree.
func (m *Module) node(unit int32, n uint32) syntax.N {
	return syntax.N{T: m.snap.tree, U: int32(m.first) + unit, I: int32(n)}
}

// FuncAt returns the function whose field holds the offset.
func (m *Module) FuncAt(off int) (fn uint32, ok bool) {
	u := m.unitAt(off)
	if u < 0 {
		return 0, false
	}
	fn = m.decls().Units[u].Fn
	return fn, fn != wasm.BadIndex
}

// unitAt returns the number of the unit of the module that holds the offset, or -1. The leading
// trivia of a unit is the end of the one before it.
func (m *Module) unitAt(off int) int32 {
	us := m.snap.tree.Units[m.first : m.first+m.units]
	lo, hi := 0, len(us)
	for lo < hi {
		if h := (lo + hi) / 2; cursor.FirstToken(&us[h]) <= off {
			lo = h + 1
		} else {
			hi = h
		}
	}
	if lo == 0 {
		return -1
	}
	u := &us[lo-1]
	if off > u.Off+int(u.Len) {
		return -1
	}
	return int32(lo - 1)
}

// FieldNode returns the root node of the module field that declares a symbol: for a type in a
// recursion group the type's node, for a local the parameter's or local's group, for a label the
// block, for an import field its description. The zero N if there is none.
func (m *Module) FieldNode(s decl.Sym) syntax.N {
	x, ok := m.Symbol(s)
	if !ok {
		return syntax.N{}
	}
	return x.N
}

// span returns the span of a place.
func (m *Module) span(p cursor.Place) source.Span {
	if p.Unit < 0 || int(p.Unit) >= m.units {
		return source.Span{}
	}
	pl := &m.snap.tree.Units[m.first+int(p.Unit)]
	b := pl.Off
	if len(pl.Tokens) > 0 {
		b += int(pl.Tokens[0].Off)
	}
	return source.Span{Start: b + int(p.From), End: b + int(p.To)}
}

// lintStyle reports matters of style that are off unless a severity is set for them.
func (m *Module) lintStyle() []cursor.Finding {
	var out []cursor.Finding
	if m.rng.implicit && m.units > 0 && m.snap.severity(diag.ImplicitModule) != diag.Off {
		for i := range m.units {
			if u := m.unit(int32(i)); u.IsField() && u.Nodes[0].Kind != syntax.KAnnot {
				out = append(
					out,
					cursor.Finding{
						Code: diag.ImplicitModule, At: u.TokPlace(u.Keyword(0)),
						Msg: "fields are outside a (module …)",
					},
				)
				break
			}
		}
	}
	return out
}
