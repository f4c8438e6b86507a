package coverage_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/drive"
	"stackscope/internal/loader"
	"stackscope/internal/wast"
	"stackscope/vm"
	"stackscope/vm/host"
	"stackscope/wasm"
)

const examplesDir = "../../../testdata/examples"

// An example is a program of testdata/examples in one design, with the script that runs it.
type example struct {
	name    string // below examplesDir, with slashes
	dialect wasm.Dialect
	file    *source.File
	snap    *analysis.Snapshot
	mod     *analysis.Module
	script  *source.File   // the script with the module in place of the command that reads it
	shift   int            // where the module's text begins there
	reached map[place]bool // what was executed
	entered map[place]bool // to where control came from another stack
}

// A place is an instruction of an example: a function and the index in its body.
type place struct {
	fn uint32
	pc int
}

// readExamples returns the examples of a design.
func readExamples(d wasm.Dialect) (out []*example, err error) {
	for _, pattern := range []string{d.String() + "/*.wat", "scenario/" + d.String() + ".wat"} {
		files, err := filepath.Glob(filepath.Join(examplesDir, filepath.FromSlash(pattern)))
		if err != nil || len(files) == 0 {
			return nil, fmt.Errorf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, f := range files {
			x, err := readExample(f)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f, err)
			}
			if x.dialect != d {
				return nil, fmt.Errorf("%s is in the design %s", f, x.dialect)
			}
			out = append(out, x)
		}
	}
	return out, nil
}

func readExample(name string) (*example, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	commands, err := os.ReadFile(strings.TrimSuffix(name, ".wat") + ".wast")
	if err != nil {
		return nil, err
	}
	input := fmt.Sprintf("(input %q)", filepath.Base(name))
	before, after, ok := strings.Cut(string(commands), input)
	if !ok {
		return nil, errors.New("the script of the same name has no " + input)
	}
	rel, _ := filepath.Rel(examplesDir, name)
	x := &example{
		name: filepath.ToSlash(rel), file: source.NewFile(name, string(text)), shift: len(before),
		reached: map[place]bool{}, entered: map[place]bool{},
	}
	x.script = source.NewFile(strings.TrimSuffix(name, "wat")+"wast", before+string(text)+after)
	x.snap = analysis.Open(x.file, analysis.Options{})
	if len(x.snap.Modules()) != 1 {
		return nil, errors.New("it is not one module")
	}
	x.mod = x.snap.Modules()[0]
	x.dialect = x.mod.Dialect()
	return x, nil
}

// each calls f for each instruction of the example.
func (x *example) each(f func(b *analysis.Body, pc int)) {
	for _, y := range x.mod.Symbols(analysis.SpaceFunc) {
		if b := x.mod.Body(y.Index); b != nil {
			for pc := range b.Instrs {
				f(b, pc)
			}
		}
	}
}

// reachedOps returns the instructions that were executed.
func (x *example) reachedOps() (out []wasm.Op) {
	for at := range x.reached {
		out = append(out, x.mod.Body(at.fn).Instrs[at.pc].Op)
	}
	return out
}

// transfers reports whether control may go to another stack at an instruction, or, as with
// `event.switch`, has come from there.
func transfers(op wasm.Op) bool {
	i := op.Info()
	for _, e := range []wasm.Effect{i.Effect, i.Then} {
		switch e {
		case wasm.EffectResume, wasm.EffectSuspend, wasm.EffectSwitch, wasm.EffectRetire:
			return true
		}
	}
	return i.Dialect != wasm.DialectNone && i.Effect == wasm.EffectBranch
}

// targets returns where control continues by each clause of an instruction: one of two instructions,
// as a machine may stop at the header of a loop or after it. A clause that leads nowhere has none.
func targets(b *analysis.Body, pc int) (out [][]place) {
	in := &b.Instrs[pc]
	if in.Op == wasm.OpEvent {
		return [][]place{{{b.Func, pc}, {b.Func, pc + 1}}}
	}
	if in.Ext == nil || len(in.Ext.HandlerClauses) == 0 {
		return nil
	}
	labels := b.LabelTargets(pc)
	for _, c := range in.Ext.HandlerClauses {
		switch {
		case c.Switch:
			out = append(out, nil)
		case in.Op == wasm.OpMountFiberNew:
			out = append(out, []place{{c.Label, 0}})
		default:
			at := labels[0]
			if labels = labels[1:]; at < 0 {
				out = append(out, nil)
				continue
			}
			if b.Instrs[at].Op != wasm.OpLoop {
				at = b.End(at)
			}
			out = append(out, []place{{b.Func, at}, {b.Func, at + 1}})
		}
	}
	return out
}

// run runs the script of the example on a machine that stops at each instruction of the design, at
// each beginning of a function and wherever a clause may lead, and notes what was reached.
func (x *example) run() error {
	m := vm.New(vm.Options{})
	var own *vm.Instance
	index := map[*vm.Func]uint32{}
	away := false // the stop before was at an instruction that leaves the stack
	m.SetProbe(func(s *vm.Stop) {
		fn, ok := index[s.Site.Func]
		if !ok {
			return
		}
		at := place{fn, s.Site.PC}
		x.reached[at] = true
		if away {
			x.entered[at] = true
		}
		away = transfers(x.mod.Body(fn).Instrs[s.Site.PC].Op)
	})
	cfg := wast.Config{
		Machine: m,
		Host: func(m *vm.Machine) vm.Imports {
			mods, _, err := host.Modules(m, host.Options{})
			if err != nil {
				panic(err)
			}
			return mods
		},
		Instantiate: func(ctx context.Context, u *loader.Unit, imports vm.Imports) (*vm.Instance, error) {
			in, err := m.Instantiate(ctx, u.Module, u.Name, imports)
			if err != nil || u.Analysis.Span().Start < x.shift || own != nil {
				return in, err
			}
			own = in
			stop := func(at place) {
				f := in.Func(at.fn)
				index[f] = at.fn
				m.SetBreakpoint(f, at.pc)
			}
			x.each(func(b *analysis.Body, pc int) {
				if pc == 0 {
					stop(place{b.Func, 0})
				}
				if b.Instrs[pc].Op.Info().Dialect == wasm.DialectNone {
					return
				}
				stop(place{b.Func, pc})
				stop(place{b.Func, pc + 1}) // where it goes on without a clause
				for _, ts := range targets(b, pc) {
					for _, at := range ts {
						stop(at)
					}
				}
			})
			return in, nil
		},
	}
	var failed []string
	sum := wast.New(analysis.Open(x.script, cfg.Analysis), cfg).Run(context.Background(), func(r *wast.Result) {
		if !r.OK {
			failed = append(failed, r.String())
		}
	})
	if len(failed) > 0 || sum.Passed == 0 {
		return fmt.Errorf("%d passed\n%s", sum.Passed, strings.Join(failed, "\n"))
	}
	if own == nil {
		return errors.New("the module was not instantiated")
	}
	return nil
}

// TestEachInstruction runs the examples of each design: each instruction of the design stands in
// one, and is executed by its script.
func TestEachInstruction(t *testing.T) {
	for _, d := range wasm.Dialects() {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			xs, err := readExamples(d)
			if err != nil {
				t.Fatal(err)
			}
			written, executed := map[wasm.Op][]string{}, map[wasm.Op]bool{}
			for _, x := range xs {
				if err := x.run(); err != nil {
					t.Errorf("%s: %v", x.name, err)
				}
				x.each(func(b *analysis.Body, pc int) {
					op := b.Instrs[pc].Op
					if written[op] = append(written[op], x.name); x.reached[place{b.Func, pc}] {
						executed[op] = true
					}
				})
			}
			for _, op := range instructions(d) {
				switch {
				case len(written[op]) == 0:
					t.Errorf("%s: no example has it", op)
				case !executed[op]:
					t.Errorf("%s: %s have it, and none executes it", op, strings.Join(slices.Compact(written[op]), ", "))
				}
			}
		})
	}
}

// instructions returns the instructions of a design, as the table has them.
func instructions(d wasm.Dialect) (out []wasm.Op) {
	for op := wasm.OpInvalid + 1; op < wasm.NumOps; op++ {
		if op.Info().Dialect == d {
			out = append(out, op)
		}
	}
	return out
}

// TestEachScript expects each program among the examples to have a script that runs it, but for
// those that are to show errors. A script can have several programs.
func TestEachScript(t *testing.T) {
	err := filepath.WalkDir(examplesDir, func(name string, e os.DirEntry, err error) error {
		if err != nil || path.Ext(e.Name()) != ".wat" || filepath.Base(filepath.Dir(name)) == "wrong" {
			return err
		}
		scripts, err := filepath.Glob(filepath.Join(filepath.Dir(name), "*.wast"))
		if err != nil {
			return err
		}
		for _, s := range scripts {
			b, err := os.ReadFile(s)
			if err != nil {
				return err
			}
			if strings.Contains(string(b), fmt.Sprintf("%q", e.Name())) {
				return nil
			}
		}
		t.Errorf("%s: no script of its folder runs it", name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestEachDrive runs the drive scripts among the examples, each with the program of the same name.
func TestEachDrive(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join(examplesDir, "*", "*.drive"))
	if err != nil || len(scripts) < len(wasm.Dialects()) {
		t.Fatalf("%d scripts, %v", len(scripts), err)
	}
	for _, script := range scripts {
		rel, _ := filepath.Rel(examplesDir, script)
		t.Run(filepath.ToSlash(rel), func(t *testing.T) {
			p, err := drive.Load(drive.Config{
				Config: loader.Config{Path: strings.TrimSuffix(script, ".drive") + ".wat"}, Script: script,
			})
			if err != nil {
				t.Fatal(err)
			}
			m, loop := vm.New(vm.Options{}), &host.Loop{}
			hosts, sys, err := p.Host(m, loop)
			if err != nil {
				t.Fatal(err)
			}
			defer sys.Close()
			r := p.NewRun(m, loop, nil, drive.Hooks{Failed: func(x *wast.Result) { t.Error(x) }})
			in, err := r.Link(t.Context(), hosts)
			if err == nil {
				_, err = r.Drive(t.Context(), in)
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Summary().Passed == 0 {
				t.Error("nothing in it")
			}
		})
	}
}

// TestGuide expects the page of the examples to have a link to each.
func TestGuide(t *testing.T) {
	page, err := os.ReadFile("../../../docs/guide/examples.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range wasm.Dialects() {
		xs, err := readExamples(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range xs {
			if !strings.Contains(string(page), "/"+x.name+")") && !strings.HasPrefix(x.name, "scenario/") {
				t.Errorf("docs/guide/examples.md has no %s", x.name)
			}
		}
	}
}
