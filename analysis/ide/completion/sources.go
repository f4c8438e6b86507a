package completion

import (
	"strconv"
	"strings"

	"stackscope/analysis"
	"stackscope/wasm"
)

// itemSource offers what comes next in a parenthesis, given the one around it.
type itemSource func(c *completer, f, around frame)

// sources are the sources by the head word of the parenthesis. In one that is not here an
// instruction follows.
var sources = map[string]itemSource{
	"": func(c *completer, f, _ frame) {
		if len(c.stack) > 1 {
			c.nextInstr(f)
		} else if c.prefix != "" && !strings.HasPrefix(c.prefix, "$") { // outside all parentheses
			c.fieldSkeletons(false)
		}
	},
	"invoke": scriptSource, "get": scriptSource, "register": scriptSource,
	"param": typeSource, "result": typeSource, "local": typeSource,
	"field": typeSource, "mut": typeSource, "array": typeSource,
	"ref": func(c *completer, f, _ frame) { c.heapTypes(f) },
	"type": func(c *completer, f, around frame) {
		if p := around.head; p != "module" && p != "rec" && len(c.stack) > 2 && len(f.args) == 0 {
			c.names(analysis.SpaceType, c.typeFilter(around))
		}
	},
	"cont": func(c *completer, _, _ frame) {
		c.names(analysis.SpaceType, func(y analysis.Symbol) bool { return c.isComp(y, wasm.CompFunc) })
	},
	"sub": func(c *completer, f, _ frame) {
		if len(f.args) == 0 {
			c.words("final")
		}
		c.names(analysis.SpaceType, nil)
	},
	"on": func(c *completer, f, _ frame) {
		switch len(f.args) {
		case 0:
			c.names(analysis.SpaceTag, nil)
		case 1:
			c.clauseTargets(f.args[0].text)
		}
	},
	"catch": catchSource, "catch_ref": catchSource,
	"catch_all": labelSource, "catch_all_ref": labelSource,
	"start": func(c *completer, _, _ frame) {
		c.names(analysis.SpaceFunc, func(y analysis.Symbol) bool {
			ft := c.t.FuncType(y.Index)
			return ft != nil && len(ft.Params)+len(ft.Results) == 0
		})
	},
	"global": func(c *completer, _, around frame) {
		if around.head == "export" {
			c.names(analysis.SpaceGlobal, nil)
			return
		}
		c.valTypes()
	},
	"table": func(c *completer, _, around frame) {
		if around.head == "export" || around.head == "elem" {
			c.names(analysis.SpaceTable, nil)
			return
		}
		c.valTypes()
		c.words("i64")
	},
	"memory": func(c *completer, _, around frame) {
		if around.head == "export" || around.head == "data" {
			c.names(analysis.SpaceMemory, nil)
			return
		}
		c.words("i64", "shared")
	},
	"tag": func(c *completer, _, around frame) {
		if around.head == "export" {
			c.names(analysis.SpaceTag, nil)
		}
	},
	"elem": func(c *completer, _, _ frame) {
		c.words("func", "declare", "funcref")
		c.names(analysis.SpaceFunc, nil)
	},
	"(@stack-switching": func(c *completer, f, _ frame) {
		if len(f.args) == 0 {
			for _, d := range wasm.Dialects() {
				c.add(Item{
					Label: strconv.Quote(d.String()), Filter: d.String(), Kind: ItemKeyword, Detail: d.Info().Seed,
				})
			}
		}
	},
	"module": nothing, "import": nothing, "export": nothing, "rec": nothing, "data": nothing, "struct": nothing,
	"item": func(c *completer, f, around frame) {
		if around.head != "import" {
			c.immediates(f, true)
		}
	},
	"offset": func(c *completer, f, _ frame) { c.immediates(f, true) },
	"func": func(c *completer, f, around frame) {
		switch around.head {
		case "type", "sub", "import", "item":
		case "export":
			c.names(analysis.SpaceFunc, nil)
		default:
			c.nextInstr(f)
		}
	},
}

func nothing(*completer, frame, frame) {}

func scriptSource(c *completer, f, _ frame) { c.scriptNames(f, `"`) }

func typeSource(c *completer, _, _ frame) { c.valTypes() }

func labelSource(c *completer, _, _ frame) { c.labels(nil) }

func catchSource(c *completer, f, _ frame) {
	switch len(f.args) {
	case 0:
		c.names(analysis.SpaceTag, nil)
	case 1:
		c.labels(nil)
	}
}
