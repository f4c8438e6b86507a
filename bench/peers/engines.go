package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/bench/programs"
	"stackscope/internal/loader"
	"stackscope/internal/testing/cputime"
	"stackscope/vm"
	"stackscope/wasm"
	"stackscope/wasm/binary"
)

// program is a program of a table, ready for every engine.
type program struct {
	programs.Program
	module *wasm.Module
	binary []byte
	file   string // with the binary, in a directory that goes away
}

// prepare makes a program ready; dir takes its file.
func prepare(p programs.Program, dir string) (*program, error) {
	text, err := programs.Text(p.Name)
	if err != nil {
		return nil, err
	}
	u, err := loader.Text(source.NewFile(p.Name+".wat", text), analysis.Options{})
	if err != nil {
		return nil, err
	}
	out := &program{Program: p, module: u.Module, file: filepath.Join(dir, p.Name+".wasm")}
	if out.binary, err = binary.Encode(u.Module); err != nil {
		return nil, err
	}
	return out, os.WriteFile(out.file, out.binary, 0o644)
}

// timed measures a function, by the wall clock or by the process's CPU time.
func (s *settings) timed(f func() error) (time.Duration, error) {
	if s.cpu {
		t := cputime.Used()
		err := f()
		return cputime.Used() - t, err
	}
	t := time.Now()
	err := f()
	return time.Since(t), err
}

// ours runs a program on a machine. set prepares the machine before the program is instantiated.
func (s *settings) ours(name string, p *program, o vm.Options, set func(*vm.Machine)) (side, error) {
	m := vm.New(o)
	if set != nil {
		set(m)
	}
	in, err := m.Instantiate(context.Background(), p.module, p.Name, nil)
	if err != nil {
		return side{}, err
	}
	fn := in.Export("run").(*vm.Func)
	return side{name: name, units: p.Work, measure: func() (time.Duration, error) {
		return s.timed(func() error {
			_, err := m.Call(context.Background(), fn, vm.I32(int32(p.Work)))
			return err
		})
	}}, nil
}

// wazeroInterpreter runs a program on wazero's interpreter.
func (s *settings) wazeroInterpreter(p *program) (side, error) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	in, err := r.Instantiate(ctx, p.binary)
	if err != nil {
		return side{}, err
	}
	fn := in.ExportedFunction("run")
	return side{
		name: "wazero", units: p.Work,
		measure: func() (time.Duration, error) {
			return s.timed(func() error {
				_, err := fn.Call(ctx, uint64(p.Work))
				return err
			})
		},
		close: func() { r.Close(ctx) },
	}, nil
}

//go:embed driver.js
var driver string

// deno runs a program on V8, in a process that stays: start-up and compilation are not counted, and
// the first calls let V8 compile what is hot.
func (s *settings) deno(p *program) (side, error) {
	js := filepath.Join(filepath.Dir(p.file), "driver.js")
	if err := os.WriteFile(js, []byte(driver), 0o644); err != nil {
		return side{}, err
	}
	cmd := exec.Command(filepath.Join(s.peers, "node_modules", ".bin", "deno"),
		"run", "--quiet", "--no-config", "--allow-read", "--v8-flags=--experimental-wasm-wasmfx", js, p.file)
	in, err := cmd.StdinPipe()
	if err != nil {
		return side{}, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return side{}, err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return side{}, fmt.Errorf("%w (bench/peers/install.sh installs the peers)", err)
	}
	lines := bufio.NewReader(out)
	call := func(n int) (time.Duration, error) {
		fmt.Fprintln(in, n)
		line, err := lines.ReadString('\n')
		if err != nil {
			return 0, fmt.Errorf("%w: %s", err, stderr.Bytes())
		}
		ms, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
		return time.Duration(ms * 1e6), err
	}
	for range 5 {
		if _, err := call(max(1, p.Work/20)); err != nil {
			return side{}, err
		}
	}
	return side{
		name: "V8", units: p.Work,
		measure: func() (time.Duration, error) { return call(p.Work) },
		close:   func() { in.Close(); cmd.Wait() },
	}, nil
}

// commandLine runs a program with a command that runs it once; what the same takes for one unit, in
// the same turn, is taken off.
func (s *settings) commandLine(name string, p *program, command ...string) (side, error) {
	command[0] = filepath.Join(s.peers, "bin", command[0])
	once := func(n int) (time.Duration, error) {
		cmd := exec.Command(
			command[0],
			append(command[1:len(command):len(command)], "--invoke", "run", p.file, strconv.Itoa(n))...)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = io.Discard, &stderr
		t := time.Now()
		err := cmd.Run()
		d := time.Since(t)
		if s.cpu && cmd.ProcessState != nil {
			d = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		}
		var exit *exec.ExitError
		switch {
		case errors.As(err, &exit):
			return 0, fmt.Errorf("%w: %s", err, stderr.Bytes())
		case err != nil:
			return 0, fmt.Errorf("%w (bench/peers/install.sh installs the peers)", err)
		}
		return d, nil
	}
	return side{name: name, units: p.Work, measure: func() (time.Duration, error) {
		empty, err := once(1)
		if err != nil {
			return 0, err
		}
		d, err := once(p.Work)
		if err == nil && d <= empty {
			err = errors.New("takes no longer than its start-up: too little work to measure")
		}
		return d - empty, err
	}}, nil
}

func (s *settings) wasmi(p *program) (side, error) { return s.commandLine("wasmi", p, "wasmi", "run") }

func (s *settings) wasmtime(p *program) (side, error) {
	return s.commandLine(
		"wasmtime", p, "wasmtime", "run", "-W", "stack-switching=y,function-references=y,gc=y,exceptions=y",
	)
}
