package lower

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// clausePos returns the position of a token.
func (l *immReader) clausePos(t uint32) wasm.Pos {
	return wasm.Pos(l.Unit.Off) + wasm.Pos(l.Unit.Tokens[t].Off)
}

// handlerClauses reads the on clauses of resume, resume_throw and resume_throw_ref.
func (l *immReader) handlerClauses(in *wasm.Instr, p *cursor.Parts) {
	for {
		i, node, ok := p.Peek()
		if !ok || !node || l.Unit.Nodes[i].Kind != syntax.KOn && l.Unit.Nodes[i].Kind != syntax.KClause {
			return
		}
		p.Skip()
		if l.Unit.Nodes[i].Kind == syntax.KClause {
			f := cursor.Finding{
				Code: diag.Immediate, At: l.Unit.NodePlace(i),
				Msg: "unexpected token " + l.Unit.Words(i) + ": in dialect cont clauses are written `(on $tag $label)`",
			}
			at := l.Unit.TokPlace(l.Unit.Nodes[i].Tok)
			f.Fixes = []cursor.Fix{
				{
					Title:     "Insert `on`",
					Edits:     []cursor.Edit{{At: cursor.Place{Unit: at.Unit, From: at.To, To: at.To}, New: "on "}},
					Preferred: true,
				},
			}
			l.Report(f)
		}
		if in.Ext == nil {
			in.Ext = &wasm.Ext{}
		}
		in.Ext.HandlerClauses = append(in.Ext.HandlerClauses, l.on(i))
	}
}

func (l *immReader) on(c uint32) wasm.HandlerClause {
	u := &l.Unit
	h := wasm.HandlerClause{Tag: wasm.BadIndex, Label: wasm.BadIndex, At: l.clausePos(u.Nodes[c].Tok)}
	q := u.Parts(c)
	q.Token(syntax.TokLParen)
	q.Word("on")
	if t, ok := q.IndexToken(); ok {
		h.Tag = l.Index(decl.SpaceTag, t, decl.RefRead)
	} else {
		return h // the parser has reported it
	}
	if _, ok := q.Word("switch"); ok {
		h.Switch = true
		return h
	}
	if t, ok := q.IndexToken(); ok {
		h.Label = l.label(t)
	}
	return h
}

// clauses reads the `(tag target)` clauses of the fibers-mount and tasks dialects.
func (l *immReader) clauses(in *wasm.Instr, p *cursor.Parts) {
	u := &l.Unit
	for {
		i, node, ok := p.Peek()
		if !ok || !node || u.Nodes[i].Kind != syntax.KClause && u.Nodes[i].Kind != syntax.KOn {
			return
		}
		p.Skip()
		if in.Ext == nil {
			in.Ext = &wasm.Ext{}
		}
		h := wasm.HandlerClause{Tag: wasm.BadIndex, Label: wasm.BadIndex, At: l.clausePos(u.Nodes[i].Tok)}
		q := u.Parts(i)
		q.Token(syntax.TokLParen)
		if t, ok := q.Word("on"); ok && l.Decls.Dialect.Info().BareClauses {
			f := cursor.Finding{
				Code: diag.Immediate, At: u.TokPlace(t),
				Msg: "unexpected token `on`: in dialect " + l.Decls.Dialect.String() + " clauses are written `($tag $label)`",
			}
			f.Fixes = []cursor.Fix{
				{
					Title: "Remove `on`",
					Edits: []cursor.Edit{
						{At: cursor.Place{Unit: f.At.Unit, From: f.At.From, To: f.At.To + 1}, New: ""},
					},
					Preferred: true,
				},
			}
			l.Report(f)
		}
		if t, ok := q.IndexToken(); ok {
			h.Tag = l.Index(decl.SpaceTag, t, decl.RefRead)
		}
		if t, ok := q.IndexToken(); ok {
			if in.Op == wasm.OpMountFiberNew {
				h.Label = l.Index(decl.SpaceFunc, t, decl.RefRead)
			} else {
				h.Label = l.label(t)
			}
		} else if t, ok := q.Word("switch"); ok {
			l.ReportAt(diag.Immediate, u.TokPlace(t), "unexpected token `switch`: only clauses of the dialect cont have it")
		}
		in.Ext.HandlerClauses = append(in.Ext.HandlerClauses, h)
	}
}

// catches reads the catch clauses of try_table.
func (l *immReader) catches(in *wasm.Instr, p *cursor.Parts) {
	u := &l.Unit
	for {
		c, ok := p.Node(syntax.KCatch)
		if !ok {
			return
		}
		if in.Ext == nil {
			in.Ext = &wasm.Ext{}
		}
		kw := u.Keyword(c)
		x := wasm.Catch{Tag: wasm.BadIndex, Label: wasm.BadIndex, At: l.clausePos(u.Nodes[c].Tok)}
		switch u.TokText(kw) {
		case "catch_ref":
			x.Kind = wasm.CatchTagRef
		case "catch_all":
			x.Kind = wasm.CatchAll
		case "catch_all_ref":
			x.Kind = wasm.CatchAllRef
		}
		q := cursor.Parts{U: u, Tok: kw + 1, End: u.Nodes[c].TokEnd, Child: c + 1, LastChild: u.Nodes[c].Next}
		if x.Kind < wasm.CatchAll {
			if t, ok := q.IndexToken(); ok {
				x.Tag = l.Index(decl.SpaceTag, t, decl.RefRead)
			}
		}
		if t, ok := q.IndexToken(); ok {
			x.Label = l.label(t)
		}
		in.Ext.Catches = append(in.Ext.Catches, x)
	}
}
