package lsp

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"go.lsp.dev/uri"

	"stackscope/analysis/debuginfo"
	"stackscope/analysis/debuginfo/load"
	"stackscope/analysis/debuginfo/sources"
	"stackscope/internal/files"
	"stackscope/lsp/internal/workspace"
	"stackscope/wasm/binary"
)

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
	info := load.Open(m, data, load.Options{
		Path: program,
		Read: func(path string, max int64) ([]byte, error) { return files.Read(ctx, path, max) },
	})
	if info == nil {
		return "", false
	}
	stat, err := os.Stat(program)
	if err != nil {
		return "", false
	}
	finder := (&sources.Finder{}).For(program, stat.ModTime())
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
