package lsp

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
	"stackscope/lsp/internal/workspace"
)

// requestFailed is LSP's RequestFailed: the request was right, but what it asks cannot be done.
const requestFailed jsonrpc2.Code = -32803

// PrepareRename answers `textDocument/prepareRename`.
func (s *editing) PrepareRename(
	ctx context.Context, p *protocol.PrepareRenameParams,
) (protocol.PrepareRenameResult, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	sp, name, err := ide.PrepareRenameIn(s.world(ctx).IDE(), d.Snapshot(), s.offset(d.File(), p.Position))
	if err != nil {
		return nil, jsonrpc2.Errorf(requestFailed, "%s", err)
	}
	return &protocol.PrepareRenamePlaceholder{Range: s.rng(d.File(), sp), Placeholder: name}, nil
}

// Rename answers `textDocument/rename`.
func (s *editing) Rename(ctx context.Context, p *protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	w := s.world(ctx)
	es, err := ide.RenameIn(w.IDE(), d.Snapshot(), s.offset(d.File(), p.Position), p.NewName)
	if err != nil {
		return nil, jsonrpc2.Errorf(requestFailed, "%s", err)
	}
	var all []docEdits
	for snap, edits := range es {
		o := w.DocOf(snap)
		if o == nil {
			continue
		}
		if strings.HasPrefix(string(o.URI), workspace.SchemeText+":") {
			return nil, jsonrpc2.Errorf(requestFailed, "%s is a binary module: its names cannot be edited", o.Path())
		}
		all = append(all, docEdits{o, edits})
	}
	slices.SortFunc(all, func(a, b docEdits) int { return strings.Compare(string(a.d.URI), string(b.d.URI)) })
	return s.workspaceEdits(all), nil
}
