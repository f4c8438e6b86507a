package main

import (
	"bytes"
	"context"
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"stackscope/internal/cli"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata")

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"wasm-dap": main}) }

// TestScripts runs the command lines in testdata and compares what they print.
func TestScripts(t *testing.T) {
	programs, err := filepath.Abs(filepath.Join("..", "..", "testdata", "programs"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata", UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("PROGRAMS", programs)
			return nil
		},
	})
}

// TestExitCodes checks the three exit codes: fine, wrong input, wrong usage.
func TestExitCodes(t *testing.T) {
	const good, trap, bad = `(module (func (export "main") (result i32) (i32.const 7)))`,
		`(module (func (export "main") (unreachable)))`, `(module (func (i32.const)))`
	const effects = `(module (tag $e (param i32) (result i32)) (func (export "main") (block $l (result i32) (try_table (catch $e $l) (throw $e (i32.const 1))) (i32.const 0)) (drop)))`
	const switching = `(module (type $f (func)) (type $c (cont $f)) (func (export "main")))`
	for _, c := range []struct {
		args  string
		stdin string
		want  int
	}{
		{"run -", good, cli.OK},
		{"run - 1", good, cli.Usage},
		{"run --invoke nothing -", good, cli.Usage},
		{"run --nothing -", good, cli.Usage},
		{"run --dialect nothing -", good, cli.Usage},
		{"run", good, cli.Usage},
		{"run no/such/file.wat", "", cli.Usage},
		{"run -", effects, cli.OK},
		{"run --dialect none -", effects, cli.Bad},
		{"run --dialect none -", good, cli.OK},
		{"run --dialect none -", switching, cli.Bad},
		{"test -", effects, cli.OK},
		{"test --dialect none -", effects, cli.Bad},
		// valid, but it has nothing to run
		{"run -", "\x00asm\x01\x00\x00\x00\x01\x05\x01\x60\x00\x01\x7f\x0d\x03\x01\x00\x00", cli.Usage},
		{"run --dialect none -", "\x00asm\x01\x00\x00\x00\x01\x05\x01\x60\x00\x01\x7f\x0d\x03\x01\x00\x00", cli.Bad},
		{"run -", trap, cli.Bad},
		{"run -", bad, cli.Bad},
		{"run -", "\x00asm\x01\x00\x00\x00\x0e", cli.Bad},
		{"nothing", "", cli.Usage},
		{"run --help", "", cli.OK},
		{"--version", "", cli.OK},
		{"help run", "", cli.OK},
		{"test -", `(module) (assert_invalid (module (func (result i32))) "type mismatch")`, cli.OK},
		{"test -", `(module) (invoke "f")`, cli.Bad},
		{"test", "", cli.Usage},
		{"tree -", good, cli.Usage},
		{"tree --at 1 -", good, cli.OK},
		{"tree --at 9 -", good, cli.Usage},
		{"tree --at nothing -", good, cli.Usage},
		{"trace --format nothing -", good, cli.Usage},
		{"trace -", good, cli.OK},
		{"trace -", trap, cli.Bad},
	} {
		var out, errs bytes.Buffer
		got := app().Run(context.Background(), strings.Fields(c.args),
			&cli.Env{Stdin: strings.NewReader(c.stdin), Stdout: &out, Stderr: &errs})
		if got != c.want {
			t.Errorf("wasm-dap %s: exit %d, want %d\n%s%s", c.args, got, c.want, out.String(), errs.String())
		}
		if got == cli.Usage && errs.Len() == 0 {
			t.Errorf("wasm-dap %s: nothing on standard error", c.args)
		}
	}
}
