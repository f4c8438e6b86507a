package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/tetratelabs/wazero"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/internal/testing/genwat"
	"stackscope/vm"
	"stackscope/wasm"
	"stackscope/wasm/binary"
	"stackscope/wasm/valid"
)

// compiled is a module whose compilation is measured.
type compiled struct {
	name   string
	binary []byte
}

// compileTable measures how fast modules are read, validated and compiled, all of it before
// anything runs, beside wazero's interpreter, and the parts of that.
func compileTable(s *settings) error {
	mods, err := s.compileModules()
	if err != nil {
		return err
	}
	header(
		"module", "stackscope, both forms", "wazero interpreter", "stackscope to wazero", "of it reading",
		"validating", "compiling",
	)
	for _, c := range mods {
		if !s.wants(c.name) {
			continue
		}
		var parts [3]side
		for i, name := range []string{"reading", "validating", "compiling"} {
			parts[i] = side{name: name, measure: func() (time.Duration, error) {
				t, err := s.compileParts(c.binary)
				return t[i], err
			}}
		}
		sides := append([]side{
			{name: "stackscope", measure: func() (time.Duration, error) {
				t, err := s.compileParts(c.binary)
				return t[0] + t[1] + t[2], err
			}},
			{name: "wazero", measure: func() (time.Duration, error) { return s.wazeroCompile(c.binary) }},
		}, parts[:]...)
		f, err := compare(s.runs, sides)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		speed := func(x figures) string {
			return fmt.Sprintf("%s MB/s ± %.0f %%", digits(float64(len(c.binary))/x.median/1e6), 100*x.spread/x.median)
		}
		row(
			fmt.Sprintf("%s, %s MB", c.name, digits(float64(len(c.binary))/1e6)), speed(f[0]), speed(f[1]),
			ratio(f[1], f[0]), f[2].text(), f[3].text(), f[4].text(),
		)
	}
	return nil
}

// compileParts reads, validates and compiles a module, in both forms.
func (s *settings) compileParts(b []byte) (t [3]time.Duration, err error) {
	runtime.GC() // each pays for its own garbage
	var m *wasm.Module
	if t[0], err = s.timed(func() (err error) { m, err = binary.Decode(b); return err }); err != nil {
		return t, err
	}
	if t[1], err = s.timed(func() (err error) {
		valid.New(m).Module(func(e valid.Error) { err = fmt.Errorf("%s", e.Msg) })
		return err
	}); err != nil {
		return t, err
	}
	t[2], err = s.timed(func() error { return vm.New(vm.Options{}).Compile(m) })
	return t, err
}

func (s *settings) wazeroCompile(b []byte) (time.Duration, error) {
	runtime.GC()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	return s.timed(func() error {
		_, err := r.CompileModule(ctx, b)
		return err
	})
}

// compileModules returns the modules: a generated one, a Go program for WASI, and what -wasm names.
func (s *settings) compileModules() ([]compiled, error) {
	u, err := loader.Text(
		source.NewFile("generated.wat", genwat.Text(genwat.Options{Bytes: 16 << 20, Seed: 1})),
		analysis.Options{},
	)
	if err != nil {
		return nil, err
	}
	generated, err := binary.Encode(u.Module)
	if err != nil {
		return nil, err
	}
	program, err := goProgram()
	if err != nil {
		return nil, err
	}
	out := []compiled{{"generated", generated}, {"go", program}}
	if s.wasm != "" {
		b, err := os.ReadFile(s.wasm)
		if err != nil {
			return nil, err
		}
		out = append(out, compiled{filepath.Base(s.wasm), b})
	}
	return out, nil
}

// goProgram builds an ordinary Go program, Go's own formatter, for WASI.
func goProgram() ([]byte, error) {
	dir, err := os.MkdirTemp("", "stackscope-bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "gofmt.wasm")
	cmd := exec.Command("go", "build", "-o", file, "cmd/gofmt")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build for wasip1: %w\n%s", err, out)
	}
	return os.ReadFile(file)
}
