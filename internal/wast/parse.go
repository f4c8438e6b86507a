package wast

import (
	"fmt"

	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
)

// Parse parses the commands of a script. It never fails: errors are in Command.Err. Text modules
// are only delimited here; package analysis parses them.
func Parse(t *syntax.Tree) *Script {
	s := &Script{File: t.Src}
	p := newParser(t)
	for !p.at(syntax.TokEOF) {
		s.Commands = append(s.Commands, p.command())
	}
	return s
}

// fields are the keywords of module fields: a script may hold one module without `(module …)`.
var fields = map[string]bool{"type": true, "rec": true, "import": true, "func": true, "table": true, "memory": true,
	"global": true, "tag": true, "export": true, "start": true, "elem": true, "data": true}

// command parses a command and continues after it, also after an error.
func (p *parser) command() *Command {
	start := p.off()
	c := &Command{}
	if !p.at(syntax.TokLParen) {
		p.fail("expected a command")
		p.next()
		return p.done(c, start, p.i)
	}
	end := p.closing(p.i)
	p.next()
	c.Kind = Kind(p.keyword())
	if fields[string(c.Kind)] {
		c.Kind, end = "module", len(p.toks)-1
		c.Module = &Module{Span: source.Span{Start: start, End: p.toks[end].end()}}
		if end > 0 {
			c.Module.Span.End = p.toks[end-1].end()
		}
		return p.done(c, start, end)
	}
	switch c.Kind {
	case "module":
		p.i -= 2
		c.Module = p.module()
		return p.done(c, start, end)
	case "input":
		c.Of = p.id()
		c.Name = string(p.str())
	case "register":
		c.Name = string(p.str())
		c.Of = p.id()
	case "invoke", "get":
		p.i -= 2
		c.Action = p.action()
		return p.done(c, start, end)
	case "assert_return", "assert_exception", "assert_trap", "assert_exhaustion", "assert_suspension":
		p.assertion(c)
	case "assert_invalid", "assert_malformed", "assert_unlinkable", "assert_invalid_custom", "assert_malformed_custom":
		c.Module = p.module()
		c.Message = string(p.str())
	case "":
		p.fail("expected a command")
	default:
		p.fail(fmt.Sprintf("unknown command `%s`", c.Kind))
	}
	if p.err == "" && p.i != end-1 {
		p.fail("unexpected token")
	}
	return p.done(c, start, end)
}

// assertion parses what follows the keyword of an assertion about an action.
func (p *parser) assertion(c *Command) {
	switch c.Kind {
	case "assert_return":
		c.Action = p.action()
		for p.at(syntax.TokLParen) && p.err == "" {
			c.Want = append(c.Want, p.pattern(true))
		}
	case "assert_exception":
		c.Action = p.action()
	default:
		if !p.drive && p.isOpen("module") {
			c.Module = p.module()
		} else {
			c.Action = p.action()
		}
		c.Message = string(p.str())
	}
}

// done continues after token end-1 and returns the command, with its error if there was one.
func (p *parser) done(c *Command, start, end int) *Command {
	p.i = end
	c.Span = source.Span{Start: start, End: start}
	if end > 0 {
		c.Span.End = max(start, p.toks[end-1].end())
	}
	c.Err, p.err = p.err, ""
	return c
}

// module parses `(module …)`.
func (p *parser) module() *Module {
	m := &Module{}
	if !p.isOpen("module") {
		p.fail("expected a module")
		return m
	}
	end := p.closing(p.i)
	m.Span = source.Span{Start: p.off(), End: p.toks[end-1].end()}
	p.i += 2
	form := ""
	for {
		switch w := p.word(); w {
		case "definition":
			m.Definition = true
			p.next()
			continue
		case "binary", "quote", "instance":
			form = w
			p.next()
		}
		if m.Name == "" && p.at(syntax.TokID) {
			m.Name = p.id()
			if form == "" {
				continue
			}
		}
		break
	}
	switch form {
	case "binary", "quote":
		m.Form = FormBinary
		if form == "quote" {
			m.Form = FormQuote
		}
		for p.at(syntax.TokString) {
			m.Bytes = append(m.Bytes, p.str()...)
		}
	case "instance":
		m.Form = FormInstance
		m.Of = p.id()
	}
	if form != "" && p.err == "" && p.i != end-1 {
		p.fail("unexpected token")
	}
	p.i = end
	return m
}

// action parses `(invoke $m? "name" const*)` or `(get $m? "name")`.
func (p *parser) action() *Action {
	a := &Action{}
	if p.drive && p.isOpen("await") {
		end := p.closing(p.i)
		a.Span = source.Span{Start: p.off(), End: p.toks[end-1].end()}
		p.i += 2
		if a.Await = p.id(); a.Await == "" {
			p.fail("expected a name such as `$p`")
		}
		if p.err == "" && p.i != end-1 {
			p.fail("unexpected token")
		}
		p.i = end
		return a
	}
	a.Get = p.isOpen("get")
	if !a.Get && !p.isOpen("invoke") {
		p.fail("expected `(invoke …)` or `(get …)`")
		return a
	}
	end := p.closing(p.i)
	a.Span = source.Span{Start: p.off(), End: p.toks[end-1].end()}
	p.i += 2
	a.Module = p.id()
	a.Export = string(p.str())
	for p.at(syntax.TokLParen) && p.err == "" {
		at := p.off()
		v := p.pattern(false)
		a.Args = append(a.Args, Const{source.Span{Start: at, End: p.toks[p.i-1].end()}, v})
	}
	if p.err == "" && p.i != end-1 {
		p.fail("unexpected token")
	}
	p.i = end
	return a
}
