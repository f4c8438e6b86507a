package workspace

import (
	"maps"
	"strings"
	"sync"

	"go.lsp.dev/uri"

	"stackscope/analysis"
	"stackscope/analysis/source"
)

// Store holds the current view and the settings.
type Store struct {
	mu     sync.Mutex
	docs   View
	config Config
	gen    uint64
}

// Init prepares an empty store with the default settings.
func (st *Store) Init(dialect string) {
	st.docs = View{}
	st.config = DefaultConfig(dialect)
}

// View returns the documents as they are now.
func (st *Store) View() View {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.docs
}

// Settings returns the settings as they are now.
func (st *Store) Settings() Config {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.config
}

// set puts a version of a document in place.
func (st *Store) set(u uri.URI, d *Document) {
	docs := maps.Clone(st.docs)
	if d == nil {
		delete(docs, u)
	} else {
		st.gen++
		d.Gen = st.gen
		docs[u] = d
	}
	st.docs = docs
}

// Open adds a document.
func (st *Store) Open(u uri.URI, version int32, text string) *Document {
	u = uri.URI(strings.Clone(string(u))) // it points into the message
	st.mu.Lock()
	defer st.mu.Unlock()
	o := st.config.analysis()
	d := newDocument(u, version, func() *analysis.Snapshot {
		return analysis.Open(source.NewFile(FileName(u), text), o)
	})
	st.set(d.URI, d)
	return d
}

// Close forgets a document, and reports whether it was open.
func (st *Store) Close(u uri.URI) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	_, ok := st.docs[u]
	st.set(u, nil)
	return ok
}

// Change replaces the text of a document by what f makes of it, and returns the versions before and
// after it; nil if it is not open. What f refers to must stay as it is.
func (st *Store) Change(u uri.URI, version int32, f func(*analysis.Snapshot) *analysis.Snapshot) (old, now *Document) {
	st.mu.Lock()
	defer st.mu.Unlock()
	old = st.docs[u]
	if old == nil {
		return nil, nil
	}
	before := old.Snapshot // not the whole of the version: it is not kept longer than needed
	now = newDocument(old.URI, version, func() *analysis.Snapshot { return f(before()) })
	st.set(now.URI, now)
	return old, now
}

// Configure changes the settings, and analyses every document again if they touch analysis.
func (st *Store) Configure(c Config) (changed bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if c.equal(st.config) {
		return false
	}
	again := !c.sameAnalysis(st.config)
	st.config = c
	if again {
		for u, d := range st.docs {
			o := c.analysis()
			st.set(u, newDocument(u, d.Version, func() *analysis.Snapshot { return analysis.Open(d.File(), o) }))
		}
	}
	return true
}
