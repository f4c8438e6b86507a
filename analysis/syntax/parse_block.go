package syntax

import "stackscope/wasm"

// events parses folded event clauses, after which nothing may follow.
func (p *instrParser) events() {
	for p.kind() == TokLParen && (p.headKw() == kwEvent || p.emptyForm(wasm.OpEvent)) {
		if p.kind() != TokLParen || p.headKw() != kwEvent || !p.nest() {
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
func (p *instrParser) eventHead() {
	if p.index("a tag") && p.kind() == TokID {
		p.id()
	} else if p.kind() == TokNat {
		p.i++
	}
	p.typeUse(false)
}

// blockHead parses the label and the type of a block, whose keyword was passed.
func (p *instrParser) blockHead(op wasm.Op) (label int) {
	label = -1
	if p.kind() == TokID {
		label = p.i
		p.id()
	} else if p.kind() == TokKeyword && p.tok(p.next(p.i)).Kind == TokLParen {
		p.bareName()
	}
	p.typeUse(false)
	if op == wasm.OpTryTable {
		p.catches()
	}
	return
}

// endLabel goes over the label after `end` or `else`, which must be the block's.
func (p *instrParser) endLabel(label int) {
	if p.tok(p.next(p.i-1)).Kind != TokID {
		return // annotations here belong to what follows
	}
	p.kind()
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
func (p *instrParser) flatBlock(op wasm.Op) {
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
				p.strayEvent()
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

// foldedBlock parses (block …) and its like.
func (p *instrParser) foldedBlock(op wasm.Op) {
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
		p.afterEvents()
	default:
		p.seq(false)
		for p.kind() == TokLParen && p.headKw() == kwEvent {
			p.strayEvent()
			p.seq(false)
		}
	}
	p.shut(n, at)
}

// arm parses (then …) and its like.
func (p *instrParser) arm(k Kind, op wasm.Op) {
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

func (p *instrParser) foldedIf() {
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

func (p *instrParser) foldedTry() {
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
