package lsp

import (
	"context"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/lsp/internal/workspace"
)

// pusher publishes diagnostics to clients that do not ask for them: at most one computation per
// document at a time, always of the newest version.
type pusher struct {
	mu    sync.Mutex
	state map[uri.URI]*pushState
}

type pushState struct{ again bool }

// push arranges for the diagnostics of a document to be published, unless the client pulls them.
func (s *checker) push(u uri.URI) {
	if s.caps.pullDiagnostics {
		return
	}
	p := &s.pushing
	p.mu.Lock()
	defer p.mu.Unlock()
	if st := p.state[u]; st != nil {
		st.again = true
		return
	}
	if p.state == nil {
		p.state = map[uri.URI]*pushState{}
	}
	p.state[u] = &pushState{}
	go func() {
		defer s.recovered("publishDiagnostics")
		s.pushLoop(s.ctx, u)
	}()
}

func (s *checker) pushLoop(ctx context.Context, u uri.URI) {
	for {
		s.pushOnce(ctx, u)
		s.pushing.mu.Lock()
		st := s.pushing.state[u]
		if !st.again || ctx.Err() != nil {
			delete(s.pushing.state, u)
			s.pushing.mu.Unlock()
			return
		}
		st.again = false
		s.pushing.mu.Unlock()
	}
}

// pushOnce publishes the diagnostics of the newest version; of a closed document none. A panic of
// the analysis leaves the loop running.
func (s *checker) pushOnce(ctx context.Context, u uri.URI) {
	defer s.recovered("publishDiagnostics")
	p := &protocol.PublishDiagnosticsParams{URI: u, Diagnostics: []protocol.Diagnostic{}}
	if d := s.store.View()[u]; d != nil {
		p.Diagnostics = s.diagnostics(s.worldOf(s.store.View()), d)
		if now := s.store.View()[u]; now != nil && now.Gen != d.Gen {
			return // overtaken: the loop comes round again
		}
		p.Version = protocol.NewOptional(d.Version)
	}
	s.logIf("publishDiagnostics", s.client.PublishDiagnostics(ctx, p))
}

// Diagnostic answers `textDocument/diagnostic`. The result id is a hash of the report, so a change
// that moves nothing and mends nothing is answered with "unchanged".
func (s *checker) Diagnostic(
	ctx context.Context, p *protocol.DocumentDiagnosticParams,
) (protocol.DocumentDiagnosticReport, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	items := s.diagnostics(s.world(ctx), d)
	id, err := reportID(items)
	if err != nil {
		return nil, err
	}
	if p.PreviousResultID != nil && *p.PreviousResultID == id {
		r := &protocol.RelatedUnchangedDocumentDiagnosticReport{}
		r.Kind, r.ResultID = "unchanged", id
		return r, nil
	}
	r := &protocol.RelatedFullDocumentDiagnosticReport{}
	r.Kind, r.ResultID, r.Items = "full", &id, items
	return r, nil
}

// reportID returns the result id of a report: a hash of it.
func reportID(items []protocol.Diagnostic) (string, error) {
	b, err := protocol.Marshal(&protocol.FullDocumentDiagnosticReport{Items: items})
	if err != nil {
		return "", err
	}
	h := fnv.New64a()
	h.Write(b)
	return strconv.FormatUint(h.Sum64(), 36), nil
}

// maxDiagnostics is how many diagnostics of a file are sent to a client. `wasm-ls check` prints
// all.
const maxDiagnostics = 5000

// diagnostics returns the diagnostics of a document of a world; never nil.
func (s *session) diagnostics(w *workspace.World, d *workspace.Document) []protocol.Diagnostic {
	ds := w.Diagnostics(d)
	out := make([]protocol.Diagnostic, 0, min(len(ds), maxDiagnostics))
	printed := strings.HasPrefix(string(d.URI), workspace.SchemeText+":")
	for i := range ds {
		if printed && ds[i].Severity == diag.Hint {
			continue // a binary module's text is not for tidying up
		}
		if more := len(ds) - i - 1; len(out) == maxDiagnostics-1 && more > 0 {
			last := ds[i]
			last.Message += fmt.Sprintf("\n(%d more problems in this file are not shown)", more)
			return append(out, s.diagnostic(w, d, &last))
		}
		out = append(out, s.diagnostic(w, d, &ds[i]))
	}
	return out
}

func (s *session) diagnostic(w *workspace.World, d *workspace.Document, g *diag.Diagnostic) protocol.Diagnostic {
	f := d.File()
	out := protocol.Diagnostic{
		Range:    s.rng(f, visible(f, g.Span)),
		Severity: protocol.DiagnosticSeverity(g.Severity),
		Code:     protocol.String(g.Code),
		Source:   protocol.NewOptional("stackscope"),
		Message:  protocol.String(g.Message),
	}
	if link := s.docLink(g.Code); link != "" {
		out.CodeDescription = protocol.CodeDescription{Href: link}
	}
	if len(g.Tags) > 0 {
		tags := make([]protocol.DiagnosticTag, len(g.Tags))
		for i, t := range g.Tags {
			tags[i] = protocol.DiagnosticTag(t)
		}
		out.Tags = protocol.NewDiagnosticTags(tags...)
	}
	if !s.caps.related {
		return out
	}
	for _, r := range g.Related {
		loc := s.location(d, r.Span)
		if r.File != "" && r.File != f.Name {
			other := w.Doc(r.File)
			if other == nil {
				continue
			}
			loc = s.location(other, r.Span)
		}
		out.RelatedInformation = append(
			out.RelatedInformation, protocol.DiagnosticRelatedInformation{Location: loc, Message: r.Message},
		)
	}
	return out
}

// visible widens an empty span so that an editor has something to underline, if there is something
// on its line.
func visible(f *source.File, sp source.Span) source.Span {
	if sp.Start != sp.End {
		return sp
	}
	ln := f.Line(f.LineOf(sp.Start))
	switch {
	case sp.End < ln.End:
		sp.End++
		for sp.End < ln.End && f.Text[sp.End]&0xc0 == 0x80 {
			sp.End++
		}
	case sp.Start > ln.Start:
		sp.Start--
		for sp.Start > ln.Start && f.Text[sp.Start]&0xc0 == 0x80 {
			sp.Start--
		}
	}
	return sp
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
	docs := make([]*workspace.Document, 0, len(w.Open()))
	open := map[string]bool{}
	for _, d := range w.Open() {
		docs = append(docs, d)
		open[d.Path()] = true
	}
	slices.SortFunc(docs, func(a, b *workspace.Document) int { return strings.Compare(string(a.URI), string(b.URI)) })
	paths := s.files.Paths()
	for _, d := range docs {
		items := s.diagnostics(w, d)
		id, err := reportID(items)
		if err != nil {
			return nil, err
		}
		add(d.URI, ptr(d.Version), id, items)
		if ctx.Err() != nil {
			return nil, protocol.ErrRequestCancelled
		}
	}
	for _, path := range paths {
		if open[path] ||
			filepath.Ext(path) == ".wasm" && slices.Contains(paths, strings.TrimSuffix(path, ".wasm")+".wat") {
			continue // the text beside it is what people edit
		}
		r, err := w.Report(path, func(d *workspace.Document) (*workspace.Report, error) {
			items := s.diagnostics(w, d)
			id, err := reportID(items)
			return &workspace.Report{URI: d.URI, ID: id, Items: items}, err
		})
		if err != nil {
			return nil, err
		}
		if r != nil {
			add(r.URI, nil, r.ID, r.Items)
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
