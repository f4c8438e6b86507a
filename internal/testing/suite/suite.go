package suite

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Dir returns the folder of the specification's suite: $STACKSCOPE_SPEC, else shared/spec in a
// folder above the test's. Without it the test is skipped and says so; under CI=true it fails.
func Dir(t testing.TB) string {
	t.Helper()
	return data(t, "STACKSCOPE_SPEC", "spec")
}

// Seeds returns the folder of the five source documents: $STACKSCOPE_SEEDS, else shared/seeds,
// likewise.
func Seeds(t testing.TB) string {
	t.Helper()
	return data(t, "STACKSCOPE_SEEDS", "seeds")
}

func data(t testing.TB, variable, name string) string {
	t.Helper()
	if d := os.Getenv(variable); d != "" {
		return d
	}
	dir, err := os.Getwd()
	for err == nil {
		d := filepath.Join(dir, "shared", name)
		if i, e := os.Stat(d); e == nil && i.IsDir() {
			return d
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	msg := "SKIPPED: there is no shared/" + name + " above this folder; set " + variable + " to where it is"
	if os.Getenv("CI") == "true" {
		t.Fatal(msg)
	}
	t.Skip(msg)
	return ""
}

// Files returns the suite's scripts, stack-switching included, as paths.
func Files(t testing.TB) (files []string) {
	t.Helper()
	err := filepath.WalkDir(Dir(t), func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(p, ".wast") {
			files = append(files, p)
		}
		return err
	})
	if err != nil || len(files) < 200 {
		t.Fatalf("%d scripts in %s: %v", len(files), Dir(t), err)
	}
	return files
}

// Own returns the files of this repository below testdata that match patterns such as
// `examples/*/*.wat`, as paths relative to the test. Each pattern must match.
func Own(t testing.TB, patterns ...string) (files []string) {
	t.Helper()
	root := "."
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		if abs, err := filepath.Abs(root); err != nil || filepath.Dir(abs) == abs {
			t.Fatal("there is no go.mod above this folder")
		}
		root = filepath.Join(root, "..")
	}
	for _, p := range patterns {
		more, err := filepath.Glob(filepath.Join(root, "testdata", filepath.FromSlash(p)))
		if err != nil || len(more) == 0 {
			t.Fatalf("no file of testdata matches %s: %v", p, err)
		}
		files = append(files, more...)
	}
	return files
}

// Text returns the contents of a file.
func Text(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
