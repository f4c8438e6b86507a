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
// default. The tag doc is the documentation of the reference.
type Config struct {
	// Dialect "auto" is the same as "".
	Dialect    string            `json:"dialect" doc:"The stack-switching design of modules that do not declare one. Empty: the first construct that only one design has decides. \"none\": WebAssembly 3.0 alone."`
	Severity   map[string]string `json:"severity" doc:"Severities of diagnostics by code: \"off\", \"error\", \"warning\", \"info\" or \"hint\"."`
	Modules    map[string]string `json:"modules" doc:"Files of imported modules by module name, relative to a workspace folder or absolute. An empty string turns the search for a file off."`
	InlayHints InlayConfig       `json:"inlayHints"`
	Lenses     LensConfig        `json:"lenses"`
	Format     FormatConfig      `json:"format"`
}

// LensConfig sets the kinds of lenses. In JSON it may be a boolean: false turns all off, true is
// the default.
type LensConfig struct {
	Run        bool   `json:"run" doc:"Show Run and Debug above exported functions and above the commands of scripts, if the client has the commands."`
	Effects    bool   `json:"effects" doc:"Show above a function which tags it may suspend with, switch on or throw."`
	References string `json:"references" doc:"Show the number of references above \"functions\", above \"all\" named items, or above \"none\"."`
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
	Types      bool `json:"types" doc:"Show the type of a local, global, function, tag or type where its name is used."`
	Stack      bool `json:"stack" doc:"Show the operand stack after the last instruction of a line."`
	BlockEnds  bool `json:"blockEnds" doc:"Show the label or name of what an \"end\", or the parenthesis that ends a long form, closes."`
	Indices    bool `json:"indices" doc:"Show the name after a numeric index, and the index of a definition without a name."`
	Parameters bool `json:"parameters" doc:"Show the name of the parameter or field before a constant operand."`
}

// FormatConfig sets the formatter.
type FormatConfig struct {
	Width int `json:"width" doc:"The longest line, in columns. 0: the default."`
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
func (s *settings) initOptions(raw protocol.LSPAny) {
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
func (s *settings) setConfig(raw []byte) (changed bool) {
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
func (s *settings) pullConfig(ctx context.Context) {
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
		s.checks.refresh(ctx)
	}
}

// refresh makes the client ask again for what depends on settings.
func (s *checker) refresh(ctx context.Context) {
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
func (s *settings) DidChangeConfiguration(_ context.Context, p *protocol.DidChangeConfigurationParams) error {
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
			s.checks.refresh(ctx)
		case !brought:
			s.pullConfig(ctx)
		}
	})
	return nil
}

func (s *session) logIf(what string, err error) {
	if err != nil && s.ctx.Err() == nil {
		s.log.Warn(what, "error", err)
	}
}
