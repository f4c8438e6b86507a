package ide

import (
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
)

// TestIndentWhileTyping types texts line by line: each new line begins where the parentheses that
// are open there put it, whatever stands after it.
func TestIndentWhileTyping(t *testing.T) {
	for _, want := range []string{
		`(module
  (func $f (param $x i32) (result i32)
    (i32.add
      (local.get $x)
      (i32.const 1)))
  (func $g
    (drop (call $f
      (i32.const 1)))
    (block $b
      (br $b)))
  (memory 1))
(assert_return (invoke "f")
  (i32.const 1))
(module $second
  (type $t (func
    (param i32))))`,
		`(module
  (func $f (param $x i32) (result i32)
    (i32.add
      (local.get $x)
      (i32.const 1)))
  (func $g
    (drop (call $f
      (i32.const 1)))
    (if (i32.const 1)
      (then
        (nop))
      (else
        (nop)
      )
    )
  )
  (memory 1)`,
		`(func $f (result i32)
  block $b (result i32)
    i32.const 1
    loop
      nop
    end
    (drop
      (i32.const 3))
  end)
(func $g)`,
	} {
		for _, after := range []string{"", "\n", "\n  (func $after)\n", "\n)\n"} {
			if after != "" && after != "\n" && strings.Contains(want, "assert_return") {
				continue // a field after the end of a module could also be one of it
			}
			typed := ""
			for i, line := range strings.Split(want, "\n") {
				if i > 0 {
					typed += "\n"
				}
				body := strings.TrimLeft(line, " ")
				// The editor asks at the beginning of the line, and again where it closes
				// something.
				for _, now := range []string{"", body} {
					if now != "" && !closes(body) {
						continue
					}
					at := strings.LastIndex(typed, "\n") + 1
					typed = typed[:at] + strings.TrimLeft(typed[at:], " ")
					s := analysis.Open(source.NewFile("a.wast", typed+now+after), analysis.Options{})
					if e, ok := Indent(s, strings.Count(typed, "\n"), "  "); ok {
						typed = typed[:at] + e.New
					}
				}
				typed += body
			}
			if typed != want {
				t.Errorf("before %q: typed\n%s\nwant\n%s", after, typed, want)
			}
		}
	}
}
