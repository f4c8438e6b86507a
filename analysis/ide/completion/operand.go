package completion

import (
	"slices"
	"strconv"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/ide/internal/words"
	"stackscope/wasm"
)

// maxOperands bounds how many whole operands are offered.
const maxOperands = 16

// operand is a whole operand, immediates and all: `local.get $k`.
type operand struct {
	text, detail string
	kind         ItemKind
	operands     int // how many it takes itself
}

// wantedOperands returns operands of just the wanted type: function references, parameters and
// locals, globals, calls.
func (c *operands) wantedOperands() []operand {
	o := &c.ops
	if !o.hole || c.m == nil || c.t.Declared == nil {
		return nil
	}
	var out []operand
	named := func(sp analysis.Space, i int) (string, bool) {
		y, ok := c.m.Symbol(analysis.Sym{Space: sp, Index: uint32(i)})
		return query.Display(y), ok && y.Name != ""
	}
	if o.want.IsRef() {
		for i := range min(len(c.t.Declared.Funcs), maxLooked) {
			if len(out) >= maxOperands/2 {
				break
			}
			if n, ok := named(analysis.SpaceFunc, i); ok && c.funcRefFit(uint32(i)) {
				out = append(out, operand{"ref.func " + n, c.t.Short(c.t.Declared.Funcs[i].Type), ItemFunc, 0})
			}
		}
	}
	for _, y := range c.m.Locals(c.fn) {
		if v, ok := c.t.ValueType(y); ok && y.Name != "" && c.match(v, o.want) {
			out = append(out, operand{"local.get " + query.Display(y), c.t.Val(v), ItemLocal, 0})
		}
	}
	for i, g := range c.t.Declared.Globals {
		if n, ok := named(analysis.SpaceGlobal, i); ok && c.match(g.Type, o.want) {
			out = append(out, operand{"global.get " + n, c.t.Val(g.Type), ItemGlobal, 0})
		}
	}
	out = out[:min(len(out), maxOperands)]
	for i := range min(len(c.t.Declared.Funcs), maxLooked) {
		if len(out) >= maxOperands {
			break
		}
		ft := c.t.FuncType(uint32(i))
		if ft == nil || len(ft.Results) != 1 || !c.match(ft.Results[0], o.want) || uint32(i) == c.fn {
			continue
		}
		if n, ok := named(analysis.SpaceFunc, i); ok {
			out = append(out, operand{"call " + n, c.t.Arrow(ft.Params, ft.Results), ItemFunc, len(ft.Params)})
		}
	}
	return out
}

// funcRefFit reports whether a reference to a function has the wanted type.
func (c *operands) funcRefFit(fn uint32) bool {
	ty := c.t.Declared.Funcs[fn].Type
	return c.t.FuncType(fn) != nil && c.ops.hole && c.match(wasm.Ref(false, wasm.HeapType(ty)), c.ops.want)
}

// wholeOperands offers whole operands where an instruction can begin; folded after a parenthesis.
func (c *completer) wholeOperands(folded bool) {
	if strings.Contains(c.prefix, ".") {
		return
	}
	for _, w := range c.wantedOperands() {
		it := Item{Label: w.text, Kind: w.kind, Detail: w.detail, Fit: fitExact, Insert: w.text}
		if folded {
			it.Insert += c.closing()
			if w.operands > 0 {
				it.Snippet = esc(w.text) + holes(1, w.operands) + c.closing()
			}
		}
		c.add(it)
	}
}

// foldedOperands offers whole operands, with their parentheses, where a folded instruction takes
// its next one.
func (c *completer) foldedOperands(f frame) {
	if ops := wasm.Lookup(f.head); len(ops) == 0 || sequence(f.head) || strings.HasPrefix(c.prefix, "$") ||
		!c.inFunc ||
		c.t.Declared == nil {
		return
	}
	b := c.m.Body(c.fn)
	if b == nil {
		return
	}
	c.ops = operandsAt{}
	c.operandIn(b, f, c.replace.Start)
	for _, w := range c.wantedOperands() {
		it := Item{Label: "(" + w.text + ")", Kind: w.kind, Detail: w.detail, Fit: fitExact}
		if w.operands > 0 {
			it.Snippet = "(" + esc(w.text) + holes(1, w.operands) + ")"
			it.Insert = unsnippet(it.Snippet)
		}
		c.add(it)
	}
	if w := c.ops.want; c.ops.hole && (w == wasm.I32 || w == wasm.I64 || w == wasm.F32 || w == wasm.F64) {
		name := w.String() + ".const"
		c.add(
			Item{
				Label:   "(" + name + " 0)",
				Snippet: "(" + name + " ${1:0})",
				Kind:    ItemInstr,
				Instr:   name,
				Fit:     fitExact,
			},
		)
	}
}

// bindFilter narrows the second type of a cont.bind to those that the first one can become: the
// last parameters of it, and its results.
func (c *offers) bindFilter(from string) func(analysis.Symbol) bool {
	y, ok := c.byText(analysis.SpaceType, from)
	if !ok {
		return nil
	}
	src := c.t.Declared.ContFunc(y.Index)
	if src == nil {
		return nil
	}
	return func(y analysis.Symbol) bool {
		dst := c.t.Declared.ContFunc(y.Index)
		return dst != nil && len(dst.Params) <= len(src.Params) && slices.Equal(dst.Results, src.Results) &&
			slices.Equal(dst.Params, src.Params[len(src.Params)-len(dst.Params):])
	}
}

// byText finds an item of the module by its name or index as written.
func (c *offers) byText(sp analysis.Space, text string) (analysis.Symbol, bool) {
	if c.m == nil || c.t.Declared == nil {
		return analysis.Symbol{}, false
	}
	for _, y := range c.m.Symbols(sp) {
		if query.Display(y) == text || query.Index(y.Index) == text {
			return y, true
		}
	}
	return analysis.Symbol{}, false
}

// annotationWords offers the annotations that mean something at the cursor.
func (c *completer) annotationWords() {
	inFunc := false
	for _, f := range c.stack {
		inFunc = inFunc || f.head == "func"
	}
	add := func(id, rest, doc string) {
		c.add(
			Item{
				Label: "@" + id, Kind: ItemKeyword, Doc: doc,
				Insert: "@" + id + unsnippet(rest) + c.closing(), Snippet: "@" + id + rest + c.closing(),
			},
		)
	}
	add("name", ` "${1:name}"`, words.Annotations["name"])
	if inFunc {
		add("metadata.code.branch_hint", ` "\\0${1:1}"`, words.Annotations["metadata.code.branch_hint"])
		return
	}
	add("custom", ` "${1:name}" "${2:contents}"`, words.Annotations["custom"])
	doc := words.Annotations["stack-switching"]
	add("stack-switching", ` "${1:cont}"`, doc)
	for _, d := range wasm.Dialects() {
		text := "@stack-switching " + strconv.Quote(d.String())
		c.add(Item{
			Label: text, Insert: text + c.closing(), Kind: ItemKeyword, Doc: doc + " Here: " + d.Info().Seed + ".",
		})
	}
}
