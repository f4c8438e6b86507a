//go:build checked

package vm_test

import (
	"context"
	"testing"

	"stackscope/bench/programs"
	"stackscope/vm"
	"stackscope/wasm"
)

// The switches of every design stay in the fused form: of a thousand rounds it leaves few to the
// baseline form, where storage is not at hand yet, and what a host call begins and ends with.
func TestSwitchesStayFast(t *testing.T) {
	for _, name := range []string{"pipe", "ends"} {
		for _, d := range wasm.Dialects() {
			text, err := programs.Text(name + "-" + d.String())
			if err != nil {
				t.Fatal(err)
			}
			for _, recorded := range []bool{false, true} {
				m := vm.New(vm.Options{})
				if recorded {
					m.SetRecorder(vm.NewRecorder(100))
				}
				in := texts(t, m, nil, text)[0]
				if _, err := in.Invoke(context.Background(), "run", vm.I32(1000)); err != nil {
					t.Fatal(err)
				}
				if n := m.BaselineOps(); n > 10 || m.Stats().Switches < 2000 {
					t.Errorf(
						"%s of %v: of %d switches, and what is between them, %d ops were left to the baseline form",
						name, d, m.Stats().Switches, n,
					)
				}
			}
		}
	}
}
