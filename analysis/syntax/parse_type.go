package syntax

import "stackscope/wasm"

// types parses (param …), (result …) or (local …).
func (p *typeParser) types(k Kind, named bool) {
	a := p.i
	n := p.openHead(k)
	p.depth++
	if named && p.nameAhead() {
		p.bareName()
		p.valTypes()
	} else if p.kind() == TokID {
		name := p.i
		p.id()
		if p.kind() == TokID {
			if !named {
				p.err(name, "unexpected token `"+clip(p.text(name))+"`: no name can stand here")
			}
			p.id() // fibers-handle: a type defined as a reference, by name
		} else if c := p.valTypes(); c == 0 && k != KResult {
			p.bad("a type")
		} else if c > 1 {
			p.err(name, "unexpected token `"+clip(p.text(name))+"`: only one type can follow a name")
		} else if c > 0 && !named {
			p.err(name, "unexpected token `"+clip(p.text(name))+"`: no name can stand here")
		}
	} else {
		p.valTypes()
	}
	if k == KLocal && !p.atLineStart(p.i) {
		p.noInitial()
	}
	p.shutLeaf(n, a)
	p.depth--
}

// valTypes parses value types and reports how many there are.
func (p *typeParser) valTypes() (c int) {
	for p.valType() {
		c++
	}
	return
}

// valType parses one value or storage type, if there is one here.
func (p *typeParser) valType() bool {
	switch p.kind() {
	case TokKeyword:
		w := p.word(p.i)
		if w.kw == kwRef {
			p.bareRef()
			return true
		}
		if w.kw != kwValType {
			if w.op != wasm.OpInvalid || w.kw != kwNone {
				p.unexpected("a type")
			} else {
				e := p.err(p.i, "unknown operator "+clip(p.text(p.i))+": expected a type")
				if near := nearType(p.text(p.i)); e != nil && near != "" {
					e.Message += "; did you mean " + near + "?"
					e.Insert, e.Replace = near, true
				}
			}
		}
		n := p.open(KNumType)
		p.i++
		p.close(n)
		return true
	case TokReserved, TokBad:
		p.unexpected("")
		n := p.open(KError)
		p.i++
		p.close(n)
		return true
	case TokLParen:
		if p.headKw() == kwRef {
			p.refType()
			return true
		}
	}
	return false
}

// refType parses (ref null? ht).
func (p *typeParser) refType() {
	a := p.i
	n := p.openHead(KRefType)
	p.depth++
	p.heapType()
	p.shutLeaf(n, a)
	p.depth--
}

// heapType parses null? ht, and after `fiber` its result types.
func (p *typeParser) heapType() {
	if p.kind() == TokKeyword && p.kw(p.i) == kwNull {
		p.i++
	}
	switch p.kind() {
	case TokID, TokNat:
		p.index("")
	case TokKeyword:
		k := p.kw(p.i)
		if !k.isHeapType() {
			p.unexpected("a heap type")
		}
		p.i++
		if k == kwFiber {
			p.valTypes()
		}
	default:
		p.bad("a heap type")
	}
}

// subType parses (sub final? x* comptype) or a composite type.
func (p *typeParser) subType() {
	if p.kind() == TokKeyword && p.kw(p.i) == kwRef {
		// fibers-handle: (type $t ref fiber …)
		n := p.open(KRefType)
		p.i++
		p.heapType()
		p.close(n)
		return
	}
	if p.kind() != TokLParen {
		p.bad("a type definition")
		return
	}
	if p.headKw() != kwSub {
		p.compType()
		return
	}
	a := p.i
	n := p.openHead(KSub)
	p.depth++
	if p.kind() == TokKeyword && p.kw(p.i) == kwFinal {
		p.i++
	}
	for p.kind() == TokID || p.kind() == TokNat {
		p.index("")
	}
	if p.kind() == TokLParen {
		p.compType()
	} else {
		p.bad("a type definition")
	}
	p.shut(n, a)
	p.depth--
}

func (p *typeParser) compType() {
	a := p.i
	p.depth++
	defer func() { p.depth-- }()
	var n int
	switch p.headKw() {
	case kwFunc:
		n = p.openHead(KFuncType)
		p.noTypeUse()
		p.typeUse(true)
	case kwStruct:
		n = p.openHead(KStructType)
		for p.kind() == TokLParen && p.headKw() == kwField {
			b := p.i
			f := p.openHead(KField)
			p.depth++
			named := p.id()
			name := p.i - 1
			c := 0
			for p.storageType() {
				c++
			}
			if named && c != 1 && p.last != p.i {
				p.err(name, "unexpected token `"+clip(p.text(name))+"`: exactly one type must follow a name")
			}
			p.shut(f, b)
			p.depth--
		}
	case kwArray:
		n = p.openHead(KArrayType)
		if !p.storageType() {
			p.bad("the type of the elements")
		}
	case kwCont:
		n = p.openHead(KContType)
		if k := p.kind(); k == TokID || k == TokNat {
			p.index("")
		} else if k == TokLParen {
			p.typeUse(true)
		} else {
			p.functionType()
		}
	case kwStack:
		n = p.openHead(KStackType)
		for {
			if p.kind() == TokLParen {
				if k := p.headKw(); k == kwParam {
					p.types(KParam, true)
					continue
				} else if k == kwResult {
					p.types(KResult, false)
					continue
				}
			}
			if !p.valType() {
				break
			}
		}
	case kwFiber:
		n = p.openHead(KFiberType)
		for p.kind() == TokLParen && p.headKw() == kwResult {
			p.types(KResult, false)
		}
	case kwRef:
		p.refType() // fibers-handle: (type $t (ref fiber …))
		return
	default:
		p.junk("a type definition")
		return
	}
	p.shut(n, a)
}

func (p *typeParser) noTypeUse() {
	if p.kind() == TokLParen && p.headKw() == kwType && p.typeAsUse() {
		p.unexpected("parameters and results")
	}
}

// storageType parses a value type, a packed type or (mut t).
func (p *typeParser) storageType() bool {
	if p.kind() == TokLParen && p.headKw() == kwMut {
		p.mut()
		return true
	}
	return p.valType()
}

func (p *typeParser) mut() {
	a := p.i
	n := p.openHead(KMut)
	p.depth++
	if !p.valType() {
		p.bad("a type")
	}
	p.shut(n, a)
	p.depth--
}

func (p *typeParser) globalType() {
	if !p.storageType() {
		p.bad("the type of the global")
	}
}
