package syntax

import "strings"

// annot parses the annotation at the current token.
func (p *builder) annot() {
	n := p.open(KAnnot)
	at := p.i
	p.checkName(at, p.text(at)[2:])
	if p.isLoose(at) {
		o := p.lineEnd(at)
		for p.i++; p.i < p.cut && p.raw(p.i).Kind != TokEOF && int(p.raw(p.i).Off) < o; p.i++ {
			if p.raw(p.i).Kind == TokBad {
				p.err(p.i, p.badMsg(p.i))
				at = p.i
			}
		}
		if p.last != at {
			p.err(at, "unclosed annotation")
		}
		p.close(n)
		return
	}
	for d := 0; ; {
		switch p.raw(p.i).Kind {
		case TokAnnot, TokLParen:
			d++
		case TokRParen:
			d--
		case TokBad:
			p.err(p.i, p.badMsg(p.i))
		case TokEOF:
			p.close(n)
			return
		}
		p.i++
		if d == 0 {
			break
		}
	}
	p.close(n)
}

// lineEnd returns the offset of the end of a token's line.
func (p *builder) lineEnd(i int) int {
	o := int(p.raw(i).Off)
	if n := strings.IndexAny(p.src[o:], "\r\n"); n >= 0 {
		return o + n
	}
	return len(p.src)
}

// isLoose reports whether the annotation at a token is never closed.
func (p *builder) isLoose(at int) bool {
	off := int(p.raw(at).Off)
	if off >= p.looseFrom {
		if p.loose[off] {
			p.hi = endless
		}
		return p.loose[off]
	}
	d := 0
	for i := at; ; i++ {
		switch p.raw(i).Kind {
		case TokAnnot, TokLParen:
			d++
		case TokRParen:
			if d--; d == 0 {
				return false
			}
		case TokEOF:
			p.findLoose(at)
			p.hi = endless
			return true
		}
	}
}

// findLoose finds all annotations from a token on that are never closed.
func (p *builder) findLoose(at int) {
	p.looseFrom = int(p.raw(at).Off)
	p.loose = map[int]bool{}
	var stack []int
	for i := at; ; i++ {
		switch p.raw(i).Kind {
		case TokAnnot, TokLParen:
			stack = append(stack, i)
		case TokRParen:
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		case TokEOF:
			for _, i := range stack {
				if p.toks[i].Kind == TokAnnot {
					p.loose[int(p.toks[i].Off)] = true
				}
			}
			return
		}
	}
}
