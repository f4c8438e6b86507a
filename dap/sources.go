package dap

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	godap "github.com/google/go-dap"

	"stackscope/analysis/source"
	engine "stackscope/vm/debugger"
)

// line returns a 0-based line as the client counts.
func (s *session) line(n int) int {
	if s.client.line0 {
		return n
	}
	return n + 1
}

// col returns a 0-based column as the client counts.
func (s *session) col(n int) int {
	if s.client.col0 {
		return n
	}
	return n + 1
}

// fromLine and fromCol are the ways back.
func (s *session) fromLine(n int) int {
	if s.client.line0 {
		return n
	}
	return n - 1
}

func (s *session) fromCol(n int) int {
	if s.client.col0 {
		return n
	}
	return n - 1
}

// clientPath returns a path in the client's form.
func (s *session) clientPath(p string) string {
	if abs, err := filepath.Abs(p); err == nil {
		p = abs
	}
	if s.client.uri {
		p = filepath.ToSlash(p)
		if !strings.HasPrefix(p, "/") {
			p = "/" + p
		}
		return (&url.URL{Scheme: "file", Path: p}).String()
	}
	return p
}

// printedScheme is the URI scheme under which an editor shows the printed text of a binary module;
// its path is that of the module with printedSuffix: an editor takes it for text, and not for a
// binary file.
const (
	printedScheme = "wasm-text"
	printedSuffix = ".wat"
)

// isPrinted reports whether a path of the client is such a URI.
func isPrinted(p string) bool { return strings.HasPrefix(p, printedScheme+":") }

// printedURI returns the URI of the printed text of a binary module.
func printedURI(p string) string {
	if abs, err := filepath.Abs(p); err == nil {
		p = abs
	}
	p = filepath.ToSlash(p)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return (&url.URL{Scheme: printedScheme, Path: p + printedSuffix}).String()
}

// fromClientPath is the way back, from a URI of the printed text too.
func fromClientPath(p string) string {
	if strings.HasPrefix(p, "file:") || isPrinted(p) {
		if u, err := url.Parse(p); err == nil {
			p = u.Path
			if isPrinted(u.Scheme + ":") {
				p = strings.TrimSuffix(p, printedSuffix)
			}
			if runtime.GOOS == "windows" {
				p = strings.TrimPrefix(p, "/")
			}
			return filepath.FromSlash(p)
		}
	}
	return p
}

// unitOf returns the unit whose source it is, -1 if there is none.
func (s *session) unitOf(src *godap.Source) int {
	if s.program == nil {
		return -1
	}
	if n := src.SourceReference; n > 0 {
		if n <= len(s.units()) && s.units()[n-1].File.Printed() {
			return n - 1
		}
		return -1
	}
	want := canonicalPath(fromClientPath(src.Path))
	if src.Path == "" {
		return -1
	}
	printed, other := isPrinted(src.Path), -1
	for i, u := range s.units() {
		switch {
		case canonicalPath(u.File.Name) != want:
		case u.File.Printed() == printed:
			return i
		case u.File.Printed() && other < 0: // the path of the binary module itself means its printed text
			other = i
		}
	}
	return other
}

// byModulePath reports whether a source is named by the path of a binary module, whose printed text
// it means.
func byModulePath(src *godap.Source, f *engine.Source) bool {
	return f.Printed() && src.SourceReference == 0 && !isPrinted(src.Path)
}

// canonicalPath makes paths of the same file equal.
func canonicalPath(p string) string {
	if abs, err := filepath.Abs(p); err == nil {
		p = abs
	}
	if real, err := filepath.EvalSymlinks(p); err == nil {
		p = real
	}
	if runtime.GOOS == "windows" {
		p = strings.ToLower(p)
	}
	return p
}

// units returns the modules of the program.
func (s *session) units() []*engine.Unit {
	switch {
	case s.eng != nil:
		return s.eng.Symbols.Units()
	case s.program != nil:
		return s.program.Units
	}
	return nil
}

// sourceOf describes the source of a unit.
func (s *session) sourceOf(unit int) *godap.Source {
	if s.program == nil || unit < 0 || unit >= len(s.units()) {
		return nil
	}
	u := s.units()[unit]
	if u.File.Printed() && s.printed {
		return &godap.Source{
			Name: filepath.Base(u.File.Name), Path: printedURI(u.File.Name),
			Origin: "printed from the binary module",
		}
	}
	if u.File.Printed() {
		return &godap.Source{
			Name: filepath.Base(u.File.Name) + " (text)", SourceReference: unit + 1,
			Origin: "printed from the binary module",
		}
	}
	return &godap.Source{Name: filepath.Base(u.File.Name), Path: s.clientPath(u.File.Name)}
}

// sourceOfFile describes the source that a file is.
func (s *session) sourceOfFile(f *engine.Source) *godap.Source {
	if s.program == nil || f == nil {
		return nil
	}
	for i, u := range s.units() {
		if u.File == f {
			return s.sourceOf(i)
		}
	}
	return &godap.Source{Name: filepath.Base(f.Name), Path: s.clientPath(f.Name)} // a script without modules in text
}

// position returns a place as the client counts: columns in UTF-16 units.
func (s *session) position(f *engine.Source, off int) (line, col int) {
	p := f.Position(off, source.UTF16)
	return s.line(p.Line), s.col(p.Col)
}

// siteLocation returns the source and position of a site.
func (s *session) siteLocation(at engine.Site) (*godap.Source, int, int) {
	if s.program == nil || at.Line == 0 {
		return nil, 0, 0
	}
	for i, u := range s.units() {
		if u.File.Name == at.File {
			line, col := s.position(u.File, at.Offset)
			return s.sourceOf(i), line, col
		}
	}
	return nil, 0, 0
}

func (s *session) onSource(a *godap.SourceArguments) (any, error) {
	src := godap.Source{SourceReference: a.SourceReference}
	if a.Source != nil {
		src = *a.Source
		if src.SourceReference == 0 {
			src.SourceReference = a.SourceReference
		}
	}
	i := s.unitOf(&src)
	if i < 0 {
		return nil, errors.New("there is no such source")
	}
	return godap.SourceResponseBody{Content: s.units()[i].File.Text(), MimeType: "text/x-wat"}, nil
}

func (s *session) onLoadedSources(*godap.LoadedSourcesArguments) (any, error) {
	out := godap.LoadedSourcesResponseBody{Sources: []godap.Source{}}
	if s.program == nil {
		return out, nil
	}
	seen := map[*engine.Source]bool{}
	for i, u := range s.units() {
		if !seen[u.File] {
			seen[u.File] = true
			out.Sources = append(out.Sources, *s.checkedSource(i))
		}
	}
	return out, nil
}

func (s *session) onModules(a *godap.ModulesArguments) (any, error) {
	out := modulesBody{Modules: []module{}}
	if s.program == nil {
		return out, nil
	}
	out.TotalModules = len(s.units())
	for i := range s.units() {
		if i < a.StartModule || a.ModuleCount > 0 && i-max(a.StartModule, 0) >= a.ModuleCount {
			continue
		}
		out.Modules = append(out.Modules, s.module(i))
	}
	return out, nil
}

// module describes a module to the client.
func (s *session) module(i int) module {
	u := s.units()[i]
	m := module{
		Module: godap.Module{Id: i + 1, Name: moduleName(u), Path: u.File.Name, IsUserCode: true, SymbolStatus: "source"},
	}
	m.Dialect, m.Functions, m.Tags = u.Module.Dialect.String(), len(u.Module.Funcs), len(u.Module.Tags)
	if u.File.Printed() {
		m.SymbolStatus = "printed from the binary"
	}
	if d := u.Module.Dialect.String(); d != "" {
		m.Version = d
	}
	return m
}

func moduleName(u *engine.Unit) string {
	switch {
	case u.Module.Names.Module != "":
		return "$" + u.Module.Names.Module
	case u.Name != "":
		return u.Name
	}
	return filepath.Base(u.File.Name)
}

func (s *session) onLocations(a *locationsArguments) (any, error) {
	at, ok := s.handles.locations[a.LocationReference]
	if !ok {
		return nil, fmt.Errorf("there is no location %d", a.LocationReference)
	}
	src, line, col := s.siteLocation(at)
	if src == nil {
		return nil, errors.New("the location has no source")
	}
	return locationsBody{Source: src, Line: line, Column: col}, nil
}
