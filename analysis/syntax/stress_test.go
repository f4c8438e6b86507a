package syntax

import (
	"strings"
	"testing"
	"time"

	"stackscope/analysis/source"
)

// TestHostileTexts checks that no text takes more than linear time, or a deep stack.
func TestHostileTexts(t *testing.T) {
	for _, s := range []string{"(", ")", "(@a", "(@a ", "(;", "(;\n", "\"", "\"\n", "(func ", "\n(func ", "(module ", "\n(module (func", "block ", "\n(func block ", "(block ", "(func (block\n",
		"(@a)", "(func (@a)", "(func nop (@a)", "((@a)", "end ", "(assert_invalid (module", "$", "\x80", ";;\x80\n", "(;\x80;)", "1 ", "(1", "(1 2 ", "(if ", "(func if else ", "(type ", "\n(type $t", "(rec (type",
		"\n(import \"a\" \"b\" (func", "(module(@a\n", "(func))", "(elem (item ", "(data \"a ", "(func (@x\n", "(func nop (@x\n", "(func (i32.add (@x\n", "i32.add ", "(func (param (@x\n", "(ref ", "(assert_return (invoke \"f\" (either "} {
		for _, pre := range []string{"", "(module ", "(module (func "} {
			text := pre + strings.Repeat(s, 150_000/len(s))
			start := time.Now()
			tr := Parse(source.NewFile("f", text))
			if d := time.Since(start); d > 5*time.Second {
				t.Errorf("%q×n after %q: %v", s, pre, d)
			} else if d > 200*time.Millisecond {
				t.Logf("%q×n after %q: %v", s, pre, d)
			}
			checkTree(t, tr)
			tr.Modules()
			tr.At(len(text) / 2)
		}
	}
}
