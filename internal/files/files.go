package files

import (
	"context"
	"fmt"
	"io"
	"os"
)

// MaxSize is the size in bytes of the largest file that is read: module, script, or standard input
// from a file.
const MaxSize = 256 << 20

// Read reads a regular file of at most max bytes. It opens nothing else: reading a device may not
// end, and a FIFO waits for a writer. The end of the context, which may be nil, ends the reading.
func Read(ctx context.Context, path string, max int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := check(path, info, max); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err == nil { // it may have been replaced
		err = check(path, info, max)
	}
	if err != nil {
		return nil, err
	}
	return ReadAll(ctx, path, f, info.Size(), max)
}

// check reports an error if a file is not one to be read.
func check(path string, info os.FileInfo, max int64) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("%s is a directory", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", path)
	case info.Size() > max:
		return tooLarge(path, max)
	}
	return nil
}

func tooLarge(path string, max int64) error {
	return fmt.Errorf("%s is larger than %d MiB", path, max>>20)
}

// ReadAll reads at most max bytes. size is how many are expected.
func ReadAll(ctx context.Context, name string, r io.Reader, size, max int64) ([]byte, error) {
	const step = 1 << 20
	out := make([]byte, 0, min(size, max)+1)
	for {
		if ctx != nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(out) == cap(out) {
			out = append(out, 0)[:len(out)]
		}
		n, err := r.Read(out[len(out):min(cap(out), len(out)+step)])
		out = out[:len(out)+n]
		switch {
		case int64(len(out)) > max:
			return nil, tooLarge(name, max)
		case err == io.EOF:
			return out, nil
		case err != nil:
			return nil, err
		}
	}
}
