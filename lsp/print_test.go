package lsp

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/wasm/binary"
)

// TestPrint asks for the text of a binary module, and opens it as an editor does.
func TestPrint(t *testing.T) {
	const src = `(module $m (type $f (func (param i32))) (func $twice (export "twice") (param $n i32) (result i32) (i32.mul (local.get $n) (i32.const 2))))`
	m, ok := analysis.Open(source.NewFile("m.wat", src), analysis.Options{}).Modules()[0].Lower()
	if !ok {
		t.Fatal("the module is wrong")
	}
	b, err := binary.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, b []byte) uri.URI {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, b, 0o666); err != nil {
			t.Fatal(err)
		}
		return uri.File(p)
	}
	c := newClient(t, clientOptions{encoding: "utf-16", pull: true})
	ctx := context.Background()
	ask := func(u uri.URI) (printResult, error) {
		raw, err := c.Request(ctx, "stackscope/print", printParams{u})
		var r printResult
		if err == nil {
			b, merr := protocol.Marshal(raw)
			if merr != nil {
				t.Fatal(merr)
			}
			err = protocol.Unmarshal(b, &r)
		}
		return r, err
	}
	file := write("a file.wasm", b)
	r, err := ask(file)
	if err != nil || !strings.Contains(r.Text, "local.get $n") {
		t.Fatalf("%q, %v", r.Text, err)
	}
	// As any other text: no errors, hovers, symbols.
	u := uri.URI("wasm-text" + strings.TrimPrefix(string(file), "file"))
	c.open(u, r.Text)
	if ds := c.pull(u); len(ds) != 0 {
		t.Errorf("%+v", ds)
	}
	f := source.NewFile("", r.Text)
	at := f.Position(strings.Index(r.Text, "local.get $n")+len("local.get $"), source.UTF16)
	h, err := c.Hover(ctx, &protocol.HoverParams{TextDocumentPositionParams: protocol.TextDocumentPositionParams{
		TextDocument: protocol.TextDocumentIdentifier{
			URI: u,
		}, Position: protocol.Position{Line: uint32(at.Line), Character: uint32(at.Col)}}})
	if err != nil || h == nil {
		t.Errorf("hover: %v, %v", h, err)
	}
	for _, x := range []struct {
		u    uri.URI
		want string
	}{
		{write("cut.wasm", b[:len(b)-3]), "cut.wasm, byte 0x"},
		{write("text.wasm", []byte(src)), "text.wasm, byte 0x0: magic header not detected"},
		{uri.File(filepath.Join(dir, "none.wasm")), "none.wasm"},
		{"untitled:x.wasm", "untitled:x.wasm is not a file"},
	} {
		if _, err := ask(x.u); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %q", x.u, err, x.want)
		}
	}
	if _, err := c.Request(ctx, "stackscope/nothing", nil); err == nil ||
		!strings.Contains(err.Error(), "method not found") {
		t.Error(err)
	}
	c.close()
}
