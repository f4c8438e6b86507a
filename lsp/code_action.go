package lsp

import (
	"context"
	"encoding/json"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/ide/action"
	"stackscope/analysis/source"
	"stackscope/lsp/internal/workspace"
)

// contentModified is LSP's ContentModified: the text has changed since what is asked about.
const contentModified jsonrpc2.Code = -32801

var refactorKinds = map[action.RefactorKind]protocol.CodeActionKind{
	action.Rewrite: protocol.CodeActionKindRefactorRewrite,
	action.Extract: protocol.CodeActionKindRefactorExtract,
	action.Inline:  protocol.CodeActionKindRefactorInline,
}

// actionData comes back in `codeAction/resolve`: what to make again.
type actionData struct {
	URI     uri.URI        `json:"uri"`
	Version int32          `json:"version"`
	Range   protocol.Range `json:"range"`
}

// CodeAction answers `textDocument/codeAction`: the fixes of the diagnostics that the range
// touches, the changes that are possible for it, and, if they are asked for, all safe fixes of the
// text.
func (s *editing) CodeAction(
	ctx context.Context,
	p *protocol.CodeActionParams,
) ([]protocol.CommandOrCodeAction, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	out := []protocol.CommandOrCodeAction{}
	f := d.File()
	sp := s.span(f, p.Range)
	if wanted(p.Context.Only, protocol.CodeActionKindQuickFix) {
		out = s.fixes(s.world(ctx), d, sp, out)
	}
	if len(p.Context.Only) > 0 && wanted(p.Context.Only, protocol.CodeActionKindSourceFixAll) {
		if edits, n := action.FixAll(d.Snapshot()); n > 0 {
			out = append(
				out,
				&protocol.CodeAction{
					Title: "Apply all safe fixes", Kind: ptr(protocol.CodeActionKindSourceFixAll),
					Edit: s.workspaceEdit(d, edits),
				},
			)
		}
	}
	if !wantsRefactor(p.Context.Only) {
		return out, nil
	}
	for _, r := range action.Selected(d.Snapshot(), sp) {
		kind := refactorKinds[r.Kind]
		if !wanted(p.Context.Only, kind) {
			continue
		}
		a := &protocol.CodeAction{Title: r.Title, Kind: &kind}
		if r.Later != nil && s.caps.resolveEdit {
			a.Data, _ = json.Marshal(actionData{d.URI, d.Version, p.Range})
		} else {
			a.Edit = s.workspaceEdit(d, r.Make())
		}
		out = append(out, a)
	}
	return out, nil
}

// maxFixed is how many diagnostics an answer has fixes of, maxTouched how many it looks at. Nobody
// looks for a fix among more, and a whole text with mistakes everywhere has thousands.
const maxFixed, maxTouched = 50, 200

// fixes appends the fixes of the diagnostics that a span touches, of the first of them if they are
// many.
func (s *editing) fixes(
	w *workspace.World, d *workspace.Document, sp source.Span, out []protocol.CommandOrCodeAction,
) []protocol.CommandOrCodeAction {
	ds := w.Diagnostics(d)
	fixed, touched := 0, 0
	for i := 0; i < len(ds) && fixed < maxFixed && touched < maxTouched; i++ {
		g := &ds[i]
		if at := visible(d.File(), g.Span); at.End < sp.Start || at.Start > sp.End {
			continue
		}
		touched++
		fixes := action.Fixes(d.Snapshot(), g)
		if len(fixes) > 0 {
			fixed++
		}
		for _, fix := range fixes {
			a := &protocol.CodeAction{
				Title:       fix.Title,
				Kind:        ptr(protocol.CodeActionKindQuickFix),
				Diagnostics: []protocol.Diagnostic{s.diagnostic(w, d, g)},
				Edit:        s.workspaceEdit(d, fix.Edits),
			}
			if fix.Preferred {
				a.IsPreferred = yes()
			}
			out = append(out, a)
		}
	}
	return out
}

// CodeActionResolve answers `codeAction/resolve`: the edits of a change that was only offered.
func (s *editing) CodeActionResolve(ctx context.Context, a *protocol.CodeAction) (*protocol.CodeAction, error) {
	var data actionData
	if a.Edit != nil || len(a.Data) == 0 || json.Unmarshal(a.Data, &data) != nil {
		return a, nil
	}
	d, err := s.doc(ctx, data.URI)
	if err != nil {
		return nil, err
	}
	if d.Version != data.Version {
		return nil, jsonrpc2.Errorf(contentModified, "%s has changed since the action was offered", data.URI)
	}
	for _, r := range action.Selected(d.Snapshot(), s.span(d.File(), data.Range)) {
		if r.Title == a.Title {
			a.Edit = s.workspaceEdit(d, r.Make())
			return a, nil
		}
	}
	return nil, jsonrpc2.Errorf(requestFailed, "code action %q is not available here", a.Title)
}

func wantsRefactor(only []protocol.CodeActionKind) bool {
	for _, k := range refactorKinds {
		if wanted(only, k) {
			return true
		}
	}
	return false
}

// wanted reports whether a client that asks only for some kinds wants this one. Kinds are
// hierarchical: `refactor` asks for `refactor.extract` as well.
func wanted(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	for _, k := range only {
		if k == "" || k == kind || strings.HasPrefix(string(kind), string(k)+".") {
			return true
		}
	}
	return len(only) == 0
}
