package lsp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis"
	"stackscope/analysis/debuginfo"
	"stackscope/analysis/debuginfo/load"
	"stackscope/analysis/debuginfo/sources"
	"stackscope/analysis/diag"
	"stackscope/analysis/ide"
	"stackscope/analysis/source"
	"stackscope/internal/entry"
	"stackscope/internal/files"
	"stackscope/lsp/internal/workspace"
	"stackscope/wasm"
	"stackscope/wasm/binary"
)

// exportsParams names a .wat, .wast or .wasm file, or the text of one, open or not.
type exportsParams struct {
	URI uri.URI `json:"uri" doc:"A .wat, .wast or .wasm file, or the text of one, open or not."`
}

// exportsResult is what a file can run.
type exportsResult struct {
	Script     bool              `json:"script" doc:"The file is a script: its commands run, there is no export to choose."`
	Exports    []exportedResult  `json:"exports" doc:"The exported functions, in the order of the module."`
	Default    string            `json:"default,omitempty" doc:"The export that runs if none is named; absent if there is none."`
	Start      bool              `json:"start" doc:"The module has a start function."`
	Candidates []candidateResult `json:"candidates,omitempty" doc:"Functions that could be exported, if no function is."`
	Errors     int               `json:"errors" doc:"The number of errors in the text."`
	First      *firstResult      `json:"first,omitempty" doc:"The first error."`
}

// exportedResult is an exported function.
type exportedResult struct {
	Name      string   `json:"name" doc:"The name of the export."`
	Params    []string `json:"params" doc:"The types of the parameters."`
	Results   []string `json:"results" doc:"The types of the results."`
	Signature string   `json:"signature" doc:"Parameters and results in one line."`
	Typeable  bool     `json:"typeable" doc:"Each parameter has a type that an argument can be written for."`
}

// candidateResult is a function that could be exported; a code action at Range exports it.
type candidateResult struct {
	Name      string         `json:"name" doc:"The name of the function."`
	Signature string         `json:"signature" doc:"Parameters and results in one line."`
	Range     protocol.Range `json:"range" doc:"The place where a code action exports the function."`
}

// firstResult is the first error of a text.
type firstResult struct {
	Message string         `json:"message" doc:"The message of the diagnostic."`
	Range   protocol.Range `json:"range" doc:"The place of the diagnostic."`
}

// argumentsParams are arguments as they were typed.
type argumentsParams struct {
	URI    uri.URI `json:"uri" doc:"The file that exports the function."`
	Export string  `json:"export" doc:"The name of the export."`
	Text   string  `json:"text" doc:"The arguments as typed, separated by spaces or commas; at most 64 KiB."`
}

// argumentsResult is the arguments one by one, or what is wrong with them.
type argumentsResult struct {
	Args    []string `json:"args" doc:"The arguments one by one."`
	Problem string   `json:"problem,omitempty" doc:"What is wrong with them; absent if they fit the parameters."`
	Missing bool     `json:"missing,omitempty" doc:"The only problem is that arguments are missing."`
}

// maxCandidates bounds the functions that are offered to be exported.
const maxCandidates = 200

// maxArguments bounds the text of arguments, in bytes.
const maxArguments = 1 << 16

// program is the module that a file holds, nil for a script, with the text that it has, nil for a
// binary file.
type program struct {
	doc  *workspace.Document
	text *analysis.Module
	m    *wasm.Module
}

// programOf reads the module of a file: that of an open document, else from the disk.
func (s *ownRequests) programOf(ctx context.Context, u uri.URI) (program, error) {
	if d, err := s.doc(ctx, u); err == nil {
		return textProgram(d), nil
	}
	name := workspace.FileName(u)
	if rest, ok := strings.CutPrefix(string(u), workspace.SchemeText+":"); ok {
		name = workspace.FileName(uri.URI("file:" + strings.TrimSuffix(rest, ".wat")))
	} else if !strings.HasPrefix(string(u), "file:") {
		return program{}, fmt.Errorf("%s is not a file", u)
	}
	if filepath.Ext(name) == ".wasm" {
		m, err := workspace.ReadBinary(ctx, name)
		return program{m: m}, err
	}
	d := s.world(ctx).Doc(name)
	if d == nil {
		return program{}, fmt.Errorf("cannot read %s", filepath.Base(name))
	}
	return textProgram(d), nil
}

func textProgram(d *workspace.Document) program {
	p := program{doc: d}
	if ms := d.Snapshot().Modules(); len(ms) == 1 && filepath.Ext(d.Path()) != ".wast" {
		p.text, p.m = ms[0], ms[0].Declared()
	}
	return p
}

// local returns the names of a function's parameters.
func (p program) local(fn uint32) func(int) string {
	if p.text == nil {
		return func(i int) string { return p.m.Names.Locals[fn][uint32(i)] }
	}
	ls := p.text.Locals(fn)
	return func(i int) string {
		if i < len(ls) {
			return ls[i].Name
		}
		return ""
	}
}

func (p program) signature(fn uint32, t *wasm.SubType) string {
	return entry.Signature(p.m, t, p.local(fn))
}

// exports answers `stackscope/exports`.
func (s *ownRequests) exports(ctx context.Context, a exportsParams) (exportsResult, error) {
	p, err := s.programOf(ctx, a.URI)
	if err != nil {
		return exportsResult{}, err
	}
	out := exportsResult{Exports: []exportedResult{}}
	if p.doc != nil {
		out.Script = filepath.Ext(p.doc.Path()) == ".wast"
		for _, d := range p.doc.Snapshot().Diagnostics() {
			if d.Severity != diag.Error {
				continue
			}
			if out.Errors++; out.First == nil {
				out.First = &firstResult{d.Message, s.rng(p.doc.File(), d.Span)}
			}
		}
	}
	if p.m == nil {
		return out, nil
	}
	out.Start = p.m.Start != wasm.BadIndex
	fs := entry.Functions(p.m)
	for _, f := range fs {
		x := exportedResult{
			Name:      f.Name,
			Params:    typeNames(p.m, f.Type.Params),
			Results:   typeNames(p.m, f.Type.Results),
			Signature: p.signature(f.Index, f.Type),
			Typeable:  true,
		}
		for _, t := range f.Type.Params {
			x.Typeable = x.Typeable && entry.Typeable(t)
		}
		out.Exports = append(out.Exports, x)
	}
	if f, ok := entry.Default(fs); ok {
		out.Default = f.Name
	}
	if len(fs) == 0 && p.text != nil {
		for _, i := range entry.Candidates(p.m, maxCandidates) {
			t := p.m.FuncType(p.m.Funcs[i].Type)
			sp, ok := ide.ExportPlace(p.text, i)
			if t == nil || !ok {
				continue
			}
			name := fmt.Sprintf("function %d", i)
			if n, ok := p.m.Names.Funcs[i]; ok {
				name = "$" + n
			}
			out.Candidates = append(
				out.Candidates,
				candidateResult{
					name,
					p.signature(i, t),
					s.rng(p.doc.File(), source.Span{Start: sp.Start, End: sp.Start}),
				},
			)
		}
	}
	return out, nil
}

func typeNames(m *wasm.Module, ts []wasm.ValType) []string {
	out := []string{}
	for _, t := range ts {
		out = append(out, t.Format(m.Names.Type))
	}
	return out
}

// arguments answers `stackscope/arguments`.
func (s *ownRequests) arguments(ctx context.Context, a argumentsParams) (argumentsResult, error) {
	p, err := s.programOf(ctx, a.URI)
	if err != nil {
		return argumentsResult{}, err
	}
	if len(a.Text) > maxArguments {
		return argumentsResult{Args: []string{}, Problem: "The arguments are longer than 64 KiB."}, nil
	}
	out := argumentsResult{Args: append([]string{}, entry.Split(a.Text)...)}
	if p.m == nil {
		return out, errors.New("a script has no exports to call")
	}
	f, ok := entry.Find(entry.Functions(p.m), a.Export)
	if !ok {
		return out, fmt.Errorf("no exported function %q", a.Export)
	}
	if _, err := entry.Check(f, out.Args, p.m.Names.Type); err != nil {
		out.Problem, out.Missing = err.Error(), errors.Is(err, entry.ErrMissing)
	}
	return out, nil
}

// builtFromParams are a source file and the programs that may be built from it.
type builtFromParams struct {
	Source   uri.URI   `json:"source" doc:"A source file, such as a .c or .kt file."`
	Programs []uri.URI `json:"programs" doc:"The .wasm files to look at; at most 1,000."`
}

// builtFromResult are the programs that are.
type builtFromResult struct {
	Built []builtProgram `json:"built" doc:"The programs whose debugging information names the source, in the order of the question."`
}

// builtProgram is a program that is built from the source.
type builtProgram struct {
	URI  uri.URI `json:"uri" doc:"The .wasm file."`
	Path string  `json:"path" doc:"The path of the source that the compiler recorded."`
}

// maxBuilt bounds the programs that one request looks at.
const maxBuilt = 1000

// builtFrom answers `stackscope/builtFrom`. A program that cannot be read is not built from the
// source.
func (s *ownRequests) builtFrom(ctx context.Context, p builtFromParams) (builtFromResult, error) {
	out := builtFromResult{Built: []builtProgram{}}
	if len(p.Programs) > maxBuilt {
		return out, fmt.Errorf("%d programs are too many; at most %d are looked at", len(p.Programs), maxBuilt)
	}
	source, err := os.Stat(workspace.FileName(p.Source))
	if err != nil {
		return out, fmt.Errorf("cannot read %s", filepath.Base(workspace.FileName(p.Source)))
	}
	for _, u := range p.Programs {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		if recorded, ok := recordedAs(ctx, workspace.FileName(u), source); ok {
			out.Built = append(out.Built, builtProgram{u, recorded})
		}
	}
	return out, nil
}

// recordedAs returns the path under which the debugging information of a program names a source.
func recordedAs(ctx context.Context, program string, source os.FileInfo) (string, bool) {
	data, err := files.Read(ctx, program, files.MaxSize)
	if err != nil {
		return "", false
	}
	m, err := binary.Decode(data)
	if err != nil {
		return "", false
	}
	info, finder := load.OpenFile(ctx, program, m, data, &sources.Finder{})
	for _, f := range info.Files() {
		if named(f, source) {
			if found, ok := finder.Path(f); ok && isFile(found, source) {
				return f.Path, true
			}
		}
	}
	return "", false
}

// named reports whether the last element of a file's path is the name of a source, in whatever
// case.
func named(f *debuginfo.File, source os.FileInfo) bool {
	return strings.EqualFold(path.Base(sources.Slashes(f.Path)), source.Name())
}

// isFile reports whether a path leads to a source.
func isFile(found string, source os.FileInfo) bool {
	at, err := os.Stat(found)
	return err == nil && os.SameFile(at, source)
}
