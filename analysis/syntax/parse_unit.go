package syntax

import "math"

// unit parses the next unit.
func (p *parser) unit() *Unit {
	entry := p.st
	p.st.lost = false
	switch t := p.tok(p.i); t.Kind {
	case TokEOF:
		if p.st.place != atTop && !entry.lost && !p.dirty {
			p.last, p.gap = p.i, true
			ins := ")"
			if p.st.place == inCommand {
				ins = ""
			}
			p.errs = append(
				p.errs,
				Error{Off: 0, Message: "unexpected token: the text ends before the module does: `)` is missing", Insert: ins},
			)
		}
		return p.finish(UnitEnd, entry)
	case TokAnnot:
		p.annot()
		return p.finish(UnitField, entry)
	case TokRParen:
		return p.unitClose(entry)
	case TokKeyword:
		if p.st.place == atTop && p.kw(p.i) == kwModule && p.st.mode != modeFields {
			p.missing("`(`", "(", -1)
			n := p.open(KModule)
			p.i++
			if p.tok(p.i).Kind == TokID {
				p.i++
			}
			p.look(1)
			p.close(n)
			p.st.mode, p.st.place = modeScript, inModule
			return p.finish(UnitOpen, entry)
		}
	case TokLParen:
		h := p.head()
		k := p.kw(h)
		switch {
		case p.st.place != atTop && k.isField():
			return p.fieldUnit(k, UnitField, entry)
		case p.st.place != atTop && k.isCommand():
			// The module has lost its `)`.
			p.look(2)
			if !entry.lost && !p.dirty {
				p.missing("the `)` of the module", ")", -1)
			}
			p.st.place = atTop
			return p.finish(UnitClose, entry)
		case p.st.place != atTop:
			return p.stray(entry)
		case k.isField():
			if p.st.mode == modeScript {
				p.err(p.i, p.unexpectedMsg("")+": a module field outside of a module")
				return p.fieldUnit(k, UnitStray, entry)
			}
			p.st.mode = modeFields
			return p.fieldUnit(k, UnitField, entry)
		case k.isCommand():
			if p.st.mode == modeFields {
				p.unexpected("a module field, as the text began with one")
			}
			p.st.mode = modeScript
			return p.command(k, entry)
		}
	}
	return p.stray(entry)
}

// look records that the unit depends on some tokens from the current one on.
func (p *parser) look(n int) {
	i := p.i - 1
	for ; n > 0; n-- {
		i = p.next(i)
	}
}

// fieldUnit parses a module field as a unit.
func (p *parser) fieldUnit(k kw, u UnitKind, entry state) *Unit {
	p.field(k)
	if p.st.place != atTop && p.gap && p.last == p.i {
		// The field lost its `)`. If nothing of the module follows, it lost its own as well.
		p.cut = math.MaxInt
		eof := p.tok(p.i).Kind == TokEOF
		if eof || p.tok(p.i).Kind == TokLParen && p.kw(p.next(p.i)).isCommand() {
			p.st.lost = true
			if p.st.place == inModule {
				p.missing("", ")", -1)
			}
		}
	}
	return p.finish(u, entry)
}

// unitClose parses what begins with a `)` between fields.
func (p *parser) unitClose(entry state) *Unit {
	if p.st.place == atTop {
		n := p.open(KError)
		p.extra()
		for p.i++; p.tok(p.i).Kind == TokRParen; p.i++ {
			if len(p.errs) == 0 {
				continue
			}
			p.errs[0].Len = uint32(p.tok(p.i).Off+p.tok(p.i).Len) - uint32(p.start) - p.errs[0].Off
		}
		p.look(1)
		p.close(n)
		return p.finish(UnitStray, entry)
	}
	// An extra `)` after a field closes the module too early: its fields go on.
	h := p.next(p.i)
	if p.tok(h).Kind == TokLParen {
		if k := p.kw(p.next(h)); k.isField() {
			n := p.open(KError)
			p.extra()
			p.i++
			p.close(n)
			return p.finish(UnitStray, entry)
		}
	}
	if p.st.place == inModule {
		n := p.open(KModule)
		p.i++
		p.close(n)
		p.st.place = atTop
		return p.finish(UnitClose, entry)
	}
	n := p.open(KCommand)
	p.i++
	p.depth++
	if p.kind() == TokString {
		p.i++
	} else {
		p.unexpected("the message that the assertion expects")
	}
	p.shutCommand(n)
	p.st.place = atTop
	return p.finish(UnitClose, entry)
}

func (p *parser) extra() {
	if p.dirty {
		return
	}
	if e := p.err(p.i, "unexpected token `)`: it closes nothing"); e != nil {
		e.Delete = true
	}
}

// unexpectedField reports the current token in the place of a field, with the keyword that was
// meant if that begins alike: `(fun`, `(function`, `(mem`.
func (p *parser) unexpectedField(want string) {
	e := p.unexpected(want)
	h := p.head()
	if e == nil || p.tok(p.i).Kind != TokLParen || p.tok(h).Kind != TokKeyword || p.kw(h) != kwNone {
		return
	}
	s := p.text(h)
	if s == "fn" || s == "function" || s == "def" || s == "proc" {
		s = "func"
	}
	for _, f := range [...]string{"func", "type", "import", "export", "memory", "global", "table"} {
		if len(s) > 2 && (hasPrefix(f, s) || hasPrefix(s, f)) {
			e.Message += "; did you mean " + f + "?"
			e.Replace, e.Insert = true, "("+f
			end := p.tok(h).Off + p.tok(h).Len
			e.Len = end - p.tok(p.i).Off
			return
		}
	}
}

// stray parses text that is no field and no command up to the next that is: one error.
func (p *parser) stray(entry state) *Unit {
	if p.tok(p.i).Kind == TokReserved && p.foreign() {
		u := p.finish(UnitStray, entry)
		u.dirty, p.dirty = false, false // what follows is no part of the mistake
		return u
	}
	n := p.open(KError)
	switch {
	case p.dirty: // of the same mistake
	case p.tok(p.i).Kind == TokReserved || p.tok(p.i).Kind == TokBad:
		p.unexpected("")
	case p.st.place != atTop:
		if p.tok(p.i).Kind == TokLParen && p.word(p.head()).op != 0 || p.word(p.i).op != 0 {
			p.err(p.i, p.unexpectedMsg("")+": an instruction outside of a function")
		} else {
			p.unexpectedField("a module field")
		}
	default:
		p.unexpectedField("a module or a module field")
	}
	p.hi = max(p.hi, p.endOff()+1)
	d := 0
loop:
	for first := true; ; first = false {
		t := p.raw(p.i)
		p.hi = max(p.hi, int(t.Off+t.Len))
		switch t.Kind {
		case TokEOF:
			break loop
		case TokAnnot:
			if d == 0 && !first {
				break loop
			}
			d++
		case TokLParen:
			j := p.next(p.i)
			if k := p.kw(j); !first && (k.isField() || k.isCommand()) && (d == 0 || p.atLineStart(p.i)) {
				break loop
			}
			d++
		case TokRParen:
			if d > 0 {
				d--
				break
			}
			if p.st.place == atTop {
				break loop
			}
			// Is it the module's, or of a field closed too early?
			j := p.next(p.i)
			switch p.tok(j).Kind {
			case TokRParen:
			case TokLParen:
				if !p.kw(p.next(j)).isField() {
					break loop
				}
			default:
				break loop
			}
		}
		p.i++
	}
	p.close(n)
	return p.finish(UnitStray, entry)
}
