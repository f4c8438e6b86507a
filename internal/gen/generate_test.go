// Package gen tests that generated files are current.
package gen

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCurrent runs the command of each go:generate directive with -check, and looks for files that
// say they are generated and that no directive makes.
func TestCurrent(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]bool{}
	var marked []string
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (name == "node_modules" || name == "testdata" || name[0] == '.') {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			if i == 0 && strings.HasPrefix(line, "// Code generated ") {
				marked = append(marked, path)
			}
			if command, ok := strings.CutPrefix(line, "//go:generate "); ok {
				check(t, filepath.Dir(path), strings.Fields(command), made)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range marked {
		if !made[path] {
			t.Errorf("%s: no go:generate directive makes it", path)
		}
	}
	if len(made) < 3 {
		t.Errorf("only %d files are generated", len(made))
	}
}

// check runs a generator that has genfile.Main, and adds the paths that it prints to made.
func check(t *testing.T, dir string, command []string, made map[string]bool) {
	t.Helper()
	cmd := exec.Command(command[0], append(command[1:], "-check")...)
	cmd.Dir = dir
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	if err := cmd.Run(); err != nil {
		t.Errorf("%s: %s: %v\n%s", dir, strings.Join(command, " "), err, &problem)
	}
	for _, line := range strings.Fields(out.String()) {
		made[filepath.Join(dir, line)] = true
	}
}
