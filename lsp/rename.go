package lsp

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
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
	sp, name, err := ide.PrepareRenameIn(s.world(ctx).ide(), d.snap(), s.offset(d.file(), p.Position))
	if err != nil {
		return nil, jsonrpc2.Errorf(requestFailed, "%s", err)
	}
	return &protocol.PrepareRenamePlaceholder{Range: s.rng(d.file(), sp), Placeholder: name}, nil
}

// Rename answers `textDocument/rename`.
func (s *editing) Rename(ctx context.Context, p *protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	w := s.world(ctx)
	es, err := ide.RenameIn(w.ide(), d.snap(), s.offset(d.file(), p.Position), p.NewName)
	if err != nil {
		return nil, jsonrpc2.Errorf(requestFailed, "%s", err)
	}
	var all []docEdits
	for snap, edits := range es {
		o := w.docOf(snap)
		if o == nil {
			continue
		}
		if strings.HasPrefix(string(o.uri), schemeText+":") {
			return nil, jsonrpc2.Errorf(requestFailed, "%s is a binary module: its names cannot be edited", o.path())
		}
		all = append(all, docEdits{o, edits})
	}
	slices.SortFunc(all, func(a, b docEdits) int { return strings.Compare(string(a.d.uri), string(b.d.uri)) })
	return s.workspaceEdits(all), nil
}
