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
func (b *loweredBody) lints(enabled func(diag.Code) bool, report cursor.Report) {
	b.lintLocals(enabled(diag.UnusedParam), report)
	if enabled(diag.OmittedIndex) {
		for _, kw := range b.implied {
			report(cursor.Finding{Code: diag.OmittedIndex, At: b.u.TokPlace(kw), Msg: b.u.TokText(kw) + " means memory or table 0 without naming it"})
		}
	}
	for _, x := range b.blocks {
		if x.id >= 0 && !x.used {
			if f, ok := unusedFinding(&b.u, uint32(x.id), "label", "is never branched to", diag.UnusedLabel); ok {
				f.Fixes = nil // the block's end may repeat the name
				report(f)
			}
		}
	}
	var open []string
	depth := map[string]int{}
	at := map[string]uint32{}
	block := 0
	for i := range b.instrs {
		in := &b.instrs[i]
		switch {
		case in.Op.OpensBlock():
			name := ""
			if block < len(b.blocks) {
				if x := b.blocks[block]; x.id >= 0 {
					name = b.u.TokText(uint32(x.id))
					if depth[name] > 0 && name != "" {
						f := cursor.Finding{
							Code: diag.Shadow, At: b.u.TokPlace(uint32(x.id)),
							Msg: "the label " + name + " hides an outer one of the same name",
						}
						f.Related = append(f.Related, cursor.Related{At: b.u.TokPlace(at[name]), Msg: "the outer label"})
						report(f)
					} else {
						at[name] = uint32(x.id)
					}
				}
			}
			block++
			open = append(open, name)
			if name != "" {
				depth[name]++
			}
			if in.Op == wasm.OpTryTable {
				b.lintCatches(i, in, report)
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
func (b *loweredBody) lintCatches(i int, in *wasm.Instr, report cursor.Report) {
	if in.Ext == nil || len(in.Ext.Catches) == 0 {
		report(cursor.Finding{
			Code: diag.NeedlessTry, At: b.ownPlace(b.nodes[i]),
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
			report(cursor.Finding{
				Code: diag.UselessCatch, At: b.catchPlace(c.At),
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
func (b *loweredBody) catchPlace(at wasm.Pos) cursor.Place {
	u := &b.u
	for n := range u.Nodes {
		if u.Nodes[n].Kind == syntax.KCatch && u.Off+int(u.Tokens[u.Nodes[n].Tok].Off) == int(at) {
			return u.NodePlace(uint32(n))
		}
	}
	return u.TokPlace(0)
}

// lintLocals reports named locals that are never used, or set and never read, and if asked
// parameters that are never read.
func (b *loweredBody) lintLocals(askParams bool, report cursor.Report) {
	params := b.numParams()
	first := params
	if askParams {
		first = 0
	}
	if len(b.locals) <= first {
		return
	}
	const read, set = 1, 2
	use := make([]uint8, len(b.locals))
	for i := range b.instrs {
		in := &b.instrs[i]
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
	for k := first; k < len(use) && k < len(b.localItems); k++ {
		it := b.localItems[k]
		if use[k]&read != 0 || it.Id < 0 {
			continue
		}
		code, what, how := diag.Unused, "local", "is never used"
		switch {
		case k < params:
			code, what, how = diag.UnusedParam, "parameter", "is never read"
		case use[k] == set:
			code, how = diag.Unread, "is set but never read"
		}
		if f, ok := unusedFinding(&b.u, uint32(it.Id), what, how, code); ok {
			if use[k] == set {
				f.Fixes = nil // the instructions that set it name it too
			}
			report(f)
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
