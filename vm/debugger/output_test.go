package debugger

import (
	"strings"
	"testing"
)

// TestPartial writes a text in pieces of every length: each piece that is passed on is whole
// characters, and nothing is lost, also of what is no text.
func TestPartial(t *testing.T) {
	for _, text := range []string{"hello", "é€😀x", "\xc3\xa9\xff\xf0\x9f", "\xe2\x82", "\x80\x80\x80\x80", ""} {
		for size := 1; size <= 5; size++ {
			var p partial
			var out strings.Builder
			for i := 0; i < len(text); i += size {
				piece := p.whole(Stdout, text[i:min(i+size, len(text))])
				if strings.HasSuffix(piece, "\xf0\x9f") || strings.HasSuffix(piece, "\xe2\x82") ||
					strings.HasSuffix(piece, "\xc3") {
					t.Errorf("%q by %d: %q", text, size, piece)
				}
				out.WriteString(piece)
			}
			if got := out.String() + p[Stdout]; got != text || len(p[Stdout]) > 3 || p[Stderr] != "" {
				t.Errorf("%q by %d: %q", text, size, got)
			}
		}
	}
}
