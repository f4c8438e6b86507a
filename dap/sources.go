package dap

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"stackscope/dap/config"
	"strings"
	"sync"

	godap "github.com/google/go-dap"

	engine "stackscope/vm/debugger"
)

// sources are the texts of the program's modules as the client sees them.
type sources struct {
	prog    *debuggee
	out     *outbox
	client  *clientInfo
	printed bool // printed texts have URIs, not references

	mu      sync.Mutex // guards outputs: the engine's goroutine writes output
	outputs map[string]*godap.Source
}

// reset describes the files of a program that was loaded.
func (ss *sources) reset(l *config.Launch, p *engine.Program) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.printed = l.PrintedURIs
	ss.outputs = map[string]*godap.Source{}
	for i, u := range p.Units {
		ss.outputs[u.File.Name] = ss.of(i)
	}
}

// ofOutput describes the file that output comes from.
func (ss *sources) ofOutput(file string) *godap.Source {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if src := ss.outputs[file]; src != nil {
		return src
	}
	return &godap.Source{Name: filepath.Base(file), Path: ss.client.path(file)}
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
func (ss *sources) unitOf(src *godap.Source) int {
	if ss.prog.program == nil {
		return -1
	}
	if n := src.SourceReference; n > 0 {
		if n <= len(ss.prog.units()) && ss.prog.units()[n-1].File.Printed() {
			return n - 1
		}
		return -1
	}
	want := canonicalPath(fromClientPath(src.Path))
	if src.Path == "" {
		return -1
	}
	printed, other := isPrinted(src.Path), -1
	for i, u := range ss.prog.units() {
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

// file returns the file that a source is: that of a unit, or the script; nil if it is none.
func (ss *sources) file(src *godap.Source) *engine.Source {
	if i := ss.unitOf(src); i >= 0 {
		return ss.prog.units()[i].File
	}
	f := ss.script()
	if f == nil || src.Path == "" || canonicalPath(fromClientPath(src.Path)) != canonicalPath(f.Name) {
		return nil
	}
	return f
}

// script returns the file of the commands that the program goes through; nil if there is none.
func (ss *sources) script() *engine.Source {
	if p := ss.prog.program; p != nil && len(p.Commands) > 0 {
		return p.Commands[0].File
	}
	return nil
}

// of describes the source of a unit.
func (ss *sources) of(unit int) *godap.Source {
	if ss.prog.program == nil || unit < 0 || unit >= len(ss.prog.units()) {
		return nil
	}
	u := ss.prog.units()[unit]
	if u.File.Printed() && ss.printed {
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
	return &godap.Source{Name: filepath.Base(u.File.Name), Path: ss.client.path(u.File.Name)}
}

// ofFile describes the source that a file is.
func (ss *sources) ofFile(f *engine.Source) *godap.Source {
	if ss.prog.program == nil || f == nil {
		return nil
	}
	for i, u := range ss.prog.units() {
		if u.File == f {
			return ss.of(i)
		}
	}
	return &godap.Source{Name: filepath.Base(f.Name), Path: ss.client.path(f.Name)} // a script without modules in text
}

// location returns the source and position of a site.
func (ss *sources) location(at engine.Site) (*godap.Source, int, int) {
	if ss.prog.program == nil || at.Line == 0 {
		return nil, 0, 0
	}
	for i, u := range ss.prog.units() {
		if u.File.Name == at.File {
			line, col := ss.client.position(u.File, at.Offset)
			return ss.of(i), line, col
		}
	}
	if f := ss.script(); f != nil && f.Name == at.File {
		line, col := ss.client.position(f, at.Offset)
		return ss.ofFile(f), line, col
	}
	return nil, 0, 0
}

func (ss *sources) onSource(a *godap.SourceArguments) (any, error) {
	src := godap.Source{SourceReference: a.SourceReference}
	if a.Source != nil {
		src = *a.Source
		if src.SourceReference == 0 {
			src.SourceReference = a.SourceReference
		}
	}
	i := ss.unitOf(&src)
	if i < 0 {
		return nil, errors.New("there is no such source")
	}
	return godap.SourceResponseBody{Content: ss.prog.units()[i].File.Text(), MimeType: "text/x-wat"}, nil
}

func (ss *sources) onLoadedSources(*godap.LoadedSourcesArguments) (any, error) {
	out := godap.LoadedSourcesResponseBody{Sources: []godap.Source{}}
	if ss.prog.program == nil {
		return out, nil
	}
	seen := map[*engine.Source]bool{}
	for i, u := range ss.prog.units() {
		if !seen[u.File] {
			seen[u.File] = true
			out.Sources = append(out.Sources, *ss.withChecksum(i))
		}
	}
	if f := ss.script(); f != nil && !seen[f] {
		src := *ss.ofFile(f)
		src.Checksums = []godap.Checksum{{Algorithm: checksumAlgorithm, Checksum: f.SHA256()}}
		out.Sources = append(out.Sources, src)
	}
	return out, nil
}

func (ss *sources) onModules(a *godap.ModulesArguments) (any, error) {
	out := modulesBody{Modules: []module{}}
	if ss.prog.program == nil {
		return out, nil
	}
	out.TotalModules = len(ss.prog.units())
	for i := range ss.prog.units() {
		if i < a.StartModule || a.ModuleCount > 0 && i-max(a.StartModule, 0) >= a.ModuleCount {
			continue
		}
		out.Modules = append(out.Modules, ss.module(i))
	}
	return out, nil
}

// module describes a module to the client.
func (ss *sources) module(i int) module {
	u := ss.prog.units()[i]
	m := module{
		Module: godap.Module{
			Id: i + 1, Name: u.Title(), Path: u.File.Name, IsUserCode: true, SymbolStatus: "source",
		},
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

func (vr *variables) onLocations(a *locationsArguments) (any, error) {
	at, ok := vr.handles.locations[a.LocationReference]
	if !ok {
		return nil, fmt.Errorf("unknown location reference %d", a.LocationReference)
	}
	src, line, col := vr.src.location(at)
	if src == nil {
		return nil, errors.New("the location has no source")
	}
	return locationsBody{Source: src, Line: line, Column: col}, nil
}

// checksumAlgorithm is that of the checksums of sources.
const checksumAlgorithm = "SHA256"

// withChecksum is sourceOf with the checksum of the text.
func (ss *sources) withChecksum(unit int) *godap.Source {
	src := ss.of(unit)
	if src == nil {
		return nil
	}
	out := *src
	out.Checksums = []godap.Checksum{{Algorithm: checksumAlgorithm, Checksum: ss.prog.units()[unit].File.SHA256()}}
	return &out
}

// stale reports that a client's source is not the text that was loaded.
func (ss *sources) stale(src *godap.Source, f *engine.Source) bool {
	for _, c := range src.Checksums {
		if c.Algorithm == checksumAlgorithm && c.Checksum != f.SHA256() {
			return true
		}
	}
	return false
}

// loaded reports a module that became known while the program runs.
func (ss *sources) loaded(unit int) {
	if unit >= len(ss.prog.units()) {
		return
	}
	ss.mu.Lock()
	ss.outputs[ss.prog.units()[unit].File.Name] = ss.of(unit)
	ss.mu.Unlock()
	ss.out.event("module", moduleEventBody{"new", ss.module(unit)})
	for i, u := range ss.prog.units()[:unit] {
		if u.File == ss.prog.units()[unit].File && i < unit {
			return
		}
	}
	ss.out.event("loadedSource", godap.LoadedSourceEventBody{Reason: "new", Source: *ss.withChecksum(unit)})
}

// reportChanged reports which sources of a program that is loaded again have another text than
// before.
func (ss *sources) reportChanged(before []*engine.Unit) {
	old := map[string]string{}
	for _, u := range before {
		if !u.File.Printed() {
			old[u.File.Name] = u.File.Text()
		}
	}
	told := map[string]bool{}
	for i, u := range ss.prog.units() {
		if text, ok := old[u.File.Name]; ok && !told[u.File.Name] && text != u.File.Text() {
			told[u.File.Name] = true
			ss.out.event("loadedSource", godap.LoadedSourceEventBody{Reason: "changed", Source: *ss.withChecksum(i)})
		}
	}
}
