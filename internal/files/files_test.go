//go:build unix

package files

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestRead reads regular files and nothing else, and does not wait for a FIFO.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.wat")
	if err := os.WriteFile(file, []byte("(module)"), 0o666); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.wat")
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	sparse := filepath.Join(dir, "large.wat")
	if err := os.WriteFile(sparse, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(sparse, 1<<40); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]string{
		file: "", link: "", dir: "is a directory", sparse: "is larger than 256 MiB", filepath.Join(dir,
			"none"): "no such file",
		os.DevNull: "is not a regular file", "/dev/zero": "is not a regular file",
	} {
		b, err := Read(context.Background(), path, MaxSize)
		if want == "" && string(b) != "(module)" || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %q, %v; want %s", path, b, err, want)
		}
	}
	fifo := filepath.Join(dir, "fifo.wat")
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		t.Skip(err)
	}
	if _, err := Read(t.Context(), fifo, MaxSize); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
}

// endless has no end, and calls a function at each read.
type endless func()

func (e endless) Read(b []byte) (int, error) {
	e()
	clear(b)
	return len(b), nil
}

// TestReadAll ends with the limit, the context or the input.
func TestReadAll(t *testing.T) {
	if _, err := ReadAll(context.Background(), "x", endless(func() {}), 0, 3<<20); err == nil ||
		err.Error() != "x is larger than 3 MiB" {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := ReadAll(ctx, "x", endless(cancel), 0, MaxSize); err != context.Canceled {
		t.Error(err)
	}
	want := bytes.Repeat([]byte("ab"), 3<<20)
	if got, err := ReadAll(t.Context(), "x", bytes.NewReader(want), 10, MaxSize); err != nil ||
		!bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
