package load

import (
	"context"
	"os"
	"time"

	"stackscope/analysis/debuginfo"
	"stackscope/analysis/debuginfo/sources"
	"stackscope/internal/files"
	"stackscope/wasm"
)

// OpenFile opens the debugging information of a module that was read from a file, and returns what
// finds its sources by the rules of another Finder. path is "" or "-" if the module does not come
// from a file; data is the binary. The information is nil if there is none.
func OpenFile(
	ctx context.Context, path string, m *wasm.Module, data []byte, rules *sources.Finder,
) (*debuginfo.Info, *sources.Finder) {
	if path == "" || path == "-" {
		return Open(m, data, Options{}), rules.For("", time.Time{})
	}
	var built time.Time
	if info, err := os.Stat(path); err == nil {
		built = info.ModTime()
	}
	info := Open(m, data, Options{
		Path: path, Read: func(p string, max int64) ([]byte, error) { return files.Read(ctx, p, max) },
	})
	return info, rules.For(path, built)
}
