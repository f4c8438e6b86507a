package syntax

// atLineStart reports whether only white space stands before a token on its line.
func (p *builder) atLineStart(i int) bool {
	for o := int(p.tok(i).Off) - 1; o >= 0; o-- {
		switch p.src[o] {
		case ' ', '\t':
		case '\n', '\r':
			return true
		default:
			return false
		}
	}
	return true
}

// fieldAhead reports whether the current `(` begins a module field or a command, as seen from
// inside a field, so that the field must have lost its closing parentheses. It then ends the unit
// here.
func (p *builder) fieldAhead() bool {
	if p.tok(p.i).Kind != TokLParen || p.i == p.base {
		return false
	}
	h := p.head()
	k := p.kw(h)
	if !k.isField() && !k.isCommand() {
		return false
	}
	if (p.depth > 1 || k.isCommand()) && !p.atLineStart(p.i) {
		return false
	}
	j := p.next(h)
	id := p.tok(j).Kind == TokID
	if id {
		j = p.next(j)
	}
	nk := p.tok(j).Kind
	switch k {
	case kwType:
		if nk != TokLParen && p.kw(j) != kwRef {
			return false
		}
	case kwExport, kwImport:
		if nk != TokString {
			return false
		}
		if j = p.next(j); p.tok(j).Kind == TokString {
			j = p.next(j)
		}
		if p.tok(j).Kind != TokLParen {
			return false
		}
	case kwFunc, kwTable, kwMemory, kwGlobal, kwTag:
		if (nk == TokRParen && k != kwFunc) || nk == TokKeyword && k == kwFunc {
			return false
		}
	}
	p.cut = p.i
	return true
}

// shut expects the `)` of a form whose `(` is token opener. What stands before it is one error.
func (p *builder) shut(n, opener int) {
	if p.kind() == TokRParen {
		p.i++
		p.close(n)
		return
	}
	p.junk("`)`")
	if p.kind() == TokRParen {
		p.i++
	} else {
		p.missing("`)`", ")", opener)
	}
	p.close(n)
}

// shutLeaf is shut for a form that holds no instructions. If the next line, or a sibling of the
// form, begins where its `)` should be, the `)` is missing and nothing is skipped.
func (p *builder) shutLeaf(n, opener int) {
	if p.kind() == TokLParen {
		sibling := p.atLineStart(p.i)
		switch p.headKw() {
		case kwParam, kwResult, kwLocal, kwType, kwExport, kwImport, kwMut:
			sibling = true
		}
		if sibling {
			p.missing("`)`", ")", opener)
			p.close(n)
			return
		}
	}
	p.shut(n, opener)
}

// junk makes an error node of everything up to the `)` of the current form, or to where the field
// must end.
func (p *builder) junk(want string) {
	if k := p.kind(); k == TokRParen || k == TokEOF || p.fieldAhead() {
		return
	}
	p.unexpected(want)
	n := p.open(KError)
	p.skipTo()
	p.close(n)
}

// skipTo goes over balanced tokens to the next `)` that closes the current form, or to where the
// field must end.
func (p *builder) skipTo() {
	d := 0
	p.depth++
	for {
		k := p.tok(p.i).Kind
		switch k {
		case TokEOF:
			p.depth--
			return
		case TokLParen, TokAnnot:
			if p.fieldAhead() {
				p.depth--
				return
			}
			d++
		case TokRParen:
			if d == 0 {
				p.depth--
				return
			}
			d--
		}
		p.i++
	}
}

// skipForm makes an error node of the current form or token.
func (p *builder) skipForm() {
	n := p.open(KError)
	if p.kind() == TokLParen {
		p.i++
		p.skipTo()
		if p.tok(p.i).Kind == TokRParen {
			p.i++
		}
	} else if p.kind() != TokEOF {
		p.i++
	}
	p.close(n)
}

// nest counts the nesting of forms; false if it is too deep, the form is then skipped.
func (p *builder) nest() bool {
	p.depth++
	if p.depth <= maxDepth {
		return true
	}
	p.err(p.i, "unexpected token: nested too deep: more than 10,000 levels")
	p.tooDeep = true // what follows may only be the consequence
	p.skipForm()
	p.depth--
	return false
}
