package wast_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/internal/suite"
	"stackscope/internal/wast"
)

func specFiles(t testing.TB) (files []string) {
	dir := suite.Dir(t)
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(p, ".wast") {
			rel, _ := filepath.Rel(dir, p)
			files = append(files, rel)
		}
		return err
	})
	if err != nil || len(files) < 200 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	return files
}

func readSpec(t testing.TB, rel string) *source.File {
	b, err := os.ReadFile(filepath.Join(suite.Dir(t), rel))
	if err != nil {
		t.Fatal(err)
	}
	return source.NewFile(filepath.ToSlash(rel), string(b))
}

// Every command of the suite is understood.
func TestParseSpec(t *testing.T) {
	n := 0
	for _, rel := range specFiles(t) {
		f := readSpec(t, rel)
		for _, c := range wast.Parse(syntax.Parse(f)).Commands {
			n++
			if c.Err != "" {
				line, col := f.LineCol(c.Span.Start)
				t.Errorf("%s:%d:%d: %s: %s", rel, line, col, c.Kind, c.Err)
			}
			if text := f.Text[c.Span.Start:c.Span.End]; rel != "inline-module.wast" && !strings.HasPrefix(text, "("+string(c.Kind)) && c.Kind != "module" {
				t.Errorf("%s: span of %s is %.40q", rel, c.Kind, text)
			}
		}
	}
	t.Logf("%d commands", n)
}
