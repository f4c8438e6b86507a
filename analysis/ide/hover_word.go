package ide

import (
	"strings"

	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/ide/internal/words"
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

// followsParen reports whether the token stands right after an opening parenthesis.
func followsParen(p query.Place) bool {
	t := p.Snap.File().Text
	return strings.HasSuffix(strings.TrimRight(t[:p.Tok.Span().Start], " \t\r\n"), "(")
}
