package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.lsp.dev/uri"

	"stackscope/internal/files"
	"stackscope/wasm"
	"stackscope/wasm/binary"
	"stackscope/wasm/text"
)

// SchemeText is the scheme of documents that show the text of a binary module.
const SchemeText = "wasm-text"

// ReadBinary decodes a .wasm file. Messages name the file without its folder.
func ReadBinary(ctx context.Context, name string) (*wasm.Module, error) {
	b, err := files.Read(ctx, name, files.MaxSize)
	if err != nil {
		var pe *os.PathError
		if errors.As(err, &pe) {
			return nil, fmt.Errorf("cannot read %s: %w", filepath.Base(name), pe.Err)
		}
		return nil, errors.New(strings.ReplaceAll(err.Error(), name, filepath.Base(name)))
	}
	m, err := binary.Decode(b)
	var be *binary.Error
	if errors.As(err, &be) {
		return nil, fmt.Errorf("%s, byte %#x: %s", filepath.Base(name), be.Off, be.Msg)
	}
	return m, err
}

// PrintBinary reads the file of a URI and prints the module. The debugger prints it the same way,
// so that lines agree.
func PrintBinary(ctx context.Context, u uri.URI) (string, error) {
	if len(u) < 5 || u[:5] != "file:" {
		return "", fmt.Errorf("%s is not a file", u)
	}
	m, err := ReadBinary(ctx, FileName(u))
	if err != nil {
		return "", err
	}
	src, _ := text.Print(m, text.Options{})
	return src, nil
}

// FileName returns what a document is called in messages: its path, or the URI itself if it has
// none.
func FileName(u uri.URI) string {
	if p := uri.FsPathFor(u, uri.PlatformPOSIX, true); len(u) > 5 && u[:5] == "file:" && p != "" {
		return p
	}
	return string(u)
}
