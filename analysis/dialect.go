package analysis

import (
	"strings"

	"stackscope/analysis/diag"
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
		return
	}
	if opts.Dialect != wasm.DialectNone {
		d.dialect, d.mod.Dialect = opts.Dialect, opts.Dialect
		d.dialectWord = "the setting"
		return
	}
	for i := range n {
		l.u = l.unitAt(int32(i))
		if l.u.Kind != syntax.UnitField {
			continue
		}
		f := &d.units[i]
		f.dialect, f.word, f.tok = firstDialect(&l.u)
		f.word = strings.Clone(f.word)
		if f.dialect != wasm.DialectNone && !d.dialectKnown {
			d.dialect, d.mod.Dialect = f.dialect, f.dialect
			d.dialectWord, d.dialectBy, d.dialectKnown = "`"+f.word+"`", l.u.at(f.tok), true
		}
	}
}

// firstDialect gives the dialect of the first construct of a unit that only one dialect has.
func firstDialect(u *unit) (wasm.Dialect, string, uint32) {
	for i := range u.Nodes {
		nd := &u.Nodes[i]
		switch nd.Kind {
		case syntax.KInstr, syntax.KBlock:
			if nd.Op == wasm.OpRefNull {
				if t := u.keyword(uint32(i)) + 1; t < nd.TokEnd {
					if x := heapDialect(u, t); x != wasm.DialectNone {
						return x, u.str(t), t
					}
				}
				continue
			}
			if x := opDialect[nd.Op]; x != wasm.DialectNone {
				t := u.keyword(uint32(i))
				return x, nd.Op.Info().Name, t
			}
			if nd.Op != wasm.OpInvalid && nd.Op.Info().Dialect != wasm.DialectNone {
				if x := sharedDialect(u, uint32(i)); x != wasm.DialectNone {
					return x, nd.Op.Info().Name, u.keyword(uint32(i))
				}
			}
		case syntax.KContType:
			return wasm.DialectCont, "cont", u.keyword(uint32(i))
		case syntax.KStackType:
			return wasm.DialectStacks, "stack", u.keyword(uint32(i))
		case syntax.KFiberType:
			return wasm.DialectFibersHandle, "fiber", u.keyword(uint32(i))
		case syntax.KEvent:
			return wasm.DialectFibersHandle, "event", u.keyword(uint32(i))
		case syntax.KNumType:
			switch s := u.str(nd.Tok); s {
			case "contref", "nullcontref":
				return wasm.DialectCont, s, nd.Tok
			case "fiberref":
				return wasm.DialectFibersMount, s, nd.Tok
			case "taskref":
				return wasm.DialectTasks, s, nd.Tok
			}
		case syntax.KRefType:
			for t := nd.Tok; t < nd.TokEnd; t++ {
				if x := heapDialect(u, t); x != wasm.DialectNone {
					return x, u.str(t), t
				}
			}
		}
	}
	return wasm.DialectNone, "", 0
}

// heapDialect gives the dialect of a heap type that is one dialect's alone.
func heapDialect(u *unit, t uint32) wasm.Dialect {
	if u.kind(t) != syntax.TokKeyword {
		return wasm.DialectNone
	}
	switch u.str(t) {
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
// (docs/dialects.md §1): `switch` with two is cont, with one stacks.
func sharedDialect(u *unit, n uint32) wasm.Dialect {
	p := parts{u, u.keyword(n) + 1, u.Nodes[n].TokEnd, n + 1, u.Nodes[n].Next}
	k := 0
	for {
		if _, ok := p.index(); !ok {
			break
		}
		k++
	}
	if u.Nodes[n].Op.Info().Name == "switch" {
		switch k {
		case 1:
			return wasm.DialectStacks
		case 2:
			return wasm.DialectCont
		}
	}
	return wasm.DialectNone
}

// annotated looks for `(@stack-switching "cont")` as the first item of the module.
func (l *lowerer) annotated(n int) bool {
	for i := range n {
		l.u = l.unitAt(int32(i))
		for k := range l.u.Nodes {
			nd := &l.u.Nodes[k]
			if nd.Kind != syntax.KAnnot || l.u.str(nd.Tok) != "(@stack-switching" {
				continue
			}
			t := nd.Tok + 1
			if t >= nd.TokEnd || l.u.kind(t) != syntax.TokString {
				l.errAt(diag.DialectName, l.u.nodePlace(uint32(k)), "unexpected token: (@stack-switching …) needs the name of a dialect, such as \"cont\"")
				return false
			}
			s, _ := syntax.DecodeString(l.u.str(t))
			x, ok := wasm.ParseDialect(string(s))
			if !ok {
				f := finding{code: diag.DialectName, at: l.u.at(t), msg: "unknown dialect " + l.u.str(t) + ": cont, stacks, fibers-mount, fibers-handle and tasks are known"}
				names := map[string]uint32{}
				for _, d := range wasm.Dialects() {
					names[d.String()] = 0
				}
				for j, near := range nearNames(string(s), names) {
					f.fixes = append(f.fixes, fixAt{"Change to \"" + near + "\"", []editAt{{f.at, `"` + near + `"`}}, j == 0})
				}
				l.report(f)
				return false
			}
			l.d.dialect, l.d.mod.Dialect = x, x
			l.d.dialectWord, l.d.dialectBy, l.d.dialectKnown = "the annotation", l.u.nodePlace(uint32(k)), true
			return true
		}
		if l.u.Kind == syntax.UnitField && len(l.u.Nodes) > 0 && l.u.Nodes[0].Kind != syntax.KAnnot {
			return false
		}
	}
	return false
}

// inDialect gives the instruction of the module's dialect that a mnemonic means. One of another
// dialect is reported, and gives false.
func (l *lowerer) inDialect(n uint32, op wasm.Op) (wasm.Op, bool) {
	d := l.d.dialect
	if o, ok := op.In(d); ok {
		return o, true
	}
	if d == wasm.DialectNone { // several dialects have it, and nothing tells which is meant
		return op, true
	}
	kw := l.u.keyword(n)
	f := finding{code: diag.Dialect, at: l.u.at(kw), msg: "unknown operator " + l.u.str(kw) + " in dialect " + d.String() + ": it belongs to dialect " + op.Info().Dialect.String()}
	if l.d.dialectKnown {
		f.related = []relatedAt{{l.d.dialectBy, "the module is in dialect " + d.String() + " because of " + l.d.dialectWord}}
	}
	l.report(f)
	return op, false
}
