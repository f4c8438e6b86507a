package wasm

import (
	"strings"
	"testing"
)

// TestInlineBound spells implicit fiber types that refer to the one before twice: the text is
// bounded, and nested types are spelled as long as they are few.
func TestInlineBound(t *testing.T) {
	m := &Module{}
	for i := range uint32(200) {
		x := SubType{Kind: CompFiber, Implicit: true}
		if i > 0 {
			r := Ref(false, HeapType(i-1))
			x.Results = []ValType{r, r}
		}
		m.Types = append(m.Types, x)
	}
	name := func(uint32) string { return "t" }
	if s, ok := m.Inline(2, name); !ok || strings.Contains(s, "t") || strings.Count(s, "fiber") != 7 {
		t.Errorf("type 2 is spelled %q", s)
	}
	for i := range m.Types {
		if s, ok := m.Inline(uint32(i), name); !ok || len(s) > 20*maxInline {
			t.Fatalf("the spelling of type %d has %d bytes", i, len(s))
		}
	}
}
