package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"stackscope/dap/config"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/ide/action"
	"stackscope/dap"
	"stackscope/lsp"
	"stackscope/wasm"
)

// table returns a Markdown table. Cells may hold anything but line breaks.
func table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("|")
		for _, c := range cells {
			b.WriteString(" " + strings.ReplaceAll(c, "|", `\|`) + " |")
		}
		b.WriteString("\n")
	}
	line(head)
	b.WriteString(strings.Repeat("|---", len(head)) + "|\n")
	for _, r := range rows {
		line(r)
	}
	return b.String()
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

// settings returns the table of the settings of a launch or attach configuration.
func settings(request string) string {
	all := config.LaunchSettings()
	if request == "attach" {
		all = config.AttachSettings()
	}
	var rows [][]string
	var add func(s config.Setting)
	add = func(s config.Setting) {
		what := s.Description
		if len(s.One) > 0 {
			what += " One of: `" + strings.Join(s.One, "`, `") + "`."
		}
		def := ""
		if s.Default != nil {
			def = code(literal(s.Default))
		}
		if s.Required {
			def = "required"
		}
		rows = append(rows, []string{code(s.Key), s.Type, def, what})
		for _, sub := range s.Sub {
			add(sub)
		}
	}
	for _, own := range []bool{false, true} {
		for _, s := range all {
			if s.Own == own {
				add(s)
			}
		}
	}
	return table([]string{"setting", "type", "default", ""}, rows)
}

// literal returns a value as JSON.
func literal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // defaults are strings, numbers, booleans and lists of those
	}
	return string(b)
}

// serverSettings returns the table of the language server's settings.
func serverSettings() string {
	var rows [][]string
	for _, s := range lsp.Settings() {
		rows = append(rows, []string{code("stackscope." + s.Name), s.Type, code(s.Default), s.Doc})
	}
	return table([]string{"setting", "type", "default", ""}, rows)
}

// serverRequests returns the custom requests of the language server.
func serverRequests() string {
	var b strings.Builder
	fields := func(what string, list []lsp.FieldInfo) {
		if len(list) == 0 {
			return
		}
		var rows [][]string
		for _, f := range list {
			t := f.Type
			if f.Optional {
				t += ", optional"
			}
			rows = append(rows, []string{code(f.Name), t, f.Doc})
		}
		b.WriteString("\n" + table([]string{what, "type", ""}, rows))
	}
	for _, r := range lsp.Requests() {
		fmt.Fprintf(&b, "### `%s`\n\n%s\n", r.Method, r.Doc)
		fields("parameter", r.Params)
		fields("result", r.Result)
		b.WriteString("\n")
	}
	return b.String()
}

// serverCommands returns the table of the commands that code lenses run in the client.
func serverCommands() string {
	var rows [][]string
	for _, c := range lsp.Commands() {
		rows = append(rows, []string{code(c.Name), c.Arguments, c.Doc})
	}
	return table([]string{"command", "arguments", ""}, rows)
}

// adapterRequests returns the custom requests of the debug adapter.
func adapterRequests() string {
	var b strings.Builder
	for _, r := range dap.CustomRequests() {
		fmt.Fprintf(&b, "### `%s`\n\n%s\n", r.Name, r.Description)
		for _, list := range []struct {
			what   string
			fields []dap.Field
		}{{"argument", r.Arguments}, {"result", r.Result}} {
			var rows [][]string
			var add func(prefix string, fields []dap.Field)
			add = func(prefix string, fields []dap.Field) {
				for _, f := range fields {
					name := prefix + f.Name
					rows = append(rows, []string{code(name), f.Type, f.Description})
					if strings.HasSuffix(f.Type, "[]") {
						name += "[]"
					}
					add(name+".", f.Sub)
				}
			}
			if add("", list.fields); rows != nil {
				b.WriteString("\n" + table([]string{list.what, "type", ""}, rows))
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// codeActions returns the code actions by kind.
func codeActions() string {
	titles := map[string]string{
		"quickfix": "Quick fixes", "refactor.rewrite": "Rewriting", "refactor.extract": "Extracting",
		"refactor.inline": "Inlining", "source": "Whole files",
	}
	actions := action.All()
	var kinds []string
	for _, a := range actions {
		if !slices.Contains(kinds, a.Kind) {
			kinds = append(kinds, a.Kind)
		}
	}
	var b strings.Builder
	for _, kind := range kinds {
		title := titles[kind]
		if title == "" {
			title = "Source actions"
		}
		fmt.Fprintf(&b, "## %s: `%s`\n\n", title, kind)
		head := []string{"title", ""}
		if kind == "quickfix" {
			head = append(head, "diagnostics")
		}
		var rows [][]string
		for _, a := range actions {
			if a.Kind != kind {
				continue
			}
			row := []string{a.Title, a.Doc}
			if kind == "quickfix" {
				var links []string
				for _, c := range a.Codes {
					links = append(links, fmt.Sprintf("[`%s`](diagnostics.md#%s)", c, c))
				}
				row = append(row, strings.Join(links, ", "))
			}
			rows = append(rows, row)
		}
		b.WriteString(table(head, rows) + "\n")
	}
	return b.String()
}

// severityTable returns the codes with their severities and titles.
func severityTable() string {
	var rows [][]string
	for _, i := range diag.Table {
		severity := i.Severity.String()
		if i.Severity == diag.Off {
			severity = "off"
		}
		rows = append(rows, []string{fmt.Sprintf("[`%s`](#%s)", i.Code, i.Code), severity, i.Title})
	}
	return table([]string{"code", "severity", ""}, rows)
}

// parentWord is the word for a parent, in a design that has parents.
func parentWord(d *wasm.DialectInfo) string {
	if d.Suspend == "" {
		return ""
	}
	return d.Parent
}

// designWords is the table of the words of each design.
func designWords() string {
	rows := []struct {
		what string
		of   func(*wasm.DialectInfo) string
	}{
		{"what a reference names", func(d *wasm.DialectInfo) string { return d.Noun }},
		{"the stack that waits for another", func(d *wasm.DialectInfo) string { return parentWord(d) }},
		{"how a stack came to run below it", func(d *wasm.DialectInfo) string { return d.Linked + " #1" }},
		{"how it came to run after a switch", func(d *wasm.DialectInfo) string { return d.SwitchBy + " #2" }},
		{"one that gave control to its parent", func(d *wasm.DialectInfo) string {
			if d.Suspend == "" {
				return ""
			}
			return d.SuspendedAt("$yield", "gen.wat:21")
		}},
		{"one that gave control to a peer", func(d *wasm.DialectInfo) string { return d.Switched + " at gen.wat:21" }},
		{"one that ended itself", func(d *wasm.DialectInfo) string {
			if d.HandlerClauses { // nothing does
				return ""
			}
			return d.Retired
		}},
		{"a clause in force", func(d *wasm.DialectInfo) string {
			if !d.HandlerClauses && !d.Events {
				return ""
			}
			return d.ClauseOf("$yield") + " → $on_yield"
		}},
		{"a reference that cannot be used", func(d *wasm.DialectInfo) string { return d.Used }},
	}
	var b strings.Builder
	b.WriteString("| |")
	for _, d := range wasm.Dialects() {
		fmt.Fprintf(&b, " `%s` |", d)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(wasm.Dialects())) + "\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s |", r.what)
		for _, d := range wasm.Dialects() {
			w := r.of(d.Info())
			if w == "" {
				w = "–"
			}
			fmt.Fprintf(&b, " %s |", w)
		}
		b.WriteString("\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
