package dap

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"stackscope/analysis/debuginfo"
	srcpath "stackscope/analysis/debuginfo/sources"
	"stackscope/dap/config"
	"stackscope/dap/internal/paths"
	"strings"
	"sync"

	godap "github.com/google/go-dap"

	"stackscope/analysis/source"
	engine "stackscope/vm/debugger"
)

// sources are the texts of the program's modules as the client sees them.
type sources struct {
	prog    *debuggee
	out     *outbox
	client  *clientInfo
	printed bool // printed texts have URIs, not references

	known *paths.Index     // the files of source of the units up to listed, by number as in files
	files []*engine.Source // see known
	nums  map[*engine.Source]int
	own   *srcpath.Finder // with the rules of an attached session; nil: none
	units int             // how many units known has the files of
	told  map[string]bool // what the client was told once

	mu      sync.Mutex // guards what follows: the engine's goroutine writes output
	outputs map[string]*godap.Source
	refs    map[*engine.Source]int // the numbers of the files of source whose text comes with the program
	byRef   []*engine.Source       // from firstExternal on
}

// firstExternal is the reference of the first file of source whose text comes with the program; those
// before it are printed texts.
const firstExternal = 1_000_000

// reset describes the files of a program that was loaded.
func (ss *sources) reset(l *config.Launch, p *engine.Program) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.printed = l.PrintedURIs
	ss.outputs = map[string]*godap.Source{}
	ss.refs, ss.byRef = map[*engine.Source]int{}, nil
	ss.known, ss.files, ss.nums = paths.New(), nil, map[*engine.Source]int{}
	ss.units, ss.told, ss.own = 0, map[string]bool{}, nil
	if s := (srcpath.Finder{Dirs: l.SourcePaths}); l.Attached {
		for _, r := range l.PathRules() {
			s.Rules = append(s.Rules, srcpath.Rule{From: r.From, To: r.To})
		}
		ss.own = &s
	}
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
	for _, f := range ss.byRef {
		if f.Name == file {
			return ss.embedded(f)
		}
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
	want := paths.Canonical(fromClientPath(src.Path))
	if src.Path == "" {
		return -1
	}
	printed, other := isPrinted(src.Path), -1
	for i, u := range ss.prog.units() {
		switch {
		case paths.Canonical(u.File.Name) != want:
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

// file returns the file that a source is: that of a unit, the script, or a file of source that a unit
// was compiled from; nil if it is none.
func (ss *sources) file(src *godap.Source) *engine.Source {
	f, _ := ss.find(src)
	return f
}

// find is file with the reason why there is none, for people; nil if there is nothing to tell.
func (ss *sources) find(src *godap.Source) (*engine.Source, error) {
	if i := ss.unitOf(src); i >= 0 {
		return ss.prog.units()[i].File, nil
	}
	if n := src.SourceReference - firstExternal; n >= 0 {
		ss.mu.Lock()
		defer ss.mu.Unlock()
		if n < len(ss.byRef) {
			return ss.byRef[n], nil
		}
		return nil, nil
	}
	if src.Path == "" || isPrinted(src.Path) {
		return nil, nil
	}
	path := fromClientPath(src.Path)
	if f := ss.script(); f != nil && paths.Canonical(path) == paths.Canonical(f.Name) {
		return f, nil
	}
	ss.learn()
	n, ok, err := ss.known.Find(path)
	if !ok {
		return nil, err
	}
	return ss.files[n], nil
}

// changedText reports that a file is not what was compiled.
func (ss *sources) changedText(f *engine.Source) string {
	if found, _ := f.Found(); found.Note != "" {
		return found.Note
	}
	return fmt.Sprintf("%s has changed since the program was compiled", path.Base(f.External().Path))
}

// list reports where each file of source is on this machine, for people.
func (ss *sources) list() string {
	ss.learn()
	var b strings.Builder
	for i, u := range ss.prog.units() {
		if src := ss.of(i); src != nil && u.Info == nil {
			fmt.Fprintf(&b, "%s\n", src.Name)
		} else if src != nil {
			fmt.Fprintf(&b, "%s, with %s\n", src.Name, strings.Join(u.Info.Formats(), " and "))
			for _, w := range u.Info.Warnings() {
				fmt.Fprintf(&b, "  warning: %s\n", w)
			}
		}
	}
	missing := 0
	for _, f := range ss.files {
		recorded := f.External().Path
		found, err := f.Found()
		switch client := ss.clientPath(f); {
		case client != "":
			fmt.Fprintf(&b, "%s ← %s\n", client, recorded)
		case err != nil:
			if missing++; missing <= maxMissing {
				fmt.Fprintf(&b, "%s (not found)\n", recorded)
			}
		case found.Path == "":
			fmt.Fprintf(&b, "%s (from the debugging information)\n", recorded)
		case found.Path == recorded || strings.HasSuffix(filepath.ToSlash(found.Path), "/"+recorded):
			fmt.Fprintf(&b, "%s\n", found.Path)
		default:
			fmt.Fprintf(&b, "%s ← %s\n", found.Path, recorded)
		}
	}
	if missing > maxMissing {
		fmt.Fprintf(&b, "… %d more that are not found\n", missing-maxMissing)
	}
	return strings.TrimRight(b.String(), "\n")
}

// maxMissing is how many of the files are listed that are not found.
const maxMissing = 100

// important reports something that must not be overlooked, once.
func (ss *sources) important(text string) {
	if text = strings.TrimSpace(text); ss.told[text] {
		return
	}
	ss.told[text] = true
	ss.out.event("output", outputBody{
		OutputEventBody: godap.OutputEventBody{Category: "important", Output: text + "\n"},
	})
}

// warn reports what is wrong with the debugging information of the units, as far as it was read: once
// for each. The rest is in the list of sources.
func (ss *sources) warn() {
	for i, u := range ss.prog.units() {
		told := fmt.Sprintf("warnings of %d", i)
		if u.Info == nil || ss.told[told] {
			continue
		}
		ws := u.Info.Warnings()
		if len(ws) == 0 {
			continue
		}
		ss.told[told] = true
		text := filepath.Base(u.File.Name) + ": " + ws[0]
		if len(ws) > 1 {
			text += fmt.Sprintf(" (and %d more: \"sources\" in the console lists them)", len(ws)-1)
		}
		ss.important(text)
	}
}

// warnOf reports that a file of source is not there, or is not what was compiled.
func (ss *sources) warnOf(f *engine.Source) {
	found, err := f.Found()
	recorded := f.External().Path
	switch {
	case ss.clientPath(f) != "":
	case err != nil:
		if root := rootOf(recorded); !ss.told[root] {
			ss.told[root] = true
			how := fmt.Sprintf(`set "sourceMap" if it is elsewhere than at %s`, recorded)
			if !srcpath.Absolute(srcpath.Slashes(recorded)) {
				how = fmt.Sprintf(`set "sourcePaths" to the directory that %s is in`, recorded)
			}
			ss.important(path.Base(recorded) + " is not here, so its functions are shown in the text format: " + how)
		}
	case found.Changed:
		ss.important(ss.changedText(f))
	}
}

// rootOf returns the first elements of a recorded path: files that are missing together have them in
// common.
func rootOf(recorded string) string {
	parts := strings.SplitN(strings.TrimPrefix(filepath.ToSlash(path.Dir(recorded)), "/"), "/", 3)
	return strings.Join(parts[:min(len(parts), 2)], "/")
}

// learn makes the files known that the units which became known meanwhile were compiled from.
func (ss *sources) learn() {
	if ss.prog.eng == nil {
		return
	}
	for us := ss.prog.units(); ss.units < len(us); ss.units++ {
		var rules []srcpath.Rule
		if fd := us[ss.units].Sources; fd != nil {
			rules = fd.Rules
		}
		if ss.own != nil {
			rules = slices.Concat(ss.own.Rules, rules)
		}
		for _, f := range ss.prog.eng.Symbols.Externals(ss.units) {
			if _, known := ss.nums[f]; known {
				continue
			}
			x := f.External()
			here := f.Name
			if at, ok := ss.ownPath(x); ok {
				here = at
			}
			ss.nums[f] = ss.known.Add(paths.File{Recorded: x.Path, Here: here, MD5: x.MD5, Rules: rules})
			ss.files = append(ss.files, f)
		}
	}
}

// noSource returns why a path means no file of the program, for people.
func (ss *sources) noSource(src *godap.Source) string {
	if _, err := ss.find(src); err != nil {
		return err.Error()
	}
	ext := strings.ToLower(filepath.Ext(src.Path))
	if ext == ".wat" || ext == ".wasm" || ext == ".wast" || isPrinted(src.Path) {
		return "this file is not part of the program"
	}
	informed := false
	for _, u := range ss.prog.units() {
		informed = informed || u.Info != nil
	}
	if !informed {
		return "the program has no debugging information: compile it with -g, or with a source map"
	}
	return "no module that is loaded was compiled from this file"
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
	if f.External() != nil {
		return ss.external(f)
	}
	return &godap.Source{Name: filepath.Base(f.Name), Path: ss.client.path(f.Name)} // a script without modules in text
}

// ofFrame returns the source of a frame, and where it is there: a frame whose source is not there is
// shown in the text format.
func (ss *sources) ofFrame(f engine.Frame) (*godap.Source, *engine.Source, source.Span) {
	if f.File.External() == nil {
		out := ss.of(f.Func.Unit)
		if out == nil {
			out = ss.ofFile(f.File)
		}
		return out, f.File, f.Span
	}
	if out := ss.external(f.File); out != nil {
		return out, f.File, f.Span
	}
	return ss.of(f.Func.Unit), f.WAT, f.WATSpan
}

// external describes a file of source that a unit was compiled from; nil if its text is not there.
func (ss *sources) external(f *engine.Source) *godap.Source {
	file := f.External()
	found, err := f.Found()
	var out *godap.Source
	switch at := ss.clientPath(f); {
	case at != "":
		out = &godap.Source{Name: path.Base(file.Path), Path: ss.client.path(at)}
	case err != nil:
		return nil
	case found.Path != "":
		out = &godap.Source{Name: path.Base(file.Path), Path: ss.client.path(found.Path)}
	default:
		ss.mu.Lock()
		out = ss.embedded(f)
		ss.mu.Unlock()
	}
	if len(file.MD5) > 0 {
		out.Checksums = append(out.Checksums, godap.Checksum{Algorithm: "MD5", Checksum: fmt.Sprintf("%x", file.MD5)})
	}
	if err == nil {
		out.Checksums = append(out.Checksums, godap.Checksum{Algorithm: checksumAlgorithm, Checksum: f.SHA256()})
	}
	if file.Ignored {
		out.PresentationHint = "deemphasize"
	}
	if !ss.told[loadedMark+f.Name] { // the client learns of it when it first sees it
		ss.told[loadedMark+f.Name] = true
		ss.out.event("loadedSource", godap.LoadedSourceEventBody{Reason: "new", Source: *out})
	}
	return out
}

// loadedMark is the prefix in told of the files that were reported to the client.
const loadedMark = "loaded "

// clientPath returns the path under which the client has a file that is not found, or is elsewhere by
// the rules of its session; "" if none is known.
func (ss *sources) clientPath(f *engine.Source) string {
	if at, ok := ss.ownPath(f.External()); ok {
		return at
	}
	if n, ok := ss.nums[f]; ok {
		return ss.known.Client(n)
	}
	return ""
}

// ownPath returns where a file is by the rules of an attached session; ok is false if they say
// nothing about it.
func (ss *sources) ownPath(x *debuginfo.File) (at string, ok bool) {
	if ss.own == nil || len(ss.own.Rules)+len(ss.own.Dirs) == 0 {
		return "", false
	}
	return ss.own.Path(x)
}

// embedded describes a file of source whose text comes with the program. It must be called with mu
// held.
func (ss *sources) embedded(f *engine.Source) *godap.Source {
	ref, ok := ss.refs[f]
	if !ok {
		ref = firstExternal + len(ss.byRef)
		ss.refs[f], ss.byRef = ref, append(ss.byRef, f)
	}
	p := f.External().Path
	return &godap.Source{
		Name: path.Base(p), Path: p, SourceReference: ref, Origin: "from the debugging information of the program",
	}
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
	if f := ss.named(at.File); f != nil {
		line, col := ss.client.position(f, at.Offset)
		return ss.ofFile(f), line, col
	}
	return nil, 0, 0
}

// named returns the file of source of a name that a site has; nil if there is none.
func (ss *sources) named(name string) *engine.Source {
	ss.learn()
	for _, f := range ss.files {
		if f.Name == name {
			return f
		}
	}
	return nil
}

func (ss *sources) onSource(a *godap.SourceArguments) (any, error) {
	src := godap.Source{SourceReference: a.SourceReference}
	if a.Source != nil {
		src = *a.Source
		if src.SourceReference == 0 {
			src.SourceReference = a.SourceReference
		}
	}
	f, err := ss.find(&src)
	switch {
	case err != nil:
		return nil, err
	case f == nil:
		return nil, errors.New("there is no such source")
	case f.External() == nil:
		return godap.SourceResponseBody{Content: f.Text(), MimeType: "text/x-wat"}, nil
	}
	found, err := f.Found()
	if err != nil {
		return nil, userError{fmt.Errorf("%s: %w", f.External().Path, err)}
	}
	return godap.SourceResponseBody{Content: found.Text}, nil
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
	ss.learn()
	for _, f := range ss.files {
		ss.told[loadedMark+f.Name] = true
		if src := ss.external(f); src != nil {
			out.Sources = append(out.Sources, *src)
		}
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
	if u.Info != nil {
		m.SymbolStatus = strings.Join(u.Info.Formats(), ", ")
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

// withChecksum is sourceOf with the checksum of the text. The text of a program that was compiled from
// source is printed from the binary, large, and in no file that could differ from it.
func (ss *sources) withChecksum(unit int) *godap.Source {
	src := ss.of(unit)
	if src == nil {
		return nil
	}
	out := *src
	if u := ss.prog.units()[unit]; u.Info == nil || !u.File.Printed() {
		out.Checksums = []godap.Checksum{{Algorithm: checksumAlgorithm, Checksum: u.File.SHA256()}}
	}
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
func (ss *sources) reportChanged(before []*engine.Unit, files map[string]string) {
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
	ss.learn()
	for _, f := range ss.files {
		sum, ok := files[f.Name]
		if !ok {
			continue
		}
		ss.told[loadedMark+f.Name] = true
		if src := ss.external(f); src != nil && f.SHA256() != sum {
			ss.out.event("loadedSource", godap.LoadedSourceEventBody{Reason: "changed", Source: *src})
		}
	}
}

// sums returns the checksums of the files of source that the client was told of, by name.
func (ss *sources) sums() map[string]string {
	out := map[string]string{}
	for _, f := range ss.files {
		if _, err := f.Found(); ss.told[loadedMark+f.Name] && err == nil {
			out[f.Name] = f.SHA256()
		}
	}
	return out
}
