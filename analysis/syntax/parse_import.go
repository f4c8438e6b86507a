package syntax

// importItems parses what follows the module's name in a group of imports (proposal
// compact-import-section): items that have a type each, or items without one and the type that they
// share. A group may be empty, and a type without items is shared by none.
func (p *parser) importItems() {
	first, typed := -1, false // the first item, and whether it has a type
	for p.kind() == TokLParen && p.headKw() == kwItem {
		a := p.i
		n := p.openHead(KImportItem)
		p.depth++
		p.name()
		switch has := p.kind() == TokLParen; {
		case first < 0:
			first, typed = a, has
			fallthrough
		case has == typed:
			if has {
				p.externType()
			}
		case has:
			p.unexpected("`)`: the items of this group share a type, as the first one has none")
			p.skipForm()
		default:
			p.bad("what is imported, `(func …)` say, as the items before it have")
		}
		p.shut(n, a)
		p.depth--
	}
	switch {
	case p.kind() == TokLParen && p.named() && p.atLineStart(p.i) && p.fieldAhead(): // the group has lost its `)`
	case p.kind() == TokLParen && !typed:
		if p.headKw() == kwItem {
			return
		}
		if i := p.next(p.head()); p.tok(i).Kind == TokID {
			p.err(i, "identifier not allowed: the items of a group share this type, none of them can be called so")
		}
		p.externType()
	case first >= 0 && !typed:
		p.bad("the type that the items share, `(func …)` say")
	}
}

// named reports whether an identifier stands behind the keyword of the current form.
func (p *parser) named() bool { return p.tok(p.next(p.head())).Kind == TokID }

// externType parses the description in an import.
func (p *parser) externType() {
	if p.kind() != TokLParen {
		p.bad("what is imported, `(func …)` say")
		return
	}
	a := p.i
	k := p.headKw()
	switch k {
	case kwFunc, kwTable, kwMemory, kwGlobal, kwTag:
	default:
		p.junk("`(func`, `(table`, `(memory`, `(global` or `(tag`")
		return
	}
	n := p.openHead(KExternType)
	p.depth++
	p.id()
	switch k {
	case kwFunc, kwTag:
		p.typeUse(true)
	case kwTable:
		p.tableType(true)
	case kwMemory:
		p.memoryType(true)
	case kwGlobal:
		p.globalType()
	}
	p.shut(n, a)
	p.depth--
}
