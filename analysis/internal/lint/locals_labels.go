package lint

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/lower"
	"stackscope/wasm"
)

// Body reports what is valid and yet likely a mistake in a body. What is off is not looked for.
func Body(b *lower.Body, t *lower.Typing, enabled func(diag.Code) bool, report cursor.Report) {
	lintNames(b, enabled, report)
	lintDead(b, t.Dead.Regions, report)
	if enabled(diag.ReferenceLeaves) {
		lintLeaves(b, report)
	}
}

// lintNames reports names of locals and labels that are useless or hide others, and indices that
// are left out.
func lintNames(b *lower.Body, enabled func(diag.Code) bool, report cursor.Report) {
	lintLocals(b, enabled(diag.UnusedParam), report)
	if enabled(diag.OmittedIndex) {
		for _, kw := range b.Implied {
			report(
				cursor.Finding{
					Code: diag.OmittedIndex, At: b.Unit.TokPlace(kw),
					Msg: b.Unit.TokText(kw) + " uses memory or table 0 without naming it",
				},
			)
		}
	}
	for _, x := range b.Blocks {
		if x.Label >= 0 && !x.Used {
			if f, ok := unusedFinding(&b.Unit, uint32(x.Label), "label", "is never branched to", diag.UnusedLabel); ok {
				f.Fixes = nil // the block's end may repeat the name
				report(f)
			}
		}
	}
	var open []string
	depth := map[string]int{}
	at := map[string]uint32{}
	block := 0
	for i := range b.Instrs {
		in := &b.Instrs[i]
		switch {
		case in.Op.OpensBlock():
			name := ""
			if block < len(b.Blocks) {
				if x := b.Blocks[block]; x.Label >= 0 {
					name = b.Unit.TokText(uint32(x.Label))
					if depth[name] > 0 && name != "" {
						f := cursor.Finding{
							Code: diag.Shadow, At: b.Unit.TokPlace(uint32(x.Label)),
							Msg: "the label " + name + " hides an outer one of the same name",
						}
						f.Related = append(
							f.Related, cursor.Related{At: b.Unit.TokPlace(at[name]), Msg: "the outer label"},
						)
						report(f)
					} else {
						at[name] = uint32(x.Label)
					}
				}
			}
			block++
			open = append(open, name)
			if name != "" {
				depth[name]++
			}
			if in.Op == wasm.OpTryTable {
				lintCatches(b, i, in, report)
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
func lintCatches(b *lower.Body, i int, in *wasm.Instr, report cursor.Report) {
	if in.Ext == nil || len(in.Ext.Catches) == 0 {
		report(cursor.Finding{
			Code: diag.NeedlessTry, At: b.OwnPlace(b.Nodes[i]),
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
				Code: diag.UselessCatch, At: b.CatchPlace(c.At),
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

// lintLocals reports named locals that are never used, or set and never read, and if asked
// parameters that are never read.
func lintLocals(b *lower.Body, askParams bool, report cursor.Report) {
	params := b.NumParams()
	first := params
	if askParams {
		first = 0
	}
	if len(b.Locals) <= first {
		return
	}
	const read, set = 1, 2
	use := make([]uint8, len(b.Locals))
	for i := range b.Instrs {
		in := &b.Instrs[i]
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
	for k := first; k < len(use) && k < len(b.LocalItems); k++ {
		it := b.LocalItems[k]
		if use[k]&read != 0 || it.ID < 0 {
			continue
		}
		code, what, how := diag.Unused, "local", "is never used"
		switch {
		case k < params:
			code, what, how = diag.UnusedParam, "parameter", "is never read"
		case use[k] == set:
			code, how = diag.Unread, "is set but never read"
		}
		if f, ok := unusedFinding(&b.Unit, uint32(it.ID), what, how, code); ok {
			if use[k] == set {
				f.Fixes = nil // the instructions that set it name it too
			}
			report(f)
		}
	}
}
