package analysis

import (
	"slices"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// lints reports what is valid and yet likely a mistake in the body lowered last.
func (l *lowerer) lints(s *Snapshot) {
	l.lintLocals(s.severity(diag.UnusedParam) != diag.Off)
	if s.severity(diag.OmittedIndex) != diag.Off {
		for _, kw := range l.implied {
			*l.out = append(
				*l.out,
				cursor.Finding{Code: diag.OmittedIndex, At: l.u.TokPlace(kw), Msg: l.u.TokText(kw) + " means memory or table 0 without naming it"},
			)
		}
	}
	for _, b := range l.blocks {
		if b.id >= 0 && !b.used {
			if f, ok := unusedFinding(&l.u, uint32(b.id), "label", "is never branched to", diag.UnusedLabel); ok {
				f.Fixes = nil // the block's end may repeat the name
				*l.out = append(*l.out, f)
			}
		}
	}
	var open []string
	depth := map[string]int{}
	at := map[string]uint32{}
	block := 0
	for i := range l.instrs {
		in := &l.instrs[i]
		switch {
		case in.Op.OpensBlock():
			name := ""
			if block < len(l.blocks) {
				if b := l.blocks[block]; b.id >= 0 {
					name = l.u.TokText(uint32(b.id))
					if depth[name] > 0 && name != "" {
						f := cursor.Finding{
							Code: diag.Shadow, At: l.u.TokPlace(uint32(b.id)),
							Msg: "the label " + name + " hides an outer one of the same name",
						}
						f.Related = append(f.Related, cursor.Related{At: l.u.TokPlace(at[name]), Msg: "the outer label"})
						*l.out = append(*l.out, f)
					} else {
						at[name] = uint32(b.id)
					}
				}
			}
			block++
			open = append(open, name)
			if name != "" {
				depth[name]++
			}
			if in.Op == wasm.OpTryTable {
				l.lintCatches(i, in)
			}
		case (in.Op == wasm.OpEnd || in.Op == wasm.OpDelegate) && len(open) > 0:
			if n := open[len(open)-1]; n != "" {
				depth[n]--
			}
			open = open[:len(open)-1]
		}
	}
}

// maxUseless is how many useless clauses of a try_table are reported.
const maxUseless = 100

// lintCatches reports clauses of a try_table that can never match, and a try_table without any.
func (l *lowerer) lintCatches(i int, in *wasm.Instr) {
	if in.Ext == nil || len(in.Ext.Catches) == 0 {
		*l.out = append(
			*l.out,
			cursor.Finding{
				Code: diag.NeedlessTry, At: l.ownPlace(l.nodes[i]),
				Msg: "a try_table without clauses catches nothing: a block does the same",
			},
		)
		return
	}
	all := false
	seen := map[uint32]bool{}
	useless := 0
	for _, c := range in.Ext.Catches {
		tagged := c.Kind == wasm.CatchTag || c.Kind == wasm.CatchTagRef
		if all || tagged && c.Tag != wasm.BadIndex && seen[c.Tag] {
			if useless++; useless > maxUseless {
				break
			}
			*l.out = append(
				*l.out,
				cursor.Finding{
					Code: diag.UselessCatch, At: l.catchPlace(c.At),
					Msg: "this clause never matches: an earlier one catches the same",
				},
			)
		}
		if tagged {
			seen[c.Tag] = true
		} else {
			all = true
		}
	}
}

// catchPlace returns the place of the catch clause that stands at a position.
func (l *lowerer) catchPlace(at wasm.Pos) cursor.Place {
	u := &l.u
	for n := range u.Nodes {
		if u.Nodes[n].Kind == syntax.KCatch && u.Off+int(u.Tokens[u.Nodes[n].Tok].Off) == int(at) {
			return u.NodePlace(uint32(n))
		}
	}
	return u.TokPlace(0)
}

// lintLocals reports named locals that are never used, or set and never read, and if asked
// parameters that are never read.
func (l *lowerer) lintLocals(askParams bool) {
	params := 0
	if ft := l.d.mod.FuncType(l.d.mod.Funcs[l.fn].Type); ft != nil {
		params = len(ft.Params)
	}
	first := params
	if askParams {
		first = 0
	}
	if len(l.locals) <= first {
		return
	}
	const read, set = 1, 2
	use := make([]uint8, len(l.locals))
	for i := range l.instrs {
		in := &l.instrs[i]
		if int64(in.A) >= int64(len(use)) {
			continue
		}
		switch in.Op {
		case wasm.OpLocalGet:
			use[in.A] |= read
		case wasm.OpLocalSet, wasm.OpLocalTee:
			use[in.A] |= set
		}
	}
	for k := first; k < len(use) && k < len(l.localItems); k++ {
		it := l.localItems[k]
		if use[k]&read != 0 || it.id < 0 {
			continue
		}
		code, what, how := diag.Unused, "local", "is never used"
		switch {
		case k < params:
			code, what, how = diag.UnusedParam, "parameter", "is never read"
		case use[k] == set:
			code, how = diag.Unread, "is set but never read"
		}
		if f, ok := unusedFinding(&l.u, uint32(it.id), what, how, code); ok {
			if use[k] == set {
				f.Fixes = nil // the instructions that set it name it too
			}
			*l.out = append(*l.out, f)
		}
	}
}

// lintTags returns how an editor shows a code.
func lintTags(c diag.Code) []diag.Tag {
	switch c {
	case diag.Unused,
		diag.Unread,
		diag.UnusedParam,
		diag.UnusedLabel,
		diag.Unreachable,
		diag.NeedlessMut,
		diag.UselessCatch,
		diag.ShadowedHandler:
		return []diag.Tag{diag.Unnecessary}
	case diag.Legacy, diag.DeprecatedItem:
		return []diag.Tag{diag.Deprecated}
	}
	return nil
}

// hasAllow reports whether any of the module's fields holds an annotation that allows a code.
func (m *Module) hasAllow() bool {
	for i := range m.units {
		if m.snap.tree.Units[m.first+i].Annotated && strings.Contains(m.unit(int32(i)).Text, cursor.AllowWord) {
			return true
		}
	}
	return false
}

// allowed returns the codes that the module's own annotations allow.
func (m *Module) allowed() []string {
	var out []string
	for i := m.first; i < m.first+m.units; i++ {
		if p := &m.snap.tree.Units[i]; len(p.Nodes) > 0 && p.Nodes[0].Kind == syntax.KAnnot {
			u := m.unit(int32(i - m.first))
			out = append(out, u.AllowedCodes(0)...)
		}
	}
	return out
}

// suppressed reports whether an annotation inside of a field, or of an instruction around the
// place, allows the finding.
func (m *Module) suppressed(f *cursor.Finding) bool {
	if f.At.Unit < 0 || int(f.At.Unit) >= m.units {
		return false
	}
	return m.unitAllows(f.At.Unit, f.At.From, f.At.To, f.Code)
}

// suppressedAt is suppressed for a span of the text.
func (m *Module) suppressedAt(sp source.Span, code diag.Code) bool {
	i := m.snap.tree.UnitAt(sp.Start) - m.first
	if i < 0 || i >= m.units {
		return false
	}
	u := m.unit(int32(i))
	off := m.snap.tree.Units[m.first+i].Off + int(u.Base())
	if sp.Start < off {
		return false
	}
	return m.unitAllows(int32(i), uint32(sp.Start-off), uint32(sp.End-off), code)
}

// unitAllows reports whether an annotation in a unit allows a code from one offset to another.
func (m *Module) unitAllows(unit int32, from, to uint32, code diag.Code) bool {
	u := m.unit(unit)
	if !strings.Contains(u.Text, cursor.AllowWord) {
		return false
	}
	for n := range u.Nodes {
		if u.Nodes[n].Kind != syntax.KAnnot || !slices.Contains(u.AllowedCodes(uint32(n)), string(code)) {
			continue
		}
		parent := 0
		for k := range n {
			if int(u.Nodes[k].Next) > n {
				parent = k
			}
		}
		if p := u.NodePlace(uint32(parent)); p.From <= from && to <= p.To {
			return true
		}
	}
	return false
}
