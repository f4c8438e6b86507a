package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"
)

// CodeAction answers `textDocument/codeAction`: the fixes of the diagnostics that the range touches.
func (s *Server) CodeAction(ctx context.Context, p *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	out := []protocol.CommandOrCodeAction{}
	if !wanted(p.Context.Only, protocol.CodeActionKindQuickFix) {
		return out, nil
	}
	f := d.file()
	sp := s.span(f, p.Range)
	ds := d.snap.Diagnostics()
	for i := range ds {
		g := &ds[i]
		if at := visible(f, g.Span); at.End < sp.Start || at.Start > sp.End || len(g.Fixes) == 0 {
			continue
		}
		for _, fix := range g.Fixes {
			a := &protocol.CodeAction{
				Title:       fix.Title,
				Kind:        ptr(protocol.CodeActionKindQuickFix),
				Diagnostics: []protocol.Diagnostic{s.diagnostic(d, g)},
				Edit:        s.workspaceEdit(d, fix.Edits),
			}
			if fix.Preferred {
				a.IsPreferred = yes()
			}
			out = append(out, a)
		}
	}
	return out, nil
}

// wanted tells whether a client that asks only for some kinds wants this one. Kinds are
// hierarchical: `refactor` asks for `refactor.extract` as well.
func wanted(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	for _, k := range only {
		if k == "" || k == kind || strings.HasPrefix(string(kind), string(k)+".") {
			return true
		}
	}
	return len(only) == 0
}
