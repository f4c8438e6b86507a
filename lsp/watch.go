package lsp

import (
	"context"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis"
	"stackscope/lsp/internal/workspace"
)

// watchedFiles are the files whose changes on disk we want to hear of.
const watchedFiles = `{"watchers":[{"globPattern":"**/*.{wat,wast,wasm}"}]}`

// DidChangeWatchedFiles takes note of changes on disk, and has what depends on them looked at
// again.
func (s *documents) DidChangeWatchedFiles(_ context.Context, p *protocol.DidChangeWatchedFilesParams) error {
	s.files.Forget()
	if len(p.Changes) > 0 {
		s.once("relink all", func(ctx context.Context) { s.checks.relink(ctx, nil) })
	}
	return nil
}

// DidChangeWorkspaceFolders takes the new folders over.
func (s *documents) DidChangeWorkspaceFolders(_ context.Context, p *protocol.DidChangeWorkspaceFoldersParams) error {
	var added, removed []uri.URI
	for _, f := range p.Event.Added {
		added = append(added, f.URI)
	}
	for _, f := range p.Event.Removed {
		removed = append(removed, f.URI)
	}
	s.files.ChangeFolders(added, removed)
	s.once("relink all", func(ctx context.Context) { s.checks.relink(ctx, nil) })
	return nil
}

// relink has the open documents that import from another looked at again; of nil, all that import
// anything.
func (s *checker) relink(ctx context.Context, changed *workspace.Document) {
	w := s.worldOf(s.store.View())
	found := false
	for u, d := range w.Open() {
		if d == changed || changed != nil && u == changed.URI {
			continue
		}
		if changed == nil && len(workspace.ImportsOf(d.Snapshot())) > 0 || changed != nil && w.ImportsFrom(d, changed) {
			found = true
			s.push(u)
		}
	}
	if s.caps.pullDiagnostics && s.caps.refreshDiagnostic && (found || changed == nil) {
		s.logIf("diagnostic refresh", s.client.DiagnosticRefresh(ctx))
	}
}

// relinkAfter has the documents that import from another looked at again if an edit changed what it
// exports. There is nothing to do while it is the only one.
func (s *checker) relinkAfter(d, before *workspace.Document) {
	if len(s.store.View()) < 2 {
		return
	}
	s.relinks.note(d.URI, before)
	s.once("relink "+string(d.URI), func(ctx context.Context) {
		before, d := s.relinks.take(d.URI), s.store.View()[d.URI]
		if d != nil && (before == nil || linkKey(before.Snapshot()) != linkKey(d.Snapshot())) {
			s.relink(ctx, d)
		}
	})
}

// relinks are the versions of documents since which others were not looked at again; nil is a
// document that was not open.
type relinks struct {
	mu     sync.Mutex
	before map[uri.URI]*workspace.Document
}

// note records a version, unless there is an older one.
func (r *relinks) note(u uri.URI, before *workspace.Document) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.before == nil {
		r.before = map[uri.URI]*workspace.Document{}
	}
	if _, ok := r.before[u]; !ok {
		r.before[u] = before
	}
}

// take returns the version that was noted.
func (r *relinks) take(u uri.URI) *workspace.Document {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.before[u]
	delete(r.before, u)
	return before
}

// linkKey is equal for two snapshots only if other files find the same exports in them.
func linkKey(s *analysis.Snapshot) string {
	k := ""
	for _, m := range s.Modules() {
		k += m.LinkKey() + "\n"
	}
	return k
}
