package completion

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/wasm"
)

// action reports whether a frame is a command of a script that names a module.
func (f frame) action() bool { return f.head == "invoke" || f.head == "get" || f.head == "register" }

// scriptNames offers what a command of a script names next: a module, and the exports of it. quotes
// are what an export's name still needs around it.
func (c *externs) scriptNames(f frame, quotes string) {
	id, str := "", false
	for _, a := range f.args {
		id = id + strings.TrimPrefix(a.text, `"`)
		str = str || strings.HasPrefix(a.text, `"`)
	}
	if f.head == "register" {
		if str && quotes != "" {
			c.scriptModules()
		}
		return
	}
	if str {
		return
	}
	if id == "" && quotes != "" {
		c.scriptModules()
	}
	x := c.s.ScriptModuleBefore(c.off, strings.TrimPrefix(id, "$"))
	m, _ := x.Declared()
	if m == nil || strings.HasPrefix(c.prefix, "$") {
		return
	}
	for _, e := range m.Exports {
		want, kind := wasm.ExternFunc, ItemFunc
		if f.head == "get" {
			want, kind = wasm.ExternGlobal, ItemGlobal
		}
		if e.Kind != want {
			continue
		}
		text := analysis.QuoteName(e.Name)
		if quotes == "" {
			text = text[1 : len(text)-1]
		}
		c.add(Item{Label: text, Kind: kind, Detail: analysis.ExternText(m, e.Kind, e.Index)})
	}
}

// scriptModules offers the modules and instances that come before the cursor, the last one first.
func (c *externs) scriptModules() {
	ms := c.s.ScriptModules()
	for i := len(ms) - 1; i >= 0; i-- {
		if x := ms[i]; x.Name != "" && x.Span.End <= c.off && !x.Definition {
			line, _ := c.s.File().LineCol(x.Span.Start)
			c.add(
				Item{
					Label:  query.Identifier(x.Name),
					Kind:   ItemModule,
					Detail: "module, line " + query.Index(uint32(line)),
				},
			)
		}
	}
}

// inString completes the string that holds the cursor, if one does.
func (c *completer) inString() {
	text := c.s.File().Text
	if c.quoted.Start == 0 || strings.Contains(text[c.quoted.Start:c.off], "\n") {
		return
	}
	c.prefix, c.replace = text[c.quoted.Start:c.off], c.quoted
	if f := c.frame(0); f.action() {
		c.scriptNames(f, "")
	} else {
		c.externNames(f)
	}
	c.finish()
}
