package main

import (
	"fmt"
	"strings"
	"time"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/bench/programs"
	"stackscope/internal/loader"
	"stackscope/vm"
	"stackscope/vm/debugger"
)

// elsewhere is a function that the debugged programs have and never call.
const elsewhere = "\n  (func $elsewhere (nop)))\n"

// debugged is a program for the debugger, with a function that holds a breakpoint in vain.
func debugged(name, text string, n int) (*debugger.Program, error) {
	text = strings.TrimSuffix(strings.TrimSpace(text), ")") + elsewhere
	u, err := loader.Text(source.NewFile(name+".wat", text), analysis.Options{})
	if err != nil {
		return nil, err
	}
	return &debugger.Program{
		Path: name, Units: []*debugger.Unit{u.Unit}, Invoke: "run", Args: []vm.Value{vm.I32(int32(n))},
		Compile: loader.Compile,
	}, nil
}

// underDebugger runs a program in the debugger's engine, from its start to its end; bs are
// breakpoints at which it must not stop.
func (s *settings) underDebugger(name string, p *debugger.Program, o debugger.Options, bs ...debugger.Breakpoint) side {
	return side{name: name, measure: func() (time.Duration, error) {
		var failed error
		var e *debugger.Engine
		o.OnStop = func(st debugger.Stop) {
			failed = fmt.Errorf("stopped: %v %s", st.Reason, st.Text)
			e.Kill()
		}
		o.OnEnd = func(end debugger.End) {
			if failed == nil {
				failed = end.Err
			}
		}
		e = debugger.NewEngine(p, o)
		own := make([]*debugger.Breakpoint, len(bs))
		for i := range bs {
			b := bs[i]
			own[i] = &b
		}
		if err := e.Breakpoints.Set("", p.Units[0].File, own); err != nil {
			return 0, err
		}
		for _, b := range own {
			if !b.Verified {
				return 0, fmt.Errorf("breakpoint: %s", b.Message)
			}
		}
		return s.timed(func() error {
			e.Start()
			<-e.Done()
			return failed
		})
	}}
}

// debugRow is a row of the debug table: a program, and what is on in the debugger.
type debugRow struct {
	name, work string
	opt        debugger.Options
	breaks     []debugger.Breakpoint
}

// debugTable measures what debugging costs: the same machine with it and without.
func debugTable(s *settings) error {
	header("what", "program", "without", "with", "ratio")
	other := []debugger.Breakpoint{{ID: 1, Func: "$elsewhere"}}
	var rows []debugRow
	for _, w := range []string{"gen", "sched", "fib", "sieve"} {
		rows = append(rows, debugRow{"attached, the live tree at hand", w, debugger.Options{}, nil})
	}
	for _, w := range []string{"gen", "sched", "fib", "sieve"} {
		rows = append(rows, debugRow{"breakpoint elsewhere", w, debugger.Options{}, other})
	}
	for _, w := range []string{"gen", "switch", "create"} {
		rows = append(rows, debugRow{"history of switches", w, debugger.Options{History: 10_000}, nil})
	}
	sizes := map[string]programs.Program{}
	for _, p := range append(programs.Switches(), programs.Compute()...) {
		sizes[p.Name] = p
	}
	for _, r := range rows {
		if !s.wants(r.work) {
			continue
		}
		text, err := programs.Text(r.work)
		if err != nil {
			return err
		}
		n := sizes[r.work].Work
		p, err := debugged(r.work, text, n)
		if err != nil {
			return err
		}
		f, err := compare(s.runs, []side{
			s.underDebugger("without", p, debugger.Options{NoDebug: true}),
			s.underDebugger("with", p, r.opt, r.breaks...),
		})
		if err != nil {
			return fmt.Errorf("%s: %w", r.work, err)
		}
		row(r.name, r.work, f[0].text(), f[1].text(), ratio(f[1], f[0]))
	}
	if s.wants("condition") {
		fmt.Println()
		return s.conditions()
	}
	return nil
}

// counting is a loop of n rounds with a breakpoint in it.
const counting = `(module
  (func (export "run") (param $n i32) (result i64) (local $i i32) (local $sum i64)
    (loop $l
      (local.set $sum (i64.add (local.get $sum) (i64.const 3)))
      (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
    (local.get $sum)))`

// conditions measures conditional breakpoints that are never true.
func (s *settings) conditions() error {
	const n = 1_000_000
	line := strings.Count(counting[:strings.Index(counting, "(local.set")], "\n")
	p, err := debugged("counting", counting, n)
	if err != nil {
		return err
	}
	header("breakpoint in a loop, never hit", "evaluations a second, with the loop itself")
	for _, b := range []debugger.Breakpoint{
		{Condition: "$i == -5"},
		{Condition: "$sum > 100 && $i == -3"},
		{Condition: "(i32.eq (i32.and (local.get $i) (i32.const 1023)) (i32.const 1024))"},
		{Hit: "2000000"},
		{Condition: "$i >= 0", Hit: "2000000"},
	} {
		b.ID, b.Line = 1, line
		f, err := compare(s.runs, []side{s.underDebugger("with", p, debugger.Options{}, b)})
		if err != nil {
			return err
		}
		what := b.Condition
		if b.Hit != "" {
			what = strings.TrimSpace(what + " hit count " + b.Hit)
		}
		row("`"+what+"`", fmt.Sprintf("%s million ± %.0f %%", digits(n/f[0].median/1e6), 100*f[0].spread/f[0].median))
	}
	return nil
}
