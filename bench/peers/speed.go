package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"stackscope/bench/programs"
	"stackscope/vm"
)

// maker makes the side of an engine for a program.
type maker func(*program) (side, error)

// sidesOf makes the sides of a row: ours, which must work, and the peers'. A peer that cannot even
// begin is shown as one that fails.
func sidesOf(p *program, ours []maker, peers ...maker) ([]side, error) {
	var out []side
	for _, f := range ours {
		s, err := f(p)
		if err != nil {
			closeAll(out)
			return nil, err
		}
		out = append(out, s)
	}
	for _, f := range peers {
		s, err := f(p)
		if err != nil {
			s = side{units: 1, measure: func() (time.Duration, error) { return 0, err }}
		}
		s.peer = true
		out = append(out, s)
	}
	return out, nil
}

// each prepares the programs that are wanted and calls f for each.
func (s *settings) each(ps []programs.Program, f func(*program) error) error {
	dir, err := os.MkdirTemp("", "stackscope-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, p := range ps {
		if !s.wants(p.Name) {
			continue
		}
		pp, err := prepare(p, dir)
		if err == nil {
			err = f(pp)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

func (s *settings) fused(p *program) (side, error) { return s.ours("stackscope", p, vm.Options{}, nil) }

// Sizes of work that wasmtime does in place of the usual one. It does not give the memory of stacks
// that have ended back before the program ends, and the system's limit of mappings is reached near
// 32,000 of them; what it does fast must take longer than its start-up varies.
const (
	wasmtimeFew  = 10_000
	wasmtimeDeep = 2_000_000
)

func (s *settings) wasmtimeSized(p *program) (side, error) {
	sized := *p
	switch {
	case strings.HasPrefix(p.Name, "create"):
		sized.Work = wasmtimeFew
	case p.Name == "deep":
		sized.Work = wasmtimeDeep
	}
	return s.wasmtime(&sized)
}

func (s *settings) baseline(p *program) (side, error) {
	return s.ours("baseline form", p, vm.Options{Baseline: true}, nil)
}

// switchTable measures what switches beside V8 and wasmtime.
func switchTable(s *settings) error {
	header("work", "stackscope", "V8 15.0", "to V8", "wasmtime", "to wasmtime")
	return s.each(programs.Switches(), func(p *program) error {
		sides, err := sidesOf(p, []maker{s.fused}, s.deno, s.wasmtimeSized)
		if err != nil {
			return err
		}
		defer closeAll(sides)
		f, err := compare(s.runs, sides)
		if err != nil {
			return err
		}
		for i := range f {
			f[i] = f[i].over(sides[i].units)
		}
		row(p.Name+": "+p.Unit, f[0].text(), f[1].text(), ratio(f[0], f[1]), f[2].text(), ratio(f[0], f[2]))
		return nil
	})
}

// computeTable measures what does not switch, in both forms, beside two interpreters.
func computeTable(s *settings) error {
	header(
		"work", "stackscope", "baseline form", "wazero interpreter", "wazero to stackscope",
		"wazero to baseline", "wasmi", "wasmi to stackscope",
	)
	var over, overPlain, wasmi []float64
	err := s.each(programs.Compute(), func(p *program) error {
		sides, err := sidesOf(p, []maker{s.fused, s.baseline}, s.wazeroInterpreter, s.wasmi)
		if err != nil {
			return err
		}
		defer closeAll(sides)
		f, err := compare(s.runs, sides)
		if err != nil {
			return err
		}
		row(fmt.Sprintf("%s(%d): %s", p.Name, p.Work, p.Unit), f[0].text(), f[1].text(),
			f[2].text(), ratio(f[2], f[0]), ratio(f[2], f[1]), f[3].text(), ratio(f[3], f[0]))
		if f[2].fails == "" {
			over = append(over, f[2].median/f[0].median)
			overPlain = append(overPlain, f[2].median/f[1].median)
		}
		if f[3].fails == "" {
			wasmi = append(wasmi, f[3].median/f[0].median)
		}
		return nil
	})
	if err == nil {
		row("geometric mean", "", "", "", mean(over), mean(overPlain), "", mean(wasmi))
	}
	return err
}
