package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"

	"stackscope/analysis"
	"stackscope/analysis/ide/action"
	"stackscope/analysis/source"
	"stackscope/internal/cli"
	"stackscope/internal/loader"
)

// fixFile applies the safe fixes of a file: in place, or as a unified diff to w if that is not nil.
// It returns the file as it is then, and how many fixes were applied.
func fixFile(f *loader.File, o analysis.Options, w io.Writer) (*loader.File, int, error) {
	if f.Kind == loader.KindBinary {
		return f, 0, nil
	}
	s := analysis.Open(f.Source(), o)
	edits, n := action.FixAll(s)
	text, ok := source.ApplyAll(s.File().Text, edits)
	if n == 0 || !ok {
		return f, 0, nil
	}
	fixed := *f
	fixed.Data = []byte(text)
	if w != nil {
		name := cli.Relative(f.Name())
		_, err := w.Write(diff.Diff(name, f.Data, name+" (fixed)", fixed.Data))
		return &fixed, n, err
	}
	return &fixed, n, rewrite(f.Path, text)
}

// rewrite replaces the contents of a file at once, with its mode: who reads it sees the old text or
// the new one. A symbolic link stays one.
func rewrite(path, text string) (err error) {
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	t, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = t.Close()
			_ = os.Remove(t.Name())
		}
	}()
	if _, err = io.WriteString(t, text); err != nil {
		return err
	}
	if err = t.Chmod(info.Mode().Perm()); err != nil {
		return err
	}
	if err = t.Close(); err != nil {
		return err
	}
	return os.Rename(t.Name(), path)
}
