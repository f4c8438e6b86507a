package wast

import (
	"fmt"

	"stackscope/analysis/syntax"
)

// token is a token at its place in the file.
type token struct {
	kind     syntax.TokenKind
	off, len int
}

func (t token) end() int { return t.off + t.len }

// parser is a cursor over the tokens of a file, without annotations. It records the first error
// of a command.
type parser struct {
	text string
	toks []token // ends with a TokEOF
	i    int
	err  string
	// Of a drive script.
	drive   bool
	nesting int // of the command
}

func newParser(t *syntax.Tree) *parser {
	p := &parser{text: t.Src.Text}
	annot := 0 // depth inside an annotation
	for _, u := range t.Units {
		for _, k := range u.Tokens {
			switch {
			case k.Kind == syntax.TokEOF:
			case k.Kind == syntax.TokAnnot, annot > 0 && k.Kind == syntax.TokLParen:
				annot++
			case annot > 0 && k.Kind == syntax.TokRParen:
				annot--
			case annot == 0:
				p.toks = append(p.toks, token{k.Kind, u.Off + int(k.Off), int(k.Len)})
			}
		}
	}
	p.toks = append(p.toks, token{syntax.TokEOF, len(p.text), 0})
	return p
}

func (p *parser) tok() token { return p.toks[p.i] }

func (p *parser) at(k syntax.TokenKind) bool { return p.toks[p.i].kind == k }

func (p *parser) off() int { return p.toks[p.i].off }

func (p *parser) lit() string { t := p.tok(); return p.text[t.off:t.end()] }

func (p *parser) next() {
	if p.i < len(p.toks)-1 {
		p.i++
	}
}

// word returns the keyword here, "" if it is none.
func (p *parser) word() string {
	if p.at(syntax.TokKeyword) {
		return p.lit()
	}
	return ""
}

// keyword consumes a keyword.
func (p *parser) keyword() string {
	w := p.word()
	if w != "" {
		p.next()
	}
	return w
}

// isOpen reports whether `(` and the keyword are next.
func (p *parser) isOpen(word string) bool {
	if !p.at(syntax.TokLParen) {
		return false
	}
	t := p.toks[p.i+1]
	return t.kind == syntax.TokKeyword && p.text[t.off:t.end()] == word
}

// maxQuoted bounds the characters of a token in a message.
const maxQuoted = 40

// fail records what was expected here, if it is the first error of the command.
func (p *parser) fail(msg string) {
	if p.err != "" {
		return
	}
	got := "end of file"
	if !p.at(syntax.TokEOF) {
		lit := []rune(p.lit())
		if len(lit) > maxQuoted {
			lit = append(lit[:maxQuoted-1], '…')
		}
		got = "`" + string(lit) + "`"
	}
	p.err = fmt.Sprintf("%s, found %s", msg, got)
}

// id consumes an identifier, if there is one, and returns it without `$`.
func (p *parser) id() string {
	if !p.at(syntax.TokID) {
		return ""
	}
	s, err := syntax.DecodeID(p.lit())
	if err != nil {
		p.fail(err.Error())
	}
	p.next()
	return s
}

// str consumes a string.
func (p *parser) str() []byte {
	if !p.at(syntax.TokString) {
		p.fail("expected a string")
		return nil
	}
	b, err := syntax.DecodeString(p.lit())
	if err != nil {
		p.fail(err.Error())
	}
	p.next()
	return b
}

// closing returns the index after the `)` that closes the `(` at token i; the end if there is none.
func (p *parser) closing(i int) int {
	if i, ok := p.closer(i); ok {
		return i + 1
	}
	return len(p.toks) - 1
}

// closer returns the index of the `)` that closes the `(` at token i, and whether there is one.
func (p *parser) closer(i int) (int, bool) {
	depth := 0
	for ; i < len(p.toks)-1; i++ {
		switch p.toks[i].kind {
		case syntax.TokLParen:
			depth++
		case syntax.TokRParen:
			if depth--; depth == 0 {
				return i, true
			}
		}
	}
	return i, false
}
