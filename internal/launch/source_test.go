package launch_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/vm/debugger"
)

// place describes a stop: the stack, and the innermost frame. Stacks are numbered in the order in which
// they are seen.
func (f *follower) place(seen map[debugger.StackID]int) string {
	if f.stop.Stack == 0 {
		return "?"
	}
	n := seen[f.stop.Stack]
	if n == 0 {
		n = len(seen) + 1
		seen[f.stop.Stack] = n
	}
	text := ""
	_ = f.e.Do(func() {
		lines, _, _ := f.e.Inspector.Trace(f.stop.Stack, 0, 1)
		if len(lines) > 0 {
			fr := lines[0].Frame
			text = fmt.Sprintf("%s %s", fr.Title, fr.Site.Short())
		}
	})
	return fmt.Sprintf("stack %d: %s", n, text)
}

// threads lists the names of the stacks, without their numbers.
func (f *follower) threads() string {
	var out []string
	_ = f.e.Do(func() {
		for _, s := range f.e.Stacks.Threads(0, nil).Stacks {
			if s.Noun != "" {
				_, name, _ := strings.Cut(s.Title(), " ")
				out = append(out, name)
			}
		}
	})
	return strings.Join(out, "\n")
}

// TestSourceOfCompilers steps through programs of real compilers, in their source: what each step
// leads to, at full speed and by single instructions.
func TestSourceOfCompilers(t *testing.T) {
	kinds := map[string]debugger.StepKind{
		"over": debugger.Over, "into": debugger.Into, "out": debugger.Out, "run": debugger.Run,
	}
	for _, c := range []struct {
		program string
		breaks  string // FILE:LINE, or a function
		steps   []string
	}{
		{"c/stock", "stock.c:91", []string{
			"run stack 1: main stock.c:91",
			"over stack 1: main stock.c:92",
			"into stack 1: add stock.c:34",
			"into stack 1: add stock.c:35", // calloc has no lines
			"out stack 1: main stock.c:92",
			"over stack 1: main stock.c:93",
		}},
		{"c/stock", "stock.c:30", []string{ // no code: the next line with some, after the prologue
			"run stack 1: add stock.c:34",
		}},
		{"cpp/route", "route.cpp:78", []string{
			"run stack 1: distances route.cpp:78",
			"into stack 1: cost route.cpp:58", // inlined
			"over stack 1: cost route.cpp:59",
			"into stack 1: geo::Capital::toll route.cpp:35",
			"out stack 1: cost route.cpp:59",
			"out stack 1: distances route.cpp:78",
			"over stack 1: distances route.cpp:79",
			"into stack 1: smaller<int> route.cpp:45",
			"out stack 1: distances route.cpp:79",
			"over stack 1: distances route.cpp:77",
		}},
		{"cpp/route", "route.cpp:78", []string{
			"run stack 1: distances route.cpp:78",
			"over stack 1: distances route.cpp:79", // over the inlined call
		}},
		{"rust/tasks", "tasks.rs:91", []string{
			"run stack 1: tasks::main tasks.rs:91",
			"over stack 1: tasks::main tasks.rs:92",
			"over stack 1: tasks::main tasks.rs:93",
			"over stack 1: tasks::main tasks.rs:94",
			"over stack 1: tasks::main tasks.rs:95",
			"into stack 1: tasks::main::{closure#1} tasks.rs:95", // through iterators of the library
			"into stack 1: tasks::{impl#1}::cost tasks.rs:41",
			"out stack 1: tasks::main::{closure#1} tasks.rs:95",
		}},
		{"kotlin/parcels", "parcels.kt:65", []string{
			"run stack 1: main parcels.kt:65",
			"into stack 1: numbers parcels.kt:13",
			"out stack 1: main parcels.kt:65",
			"into stack 2: numbers.<sequence lambda> parcels.kt:14", // the sequence, on its stack
			"over stack 2: numbers.<sequence lambda> parcels.kt:15",
			"over stack 2: numbers.<sequence lambda> parcels.kt:16",
			"over stack 2: numbers.<sequence lambda> parcels.kt:17",
			"into stack 1: main parcels.kt:65", // yield
			"over stack 1: main parcels.kt:66",
			"over stack 1: main parcels.kt:65",
			"into stack 2: numbers.<sequence lambda> parcels.kt:18", // resumed
		}},
		{"kotlin/parcels", "parcels.kt:17", []string{
			"run stack 1: numbers.<sequence lambda> parcels.kt:17",
			"over stack 1: numbers.<sequence lambda> parcels.kt:18", // over yield
		}},
		{"kotlin/parcels", "parcels.kt:56", []string{
			"run stack 1: deliver parcels.kt:56",
			"run stack 2: deliver parcels.kt:56",
			"over stack 2: deliver parcels.kt:57", // the other coroutine runs in between
			"over stack 2: deliver parcels.kt:58",
		}},
		{"kotlin/weather", "weather.kt:70", []string{
			"run stack 1: main weather.kt:70",
			"over stack 2: main.<launch lambda> weather.kt:69", // the event loop goes on with a coroutine
		}},
		{"kotlin/weather", "weather.kt:13", []string{
			"run stack 1: Station.measure weather.kt:13",
			"over stack 1: Station.measure weather.kt:14", // over delay: the program waits for its clock
			"over stack 1: Station.measure weather.kt:15",
			"over stack 1: Station.measure weather.kt:16",
			"over stack 1: report.<lambda>.<launch lambda> weather.kt:47",
			"over stack 1: report.<lambda>.<launch lambda> weather.kt:48",
		}},
	} {
		for _, single := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%s/single=%v", c.program, c.breaks, single), func(t *testing.T) {
				path := filepath.Join("..", "..", "testdata", "programs", c.program+".wasm")
				p, err := launch.Load(&dap.Launch{Program: path})
				if err != nil {
					t.Fatal(err)
				}
				f := follow(p, single)
				defer f.close()
				setAt := func(where string) {
					b := &debugger.Breakpoint{ID: 1, Func: where}
					var file *debugger.Source
					if name, line, ok := strings.Cut(where, ":"); ok {
						b.Func = ""
						_, _ = fmt.Sscan(line, &b.Line)
						b.Line--
						file = f.source(name)
					}
					if err := f.e.Breakpoints.Set("here", file, []*debugger.Breakpoint{b}); err != nil || !b.Verified {
						t.Fatal(err, b.Message)
					}
				}
				setAt(c.breaks)
				f.e.Start()
				f.wait() // on entry
				seen := map[debugger.StackID]int{}
				for i, s := range c.steps {
					kind, want, _ := strings.Cut(s, " ")
					if err := f.move(move{kind: kinds[kind], stack: f.stop.Stack}); err != nil {
						t.Fatal(err)
					}
					if text, ended := f.wait(); ended {
						t.Fatalf("step %d (%s): %s", i+1, s, text)
					}
					if got := f.place(seen); got != want {
						t.Fatalf("step %d (%s) leads to\n%s, want\n%s", i+1, kind, got, want)
					}
					if kind != "run" {
						continue
					}
					if i+1 < len(c.steps) && !strings.HasPrefix(c.steps[i+1], "run") {
						if err := f.e.Breakpoints.Set("here", nil, nil); err != nil {
							t.Fatal(err)
						}
					}
				}
			})
		}
	}
}

// TestNamesOfCoroutines lists the threads of a Kotlin program, and says who resumed the running one.
func TestNamesOfCoroutines(t *testing.T) {
	for line, want := range map[int]string{
		13: `coroutine report.<lambda>.<launch lambda> · running
coroutine main.<launch lambda> · suspended in coroutineScope at weather.kt:39
coroutine report.<coroutineScope lambda> · suspended in join at weather.kt:58
coroutine report.<lambda>.<launch lambda> · suspended in hasNext at weather.kt:54
resumed by #8 kotlinx.coroutines.__callFunction_(()->Unit)`,
		57: `coroutine report.<coroutineScope lambda> · running
coroutine main.<launch lambda> · waiting for #5
coroutine report.<lambda>.<launch lambda> · not started
coroutine report.<lambda>.<launch lambda> · not started
resumed by #3 main.<launch lambda> at weather.kt:39`,
	} {
		t.Run(fmt.Sprint(line), func(t *testing.T) {
			path := filepath.Join("..", "..", "testdata", "programs", "kotlin", "weather.wasm")
			p, err := launch.Load(&dap.Launch{Program: path})
			if err != nil {
				t.Fatal(err)
			}
			f := follow(p, false)
			defer f.close()
			f.e.Start()
			f.wait()
			b := &debugger.Breakpoint{ID: 1, Line: line}
			if err := f.e.Breakpoints.Set("here", f.source("weather.kt"), []*debugger.Breakpoint{b}); err != nil {
				t.Fatal(err)
			}
			if err := f.move(move{kind: debugger.Run}); err != nil {
				t.Fatal(err)
			}
			f.wait()
			got := f.threads()
			_ = f.e.Do(func() {
				lines, _, _ := f.e.Inspector.Trace(f.stop.Stack, 0, 0)
				for _, x := range lines {
					if x.Label != "" {
						got += "\n" + x.Label
						break
					}
				}
			})
			if got != want {
				t.Errorf("got\n%s", got)
			}
		})
	}
}
