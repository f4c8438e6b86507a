package loader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/internal/files"
	"stackscope/wasm/binary"
)

// Kind is what a file holds.
type Kind uint8

// The kinds.
const (
	KindText   Kind = iota // one module, as text
	KindBinary             // one module, binary
	KindScript             // commands
)

// File is a file that was read.
type File struct {
	Path string // as it was named; "-" is standard input
	Kind Kind
	Data []byte
}

// Name returns what messages call the file.
func (f *File) Name() string {
	if f.Path == "-" {
		return "<stdin>"
	}
	return f.Path
}

// Read reads a regular file of at most files.MaxSize bytes; "-" is stdin. A binary module is
// detected by its first bytes, a script by its name or, of standard input, by its first command.
func Read(path string, stdin io.Reader) (*File, error) {
	return ReadContext(context.Background(), path, stdin)
}

// ReadContext is Read with a context that ends it early.
func ReadContext(ctx context.Context, path string, stdin io.Reader) (*File, error) {
	f := &File{Path: path}
	var err error
	if path == "-" {
		f.Data, err = files.ReadAll(ctx, f.Name(), stdin, 0, files.MaxSize)
	} else {
		f.Data, err = files.Read(ctx, path, files.MaxSize)
	}
	if err != nil {
		return nil, err
	}
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case binary.IsBinary(f.Data) || ext == ".wasm":
		f.Kind = KindBinary
	case ext == ".wast" || path == "-" && isScript(f.Data):
		f.Kind = KindScript
	}
	return f, nil
}

// isScript reports whether a text has commands besides one module.
func isScript(b []byte) bool {
	s := string(b)
	if !strings.Contains(s, "(assert_") && !strings.Contains(s, "(invoke") && !strings.Contains(s, "(register") {
		return false
	}
	t := syntax.Parse(source.NewFile("", s))
	return len(t.Commands()) > 1
}

// Source returns the text of a text or script.
func (f *File) Source() *source.File { return source.NewFile(f.Name(), string(f.Data)) }

// Unit reads the module of the file. The error is an *Errors or a *FileError.
func (f *File) Unit(o analysis.Options) (*Unit, error) {
	switch f.Kind {
	case KindBinary:
		u, err := Binary(f.Name(), f.Data, o)
		var be *binary.Error
		if errors.As(err, &be) {
			return nil, &FileError{f.Name(), be}
		}
		return u, err
	case KindScript:
		return nil, &FileError{f.Name(), errors.New("is a script, not a module; run it with 'wasm-dap test'")}
	}
	if err := f.compiled(); err != nil {
		return nil, err
	}
	return Text(f.Source(), o)
}

// languages are the languages of source files that people name instead of the module that they were
// compiled to.
var languages = map[string]string{
	".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".cxx": "C++", ".hpp": "C++", ".rs": "Rust", ".kt": "Kotlin",
	".zig": "Zig", ".ts": "AssemblyScript", ".ml": "OCaml", ".go": "Go",
}

// compiled returns an error for a file of another language, nil for others. It names the module
// beside the file that has its name.
func (f *File) compiled() error {
	ext := filepath.Ext(f.Path)
	language := languages[strings.ToLower(ext)]
	if language == "" {
		return nil
	}
	module := strings.TrimSuffix(f.Path, ext) + ".wasm"
	if info, err := os.Stat(module); err != nil || !info.Mode().IsRegular() {
		return &FileError{f.Name(), fmt.Errorf("this is %s: name the .wasm that it was compiled to", language)}
	}
	return &FileError{f.Name(), fmt.Errorf("this is %s: name the module, %s", language, filepath.Base(module))}
}

// FileError is an error about a whole file.
type FileError struct {
	Name string
	Err  error
}

// Error returns the name and the error.
func (e *FileError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap returns the error.
func (e *FileError) Unwrap() error { return e.Err }

// Find returns the files under the paths, sorted, that have one of the endings; a path that is a
// file counts whatever its ending.
func Find(paths []string, endings ...string) ([]string, error) {
	var out []string
	for _, p := range paths {
		if p == "-" {
			out = append(out, p)
			continue
		}
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			out = append(out, p)
			continue
		}
		var found []string
		err = filepath.WalkDir(p, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if name := d.Name(); path != p && (strings.HasPrefix(name, ".") || name == "node_modules") {
					return filepath.SkipDir
				}
				return nil
			}
			if d.Type()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice|fs.ModeIrregular) != 0 {
				return nil
			}
			for _, e := range endings {
				if strings.HasSuffix(path, e) {
					found = append(found, path)
					break
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		sort.Strings(found)
		out = append(out, found...)
	}
	return out, nil
}
