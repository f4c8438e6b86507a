package lsp

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/ide"
	"stackscope/analysis/source"
	"stackscope/internal/loopback"
)

// clientCaps is what the server needs to know of the client.
type clientCaps struct {
	documentChanges   bool // versioned workspace edits
	hoverMarkdown     bool
	completeMarkdown  bool
	snippets          bool
	pullDiagnostics   bool
	related           bool
	configuration     bool
	registerConfig    bool
	registerWatch     bool
	hierarchical      bool // document symbols
	lineFoldingOnly   bool
	labelOffsets      bool // a parameter of a signature is a range of its label
	lenses            bool // the client runs our commands
	refreshDiagnostic bool
	refreshInlay      bool
	refreshTokens     bool
	refreshLens       bool
	linkSupport       bool
	workDone          bool   // the server may tell of its work
	resolveEdit       bool   // of code actions
	explain           string // the client's command that explains a code; "" without one
	protocol          string // the client's command that shows a protocol; "" without one
	resolveHints      bool   // the tooltips and locations of inlay hints
}

func is(b *bool) bool { return b != nil && *b }

func hasMarkdown(ks []protocol.MarkupKind) bool {
	return slices.Contains(ks, protocol.MarkupKindMarkdown)
}

func readCaps(c *protocol.ClientCapabilities) (out clientCaps) {
	if w := c.Workspace; w != nil {
		out.configuration = is(w.Configuration)
		if w.WorkspaceEdit != nil {
			out.documentChanges = is(w.WorkspaceEdit.DocumentChanges)
		}
		if w.DidChangeConfiguration != nil {
			out.registerConfig = is(w.DidChangeConfiguration.DynamicRegistration)
		}
		if w.DidChangeWatchedFiles != nil {
			out.registerWatch = is(w.DidChangeWatchedFiles.DynamicRegistration)
		}
		if w.Diagnostics != nil {
			out.refreshDiagnostic = is(w.Diagnostics.RefreshSupport)
		}
		if w.InlayHint != nil {
			out.refreshInlay = is(w.InlayHint.RefreshSupport)
		}
		if w.CodeLens != nil {
			out.refreshLens = is(w.CodeLens.RefreshSupport)
		}
		if w.SemanticTokens != nil {
			out.refreshTokens = is(w.SemanticTokens.RefreshSupport)
		}
	}
	if c.Window != nil {
		out.workDone = is(c.Window.WorkDoneProgress)
	}
	t := c.TextDocument
	if t == nil {
		return out
	}
	if t.Hover != nil {
		out.hoverMarkdown = hasMarkdown(t.Hover.ContentFormat)
	}
	if t.Completion != nil && t.Completion.CompletionItem != nil {
		out.snippets = is(t.Completion.CompletionItem.SnippetSupport)
		out.completeMarkdown = hasMarkdown(t.Completion.CompletionItem.DocumentationFormat)
	}
	if h := t.SignatureHelp; h != nil && h.SignatureInformation != nil &&
		h.SignatureInformation.ParameterInformation != nil {
		out.labelOffsets = is(h.SignatureInformation.ParameterInformation.LabelOffsetSupport)
	}
	if t.CodeAction != nil && t.CodeAction.ResolveSupport.Properties != nil {
		out.resolveEdit = slices.Contains(t.CodeAction.ResolveSupport.Properties, "edit")
	}
	if t.InlayHint != nil {
		props := t.InlayHint.ResolveSupport.Properties
		out.resolveHints = slices.Contains(props, "tooltip") && slices.Contains(props, "label.location")
	}
	out.pullDiagnostics = t.Diagnostic != nil
	if t.PublishDiagnostics != nil {
		out.related = is(t.PublishDiagnostics.RelatedInformation)
	}
	if t.Diagnostic != nil {
		out.related = out.related || is(t.Diagnostic.RelatedInformation)
	}
	if t.DocumentSymbol != nil {
		out.hierarchical = is(t.DocumentSymbol.HierarchicalDocumentSymbolSupport)
	}
	if t.FoldingRange != nil {
		out.lineFoldingOnly = is(t.FoldingRange.LineFoldingOnly)
	}
	if t.Definition != nil {
		out.linkSupport = is(t.Definition.LinkSupport)
	}
	return out
}

// encodings are those a client may offer, best first.
var encodings = []struct {
	kind protocol.PositionEncodingKind
	enc  source.Encoding
}{
	{protocol.PositionEncodingKindUTF8, source.UTF8},
	{protocol.PositionEncodingKindUTF32, source.UTF32},
	{protocol.PositionEncodingKindUTF16, source.UTF16},
}

// Initialize answers `initialize`: it settles the position encoding and reports what the server
// can.
func (s *Server) Initialize(_ context.Context, p *protocol.InitializeParams) (*protocol.InitializeResult, error) {
	s.caps = readCaps(&p.Capabilities)
	s.enc = source.UTF16
	kind := protocol.PositionEncodingKindUTF16
	if g := p.Capabilities.General; g != nil {
		for _, e := range encodings {
			if slices.Contains(g.PositionEncodings, e.kind) {
				kind, s.enc = e.kind, e.enc
				break
			}
		}
	}
	s.initFolders(p)
	s.initOptions(p.InitializationOptions)
	s.phase.Store(phaseInitialized)
	loopback.Established(s.end)
	c := capabilities()
	c.PositionEncoding = kind
	res := &protocol.InitializeResult{Capabilities: c}
	res.ServerInfo.Name = "wasm-ls"
	if s.opt.Version != "" {
		res.ServerInfo.Version = protocol.NewOptional(s.opt.Version)
	}
	return res, nil
}

// capabilities reports what the server can.
func capabilities() protocol.ServerCapabilities {
	b := protocol.Boolean(true)
	work := protocol.WorkDoneProgressOptions{WorkDoneProgress: yes()} // what may take long reports its progress
	c := protocol.ServerCapabilities{
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: yes(),
			Change:    ptr(protocol.TextDocumentSyncKindIncremental),
			Save:      &protocol.SaveOptions{IncludeText: ptr(false)},
		},
		HoverProvider: b,
		CompletionProvider: &protocol.CompletionOptions{
			TriggerCharacters: []string{"(", "$", ".", "=", `"`, " "},
			ResolveProvider:   yes(),
		},
		SignatureHelpProvider: &protocol.SignatureHelpOptions{
			TriggerCharacters: []string{" ", "("}, RetriggerCharacters: []string{")"},
		},
		DefinitionProvider:              b,
		DeclarationProvider:             b,
		TypeDefinitionProvider:          b,
		ImplementationProvider:          b,
		ReferencesProvider:              &protocol.ReferenceOptions{WorkDoneProgressOptions: work},
		DocumentHighlightProvider:       b,
		DocumentSymbolProvider:          b,
		WorkspaceSymbolProvider:         b,
		DocumentFormattingProvider:      &protocol.DocumentFormattingOptions{WorkDoneProgressOptions: work},
		DocumentRangeFormattingProvider: &protocol.DocumentRangeFormattingOptions{RangesSupport: yes()},
		DocumentOnTypeFormattingProvider: protocol.DocumentOnTypeFormattingOptions{
			FirstTriggerCharacter: "\n", MoreTriggerCharacter: []string{")"},
		},
		RenameProvider:         &protocol.RenameOptions{WorkDoneProgressOptions: work, PrepareProvider: yes()},
		FoldingRangeProvider:   b,
		SelectionRangeProvider: b,
		InlayHintProvider:      &protocol.InlayHintOptions{ResolveProvider: yes()},
		CodeActionProvider: &protocol.CodeActionOptions{
			CodeActionKinds: []protocol.CodeActionKind{
				protocol.CodeActionKindQuickFix,
				protocol.CodeActionKindRefactorRewrite,
				protocol.CodeActionKindRefactorExtract,
				protocol.CodeActionKindRefactorInline,
				protocol.CodeActionKindSourceFixAll,
			},
			ResolveProvider: yes(),
		},
		SemanticTokensProvider: &protocol.SemanticTokensOptions{
			Legend: protocol.SemanticTokensLegend{TokenTypes: ide.TokenTypes(), TokenModifiers: ide.TokenModifiers()},
			Range:  b,
			Full:   &protocol.SemanticTokensFullDelta{Delta: yes()},
		},
		CallHierarchyProvider:      b,
		TypeHierarchyProvider:      b,
		LinkedEditingRangeProvider: b,
		DocumentLinkProvider:       &protocol.DocumentLinkOptions{},
		InlineValueProvider:        b,
		DiagnosticProvider: &protocol.DiagnosticOptions{
			WorkDoneProgressOptions: work, Identifier: ptr("stackscope"),
			InterFileDependencies: true, WorkspaceDiagnostics: true,
		},
		Workspace: &protocol.WorkspaceOptions{
			WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
				Supported: yes(), ChangeNotifications: protocol.Boolean(true),
			},
		},
	}
	c.CodeLensProvider = &protocol.CodeLensOptions{ResolveProvider: yes()}
	return c
}

// Initialized begins the session proper: the client's settings are asked for.
func (s *Server) Initialized(context.Context, *protocol.InitializedParams) error {
	s.once("initialized", func(ctx context.Context) {
		if s.caps.registerConfig {
			err := s.client.RegisterCapability(
				ctx,
				&protocol.RegistrationParams{Registrations: []protocol.Registration{{
					ID: "stackscope.configuration", Method: protocol.MethodWorkspaceDidChangeConfiguration,
					RegisterOptions: protocol.LSPAny(`{"section":"stackscope"}`),
				}}},
			)
			s.logIf("registerCapability", err)
		}
		if s.caps.registerWatch {
			err := s.client.RegisterCapability(
				ctx,
				&protocol.RegistrationParams{Registrations: []protocol.Registration{{
					ID: "stackscope.files", Method: protocol.MethodWorkspaceDidChangeWatchedFiles,
					RegisterOptions: protocol.LSPAny(watchedFiles),
				}}},
			)
			s.logIf("registerCapability", err)
			s.files.Watch(err == nil)
		}
		s.pullConfig(ctx)
	})
	return nil
}

// initFolders takes the folders of the workspace, or the one root of an older client.
func (s *Server) initFolders(p *protocol.InitializeParams) {
	var us []uri.URI
	if fs, ok := p.WorkspaceFolders.Get(); ok {
		for _, f := range fs {
			us = append(us, f.URI)
		}
		//lint:ignore SA1019 what clients before workspace folders send
	} else if root := p.RootURI; root != nil {
		us = append(us, *root)
	}
	s.files.SetFolders(us)
}

// Shutdown ends the work; only `exit` may follow. The phase has changed already, in call.
func (s *Server) Shutdown(context.Context) error { return nil }

// Exit ends the session.
func (s *Server) Exit(context.Context) error {
	s.exit.Do(func() { close(s.exited) })
	return nil
}

// SetTrace is accepted; traces go to the log instead.
func (s *Server) SetTrace(context.Context, *protocol.SetTraceParams) error { return nil }
