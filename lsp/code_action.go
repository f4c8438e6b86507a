package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
)

// CodeAction answers `textDocument/codeAction`: the fixes of the diagnostics that the range
// touches, and the changes that are possible where it begins.
func (s *Server) CodeAction(ctx context.Context, p *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	out := []protocol.CommandOrCodeAction{}
	f := d.file()
	sp := s.span(f, p.Range)
	if wanted(p.Context.Only, protocol.CodeActionKindRefactorRewrite) {
		for _, r := range ide.Refactors(d.snap, sp.Start) {
			out = append(out, &protocol.CodeAction{Title: r.Title, Kind: ptr(protocol.CodeActionKindRefactorRewrite), Edit: s.workspaceEdit(d, r.Edits)})
		}
	}
	if !wanted(p.Context.Only, protocol.CodeActionKindQuickFix) {
		return out, nil
	}
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
