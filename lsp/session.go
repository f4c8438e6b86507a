package lsp

import (
	"context"
	"log/slog"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/source"
	"stackscope/lsp/internal/workspace"
)

// session is what the parts of a server share: the client, the documents and the files.
type session struct {
	opt    Options
	log    *slog.Logger
	client protocol.Client
	ctx    context.Context // ends with the session

	// Set by initialize, constant after it.
	enc  source.Encoding
	caps clientCaps

	store   workspace.Store
	files   workspace.Files
	errands errands

	listings workspace.Listings
}

// navigation answers where things are: definitions, references, hierarchies, symbols of the
// workspace.
type navigation struct{ *session }

// editing answers with edits: completion, code actions, renaming, formatting.
type editing struct{ *session }

// presentation answers what an editor shows in and beside a text: hovers, hints, lenses, tokens,
// folds, outlines. It remembers what it has answered by the units of each document.
type presentation struct {
	*session
	tokens   tokenCache
	foldings workspace.UnitCache[[]unitFold]
	outlines workspace.UnitCache[symbolChunk]
}

// drop forgets what is remembered of a document.
func (s *presentation) drop(u uri.URI) {
	s.tokens.drop(u)
	s.foldings.Drop(u)
	s.outlines.Drop(u)
}

// checker reports diagnostics: it publishes those of open documents, or answers who pulls them.
type checker struct {
	*session
	pushing pusher
	relinks relinks
}

// documents takes over what the client opens, changes and closes.
type documents struct {
	*session
	checks   *checker
	shown    *presentation
	versions room // versions of documents that are not analysed yet
}

// settings reads the client's settings.
type settings struct {
	*session
	checks       *checker
	reconfigured atomic.Bool // settings have changed, and the client has not been told
}

// ownRequests answers the requests that are not part of the protocol.
type ownRequests struct{ *session }

// doc returns the version of a document that a request is about, or an error to answer with.
func (s *session) doc(ctx context.Context, u uri.URI) (*workspace.Document, error) {
	if v, ok := ctx.Value(viewKey{}).(workspace.View); ok {
		if d := v[u]; d != nil {
			return d, nil
		}
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s is not open", u)
}

// world returns the workspace that a request sees.
func (s *session) world(ctx context.Context) *workspace.World {
	v, _ := ctx.Value(viewKey{}).(workspace.View)
	return s.worldOf(v)
}

// worldOf returns the workspace with the open documents of a view.
func (s *session) worldOf(v workspace.View) *workspace.World {
	return workspace.NewWorld(v, s.store.Settings(), &s.files)
}
