package syntax

import (
	"strings"

	"stackscope/wasm"
)

// body parses the instructions of a function, and its event clauses.
func (p *parser) body(opener int) {
	p.seq(false)
	p.events()
}

// events parses folded event clauses, behind which nothing may follow.
func (p *parser) events() {
	for p.kind() == TokLParen && p.headKw() == kwEvent {
		if !p.nest() {
			continue
		}
		a := p.i
		n := p.openHead(KEvent)
		p.nodes[n].Op = wasm.OpEvent
		p.eventHead()
		p.seq(false)
		p.shut(n, a)
		p.depth--
	}
}

// eventHead parses $l? $tag bt?.
func (p *parser) eventHead() {
	if p.index("a tag") && p.kind() == TokID {
		p.id()
	} else if p.kind() == TokNat {
		p.i++
	}
	p.typeUse(false)
}

// seq parses instructions up to something that ends them: a `)`, event clauses, and in a flat block
// `end` and its like.
func (p *parser) seq(flat bool) {
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
			p.unexpected("an instruction")
			n := p.open(KError)
			for k := p.kind(); k != TokKeyword && k != TokLParen && k != TokRParen && k != TokEOF; k = p.kind() {
				p.i++
			}
			p.close(n)
		}
	}
}

// form parses a form in the place of an instruction; false if the sequence ends here.
func (p *parser) form() bool {
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
			p.unexpected("parameters, results and locals in front of the instructions")
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
	p.unexpected("an instruction")
	p.skipForm()
	return true
}

// immediates goes over what follows a mnemonic and belongs to it.
func (p *parser) immediates(op wasm.Op) {
	var o order
	first := true
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
			p.err(p.i, p.badMsg(p.i))
			p.i++
		case TokKeyword:
			w := p.word(p.i)
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

// immediateAhead tells whether an immediate follows the annotations at the current token.
func (p *parser) immediateAhead() bool {
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
func (p *parser) immediateForm(op wasm.Op) bool {
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
func (p *parser) catches() {
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

// blockHead parses the label and the type of a block, whose keyword was passed.
func (p *parser) blockHead(op wasm.Op) (label int) {
	label = -1
	if p.kind() == TokID {
		label = p.i
		p.id()
	}
	p.typeUse(false)
	if op == wasm.OpTryTable {
		p.catches()
	}
	return
}

// endLabel goes over the label behind `end` or `else`, which must be the block's.
func (p *parser) endLabel(label int) {
	if p.kind() != TokID {
		return
	}
	p.checkID(p.i)
	s := p.text(p.i)
	if label < 0 {
		if e := p.err(p.i, "mismatching label "+clip(s)+": the block has none"); e != nil {
			e.Delete = true
		}
	} else if want := p.text(label); s != want && !sameID(s, want) {
		if e := p.err(p.i, "mismatching label "+clip(s)+": the block is "+clip(want)); e != nil {
			t := p.tok(label)
			e.Related, e.RelOff, e.RelLen = "the block", p.rel(int(t.Off)), t.Len
		}
	}
	p.i++
}

func sameID(a, b string) bool {
	x, err := DecodeID(a)
	y, err2 := DecodeID(b)
	return err == nil && err2 == nil && x == y
}

// flatBlock parses a block from its keyword to its `end`.
func (p *parser) flatBlock(op wasm.Op) {
	if !p.nest() {
		return
	}
	at := p.i
	n := p.openOp(KBlock, op)
	p.i++
	label := p.blockHead(op)
	state := kwNone
	arm := -1
	for {
		p.seq(true)
		k := kwNone
		if p.kind() == TokKeyword {
			k = p.kw(p.i)
		}
		ok := false
		switch k {
		case kwElse:
			ok = op == wasm.OpIf && state == kwNone
		case kwCatch, kwCatchAll:
			ok = op == wasm.OpTry && state != kwCatchAll
		case kwEvent:
			ok = op == wasm.OpHandle
		case kwDelegate:
			ok = op == wasm.OpTry && state == kwNone
		case kwEnd:
			ok = true
		case kwNone:
			if p.kind() == TokLParen && p.headKw() == kwEvent {
				if op == wasm.OpHandle {
					if arm >= 0 {
						p.close(arm)
						arm = -1
					}
					p.events()
					state = kwEvent
					continue
				}
				p.unexpected("an instruction")
				p.skipForm()
				continue
			}
			// A `)` or the end: `end` is missing.
			if arm >= 0 {
				p.close(arm)
			}
			p.missing("the `end` of `"+op.String()+"`", "end", at)
			p.close(n)
			p.depth--
			return
		}
		if !ok {
			p.unexpected("an instruction of `" + op.String() + "` or `end`")
			m := p.open(KError)
			p.i++
			if p.kind() == TokID || p.kind() == TokNat {
				p.i++
			}
			p.close(m)
			continue
		}
		if arm >= 0 {
			p.close(arm)
			arm = -1
		}
		if k == kwEnd {
			p.i++
			p.endLabel(label)
			break
		}
		if k == kwDelegate {
			p.i++
			p.index("a label")
			break
		}
		state = k
		switch k {
		case kwElse:
			arm = p.openOp(KElse, wasm.OpElse)
			p.i++
			p.endLabel(label)
		case kwEvent:
			arm = p.openOp(KEvent, wasm.OpEvent)
			p.i++
			p.eventHead()
		case kwCatch:
			arm = p.openOp(KCatchBlock, wasm.OpCatch)
			p.i++
			p.index("a tag")
		case kwCatchAll:
			arm = p.openOp(KCatchBlock, wasm.OpCatchAll)
			p.i++
		}
	}
	p.close(n)
	p.depth--
}

// folded parses a folded instruction. The current token is its `(`, a keyword follows.
func (p *parser) folded() {
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
					p.unexpected("an operand") // a clause behind operands
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
			if p.form() {
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

// tagBehind tells whether an instruction's tag may stand behind its first operand.
func (p *parser) tagBehind(op wasm.Op) bool {
	o, ok := op.In(wasm.DialectFibersHandle)
	if !ok || o.Info().Dialect != wasm.DialectFibersHandle {
		return false
	}
	im := o.Info().Imms
	return len(im) == 1 && im[0] == wasm.ImmTag
}

// eventArg parses ($tag operand*).
func (p *parser) eventArg() {
	if !p.nest() {
		return
	}
	a := p.i
	n := p.openHead(KEventArg)
	p.seq(false)
	p.shut(n, a)
	p.depth--
}

// foldedBlock parses (block …) and its like.
func (p *parser) foldedBlock(op wasm.Op) {
	at := p.i
	n := p.openHead(KBlock)
	p.nodes[n].Op = op
	p.blockHead(op)
	switch op {
	case wasm.OpIf:
		p.foldedIf()
	case wasm.OpTry:
		p.foldedTry()
	case wasm.OpHandle:
		p.seq(false)
		p.events()
	default:
		p.seq(false)
		for p.kind() == TokLParen && p.headKw() == kwEvent {
			p.unexpected("an instruction")
			p.skipForm()
			p.seq(false)
		}
	}
	p.shut(n, at)
}

// arm parses (then …) and its like.
func (p *parser) arm(k Kind, op wasm.Op) {
	a := p.i
	n := p.openHead(k)
	p.nodes[n].Op = op
	p.depth++
	if op == wasm.OpCatch {
		p.index("a tag")
	}
	p.seq(false)
	p.shut(n, a)
	p.depth--
}

func (p *parser) foldedIf() {
	for p.kind() == TokLParen {
		switch p.headKw() {
		case kwThen:
			p.arm(KThen, wasm.OpInvalid)
			if p.kind() == TokLParen && p.headKw() == kwElse {
				p.arm(KElse, wasm.OpElse)
			}
			return
		case kwElse:
			p.unexpected("`(then`")
			p.arm(KElse, wasm.OpElse)
			return
		}
		if !p.form() {
			break
		}
	}
	if p.kind() == TokRParen {
		p.err(p.i, "unexpected token `)`: `(then …)` is missing")
		return
	}
	p.junk("`(then`")
}

func (p *parser) foldedTry() {
	if p.kind() != TokLParen || p.headKw() != kwDo {
		p.bad("`(do …)`")
		p.junk("`(do …)`")
		return
	}
	p.arm(KDo, wasm.OpInvalid)
	for p.kind() == TokLParen {
		switch p.headKw() {
		case kwCatch:
			p.arm(KCatchBlock, wasm.OpCatch)
		case kwCatchAll:
			p.arm(KCatchBlock, wasm.OpCatchAll)
			return
		case kwDelegate:
			a := p.i
			n := p.openHead(KInstr)
			p.nodes[n].Op = wasm.OpDelegate
			p.index("a label")
			p.depth++
			p.shut(n, a)
			p.depth--
			return
		default:
			return
		}
	}
}
