package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/ide"
	"stackscope/analysis/source"
	"stackscope/internal/cli"
	"stackscope/internal/loader"
)

// maxRounds bounds how often a text is checked again after fixes: one may make room for another.
const maxRounds = 100

// maxTries bounds how many fixes are tried one by one after a round that had to be undone.
const maxTries = 50

// fixText applies the safe fixes of a text until there are none left, and returns how many it
// applied. No fix stays that leads to more errors than there were: a round that does is undone, and
// its fixes are tried one by one.
func fixText(f *source.File, o analysis.Options) (text string, n int) {
	s := analysis.Open(f, o)
	text = f.Text
	errs := countErrors(s.Diagnostics())
	apply := func(fixes []diag.Fix) bool {
		var edits []source.Edit
		for _, x := range fixes {
			edits = append(edits, x.Edits...)
		}
		slices.SortStableFunc(edits, func(a, b source.Edit) int { return a.Start - b.Start })
		next, ok := source.ApplyAll(text, edits)
		if !ok || next == text {
			return false
		}
		after := analysis.Open(source.NewFile(f.Name, next), o)
		now := countErrors(after.Diagnostics())
		if now > errs {
			return false
		}
		text, s, errs, n = next, after, now, n+len(fixes)
		return true
	}
	for range maxRounds {
		fixes := safeFixes(s)
		if len(fixes) == 0 {
			return text, n
		}
		if apply(fixes) {
			continue
		}
		// The last first, so that the places of the others stay right.
		good := false
		for i := len(fixes) - 1; i >= max(0, len(fixes)-maxTries); i-- {
			good = apply(fixes[i:i+1]) || good
		}
		if !good {
			return text, n
		}
	}
	return text, n
}

func countErrors(ds []diag.Diagnostic) (n int) {
	for i := range ds {
		if ds[i].Severity == diag.Error {
			n++
		}
	}
	return n
}

// maxFixes bounds the fixes of a round.
const maxFixes = 1000

// safeFixes returns the safe fixes of a text, one for each diagnostic. A fix that overlaps or touches
// an earlier one waits for the next round.
func safeFixes(s *analysis.Snapshot) (out []diag.Fix) {
	var taken []source.Edit
	ds := s.Diagnostics()
	for i := 0; i < len(ds) && len(out) < maxFixes; i++ {
		for _, x := range ide.Fixes(s, &ds[i]) {
			if !x.Safe || len(x.Edits) == 0 {
				continue
			}
			apart := true
			for _, e := range x.Edits {
				apart = apart && !slices.ContainsFunc(taken, func(y source.Edit) bool { return e.Start <= y.End && y.Start <= e.End })
			}
			if apart {
				taken = append(taken, x.Edits...)
				out = append(out, x)
			}
			break
		}
	}
	return out
}

// fixFile applies the safe fixes of a file: in place, or as a unified diff to w if that is not nil.
// It returns the file as it is then, and how many fixes were applied.
func fixFile(f *loader.File, o analysis.Options, w io.Writer) (*loader.File, int, error) {
	if f.Kind == loader.KindBinary {
		return f, 0, nil
	}
	text, n := fixText(f.Source(), o)
	if n == 0 {
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
