package listing_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/analysis/debuginfo/listing"
	"stackscope/analysis/debuginfo/load"
	"stackscope/analysis/debuginfo/sources"
	"stackscope/wasm/binary"
)

func open(t *testing.T, name string) *listing.Listing {
	t.Helper()
	path := filepath.Join("../../../testdata/programs", filepath.FromSlash(name))
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := binary.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	info, finder := load.OpenFile(t.Context(), path, m, b, &sources.Finder{})
	return listing.New(m, info, finder)
}

// The lines of source are comments between those of the module, whatever the language.
func TestInterleaved(t *testing.T) {
	for name, want := range map[string]string{
		"c/stock.wasm":              ";; stock.c:90  int coins[] = {10, 5, 2, 1};",
		"cpp/route.wasm":            ";; route.cpp:58 (inlined cost)  int way = road.length;",
		"rust/tasks.wasm":           ";; tasks.rs:",
		"kotlin/parcels.wasm":       ";; parcels.kt:18  val next = a + b",
		"assemblyscript/words.wasm": ";; words.ts:45  words[i].next = first;",
	} {
		l := open(t, name)
		text := l.Interleaved()
		if !strings.Contains(text, want) {
			t.Errorf("%s: no %s", name, want)
		}
		var rest strings.Builder
		for _, line := range strings.SplitAfter(text, "\n") {
			if !strings.HasPrefix(strings.TrimLeft(line, " "), ";; ") {
				rest.WriteString(line)
			}
		}
		if rest.String() != l.Text {
			t.Errorf("%s: it is another module", name)
		}
	}
}

// An instruction in a call that was inlined has the place of the call, too.
func TestAt(t *testing.T) {
	l := open(t, "cpp/route.wasm")
	inlined := 0
	for off := 0; off < len(l.Text); off += 997 {
		levels := l.At(off)
		for i, v := range levels {
			if v.Inlined != (i < len(levels)-1) {
				t.Fatalf("offset %d: %+v", off, levels)
			}
			if v.Inlined && v.Place.File != nil && levels[i+1].Place.File != nil {
				inlined++
			}
		}
	}
	if inlined == 0 {
		t.Error("nothing is inlined")
	}
	for fn := range l.NumFuncs() {
		from, to, ok := l.Name(uint32(fn))
		if name := l.Text[from:to]; ok && name != "func" && !strings.HasPrefix(name, "$") {
			t.Fatalf("function %d: %q", fn, name)
		}
	}
}
