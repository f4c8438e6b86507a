package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/uri"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/files"
)

// Limits of what is looked for in workspace folders. What is beyond them is known only once it is
// opened.
const (
	maxFiles     = 5000     // files that are listed
	maxFileBytes = 32 << 20 // of one file
	maxKept      = 64 << 20 // bytes of texts of unopened files that are kept analysed
)

// relist is how long a list of files is good for a client that does not watch files.
const relist = 3 * time.Second

// Files are the files of the workspace's folders that no client has opened.
type Files struct {
	mu      sync.Mutex
	folders []string // paths
	watched bool     // the client reports changes
	list    []string // of files, in order
	listed  time.Time
	files   map[string]*diskFile
	kept    int // bytes of the texts that files keep
	gen     uint64
}

// diskFile is what is known of a file as it was at a moment.
type diskFile struct {
	stamp   string
	doc     *Document // nil: not kept, or it cannot be read
	imports []string  // the modules' names that it imports from
	known   bool      // imports are known
	report  *Report
}

// SetFolders takes the folders of the workspace over.
func (ws *Files) SetFolders(us []uri.URI) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.folders = nil
	for _, u := range us {
		if strings.HasPrefix(string(u), "file:") {
			ws.folders = append(ws.folders, filepath.Clean(FileName(u)))
		}
	}
	ws.listed = time.Time{}
}

// ChangeFolders adds and removes folders.
func (ws *Files) ChangeFolders(added, removed []uri.URI) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for _, u := range removed {
		p := filepath.Clean(FileName(u))
		ws.folders = slices.DeleteFunc(ws.folders, func(f string) bool { return f == p })
	}
	for _, u := range added {
		if p := filepath.Clean(FileName(u)); strings.HasPrefix(string(u), "file:") &&
			!slices.Contains(ws.folders, p) {
			ws.folders = append(ws.folders, p)
		}
	}
	ws.listed = time.Time{}
}

// Watch records whether the client reports changes on disk.
func (ws *Files) Watch(on bool) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.watched = on
}

// roots returns the folders.
func (ws *Files) roots() []string {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return slices.Clone(ws.folders)
}

// Forget makes the files be listed again.
func (ws *Files) Forget() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.listed = time.Time{}
}

// isSource reports whether a file is one of ours by its name.
func isSource(name string) bool {
	switch filepath.Ext(name) {
	case ".wat", ".wast", ".wasm":
		return true
	}
	return false
}

// Paths lists the files of the folders, as far as they are known to be of ours by their names.
func (ws *Files) Paths() []string {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if !ws.listed.IsZero() && (ws.watched || time.Since(ws.listed) < relist) {
		return ws.list
	}
	ws.list = nil
	for _, root := range ws.folders {
		// What cannot be read is left out.
		_ = filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				if e != nil && e.IsDir() {
					return filepath.SkipDir
				}
			case e.IsDir() && p != root && (strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules"):
				return filepath.SkipDir
			case e.Type().IsRegular() && isSource(p):
				if len(ws.list) >= maxFiles {
					return filepath.SkipAll
				}
				ws.list = append(ws.list, p)
			}
			return nil
		})
	}
	slices.Sort(ws.list)
	ws.list = slices.Compact(ws.list)
	ws.listed = time.Now()
	for p := range ws.files {
		if _, ok := slices.BinarySearch(ws.list, p); !ok && !inside(p, ws.folders) {
			continue // a file from outside, which a setting names
		} else if !ok {
			ws.drop(ws.files[p])
			delete(ws.files, p)
		}
	}
	return ws.list
}

func inside(p string, folders []string) bool {
	return slices.ContainsFunc(
		folders,
		func(f string) bool { return strings.HasPrefix(p, f+string(filepath.Separator)) },
	)
}

// drop releases the text of a file.
func (ws *Files) drop(f *diskFile) {
	if f.doc != nil {
		ws.kept -= len(f.doc.File().Text)
		f.doc = nil
	}
}

// stampOf identifies the state of a file; "" if it is no readable file within the limits.
func stampOf(path string) string {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxFileBytes {
		return ""
	}
	return fmt.Sprintf("%d %d", st.Size(), st.ModTime().UnixNano())
}

// file returns what is known of a file as it is now; nil if there is none.
func (ws *Files) file(path string) *diskFile {
	stamp := stampOf(path)
	ws.mu.Lock()
	defer ws.mu.Unlock()
	f := ws.files[path]
	if f != nil && f.stamp == stamp {
		return f
	}
	if f != nil {
		ws.drop(f)
		delete(ws.files, path)
	}
	if stamp == "" {
		return nil
	}
	f = &diskFile{stamp: stamp}
	if ws.files == nil {
		ws.files = map[string]*diskFile{}
	}
	ws.files[path] = f
	return f
}

// load returns the document of an unopened file, analysed with the options; nil if it cannot be
// read.
func (ws *Files) load(path string, c Config) *Document {
	f := ws.file(path)
	if f == nil {
		return nil
	}
	ws.mu.Lock()
	d := f.doc
	ws.mu.Unlock()
	if d != nil {
		return d
	}
	text, u := "", uri.File(path)
	if filepath.Ext(path) == ".wasm" {
		s, err := PrintBinary(context.Background(), u)
		if err != nil {
			return nil
		}
		text, u = s, printedURI(u)
	} else {
		b, err := files.Read(context.Background(), path, maxFileBytes)
		if err != nil {
			return nil
		}
		text = string(b)
	}
	d = newDocument(u, -1, func() *analysis.Snapshot {
		return analysis.Open(source.NewFile(path, text),
			c.analysis())
	})
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if f.doc != nil {
		return f.doc
	}
	if ws.kept += len(text); ws.kept > maxKept {
		for _, o := range ws.files {
			if o != f {
				ws.drop(o)
			}
		}
		ws.kept = len(text)
	}
	f.doc = d
	return d
}

// Reset forgets what depends on settings.
func (ws *Files) Reset() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.gen++
	for _, f := range ws.files {
		ws.drop(f)
		f.report = nil
	}
}

// printedURI returns the document under which a client shows the text of a binary module.
func printedURI(u uri.URI) uri.URI {
	return uri.URI(SchemeText + ":" + strings.TrimPrefix(string(u), "file://") + ".wat")
}
