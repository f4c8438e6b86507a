package analysis

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// clausePos returns the position of a token.
func (l *lowerer) clausePos(t uint32) wasm.Pos {
	return wasm.Pos(l.u.off) + wasm.Pos(l.u.Tokens[t].Off)
}

// handlers reads the on clauses of resume, resume_throw and resume_throw_ref.
func (l *lowerer) handlers(in *wasm.Instr, p *parts) {
	for {
		i, node, ok := p.peek()
		if !ok || !node || l.u.Nodes[i].Kind != syntax.KOn && l.u.Nodes[i].Kind != syntax.KClause {
			return
		}
		p.skip()
		if l.u.Nodes[i].Kind == syntax.KClause {
			f := finding{
				code: diag.Immediate, at: l.u.nodePlace(i),
				msg: "unexpected token " + l.u.words(i) + ": in dialect cont clauses are written `(on $tag $label)`",
			}
			at := l.u.at(l.u.Nodes[i].Tok)
			f.fixes = []fixAt{{"Insert `on`", []editAt{{place{at.unit, at.to, at.to}, "on "}}, true}}
			l.report(f)
		}
		if in.Ext == nil {
			in.Ext = &wasm.Ext{}
		}
		in.Ext.Handlers = append(in.Ext.Handlers, l.on(i))
	}
}

func (l *lowerer) on(c uint32) wasm.Handler {
	u := &l.u
	h := wasm.Handler{Tag: wasm.BadIndex, Label: wasm.BadIndex, At: l.clausePos(u.Nodes[c].Tok)}
	q := u.parts(c)
	q.token(syntax.TokLParen)
	q.word("on")
	if t, ok := q.index(); ok {
		h.Tag = l.index(SpaceTag, t, RefRead)
	} else {
		return h // the parser has reported it
	}
	if _, ok := q.word("switch"); ok {
		h.Switch = true
		return h
	}
	if t, ok := q.index(); ok {
		h.Label = l.label(t)
	}
	return h
}

// clauses reads the `(tag target)` clauses of the fibers-mount and tasks dialects.
func (l *lowerer) clauses(in *wasm.Instr, p *parts) {
	u := &l.u
	for {
		i, node, ok := p.peek()
		if !ok || !node || u.Nodes[i].Kind != syntax.KClause && u.Nodes[i].Kind != syntax.KOn {
			return
		}
		p.skip()
		if in.Ext == nil {
			in.Ext = &wasm.Ext{}
		}
		h := wasm.Handler{Tag: wasm.BadIndex, Label: wasm.BadIndex, At: l.clausePos(u.Nodes[i].Tok)}
		q := u.parts(i)
		q.token(syntax.TokLParen)
		if t, ok := q.word("on"); ok && l.d.dialect == wasm.DialectTasks {
			f := finding{
				code: diag.Immediate, at: u.at(t),
				msg: "unexpected token `on`: in dialect tasks clauses are written `($tag $label)`",
			}
			f.fixes = []fixAt{{"Remove `on`", []editAt{{place{f.at.unit, f.at.from, f.at.to + 1}, ""}}, true}}
			l.report(f)
		}
		if t, ok := q.index(); ok {
			h.Tag = l.index(SpaceTag, t, RefRead)
		}
		if t, ok := q.index(); ok {
			if in.Op == wasm.OpMountFiberNew {
				h.Label = l.index(SpaceFunc, t, RefRead)
			} else {
				h.Label = l.label(t)
			}
		} else if t, ok := q.word("switch"); ok {
			l.errAt(diag.Immediate, u.at(t), "unexpected token `switch`: only clauses of the dialect cont have it")
		}
		in.Ext.Handlers = append(in.Ext.Handlers, h)
	}
}

// catches reads the catch clauses of try_table.
func (l *lowerer) catches(in *wasm.Instr, p *parts) {
	u := &l.u
	for {
		c, ok := p.node(syntax.KCatch)
		if !ok {
			return
		}
		if in.Ext == nil {
			in.Ext = &wasm.Ext{}
		}
		kw := u.keyword(c)
		x := wasm.Catch{Tag: wasm.BadIndex, Label: wasm.BadIndex, At: l.clausePos(u.Nodes[c].Tok)}
		switch u.str(kw) {
		case "catch_ref":
			x.Kind = wasm.CatchTagRef
		case "catch_all":
			x.Kind = wasm.CatchAll
		case "catch_all_ref":
			x.Kind = wasm.CatchAllRef
		}
		q := parts{u, kw + 1, u.Nodes[c].TokEnd, c + 1, u.Nodes[c].Next}
		if x.Kind < wasm.CatchAll {
			if t, ok := q.index(); ok {
				x.Tag = l.index(SpaceTag, t, RefRead)
			}
		}
		if t, ok := q.index(); ok {
			x.Label = l.label(t)
		}
		in.Ext.Catches = append(in.Ext.Catches, x)
	}
}
