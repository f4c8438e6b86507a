package symbols

import (
	"fmt"
	"sort"

	"stackscope/analysis/source"
	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
)

// Place is a place where the program can stop.
type Place struct {
	Func snapshot.FuncID
	PC   int
	Span source.Span
	Stmt bool // a statement; else an instruction inside one
}

// region is where a source has the code of a function.
type region struct {
	id       snapshot.FuncID
	from, to int
}

// regions lists the functions with code of a source in the order of their places.
func (c *Code) regions(f *Source) []region {
	if r, ok := c.byFile[f]; ok {
		return r
	}
	var out []region
	for i, u := range c.list {
		if u.File != f {
			continue
		}
		for fn := range u.Module.Funcs {
			if len(u.Module.Funcs[fn].Body) == 0 {
				continue
			}
			r := region{id: snapshot.FuncID{Unit: i, Func: uint32(fn)}}
			r.from, r.to = c.extent(r.id)
			out = append(out, r)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].from < out[j].from })
	c.byFile[f] = out
	return out
}

// extent returns the offsets between which the places of a function are.
func (c *Code) extent(id snapshot.FuncID) (from, to int) {
	u := c.list[id.Unit]
	if u.File.Printed() {
		return u.File.function(id.Func)
	}
	if f := &u.Module.Funcs[id.Func]; f.End > f.At {
		return int(f.At), int(f.End)
	}
	fi := c.FunctionOf(id) // of a module that says only where its instructions are
	from, to = fi.offset(0), fi.offset(0)+1
	for pc := range fi.Func.Body {
		from, to = min(from, fi.offset(pc), fi.start(pc)), max(to, fi.offset(pc)+1, fi.start(pc)+1)
	}
	return from, to
}

// places lists the places of a file that begin between two offsets, in order, statements before
// instructions at the same offset. Structure (`else`, `end` of blocks) is no place; the end of a
// function is one.
func (c *Code) places(f *Source, from, to int) []Place {
	var out []Place
	for _, r := range c.regions(f) {
		if r.to <= from || r.from >= to {
			continue
		}
		fi := c.FunctionOf(r.id)
		body := fi.Func.Body
		for pc := range body {
			if at := fi.offset(pc); at >= from && at < to && fi.IsStatement(pc) {
				out = append(out, Place{fi.ID, pc, fi.Span(pc, false), true})
			}
			if at := fi.start(pc); at < from || at >= to {
				continue
			}
			switch op := body[pc].Op; {
			case op == wasm.OpElse, op == wasm.OpEnd && pc != len(body)-1:
			default:
				out = append(out, Place{fi.ID, pc, fi.Span(pc, true), false})
			}
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		a, b := &out[i], &out[j]
		if a.Span.Start != b.Span.Start {
			return a.Span.Start < b.Span.Start
		}
		return a.Stmt && !b.Stmt
	})
	return out
}

// nextStmt returns the first statement that begins at an offset or after it.
func (c *Code) nextStmt(f *Source, from int) (best Place, ok bool) {
	at := 0
	for _, r := range c.regions(f) {
		if r.to <= from {
			continue
		}
		if ok && r.from > at {
			break
		}
		fi := c.FunctionOf(r.id)
		for pc := range fi.Func.Body {
			if off := fi.offset(pc); off >= from && (!ok || off < at) && fi.IsStatement(pc) {
				best, at, ok = Place{Func: r.id, PC: pc, Stmt: true}, off, true
			}
		}
	}
	if ok {
		best.Span = c.FunctionOf(best.Func).Span(best.PC, false)
	}
	return best, ok
}

// Resolve finds where a breakpoint on a 0-based line stops. off is the offset of a column on that
// line, or -1. Without a column that is the first statement on the line, else the first instruction
// on it that is executed, else the next statement after it.
func (c *Code) Resolve(f *Source, line, off int) (Place, error) {
	p, err := c.resolve(f, line, off)
	if err == nil && !p.Stmt {
		// The first instruction of a statement is shown as the statement.
		if fi := c.FunctionOf(p.Func); fi.IsStatement(p.PC) {
			p.Span, p.Stmt = fi.Span(p.PC, false), true
		}
	}
	return p, err
}

func (c *Code) resolve(f *Source, line, off int) (Place, error) {
	if len(c.regions(f)) == 0 {
		return Place{}, fmt.Errorf("no code in %s", f.Name)
	}
	start, end := f.Lines(line, line)
	ps := c.places(f, start, end)
	if off >= 0 && len(ps) > 0 {
		best := ps[0]
		for _, p := range ps {
			// A parenthesis more or less is no difference: places begin at the one or the other.
			if p.Span.Start <= off+1 &&
				(p.Span.Start > best.Span.Start+1 || p.Span.Start > best.Span.Start && !best.Stmt) {
				best = p
			}
		}
		return best, nil
	}
	for _, p := range ps {
		if p.Stmt {
			return p, nil
		}
	}
	if len(ps) > 0 {
		best := ps[0]
		for _, p := range ps {
			if p.Func == best.Func && p.PC < best.PC {
				best = p
			}
		}
		return best, nil
	}
	if p, ok := c.nextStmt(f, end); ok {
		return p, nil
	}
	return Place{}, fmt.Errorf("there is no code at or below line %d", line+1)
}

// Locations lists where breakpoints can be set between two offsets: the statements that begin
// there; if there are none, the instructions.
func (c *Code) Locations(f *Source, from, to int) []Place {
	var stmts, instrs []Place
	for _, p := range c.places(f, from, to) {
		if p.Stmt {
			stmts = append(stmts, p)
		} else {
			instrs = append(instrs, p)
		}
	}
	if len(stmts) > 0 {
		return stmts
	}
	return instrs
}
