package analysis

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// tagBehind finds the tag of an instruction that does not have it right behind the mnemonic. In
// fibers-handle it may stand behind the fiber, `(fiber.suspend (local.get $me) $yield …)`; in tasks
// the event may be the last operand, `(task.suspend (local.get $t) ($yield …))`.
func (l *lowerer) tagBehind(info *wasm.OpInfo, p *parts) (uint32, bool) {
	u := &l.u
	q := *p
	for first := true; ; first = false {
		i, node, ok := q.next()
		switch {
		case !ok:
			return 0, false
		case node && u.Nodes[i].Kind == syntax.KEventArg:
			l.arg = i
			if info.Dialect != wasm.DialectTasks {
				l.eventArgElsewhere(i, info, p)
			}
			return u.keyword(i), true
		case node || first:
		case u.kind(i) == syntax.TokID || u.kind(i) == syntax.TokNat:
			if info.Dialect == wasm.DialectFibersMount && len(u.Errors) == 0 {
				f := finding{
					code: diag.Immediate, at: u.at(i),
					msg: "unexpected token " + u.str(i) + ": in dialect fibers-mount the tag stands right behind " + info.Name,
				}
				f.fixes = []fixAt{l.moveBehind(p.tok, i)}
				l.report(f)
			}
			l.taken = i
			return i, true
		}
	}
}

// moveBehind is the fix that moves token t in front of token to.
func (l *lowerer) moveBehind(to, t uint32) fixAt {
	u := &l.u
	return fixAt{"Move " + u.str(t) + " in front of the operands", []editAt{
		{u.behind(to - 1), " " + u.str(t)}, {l.withSpace(u.at(t)), ""}}, true}
}

// withSpace widens a place by the white space in front of it.
func (l *lowerer) withSpace(p place) place {
	u := &l.u
	b := u.base()
	for p.from > 0 {
		switch u.text[b+p.from-1] {
		case ' ', '\t', '\r', '\n':
			p.from--
			continue
		}
		break
	}
	return p
}

// strayTags reports tags behind the operands, besides the one that was taken there.
func (l *lowerer) strayTags(p *parts, info *wasm.OpInfo) {
	q := *p
	for first := true; ; first = false {
		i, node, ok := q.next()
		if !ok {
			return
		}
		if k := l.u.kind(i); !node && !first && i != l.taken && (k == syntax.TokID || k == syntax.TokNat) {
			l.errAt(
				diag.Immediate, l.u.at(i),
				"unexpected token "+l.u.str(i)+": "+info.Name+" takes one tag, and has it already",
			)
			return
		}
	}
}

// eventArgElsewhere reports an event among the operands, as only tasks spells it, with the fix that
// rewrites `(op operand* ($tag x*))` to `(op $tag operand* x*)`.
func (l *lowerer) eventArgElsewhere(c uint32, info *wasm.OpInfo, p *parts) {
	u := &l.u
	nd := &u.Nodes[c]
	tag := u.keyword(c)
	f := finding{
		code: diag.Immediate,
		at:   u.nodePlace(c),
		msg: "unexpected token `(" + u.str(tag) + "`: in dialect " + info.Dialect.String() +
			" the tag stands right behind " + info.Name + ", and its values are operands",
	}
	edits := []editAt{{u.behind(p.tok - 1), " " + u.str(tag)}}
	last := nd.TokEnd - 1
	switch {
	case info.Dialect == wasm.DialectFibersMount: // the values come before the fiber
		l.doubt = true
		edits = []editAt{
			{u.behind(p.tok - 1), " " + u.text[u.Tokens[tag].Off:u.Tokens[last].Off]},
			{l.withSpace(u.nodePlace(c)), ""},
		}
	case tag+1 >= last: // no operands
		edits = append(edits, editAt{l.withSpace(u.nodePlace(c)), ""})
	default:
		edits = append(
			edits, editAt{place{u.idx, u.at(nd.Tok).from, u.at(tag + 1).from}, ""},
			editAt{l.withSpace(u.at(last)), ""},
		)
	}
	f.fixes = []fixAt{{"Write `" + info.Name + " " + u.str(tag) + "`", edits, true}}
	l.report(f)
}

// eventArg reports an event among the operands of an instruction that sends none.
func (l *lowerer) eventArg(c uint32) {
	l.errAt(
		diag.Immediate, l.u.nodePlace(c),
		"unexpected token `("+l.u.str(l.u.keyword(c))+"`: an instruction is expected",
	)
	l.operandsOnly(c+1, l.u.Nodes[c].Next)
}
