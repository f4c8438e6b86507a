package completion

import (
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

var itemKinds = map[analysis.Space]ItemKind{
	analysis.SpaceType: ItemType, analysis.SpaceFunc: ItemFunc, analysis.SpaceTable: ItemTable, analysis.SpaceMemory: ItemMemory,
	analysis.SpaceGlobal: ItemGlobal, analysis.SpaceTag: ItemTag, analysis.SpaceElem: ItemSegment, analysis.SpaceData: ItemSegment,
	analysis.SpaceLocal: ItemLocal, analysis.SpaceLabel: ItemLabel, analysis.SpaceField: ItemField,
}

// names offers the items of a module-level space that fit; all of them where none fits. fit may be
// nil.
func (c *completer) names(sp analysis.Space, fit func(analysis.Symbol) bool) {
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
func (c *completer) fitting(op wasm.Op, sp analysis.Space, fit func(analysis.Symbol) bool) {
	c.fit = func(y analysis.Symbol) uint8 { return c.immFit(op, y) }
	c.names(sp, fit)
	c.fit = nil
}

// branchFit reports which labels a branch can go to with what is on the stack.
func (c *completer) branchFit(op wasm.Op) func([]wasm.ValType) bool {
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
func (c *completer) symbol(y analysis.Symbol) {
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
func (c *completer) detail(y analysis.Symbol) string {
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
func (c *completer) decl(y analysis.Symbol) Decl {
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
func (c *completer) locals(op wasm.Op) {
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
func (c *completer) labels(fit func(types []wasm.ValType) bool) {
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

func (c *completer) label(
	name string, depth int, types map[string][]wasm.ValType, fit func([]wasm.ValType) bool,
	seen map[string]bool, good, rest *[]Item,
) {
	it := Item{Label: name, Kind: ItemLabel, Detail: "label " + query.Index(uint32(depth))}
	if name == "" {
		if strings.HasPrefix(c.prefix, "$") {
			return
		}
		it.Label, it.Detail = query.Index(uint32(depth)), "block without a label"
	}
	if seen[it.Label] {
		return
	}
	seen[it.Label] = true
	ts, ok := types[name]
	if ok {
		it.Detail += " takes " + c.t.List(ts)
	}
	if ok && fit != nil && fit(ts) {
		*good = append(*good, it)
	} else {
		*rest = append(*rest, it)
	}
}

// fields offers the fields of a structure type by its name or index.
func (c *completer) fields(ty string) {
	if y, ok := c.byText(analysis.SpaceType, ty); ok {
		for _, f := range c.m.Fields(y.Index) {
			c.symbol(f)
		}
	}
}

func (c *completer) isComp(y analysis.Symbol, k wasm.CompKind) bool {
	ty := c.t.Sub(y.Index)
	return ty != nil && ty.Kind == k
}

// typeFilter reports which types a type use can name: function types.
func (c *completer) typeFilter(frame) func(analysis.Symbol) bool {
	return func(y analysis.Symbol) bool { return c.isComp(y, wasm.CompFunc) }
}

// opTypeFilter reports which types an instruction's type immediate can name.
func (c *completer) opTypeFilter(op wasm.Op, _ int) func(analysis.Symbol) bool {
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

// clauseFit reports which labels an on-clause for a tag can name: those that take the tag's
// parameters and a continuation.
func (c *completer) clauseFit(tag string) func([]wasm.ValType) bool {
	if y, ok := c.byText(analysis.SpaceTag, tag); ok {
		return c.fitsTag(y.Index)
	}
	return nil
}

func (c *completer) fitsTag(tag uint32) func([]wasm.ValType) bool {
	ft := c.t.TagType(tag)
	if ft == nil {
		return nil
	}
	return func(ts []wasm.ValType) bool {
		n := len(ft.Params)
		if len(ts) != n+1 || !ts[n].IsRef() || ts[n].Heap() < 0 || c.t.Declared.ContFunc(uint32(ts[n].Heap())) == nil {
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

// onClauses offers whole clauses: for each tag the label that fits, else a place to write one.
func (c *completer) onClauses() {
	if c.m == nil || c.t.Declared == nil {
		return
	}
	// What labels there are, with the word typed so far out of the way.
	probe := completer{s: c.s, m: c.m, t: c.t, off: c.off, fn: c.fn, inFunc: c.inFunc, dialect: c.dialect, stack: c.stack}
	for _, y := range c.m.Symbols(analysis.SpaceTag) {
		tag := query.Display(y)
		fit := c.fitsTag(y.Index)
		probe.out = Result{}
		probe.labels(fit)
		label := ""
		for _, it := range probe.out.Items {
			if it.Preselect {
				label = it.Label
				break
			}
		}
		sig := c.t.Describe(y)
		it := Item{
			Kind: ItemSnippet, Filter: "on " + tag, Detail: "clause for " + tag + " " + sig,
			Doc: query.DocAbove(c.s.File(), y.DeclSpan.Start),
		}
		if label != "" {
			it.Label = "on " + tag + " " + label
			it.Insert = it.Label + c.closing()
		} else {
			it.Label = "on " + tag + " …"
			it.Insert = "on " + tag + " $label" + c.closing()
			it.Snippet = "on " + esc(tag) + " ${1:" + esc("$on_"+strings.TrimPrefix(tag, "$")) + "}" + c.closing()
		}
		c.add(it)
	}
}

// contFor finds the continuation type that a handler gets: from the tag's results to what the
// resumed continuation returns.
func (c *completer) contFor(ft, cf *wasm.SubType) (uint32, bool) {
	if ft == nil {
		return 0, false
	}
	for i := range c.t.Declared.Types {
		if f := c.t.Declared.ContFunc(uint32(i)); f != nil && slices.Equal(f.Params, ft.Results) &&
			slices.Equal(f.Results, cf.Results) {
			return uint32(i), true
		}
	}
	return 0, false
}

func (c *completer) skeleton(ct, tag analysis.Symbol, ft, cf *wasm.SubType, back uint32) Item {
	name := strings.TrimPrefix(query.Display(tag), "$")
	on := "$on_" + name
	var ops strings.Builder
	for i := range cf.Params {
		ops.WriteString(" (" + "local.get $arg" + query.Index(uint32(i)) + ")")
	}
	block := func(label, k, body string) string {
		return "block " + label + c.t.Sig(nil, append(query.Concat(ft.Params, nil), wasm.Ref(false, wasm.HeapType(back)))) + "\n" +
			"  (resume " + query.Display(ct) + " (on " + query.Display(tag) + " " + label + ")" + ops.String() + " (local.get " + k + "))\n" +
			"  ;; it has returned\n" +
			"  " + body + ")\n" +
			";; it has suspended with " + query.Display(tag) + ": payload and continuation are on the stack"
	}
	it := Item{
		Label:  "resume " + query.Display(ct) + " handling " + query.Display(tag),
		Filter: "resume",
		Kind:   ItemSnippet,
		Detail: "handler block for " + query.Display(tag),
		Insert: block(on, "$k", "(return)"),
		Fit:    c.statementFit(),
	}
	it.Snippet = strings.NewReplacer("\x01", "${1:"+esc(on)+"}", "\x02", "${2:\\$k}", "\x03", "${0:(return)}").
		Replace(esc(block("\x01", "\x02", "\x03")))
	if c.closing() == "" {
		// The editor has written the closing parenthesis already; the comment must not swallow it.
		cut := func(s string) string { return s[:strings.LastIndex(s, ")\n")] }
		it.Insert, it.Snippet = cut(it.Insert), cut(it.Snippet)
	}
	it.Doc = "```wat\n(" + block(on, "$k", "(return)") + "\n```"
	return it
}

// closing returns the parenthesis to write behind an item that was begun with `(`: none if there is
// one already.
func (c *completer) closing() string {
	if c.closer == nil {
		s := c.missingParen()
		c.closer = &s
	}
	return *c.closer
}

func (c *completer) missingParen() string {
	rest := c.s.File().Text[c.out.Replace.End:]
	for i := 0; i < len(rest) && i < 200; i++ {
		switch rest[i] {
		case ' ', '\t':
			continue
		case ')':
			if c.balanced() {
				return ")"
			}
			return ""
		}
		break
	}
	return ")"
}

// balanced reports whether the parentheses behind the cursor in this unit close only those opened
// outside the one being written.
func (c *completer) balanced() bool {
	t := c.s.Tree()
	depth := len(c.stack) - 1
	for i := range t.Units {
		u := &t.Units[i]
		if u.Off+int(u.Len) < c.off || u.Off > c.off {
			continue
		}
		for k := range u.Tokens {
			tok := &u.Tokens[k]
			if u.Off+int(tok.Off) < c.off {
				continue
			}
			switch tok.Kind {
			case syntax.TokLParen, syntax.TokAnnot:
				depth++
			case syntax.TokRParen:
				depth--
			}
		}
	}
	return depth > 0
}

// esc escapes a text for a snippet.
func esc(s string) string {
	return strings.NewReplacer(`\`, `\\`, "$", `\$`, "}", `\}`).Replace(s)
}
