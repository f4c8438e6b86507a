package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
)

// requestFailed is LSP's RequestFailed: the request was right, but what it asks cannot be done.
const requestFailed jsonrpc2.Code = -32803

// PrepareRename answers `textDocument/prepareRename`.
func (s *Server) PrepareRename(ctx context.Context, p *protocol.PrepareRenameParams) (protocol.PrepareRenameResult, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	sp, name, err := ide.PrepareRename(d.snap, s.offset(d.file(), p.Position))
	if err != nil {
		return nil, jsonrpc2.Errorf(requestFailed, "%s", err)
	}
	return &protocol.PrepareRenamePlaceholder{Range: s.rng(d.file(), sp), Placeholder: name}, nil
}

// Rename answers `textDocument/rename`.
func (s *Server) Rename(ctx context.Context, p *protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	es, err := ide.Rename(d.snap, s.offset(d.file(), p.Position), p.NewName)
	if err != nil {
		return nil, jsonrpc2.Errorf(requestFailed, "%s", err)
	}
	return s.workspaceEdit(d, es), nil
}
