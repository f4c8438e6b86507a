package wast_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/internal/wast"
)

// specDir finds the specification's suite: $STACKSCOPE_SPEC, or ../shared/spec above here.
func specDir(t testing.TB) string {
	if d := os.Getenv("STACKSCOPE_SPEC"); d != "" {
		return d
	}
	dir, err := os.Getwd()
	for err == nil {
		d := filepath.Join(dir, "shared", "spec")
		if _, e := os.Stat(d); e == nil {
			return d
		}
		if filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("the specification's suite is not there; set STACKSCOPE_SPEC")
	}
	t.Skip("the specification's suite is not there; set STACKSCOPE_SPEC")
	return ""
}

func specFiles(t testing.TB) (files []string) {
	dir := specDir(t)
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
	b, err := os.ReadFile(filepath.Join(specDir(t), rel))
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
