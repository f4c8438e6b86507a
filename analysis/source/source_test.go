package source

import (
	"slices"
	"testing"
)

func FuzzApplyEqualsFresh(f *testing.F) {
	f.Add("a\nb\r\nc\rd", 2, 5, "x\r")
	f.Add("", 0, 0, "\n")
	f.Add("\r\n", 1, 1, "é😀\n")
	f.Fuzz(func(t *testing.T, text string, s, e int, repl string) {
		file := NewFile("f", text)
		got := file.Apply(Edit{Span{s, e}, repl})
		if want := NewFile("f", got.Text); !slices.Equal(got.lines, want.lines) {
			t.Fatalf("%q [%d,%d) %q: lines %v, want %v", text, s, e, repl, got.lines, want.lines)
		}
	})
}

func FuzzPositionsRoundTrip(f *testing.F) {
	f.Add("(func\n  é😀 $x)\r\n", 9)
	f.Fuzz(func(t *testing.T, text string, off int) {
		file := NewFile("f", text)
		for _, enc := range []Encoding{UTF8, UTF16, UTF32} {
			p := file.Position(off, enc)
			o := file.Offset(p, enc)
			if q := file.Position(o, enc); q != p && o >= file.Line(p.Line).Start && o < file.Line(p.Line).End {
				t.Fatalf("%q at %d: %v, back %d, %v", text, off, p, o, q)
			}
		}
	})
}

func TestPositions(t *testing.T) {
	f := NewFile("f", "a\n😀é $x\r\nz")
	for _, c := range []struct {
		off  int
		enc  Encoding
		want Position
	}{{0, UTF16, Position{0, 0}}, {2, UTF16, Position{1, 0}}, {6, UTF16, Position{1, 2}}, {6, UTF32, Position{1, 1}}, {8, UTF8, Position{1, 6}}, {99, UTF16, Position{2, 1}}} {
		if got := f.Position(c.off, c.enc); got != c.want {
			t.Errorf("Position(%d, %d) = %v, want %v", c.off, c.enc, got, c.want)
		}
		if c.off < len(f.Text) {
			if got := f.Offset(c.want, c.enc); got != c.off {
				t.Errorf("Offset(%v, %d) = %d, want %d", c.want, c.enc, got, c.off)
			}
		}
	}
	if l, c := f.LineCol(8); l != 2 || c != 3 {
		t.Errorf("LineCol = %d:%d", l, c)
	}
}
