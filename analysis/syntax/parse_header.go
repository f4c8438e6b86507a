package syntax

import "unicode/utf8"

// id goes over an identifier, if there is one.
func (p *typeParser) id() bool {
	if p.kind() == TokID {
		p.checkID(p.i)
		p.i++
		return true
	}
	return false
}

func (p *typeParser) checkID(i int) {
	if s := p.text(i); len(s) > 1 && s[1] == '"' {
		p.checkName(i, s[1:])
	}
}

// checkName reports a quoted name that is no UTF-8.
func (p *builder) checkName(i int, lit string) {
	if lit == "" || lit[0] != '"' {
		return
	}
	if isPlain(lit) {
		return
	}
	if b, err := DecodeString(lit); err == nil && !utf8.Valid(b) {
		p.err(i, "malformed UTF-8 encoding in a name")
	}
}

func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			return false
		}
	}
	return true
}

// index goes over an index.
func (p *typeParser) index(want string) bool {
	switch p.kind() {
	case TokID:
		p.checkID(p.i)
		p.i++
		return true
	case TokNat:
		p.i++
		return true
	case TokKeyword:
		if !p.bareName() {
			p.unexpected(want)
		}
		return false
	}
	p.bad(want)
	return false
}

// bad reports the current token, or that something is missing before a `)`.
func (p *typeParser) bad(want string) {
	if k := p.kind(); k == TokRParen || k == TokEOF {
		p.err(p.i, p.unexpectedMsg(want))
		return
	}
	p.unexpected(want)
}

// name goes over a string that is a name.
func (p *typeParser) name() {
	if p.kind() != TokString {
		p.bad("a name in quotes")
		p.unquoted()
		return
	}
	p.checkName(p.i, p.text(p.i))
	p.i++
}

// inline parses inline exports and an inline import, and reports whether there was an import.
func (p *typeParser) inline() (imported bool) {
	for p.kind() == TokLParen {
		a := p.i
		h := p.head()
		k := p.kw(h)
		switch {
		case k == kwExport && !imported && (!p.atLineStart(a) || p.quotesThen(h, 1)):
			n := p.openHead(KInlineExport)
			p.name()
			p.depth++
			p.shutLeaf(n, a)
			p.depth--
		case k == kwImport && !imported && (!p.atLineStart(a) || p.quotesThen(h, 2)):
			n := p.openHead(KInlineImport)
			p.name()
			p.name()
			p.depth++
			p.shutLeaf(n, a)
			p.depth--
			imported = true
		default:
			return
		}
	}
	return
}

// quotesThen reports whether no `(` stands after the up to n strings after token i, so that it is
// not an export or import field.
func (p *typeParser) quotesThen(i, n int) bool {
	i = p.next(i)
	for ; n > 0 && p.tok(i).Kind == TokString; n-- {
		i = p.next(i)
	}
	return p.tok(i).Kind != TokLParen
}

// typeAsUse reports whether the current `(type` is a use of a type, not a definition.
func (p *typeParser) typeAsUse() bool {
	i := p.next(p.head())
	switch p.tok(i).Kind {
	case TokNat:
		return true
	case TokID:
		i = p.next(i)
		return p.tok(i).Kind != TokLParen && p.kw(i) != kwRef
	}
	return p.tok(i).Kind != TokLParen
}

// order is how far a header got: types, parameters, results and locals stand in this order.
type order uint8

func (p *typeParser) inOrder(have *order, now order) {
	if now < *have&^orderSaid {
		if *have&orderSaid == 0 {
			p.unexpected("parameters, then results, then locals")
		}
		*have |= orderSaid
		return
	}
	*have = now | *have&orderSaid
}

// typeUse parses (type …), (param …)* and (result …)*. named reports whether parameters may have
// names.
func (p *typeParser) typeUse(named bool) { p.header(named, false) }

func (p *typeParser) funcHeader(locals bool) { p.header(true, locals) }

func (p *typeParser) header(named, locals bool) {
	var o order
	for first := true; p.kind() == TokLParen; first = false {
		switch p.headKw() {
		case kwType:
			if !p.typeAsUse() {
				return
			}
			if !first && o&orderSaid == 0 {
				p.unexpected("the type before parameters and results")
				o |= orderSaid
			}
			p.useType()
		case kwParam:
			p.inOrder(&o, orderParam)
			p.types(KParam, named)
		case kwResult:
			p.inOrder(&o, orderResult)
			p.types(KResult, false)
		case kwLocal:
			if !locals {
				return
			}
			p.inOrder(&o, orderLocal)
			p.types(KLocal, true)
		default:
			return
		}
	}
}

// useType parses (type x).
func (p *typeParser) useType() {
	a := p.i
	n := p.openHead(KTypeUse)
	p.index("a type index")
	p.depth++
	p.shutLeaf(n, a)
	p.depth--
}
