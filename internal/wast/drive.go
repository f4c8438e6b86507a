package wast

import (
	"fmt"

	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
)

// Drive is what a command of a drive script has besides what commands of all scripts have. See
// docs/reference/drive.md.
type Drive struct {
	// Ticks is the time of at, after and run; HasTicks reports whether run has one.
	Ticks    Pattern
	HasTicks bool
	Do       *Command   // at, after: what happens then
	Module   string     // on, suspending, resolve, reject: an import
	Name     string     // on, suspending, resolve, reject: an import; promising: an export
	Clauses  []*Command // on: what the calls do, one after the other; the last one is for all others
	Promise  string     // promise, resolve, reject, await, assert_pending: without `$`; "": an import is named
	Values   []Const    // resolve, reject, return: what with
}

// ParseDrive parses a drive script. It never fails: errors are in Command.Err.
func ParseDrive(t *syntax.Tree) *Script {
	s := &Script{File: t.Src}
	p := newParser(t)
	p.drive = true
	for !p.at(syntax.TokEOF) {
		s.Commands = append(s.Commands, p.driveCommand(driveTop))
	}
	return s
}

// All returns the commands of a script and those within them, in the order of the text.
func (s *Script) All() []*Command {
	var out []*Command
	var add func(*Command)
	add = func(c *Command) {
		if c == nil {
			return
		}
		out = append(out, c)
		if c.Drive != nil {
			add(c.Drive.Do)
			for _, x := range c.Drive.Clauses {
				add(x)
			}
		}
	}
	for _, c := range s.Commands {
		add(c)
	}
	return out
}

// Where a command of a drive script stands.
type drivePlace uint8

const (
	driveTop    drivePlace = iota
	driveLater             // in at or after
	driveClause            // in on
)

// maxDriveNesting bounds the nesting of at and after.
const maxDriveNesting = 50

// driveWords are the commands of drive scripts, by where they can stand. Assertions and actions are
// those of all scripts.
var driveWords = map[string][]drivePlace{
	"promising": {driveTop}, "suspending": {driveTop}, "on": {driveTop}, "run": {driveTop},
	"at": {driveTop, driveLater}, "after": {driveTop, driveLater, driveClause},
	"promise": {driveTop, driveLater},
	"resolve": {driveTop, driveLater, driveClause}, "reject": {driveTop, driveLater, driveClause},
	"return": {driveClause}, "invoke": {driveTop, driveLater, driveClause}, "get": {driveTop, driveLater},
	"await":         {driveTop},
	"assert_return": {driveTop, driveLater}, "assert_trap": {driveTop, driveLater},
	"assert_exhaustion": {driveTop, driveLater}, "assert_suspension": {driveTop, driveLater},
	"assert_exception": {driveTop, driveLater}, "assert_pending": {driveTop, driveLater},
}

// placeNames has the words for where a command stands.
var placeNames = map[drivePlace]string{
	driveTop: "at the top of a drive script", driveLater: "in `at` or `after`", driveClause: "in `on`",
}

// driveCommand parses a command, and continues after it, also after an error.
func (p *parser) driveCommand(at drivePlace) *Command {
	start := p.off()
	c := &Command{Drive: &Drive{}}
	if !p.at(syntax.TokLParen) {
		p.fail("expected a command")
		p.next()
		return p.done(c, start, p.i)
	}
	end := p.closing(p.i)
	if p.nesting++; p.nesting > maxDriveNesting {
		p.fail(fmt.Sprintf("commands are nested more than %d deep", maxDriveNesting))
		p.nesting--
		return p.done(c, start, end)
	}
	defer func() { p.nesting-- }()
	_, closed := p.closer(p.i)
	p.next()
	c.Kind = Kind(p.word())
	switch places, known := driveWords[string(c.Kind)]; {
	case !closed:
		p.err = "the command is not closed: a `)` is missing"
	case !known && (c.Kind == "module" || fields[string(c.Kind)] || c.Kind == "register"):
		p.fail("a drive script has no modules: the program is named on the command line")
	case !known && c.Kind == "":
		p.fail("expected a command")
	case !known:
		p.err = fmt.Sprintf("unknown command `%s`", c.Kind)
	case !contains(places, at):
		p.err = fmt.Sprintf("`%s` cannot stand %s", c.Kind, placeNames[at])
	default:
		p.next()
		p.driveBody(c, at, end)
	}
	if p.err == "" && p.i != end-1 && p.i != end {
		p.fail("unexpected token")
	}
	return p.done(c, start, end)
}

func contains(ps []drivePlace, at drivePlace) bool {
	for _, p := range ps {
		if p == at {
			return true
		}
	}
	return false
}

// driveBody parses what follows the keyword of a command that ends at token end.
func (p *parser) driveBody(c *Command, at drivePlace, end int) {
	d := c.Drive
	switch c.Kind {
	case "promising":
		d.Name = string(p.str())
	case "suspending":
		d.Module, d.Name = string(p.str()), string(p.str())
	case "on":
		d.Module, d.Name = string(p.str()), string(p.str())
		for p.at(syntax.TokLParen) && p.err == "" {
			d.Clauses = append(d.Clauses, p.within(driveClause))
		}
	case "run":
		if p.at(syntax.TokNat) {
			d.Ticks, d.HasTicks = p.ticks(), true
		}
	case "at", "after":
		d.Ticks, d.HasTicks = p.ticks(), true
		inner := driveLater
		if at == driveClause {
			inner = driveClause
		}
		if p.err == "" {
			d.Do = p.within(inner)
		}
	case "promise":
		if d.Promise = p.id(); d.Promise == "" {
			p.fail("expected a name such as `$p`")
		}
		if p.err == "" && p.at(syntax.TokLParen) {
			c.Action = p.action()
			if c.Action.Get {
				p.err = "expected `(invoke …)`"
			}
		}
	case "resolve", "reject":
		if at != driveClause {
			if d.Promise = p.id(); d.Promise == "" {
				d.Module, d.Name = string(p.str()), string(p.str())
			}
		}
		p.values(d)
	case "return":
		p.values(d)
	case "await", "assert_pending":
		if d.Promise = p.id(); d.Promise == "" {
			p.fail("expected a name such as `$p`")
		}
	case "invoke", "get":
		p.i -= 2
		c.Action = p.action()
		p.i = end
	default:
		p.assertion(c)
	}
}

// within parses a command inside another one. Its error is that of the outer one too.
func (p *parser) within(at drivePlace) *Command {
	c := p.driveCommand(at)
	p.err = c.Err
	return c
}

// values parses what a promise is settled with.
func (p *parser) values(d *Drive) {
	for p.at(syntax.TokLParen) && p.err == "" {
		at := p.off()
		v := p.pattern(false)
		d.Values = append(d.Values, Const{source.Span{Start: at, End: p.toks[p.i-1].end()}, v})
	}
}

// ticks parses a time: a number, or the argument of a call.
func (p *parser) ticks() Pattern {
	if p.at(syntax.TokNat) {
		pat := Pattern{Text: p.lit()}
		n, err := syntax.ParseNat(p.lit(), 63)
		if err != nil {
			p.fail(err.Error())
		}
		pat.lanes = []lane{{bits: uint64(n)}}
		p.next()
		return pat
	}
	if p.isOpen("arg") {
		return p.pattern(false)
	}
	p.fail("expected a number of ticks")
	return Pattern{}
}

// Ticks returns a time that is written as a number.
func (p *Pattern) Ticks() uint64 {
	if len(p.lanes) == 0 {
		return 0
	}
	return p.lanes[0].bits
}

// Arg returns the number of the argument of a call that a pattern `(arg N)` means.
func (p *Pattern) Arg() (n int, ok bool) { return int(p.ref.num), p.ref.kind == "arg" }

// Promise returns the name, without `$`, in a pattern `(ref.promise $p)`.
func (p *Pattern) Promise() (name string, ok bool) { return p.ref.id, p.ref.kind == "promise" }
