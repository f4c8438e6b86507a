package binary_test

import (
	"reflect"
	"testing"

	"stackscope/wasm"
	"stackscope/wasm/binary"
)

// importModule is a module with one function type and an import section.
func importModule(section string) []byte {
	return []byte("\x00asm\x01\x00\x00\x00\x01\x05\x01\x60\x00\x01\x7f\x02" + string(rune(len(section))) + section)
}

// TestImportGroups: a group of imports decodes to what single imports do, and is written as these.
func TestImportGroups(t *testing.T) {
	single := "\x02\x01m\x01a\x00\x00\x01m\x01b\x00\x00"
	want, err := binary.Decode(importModule(single))
	if err != nil {
		t.Fatal(err)
	}
	for i := range want.Imports {
		want.Imports[i].At = 0
	}
	for name, section := range map[string]string{
		"a type each":       "\x01\x01m\x00\x7f\x02\x01a\x00\x00\x01b\x00\x00",
		"a shared type":     "\x01\x01m\x00\x7e\x00\x00\x02\x01a\x01b",
		"a long empty name": "\x01\x01m\x80\x80\x00\x7e\x00\x00\x02\x01a\x01b",
		"empty groups":      "\x04\x01m\x00\x7f\x00\x01m\x00\x7e\x00\x00\x00\x01m\x01a\x00\x00\x01m\x00\x7f\x01\x01b\x00\x00",
	} {
		m, err := binary.Decode(importModule(section))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b, err := binary.Encode(m)
		if err != nil || string(b) != string(importModule(single)) {
			t.Errorf("%s: encoded as %x, %v", name, b, err)
		}
		for i := range m.Imports {
			m.Imports[i].At = 0
			if m.Funcs[i].Import != int32(i) {
				t.Errorf("%s: function %d is import %d", name, i, m.Funcs[i].Import)
			}
		}
		if !reflect.DeepEqual(m.Imports, want.Imports) {
			t.Errorf("%s: %v", name, m.Imports)
		}
	}
	// An empty name before a kind is a name; what stands for the kind is one byte.
	m, err := binary.Decode(importModule("\x01\x00\x00\x00\x00"))
	if err != nil || len(m.Imports) != 1 || m.Imports[0] != (wasm.Import{At: m.Imports[0].At}) {
		t.Errorf("empty names: %v, %v", m, err)
	}
	for section, msg := range map[string]string{
		"\x01\x01m\x00\xff\x80\x00\x01\x01a\x00\x00": "malformed import kind",
		"\x01\x01m\x01x\x7f\x01\x01a\x00\x00":        "malformed import kind",
		"\x01\x01m\x00\x7e\x7e\x01\x01a":             "malformed import kind",
		"\x01\x01m\x00\x7f\x02\x01a\x00\x00":         "unexpected end",
	} {
		if _, err := binary.Decode(importModule(section)); err == nil || err.Error()[:len(msg)] != msg {
			t.Errorf("%x: %v, want %s", section, err, msg)
		}
	}
}
