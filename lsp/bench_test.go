package lsp

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"stackscope/analysis/source"
	"stackscope/internal/testing/genwat"
)

// BenchmarkEdit measures, through the whole server in one process, an edit of one character in the
// middle of a large module and the answer to a request after it.
func BenchmarkEdit(b *testing.B) {
	for _, mb := range []int{1, 10} {
		text := genwat.Text(genwat.Options{Bytes: mb << 20, Seed: 1, Stacks: true})
		f := source.NewFile("", text)
		line := f.LineOf(len(text) / 2)
		for !strings.Contains(f.Text[f.Line(line).Start:f.Line(line).End], "i32.const ") {
			line++
		}
		sp := f.Line(line)
		col := strings.Index(f.Text[sp.Start:sp.End], "i32.const ") + len("i32.const ")
		at := protocol.Position{Line: uint32(line), Character: uint32(col)}
		const u = "file:///big.wat"
		id := protocol.TextDocumentIdentifier{URI: u}
		tp := protocol.TextDocumentPositionParams{
			TextDocument: id, Position: protocol.Position{Line: at.Line, Character: at.Character - 3},
		}
		ctx := context.Background()
		view := protocol.Range{Start: protocol.Position{Line: at.Line - 30},
			End: protocol.Position{Line: at.Line + 30}}
		asks := []struct {
			name string
			ask  func(c *testClient) error
		}{
			{"diagnostics", func(c *testClient) error {
				_, err := c.Diagnostic(ctx, &protocol.DocumentDiagnosticParams{TextDocument: id})
				return err
			}},
			{"hover", func(c *testClient) error {
				_, err := c.Hover(ctx, &protocol.HoverParams{TextDocumentPositionParams: tp})
				return err
			}},
			{"definition", func(c *testClient) error {
				_, err := c.Definition(ctx, &protocol.DefinitionParams{TextDocumentPositionParams: tp})
				return err
			}},
			{"completion", func(c *testClient) error {
				_, err := c.Completion(ctx, &protocol.CompletionParams{TextDocumentPositionParams: tp})
				return err
			}},
			{"symbols", func(c *testClient) error {
				_, err := c.DocumentSymbol(ctx, &protocol.DocumentSymbolParams{TextDocument: id})
				return err
			}},
			{"folding", func(c *testClient) error {
				_, err := c.FoldingRanges(ctx, &protocol.FoldingRangeParams{TextDocument: id})
				return err
			}},
			{"inlay", func(c *testClient) error {
				_, err := c.InlayHint(ctx, &protocol.InlayHintParams{TextDocument: id, Range: view})
				return err
			}},
			{"tokensRange", func(c *testClient) error {
				_, err := c.SemanticTokensRange(ctx, &protocol.SemanticTokensRangeParams{TextDocument: id,
					Range: view})
				return err
			}},
			{"tokensFull", func(c *testClient) error {
				_, err := c.SemanticTokensFull(ctx, &protocol.SemanticTokensParams{TextDocument: id})
				return err
			}},
			{"tokensDelta", func(c *testClient) error {
				c.deltaTokens(u)
				return nil
			}},
			{"codeAction", func(c *testClient) error {
				_, err := c.CodeAction(
					ctx,
					&protocol.CodeActionParams{
						TextDocument: id, Range: view,
						Context: protocol.CodeActionContext{Diagnostics: []protocol.Diagnostic{}},
					},
				)
				return err
			}},
		}
		c := newClient(b, clientOptions{encoding: "utf-16", pull: true})
		c.open(u, text)
		c.pull(u)
		for _, a := range asks {
			b.Run(fmt.Sprintf("size=%dMB/then=%s", mb, a.name), func(b *testing.B) {
				n := 0
				for b.Loop() {
					// Types a digit, then takes it away.
					ch := &protocol.TextDocumentContentChangePartial{
						Range: protocol.Range{Start: at, End: at},
						Text:  "7",
					}
					if n%2 == 1 {
						ch.Range.End.Character++
						ch.Text = ""
					}
					n++
					c.edit(u, ch)
					if err := a.ask(c); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		c.close()
	}
}
