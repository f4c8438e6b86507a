package ide

import (
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
)

// TestHoverNumber holds what is said of a number: with the width of its type, in the other base,
// and of a float the value. «» stands around the number.
func TestHoverNumber(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"(i32.const «-1»)", "`-1` = 0xffffffff, unsigned 4294967295"},
		{"(i64.const «-1»)", "`-1` = 0xffffffffffffffff, unsigned 18446744073709551615"},
		{"(i32.const «0xffff_fff0»)", "`0xffff_fff0` = 4294967280, signed -16"},
		{"(i64.const «0xffff_fff0»)", "`0xffff_fff0` = 4294967280"},
		{"(i32.const «4294967295»)", "`4294967295` = 0xffffffff, signed -1"},
		{"(i32.const «-0x10»)", "`-0x10` = -16 = 0xfffffff0, unsigned 4294967280"},
		{"(i32.const «+12»)", "`+12` = 0xc"},
		{"(i32.const «7»)", ""},
		{"(i32.const «0x1_0000_0000»)", ""},
		{"(f32.const «0x1.8p+1»)", "`0x1.8p+1` = 3, bits 0x40400000"},
		{"(f64.const «0x1p-2»)", "`0x1p-2` = 0.25, bits 0x3fd0000000000000"},
		{"(f64.const «-0x0p0»)", "`-0x0p0` = -0, bits 0x8000000000000000"},
		{"(f32.const «0.1»)", "`0.1`: bits 0x3dcccccd"},
		{"(f32.const «16777217»)", "`16777217` = 1.6777216e+07, bits 0x4b800000"},
		{"(f32.const «nan:0x200000»)", "`nan:0x200000`: bits 0x7fa00000"},
		{"(f64.const «-inf»)", "`-inf`: bits 0xfff0000000000000"},
		{"(v128.const i8x16 «-1» 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0)", "`-1` = 0xff, unsigned 255"},
		{"(v128.const i16x8 «0xffff» 0 0 0 0 0 0 0)", "`0xffff` = 65535, signed -1"},
		{"(v128.const f32x4 «0x1p4» 0 0 0)", "`0x1p4` = 16, bits 0x41800000"},
	} {
		at := strings.Index(c.text, "«")
		mark := c.text[at+len("«") : strings.Index(c.text, "»")]
		text := strings.NewReplacer("«", "", "»", "").Replace(c.text)
		for _, around := range []string{"(module (func (drop %)))", "(module (func %))", "(module (global i32 %))"} {
			head, _, _ := strings.Cut(around, "%")
			s := analysis.Open(source.NewFile("n.wat", strings.Replace(around, "%", text, 1)), analysis.Options{})
			places := []int{len(head) + at}
			if !strings.HasPrefix(text, "(v128") { // the mnemonic says the same
				places = append(places, len(head)+2)
			}
			for _, off := range places {
				h, _ := Hover(s, off)
				got := ""
				for line := range strings.Lines(h.Markdown) {
					if strings.HasPrefix(line, "`"+mark+"`") {
						got = strings.TrimSpace(line)
					}
				}
				if got != c.want {
					t.Errorf("%s at %d: %q, want %q", text, off, got, c.want)
				}
			}
		}
	}
}
