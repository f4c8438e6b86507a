package syntax

import (
	"math"
	"strings"
)

// rel returns an offset relative to the unit.
func (p *builder) rel(off int) uint32 { return uint32(off - p.start) }

// follows reports whether a place is so near to the last error, on the same line, that an error
// there would be about the same mistake.
func (p *builder) follows(off int) bool {
	if len(p.errs) == 0 {
		return false
	}
	const near = 160
	last := p.start + int(p.errs[len(p.errs)-1].Off)
	return off-last <= near && (off <= last || !strings.ContainsAny(p.src[last:off], "\r\n"))
}

// err reports an error at a token, unless it follows from the last one.
func (p *builder) err(i int, msg string) *Error {
	if p.last == i || p.tooDeep {
		return nil
	}
	t := p.tok(i)
	off, n := int(t.Off), t.Len
	if t.Kind == TokEOF {
		off, n = p.endOff(), 0
	}
	p.last, p.gap = i, false
	if p.follows(off) {
		return nil
	}
	p.errs = append(p.errs, Error{Off: p.rel(off), Len: n, Message: msg})
	e := &p.errs[len(p.errs)-1]
	p.suggest(e, i)
	return e
}

// unexpected reports the current token.
func (p *builder) unexpected(want string) *Error {
	return p.err(p.i, p.unexpectedMsg(want))
}

func (p *builder) unexpectedMsg(want string) string {
	k := p.tok(p.i).Kind
	if k == TokReserved || k == TokBad {
		return p.badMsg(p.i)
	}
	s := "unexpected token"
	if k != TokEOF {
		s += " `" + clip(p.text(p.i)) + "`"
		if k == TokLParen {
			j := p.head()
			switch {
			case p.emptyAnnot():
				return "empty annotation id"
			case p.tok(j).Kind == TokKeyword:
				s = "unexpected token `(" + clip(p.text(j)) + "`"
			case p.tok(j).Kind == TokReserved || p.tok(j).Kind == TokBad:
				return p.badMsg(j)
			}
		}
	}
	if want != "" {
		s += ": expected " + want
	}
	return s
}

// emptyAnnot reports whether the current `(` was meant to begin an annotation.
func (p *builder) emptyAnnot() bool {
	t := p.tok(p.i)
	return int(t.Off)+1 < len(p.src) && t.Kind == TokLParen && p.src[t.Off+1] == '@'
}

func (p *builder) badMsg(i int) string {
	return badMessage(p.tok(i).Kind, p.text(i))
}

// missing reports that something is missing before the current token. Several things missing at
// the same place are one error, with one text to insert.
func (p *builder) missing(what, insert string, opener int) {
	if p.last == p.i {
		if p.gap && len(p.errs) > 0 {
			e := &p.errs[len(p.errs)-1]
			if e.Insert != "" && insert != "" {
				if insert != ")" {
					insert = " " + insert
				}
				e.Insert += insert
			}
		}
		return
	}
	p.last, p.gap = p.i, true
	if p.follows(p.endOff()) {
		p.gap = false
		return
	}
	msg := "unexpected token"
	if t := p.tok(p.i); t.Kind != TokEOF {
		msg = p.unexpectedMsg("")
	} else if p.i >= p.cut {
		j := p.i
		p.cut = math.MaxInt
		msg = p.unexpectedMsg("")
		p.cut = j
	} else {
		msg = "unexpected token: the text ends"
	}
	e := Error{Off: p.rel(p.endOff()), Message: msg + ": " + what + " is missing", Insert: insert}
	if insert != "" && insert != ")" {
		e.Insert = " " + insert
	}
	if opener >= p.base && opener < p.i {
		t := p.toks[opener]
		e.RelOff, e.RelLen, e.Related = p.rel(int(t.Off)), t.Len, "to match this"
	}
	p.errs = append(p.errs, e)
}
