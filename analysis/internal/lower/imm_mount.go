package lower

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// tagBehind finds the tag of an instruction that does not have it right after the mnemonic. In
// fibers-handle it may stand after the fiber, `(fiber.suspend (local.get $me) $yield …)`; in tasks
// the event may be the last operand, `(task.suspend (local.get $t) ($yield …))`.
func (l *immReader) tagBehind(info *wasm.OpInfo, p *cursor.Parts) (uint32, bool) {
	u := &l.Unit
	q := *p
	for first := true; ; first = false {
		i, node, ok := q.Next()
		switch {
		case !ok:
			return 0, false
		case node && u.Nodes[i].Kind == syntax.KEventArg:
			l.arg = i
			if !info.Dialect.Info().EventOperand {
				l.eventArgElsewhere(i, info, p)
			}
			return u.Keyword(i), true
		case node || first:
		case u.TokKind(i) == syntax.TokID || u.TokKind(i) == syntax.TokNat:
			if info.Dialect.Info().TagFirst && len(u.Errors) == 0 {
				f := cursor.Finding{
					Code: diag.Immediate, At: u.TokPlace(i),
					Msg: "unexpected token " + u.TokText(
						i,
					) + ": in dialect " + info.Dialect.String() + " the tag stands right after " + info.Name,
				}
				f.Fixes = []cursor.Fix{l.moveBehind(p.Tok, i)}
				l.Report(f)
			}
			l.taken = i
			return i, true
		}
	}
}

// moveBehind is the fix that moves token t before token to.
func (l *immReader) moveBehind(to, t uint32) cursor.Fix {
	u := &l.Unit
	return cursor.Fix{Title: "Move " + u.TokText(t) + " before the operands", Edits: []cursor.Edit{
		{At: u.After(to - 1), New: " " + u.TokText(t)}, {At: l.withSpace(u.TokPlace(t)), New: ""}}, Preferred: true}
}

// withSpace widens a place by the white space before it.
func (l *immReader) withSpace(p cursor.Place) cursor.Place {
	u := &l.Unit
	b := u.Base()
	for p.From > 0 {
		switch u.Text[b+p.From-1] {
		case ' ', '\t', '\r', '\n':
			p.From--
			continue
		}
		break
	}
	return p
}

// strayTags reports tags after the operands, besides the one that was taken there.
func (l *immReader) strayTags(p *cursor.Parts, info *wasm.OpInfo) {
	q := *p
	for first := true; ; first = false {
		i, node, ok := q.Next()
		if !ok {
			return
		}
		if k := l.Unit.TokKind(i); !node && !first && i != l.taken && (k == syntax.TokID || k == syntax.TokNat) {
			l.ReportAt(
				diag.Immediate, l.Unit.TokPlace(i),
				"unexpected token "+l.Unit.TokText(i)+": "+info.Name+" takes one tag, and has it already",
			)
			return
		}
	}
}

// eventArgElsewhere reports an event among the operands, as only tasks spells it, with the fix that
// rewrites `(op operand* ($tag x*))` to `(op $tag operand* x*)`.
func (l *immReader) eventArgElsewhere(c uint32, info *wasm.OpInfo, p *cursor.Parts) {
	u := &l.Unit
	nd := &u.Nodes[c]
	tag := u.Keyword(c)
	f := cursor.Finding{
		Code: diag.Immediate,
		At:   u.NodePlace(c),
		Msg: "unexpected token `(" + u.TokText(tag) + "`: in dialect " + info.Dialect.String() +
			" the tag stands right after " + info.Name + ", and its values are operands",
	}
	edits := []cursor.Edit{{At: u.After(p.Tok - 1), New: " " + u.TokText(tag)}}
	last := nd.TokEnd - 1
	switch {
	case info.Dialect.Info().TagFirst: // the values come before the fiber
		l.doubt = true
		edits = []cursor.Edit{
			{At: u.After(p.Tok - 1), New: " " + u.Text[u.Tokens[tag].Off:u.Tokens[last].Off]},
			{At: l.withSpace(u.NodePlace(c)), New: ""},
		}
	case tag+1 >= last: // no operands
		edits = append(edits, cursor.Edit{At: l.withSpace(u.NodePlace(c)), New: ""})
	default:
		edits = append(
			edits,
			cursor.Edit{
				At:  cursor.Place{Unit: u.Index, From: u.TokPlace(nd.Tok).From, To: u.TokPlace(tag + 1).From},
				New: "",
			},
			cursor.Edit{At: l.withSpace(u.TokPlace(last)), New: ""},
		)
	}
	f.Fixes = []cursor.Fix{{Title: "Write `" + info.Name + " " + u.TokText(tag) + "`", Edits: edits, Preferred: true}}
	l.Report(f)
}

// eventArg reports an event among the operands of an instruction that sends none.
func (l *Lowerer) eventArg(c uint32) {
	l.ReportAt(
		diag.Immediate, l.Unit.NodePlace(c),
		"unexpected token `("+l.Unit.TokText(l.Unit.Keyword(c))+"`: an instruction is expected",
	)
	l.operandsOnly(c+1, l.Unit.Nodes[c].Next)
}
