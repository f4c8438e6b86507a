package syntax

import (
	"strings"

	"stackscope/wasm"
)

// immediates goes over what follows a mnemonic and belongs to it.
func (p *instrParser) immediates(op wasm.Op) {
	var o order
	first := true
	at := p.i
	for {
		k := p.tok(p.i).Kind
		if k == TokAnnot {
			if !p.immediateAhead() {
				return
			}
			k = p.kind()
		}
		switch k {
		case TokID:
			p.checkID(p.i)
			p.i++
		case TokNat, TokInt, TokFloat, TokString:
			p.i++
		case TokReserved, TokBad:
			if p.kind() != k { // a comment or comma of another language
				continue
			}
			p.err(p.i, p.badMsg(p.i))
			p.i++
		case TokKeyword:
			w := p.word(p.i)
			if at == p.i && takesName(op) && p.bareName() {
				continue
			}
			if w.op != wasm.OpInvalid || !w.kw.isImmediate() {
				return
			}
			switch s := p.text(p.i); w.kw {
			case kwMemArg:
				if d := s[strings.IndexByte(s, '=')+1:]; d == "" || class[d[0]] != cDigit || numberKind(d) != TokNat {
					p.err(p.i, "unknown operator "+clip(s))
				}
			case kwNaN:
				if s != "nan:canonical" && s != "nan:arithmetic" {
					p.err(p.i, "unknown operator "+clip(s))
				} else if !p.pattern {
					p.unexpected("a number: NaN patterns are for expected results")
				}
			}
			p.i++
		case TokLParen:
			switch p.headKw() {
			case kwType:
				if !p.typeAsUse() {
					return
				}
				if !first && o&orderSaid == 0 {
					p.unexpected("the type before parameters and results")
					o |= orderSaid
				}
				first = false
			case kwParam:
				p.inOrder(&o, orderParam)
				first = false
			case kwResult:
				p.inOrder(&o, orderResult)
				first = false
			}
			if !p.immediateForm(op) {
				return
			}
		default:
			return
		}
	}
}

// immediateAhead reports whether an immediate follows the annotations at the current token.
func (p *instrParser) immediateAhead() bool {
	j := p.next(p.i - 1)
	switch p.tok(j).Kind {
	case TokID, TokNat, TokInt, TokFloat, TokString:
		return true
	case TokKeyword:
		w := p.word(j)
		return w.op == wasm.OpInvalid && w.kw.isImmediate()
	case TokLParen:
		h := p.next(j)
		switch p.kw(h) {
		case kwType, kwParam, kwResult, kwRef, kwOn:
			return true
		}
	}
	return false
}

// immediateForm parses a form that belongs to an instruction, if one is here.
func (p *instrParser) immediateForm(op wasm.Op) bool {
	h := p.head()
	switch p.tok(h).Kind {
	case TokID, TokNat:
		j := p.next(h)
		if k := p.tok(j).Kind; k != TokID && k != TokNat {
			return false
		}
		a := p.i
		n := p.openHead(KClause)
		p.i++
		p.depth++
		p.shut(n, a)
		p.depth--
		return true
	}
	switch p.kw(h) {
	case kwType:
		if !p.typeAsUse() {
			return false
		}
		p.useType()
	case kwParam:
		p.types(KParam, false)
	case kwResult:
		p.types(KResult, false)
	case kwRef:
		p.refType()
	case kwOn:
		a := p.i
		n := p.openHead(KOn)
		p.index("a tag")
		if p.kind() == TokKeyword && p.kw(p.i) == kwSwitch {
			p.i++
		} else {
			p.index("a label or `switch`")
		}
		p.depth++
		p.shut(n, a)
		p.depth--
	default:
		return false
	}
	return true
}

// catches parses the clauses of try_table.
func (p *instrParser) catches() {
	for p.kind() == TokLParen {
		a := p.i
		k := p.headKw()
		switch k {
		case kwCatch, kwCatchRef, kwCatchAll, kwCatchAllRef:
		default:
			return
		}
		n := p.openHead(KCatch)
		if k == kwCatch || k == kwCatchRef {
			p.index("a tag")
		}
		p.index("a label")
		p.depth++
		p.shut(n, a)
		p.depth--
	}
}
