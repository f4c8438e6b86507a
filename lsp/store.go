package lsp

import (
	"maps"
	"path/filepath"
	"strings"
	"sync"

	"go.lsp.dev/uri"

	"stackscope/analysis"
	"stackscope/analysis/source"
)

// document is one version of an open document. It is immutable.
type document struct {
	uri     uri.URI
	version int32
	gen     uint64 // grows with every version of every document, settings included
	snap    *analysis.Snapshot
}

// path gives the path of the file, of the text of a binary module that of the binary; "" if it is no
// file.
func (d *document) path() string {
	u := d.uri
	if rest, ok := strings.CutPrefix(string(u), schemeText+":"); ok {
		u = uri.URI("file://" + strings.TrimSuffix("/"+strings.TrimLeft(rest, "/"), ".wat"))
	}
	if !strings.HasPrefix(string(u), "file:") {
		return ""
	}
	return filepath.Clean(fileName(u))
}

// file gives the text.
func (d *document) file() *source.File { return d.snap.Tree().Src }

// view is the set of open documents at a moment. It is immutable.
type view map[uri.URI]*document

// store holds the current view and the settings.
type store struct {
	mu     sync.Mutex
	docs   view
	config Config
	gen    uint64
}

func (st *store) init(opt Options) {
	st.docs = view{}
	st.config = defaultConfig(opt)
}

// view gives the documents as they are now.
func (st *store) view() view {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.docs
}

// settings gives the settings as they are now.
func (st *store) settings() Config {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.config
}

// set puts a version of a document in place.
func (st *store) set(u uri.URI, d *document) {
	docs := maps.Clone(st.docs)
	if d == nil {
		delete(docs, u)
	} else {
		st.gen++
		d.gen = st.gen
		docs[u] = d
	}
	st.docs = docs
}

// open adds a document.
func (st *store) open(u uri.URI, version int32, text string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	f := source.NewFile(fileName(u), text)
	st.set(u, &document{uri: u, version: version, snap: analysis.Open(f, st.config.analysis())})
}

// close forgets a document, and tells whether it was open.
func (st *store) close(u uri.URI) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	_, ok := st.docs[u]
	st.set(u, nil)
	return ok
}

// change replaces the text of a document by what f makes of it.
func (st *store) change(u uri.URI, version int32, f func(*analysis.Snapshot) *analysis.Snapshot) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	d := st.docs[u]
	if d == nil {
		return false
	}
	st.set(u, &document{uri: u, version: version, snap: f(d.snap)})
	return true
}

// configure changes the settings, and analyses every document anew if they touch analysis.
func (st *store) configure(c Config) (changed bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if c.equal(st.config) {
		return false
	}
	again := !c.sameAnalysis(st.config)
	st.config = c
	if again {
		for u, d := range st.docs {
			st.set(u, &document{uri: u, version: d.version, snap: analysis.Open(d.file(), c.analysis())})
		}
	}
	return true
}
