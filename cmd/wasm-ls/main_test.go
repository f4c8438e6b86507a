package main

import (
	"bytes"
	"context"
	"flag"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"stackscope/internal/cli"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata")

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"wasm-ls": main}) }

// TestScripts runs the command lines in testdata and compares what they print.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata", UpdateScripts: *update})
}

// TestExitCodes checks the three exit codes: fine, wrong input, wrong usage.
func TestExitCodes(t *testing.T) {
	const good, bad = `(module (func (export "main") (result i32) (i32.const 7)))`, `(module (func (result i32)))`
	const effects, switching = `(module (tag $e (export "e") (result i32)) (func (export "f") (throw $e)))`, `(module (type $f (func)) (type $c (export "c") (cont $f)))`
	const binary = "\x00asm\x01\x00\x00\x00\x01\x05\x01\x60\x00\x01\x7f\x0d\x03\x01\x00\x00" // a tag with a result
	for _, c := range []struct {
		args  string
		stdin string
		want  int
	}{
		{"check -", good, cli.OK},
		{"check -", bad, cli.Bad},
		{"check -", "\x00asm\x01\x00\x00\x00\x0e", cli.Bad},
		{"check -", "\x00asm\x01\x00\x00\x00", cli.OK},
		{"check -", effects, cli.OK},
		{"check --dialect none -", effects, cli.Bad},
		{"check --dialect none -", switching, cli.Bad},
		{"check --dialect none -", good, cli.OK},
		{"check -", binary, cli.OK},
		{"check --dialect none -", binary, cli.Bad},
		{"build -", effects, cli.OK},
		{"build --dialect none -", effects, cli.Bad},
		{"print -", binary, cli.OK},
		{"check", "", cli.Usage},
		{"check no/such/dir", "", cli.Usage},
		{"check --format nothing -", good, cli.Usage},
		{"fmt -", good, cli.OK},
		{"fmt -", "(module", cli.Bad},
		{"fmt -w -", good, cli.Usage},
		{"fmt -w -d x.wat", good, cli.Usage},
		{"build -", good, cli.OK},
		{"build -", bad, cli.Bad},
		{"build -", `(module (func (barrier)))`, cli.Bad},
		{"print -", "\x00asm\x01\x00\x00\x00", cli.OK},
		{"print -", "\x00asm\x02\x00\x00\x00", cli.Bad},
		{"print -", good, cli.OK},
		{"explain syntax", "", cli.OK},
		{"explain", "", cli.OK},
		{"explain nothing-like-it", "", cli.Usage},
		{"serve --listen 127.0.0.1:0 --stdio", "", cli.Usage},
		{"serve x", "", cli.Usage},
	} {
		var out, errs bytes.Buffer
		got := app().Run(context.Background(), strings.Fields(c.args),
			&cli.Env{Stdin: strings.NewReader(c.stdin), Stdout: &out, Stderr: &errs})
		if got != c.want {
			t.Errorf("wasm-ls %s: exit %d, want %d\n%s%s", c.args, got, c.want, out.String(), errs.String())
		}
		if got == cli.Usage && errs.Len() == 0 {
			t.Errorf("wasm-ls %s: nothing on standard error", c.args)
		}
	}
}
