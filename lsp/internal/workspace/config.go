package workspace

import (
	"encoding/json"
	"fmt"
	"maps"

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
	Effects    bool   `json:"effects" doc:"Show above a function what it may do to stacks: the tags it may suspend with, switch on or throw, the events it may send and takes, the types of the stacks it may switch to."`
	Protocols  bool   `json:"protocols" doc:"Show Protocol above a function that a fiber, task, stack or continuation begins with, if the client has the command."`
	Sources    bool   `json:"sources" doc:"Show above a function of a binary module where it is in the source that it was compiled from."`
	References string `json:"references" doc:"Show the number of references above \"functions\", above \"all\" named items, or above \"none\"."`
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

// DefaultLenses returns the lenses that a client gets without settings.
func DefaultLenses() LensConfig {
	return LensConfig{Run: true, Effects: true, Protocols: true, Sources: true, References: ReferencesFunctions}
}

// DefaultConfig returns the settings of a client without any, with a dialect from the command line.
func DefaultConfig(dialect string) Config {
	return Config{
		Dialect: dialect, Lenses: DefaultLenses(),
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

var severities = map[string]diag.Severity{
	"off": diag.Off, "error": diag.Error, "warning": diag.Warning, "info": diag.Information, "information": diag.Information, "hint": diag.Hint,
}

const (
	ReferencesFunctions = "functions"
	ReferencesAll       = "all"
	ReferencesNone      = "none"
)

// UnmarshalJSON reads the switch for all, or the settings; what is left out keeps its value.
func (l *LensConfig) UnmarshalJSON(b []byte) error {
	var on bool
	if json.Unmarshal(b, &on) == nil {
		if *l = DefaultLenses(); !on {
			*l = LensConfig{References: ReferencesNone}
		}
		return nil
	}
	type plain LensConfig
	x := plain(*l)
	if err := json.Unmarshal(b, &x); err != nil {
		return err
	}
	switch x.References {
	case ReferencesFunctions, ReferencesAll, ReferencesNone:
	default:
		return fmt.Errorf("lenses.references is %q, want functions, all or none", x.References)
	}
	*l = LensConfig(x)
	return nil
}
