package config

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestPathRules reads the rules of paths in each form, and refuses what is none.
func TestPathRules(t *testing.T) {
	for _, x := range []struct {
		source, substitute string
		want               []Rule // nil: refused
		err                string
	}{
		{`{"/z": "/1", "/a": "/2"}`, `null`, []Rule{{"/z", "/1"}, {"/a", "/2"}}, ""}, // in the order written
		{`{"/a": "/1"}`, `[{"from": "/b", "to": "/2"}]`, []Rule{{"/a", "/1"}, {"/b", "/2"}}, ""},
		{`null`, `["/b=/2", ["/c", "/3"]]`, []Rule{{"/b", "/2"}, {"/c", "/3"}}, ""},
		{`null`, `["/b="]`, []Rule{{"/b", ""}}, ""},
		{`{"": "/1"}`, `null`, nil, `a prefix is empty`},
		{`{"/a": 1}`, `null`, nil, `the value of "/a" is no string`},
		{`{"/a": {"/b": "/c"}}`, `null`, nil, `the value of "/a" is no string`},
		{`"/a"`, `null`, nil, `"sourceMap" is "/a": want an object`},
		{`null`, `["/b"]`, nil, `want FROM=TO, not "/b"`},
		{`null`, `[1]`, nil, `"substitutePath" is [1]: want an object`},
		{`null`, `[["/a"]]`, nil, `want an object`},
	} {
		raw := `{"program": "p.wasm", "sourceMap": ` + x.source + `, "substitutePath": ` + x.substitute + `}`
		l, err := ParseLaunch(json.RawMessage(raw))
		switch {
		case x.want == nil:
			if err == nil || !strings.Contains(err.Error(), x.err) {
				t.Errorf("%s: %v, want %s", raw, err, x.err)
			}
		case err != nil || !slices.Equal(l.PathRules(), x.want):
			t.Errorf("%s: %v, %v; want %v", raw, l, err, x.want)
		default: // what is written can be read again
			b, _ := json.Marshal(l)
			if again, err := ParseLaunch(b); err != nil || !slices.Equal(again.PathRules(), x.want) {
				t.Errorf("%s: %v, %v", b, again, err)
			}
		}
	}
	l, err := ParseLaunch(json.RawMessage(`{"program": "p.wasm", "skipFiles": ["<runtime>", "!x y"], "printers": "a b.txt"}`))
	if err != nil || !slices.Equal(l.SkipFiles, []string{"<runtime>", "!x y"}) || !slices.Equal(l.Printers, []string{"a b.txt"}) {
		t.Errorf("%+v, %v", l, err)
	}
}
