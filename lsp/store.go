package lsp

import (
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"go.lsp.dev/uri"

	"stackscope/analysis"
	"stackscope/analysis/source"
)

// document is one version of an open document. It is immutable.
//
// Reading the stream does not wait for its analysis: that begins beside it, and whoever asks for
// the snapshot waits until it is there.
type document struct {
	uri     uri.URI
	version int32
	gen     uint64                            // grows with every version of every document, settings included
	snap    func() *analysis.Snapshot         // made once, from that of the version before
	made    atomic.Pointer[analysis.Snapshot] // nil until it is there
}

// newDocument returns a version whose snapshot is made when it is asked for.
func newDocument(u uri.URI, version int32, open func() *analysis.Snapshot) *document {
	d := &document{uri: u, version: version}
	d.snap = sync.OnceValue(func() *analysis.Snapshot {
		s := open()
		d.made.Store(s)
		return s
	})
	return d
}

// path returns the path of the file, of the text of a binary module that of the binary; "" if it is
// no file.
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

// file returns the text.
func (d *document) file() *source.File { return d.snap().Tree().Src }

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

// view returns the documents as they are now.
func (st *store) view() view {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.docs
}

// settings returns the settings as they are now.
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
func (st *store) open(u uri.URI, version int32, text string) *document {
	u = uri.URI(strings.Clone(string(u))) // it points into the message
	st.mu.Lock()
	defer st.mu.Unlock()
	o := st.config.analysis()
	d := newDocument(u, version, func() *analysis.Snapshot {
		return analysis.Open(source.NewFile(fileName(u), text), o)
	})
	st.set(d.uri, d)
	return d
}

// close forgets a document, and reports whether it was open.
func (st *store) close(u uri.URI) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	_, ok := st.docs[u]
	st.set(u, nil)
	return ok
}

// change replaces the text of a document by what f makes of it, and gives the versions before and
// after it; nil if it is not open. What f refers to must stay as it is.
func (st *store) change(u uri.URI, version int32, f func(*analysis.Snapshot) *analysis.Snapshot) (old, now *document) {
	st.mu.Lock()
	defer st.mu.Unlock()
	old = st.docs[u]
	if old == nil {
		return nil, nil
	}
	before := old.snap // not the whole of the version: it is not kept longer than needed
	now = newDocument(old.uri, version, func() *analysis.Snapshot { return f(before()) })
	st.set(now.uri, now)
	return old, now
}

// configure changes the settings, and analyses every document again if they touch analysis.
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
			o := c.analysis()
			st.set(u, newDocument(u, d.version, func() *analysis.Snapshot { return analysis.Open(d.file(), o) }))
		}
	}
	return true
}
