package lang

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBuiltin(t *testing.T) {
	ps, err := LoadPrinters()
	if err != nil {
		t.Fatal(err)
	}
	if len(ps.list) < 50 {
		t.Errorf("%d printers", len(ps.list))
	}
}

func TestLoadPrinters(t *testing.T) {
	for _, x := range []struct{ name, text, want string }{
		{"no JSON", "{\n\"printers\": [\n}", "x.json: line 3: invalid character '}' looking for beginning of value"},
		{"no list", "{}", `x.json: no list "printers"`},
		{"no type", `{"printers": [{"as": "x"}]}`, "x.json: printer 1: no type"},
		{"everything", `{"printers": [{"type": "*", "as": "x"}]}`,
			`x.json: printer 1 (*): the type "*" matches everything`},
		{"field", `{"printers": [{"type": "a", "as": "x"}, {"type": "b", "az": "x"}]}`,
			`x.json: printer 2 (b): json: unknown field "az"`},
		{"syntax", `{"printers": [{"type": "a", "as": "x +"}]}`,
			`x.json: printer 1 (a): as: "x +": an operand is missing after +`},
		{"nothing", `{"printers": [{"type": "a"}]}`,
			"x.json: printer 1 (a): it says nothing: want as, string, text, summary, items, members or name"},
		{"summary", `{"printers": [{"type": "a", "summary": "{x"}]}`, "x.json: printer 1 (a): summary: { without }"},
		{"items", `{"printers": [{"type": "a", "items": {"value": "x"}}]}`,
			"x.json: printer 1 (a): items have one of count, first, root and bases"},
	} {
		path := filepath.Join(t.TempDir(), "x.json")
		if err := os.WriteFile(path, []byte(x.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := LoadPrinters(path)
		if err == nil || err.Error() != x.want {
			t.Errorf("%s: %v, want %s", x.name, err, x.want)
		}
	}
	if _, err := LoadPrinters("nowhere.json"); err == nil || !strings.Contains(err.Error(), "nowhere.json") {
		t.Error(err)
	}
}
