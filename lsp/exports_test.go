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

// ask sends a request of our own.
func ask[R any](t *testing.T, c *testClient, method string, params any) (R, error) {
	t.Helper()
	var r R
	raw, err := c.Request(context.Background(), method, params)
	if err != nil {
		return r, err
	}
	b, err := protocol.Marshal(raw)
	if err == nil {
		err = protocol.Unmarshal(b, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r, nil
}

// TestExports: a text has the same exports open, unopened and as a binary module.
func TestExports(t *testing.T) {
	const src = `(module (type $g (func)) (start $s) (func $s)
  (func $alpha (export "alpha") (param $n i32) (param i64) (result f64) (f64.const 0))
  (func (export "main") (param $f (ref $g)))
  (memory (export "m") 1))`
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
	defer c.close()
	text, bin := write("m.wat", []byte(src)), write("p.wasm", b)
	open := uri.File(filepath.Join(dir, "other.wat"))
	c.open(open, src)
	printed := uri.URI("wasm-text" + strings.TrimPrefix(string(bin), "file") + ".wat")
	for _, u := range []uri.URI{text, bin, open, printed} {
		r, err := ask[exportsResult](t, c, "stackscope/exports", exportsParams{u})
		if err != nil {
			t.Errorf("%s: %v", u, err)
			continue
		}
		if len(r.Exports) != 2 || r.Default != "main" || !r.Start || r.Errors != 0 || r.Script ||
			len(r.Candidates) != 0 {
			t.Errorf("%s: %+v", u, r)
			continue
		}
		if a := r.Exports[0]; a.Name != "alpha" || a.Signature != "(param $n i32) (param i64) (result f64)" ||
			!a.Typeable ||
			strings.Join(a.Params, " ") != "i32 i64" {
			t.Errorf("%s: %+v", u, a)
		}
		if r.Exports[1].Typeable {
			t.Errorf("%s: a reference that is not null can be typed", u)
		}
		for text, want := range map[string]argumentsResult{
			"1 2": {Args: []string{"1", "2"}},
			"1,": {Args: []string{"1"}, Problem: `"alpha" takes 2 arguments, not 1`,
				Missing: true},
			"1 2 3": {Args: []string{"1", "2", "3"},
				Problem: `"alpha" takes 2 arguments, not 3`},
			"x": {Args: []string{"x"},
				Problem: "argument `x` is not a number of type i32"},
			strings.Repeat("1", maxArguments+1): {Args: []string{}, Problem: "longer than 64 KiB"},
		} {
			got, err := ask[argumentsResult](t, c, "stackscope/arguments", argumentsParams{u, "alpha", text})
			if err != nil || strings.Join(got.Args, "|") != strings.Join(want.Args, "|") ||
				!strings.Contains(got.Problem, want.Problem) ||
				(want.Problem == "") != (got.Problem == "") ||
				got.Missing != want.Missing {
				t.Errorf("%s: %.20q: %+v, %v", u, text, got, err)
			}
		}
	}

	// Without an exported function: what could be exported, and a code action at the place does it.
	quiet := uri.File(filepath.Join(dir, "quiet.wat"))
	c.open(quiet, "(module\n  (import \"e\" \"f\" (func $f))\n  (func $add (param i32))\n  (func (param $x i32)))\n")
	r, err := ask[exportsResult](t, c, "stackscope/exports", exportsParams{quiet})
	if err != nil || len(r.Candidates) != 2 || r.Candidates[0].Name != "$add" ||
		r.Candidates[1].Name != "function 2" ||
		r.Candidates[1].Signature != "(param $x i32)" {
		t.Fatalf("%+v, %v", r, err)
	}
	for i, want := range []string{` (export "add")`, ` (export "main")`} {
		as, err := c.CodeAction(
			context.Background(),
			&protocol.CodeActionParams{
				TextDocument: protocol.TextDocumentIdentifier{URI: quiet},
				Range:        r.Candidates[i].Range,
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, a := range as {
			if x, ok := a.(*protocol.CodeAction); ok && strings.HasPrefix(x.Title, "Export as") {
				raw, _ := protocol.Marshal(x)
				found = strings.Contains(string(raw), strings.ReplaceAll(want, `"`, `\"`))
			}
		}
		if !found {
			t.Errorf("no code action at %+v inserts %s", r.Candidates[i].Range, want)
		}
	}

	// Errors and scripts.
	wrong := write("wrong.wat", []byte("(module (func (export \"f\") (result i32)\n (i64.const 0)))"))
	if r, err := ask[exportsResult](t, c, "stackscope/exports", exportsParams{wrong}); err != nil || r.Errors != 1 ||
		r.First == nil ||
		r.First.Range.Start.Line != 1 ||
		len(r.Exports) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	script := write("s.wast", []byte(`(module (func (export "f"))) (invoke "f")`))
	if r, err := ask[exportsResult](t, c, "stackscope/exports", exportsParams{script}); err != nil || !r.Script ||
		len(r.Exports) != 0 ||
		r.Errors != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, x := range []struct {
		u    uri.URI
		want string
	}{
		{write("cut.wasm", b[:len(b)-3]), "cut.wasm, byte 0x"},
		{uri.File(filepath.Join(dir, "none.wat")), "cannot read none.wat"},
		{uri.File(filepath.Join(dir, "none.wasm")), "cannot read none.wasm: no such file"},
		{uri.File(dir + "/.wasm"), "cannot read .wasm"},
		{"untitled:x", "untitled:x is not a file"},
	} {
		if _, err := ask[exportsResult](t, c, "stackscope/exports", exportsParams{x.u}); err == nil ||
			!strings.Contains(err.Error(), x.want) ||
			strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v, want %q without a folder", x.u, err, x.want)
		}
	}
	if _, err := ask[argumentsResult](t, c, "stackscope/arguments", argumentsParams{text, "none", ""}); err == nil ||
		!strings.Contains(err.Error(), `no exported function "none"`) {
		t.Error(err)
	}
}
