package lsp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/source"
)

// snippets are what random edits insert: what people type, and what breaks trees.
var snippets = []string{
	"(", ")", "$", "\"", ";;", "(;", ";)", "\n", " ", "(func", "(func $f (param i32)",
	"(resume $ct (on $yield ", "end", "block $l", "(local.get 0)", "i32.const 1", "$x", "(type $t (cont $t))",
	"(module", "(assert_invalid (module", "é", "𝄞", "\r\n", "\r", "\x00", "(suspend $yield)", "0x", "-1", "(@a",
	"(rec", "(on $yield switch)", "(param $", "unreachable", "br 99", "if", "else", "(then",
}

func exampleFiles(t testing.TB) []string {
	var out []string
	for _, glob := range []string{"../testdata/examples/*/*.wa*", "../testdata/examples/cont/wrong/*.wa*",
		"../testdata/examples/cont/seesaw/*.wa*"} {
		fs, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fs...)
	}
	return out
}

// randomEdit returns an edit that is often small, sometimes a cut or a copy of another place.
func randomEdit(rnd *rand.Rand, text string) source.Edit {
	at := rnd.IntN(len(text) + 1)
	end := at
	switch rnd.IntN(5) {
	case 0:
		end = min(len(text), at+1)
	case 1:
		end = min(len(text), at+rnd.IntN(40))
	}
	ins := ""
	switch rnd.IntN(4) {
	case 0:
		ins = snippets[rnd.IntN(len(snippets))] + snippets[rnd.IntN(len(snippets))]
	case 1, 2:
		ins = snippets[rnd.IntN(len(snippets))]
	case 3:
		if len(text) > 0 {
			a := rnd.IntN(len(text))
			ins = text[a:min(len(text), a+rnd.IntN(60))]
		}
	}
	return source.Edit{Span: source.Span{Start: at, End: end}, New: strings.ToValidUTF8(ins, "?")}
}

// TestRandomEdits types nonsense into the examples through the server. After every edit all
// requests are answered without an internal error, and from time to time every answer must be what
// a server says that has just opened the text.
func TestRandomEdits(t *testing.T) {
	// The same edits every time, unless STACKSCOPE_SEED is a number, or "random".
	seed := uint64(1)
	switch s := os.Getenv("STACKSCOPE_SEED"); s {
	case "":
	case "random":
		seed = rand.Uint64()
	default:
		fmt.Sscan(s, &seed)
	}
	t.Logf("STACKSCOPE_SEED=%d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	files := exampleFiles(t)
	rounds, edits := 6, 25
	if testing.Short() {
		rounds = 2
	}
	for range rounds {
		name := files[rnd.IntN(len(files))]
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		u := uri.URI("file:///ws/" + filepath.Base(name))
		c := newClient(t, clientOptions{encoding: "utf-16", pull: true})
		f := source.NewFile("", string(raw))
		c.open(u, f.Text)
		for k := range edits {
			e := randomEdit(rnd, f.Text)
			e.Start = boundary(f.Text, e.Start)
			e.End = max(e.Start, boundary(f.Text, e.End))
			p := func(off int) protocol.Position {
				p := f.Position(off, source.UTF16)
				return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Col)}
			}
			rg := protocol.Range{Start: p(e.Start), End: p(e.End)}
			// What the position says is what the edit is: inside a line end it may differ.
			e.Start = f.Offset(source.Position{Line: int(rg.Start.Line), Col: int(rg.Start.Character)}, source.UTF16)
			e.End = f.Offset(source.Position{Line: int(rg.End.Line), Col: int(rg.End.Character)}, source.UTF16)
			c.edit(u, &protocol.TextDocumentContentChangePartial{Range: rg, Text: e.New})
			f = source.NewFile("", f.Apply(e).Text)
			at := p(min(len(f.Text), e.Start+rnd.IntN(20)))
			got := everything(t, c, u, at)
			if k%5 == 4 {
				fresh := newClient(t, clientOptions{encoding: "utf-16", pull: true})
				fresh.open(u, f.Text)
				if want := everything(t, fresh, u, at); got != want {
					t.Fatalf(
						"after edits the server says something else than on opening\n%s\ntext:\n%s",
						firstDifference(got, want), f.Text,
					)
				}
				fresh.close()
			}
			if t.Failed() {
				t.Fatalf("text:\n%s", f.Text)
			}
		}
		c.close()
	}
}

// boundary moves an offset out of the middle of a character.
func boundary(s string, off int) int {
	for off > 0 && off < len(s) && s[off]&0xc0 == 0x80 {
		off--
	}
	return off
}

// everything asks all there is to ask about a document and a place, and writes the answers down.
func everything(t *testing.T, c *testClient, u uri.URI, at protocol.Position) string {
	t.Helper()
	ctx := context.Background()
	id := protocol.TextDocumentIdentifier{URI: u}
	tp := protocol.TextDocumentPositionParams{TextDocument: id, Position: at}
	var b strings.Builder
	put := func(what string, v any, err error) {
		if err != nil {
			if strings.Contains(err.Error(), "internal error") {
				t.Errorf("%s: %v", what, err)
			}
			fmt.Fprintf(&b, "%s: error %v\n", what, err)
			return
		}
		raw, err := protocol.Marshal(v)
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		fmt.Fprintf(&b, "%s: %s\n", what, raw)
	}
	whole := protocol.Range{End: protocol.Position{Line: 1 << 20}}
	put("diagnostics", c.pull(u), nil)
	hov, err := c.Hover(ctx, &protocol.HoverParams{TextDocumentPositionParams: tp})
	put("hover", protocol.LSPAny(orNull(hov)), err)
	comp, err := c.Completion(ctx, &protocol.CompletionParams{TextDocumentPositionParams: tp})
	put("completion", comp, err)
	sig, err := c.SignatureHelp(ctx, &protocol.SignatureHelpParams{TextDocumentPositionParams: tp})
	put("signature", protocol.LSPAny(orNull(sig)), err)
	def, err := c.Definition(ctx, &protocol.DefinitionParams{TextDocumentPositionParams: tp})
	put("definition", def, err)
	tdef, err := c.TypeDefinition(ctx, &protocol.TypeDefinitionParams{TextDocumentPositionParams: tp})
	put("typeDefinition", tdef, err)
	impl, err := c.Implementation(ctx, &protocol.ImplementationParams{TextDocumentPositionParams: tp})
	put("implementation", impl, err)
	rp := &protocol.ReferenceParams{TextDocumentPositionParams: tp}
	rp.Context.IncludeDeclaration = true
	refs, err := c.References(ctx, rp)
	put("references", refs, err)
	hl, err := c.DocumentHighlight(ctx, &protocol.DocumentHighlightParams{TextDocumentPositionParams: tp})
	put("highlight", hl, err)
	_, err = c.PrepareRename(ctx, &protocol.PrepareRenameParams{TextDocumentPositionParams: tp})
	put("prepareRename", protocol.LSPAny("null"), err)
	ren, err := c.Rename(ctx, &protocol.RenameParams{TextDocumentPositionParams: tp, NewName: "brandNew"})
	if ren != nil {
		for _, dc := range ren.DocumentChanges {
			if te, ok := dc.(*protocol.TextDocumentEdit); ok {
				te.TextDocument.Version = nil // differs by design
			}
		}
	}
	put("rename", protocol.LSPAny(orNull(ren)), err)
	sym, err := c.DocumentSymbol(ctx, &protocol.DocumentSymbolParams{TextDocument: id})
	put("symbols", sym, err)
	put("tokens", protocol.LSPAny(fmt.Sprintf("%q", fmt.Sprint(c.deltaTokens(u)))), nil)
	fold, err := c.FoldingRanges(ctx, &protocol.FoldingRangeParams{TextDocument: id})
	put("folding", fold, err)
	lens, err := c.CodeLens(ctx, &protocol.CodeLensParams{TextDocument: id})
	put("lenses", lens, err)
	links, err := c.DocumentLink(ctx, &protocol.DocumentLinkParams{TextDocument: id})
	put("links", links, err)
	sel, err := c.SelectionRange(
		ctx,
		&protocol.SelectionRangeParams{TextDocument: id, Positions: []protocol.Position{at}},
	)
	put("selection", sel, err)
	inl, err := c.InlayHint(ctx, &protocol.InlayHintParams{TextDocument: id, Range: whole})
	for i := range inl {
		inl[i].Data = nil // the version differs by design
	}
	put("inlay", inl, err)
	act, err := c.CodeAction(
		ctx,
		&protocol.CodeActionParams{
			TextDocument: id, Range: whole,
			Context: protocol.CodeActionContext{Diagnostics: []protocol.Diagnostic{}},
		},
	)
	fmt.Fprintf(&b, "actions: %d %v\n", len(act), err)
	op := &protocol.DocumentOnTypeFormattingParams{TextDocument: id, Position: at, Ch: "\n"}
	op.Options.InsertSpaces, op.Options.TabSize = true, 2
	ot, err := c.OnTypeFormatting(ctx, op)
	put("onType", ot, err)
	return b.String()
}

func orNull[T any](p *T) []byte {
	if p == nil {
		return []byte("null")
	}
	b, err := protocol.Marshal(p)
	if err != nil {
		return []byte(fmt.Sprintf("%q", err.Error()))
	}
	return b
}

// deltaTokens keeps the tokens of a document up to date as an editor does.
func (c *testClient) deltaTokens(u uri.URI) []uint32 {
	c.t.Helper()
	ctx := context.Background()
	id := protocol.TextDocumentIdentifier{URI: u}
	if c.tokenID == "" {
		r, err := c.SemanticTokensFull(ctx, &protocol.SemanticTokensParams{TextDocument: id})
		if err != nil {
			c.t.Fatal(err)
		}
		c.tokenID, c.tokenData = *r.ResultID, r.Data
		return r.Data
	}
	r, err := c.SemanticTokensFullDelta(
		ctx, &protocol.SemanticTokensDeltaParams{TextDocument: id, PreviousResultID: c.tokenID},
	)
	if err != nil {
		c.t.Fatal(err)
	}
	switch r := r.(type) {
	case *protocol.SemanticTokens:
		c.tokenID, c.tokenData = *r.ResultID, r.Data
	case *protocol.SemanticTokensDelta:
		c.tokenID = *r.ResultID
		for _, e := range r.Edits {
			tail := append([]uint32(nil), c.tokenData[e.Start+e.DeleteCount:]...)
			c.tokenData = append(append(c.tokenData[:e.Start:e.Start], e.Data...), tail...)
		}
	}
	return c.tokenData
}
