package lsp

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"go.lsp.dev/uri"
)

// TestBuiltFrom asks which programs of a workspace are built from a source file.
func TestBuiltFrom(t *testing.T) {
	dir := t.TempDir()
	programs := filepath.Join("..", "testdata", "programs")
	for _, name := range []string{"c/stock", "kotlin/parcels", "assemblyscript/words", "rust/tasks"} {
		beside, err := filepath.Glob(filepath.Join(programs, name+".*"))
		if err != nil || len(beside) < 2 {
			t.Fatal(beside, err)
		}
		for _, f := range beside {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(f)), b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	other := filepath.Join(dir, "other", "stock.c")
	if err := os.MkdirAll(filepath.Dir(other), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{other: "int main(void) { return 0; }", filepath.Join(dir, "bad.wasm"): "\x00asm", filepath.Join(dir, "lonely.c"): ""} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var all []uri.URI
	for _, name := range []string{"bad", "missing", "stock", "parcels", "words", "tasks"} {
		all = append(all, uri.File(filepath.Join(dir, name+".wasm")))
	}
	c := newClient(t, clientOptions{encoding: "utf-16", pull: true})
	for source, want := range map[string]string{
		"stock.c": "stock.wasm", "parcels.kt": "parcels.wasm", "words.ts": "words.wasm", "tasks.rs": "tasks.wasm",
		"lonely.c": "", "other/stock.c": "",
	} {
		r, err := ask[builtFromResult](t, c, "stackscope/builtFrom", builtFromParams{uri.File(filepath.Join(dir, source)), all})
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		var got string
		for _, p := range r.Built {
			got += filepath.Base(string(p.URI))
		}
		if got != want {
			t.Errorf("%s: built into %q, want %q", source, got, want)
		}
	}
	wrong := builtFromParams{uri.File(filepath.Join(dir, "no.c")), all}
	if _, err := c.Request(context.Background(), "stackscope/builtFrom", wrong); err == nil {
		t.Error("a source that does not exist is no error")
	}
}
