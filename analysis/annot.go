package analysis

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/lower"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// The annotations that the appendix of the specification defines. All others mean nothing here.
const (
	nameAnnot   = "name"
	customAnnot = "custom"
	hintAnnot   = "metadata.code.branch_hint"
)

// annotations are what the annotations of a module say.
type annotations struct {
	diags   []diag.Diagnostic
	wrong   bool // there is an error, whatever the severities are set to
	module  string
	items   map[decl.Sym]string // of index spaces, and fields
	units   map[int32]*bodyAnnots
	customs []wasm.Custom
	named   map[namedAt]bool // what has a name already
}

// bodyAnnots are those inside of a function or of an import of one. Parameters are counted from 0,
// other locals from after the parameters.
type bodyAnnots struct {
	params, locals map[uint32]string
	labels         map[uint32]string // by node of the block
	hints          map[uint32]bool   // by node of the instruction: likely
}

// namedAt is a node of a unit.
type namedAt struct {
	unit int32
	node uint32
}

// annotations reads the module's annotations, once.
func (m *Module) annotations() *annotations {
	m.annotOnce.Do(func() {
		m.annots = &annotations{}
		from := m.first
		if m.rng.open >= 0 {
			from = m.rng.open
		}
		if !slices.ContainsFunc(
			m.snap.tree.Units[from:m.first+m.units], func(u syntax.Placed) bool { return u.Annotated },
		) {
			return
		}
		r := &annotReader{m: m, a: m.annots, head: true}
		r.a.items, r.a.units, r.a.named = map[decl.Sym]string{}, map[int32]*bodyAnnots{}, map[namedAt]bool{}
		if m.rng.open >= 0 {
			r.unit(m.unit(int32(m.rng.open - m.first)))
		}
		for i := range m.units {
			r.unit(m.unit(int32(i)))
		}
	})
	return m.annots
}

// annotReader walks the units of a module for annotations.
type annotReader struct {
	m    *Module
	a    *annotations
	u    cursor.Unit
	head bool                      // no field has been seen
	syms map[namedAt]decl.Sym      // what the nodes declare, once needed
	has  [wasm.SectionTag + 1]bool // sections with contents, by id, once needed
	had  bool
}

// unit reads the annotations of a unit.
func (r *annotReader) unit(u cursor.Unit) {
	r.u = u
	if u.IsField() && u.Nodes[0].Kind != syntax.KAnnot {
		r.head = false
	}
	if !u.Annotated {
		return
	}
	var parents []uint32
	for n := range u.Nodes {
		for len(parents) > 0 && int(u.Nodes[parents[len(parents)-1]].Next) <= n {
			parents = parents[:len(parents)-1]
		}
		if u.Nodes[n].Kind == syntax.KAnnot {
			r.annot(uint32(n), parents)
		}
		parents = append(parents, uint32(n))
	}
}

// annot reads an annotation.
func (r *annotReader) annot(n uint32, parents []uint32) {
	x := annotText{u: &r.u, t: r.u.Nodes[n].Tok + 1, end: r.u.Nodes[n].TokEnd}
	if x.end > x.t && r.u.TokKind(x.end-1) == syntax.TokRParen {
		x.end--
	}
	switch annotID(r.u.TokText(r.u.Nodes[n].Tok)) {
	case nameAnnot:
		r.name(n, parents, &x)
	case customAnnot:
		r.custom(n, parents, &x)
	case hintAnnot:
		r.hint(n, parents, &x)
	}
}

// annotID returns the identifier of an annotation from the token that opens it.
func annotID(s string) string {
	s = strings.TrimPrefix(s, "(@")
	if strings.HasPrefix(s, `"`) {
		if b, err := syntax.DecodeString(s); err == nil {
			return string(b)
		}
	}
	return s
}

// report reports an error at tokens [from, to) of the unit at hand.
func (r *annotReader) report(code diag.Code, from, to uint32, msg string) {
	r.a.wrong = r.a.wrong || code == diag.Annotation
	sev := r.m.snap.severity(code)
	if sev == diag.Off {
		return
	}
	a, b := &r.u.Tokens[from], &r.u.Tokens[max(from, to-1)]
	r.a.diags = append(r.a.diags, diag.Diagnostic{Code: code, Severity: sev, Message: msg,
		Span: source.Span{Start: r.u.Off + int(a.Off), End: r.u.Off + int(b.Off+b.Len)}})
}

// bad reports an annotation.
func (r *annotReader) bad(n uint32, msg string) {
	r.report(diag.Annotation, r.u.Nodes[n].Tok, r.u.Nodes[n].TokEnd, msg)
}

// rest reports what stands after all that belongs into an annotation; false if there is something.
func (r *annotReader) rest(x *annotText, id string) bool {
	if !x.more() {
		return true
	}
	r.report(diag.Annotation, x.t, x.t+1, "@"+id+" annotation: unexpected token "+r.u.TokText(x.t))
	return false
}

// annotText walks the tokens inside of an annotation. Annotations in it are left out.
type annotText struct {
	u      *cursor.Unit
	t, end uint32
}

// more reports whether there is a token, which is then at t.
func (x *annotText) more() bool {
	for d := 0; x.t < x.end; x.t++ {
		switch k := x.u.TokKind(x.t); {
		case k == syntax.TokAnnot, d > 0 && k == syntax.TokLParen:
			d++
		case d > 0 && k == syntax.TokRParen:
			d--
		case d == 0:
			return true
		}
	}
	return false
}

// str takes a string literal; ok is false if there is none. A literal with an error, which the
// parser has reported, is empty.
func (x *annotText) str() (b []byte, ok bool) {
	if !x.more() || x.u.TokKind(x.t) != syntax.TokString {
		return nil, false
	}
	b, _ = syntax.DecodeString(x.u.TokText(x.t))
	x.t++
	return b, true
}

// token takes a token of a kind, and returns its text.
func (x *annotText) token(k syntax.TokenKind) (string, bool) {
	if !x.more() || x.u.TokKind(x.t) != k {
		return "", false
	}
	x.t++
	return x.u.TokText(x.t - 1), true
}

// custom reads `(@custom "name" (before|after section)? "data"*)`.
func (r *annotReader) custom(n uint32, parents []uint32, x *annotText) {
	for _, p := range parents {
		if k := r.u.Nodes[p].Kind; k != syntax.KModule && k != syntax.KCommand {
			r.bad(n, "misplaced @custom annotation: a custom section stands between the fields of a module")
			return
		}
	}
	c := wasm.Custom{Place: wasm.LastSection, At: wasm.Pos(r.u.Off) + wasm.Pos(r.u.Tokens[r.u.Nodes[n].Tok].Off)}
	name, ok := x.str()
	switch {
	case !ok:
		r.bad(n, "@custom annotation: missing section name")
		return
	case !utf8.Valid(name):
		r.report(diag.Annotation, x.t-1, x.t, "@custom annotation: malformed UTF-8 encoding")
		return
	}
	c.Name = string(name)
	if at := x.t; x.more() && r.u.TokKind(x.t) == syntax.TokLParen {
		x.t++
		if !r.placement(x, &c) {
			return
		}
		r.checkPlacement(at, x.t, &c)
	}
	for {
		b, ok := x.str()
		if !ok {
			break
		}
		c.Bytes = append(c.Bytes, b...)
	}
	if r.rest(x, customAnnot) {
		r.a.customs = append(r.a.customs, c)
	}
}

// placement reads `before section)` or `after section)`.
func (r *annotReader) placement(x *annotText, c *wasm.Custom) bool {
	fail := func(msg string) bool {
		at := min(x.t, x.end-1)
		r.report(diag.Annotation, at, at+1, "@custom annotation: "+msg)
		return false
	}
	x.more()
	w, _ := x.token(syntax.TokKeyword)
	if w != "before" && w != "after" {
		x.t -= uint32(btoi(w != ""))
		return fail("malformed placement: `(before …)` or `(after …)` is expected")
	}
	c.Before = w == "before"
	x.more()
	w, _ = x.token(syntax.TokKeyword)
	id, known := wasm.SectionNamed(w)
	switch {
	case known:
		c.Place = id
	case w == "first":
		c.Place, c.Before = 0, false // after the header: both sides are the same
	case w == "last":
		c.Place, c.Before = wasm.LastSection, false
	default:
		x.t -= uint32(btoi(w != ""))
		return fail(
			"malformed section kind: first, last or the name of a section is expected, such as import, func or code",
		)
	}
	if _, ok := x.token(syntax.TokRParen); !ok {
		x.more()
		return fail("unexpected token")
	}
	return true
}

// checkPlacement warns of a place beside a section that the module will not have.
func (r *annotReader) checkPlacement(from, to uint32, c *wasm.Custom) {
	if !r.had {
		r.had = true
		mod := r.m.decls().Mod
		for id := range uint8(len(r.has)) {
			// bodies are not looked at
			r.has[id] = id == 0 || id == wasm.LastSection || id == wasm.SectionDataCount || mod.HasSection(id)
		}
	}
	if int(c.Place) < len(r.has) && !r.has[c.Place] {
		r.report(
			diag.CustomPlace,
			from,
			to,
			"the module has no "+wasm.SectionName(
				c.Place,
			)+" section that this one could stand beside; it goes where that would be",
		)
	}
}

// hint reads `(@metadata.code.branch_hint "\00")` or `"\01"`, before an `if` or `br_if`.
func (r *annotReader) hint(n uint32, parents []uint32, x *annotText) {
	const id = "@" + hintAnnot + " annotation: "
	if r.u.Index < 0 || !r.u.IsField() || r.u.Nodes[0].Kind != syntax.KFunc || len(parents) == 0 {
		r.bad(n, id+"not in a function")
		return
	}
	b, ok := x.str()
	for ok {
		var more []byte
		if more, ok = x.str(); ok {
			b = append(b, more...)
		}
	}
	if !r.rest(x, hintAnnot) {
		return
	}
	if len(b) != 1 || b[0] > 1 {
		r.bad(n, id+`invalid value: "\00", unlikely, or "\01", likely, is expected`)
		return
	}
	target := r.behind(n, parents[len(parents)-1])
	if k := r.u.Nodes[target].Kind; target == 0 || k != syntax.KInstr && k != syntax.KBlock ||
		!r.u.Nodes[target].Op.Hintable() {
		r.bad(n, id+"invalid target: it belongs before an `if` or a `br_if`")
		return
	}
	f := r.function()
	if _, dup := f.hints[target]; dup {
		r.bad(n, id+"duplicate annotation")
		return
	}
	f.hints[target] = b[0] == 1
}

// after returns the node that begins right after an annotation, other annotations left out, with
// the same parent; 0 if none does.
func (r *annotReader) behind(n, parent uint32) uint32 {
	t := r.u.Nodes[n].TokEnd
	for c := r.u.Nodes[n].Next; c < r.u.Nodes[parent].Next && r.u.Nodes[c].Tok == t; c = r.u.Nodes[c].Next {
		if r.u.Nodes[c].Kind != syntax.KAnnot {
			return c
		}
		t = r.u.Nodes[c].TokEnd
	}
	return 0
}

// function returns what is known of the unit at hand.
func (r *annotReader) function() *bodyAnnots {
	f := r.a.units[r.u.Index]
	if f == nil {
		f = &bodyAnnots{map[uint32]string{}, map[uint32]string{}, map[uint32]string{}, map[uint32]bool{}}
		r.a.units[r.u.Index] = f
	}
	return f
}

// hintsOf returns the branch hints of the function lowered last.
func hintsOf(b *lower.Body, hints map[uint32]bool) []wasm.Hint {
	var out []wasm.Hint
	for i := range b.Instrs {
		if likely, ok := hints[b.Nodes[i]]; ok && b.Instrs[i].Op.Hintable() {
			out = append(out, wasm.Hint{PC: uint32(i), Likely: likely})
		}
	}
	slices.SortFunc(out, func(a, b wasm.Hint) int { return cmp.Compare(a.PC, b.PC) })
	return out
}
