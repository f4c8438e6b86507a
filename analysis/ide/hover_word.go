package ide

import (
	"strings"

	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/ide/internal/words"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// hoverWord describes a word of the format.
func (p describer) hoverWord() (HoverInfo, bool) {
	word := p.Tok.Text()
	h := HoverInfo{Span: p.Tok.Span()}
	if d, ok := words.Type(word, followsParen(p.Place)); ok {
		var c card
		c.code(word)
		c.para(d)
		h.Markdown = c.String()
		return h, true
	}
	if d, ok := words.Word[word]; ok {
		var c card
		c.code(word)
		c.para(d)
		h.Markdown = c.String()
		return h, true
	}
	if len(wasm.Lookup(word)) > 0 {
		h.Markdown = InstrDoc(word)
		return h, true
	}
	return h, false
}

// hoverAnnotation describes an annotation; of one that names a design, what that adds.
func (p describer) hoverAnnotation() (HoverInfo, bool) {
	var id, value string
	for t := range p.Node.Own() {
		switch t.Kind() {
		case syntax.TokAnnot:
			id = strings.TrimPrefix(t.Text(), "(@")
		case syntax.TokString:
			if b, err := syntax.DecodeString(t.Text()); err == nil && value == "" {
				value = string(b)
			}
		}
	}
	doc, ok := words.Annotations[id]
	if !ok {
		return HoverInfo{}, false
	}
	var c card
	if id == "stack-switching" {
		if d, ok := wasm.ParseDialect(value); ok {
			c.code(p.Node.Text())
			var ops []string
			for op := wasm.OpInvalid + 1; op < wasm.NumOps; op++ {
				if op.Info().Dialect == d {
					ops = append(ops, "`"+op.String()+"`")
				}
			}
			c.para(doc + " Here: " + d.Info().Seed + ", with " + strings.Join(ops, ", ") + ".")
			return HoverInfo{p.Node.Span(), c.String()}, true
		}
	}
	c.code("(@" + id + " …)")
	c.para(doc)
	return HoverInfo{p.Tok.Span(), c.String()}, true
}

// followsParen reports whether the token stands right after an opening parenthesis.
func followsParen(p query.Place) bool {
	t := p.Snap.File().Text
	return strings.HasSuffix(strings.TrimRight(t[:p.Tok.Span().Start], " \t\r\n"), "(")
}
