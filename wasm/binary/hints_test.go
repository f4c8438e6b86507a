package binary

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"stackscope/wasm"
)

// hinted is a module whose function 1 (0 is imported) has two runs of locals, a br_if at offset 9
// and an if at offset 13 of its code, counted from the locals, and a section with the given
// contents before the code.
func hinted(section string) []byte {
	const (
		types  = "\x01\x04\x01\x60\x00\x00"
		imp    = "\x02\x07\x01\x01m\x01f\x00\x00"
		funcs  = "\x03\x02\x01\x00"
		locals = "\x02\x01\x7f\x02\x7e" // 5 bytes
		body   = locals + "\x02\x40\x20\x00\x0d\x00" + "\x0b" + "\x20\x00" + "\x04\x40\x0b" + "\x0b"
	)
	s := ""
	if section != "" {
		s = "\x19" + hintSection + section
		s = "\x00" + string(rune(len(s))) + s
	}
	code := string(rune(len(body) + 2)) // the section: one body with its length
	return []byte(magic + version + types + imp + funcs + s + "\x0a" + code + "\x01" + string(rune(len(body))) + body)
}

func TestHints(t *testing.T) {
	good := "\x01" + "\x01\x02" + "\x09\x01\x00" + "\x0e\x01\x01"
	b := hinted(good)
	m, err := Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	f := &m.Funcs[1]
	want := []wasm.Hint{{PC: 2}, {PC: 5, Likely: true}}
	if !slices.Equal(f.Hints, want) || len(m.Customs) != 0 {
		t.Fatalf("hints %v, sections %v", f.Hints, m.Customs)
	}
	if out, err := Encode(m); err != nil || !bytes.Equal(out, b) {
		t.Errorf("written as %q, %v, not as %q", out, err, b)
	}
	for what, section := range map[string]string{
		"an offset between instructions": "\x01" + "\x01\x01" + "\x0a\x01\x00",
		"no branch there":                "\x01" + "\x01\x01" + "\x07\x01\x00",
		"after the body":                 "\x01" + "\x01\x01" + "\x7f\x01\x00",
		"an import":                      "\x01" + "\x00\x01" + "\x09\x01\x00",
		"no such function":               "\x01" + "\x02\x01" + "\x09\x01\x00",
		"a longer hint":                  "\x01" + "\x01\x01" + "\x09\x02\x00\x00",
		"neither likely nor unlikely":    "\x01" + "\x01\x01" + "\x09\x01\x02",
		"out of order":                   "\x01" + "\x01\x02" + "\x0e\x01\x00" + "\x09\x01\x00",
		"twice":                          "\x01" + "\x01\x02" + "\x09\x01\x00" + "\x09\x01\x00",
		"a function twice":               "\x02" + "\x01\x01" + "\x09\x01\x00" + "\x01\x01" + "\x0e\x01\x00",
		"no hint":                        "\x01" + "\x01\x00",
		"too short":                      "\x01" + "\x01\x02" + "\x09\x01\x00",
		"too long":                       good + "\x00",
		"a count that is too large":      "\x01" + "\x01\xff\xff\xff\xff\x0f" + "\x09\x01\x00",
	} {
		b := hinted(section)
		m, err := Decode(b)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if len(m.Customs) != 1 || string(m.Customs[0].Bytes) != section || len(m.Funcs[1].Hints) != 0 {
			t.Errorf("%s: sections %v, hints %v", what, m.Customs, m.Funcs[1].Hints)
		}
		if out, err := Encode(m); err != nil || !bytes.Equal(out, b) {
			t.Errorf("%s: written as %q, %v", what, out, err)
		}
	}
	m.Funcs[1].Hints = want
	m.Customs = nil
	if out, _ := Encode(m); !strings.Contains(string(out), hintSection+good+"\x0a") {
		t.Errorf("the hints are not before the code: %q", out)
	}
}
