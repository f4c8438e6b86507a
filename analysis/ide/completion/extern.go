package completion

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// hostModules are the modules that the runner offers besides files.
var hostModules = []string{"wasi_snapshot_preview1", "spectest", "async", "promise", "promise.then", "promise.catch"}

// externs offers names from other modules: of modules, of their exports, in imports and commands.
type externs struct {
	*offers
	w *ide.World
}

// externNames completes the strings of imports and exports, and of the annotation of the dialect.
func (c *externs) externNames(f frame) {
	switch f.head {
	case "import":
		if names := stringsOf(f); len(names) == 0 {
			c.moduleNames()
		} else if len(names) == 1 {
			c.exportsOf(names[0], externKinds[c.frame(1).head])
		}
	case "item":
		if names := stringsOf(c.frame(1)); c.frame(1).head == "import" && len(names) == 1 && len(f.args) == 0 {
			c.exportsOf(names[0], "")
		}
	case "export":
		if len(stringsOf(f)) > 0 {
			return
		}
		if p := c.frame(1); len(p.args) > 0 && strings.HasPrefix(p.args[0].text, "$") {
			c.add(Item{Label: strings.TrimPrefix(p.args[0].text, "$"), Kind: ItemFunc, Detail: "name of the item"})
		}
	case "(@stack-switching":
		for _, d := range wasm.Dialects() {
			c.add(Item{Label: d.String(), Kind: ItemKeyword})
		}
	}
}

// externKinds are the words of fields that can be imported in place.
var externKinds = map[string]string{
	"func": "func", "table": "table", "memory": "memory", "global": "global", "tag": "tag",
}

// stringsOf returns the strings that stand in a parenthesis so far, decoded.
func stringsOf(f frame) []string {
	var out []string
	for _, a := range f.args {
		if strings.HasPrefix(a.text, `"`) {
			b, _ := syntax.DecodeString(a.text)
			out = append(out, string(b))
		}
	}
	return out
}

// moduleNames offers the modules that an import can name: those that the file imports from already,
// those that a script has registered, those around, and the host's.
func (c *externs) moduleNames() {
	if c.m == nil {
		return
	}
	add := func(name, detail string) {
		text := analysis.QuoteName(name)
		c.add(Item{Label: text[1 : len(text)-1], Kind: ItemModule, Detail: detail})
	}
	for _, im := range c.m.Declared().Imports {
		if im.Module != "" {
			add(im.Module, "already imported here")
		}
	}
	for _, x := range c.s.ScriptModules() {
		if m := c.s.ModuleAt(x.Span.Start); m != nil {
			for _, name := range c.s.RegisteredNames(m) {
				add(name, "registered")
			}
		}
	}
	if c.w != nil && c.w.Names != nil {
		for _, name := range c.w.Names(c.m) {
			add(name, "file")
		}
	}
	for _, name := range hostModules {
		add(name, "host module")
	}
}

// exportsOf offers the exports of a module, of one kind unless that is "".
func (c *externs) exportsOf(module, kind string) {
	if c.m == nil {
		return
	}
	src := c.w.Module(c.m, module)
	if src == nil {
		return
	}
	mod := src.Declared()
	for _, e := range mod.Exports {
		if kind != "" && e.Kind.String() != kind {
			continue
		}
		text := analysis.QuoteName(e.Name)
		c.add(
			Item{
				Label:  text[1 : len(text)-1],
				Kind:   externItems[e.Kind],
				Detail: analysis.ExternText(mod, e.Kind, e.Index),
			},
		)
	}
}

var externItems = map[wasm.ExternKind]ItemKind{
	wasm.ExternFunc: ItemFunc, wasm.ExternTable: ItemTable, wasm.ExternMemory: ItemMemory,
	wasm.ExternGlobal: ItemGlobal, wasm.ExternTag: ItemTag,
}

// importTypes offers what the module that an import names exports under the name, as the import
// describes it. Types of its own module cannot be written here.
func (c *externs) importTypes(f frame) {
	names := stringsOf(f)
	if c.m == nil || len(names) != 2 {
		return
	}
	src := c.w.Module(c.m, names[0])
	if src == nil {
		return
	}
	k := query.ExportNamed(src, names[1])
	if k < 0 {
		return
	}
	e := src.Declared().Exports[k]
	text := analysis.ExternText(src.Declared(), e.Kind, e.Index)
	if strings.Contains(text, "(ref ") {
		return
	}
	word, rest, _ := strings.Cut(text, " ")
	if rest != "" {
		rest = " " + rest
	}
	name := query.Identifier(names[1])
	c.add(
		Item{
			Label: word + " " + name + rest, Filter: word, Insert: word + " " + name + rest + c.closing(),
			Kind: externItems[e.Kind], Detail: "as exported by " + names[0],
		},
	)
}
