package completion

import (
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/wasm"
)

// isIndex reports whether a word is a name or an index, as the first word of a clause is.
func isIndex(word string) bool {
	return strings.HasPrefix(word, "$") || word != "" && word[0] >= '0' && word[0] <= '9'
}

// frameEvents reports whether the place may have event clauses.
func (c *scanner) frameEvents() bool {
	for _, d := range wasm.Dialects() {
		if d.Info().FrameEvents && c.dialect.Admits(d) {
			return true
		}
	}
	return false
}

// around is the instruction that the clause at the cursor belongs to, as it is written so far.
func (c *operands) around() (in wasm.Instr, args []arg, ok bool) {
	op, args, ok := c.instrOf(c.frame(1))
	if !ok || op.Info().Dialect == wasm.DialectNone {
		return in, nil, false
	}
	saved := c.typed
	c.read(op, args, len(op.Info().Imms))
	in, c.typed = c.typed.in, saved
	if b := c.body(); b != nil { // with the clauses before this one
		f := c.frame(1)
		at := f.headAt
		if f.flatAt > 0 {
			at = f.flatAt
		}
		if i := b.At(at); i >= 0 && i < len(b.Instrs) && b.Instrs[i].Op == op && b.Span(i).Start == at {
			in.Ext = b.Instrs[i].Ext
		}
	}
	return in, args, true
}

func (c *operands) body() *analysis.Body {
	if !c.inFunc || c.m == nil || c.t.Declared == nil {
		return nil
	}
	return c.m.Body(c.fn)
}

// hasClauses reports whether an instruction takes clauses without a word.
func hasClauses(op wasm.Op) bool { return slices.Contains(op.Info().Imms, wasm.ImmClauses) }

// namesFuncs reports whether the clauses of an instruction name functions rather than labels.
func namesFuncs(op wasm.Op) bool {
	return hasClauses(op) && op.Does()&(wasm.DoesCreate|wasm.DoesEnter) == wasm.DoesCreate
}

// takes reports which labels a clause for a tag of an instruction can name, by the values that come
// to them; nil if the tag is not known.
func (c *operands) clauseTakes(in *wasm.Instr, tag uint32) func([]wasm.ValType) bool {
	ft := c.t.TagType(tag)
	if ft == nil {
		return nil
	}
	brings := ft.Params
	if in.Op.Does()&wasm.DoesCreate != 0 { // the new stack comes first
		brings = query.Concat([]wasm.ValType{wasm.Ref(false, in.Op.Info().Dialect.Info().Ref)}, brings)
	}
	return func(ts []wasm.ValType) bool {
		n := len(ts) - len(brings)
		if n < 0 || n > 0 && in.Op.Info().Effect != wasm.EffectBranch {
			return false
		}
		for i, v := range brings {
			if !c.match(v, ts[n+i]) {
				return false
			}
		}
		return n == 0 || !c.ops.known || c.onStack(ts[:n])
	}
}

// entryFit reports how well a function is the entry for a tag of an instruction that makes a stack.
func (c *operands) entryFit(in *wasm.Instr, tag, fn uint32) uint8 {
	ft, brings := c.t.FuncType(fn), c.t.TagType(tag)
	if ft == nil || brings == nil || len(ft.Params) <= len(brings.Params) {
		return fitNot
	}
	if v := ft.Params[len(ft.Params)-1-len(brings.Params)]; !v.IsRef() || v.Heap() != in.Op.Info().Dialect.Info().Ref {
		return fitNot
	}
	if c.asked++; c.asked > maxEntries {
		return fitUnknown
	}
	x := *in
	x.Ext = &wasm.Ext{}
	if in.Ext != nil { // the operands are those of the entries before
		for _, h := range in.Ext.HandlerClauses {
			if h.At < wasm.Pos(c.frame(0).open) && h.Tag != wasm.BadIndex && h.Label != wasm.BadIndex {
				x.Ext.HandlerClauses = append(x.Ext.HandlerClauses, h)
			}
		}
	}
	x.Ext.HandlerClauses = append(x.Ext.HandlerClauses, wasm.HandlerClause{Tag: tag, Label: fn})
	if a, ok := c.m.Env().Ask(&x, nil); !ok || !a.Fits {
		return fitNot
	}
	return fitExact
}

// clauseTargets offers what a clause for a tag of the instruction around names: labels, or the
// functions that a new stack begins in.
func (c *offers) clauseTargets(tag string) {
	in, _, ok := c.around()
	i, known := uint32(0), false
	if c.m != nil && c.t.Declared != nil {
		i, known = c.indexOf(analysis.SpaceTag, tag)
	}
	switch {
	case !ok || !hasClauses(in.Op):
		c.labels(c.clauseFit(tag))
		c.words("switch")
	case namesFuncs(in.Op):
		if known {
			c.fit = func(y analysis.Symbol) uint8 { return c.entryFit(&in, i, y.Index) }
		}
		c.names(analysis.SpaceFunc, nil)
		c.fit = nil
		for k := range c.out.Items {
			if it := &c.out.Items[k]; known && it.Kind == ItemFunc && it.Fit == fitExact {
				it.Preselect = true
				break
			}
		}
	case known:
		c.labels(c.clauseTakes(&in, i))
	default:
		c.labels(nil)
	}
}

// clauseRest offers what follows the tag of a clause without a word: a target, or in the event of
// an instruction that sends one, an operand.
func (c *completer) clauseRest(f frame) {
	in, _, ok := c.around()
	switch {
	case ok && hasClauses(in.Op) && len(f.args) == 0:
		c.out.Name = true
		c.clauseTargets(f.head)
	case ok && in.Op.Info().Dialect.Info().EventOperand:
		c.instructions(false)
	}
}

// bareClauses offers what a parenthesis with a name can begin: clauses of the instruction around,
// whole ones first, or the event that it sends.
func (c *completer) bareClauses() {
	in, args, ok := c.around()
	switch {
	case ok && hasClauses(in.Op):
		c.wholeClauses(&in, args)
	case ok && in.Op.Info().Dialect.Info().EventOperand:
		c.eventOperands(args)
	}
	c.names(analysis.SpaceTag, nil)
}

// wholeClauses offers a clause for each tag, with the label or function that fits best, else a
// place to write one. Tags that have a clause come last.
func (c *pieces) wholeClauses(in *wasm.Instr, args []arg) {
	if c.m == nil || c.t.Declared == nil {
		return
	}
	for _, a := range args {
		if ops := wasm.Lookup(a.text); a.group && len(ops) > 0 {
			return // operands follow the clauses
		}
	}
	for _, y := range c.m.Symbols(analysis.SpaceTag) {
		tag := query.Display(y)
		target := c.bestTarget(in, y.Index)
		it := Item{
			Kind: ItemSnippet, Detail: "clause for " + tag + " " + c.t.Describe(y), Fit: fitLikely,
			Doc: query.DocAbove(c.s.File(), y.DeclSpan.Start),
		}
		if target != "" {
			it.Label, it.Fit = tag+" "+target, fitExact
			it.Insert = it.Label + c.closing()
		} else {
			it.Label = tag + " …"
			to := "$on_" + strings.TrimPrefix(tag, "$")
			it.Insert = tag + " " + to + c.closing()
			it.Snippet = esc(tag) + " ${1:" + esc(to) + "}" + c.closing()
		}
		if slices.ContainsFunc(args, func(a arg) bool { return a.group && a.text == tag }) {
			it.Fit = fitNot
		}
		c.add(it)
	}
}

// bestTarget returns the label or function that fits a clause for a tag, "" if none does.
func (c *pieces) bestTarget(in *wasm.Instr, tag uint32) string {
	if namesFuncs(in.Op) {
		fn, _ := c.bestEntry(in, tag)
		return fn
	}
	return c.bestLabel(c.clauseTakes(in, tag))
}

// maxEntries bounds how often the engine is asked about a function as an entry.
const maxEntries = 1000

// bestEntry returns the first function that can be the entry for a tag, by name and index; "" if
// none can.
func (c *pieces) bestEntry(in *wasm.Instr, tag uint32) (name string, index uint32) {
	for _, y := range c.entries(in.Op.Info().Dialect.Info().Ref) {
		if c.entryFit(in, tag, y.Index) == fitExact {
			return query.Display(y), y.Index
		}
	}
	return "", 0
}

// entries returns a function with a name of each type that takes a reference to a stack.
func (c *operands) entries(ref wasm.HeapType) []analysis.Symbol {
	if c.byType != nil {
		return c.byType
	}
	c.byType = []analysis.Symbol{}
	seen := map[uint32]bool{}
	for _, y := range c.m.Symbols(analysis.SpaceFunc) {
		if int(y.Index) >= len(c.t.Declared.Funcs) || y.Name == "" || len(c.byType) >= maxAsked {
			continue
		}
		ty := c.t.Declared.Funcs[y.Index].Type
		if ft := c.t.FuncType(y.Index); ft == nil || seen[ty] ||
			!slices.ContainsFunc(ft.Params, func(v wasm.ValType) bool { return v.IsRef() && v.Heap() == ref }) {
			continue
		}
		seen[ty] = true
		c.byType = append(c.byType, y)
	}
	return c.byType
}

// bestLabel returns the innermost label that fits, "" if none does.
func (c *pieces) bestLabel(fit func([]wasm.ValType) bool) string {
	// What labels there are, with the word typed so far out of the way.
	around := &scanner{s: c.s, off: c.off, dialect: c.dialect, stack: c.stack}
	probe := offers{operands: &operands{scanner: around, m: c.m, t: c.t, fn: c.fn, inFunc: c.inFunc}}
	probe.labels(fit)
	for _, it := range probe.out.Items {
		if it.Preselect {
			return it.Label
		}
	}
	return ""
}

// eventOperands offers the events that an instruction can have as its last operand, with places for
// what they bring.
func (c *completer) eventOperands(args []arg) {
	hasTag := slices.ContainsFunc(args, func(a arg) bool { return !a.group && isIndex(a.text) })
	if c.m == nil || c.t.Declared == nil || hasTag {
		return
	}
	fit := fitUnknown
	if slices.ContainsFunc(args, func(a arg) bool { return a.group }) {
		fit = fitExact // the event is the last operand
	}
	c.tags(func(y analysis.Symbol, ft *wasm.SubType) bool {
		tag := query.Display(y)
		it := Item{
			Label: tag, Kind: ItemTag, Detail: "event " + c.t.Describe(y), Fit: fit,
			Insert: tag + c.closing(),
		}
		if n := len(ft.Params); n > 0 {
			it.Label += strings.Repeat(" (…)", n)
			it.Snippet = esc(tag) + holes(1, n) + c.closing()
			it.Insert = unsnippet(it.Snippet)
		}
		c.add(it)
		return len(c.out.Items) < maxItems
	})
}

// eventClauses offers an event clause for each tag that the block, or function, around has none for.
func (c *completer) eventClauses(f frame) {
	if !c.frameEvents() || c.m == nil || c.t.Declared == nil ||
		f.head != "handle" && f.head != "func" {
		return
	}
	if f.head == "func" && c.dialect == wasm.DialectNone {
		return // it would decide on the dialect of the module
	}
	c.tags(func(y analysis.Symbol, _ *wasm.SubType) bool {
		tag := query.Display(y)
		c.piece("event "+tag, "event "+tag, "clause for "+tag+" "+c.t.Describe(y), "event "+esc(tag)+"\n  $0)")
		return len(c.out.Items) < maxItems
	})
	c.snips(snip{"event", "event \\$${1:tag}\n  $0"})
}
