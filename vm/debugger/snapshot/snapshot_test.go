package snapshot

import (
	"encoding/json"
	"testing"
)

// TestSiteJSON: only offsets that count bytes are written.
func TestSiteJSON(t *testing.T) {
	for want, s := range map[string]Site{
		`{"func":"$f","file":"a.wat","line":3,"col":1,"offset":0,"text":"nop"}`: {Func: "$f", File: "a.wat", Line: 3, Col: 1, Text: "nop"},
		`{"func":"$f","file":"a.wat","line":3,"col":1,"offset":70}`:             {Func: "$f", File: "a.wat", Line: 3, Col: 1, Offset: 70},
		`{"func":"$f","file":"a.wasm","line":3,"col":5,"text":"nop"}`:           {Func: "$f", File: "a.wasm", Line: 3, Col: 5, Offset: TextOffset(2, 4), Text: "nop"},
	} {
		if got, err := json.Marshal(&s); err != nil || string(got) != want {
			t.Errorf("%s, want %s: %v", got, want, err)
		}
	}
}
