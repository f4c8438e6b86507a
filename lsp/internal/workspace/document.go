package workspace

import (
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"go.lsp.dev/uri"

	"stackscope/analysis"
	"stackscope/analysis/source"
)

// Document is one version of an open document. It is immutable.
//
// Reading the stream does not wait for its analysis: that begins beside it, and whoever asks for
// the snapshot waits until it is there.
type Document struct {
	URI      uri.URI
	Version  int32
	Gen      uint64                            // grows with every version of every document, settings included
	Snapshot func() *analysis.Snapshot         // made once, from that of the version before
	made     atomic.Pointer[analysis.Snapshot] // nil until it is there
}

// newDocument returns a version whose snapshot is made when it is asked for.
func newDocument(u uri.URI, version int32, open func() *analysis.Snapshot) *Document {
	d := &Document{URI: u, Version: version}
	d.Snapshot = sync.OnceValue(func() *analysis.Snapshot {
		s := open()
		d.made.Store(s)
		return s
	})
	return d
}

// Path returns the path of the file, of the text of a binary module that of the binary; "" if it is
// no file.
func (d *Document) Path() string {
	u := d.URI
	if rest, ok := strings.CutPrefix(string(u), SchemeText+":"); ok {
		u = uri.URI("file://" + strings.TrimSuffix("/"+strings.TrimLeft(rest, "/"), ".wat"))
	}
	if !strings.HasPrefix(string(u), "file:") {
		return ""
	}
	return filepath.Clean(FileName(u))
}

// File returns the text.
func (d *Document) File() *source.File { return d.Snapshot().Tree().Src }

// View is the set of open documents at a moment. It is immutable.
type View map[uri.URI]*Document
