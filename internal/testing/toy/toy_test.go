package toy

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// row is an addition to a table: lines before the one that begins with at, after the first line
// that begins with in.
type row struct{ file, in, at, lines string }

var rows = []row{
	{"wasm/dialects.go", "const (", "\tDialectOff ", "\tDialectToy\n"},
	{
		"wasm/dialects.go", "var dialects", "\tDialectOff:",
		"\tDialectToy: {\n\t\tName: \"toy\", Seed: \"asymmetric coroutines\", Words: Words{Noun: \"coroutine\"}, Word: \"coro\",\n" +
			"\t\tRef: HeapCoro, Heaps: []HeapType{HeapCoro},\n\t},\n",
	},
	{"wasm/heaptype.go", "const (", "\tHeapBad ", "\tHeapCoro HeapType = -20\n"},
	{
		"wasm/heaptype.go", "var heapRows", "\t-HeapBad:",
		"\t-HeapCoro: {name: \"coro\", ref: \"cororef\", top: HeapCoro},\n",
	},
	{
		"wasm/op_table.go", "var table", "}",
		"\tOpToyCreate: {Name: \"create\", Enc: NoEncoding, Imms: []Imm{ImmFunc}, Fixed: true, " +
			"Results: []ValType{Ref(false, HeapCoro)}, Effect: EffectNew, Dialect: DialectToy, " +
			"Doc: \"Creates a coroutine.\"},\n" +
			"\tOpToyResume: {Name: \"resume\", Enc: NoEncoding, Fixed: true, Params: []ValType{I32, Ref(true, HeapCoro)}, " +
			"Results: sigI32, Effect: EffectResume, Dialect: DialectToy, Doc: \"Resumes a coroutine.\"},\n" +
			"\tOpToyYield: {Name: \"yield\", Enc: NoEncoding, Fixed: true, Params: sigI32, " +
			"Results: sigI32, Effect: EffectSuspend, Dialect: DialectToy, Doc: \"Suspends the coroutine.\"},\n",
	},
}

// files are the files of the dialect, one a layer.
var files = []string{"wasm/valid/rules_toy.go", "vm/switch_toy.go"}

const root = "../../.."

// TestToyDialect adds the dialect to a copy of the tables and runs the tests in testdata with it.
func TestToyDialect(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the tree")
	}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	overlay := map[string]string{}
	put := func(file, text string) {
		path := filepath.Join(tmp, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay[filepath.Join(top, filepath.FromSlash(file))] = path
	}
	texts := map[string]string{}
	for _, r := range rows {
		text, ok := texts[r.file]
		if !ok {
			b, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(r.file)))
			if err != nil {
				t.Fatal(err)
			}
			text = strings.ReplaceAll(string(b), "\r\n", "\n")
		}
		begin := strings.Index(text, "\n"+r.in)
		if begin < 0 {
			t.Fatalf("%s has no line %q", r.file, r.in)
		}
		at := strings.Index(text[begin+1:], "\n"+r.at)
		if at < 0 {
			t.Fatalf("%s has no line %q after %q", r.file, r.at, r.in)
		}
		at += begin + 2
		texts[r.file] = text[:at] + r.lines + text[at:]
	}
	for file, text := range texts {
		put(file, text)
	}
	for _, file := range append([]string{"program_test.go"}, files...) {
		b, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(file)+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		if file == "program_test.go" {
			file = "internal/testing/toy/program_test.go"
		}
		put(file, string(b))
	}
	run(t, "run", "stackscope/internal/gen/opcodes",
		"-table", overlay[filepath.Join(top, "wasm", "op_table.go")], "-dir", tmp)
	overlay[filepath.Join(top, "wasm", "op_consts.go")] = filepath.Join(tmp, "op_consts.go")
	list, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	put("overlay.json", string(list))
	run(t, "test", "-vet=off", "-overlay", filepath.Join(tmp, "overlay.json"), "-run", "TestProgram|TestErrors",
		"stackscope/internal/testing/toy")
}

func run(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// TestPage compares the files of the dialect with those that the page for people lists.
func TestPage(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(filepath.FromSlash(root), "docs", "design", "adding-a-dialect.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"wasm/op_consts.go"} // generated
	for _, r := range rows {
		want = append(want, r.file)
	}
	want = append(want, files...)
	slices.Sort(want)
	want = slices.Compact(want)
	var got []string
	for _, line := range strings.Split(string(b), "\n") {
		if cells := strings.Split(line, "|"); len(cells) > 3 && strings.Contains(cells[2], "toy") {
			got = append(got, strings.Trim(strings.TrimSpace(cells[1]), "`"))
		}
	}
	for i, g := range got {
		got[i] = strings.ReplaceAll(g, "NAME", "toy")
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("docs/design/adding-a-dialect.md marks %q, the toy dialect has %q", got, want)
	}
}
