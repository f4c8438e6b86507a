package tm

import (
	"regexp"
	"strings"
	"testing"

	"stackscope/wasm"
)

// TestEveryInstructionHasAScope matches each mnemonic whole, with the look-arounds (which Go's
// regexp lacks) taken out.
func TestEveryInstructionHasAScope(t *testing.T) {
	var res []*regexp.Regexp
	for _, r := range Grammar().Repository["instruction"].Patterns {
		m := strings.TrimSuffix(strings.TrimPrefix(r.Match, idStart), idEnd)
		res = append(res, regexp.MustCompile("^"+m+"$"))
	}
	for _, name := range wasm.Mnemonics() {
		n := 0
		for _, re := range res {
			if re.MatchString(name) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s is matched by %d rules, want 1", name, n)
		}
	}
}

func TestSwitchingStandsOut(t *testing.T) {
	for name, want := range map[string]string{"resume": "keyword.control.stack.wat", "suspend": "keyword.control.stack.wat", "fiber.new": "keyword.control.stack.wat", "br_if": "keyword.control.wat", "throw": "keyword.control.exception.wat", "i32.add": "keyword.other.numeric.wat"} {
		if got := scope(wasm.Lookup(name)[0]); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
