// Package tm makes the TextMate grammar of the text format from the instruction table.
package tm

import (
	"regexp"
	"sort"
	"strings"

	"stackscope/wasm"
)

// Rule is a rule of a TextMate grammar.
type Rule struct {
	Include  string          `json:"include,omitempty"`
	Name     string          `json:"name,omitempty"`
	Match    string          `json:"match,omitempty"`
	Begin    string          `json:"begin,omitempty"`
	End      string          `json:"end,omitempty"`
	Captures map[string]Rule `json:"captures,omitempty"`
	Patterns []Rule          `json:"patterns,omitempty"`
}

// File is a TextMate grammar.
type File struct {
	Name       string          `json:"name"`
	ScopeName  string          `json:"scopeName"`
	FileTypes  []string        `json:"fileTypes"`
	Patterns   []Rule          `json:"patterns"`
	Repository map[string]Rule `json:"repository"`
}

// idEnd makes sure that a word is whole: idchars of the text format do not go on.
const (
	idChar  = "[0-9A-Za-z!#$%&'*+\\-./:<=>?@\\\\^_`|~]"
	idStart = "(?<!" + idChar + ")"
	idEnd   = "(?!" + idChar + ")"
)

// fields are the keywords of modules, scripts and types that are no instructions.
var (
	fields = []string{
		"module", "definition", "instance", "binary", "quote", "type", "rec", "sub", "final", "import",
		"export", "func", "table", "memory", "global", "tag", "start", "elem", "data", "declare", "item",
		"offset", "pagesize", "param", "result", "local", "field", "mut", "shared", "then", "do", "on",
		"catch_ref", "catch_all_ref",
	}
	script = []string{
		"register", "invoke", "get", "input", "script", "either", "assert_return", "assert_trap",
		"assert_exhaustion", "assert_invalid", "assert_malformed", "assert_invalid_custom",
		"assert_malformed_custom", "assert_unlinkable", "assert_exception", "assert_suspension",
		// of drive scripts
		"at", "after", "run", "promising", "suspending", "promise", "resolve", "reject", "await", "arg",
		"assert_pending",
	}
	types = []string{
		"i8", "i16", "i32", "i64", "f32", "f64", "v128", "ref", "null", "i8x16", "i16x8", "i32x4", "i64x2",
		"f32x4", "f64x2",
	}
)

// scope returns the scope of an instruction: what it does to control first, then what it works on.
func scope(op wasm.Op) string {
	in := op.Info()
	switch in.Effect {
	case wasm.EffectNew, wasm.EffectBind, wasm.EffectResume, wasm.EffectSuspend, wasm.EffectSwitch,
		wasm.EffectRetire, wasm.EffectRelease:
		return "keyword.control.stack.wat"
	case wasm.EffectThrow:
		return "keyword.control.exception.wat"
	case wasm.EffectNone:
	default:
		return "keyword.control.wat"
	}
	if strings.HasSuffix(in.Name, ".const") {
		return "keyword.other.constant.wat"
	}
	prefix, _, _ := strings.Cut(in.Name, ".")
	switch prefix {
	case "local", "global":
		return "keyword.other.variable.wat"
	case "memory", "table", "data", "elem":
		return "keyword.other.memory.wat"
	}
	return "keyword.other.numeric.wat"
}

func words(ws []string) string {
	ws = append([]string(nil), ws...)
	// the longest first: alternatives are tried in order
	sort.Slice(ws, func(i, j int) bool {
		if len(ws[i]) != len(ws[j]) {
			return len(ws[i]) > len(ws[j])
		}
		return ws[i] < ws[j]
	})
	for i := range ws {
		ws[i] = regexp.QuoteMeta(ws[i])
	}
	return idStart + "(?:" + strings.Join(ws, "|") + ")" + idEnd
}

// Grammar makes the grammar.
func Grammar() File {
	byScope := map[string][]string{}
	done := map[string]bool{}
	for op := wasm.Op(1); op < wasm.NumOps; op++ {
		if n := op.String(); !done[n] {
			done[n] = true
			byScope[scope(op)] = append(byScope[scope(op)], n)
		}
	}
	scopes := make([]string, 0, len(byScope))
	for s := range byScope {
		scopes = append(scopes, s)
	}
	sort.Strings(scopes)
	var instrs []Rule
	for _, s := range scopes {
		instrs = append(instrs, Rule{Name: s, Match: words(byScope[s])})
	}
	heaps := append([]string(nil), types...)
	for _, h := range wasm.AbstractHeapTypes() {
		heaps = append(heaps, h.Format(nil))
		if r := h.Abbreviation(); r != "" {
			heaps = append(heaps, r)
		}
	}
	return File{
		Name: "WebAssembly Text", ScopeName: "source.wat", FileTypes: []string{"wat", "wast"},
		Patterns: []Rule{
			{Include: "#comment"}, {Include: "#annotation"}, {Include: "#string"}, {Include: "#definition"},
			{Include: "#instruction"}, {Include: "#field"}, {Include: "#type"}, {Include: "#name"},
			{Include: "#number"}, {Include: "#memarg"},
		},
		Repository: map[string]Rule{
			"comment": {Patterns: []Rule{
				{Name: "comment.line.wat", Match: ";;.*$"},
				{Include: "#block-comment"},
			}},
			"block-comment": {
				Name: "comment.block.wat", Begin: `\(;`, End: `;\)`,
				Patterns: []Rule{{Include: "#block-comment"}},
			},
			"annotation": {
				Match:    `\((@` + idChar + `+)`,
				Captures: map[string]Rule{"1": {Name: "storage.modifier.annotation.wat"}},
			},
			"string": {
				Name: "string.quoted.double.wat", Begin: `"`, End: `"`,
				Patterns: []Rule{
					{Name: "constant.character.escape.wat", Match: `\\(?:[0-9A-Fa-f]{2}|u\{[0-9A-Fa-f_]+\}|.)`},
				},
			},
			"definition": {Patterns: []Rule{
				{
					Match:    `\((func)\s+(\$` + idChar + `+)`,
					Captures: map[string]Rule{"1": {Name: "storage.type.wat"}, "2": {Name: "entity.name.function.wat"}},
				},
				{
					Match:    `\((type)\s+(\$` + idChar + `+)`,
					Captures: map[string]Rule{"1": {Name: "storage.type.wat"}, "2": {Name: "entity.name.type.wat"}},
				},
				{
					Match:    `\((tag)\s+(\$` + idChar + `+)`,
					Captures: map[string]Rule{"1": {Name: "storage.type.wat"}, "2": {Name: "entity.name.tag.wat"}},
				},
			}},
			"instruction": {Patterns: instrs},
			"field": {Patterns: []Rule{
				{Name: "storage.type.wat", Match: `(?<=\()(?:` + strings.Join(fields, "|") + `)` + idEnd},
				{Name: "support.function.script.wat", Match: `(?<=\()(?:` + strings.Join(script, "|") + `)` + idEnd},
				{
					Name:  "storage.modifier.wat",
					Match: words([]string{"final", "declare", "shared", "switch", "binary", "quote", "definition", "instance"}),
				},
			}},
			"type": {Name: "support.type.wat", Match: words(heaps)},
			"name": {Name: "variable.other.wat", Match: `\$(?:` + idChar + `+|"[^"]*")`},
			"number": {
				Name:  "constant.numeric.wat",
				Match: idStart + `[+-]?(?:inf|nan(?::(?:0x[0-9A-Fa-f_]+|canonical|arithmetic))?|0x[0-9A-Fa-f_]+(?:\.[0-9A-Fa-f_]*)?(?:[pP][+-]?[0-9_]+)?|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]+)?)` + idEnd,
			},
			"memarg": {Name: "variable.parameter.wat", Match: idStart + `(?:offset|align)(?==)`},
		},
	}
}
