package source

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
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
	}{{0, UTF16, Position{0, 0}}, {2, UTF16, Position{1, 0}}, {6, UTF16, Position{1, 2}}, {6, UTF32,
		Position{1, 1}}, {8, UTF8, Position{1, 6}}, {99, UTF16, Position{2, 1}}} {
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

// TestLongLines compares positions on long lines with those of counting from the start of the line.
func TestLongLines(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	parts := []string{"a", "(i32.const 1)", "é", "😀", "\xff", "\xe2\x82", "   "}
	for range 40 {
		var b strings.Builder
		for range 1 + rnd.IntN(3) {
			for n := rnd.IntN(3000); n > 0; n-- {
				b.WriteString(parts[rnd.IntN(len(parts))])
			}
			b.WriteString([]string{"\n", "\r\n", "\r", ""}[rnd.IntN(4)])
		}
		f := NewFile("f", b.String())
		for _, enc := range []Encoding{UTF8, UTF16, UTF32} {
			for range 50 {
				off := rnd.IntN(len(f.Text) + 1)
				p := f.Position(off, enc)
				from := charStart(f.Text, off)
				if want := Units(f.Text[f.LineStart(p.Line):from], enc); p.Col != want {
					t.Fatalf("offset %d in encoding %d: column %d, want %d", off, enc, p.Col, want)
				}
				p.Col = rnd.IntN(p.Col + 2000)
				ln, n, want := f.Line(p.Line), 0, 0
				for want = ln.Start; want < ln.End; {
					r, w := utf8.DecodeRuneInString(f.Text[want:ln.End])
					if n += width(r, w, enc); n > p.Col {
						break
					}
					want += w
				}
				if got := f.Offset(p, enc); got != want {
					t.Fatalf("%v in encoding %d: offset %d, want %d", p, enc, got, want)
				}
			}
		}
	}
}

// TestDifference makes one text of another by the edit between them, which cuts no character.
func TestDifference(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""}, {"abc", "abc"}, {"abc", "axc"}, {"aa", "aaa"}, {"aaa", "aa"}, {"", "x"}, {"x", ""}, {"abab", "ab"},
		{"aéb", "aèb"}, {"é", "éé"}, {"éé", "é"}, {"😀", "😁"}, {"\x80\x80", "\x80"}, {"é", "\xa9"},
	} {
		e := Difference(c[0], c[1])
		if got := NewFile("", c[0]).Apply(e).Text; got != c[1] {
			t.Errorf("%q to %q: %q (%v)", c[0], c[1], got, e)
		}
		if utf8.ValidString(c[0]) && utf8.ValidString(c[1]) && !utf8.ValidString(e.New) {
			t.Errorf("%q to %q: the edit %q cuts a character", c[0], c[1], e.New)
		}
	}
}
