package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stackscope/internal/cli"
)

// programs returns the compiled programs of testdata/programs.
func programs(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/programs/*/*.wasm")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d programs, %v", len(files), err)
	}
	return files
}

// TestPrograms runs what real compilers have made. The outputs beside the programs are those of a
// native build, or of V8.
func TestPrograms(t *testing.T) {
	for _, file := range programs(t) {
		name, _ := strings.CutPrefix(filepath.ToSlash(file), "../../testdata/programs/")
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(strings.TrimSuffix(file, ".wasm") + ".out")
			if err != nil {
				t.Fatal(err)
			}
			var out, errs bytes.Buffer
			code := app().Run(context.Background(), []string{"run", file}, &cli.Env{Stdout: &out, Stderr: &errs})
			if code != cli.OK || out.String() != string(want) || errs.Len() > 0 {
				t.Errorf("exit %d, prints\n%swant\n%sstandard error\n%s", code, &out, want, &errs)
			}
		})
	}
}

// TestProgramsArePortable checks that the compiled programs, and what is beside them, do not name
// folders of the machine that they were built on, and stay small.
func TestProgramsArePortable(t *testing.T) {
	const limit = 450 << 10
	machine := regexp.MustCompile(`(^|[^A-Za-z0-9_./-])/(work|home|root|tmp|Users)/[^\x00"]*`)
	for _, file := range programs(t) {
		beside, err := filepath.Glob(strings.TrimSuffix(file, ".wasm") + "*")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range beside {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if len(data) > limit {
				t.Errorf("%s has %d bytes, the limit is %d", f, len(data), limit)
			}
			if at := machine.Find(data); at != nil {
				t.Errorf("%s names %q", f, at)
			}
		}
	}
}
