package dwarf

import (
	"path"
	"strings"
	"sync"

	"stackscope/analysis/debuginfo"
)

// fileTable has the files by path.
type fileTable struct {
	mu    sync.Mutex
	raw   map[fileKey]*debuginfo.File
	paths map[string]*debuginfo.File
}

// fileKey is a file as a table has it.
type fileKey struct{ dir, name string }

// file returns the file of a name in a directory.
func (r *Reader) file(dir string, name []byte, lang debuginfo.Language, md5 []byte) *debuginfo.File {
	t := &r.files
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.raw == nil {
		t.raw, t.paths = map[fileKey]*debuginfo.File{}, map[string]*debuginfo.File{}
	}
	if f, ok := t.raw[fileKey{dir, string(name)}]; ok {
		return f
	}
	key := fileKey{dir, string(name)}
	p := join(dir, key.name)
	f := t.paths[p]
	if f == nil {
		f = &debuginfo.File{Path: p, Language: fileLanguage(p, lang), MD5: md5, Bytes: true}
		t.paths[p] = f
	}
	t.raw[key] = f
	return f
}

// join joins a directory with a path that was recorded, which may be one of Windows.
func join(dir, name string) string {
	windows := isWindows(dir) || isWindows(name)
	if windows {
		dir, name = strings.ReplaceAll(dir, `\`, "/"), strings.ReplaceAll(name, `\`, "/")
	}
	if name == "" {
		return dir
	}
	if strings.HasPrefix(name, "/") || isWindows(name) || dir == "" {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

// isWindows reports whether a path begins with a drive.
func isWindows(p string) bool {
	return len(p) > 2 && p[1] == ':' && (p[2] == '/' || p[2] == '\\') &&
		('a' <= p[0] && p[0] <= 'z' || 'A' <= p[0] && p[0] <= 'Z')
}

// fileLanguage returns the language of a file: a C++ unit may include files of C.
func fileLanguage(p string, unit debuginfo.Language) debuginfo.Language {
	switch path.Ext(p) {
	case ".c":
		return debuginfo.C
	case ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx":
		return debuginfo.CPlusPlus
	case ".rs":
		return debuginfo.Rust
	case ".zig":
		return debuginfo.Zig
	case ".kt":
		return debuginfo.Kotlin
	}
	return unit
}
