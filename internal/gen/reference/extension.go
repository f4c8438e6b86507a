package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"stackscope/dap/config"
	"strings"

	"stackscope/lsp"
)

var attributes = regexp.MustCompile(`(?s)( *)"configurationAttributes": \{\n.*?\n( *)\},\n( *)"initialConfigurations"`)

// extension replaces the attributes of debug configurations in package.json and the descriptions of
// the language server's settings.
func extension(old []byte) ([]byte, error) {
	m := attributes.FindSubmatchIndex(old)
	if m == nil {
		return nil, fmt.Errorf("%s has no configurationAttributes before initialConfigurations", manifest)
	}
	indent := string(old[m[2]:m[3]])
	var b bytes.Buffer
	b.Write(old[:m[0]])
	b.WriteString(indent + "\"configurationAttributes\": {\n")
	attributesOf(&b, indent+"  ", "launch", config.LaunchSettings())
	b.WriteString(",\n")
	attributesOf(&b, indent+"  ", "attach", config.AttachSettings())
	b.WriteString("\n" + indent + "},\n" + indent + "\"initialConfigurations\"")
	b.Write(old[m[1]:])
	return serverProperties(b.Bytes())
}

// attributesOf writes the attributes of the configurations of one request.
func attributesOf(b *bytes.Buffer, indent, request string, all []config.Setting) {
	var required []string
	for _, s := range all {
		if s.Required {
			required = append(required, s.Key)
		}
	}
	fmt.Fprintf(b, "%s%q: {\n%s  \"required\": %s,\n", indent, request, indent, literal(required))
	properties(b, indent+"  ", all)
	fmt.Fprintf(b, "\n%s}", indent)
}

func properties(b *bytes.Buffer, indent string, all []config.Setting) {
	fmt.Fprintf(b, "%s\"properties\": {\n", indent)
	first := true
	for _, s := range all {
		if s.Own {
			continue
		}
		if !first {
			b.WriteString(",\n")
		}
		first = false
		property(b, indent+"  ", s)
	}
	fmt.Fprintf(b, "\n%s}", indent)
}

// property writes one setting, on one line if it has no settings inside.
func property(b *bytes.Buffer, indent string, s config.Setting) {
	name := s.Key[strings.LastIndexByte(s.Key, '.')+1:]
	parts := []string{`"type": ` + literal(s.Type)}
	add := func(key string, v any) { parts = append(parts, fmt.Sprintf("%q: %s", key, text(v))) }
	if len(s.One) > 0 {
		add("enum", s.One)
	}
	switch {
	case s.Type == "array" && strings.HasSuffix(strings.ToLower(name), "args"):
		parts = append(parts, `"items": { "type": ["string", "number"] }`)
	case name == "substitutePath":
		parts = append(parts, `"items": { "type": "object", "required": ["from", "to"], "properties": `+
			`{ "from": { "type": "string" }, "to": { "type": "string" } } }`)
	case s.Type == "array":
		parts = append(parts, `"items": { "type": "string" }`)
	case s.Type == "object" && len(s.Sub) == 0:
		parts = append(parts, `"additionalProperties": { "type": "string" }`)
	case s.Type == "integer":
		least := 0
		if name == "line" || name == "historyEvents" {
			least = 1
		}
		add("minimum", least)
		if s.Max < math.MaxInt {
			add("maximum", s.Max)
		}
	}
	switch {
	case s.Example != nil:
		add("default", s.Example)
	case s.Default != nil:
		add("default", s.Default)
	}
	if strings.Contains(s.Description, "`") {
		add("markdownDescription", s.Description)
	} else {
		add("description", s.Description)
	}
	if len(s.Sub) == 0 {
		fmt.Fprintf(b, "%s%q: { %s }", indent, name, strings.Join(parts, ", "))
		return
	}
	fmt.Fprintf(b, "%s%q: {\n", indent, name)
	for _, p := range parts {
		fmt.Fprintf(b, "%s  %s,\n", indent, p)
	}
	properties(b, indent+"  ", s.Sub)
	fmt.Fprintf(b, "\n%s}", indent)
}

// text returns a value as JSON on one line, with a space after the commas of a list of strings and
// with `<`, `>` and `&` as they are.
func text(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // texts, numbers, booleans and lists of those
	}
	return strings.ReplaceAll(strings.TrimSpace(b.String()), `","`, `", "`)
}

var (
	described = regexp.MustCompile(`"(?:markdownD|d)escription": "(?:[^"\\]|\\.)*"`)
	initial   = regexp.MustCompile(`"type": "(\w+)".*?"default": ("[^"]*"|[^ ,]+)`)
)

// serverProperties writes the descriptions of the language server's settings into package.json,
// where each has a line, and checks their types and defaults.
func serverProperties(old []byte) ([]byte, error) {
	all := map[string]lsp.Setting{}
	for _, s := range lsp.Settings() {
		all["stackscope."+s.Name] = s
	}
	lines := strings.Split(string(old), "\n")
	for i, line := range lines {
		name, _, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), `"`), `": {`)
		s, known := all[name]
		if !ok || !known {
			continue
		}
		delete(all, name)
		is := initial.FindStringSubmatch(line)
		if is == nil || is[1] != s.Type || is[2] != s.Default {
			return nil, fmt.Errorf("package.json: %s is not a %s with the default %s", name, s.Type, s.Default)
		}
		key := "description"
		if strings.Contains(s.Doc, "`") {
			key = "markdownDescription"
		}
		lines[i] = described.ReplaceAllLiteralString(line, fmt.Sprintf("%q: %s", key, text(s.Doc)))
	}
	for name := range all {
		return nil, fmt.Errorf("package.json has no %s", name)
	}
	return []byte(strings.Join(lines, "\n")), nil
}
