package lsp

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/source"
	"stackscope/internal/testing/cputime"
)

// direct is a client that calls the server's handlers without a connection, one document at a time,
// and measures what each request costs.
type direct struct {
	*Server
	u       uri.URI
	version int32
	rnd     *rand.Rand
	marshal bool // answers are encoded as well
	costs   map[string]*cost
	failed  func(what string, err any) // an internal error
	now     string                     // what is being answered
	tokens  string                     // id of the last token report
}

// cost is the most that a kind of request took.
type cost struct {
	n     int
	total time.Duration
	most  time.Duration
	where string
}

// newDirect starts a server for a client with every capability.
func newDirect(t testing.TB, enc protocol.PositionEncodingKind) *direct {
	d := &direct{costs: map[string]*cost{}}
	d.failed = func(what string, err any) { t.Errorf("%s: %v", what, err) }
	log := slog.New(failing{slog.DiscardHandler, d})
	s := newServer(context.Background(), Options{Log: log, Version: "test"})
	s.client = &protocol.UnimplementedClient{}
	d.Server = s
	p := &protocol.InitializeParams{Capabilities: testCapabilities(clientOptions{encoding: enc, pull: true})}
	p.Capabilities.Window = nil
	p.InitializationOptions = protocol.LSPAny(
		`{"lenses": true, "inlayHints": {"types": true, "stack": true, "blockEnds": true, "indices": true}, "severity": {"omitted-index": "hint", "unused-param": "hint"}}`,
	)
	if _, err := s.Initialize(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	return d
}

// failing is a log that reports every error as a failure of the test.
type failing struct {
	slog.Handler
	d *direct
}

func (f failing) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelError }

func (f failing) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += " " + a.String()
		return true
	})
	f.d.failed(f.d.now, text)
	return nil
}

// measure has a request answered and measures it.
func measure[T any](d *direct, kind string, f func(ctx context.Context) (T, error)) (res T) {
	d.now = kind
	defer func() {
		if p := recover(); p != nil {
			d.failed(kind, fmt.Sprintf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	ctx := context.WithValue(context.Background(), viewKey{}, d.store.View())
	from := cputime.Used()
	res, err := f(ctx)
	switch {
	case err != nil && !isWire(err):
		d.failed(kind, err)
	case err == nil && d.marshal:
		if _, err := protocol.Marshal(any(res)); err != nil {
			d.failed(kind, err)
		}
	}
	d.count(kind, cputime.Used()-from)
	return res
}

func (d *direct) count(kind string, took time.Duration) {
	c := d.costs[kind]
	if c == nil {
		c = &cost{}
		d.costs[kind] = c
	}
	c.n++
	c.total += took
	if took > c.most {
		c.most, c.where = took, ""
	}
}

// open opens a document; its analysis is part of the request.
func (d *direct) open(u uri.URI, text string) {
	d.u, d.version, d.tokens = u, 1, ""
	measure(d, "didOpen", func(ctx context.Context) (protocol.LSPAny, error) {
		p := &protocol.DidOpenTextDocumentParams{
			TextDocument: protocol.TextDocumentItem{URI: u, LanguageID: "wat", Version: 1, Text: text},
		}
		if err := d.DidOpen(ctx, p); err != nil {
			return nil, err
		}
		d.store.View()[u].Snapshot()
		return nil, nil
	})
}

// change makes another text of the document, as a whole or as the part that differs.
func (d *direct) change(text string) {
	d.version++
	f := d.store.View()[d.u].File()
	var c protocol.TextDocumentContentChangeEvent = &protocol.TextDocumentContentChangeWholeDocument{Text: text}
	if d.rnd.IntN(4) > 0 {
		e := source.Difference(f.Text, text)
		if r := d.rng(f, e.Span); d.span(f, r) == e.Span { // not inside a character or a line end
			c = &protocol.TextDocumentContentChangePartial{Range: r, Text: e.New}
		}
	}
	measure(d, "didChange", func(ctx context.Context) (protocol.LSPAny, error) {
		p := &protocol.DidChangeTextDocumentParams{ContentChanges: []protocol.TextDocumentContentChangeEvent{c}}
		p.TextDocument.URI, p.TextDocument.Version = d.u, d.version
		if err := d.DidChange(ctx, p); err != nil {
			return nil, err
		}
		d.store.View()[d.u].Snapshot()
		return nil, nil
	})
	if got := d.store.View()[d.u].File().Text; got != text {
		d.failed("didChange", "the text is another one")
	}
}

func (d *direct) close() {
	measure(d, "didClose", func(ctx context.Context) (protocol.LSPAny, error) {
		p := &protocol.DidCloseTextDocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: d.u}}
		return nil, d.DidClose(ctx, p)
	})
}

// somewhere returns a position: mostly of the text, sometimes inside a character, after the end of
// a line or of the text.
func (d *direct) somewhere() protocol.Position {
	f := d.store.View()[d.u].File()
	switch d.rnd.IntN(16) {
	case 0:
		return protocol.Position{Line: d.rnd.Uint32(), Character: d.rnd.Uint32()}
	case 1:
		return protocol.Position{
			Line:      uint32(d.rnd.IntN(f.NumLines() + 2)),
			Character: uint32(d.rnd.IntN(1 << (1 + d.rnd.IntN(31)))),
		}
	}
	off := d.rnd.IntN(len(f.Text) + 1)
	p := d.position(f, off)
	if d.rnd.IntN(8) == 0 {
		p.Character++ // perhaps inside a character
	}
	return p
}

// stretch returns a range: of any two positions in any order, or of a few lines as on a screen.
func (d *direct) stretch() protocol.Range {
	a, b := d.somewhere(), d.somewhere()
	switch d.rnd.IntN(4) {
	case 0:
		return protocol.Range{Start: a, End: b}
	case 1:
		return protocol.Range{Start: a, End: a}
	case 2:
		return protocol.Range{End: protocol.Position{Line: 1 << 30}}
	}
	return protocol.Range{Start: a, End: protocol.Position{Line: a.Line + 40, Character: b.Character}}
}

// all sends every request that there is about the document, at random places.
func (d *direct) all() {
	d.whole()
	d.places()
	d.ranges()
	d.writing()
	d.hierarchies()
}

func (d *direct) id() protocol.TextDocumentIdentifier {
	return protocol.TextDocumentIdentifier{URI: d.u}
}

func (d *direct) at() protocol.TextDocumentPositionParams {
	return protocol.TextDocumentPositionParams{TextDocument: d.id(), Position: d.somewhere()}
}

// pick returns some element of a list, and whether it has any.
func pick[T any](d *direct, list []T) (x T, ok bool) {
	if len(list) == 0 {
		return x, false
	}
	return list[d.rnd.IntN(len(list))], true
}

// whole sends the requests about the document as a whole.
func (d *direct) whole() {
	measure(d, "diagnostic", func(ctx context.Context) (protocol.DocumentDiagnosticReport, error) {
		return d.Diagnostic(ctx, &protocol.DocumentDiagnosticParams{TextDocument: d.id()})
	})
	measure(d, "documentSymbol", func(ctx context.Context) (protocol.DocumentSymbolResult, error) {
		return d.DocumentSymbol(ctx, &protocol.DocumentSymbolParams{TextDocument: d.id()})
	})
	measure(d, "foldingRange", func(ctx context.Context) ([]protocol.FoldingRange, error) {
		return d.FoldingRanges(ctx, &protocol.FoldingRangeParams{TextDocument: d.id()})
	})
	measure(d, "documentLink", func(ctx context.Context) ([]protocol.DocumentLink, error) {
		return d.DocumentLink(ctx, &protocol.DocumentLinkParams{TextDocument: d.id()})
	})
	lenses := measure(d, "codeLens", func(ctx context.Context) ([]protocol.CodeLens, error) {
		return d.CodeLens(ctx, &protocol.CodeLensParams{TextDocument: d.id()})
	})
	if l, ok := pick(d, lenses); ok {
		measure(
			d, "codeLens/resolve",
			func(ctx context.Context) (*protocol.CodeLens, error) { return d.CodeLensResolve(ctx, &l) },
		)
	}
	if d.tokens == "" {
		r := measure(d, "semanticTokens/full", func(ctx context.Context) (*protocol.SemanticTokens, error) {
			return d.SemanticTokensFull(ctx, &protocol.SemanticTokensParams{TextDocument: d.id()})
		})
		if r != nil && r.ResultID != nil {
			d.tokens = *r.ResultID
		}
	} else {
		measure(d, "semanticTokens/full/delta", func(ctx context.Context) (protocol.SemanticTokensDeltaResult,
			error) {
			r, err := d.SemanticTokensFullDelta(ctx, &protocol.SemanticTokensDeltaParams{TextDocument: d.id(),
				PreviousResultID: d.tokens})
			switch r := r.(type) {
			case *protocol.SemanticTokens:
				d.tokens = *r.ResultID
			case *protocol.SemanticTokensDelta:
				d.tokens = *r.ResultID
			}
			return r, err
		})
	}
	measure(d, "workspace/symbol", func(ctx context.Context) (protocol.WorkspaceSymbolResult, error) {
		return d.Symbols(ctx, &protocol.WorkspaceSymbolParams{Query: string(rune('a' + d.rnd.IntN(26)))})
	})
}

// places sends the requests about a position.
func (d *direct) places() {
	measure(d, "hover", func(ctx context.Context) (*protocol.Hover, error) {
		return d.Hover(ctx, &protocol.HoverParams{TextDocumentPositionParams: d.at()})
	})
	measure(d, "definition", func(ctx context.Context) (protocol.DefinitionResult, error) {
		return d.Definition(ctx, &protocol.DefinitionParams{TextDocumentPositionParams: d.at()})
	})
	measure(d, "declaration", func(ctx context.Context) (protocol.DeclarationResult, error) {
		return d.Declaration(ctx, &protocol.DeclarationParams{TextDocumentPositionParams: d.at()})
	})
	measure(d, "typeDefinition", func(ctx context.Context) (protocol.DefinitionResult, error) {
		return d.TypeDefinition(ctx, &protocol.TypeDefinitionParams{TextDocumentPositionParams: d.at()})
	})
	measure(d, "implementation", func(ctx context.Context) (protocol.DefinitionResult, error) {
		return d.Implementation(ctx, &protocol.ImplementationParams{TextDocumentPositionParams: d.at()})
	})
	measure(d, "references", func(ctx context.Context) ([]protocol.Location, error) {
		p := &protocol.ReferenceParams{TextDocumentPositionParams: d.at()}
		p.Context.IncludeDeclaration = d.rnd.IntN(2) == 0
		return d.References(ctx, p)
	})
	measure(d, "documentHighlight", func(ctx context.Context) ([]protocol.DocumentHighlight, error) {
		return d.DocumentHighlight(ctx, &protocol.DocumentHighlightParams{TextDocumentPositionParams: d.at()})
	})
	measure(d, "linkedEditingRange", func(ctx context.Context) (*protocol.LinkedEditingRanges, error) {
		return d.LinkedEditingRange(ctx, &protocol.LinkedEditingRangeParams{TextDocumentPositionParams: d.at()})
	})
	measure(d, "signatureHelp", func(ctx context.Context) (*protocol.SignatureHelp, error) {
		return d.SignatureHelp(ctx, &protocol.SignatureHelpParams{TextDocumentPositionParams: d.at()})
	})
	measure(d, "selectionRange", func(ctx context.Context) ([]protocol.SelectionRange, error) {
		return d.SelectionRange(
			ctx,
			&protocol.SelectionRangeParams{
				TextDocument: d.id(),
				Positions:    []protocol.Position{d.somewhere(), d.somewhere()},
			},
		)
	})
	items := measure(d, "completion", func(ctx context.Context) (protocol.CompletionResult, error) {
		return d.Completion(ctx, &protocol.CompletionParams{TextDocumentPositionParams: d.at()})
	})
	if list, ok := items.(*protocol.CompletionList); ok {
		if it, ok := pick(d, list.Items); ok {
			measure(
				d, "completionItem/resolve",
				func(ctx context.Context) (*protocol.CompletionItem, error) { return d.CompletionResolve(ctx, &it) },
			)
		}
	}
}

// ranges sends the requests about a range.
func (d *direct) ranges() {
	measure(d, "semanticTokens/range", func(ctx context.Context) (*protocol.SemanticTokens, error) {
		return d.SemanticTokensRange(ctx, &protocol.SemanticTokensRangeParams{TextDocument: d.id(),
			Range: d.stretch()})
	})
	hints := measure(d, "inlayHint", func(ctx context.Context) ([]protocol.InlayHint, error) {
		return d.InlayHint(ctx, &protocol.InlayHintParams{TextDocument: d.id(), Range: d.stretch()})
	})
	if h, ok := pick(d, hints); ok {
		measure(
			d, "inlayHint/resolve",
			func(ctx context.Context) (*protocol.InlayHint, error) { return d.InlayHintResolve(ctx, &h) },
		)
	}
	measure(d, "inlineValue", func(ctx context.Context) ([]protocol.InlineValue, error) {
		p := &protocol.InlineValueParams{TextDocument: d.id(), Range: d.stretch()}
		p.Context.StoppedLocation = d.stretch()
		return d.InlineValue(ctx, p)
	})
	actions := measure(d, "codeAction", func(ctx context.Context) ([]protocol.CommandOrCodeAction, error) {
		return d.CodeAction(
			ctx,
			&protocol.CodeActionParams{
				TextDocument: d.id(), Range: d.stretch(),
				Context: protocol.CodeActionContext{Diagnostics: []protocol.Diagnostic{}},
			},
		)
	})
	if x, ok := pick(d, actions); ok {
		if a, ok := x.(*protocol.CodeAction); ok && a.Edit == nil {
			measure(
				d, "codeAction/resolve",
				func(ctx context.Context) (*protocol.CodeAction, error) { return d.CodeActionResolve(ctx, a) },
			)
		}
	}
}

// writing sends the requests whose answers are edits.
func (d *direct) writing() {
	measure(d, "formatting", func(ctx context.Context) ([]protocol.TextEdit, error) {
		return d.Formatting(ctx, &protocol.DocumentFormattingParams{TextDocument: d.id()})
	})
	measure(d, "rangeFormatting", func(ctx context.Context) ([]protocol.TextEdit, error) {
		return d.RangeFormatting(ctx, &protocol.DocumentRangeFormattingParams{TextDocument: d.id(),
			Range: d.stretch()})
	})
	measure(d, "rangesFormatting", func(ctx context.Context) ([]protocol.TextEdit, error) {
		return d.RangesFormatting(
			ctx,
			&protocol.DocumentRangesFormattingParams{
				TextDocument: d.id(),
				Ranges:       []protocol.Range{d.stretch(), d.stretch()},
			},
		)
	})
	measure(d, "onTypeFormatting", func(ctx context.Context) ([]protocol.TextEdit, error) {
		p := &protocol.DocumentOnTypeFormattingParams{
			TextDocument: d.id(), Position: d.somewhere(), Ch: []string{"\n", ")"}[d.rnd.IntN(2)],
		}
		p.Options.InsertSpaces, p.Options.TabSize = true, 2
		return d.OnTypeFormatting(ctx, p)
	})
	at := d.at()
	measure(d, "prepareRename", func(ctx context.Context) (protocol.PrepareRenameResult, error) {
		return d.PrepareRename(ctx, &protocol.PrepareRenameParams{TextDocumentPositionParams: at})
	})
	measure(d, "rename", func(ctx context.Context) (*protocol.WorkspaceEdit, error) {
		return d.Rename(ctx, &protocol.RenameParams{TextDocumentPositionParams: at, NewName: "brandNew"})
	})
}

// hierarchies walks one step through the hierarchies of calls and types.
func (d *direct) hierarchies() {
	calls := measure(d, "prepareCallHierarchy", func(ctx context.Context) ([]protocol.CallHierarchyItem, error) {
		return d.PrepareCallHierarchy(ctx, &protocol.CallHierarchyPrepareParams{TextDocumentPositionParams: d.at()})
	})
	if it, ok := pick(d, calls); ok {
		measure(d, "incomingCalls", func(ctx context.Context) ([]protocol.CallHierarchyIncomingCall, error) {
			return d.IncomingCalls(ctx, &protocol.CallHierarchyIncomingCallsParams{Item: it})
		})
		measure(d, "outgoingCalls", func(ctx context.Context) ([]protocol.CallHierarchyOutgoingCall, error) {
			return d.OutgoingCalls(ctx, &protocol.CallHierarchyOutgoingCallsParams{Item: it})
		})
	}
	types := measure(d, "prepareTypeHierarchy", func(ctx context.Context) ([]protocol.TypeHierarchyItem, error) {
		return d.PrepareTypeHierarchy(ctx, &protocol.TypeHierarchyPrepareParams{TextDocumentPositionParams: d.at()})
	})
	if it, ok := pick(d, types); ok {
		measure(d, "supertypes", func(ctx context.Context) ([]protocol.TypeHierarchyItem, error) {
			return d.Supertypes(ctx, &protocol.TypeHierarchySupertypesParams{Item: it})
		})
		measure(d, "subtypes", func(ctx context.Context) ([]protocol.TypeHierarchyItem, error) {
			return d.Subtypes(ctx, &protocol.TypeHierarchySubtypesParams{Item: it})
		})
	}
}
