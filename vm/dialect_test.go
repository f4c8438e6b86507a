package vm_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/vm"
	"stackscope/wasm"
)

// program is a module's fields in the text format. It exports `run : [] -> [i32]`; want is its result,
// or the beginning of the text of its trap.
type program struct{ name, want, text string }

// forms are the ways to run code, which must agree.
var forms = map[string]vm.Options{"fast": {}, "plain": {Plain: true}, "stepping": {}}

// runPrograms runs each program in every form, in an instance of its own, and in one form twice in
// the same instance.
func runPrograms(t *testing.T, d wasm.Dialect, prelude string, ps []program) {
	for _, p := range ps {
		t.Run(p.name, func(t *testing.T) {
			u, err := loader.Text(source.NewFile("test.wat", "(module "+prelude+p.text+")"), analysis.Options{Dialect: d})
			if err != nil {
				t.Fatal(err)
			}
			for form, opt := range forms {
				m := vm.New(opt)
				m.SetStepping(form == "stepping")
				in, err := m.Instantiate(context.Background(), u.Module, "", nil)
				if err != nil {
					t.Fatal(err)
				}
				if form != "plain" {
					m.SetObserver(func(e *vm.Event) { _ = e.Kind.String() })
				}
				got := outcome(in.Invoke(context.Background(), "run"))
				if got != p.want && (isNumber(p.want) || !strings.HasPrefix(got, p.want)) {
					t.Errorf("%s: got %q, want %q", form, got, p.want)
				}
				for _, s := range m.LiveStacks(0) {
					if s.Rooted() || s.State() == vm.StackRunning || s.State() == vm.StackMoribund {
						t.Errorf("%s: after the call, stack %d is %v", form, s.ID(), s.State())
					}
				}
			}
		})
	}
}

// text instantiates the modules of texts, which are linked by names m0, m1 …
func texts(t testing.TB, m *vm.Machine, imports vm.ImportMap, srcs ...string) []*vm.Instance {
	t.Helper()
	var ins []*vm.Instance
	for i, src := range srcs {
		u, err := loader.Text(source.NewFile("test.wat", src), analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		in, err := m.Instantiate(context.Background(), u.Module, "", vm.ImportFunc(func(module, name string) vm.Extern {
			for j, in := range ins {
				if module == "m"+string(rune('0'+j)) {
					return in.Export(name)
				}
			}
			return imports.Import(module, name)
		}))
		if err != nil {
			t.Fatalf("module %d: %v", i, err)
		}
		ins = append(ins, in)
	}
	return ins
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

func join(s []string) string { return strings.Join(s, " ") }
