package syntax

import "stackscope/wasm"

// command parses a command of a script. A module with fields in the text, bare or in an assertion,
// gives a UnitOpen; its fields and a UnitClose follow.
func (p *parser) command(k kw, entry state) *Unit {
	if k == kwModule {
		n := p.open(KModule)
		if !p.moduleHead() {
			p.close(n)
			p.st.place = inModule
			return p.finish(UnitOpen, entry)
		}
		p.shutCommand(n)
		return p.finish(UnitCommand, entry)
	}
	at := p.i
	p.depth = 1
	n := p.openHead(KCommand)
	if k == kwAssert && p.kind() == TokLParen && p.headKw() == kwModule {
		p.depth++
		a := p.i
		m := p.open(KModule)
		if !p.moduleHead() {
			p.close(m)
			p.close(n)
			p.st.place = inCommand
			return p.finish(UnitOpen, entry)
		}
		p.shut(m, a)
		p.depth--
		if p.kind() == TokString {
			p.i++
		} else {
			p.bad("the message that the assertion expects")
		}
		p.shut(n, at)
		return p.finish(UnitCommand, entry)
	}
	switch k {
	case kwRegister:
		p.name()
		p.id()
	case kwInvoke, kwGet:
		p.action()
	case kwScript:
		p.generic()
	case kwAssert:
		if p.kind() == TokLParen {
			p.actionForm()
		} else {
			p.bad("an action, `(invoke \"f\")` say")
		}
		for p.kind() == TokLParen {
			if !p.constant() {
				break
			}
		}
		if p.kind() == TokString {
			p.i++
		}
	}
	p.shutCommand(n)
	return p.finish(UnitCommand, entry)
}

// shutCommand is shut for a form at the top level.
func (p *parser) shutCommand(n int) {
	if p.depth == 0 {
		p.depth = 1
	}
	p.shut(n, int(p.nodes[n].Tok)+p.base)
}

// moduleHead parses from `(module` up to the first field; true if what follows are no fields but
// strings or names up to the `)`.
func (p *parser) moduleHead() (whole bool) {
	p.i++
	p.kind()
	p.i++ // module
	peek := func() int { return p.next(p.i - 1) }
	take := func(j int) {
		for p.kind(); p.i < j; {
			p.i++
		}
		p.kind()
		p.i++
	}
	j := peek()
	if k := p.kw(j); k == kwInstance {
		take(j)
		p.id()
		p.id()
		return true
	} else if k == kwDefinition {
		take(j)
		j = peek()
	}
	if p.tok(j).Kind == TokID {
		p.checkID(j)
		take(j)
		j = peek()
	}
	if k := p.kw(j); k == kwQuote || k == kwBinary {
		take(j)
		for p.kind() == TokString {
			p.i++
		}
		return true
	}
	return false
}

// action parses what follows `(invoke` or `(get`.
func (p *parser) action() {
	p.id()
	p.name()
	for p.kind() == TokLParen {
		if !p.constant() {
			break
		}
	}
}

func (p *parser) actionForm() {
	a := p.i
	switch p.headKw() {
	case kwInvoke, kwGet:
		n := p.openHead(KAction)
		p.depth++
		p.action()
		p.shut(n, a)
		p.depth--
	default:
		p.junk("an action, `(invoke \"f\")` say")
	}
}

// constant parses an argument or an expected result.
func (p *parser) constant() bool {
	h := p.head()
	a := p.i
	w := p.word(h)
	if p.tok(h).Kind != TokKeyword || w.op == wasm.OpInvalid && w.kw != kwNone && w.kw != kwEither || p.fieldAhead() {
		return false
	}
	if !p.nest() {
		return true
	}
	n := p.openHead(KConst)
	p.nodes[n].Op = w.op
	if w.kw == kwEither {
		for p.kind() == TokLParen && p.constant() {
		}
	} else {
		p.pattern = true
		p.immediates(w.op)
		p.pattern = false
	}
	p.shut(n, a)
	p.depth--
	return true
}

// generic parses what follows `(input`, `(output` or `(script`: a file's name, or forms that are
// gone over.
func (p *parser) generic() {
	p.id()
	if p.kind() == TokString {
		p.i++
	}
	if k := p.kind(); k == TokRParen || k == TokEOF {
		return
	}
	n := p.open(KError)
	at := p.i
	p.skipTo()
	if p.i > at {
		p.close(n)
	} else {
		p.nodes = p.nodes[:n]
	}
}
