package action

import (
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// tagUse is a place that names a tag, with the type that it asks of it.
type tagUse struct {
	tok             syntax.Tok
	params, results []wasm.ValType
	known           bool // the type can be seen from the place
}

// tagUsesAt returns the uses of tags that a place belongs to, the innermost first: that of a clause or
// event, and that of the instruction around it.
func tagUsesAt(p query.Place) (uses []tagUse) {
	t := query.NewTypes(p.Module)
	fn, in := p.Module.FuncAt(p.Off)
	if !in || t.Declared == nil {
		return nil
	}
	b := p.Module.Body(fn)
	if b == nil {
		return nil
	}
	for n, up := p.Node, 0; !n.IsZero() && up < 3; n, up = n.Parent(), up+1 {
		use, ok := tagUse{}, false
		switch n.Kind() {
		case syntax.KOn, syntax.KClause, syntax.KCatch:
			use, ok = clauseUse(p, t, b, n)
		case syntax.KEvent:
			use, ok = eventUse(p, t, b, n)
		case syntax.KInstr:
			use, ok = sendUse(p, t, b, n)
		}
		if ok {
			use.known = use.known && t.Named(use.params) && t.Named(use.results)
			uses = append(uses, use)
		}
		if k := n.Kind(); k == syntax.KEvent || k == syntax.KBlock || k == syntax.KInstr && ok {
			break
		}
	}
	return uses
}

// tagToken returns the token of a node, without what is in it, that names a tag.
func tagToken(p query.Place, n syntax.N, skip int) (syntax.Tok, bool) {
	var ids []syntax.Tok
	for o := range n.Own() {
		if o.Kind() == syntax.TokID || o.Kind() == syntax.TokNat {
			ids = append(ids, o)
		}
	}
	for c := range n.Children() { // the event of an instruction
		if c.Kind() == syntax.KEventArg {
			return tagToken(p, c, 0)
		}
	}
	if skip >= len(ids) {
		return syntax.Tok{}, false
	}
	return ids[skip], true
}

// clauseUse returns what a clause asks of its tag: that it brings what its label or function takes.
func clauseUse(p query.Place, t query.Types, b *analysis.Body, n syntax.N) (use tagUse, ok bool) {
	if use.tok, ok = tagToken(p, n, 0); !ok {
		return use, false
	}
	up := n.Parent()
	i, found := b.Index(up)
	if !found {
		return use, true
	}
	in := &b.Instrs[i]
	start, end := wasm.Pos(n.Span().Start), wasm.Pos(n.Span().End)
	label, isSwitch, has := uint32(0), false, false
	if in.Ext != nil {
		for _, h := range in.Ext.HandlerClauses {
			if h.At >= start && h.At < end {
				label, isSwitch, has = h.Label, h.Switch, true
			}
		}
		for _, c := range in.Ext.Catches {
			if c.At >= start && c.At < end {
				label, has = c.Label, true
			}
		}
	}
	if !has {
		return use, true
	}
	d := in.Op.Info().Dialect.Info()
	does := in.Op.Does()
	if isSwitch {
		if cf := t.Declared.ContFunc(in.A); cf != nil {
			use.results, use.known = cf.Results, true
		}
		return use, true
	}
	if d.NewClauses && does&(wasm.DoesCreate|wasm.DoesEnter) == wasm.DoesCreate { // an entry
		if ft := t.FuncType(label); ft != nil {
			k := slices.IndexFunc(ft.Params, func(v wasm.ValType) bool { return v.IsRef() && v.Heap() == d.Ref })
			if k >= 0 {
				use.params, use.known = ft.Params[k+1:], true
			}
		}
		return use, true
	}
	bs := b.Blocks(i)
	if int64(label) >= int64(len(bs)) {
		return use, true
	}
	ts := t.LabelTypes(b, bs[label])
	use.params, use.known = ts, true
	switch last := len(ts) - 1; {
	case n.Kind() == syntax.KCatch:
		if k := n.Keyword(); strings.HasSuffix(k.Text(), "_ref") && last >= 0 {
			use.params = ts[:last]
		}
	case d.HandlerClauses:
		use.known = false
		if last >= 0 && ts[last].IsRef() && ts[last].Heap() >= 0 {
			if cf := t.Declared.ContFunc(uint32(ts[last].Heap())); cf != nil {
				use.params, use.results, use.known = ts[:last], cf.Params, true
			}
		}
	case does&wasm.DoesCreate != 0: // the new stack comes first
		use.known = last >= 0 && ts[0].IsRef() && ts[0].Heap() == d.Ref
		use.params = ts[min(1, len(ts)):]
	case in.Op.Info().Effect == wasm.EffectBranch: // operands of the place come first
		stack := b.StackBefore(i)
		k := min(len(stack), len(ts))
		for k > 0 && !slices.EqualFunc(stack[len(stack)-k:], ts[:k], p.Module.Env().Match) {
			k--
		}
		use.params = ts[k:]
	}
	return use, true
}

// eventUse returns what a clause `(event $tag …)` asks of its tag: the parameters that it writes.
func eventUse(p query.Place, t query.Types, b *analysis.Body, n syntax.N) (use tagUse, ok bool) {
	if use.tok, ok = tagToken(p, n, 1); !ok {
		use.tok, ok = tagToken(p, n, 0)
	}
	if i, found := b.Index(n); ok && found && b.Instrs[i].Block() != 0 {
		use.params, _ = t.BlockType(b.Instrs[i].Block())
		use.known = true
	}
	return use, ok
}

// sendUse returns what an instruction asks of its tag: to take what the instruction is given besides
// stacks, and to return what is wanted where it stands.
func sendUse(p query.Place, t query.Types, b *analysis.Body, n syntax.N) (use tagUse, ok bool) {
	i, found := b.Index(n)
	op := n.Op()
	if found && b.Instrs[i].Op != wasm.OpInvalid {
		op = b.Instrs[i].Op
	} else if here, has := op.In(p.Module.Dialect()); has {
		op = here
	}
	imms := op.Info().Imms
	k := slices.Index(imms, wasm.ImmTag)
	if k < 0 {
		return use, false
	}
	if use.tok, ok = tagToken(p, n, k); !ok || !found {
		return use, ok
	}
	in := &b.Instrs[i]
	d := op.Info().Dialect.Info()
	switch {
	case op == wasm.OpSwitch:
		if cf := t.Declared.ContFunc(in.A); cf != nil {
			use.results, use.known = cf.Results, true
		}
		return use, true
	case d.ReturnEvent && op.Does()&wasm.DoesCreate != 0: // the tag of the return
		fn := in.B
		if op.Does()&wasm.DoesEnter == 0 {
			if fn = wasm.BadIndex; in.Ext != nil && len(in.Ext.HandlerClauses) > 0 {
				fn = in.Ext.HandlerClauses[0].Label
			}
		}
		if ft := t.FuncType(fn); ft != nil {
			use.params, use.known = ft.Results, true
		}
		return use, true
	}
	given := givenTo(b, i, n)
	if given == nil {
		return use, true
	}
	if ty := t.Sub(in.A); op.Info().Throws && ty != nil && ty.Kind == wasm.CompStack {
		use.params, use.known = thrownTo(t, in, ty, given)
		return use, true
	}
	stacks := stacksNamed(op)
	if len(given) < stacks {
		return use, true
	}
	use.known = true
	switch {
	case op == wasm.OpResumeThrow || d.TagFirst:
		use.params = given[:len(given)-stacks]
	default:
		use.params = given[stacks:]
	}
	if d.TagResults || d == wasm.DialectNone.Info() {
		if v, ok := wantedOf(t, b, n); ok && op.Info().Effect == wasm.EffectSuspend {
			use.results = []wasm.ValType{v}
		}
	}
	return use, true
}

// thrownTo returns the type of the tag of an instruction that switches to a stack of type x and throws
// there: its operands between the arguments of a function that is called then and the reference, and
// the reference that comes back.
func thrownTo(t query.Types, in *wasm.Instr, x *wasm.SubType, given []wasm.ValType) ([]wasm.ValType, bool) {
	args := 0
	if k := slices.Index(in.Op.Info().Imms, wasm.ImmFunc); k >= 0 {
		ft := t.FuncType(in.Index(k))
		if ft == nil || len(x.Results) == 0 || x.Results[0].Heap() < 0 {
			return nil, false
		}
		y := t.Sub(uint32(x.Results[0].Heap()))
		if y == nil || len(ft.Params) < len(y.Params)+len(y.Results) {
			return nil, false
		}
		args = len(ft.Params) - len(y.Params) - len(y.Results)
	}
	if len(given) < args+1 {
		return nil, false
	}
	return query.Concat(given[args:len(given)-1], x.Results), true
}

// stacksNamed returns how many references to stacks an instruction takes besides a payload.
func stacksNamed(op wasm.Op) int {
	in := op.Info()
	switch d := in.Dialect.Info(); {
	case op == wasm.OpResumeThrow:
		return 1
	case !d.Events:
		return 0
	case in.Effect == wasm.EffectSwitch || in.Then == wasm.EffectSwitch:
		return 2
	}
	return 1
}

// givenTo returns the types of the operands of an instruction: those that are folded into it, or in
// flat code those of a dialect with events from its lowest stack reference on. It is nil if they
// are not known.
func givenTo(b *analysis.Body, i int, n syntax.N) []wasm.ValType {
	stack := b.StackBefore(i)
	if n.Folded() {
		first, ok := firstInside(b, n)
		if !ok {
			return []wasm.ValType{}
		}
		given := b.HeightBefore(i) - b.HeightBefore(first)
		if given < 0 || given > len(stack) {
			return nil
		}
		return stack[len(stack)-given:]
	}
	op := b.Instrs[i].Op
	d := op.Info().Dialect.Info()
	if !d.Events || b.Unreachable(i) {
		return nil
	}
	names := func(v wasm.ValType) bool {
		if !v.IsRef() {
			return false
		}
		if v.Heap() == d.Ref {
			return true
		}
		ty := b.Module().Env().Type(uint32(v.Heap()))
		return v.Heap() >= 0 && ty != nil && ty.Kind == d.Type && d.Type != wasm.CompBad
	}
	if d.TagFirst {
		return stack
	}
	for k := len(stack) - 1; k >= 0; k-- {
		if names(stack[k]) {
			return stack[max(0, k-stacksNamed(op)+1):]
		}
	}
	return nil
}

// firstInside returns the first instruction that is folded into a node.
func firstInside(b *analysis.Body, n syntax.N) (int, bool) {
	found := -1
	for {
		var first syntax.N
		for c := range n.Children() {
			if c.Kind() == syntax.KInstr || c.Kind() == syntax.KBlock || c.Kind() == syntax.KEventArg {
				first = c
				break
			}
		}
		if first.IsZero() {
			return found, found >= 0
		}
		if j, ok := b.Index(first); ok {
			found = j
		}
		if first.Kind() == syntax.KBlock {
			return found, found >= 0
		}
		n = first
	}
}

// wantedOf returns the type that the one value of a folded operand must have.
func wantedOf(t query.Types, b *analysis.Body, n syntax.N) (wasm.ValType, bool) {
	up := n.Parent()
	i, ok := b.Index(up)
	if !ok || up.Kind() != syntax.KInstr {
		return 0, false
	}
	params, _, ok := t.Instance(b, &b.Instrs[i])
	ops := query.FoldedOperands(up)
	if !ok || len(ops) != len(params) {
		return 0, false
	}
	for k, o := range ops {
		if o.Span() == n.Span() {
			return params[k], params[k].Kind() != wasm.KindUnknown
		}
	}
	return 0, false
}

// retypeTag changes the declaration of a tag to the type that a use asks for, where that leaves
// fewer errors.
func retypeTag(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	for _, use := range tagUsesAt(p) {
		if out := retyped(p, use); out != nil {
			return out
		}
	}
	return nil
}

// retyped changes the declaration of the tag of a use.
func retyped(p query.Place, use tagUse) []diag.Fix {
	r, ok := p.Module.RefAt(use.tok.Span().Start)
	if !use.known || !ok || r.Space != analysis.SpaceTag || r.Index == wasm.BadIndex {
		return nil
	}
	y, ok := p.Module.Symbol(r.Sym)
	if !ok || y.N.Kind() != syntax.KTag || !y.N.First(syntax.KInlineImport).IsZero() || hasNote(y.N.Text()) {
		return nil
	}
	t := query.NewTypes(p.Module)
	ft := t.TagType(r.Index)
	if ft != nil && slices.Equal(ft.Params, use.params) && slices.Equal(ft.Results, use.results) {
		return nil
	}
	at := source.Span{}
	for c := range y.N.Children() {
		switch c.Kind() {
		case syntax.KTypeUse, syntax.KParam, syntax.KResult:
			if at.End == 0 {
				at.Start = cutOut(p, c).Start
			}
			at.End = c.Span().End
		case syntax.KInlineExport:
			if at.End == 0 {
				at.Start = c.Span().End
			}
		}
	}
	if at.End == 0 {
		at.Start = max(at.Start, y.N.Keyword().Span().End)
		if id, ok := y.N.ID(); ok {
			at.Start = max(at.Start, id.Span().End)
		}
		at.End = at.Start
	}
	sig := t.Sig(use.params, use.results)
	edits := []source.Edit{{Span: at, New: sig}}
	if !fewer(p, edits) {
		return nil
	}
	name := query.Display(y)
	return []diag.Fix{{Title: "Change the tag to (tag " + name + sig + ")", Edits: edits}}
}

// fewer reports whether edits leave fewer errors in a text that is not long.
func fewer(p query.Place, edits []source.Edit) bool {
	if len(p.Snap.File().Text) > maxMended {
		return false
	}
	return countErrors(p.Snap.EditAll(edits).Diagnostics()) < countErrors(p.Snap.Diagnostics())
}
