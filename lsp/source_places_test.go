package lsp

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/source"
)

// In the text of a binary module hovers, definitions, declarations and lenses lead to the source, as
// long as the file is the one that was printed.
func TestSourcePlaces(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"c/stock.wasm", "c/stock.c"} {
		b, err := os.ReadFile(filepath.Join("../testdata/programs", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	wasm, src := uri.File(filepath.Join(dir, "stock.wasm")), uri.File(filepath.Join(dir, "stock.c"))
	c := newClient(t, clientOptions{encoding: "utf-16", pull: true})
	ctx := context.Background()
	raw, err := c.Request(ctx, "stackscope/print", printParams{wasm})
	if err != nil {
		t.Fatal(err)
	}
	b, err := protocol.Marshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	var r printResult
	if err := protocol.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	u := uri.URI("wasm-text" + strings.TrimPrefix(string(wasm), "file") + ".wat")
	c.open(u, r.Text)
	f := source.NewFile("", r.Text)
	position := func(before, at string) protocol.TextDocumentPositionParams {
		i := strings.Index(r.Text, before)
		k := strings.Index(r.Text[max(i, 0):], at)
		if i < 0 || k < 0 {
			t.Fatalf("no %q, %q", before, at)
		}
		p := f.Position(i+k+1, source.UTF16)
		return protocol.TextDocumentPositionParams{
			TextDocument: protocol.TextDocumentIdentifier{URI: u},
			Position:     protocol.Position{Line: uint32(p.Line), Character: uint32(p.Col)},
		}
	}
	hover := func(p protocol.TextDocumentPositionParams) string {
		h, err := c.Hover(ctx, &protocol.HoverParams{TextDocumentPositionParams: p})
		if err != nil || h == nil {
			return ""
		}
		b, err := protocol.Marshal(h.Contents)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	line := func(ls any, err error) int {
		b, merr := protocol.Marshal(ls)
		var out []protocol.Location
		if err != nil || merr != nil || protocol.Unmarshal(b, &out) != nil || len(out) != 1 {
			return -1
		}
		if out[0].URI != src {
			return -2
		}
		return int(out[0].Range.Start.Line) + 1
	}
	instr := position("(func $__original_main", "i64.load offset=1320")
	if h := hover(instr); !strings.Contains(h, "#L90)") || !strings.Contains(h, "`main`") ||
		!strings.Contains(h, "int coins[] = {10, 5, 2, 1};") {
		t.Errorf("hover: %s", h)
	}
	if got := line(c.Definition(ctx, &protocol.DefinitionParams{TextDocumentPositionParams: instr})); got != 90 {
		t.Errorf("definition: line %d", got)
	}
	name := position("(func $__original_main", "$__original_main")
	if h := hover(name); !strings.Contains(h, "#L89)") || !strings.Contains(h, "(func $__original_main") {
		t.Errorf("hover of a function: %s", h)
	}
	call := position("call $__original_main", "$__original_main")
	if got := line(c.Declaration(ctx, &protocol.DeclarationParams{TextDocumentPositionParams: call})); got != 89 {
		t.Errorf("declaration of a called function: line %d", got)
	}
	if got := line(c.Definition(ctx, &protocol.DefinitionParams{TextDocumentPositionParams: call})); got != -2 {
		t.Errorf("definition of a called function: line %d, not that in the text", got)
	}
	lenses, err := c.CodeLens(ctx, &protocol.CodeLensParams{TextDocument: protocol.TextDocumentIdentifier{URI: u}})
	found := false
	for _, l := range lenses {
		found = found || l.Command.Title == "stock.c:89"
	}
	if err != nil || !found {
		t.Errorf("%v: no lens stock.c:89 in %d", err, len(lenses))
	}
	// Of another version of the module the text says nothing.
	b, err = os.ReadFile("../testdata/programs/kotlin/parcels.wasm")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "stock.wasm"), b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	if h := hover(instr); strings.Contains(h, "stock.c") {
		t.Errorf("hover of a module that was built again: %s", h)
	}
	c.close()
}
