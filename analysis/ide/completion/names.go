package completion

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/wasm"
)

var itemKinds = map[analysis.Space]ItemKind{
	analysis.SpaceType: ItemType, analysis.SpaceFunc: ItemFunc, analysis.SpaceTable: ItemTable,
	analysis.SpaceMemory: ItemMemory,
	analysis.SpaceGlobal: ItemGlobal, analysis.SpaceTag: ItemTag, analysis.SpaceElem: ItemSegment,
	analysis.SpaceData:  ItemSegment,
	analysis.SpaceLocal: ItemLocal, analysis.SpaceLabel: ItemLabel, analysis.SpaceField: ItemField,
}

// names offers the items of a module-level space that fit; all of them where none fits. fit may be
// nil.
func (c *offers) names(sp analysis.Space, fit func(analysis.Symbol) bool) {
	if c.m == nil || c.t.Declared == nil {
		return
	}
	ys := c.m.Symbols(sp)
	any := false
	for pass := 0; pass < 2 && !any; pass++ {
		for _, y := range ys {
			if pass == 0 && fit != nil && !fit(y) {
				continue
			}
			any = true
			c.symbol(y)
		}
	}
}

// fitting is names for the immediate of an instruction: what goes with the operands comes first.
func (c *offers) fitting(op wasm.Op, sp analysis.Space, fit func(analysis.Symbol) bool) {
	c.fit = func(y analysis.Symbol) uint8 { return c.immFit(op, y) }
	c.names(sp, fit)
	c.fit = nil
}

// branchFit reports which labels a branch can go to with what is on the stack.
func (c *operands) branchFit(op wasm.Op) func([]wasm.ValType) bool {
	if !c.ops.known || op != wasm.OpBr && op != wasm.OpBrIf || c.frame(0).flatAt == 0 {
		return nil
	}
	return func(ts []wasm.ValType) bool {
		if op == wasm.OpBrIf {
			ts = append(query.Concat(ts, nil), wasm.I32)
		}
		return c.onStack(ts)
	}
}

// symbol offers a symbol by its name, or by its index if it has none and an index is typed.
func (c *offers) symbol(y analysis.Symbol) {
	if y.Space == analysis.SpaceType {
		if ty := c.t.Sub(y.Index); ty != nil && ty.Implicit {
			return
		}
	}
	it := Item{Label: query.Display(y), Kind: itemKinds[y.Space]}
	if c.fit != nil {
		it.Fit = c.fit(y)
	}
	if y.Name == "" && strings.HasPrefix(c.prefix, "$") {
		return
	}
	it.symbol = &y
	if !y.N.IsZero() && y.Space != analysis.SpaceLabel {
		it.Decl = c.decl(y)
	}
	c.add(it)
}

// detail reports of which type a symbol is.
func (c *offers) detail(y analysis.Symbol) string {
	switch y.Space {
	case analysis.SpaceLocal, analysis.SpaceField:
		v, ok := c.t.ValueType(y)
		switch {
		case !ok:
			return ""
		case v.IsRef() && v.Heap() >= 0:
			return c.t.Val(v) + " → " + c.t.Short(uint32(v.Heap()))
		}
		return c.t.Val(v)
	}
	s := c.t.Describe(y)
	return s
}

// Decl names an item in a way that outlives edits elsewhere.
type Decl struct {
	Module int // of the file's modules
	Sym    analysis.Sym
}

// decl names a symbol of the completer's module.
func (c *offers) decl(y analysis.Symbol) Decl {
	return Decl{c.module, y.Sym}
}

// DeclDoc returns the documentation of an item that is displayed by a name: the comment above its
// declaration. It is "" if there is none, or another item is there now.
func DeclDoc(s *analysis.Snapshot, d Decl, name string) string {
	ms := s.Modules()
	if d.Module < 0 || d.Module >= len(ms) {
		return ""
	}
	y, ok := ms[d.Module].Symbol(d.Sym)
	if !ok || query.Display(y) != name {
		return ""
	}
	return query.DocAbove(s.File(), y.DeclSpan.Start)
}

// locals offers the parameters and locals of the function around to an instruction: those whose
// type goes with the operands come first.
func (c *offers) locals(op wasm.Op) {
	c.fit = func(y analysis.Symbol) uint8 { return c.immFit(op, y) }
	defer func() { c.fit = nil }()
	if !c.inFunc || c.m == nil || c.t.Declared == nil {
		return
	}
	ys := c.m.Locals(c.fn)
	for _, y := range ys {
		if y.Name != "" {
			c.symbol(y)
		}
	}
	for _, y := range ys {
		if y.Name == "" {
			c.symbol(y)
		}
	}
}

// labels offers the labels around, the innermost first; those that fit come before the others. fit
// may be nil.
func (c *offers) labels(fit func(types []wasm.ValType) bool) {
	types := map[string][]wasm.ValType{}
	if c.inFunc && c.m != nil && c.t.Declared != nil {
		p := query.Place{Snap: c.s, Module: c.m}
		for _, y := range c.m.Labels(c.fn) {
			if y.Name == "" || !y.DeclSpan.Contains(c.off) {
				continue
			}
			if b, blk := p.LabelBlock(y); b != nil {
				types[query.Identifier(y.Name)] = c.t.LabelTypes(b, blk)
			}
		}
	}
	var good, rest []Item
	depth := 0
	seen := map[string]bool{}
	for i := len(c.stack) - 1; i >= 0; i-- {
		f := &c.stack[i]
		for k := len(f.flat) - 1; k >= 0; k-- {
			c.label(f.flat[k], depth, types, fit, seen, &good, &rest)
			depth++
		}
		if ops := wasm.Lookup(f.head); len(ops) > 0 && ops[0].OpensBlock() {
			name := ""
			if len(f.args) > 0 && strings.HasPrefix(f.args[0].text, "$") {
				name = f.args[0].text
			}
			c.label(name, depth, types, fit, seen, &good, &rest)
			depth++
		}
	}
	if len(good) > 0 && fit != nil {
		good[0].Preselect = true
	}
	for _, it := range append(good, rest...) {
		c.add(it)
	}
}

func (c *offers) label(
	name string, depth int, types map[string][]wasm.ValType, fit func([]wasm.ValType) bool,
	seen map[string]bool, good, rest *[]Item,
) {
	it := Item{Label: name, Kind: ItemLabel, Detail: "label " + query.Index(uint32(depth))}
	if name == "" {
		if strings.HasPrefix(c.prefix, "$") {
			return
		}
		it.Label, it.Detail = query.Index(uint32(depth)), "unlabelled block"
	}
	if seen[it.Label] {
		return
	}
	seen[it.Label] = true
	ts, ok := types[name]
	if ok {
		it.Detail += ", type " + c.t.List(ts)
	}
	if ok && fit != nil && fit(ts) {
		*good = append(*good, it)
	} else {
		*rest = append(*rest, it)
	}
}

// fields offers the fields of a structure type by its name or index.
func (c *offers) fields(ty string) {
	if y, ok := c.byText(analysis.SpaceType, ty); ok {
		for _, f := range c.m.Fields(y.Index) {
			c.symbol(f)
		}
	}
}

func (c *offers) isComp(y analysis.Symbol, k wasm.CompKind) bool {
	ty := c.t.Sub(y.Index)
	return ty != nil && ty.Kind == k
}

// typeFilter reports which types a type use can name: function types.
func (c *offers) typeFilter(frame) func(analysis.Symbol) bool {
	return func(y analysis.Symbol) bool { return c.isComp(y, wasm.CompFunc) }
}

// opTypeFilter reports which types an instruction's type immediate can name.
func (c *offers) opTypeFilter(op wasm.Op, _ int) func(analysis.Symbol) bool {
	name := op.String()
	k := op.Info().Dialect.Info().Type
	switch {
	case k != wasm.CompBad:
	case strings.HasPrefix(name, "struct."):
		k = wasm.CompStruct
	case strings.HasPrefix(name, "array."):
		k = wasm.CompArray
	case op == wasm.OpCallRef || op == wasm.OpReturnCallRef:
		k = wasm.CompFunc
	default:
		return nil
	}
	return func(y analysis.Symbol) bool { return c.isComp(y, k) }
}

// clauseFit reports which labels a handler clause for a tag can name: those that take the tag's
// parameters and a continuation.
func (c *offers) clauseFit(tag string) func([]wasm.ValType) bool {
	if y, ok := c.byText(analysis.SpaceTag, tag); ok {
		return c.fitsTag(y.Index)
	}
	return nil
}

func (c *offers) fitsTag(tag uint32) func([]wasm.ValType) bool {
	ft := c.t.TagType(tag)
	if ft == nil {
		return nil
	}
	return func(ts []wasm.ValType) bool {
		n := len(ft.Params)
		if len(ts) != n+1 || !ts[n].IsRef() || ts[n].Heap() < 0 ||
			c.t.Declared.ContFunc(uint32(ts[n].Heap())) == nil {
			return false
		}
		for i, v := range ft.Params {
			if ts[i] != v {
				return false
			}
		}
		return true
	}
}

// esc escapes a text for a snippet.
func esc(s string) string {
	return strings.NewReplacer(`\`, `\\`, "$", `\$`, "}", `\}`).Replace(s)
}
