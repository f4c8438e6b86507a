// Package load finds the debugging information of a module and opens it.
package load

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"stackscope/analysis/debuginfo"
	"stackscope/analysis/debuginfo/sourcemap"
	"stackscope/wasm"
)

// Options say where information is looked for.
type Options struct {
	// Path is the file that the module was read from. What is named in the module, or stands beside
	// the file, is found relative to it. "": only what is in the module counts.
	Path string
	// Read reads a file of at most some bytes; nil: no other file is read.
	Read func(path string, max int64) ([]byte, error)
}

// The custom sections that name other files.
const (
	sectionMap   = "sourceMappingURL"
	sectionDebug = "external_debug_info"
)

// MaxDebugFile is the size in bytes of the largest separate file of debugging information that is
// read.
const MaxDebugFile = 1 << 30

// Open opens the debugging information of a binary module: its DWARF sections, the source map or
// the separate file that it names or that stands beside it, and its names. data is the binary. It
// returns nil if there is none. What cannot be used is left out, with a warning.
func Open(m *wasm.Module, data []byte, o Options) *debuginfo.Info {
	op := &opener{o: o, m: m, data: data, info: debuginfo.New()}
	dw := op.dwarf()
	op.placed = dw != nil
	mp, target := op.sourceMap()
	names := sourcemap.New(m, mp)
	if mp != nil {
		for _, w := range mp.Warnings {
			op.warn("%.200s: %s", target, w)
		}
	}
	switch {
	case dw == nil && names == nil:
	case names == nil:
		op.add(dw)
	case dw == nil:
		op.add(names)
	case names.Language() == debuginfo.Kotlin || names.Language() == debuginfo.AssemblyScript:
		// Their DWARF has places at most.
		names.UsePlaces(dw)
		op.add(names)
	default:
		op.add(dw)
		op.add(names)
	}
	if op.found || len(op.info.Warnings()) > 0 {
		return op.info
	}
	return nil
}

// opener is the state of Open.
type opener struct {
	o      Options
	m      *wasm.Module
	data   []byte
	info   *debuginfo.Info
	found  bool // a reader was added
	placed bool // there is DWARF
}

func (op *opener) add(r debuginfo.Reader) {
	op.info.Add(r)
	op.found = true
}

func (op *opener) warn(format string, args ...any) { op.info.Warn(fmt.Sprintf(format, args...)) }

// sourceMap reads the map that the module names, else the one beside it, and returns what it is
// called; nil: there is none.
func (op *opener) sourceMap() (*sourcemap.Map, string) {
	target, named := op.named(sectionMap)
	var b []byte
	dir := ""
	var err error
	switch {
	case named && strings.HasPrefix(target, "data:"):
		b, err = sourcemap.DataURL(target)
		target = "in the module"
	case named:
		b, dir, err = op.beside(target, sourcemap.MaxSize)
	default:
		if op.o.Read == nil || op.o.Path == "" {
			return nil, ""
		}
		target = path.Base(filepath.ToSlash(op.o.Path)) + ".map"
		b, err = op.read(target, sourcemap.MaxSize)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, ""
		}
	}
	if errors.Is(err, errNotRead) {
		return nil, ""
	}
	if err != nil {
		op.warn("the source map %.200s cannot be read: %v%s", target, err, op.instead())
		return nil, ""
	}
	mp, err := sourcemap.Parse(b)
	if err != nil {
		op.warn("the source map %.200s cannot be used: %v%s", target, err, op.instead())
		return nil, ""
	}
	mp.Rebase(dir)
	return mp, target
}

// instead returns the end of a warning: which places there are without a source map.
func (op *opener) instead() string {
	if op.placed {
		return "; places are those of the DWARF"
	}
	return "; places are those of the WebAssembly text"
}

// named returns the URL in a custom section.
func (op *opener) named(section string) (string, bool) {
	for i := range op.m.Customs {
		if c := &op.m.Customs[i]; c.Name == section {
			if size, n := uleb(c.Bytes); n > 0 && size > 0 && size <= uint64(len(c.Bytes)-n) {
				return string(c.Bytes[n : n+int(size)]), true
			}
			op.warn("the custom section %q is malformed", section)
		}
	}
	return "", false
}

// errNotRead reports that nothing says where files are.
var errNotRead = errors.New("no other file is read")

// beside reads the file that a URL in the module names. dir is its directory, relative to that of
// the module, or absolute.
func (op *opener) beside(target string, max int64) (b []byte, dir string, err error) {
	if op.o.Read == nil || op.o.Path == "" {
		return nil, "", errNotRead
	}
	p := target
	if strings.Contains(p, "://") {
		u, err := url.Parse(p)
		if err != nil || u.Scheme != "file" {
			return nil, "", errors.New("it is not a file on this machine, and nothing is read from a network")
		}
		p = sourcemap.Join("", p)
	}
	b, err = op.read(p, max)
	if plain, bad := url.PathUnescape(p); errors.Is(err, fs.ErrNotExist) && bad == nil && plain != p {
		p = plain
		b, err = op.read(p, max)
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err // the path is in the message already
	}
	return b, path.Dir(filepath.ToSlash(p)), err
}

// read reads a file relative to the module.
func (op *opener) read(p string, max int64) ([]byte, error) {
	if p = filepath.FromSlash(p); !filepath.IsAbs(p) {
		p = filepath.Join(filepath.Dir(op.o.Path), p)
	}
	return op.o.Read(p, max)
}
