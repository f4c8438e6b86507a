package lsp

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// fileReport is what was said of an unopened file, and what that depended on.
type fileReport struct {
	gen   uint64 // of the settings
	deps  map[string]string
	uri   uri.URI
	id    string
	items []protocol.Diagnostic
}

// DiagnosticWorkspace answers `workspace/diagnostic`: for the open documents, and for the files of
// the workspace's folders. What has not changed is not analysed again, and answered with
// "unchanged".
func (s *checker) DiagnosticWorkspace(
	ctx context.Context, p *protocol.WorkspaceDiagnosticParams,
) (*protocol.WorkspaceDiagnosticReport, error) {
	known := map[uri.URI]string{}
	for _, k := range p.PreviousResultIds {
		known[k.URI] = k.Value
	}
	w := s.world(ctx)
	out := &protocol.WorkspaceDiagnosticReport{Items: []protocol.WorkspaceDocumentDiagnosticReport{}}
	seen := map[uri.URI]bool{}
	add := func(u uri.URI, version *int32, id string, items []protocol.Diagnostic) {
		seen[u] = true
		if known[u] == id {
			r := &protocol.WorkspaceUnchangedDocumentDiagnosticReport{URI: u, Version: version}
			r.Kind, r.ResultID = "unchanged", id
			out.Items = append(out.Items, r)
			return
		}
		r := &protocol.WorkspaceFullDocumentDiagnosticReport{URI: u, Version: version}
		r.Kind, r.ResultID, r.Items = "full", &id, items
		out.Items = append(out.Items, r)
	}
	docs := make([]*document, 0, len(w.v))
	open := map[string]bool{}
	for _, d := range w.v {
		docs = append(docs, d)
		open[d.path()] = true
	}
	slices.SortFunc(docs, func(a, b *document) int { return strings.Compare(string(a.uri), string(b.uri)) })
	paths := s.files.paths()
	for _, d := range docs {
		items := s.diagnostics(w, d)
		id, err := reportID(items)
		if err != nil {
			return nil, err
		}
		add(d.uri, ptr(d.version), id, items)
		if ctx.Err() != nil {
			return nil, protocol.ErrRequestCancelled
		}
	}
	for _, path := range paths {
		if open[path] || filepath.Ext(path) == ".wasm" && slices.Contains(paths, strings.TrimSuffix(path, ".wasm")+".wat") {
			continue // the text beside it is what people edit
		}
		r, err := s.fileReport(w, path)
		if err != nil {
			return nil, err
		}
		if r != nil {
			add(r.uri, nil, r.id, r.items)
		}
		if ctx.Err() != nil {
			return nil, protocol.ErrRequestCancelled
		}
	}
	// What is gone has nothing wrong any more.
	for _, k := range p.PreviousResultIds {
		if !seen[k.URI] {
			r := &protocol.WorkspaceFullDocumentDiagnosticReport{URI: k.URI}
			r.Kind, r.Items = "full", []protocol.Diagnostic{}
			out.Items = append(out.Items, r)
		}
	}
	return out, nil
}

// fileReport returns the report of an unopened file, nil if it cannot be read.
func (s *checker) fileReport(w *world, path string) (*fileReport, error) {
	f := s.files.file(path)
	if f == nil {
		return nil, nil
	}
	s.files.mu.Lock()
	r, gen := f.report, s.files.gen
	s.files.mu.Unlock()
	if r != nil && r.gen == gen {
		same := true
		for p, stamp := range r.deps {
			same = same && w.stamp(p) == stamp
		}
		if same {
			return r, nil
		}
	}
	w.touched = map[string]string{}
	d := w.doc(path)
	if d == nil {
		return nil, nil
	}
	items := s.diagnostics(w, d)
	id, err := reportID(items)
	if err != nil {
		return nil, err
	}
	r = &fileReport{gen: gen, deps: w.touched, uri: d.uri, id: id, items: items}
	w.touched = nil
	s.files.mu.Lock()
	f.report = r
	s.files.mu.Unlock()
	return r, nil
}
