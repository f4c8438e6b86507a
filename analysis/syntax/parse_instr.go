package syntax

import "stackscope/wasm"

// body parses the instructions of a function, and its event clauses.
func (p *instrParser) body() {
	p.seq(false)
	p.events()
	p.afterEvents()
}

// seq parses instructions up to something that ends them: a `)`, event clauses, and in a flat block
// `end` and its like.
func (p *instrParser) seq(flat bool) {
	for {
		switch p.kind() {
		case TokRParen, TokEOF:
			return
		case TokKeyword:
			w := p.word(p.i)
			switch w.kw {
			case kwEnd, kwElse, kwCatch, kwCatchAll, kwDelegate, kwEvent:
				if flat {
					return
				}
				e := p.err(p.i, "unexpected token `"+p.text(p.i)+"`: there is no block for it here")
				if e != nil && w.kw == kwEnd {
					e.Delete = true
				}
				n := p.open(KError)
				p.i++
				for p.kind() == TokID || p.kind() == TokNat {
					p.i++
				}
				p.close(n)
				continue
			}
			if w.op == wasm.OpInvalid && w.kw != kwNone {
				p.unexpected("an instruction")
				n := p.open(KError)
				p.i++
				p.close(n)
				continue
			}
			if w.op.OpensBlock() {
				p.flatBlock(w.op)
			} else {
				n := p.openOp(KInstr, w.op)
				p.i++
				p.immediates(w.op)
				p.close(n)
			}
		case TokLParen:
			if !p.form() {
				return
			}
		default:
			p.bareNumber(p.unexpected("an instruction"), p.i, 1)
			n := p.open(KError)
			for k := p.kind(); k != TokKeyword && k != TokLParen && k != TokRParen && k != TokEOF; k = p.kind() {
				p.i++
			}
			p.close(n)
		}
	}
}

// form parses a form in the place of an instruction; false if the sequence ends here.
func (p *instrParser) form() bool {
	if p.emptyForm(wasm.OpInvalid) {
		return true
	}
	h := p.head()
	w := p.word(h)
	if p.tok(h).Kind == TokKeyword && (w.op != wasm.OpInvalid || w.kw == kwNone) {
		switch w.kw {
		case kwEvent:
			return false
		case kwElse, kwEnd, kwCatch, kwCatchAll:
		default:
			p.folded()
			return true
		}
	}
	switch w.kw {
	case kwParam, kwResult, kwLocal:
		if !p.late {
			p.unexpected("parameters, results and locals before the instructions")
			p.late = true
		}
		if w.kw == kwParam {
			p.types(KParam, true)
			return true
		}
		if w.kw == kwResult {
			p.types(KResult, true)
			return true
		}
		p.types(KLocal, true)
		return true
	case kwType:
		if p.typeAsUse() {
			p.unexpected("an instruction")
			p.useType()
			return true
		}
	}
	if p.fieldAhead() {
		return false
	}
	if k := p.tok(h).Kind; (k == TokNat || k == TokInt || k == TokFloat) && p.tok(p.next(h)).Kind == TokRParen &&
		h == p.i+1 &&
		p.next(h) == h+1 {
		p.bareNumber(p.unexpected("an instruction"), h, 3)
	} else if e := p.unexpected("an instruction"); e != nil && w.kw == kwValType && w.op == wasm.OpInvalid {
		e.Message += "; results are written `(result " + clip(p.text(h)) + ")`"
		e.Insert = "(result "
		e.Replace = true
	}
	p.skipForm()
	return true
}

// folded parses a folded instruction. The current token is its `(`, a keyword follows.
func (p *instrParser) folded() {
	if !p.nest() {
		return
	}
	at := p.i
	op := p.word(p.head()).op
	if op.OpensBlock() {
		p.foldedBlock(op)
		p.depth--
		return
	}
	n := p.openHead(KInstr)
	p.nodes[n].Op = op
	p.immediates(op)
	for {
		switch p.kind() {
		case TokRParen:
			p.i++
			p.close(n)
			p.depth--
			return
		case TokLParen:
			h := p.head()
			if k := p.tok(h).Kind; k == TokID || k == TokNat {
				j := p.next(h)
				if k := p.tok(j).Kind; k == TokID || k == TokNat {
					p.unexpected("an operand") // a clause after operands
					p.immediateForm(op)
					continue
				}
				p.eventArg()
				continue
			}
			if p.kw(h) == kwOn || p.kw(h) == kwRef {
				p.unexpected("an operand")
				p.immediateForm(op)
				continue
			}
			if p.emptyForm(op) || p.form() {
				continue
			}
			if p.kind() == TokLParen { // an event clause
				p.unexpected("an operand")
				p.skipForm()
				continue
			}
		case TokID, TokNat:
			if p.tagBehind(op) {
				p.id()
				if p.kind() == TokNat {
					p.i++
				}
				continue
			}
		case TokKeyword:
			p.junk("an operand in parentheses, or `)`")
		}
		p.shut(n, at)
		p.depth--
		return
	}
}

// tagBehind reports whether an instruction's tag may stand after its first operand.
func (p *instrParser) tagBehind(op wasm.Op) bool {
	if op.Info().Dialect == wasm.DialectNone {
		return false
	}
	for _, o := range wasm.Lookup(op.Info().Name) {
		info := o.Info()
		if info.Dialect.Info().TagAfter && len(info.Imms) == 1 && info.Imms[0] == wasm.ImmTag {
			return true
		}
	}
	return false
}

// eventArg parses ($tag operand*).
func (p *instrParser) eventArg() {
	if !p.nest() {
		return
	}
	a := p.i
	n := p.openHead(KEventArg)
	p.seq(false)
	p.shut(n, a)
	p.depth--
}
