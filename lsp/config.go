package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"go.lsp.dev/protocol"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/wasm"
)

// Config is the `stackscope` section of a client's settings. What a client leaves out keeps its
// default.
type Config struct {
	// Dialect is the dialect of modules that do not declare one: "" or "auto" detects it, "none"
	// means WebAssembly 3.0 alone.
	Dialect string `json:"dialect"`
	// Severity maps codes to "off", "error", "warning", "info" or "hint".
	Severity map[string]string `json:"severity"`
	// Modules maps names that modules import from to files: paths relative to a workspace folder,
	// or absolute. "" says that there is none to look for.
	Modules    map[string]string `json:"modules"`
	InlayHints InlayConfig       `json:"inlayHints"`
	Lenses     LensConfig        `json:"lenses"`
	Format     FormatConfig      `json:"format"`
}

// LensConfig sets the kinds of lenses. In JSON it may be a boolean: false turns all off, true is
// the default.
type LensConfig struct {
	// Run and Debug over exports and commands of scripts, for clients that have the commands
	Run        bool   `json:"run"`
	Effects    bool   `json:"effects"`    // what a function may do to stacks
	References string `json:"references"` // "functions", "all" or "none": over what the number of references is shown
}

const (
	referencesFunctions = "functions"
	referencesAll       = "all"
	referencesNone      = "none"
)

func defaultLenses() LensConfig {
	return LensConfig{Run: true, Effects: true, References: referencesFunctions}
}

// UnmarshalJSON reads the switch for all, or the settings; what is left out keeps its value.
func (l *LensConfig) UnmarshalJSON(b []byte) error {
	var on bool
	if json.Unmarshal(b, &on) == nil {
		if *l = defaultLenses(); !on {
			*l = LensConfig{References: referencesNone}
		}
		return nil
	}
	type plain LensConfig
	x := plain(*l)
	if err := json.Unmarshal(b, &x); err != nil {
		return err
	}
	switch x.References {
	case referencesFunctions, referencesAll, referencesNone:
	default:
		return fmt.Errorf("lenses.references is %q: it can be functions, all or none", x.References)
	}
	*l = LensConfig(x)
	return nil
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
	return Config{
		Dialect: opt.Dialect, Lenses: defaultLenses(),
		InlayHints: InlayConfig{BlockEnds: true, Indices: true, Parameters: true},
	}
}

func (c Config) equal(d Config) bool {
	return c.sameAnalysis(d) && c.InlayHints == d.InlayHints && c.Format == d.Format && c.Lenses == d.Lenses &&
		maps.Equal(c.Modules, d.Modules)
}

func (c Config) sameAnalysis(d Config) bool {
	return c.Dialect == d.Dialect && maps.Equal(c.Severity, d.Severity)
}

var severities = map[string]diag.Severity{
	"off": diag.Off, "error": diag.Error, "warning": diag.Warning, "info": diag.Information, "information": diag.Information, "hint": diag.Hint,
}

// analysis returns the part that analysis takes. Words it does not know are ignored.
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
		Lenses  json.RawMessage `json:"lenses"`  // present: the client has the commands of lenses
		Explain string          `json:"explain"` // the client's command that shows the explanation of a code
	}
	if err := json.Unmarshal(raw, &extra); err != nil {
		s.log.Warn("initializationOptions", "error", err)
		return
	}
	s.caps.lenses = len(extra.Lenses) > 0 && string(extra.Lenses) != "false" && string(extra.Lenses) != "null"
	s.caps.explain = extra.Explain
	s.setConfig(raw)
}

// setConfig takes settings over; on a mistake in them the old ones stay.
func (s *Server) setConfig(raw []byte) (changed bool) {
	c := defaultConfig(s.opt)
	if err := json.Unmarshal(raw, &c); err != nil {
		s.log.Warn("configuration", "error", err)
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
	res, err := s.client.Configuration(
		ctx, &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: ptr("stackscope")}}},
	)
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
	brought := len(p.Settings) > 0 && json.Unmarshal(p.Settings, &sect) == nil && len(sect.Stackscope) > 0 &&
		string(sect.Stackscope) != "null"
	changed := brought && s.setConfig(sect.Stackscope)
	if changed { // also if what is to be done now is replaced by what comes next
		s.reconfigured.Store(true)
	}
	s.once("didChangeConfiguration", func(ctx context.Context) {
		switch {
		case s.reconfigured.Swap(false):
			s.refresh(ctx)
		case !brought:
			s.pullConfig(ctx)
		}
	})
	return nil
}

func (s *Server) logIf(what string, err error) {
	if err != nil && s.ctx.Err() == nil {
		s.log.Warn(what, "error", err)
	}
}
