package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/internal/cli"
)

// TestGoProgram builds an ordinary Go program for WASI and runs it.
func TestGoProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := t.TempDir()
	wasm := filepath.Join(dir, "program.wasm")
	build := exec.Command("go", "build", "-o", wasm, "testdata/wasi/main.go")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: this toolchain does not build for wasip1: %v\n%s", err, out)
	}
	data := filepath.Join(dir, "data")
	for _, err := range []error{
		os.Mkdir(data, 0o755),
		os.WriteFile(filepath.Join(data, "in.txt"), []byte("a file"), 0o644),
		os.WriteFile(filepath.Join(dir, "secret.txt"), []byte("not for guests"), 0o644),
		os.Symlink("../secret.txt", filepath.Join(data, "link.txt")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	code := app().Run(context.Background(), []string{"run", "--dir", data + "::/data", "--env", "HOME=/home/guest",
		wasm, "--", "one", "two words"},
		&cli.Env{Stdin: strings.NewReader("1\n2\n3\n"), Stdout: &out, Stderr: &errs})
	want := `args [one two words] HOME /home/guest
lines 3
read "a file" <nil>
missing true
outside true
by a link true
write <nil> <nil> <nil>
size 6 <nil>
d true; in.txt false; link.txt false; <nil>
remove <nil>
slept true true
random true
0 1 2 
recovered: assignment to entry in nil map
`
	if code != 3 || out.String() != want || errs.String() != "to standard error\n" {
		t.Errorf("exit code %d\n%s\nwant 3\n%s\nstandard error:\n%s", code, out.String(), want, errs.String())
	}
}
