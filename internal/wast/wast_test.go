package wast_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/internal/testing/suite"
	"stackscope/internal/wast"
)

// specFiles returns the suite's scripts, relative to its folder.
func specFiles(t testing.TB) (files []string) {
	dir := suite.Dir(t)
	for _, p := range suite.Files(t) {
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, rel)
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
			if text := f.Text[c.Span.Start:c.Span.End]; rel != "inline-module.wast" &&
				!strings.HasPrefix(text, "("+string(c.Kind)) &&
				c.Kind != "module" {
				t.Errorf("%s: span of %s is %.40q", rel, c.Kind, text)
			}
		}
	}
	t.Logf("%d commands", n)
}
