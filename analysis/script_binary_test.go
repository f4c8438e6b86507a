package analysis

import (
	"strings"
	"testing"

	"stackscope/analysis/source"
)

// TestBinaryModules: the binary modules of a script are read and checked, and judged as their
// assertions say.
func TestBinaryModules(t *testing.T) {
	const head = `"\00asm" "\01\00\00\00" `
	// A function of type [] -> [i32] without a body that returns one.
	const invalid = head + `"\01\05\01\60\00\01\7f" "\03\02\01\00" "\0a\04\01\02\00\0b"`
	for _, x := range []struct{ text, want string }{
		{`(module binary ` + head + `)`, ""},
		{`(module binary "\00as")`, "unexpected end"},
		{`(module binary ` + invalid + `)`, "type mismatch"},
		{`(assert_invalid (module binary ` + invalid + `) "type mismatch")`, ""},
		{`(assert_invalid (module binary ` + invalid + `) "unknown type")`, `the module is rejected with another message: expected "unknown type", reported "type mismatch`},
		{`(assert_malformed (module binary ` + head + `) "unexpected end")`, "the module should be rejected (unexpected end)"},
		{`(module binary "\00asm\0d\00\01\00\01\02")`, "unknown binary version: this is a component; only core modules are supported (byte 0x4"},
		{`(assert_malformed (module binary "\00asn" "\01\00\00\00") "magic header not detected")`, ""},
	} {
		s := Open(source.NewFile("f.wast", x.text), Options{})
		got := ""
		for _, d := range s.Diagnostics() {
			got += d.Message + "\n"
		}
		if !strings.HasPrefix(got, x.want) || x.want == "" && got != "" {
			t.Errorf("%s\nsays %q, want %q", x.text, got, x.want)
		}
		if !same(t, s.Edit(source.Edit{New: " "})) {
			t.Error(x.text)
		}
	}
}
