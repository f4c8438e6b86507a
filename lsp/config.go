package lsp

import (
	"context"
	"encoding/json"
	"maps"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/wasm"
)

// Config is the `stackscope` section of a client's settings. What a client leaves out keeps its
// default.
type Config struct {
	// Dialect is the dialect of modules that do not declare one: "" or "auto" detects it, "none" means
	// WebAssembly 3.0 alone.
	Dialect string `json:"dialect"`
	// Severity maps codes to "off", "error", "warning", "info" or "hint".
	Severity map[string]string `json:"severity"`
	// Modules maps names that modules import from to files: paths relative to a workspace folder, or
	// absolute. "" says that there is none to look for.
	Modules    map[string]string `json:"modules"`
	InlayHints InlayConfig       `json:"inlayHints"`
	Lenses     bool              `json:"lenses"` // Run and Debug over exports, for clients that have the commands
	Format     FormatConfig      `json:"format"`
}

// InlayConfig switches the kinds of inlay hints.
type InlayConfig struct {
	Types     bool `json:"types"`     // the type behind a name that is used
	Stack     bool `json:"stack"`     // the operand stack behind the last instruction of a line
	BlockEnds bool `json:"blockEnds"` // the label, or function, that an `end` or `)` closes
	Indices   bool `json:"indices"`   // the name behind a numeric index, the index of an unnamed definition
	// Parameters shows the name of the parameter or field before a constant operand.
	Parameters bool `json:"parameters"`
}

// FormatConfig sets the formatter.
type FormatConfig struct {
	Width int `json:"width"` // columns a line may have; 0 for the default
}

func defaultConfig(opt Options) Config {
	return Config{Dialect: opt.Dialect, Lenses: true, InlayHints: InlayConfig{BlockEnds: true, Indices: true, Parameters: true}}
}

func (c Config) equal(d Config) bool {
	return c.sameAnalysis(d) && c.InlayHints == d.InlayHints && c.Format == d.Format && c.Lenses == d.Lenses && maps.Equal(c.Modules, d.Modules)
}

func (c Config) sameAnalysis(d Config) bool {
	return c.Dialect == d.Dialect && maps.Equal(c.Severity, d.Severity)
}

var severities = map[string]diag.Severity{
	"off": diag.Off, "error": diag.Error, "warning": diag.Warning, "info": diag.Information, "information": diag.Information, "hint": diag.Hint,
}

// analysis gives the part that analysis takes. Words it does not know are ignored.
func (c Config) analysis() analysis.Options {
	var o analysis.Options
	if d, ok := wasm.ParseDialectSetting(c.Dialect); ok {
		o.Dialect = d
	}
	for code, word := range c.Severity {
		if sev, ok := severities[word]; ok {
			if o.Severity == nil {
				o.Severity = map[diag.Code]diag.Severity{}
			}
			o.Severity[diag.Code(code)] = sev
		}
	}
	return o
}

// initOptions reads initializationOptions: the settings, and what the client can do beyond LSP.
func (s *Server) initOptions(raw protocol.LSPAny) {
	if len(raw) == 0 || string(raw) == "null" {
		return
	}
	var extra struct {
		Lenses bool `json:"lenses"`
	}
	if err := json.Unmarshal(raw, &extra); err != nil {
		s.log.Warn("initializationOptions", zap.Error(err))
		return
	}
	s.caps.lenses = extra.Lenses
	s.setConfig(raw)
}

// setConfig takes settings over; on a mistake in them the old ones stay.
func (s *Server) setConfig(raw []byte) (changed bool) {
	c := defaultConfig(s.opt)
	if err := json.Unmarshal(raw, &c); err != nil {
		s.log.Warn("configuration", zap.Error(err))
		return false
	}
	if c.Dialect == "auto" {
		c.Dialect = ""
	}
	if !s.store.configure(c) {
		return false
	}
	s.files.reset()
	return true
}

// pullConfig asks the client for its settings.
func (s *Server) pullConfig(ctx context.Context) {
	if !s.caps.configuration {
		return
	}
	res, err := s.client.Configuration(ctx, &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: ptr("stackscope")}}})
	if err != nil {
		s.logIf("workspace/configuration", err)
		return
	}
	if len(res) == 1 && string(res[0]) != "null" && s.setConfig(res[0]) {
		s.refresh(ctx)
	}
}

// refresh makes the client ask again for what depends on settings.
func (s *Server) refresh(ctx context.Context) {
	if s.caps.refreshDiagnostic {
		s.logIf("diagnostic refresh", s.client.DiagnosticRefresh(ctx))
	}
	if s.caps.refreshInlay {
		s.logIf("inlayHint refresh", s.client.InlayHintRefresh(ctx))
	}
	if s.caps.refreshLens {
		s.logIf("codeLens refresh", s.client.CodeLensRefresh(ctx))
	}
	for u := range s.store.view() {
		s.push(u)
	}
}

// DidChangeConfiguration takes new settings: those it brings, or those the client then tells.
func (s *Server) DidChangeConfiguration(_ context.Context, p *protocol.DidChangeConfigurationParams) error {
	var sect struct {
		Stackscope json.RawMessage `json:"stackscope"`
	}
	brought := len(p.Settings) > 0 && json.Unmarshal(p.Settings, &sect) == nil && len(sect.Stackscope) > 0 && string(sect.Stackscope) != "null"
	changed := brought && s.setConfig(sect.Stackscope)
	s.background("didChangeConfiguration", func(ctx context.Context) {
		switch {
		case changed:
			s.refresh(ctx)
		case !brought:
			s.pullConfig(ctx)
		}
	})
	return nil
}

func (s *Server) logIf(what string, err error) {
	if err != nil && s.ctx.Err() == nil {
		s.log.Warn(what, zap.Error(err))
	}
}
