package symbols

import (
	"fmt"
	"slices"
	"sort"

	"stackscope/analysis/source"
	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
)

// Place is a place where the program can stop: before an instruction, or where control arrives.
type Place struct {
	Func    snapshot.FuncID
	PC      int
	Span    source.Span
	Stmt    bool // a statement; else an instruction inside one
	Arrival Arrival
}

// Arrival is the part of a place that says how control must come to it.
type Arrival struct {
	Kind ArrivalKind
	// Func and PC are the instruction that has the clause, and Clause which of its list it is, -1 if
	// the instruction is the clause, as in vm.Arrival.
	Func   snapshot.FuncID
	PC     int
	Clause int
}

// ArrivalKind is a kind of arrival.
type ArrivalKind uint8

const (
	Anyhow   ArrivalKind = iota // however it comes there
	ByClause                    // by a clause that has taken an event, a suspension or an exception
	// where a function is entered: at its first instruction, or, of a new stack, in one of the
	// function's own event clauses
	ByEntry
)

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
	from, to = fi.WAT().offset(0), fi.WAT().offset(0)+1
	for pc := range fi.Func.Body {
		at, start := fi.WAT().offset(pc), fi.WAT().start(pc)
		from, to = min(from, at, start), max(to, at+1, start+1)
	}
	return from, to
}

// places lists the places of a file that begin between two offsets, in order, statements before
// instructions at the same offset. Structure (`else`, `end` of blocks) is no place, nor is what
// control cannot come to; the end of a function is one, and so is each clause by which control
// arrives, and the header of a function that has event clauses of its own.
func (c *Code) places(f *Source, from, to int) []Place {
	var out []Place
	for _, r := range c.regions(f) {
		if r.to <= from || r.from >= to {
			continue
		}
		fi := c.FunctionOf(r.id)
		body, fl := fi.Func.Body, c.flow(fi)
		within := func(at int) bool { return at >= from && at < to }
		if p, ok := c.entry(fi); ok && within(p.Span.Start) {
			out = append(out, p)
		}
		for pc := range body {
			arm := isArm(body[pc].Op)
			if !arm && !fl.live[pc] {
				continue
			}
			for _, p := range c.clauses(fi, pc) {
				if within(p.Span.Start) {
					out = append(out, p)
				}
			}
			if !arm && within(fi.WAT().offset(pc)) && fi.WAT().IsStatement(pc) {
				out = append(out, Place{Func: fi.ID, PC: pc, Span: fi.WAT().Span(pc, false), Stmt: true})
			}
			op := body[pc].Op
			structure := op == wasm.OpElse || op == wasm.OpDelegate || op == wasm.OpEnd && pc != len(body)-1
			if !arm && !structure && within(fi.WAT().start(pc)) {
				out = append(out, Place{Func: fi.ID, PC: pc, Span: fi.WAT().Span(pc, true)})
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

// isArm reports whether an instruction begins a clause into which control comes only by an event or
// an exception.
func isArm(op wasm.Op) bool { return op == wasm.OpEvent || op == wasm.OpCatch || op == wasm.OpCatchAll }

// Entry returns where a function is entered that has event clauses of its own: at its header. The
// program stops at the first instruction, or in the clause. ok is false for another function, which
// has its first instruction.
func (c *Code) Entry(fi *Function) (p Place, ok bool) { return c.entry(fi) }

func (c *Code) entry(fi *Function) (p Place, ok bool) {
	if fi.Func == nil || len(fi.Func.Body) == 0 || fi.Unit == nil || len(c.flow(fi).own) == 0 {
		return Place{}, false
	}
	at := fi.WAT().begin()
	p = Place{Func: fi.ID, Span: source.Span{Start: at, End: at}, Stmt: true}
	p.Arrival = Arrival{Kind: ByEntry, Func: fi.ID}
	if !fi.Unit.File.Printed() {
		p.Span.End = fi.Unit.File.header(at)
	}
	return p, true
}

// clauses returns the clauses of the instruction at pc, and of an `event` or legacy `catch` itself,
// where control can arrive. In the text of a binary module those of a list are on the line of the
// instruction, and no places.
func (c *Code) clauses(fi *Function, pc int) []Place {
	in, file := fi.Instr(pc), fi.Unit.File
	if isArm(in.Op) {
		if !c.flow(fi).live[pc+1] {
			return nil
		}
		p := Place{Func: fi.ID, PC: pc + 1, Span: fi.WAT().Span(pc, true), Stmt: true}
		if !file.Printed() {
			if at := p.Span.Start; at > 0 && file.opens(at-1) {
				p.Span.Start--
			}
			p.Span.End = file.header(p.Span.Start)
		}
		p.Arrival = Arrival{ByClause, fi.ID, pc, -1}
		return []Place{p}
	}
	if in.Ext == nil || file.Printed() {
		return nil
	}
	var out []Place
	add := func(at wasm.Pos, i int, to snapshot.FuncID) {
		from := int(at)
		if from <= fi.WAT().begin() { // it has no place of its own
			return
		}
		for from > 0 && !file.opens(from) && file.file.Text[from-1] != '\n' { // of a catch it is the keyword's place
			from--
		}
		p := Place{Func: to, PC: pc, Span: source.Span{Start: from, End: file.header(from)}}
		p.Arrival = Arrival{ByClause, fi.ID, pc, i}
		out = append(out, p)
	}
	var taken openBlock
	for i, x := range in.Ext.Catches {
		all := x.Kind >= wasm.CatchAll
		if !taken.takes(wasm.BadIndex) {
			break // a clause for all exceptions is before it
		}
		if taken.taken[wasm.BadIndex] = all; all || taken.takes(x.Tag) {
			add(x.At, i, fi.ID)
		}
	}
	for i, h := range in.Ext.HandlerClauses {
		if !h.Switch && !taken.takes(h.Tag) {
			continue
		}
		to := fi.ID
		if in.Op == wasm.OpMountFiberNew { // the function that the fiber begins with
			if to.Func = h.Label; len(fi.Module.Funcs[h.Label].Body) == 0 {
				continue // it is imported
			}
		}
		if !h.Switch {
			add(h.At, i, to)
		}
	}
	return out
}

// Also returns the further places of a breakpoint on a line whose first place is known: the other
// clauses on the line, and statements that control can come to without passing those before them,
// such as the other arm of an `if` that is written on one line.
func (c *Code) Also(f *Source, line int, first Place) []Place {
	var out []Place
	last := first.PC
	fi := c.FunctionOf(first.Func)
	joins := c.flow(fi).joins
	for _, p := range c.places(f, first.Span.Start, f.lineStart(line+1)) {
		switch {
		case p == first || p.Func != first.Func && p.Arrival.Kind != ByClause || p.Stmt != first.Stmt:
		case p.Arrival.Kind == ByClause:
			out = append(out, p)
			last = max(last, p.PC)
		case p.Arrival.Kind == ByEntry || p.PC <= last || !p.Stmt:
		default:
			for pc := last + 1; pc <= p.PC; pc++ {
				if joins[pc] {
					out = append(out, p)
					break
				}
			}
			last = p.PC
		}
	}
	return out
}

// Clause returns the place of the clause by which control has come to a function's instruction, ok
// is false if there is no such place.
func (c *Code) Clause(a Arrival) (p Place, ok bool) {
	if fi := c.FunctionOf(a.Func); fi != nil && fi.Unit != nil && fi.Instr(a.PC) != nil {
		for _, p := range c.clauses(fi, a.PC) {
			if p.Arrival == a {
				return p, true
			}
		}
	}
	return Place{}, false
}

// Takers returns the clauses of a function that take one of some tags of its module.
func (c *Code) Takers(fn snapshot.FuncID, tags map[uint32]bool) (out []Place) {
	fi := c.FunctionOf(fn)
	for pc := range fi.Func.Body {
		in := &fi.Func.Body[pc]
		if live := c.flow(fi).live[pc]; !live && !isArm(in.Op) {
			continue
		}
		for _, p := range c.clauses(fi, pc) {
			tag, takes := in.A, in.Op == wasm.OpEvent || in.Op == wasm.OpCatch
			if i := p.Arrival.Clause; i >= 0 && len(in.Ext.HandlerClauses) > 0 {
				tag, takes = in.Ext.HandlerClauses[i].Tag, true
			} else if i >= 0 {
				tag, takes = in.Ext.Catches[i].Tag, in.Ext.Catches[i].Kind < wasm.CatchAll
			}
			if takes && tags[tag] {
				out = append(out, p)
			}
		}
	}
	return out
}

// ArmAt returns the arrival by the `event` or legacy `catch` whose clause begins at pc; ok is false
// if none does.
func (fi *Function) ArmAt(pc int) (a Arrival, ok bool) {
	if in := fi.Instr(pc - 1); in == nil || !isArm(in.Op) {
		return Arrival{}, false
	}
	return Arrival{ByClause, fi.ID, pc - 1, -1}, true
}

// nextStmt returns the first statement that begins at an offset or after it, or the first clause.
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
		live := c.flow(fi).live
		for pc := range fi.Func.Body {
			if off := fi.WAT().offset(pc); off >= from && (!ok || off < at) && fi.WAT().IsStatement(pc) && live[pc] {
				best, at, ok = Place{Func: r.id, PC: pc, Stmt: true}, off, true
			}
			if isArm(fi.Func.Body[pc].Op) {
				for _, p := range c.clauses(fi, pc) {
					if off := p.Span.Start; off >= from && (!ok || off < at) {
						best, at, ok = p, off, true
					}
				}
			}
		}
		if p, is := c.entry(fi); is && p.Span.Start >= from && (!ok || p.Span.Start < at) {
			best, at, ok = p, p.Span.Start, true
		}
	}
	if ok && best.Arrival.Kind == Anyhow {
		best.Span = c.FunctionOf(best.Func).WAT().Span(best.PC, false)
	}
	return best, ok
}

// Resolve finds where a breakpoint on a 0-based line stops. off is the offset of a column on that
// line, or -1. Without a column that is the first statement on the line, where an event clause
// counts as one, else the first clause of an instruction's list, if the instruction is on a line
// before, else the first instruction on it that is executed, else the next statement after it in the
// function, or after the functions that end before the line.
func (c *Code) Resolve(f *Source, line, off int) (Place, error) {
	p, err := c.resolve(f, line, off)
	if err == nil && !p.Stmt && p.Arrival.Kind == Anyhow {
		// The first instruction of a statement is shown as the statement.
		if fi := c.FunctionOf(p.Func); fi.WAT().IsStatement(p.PC) {
			p.Span, p.Stmt = fi.WAT().Span(p.PC, false), true
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
			switch {
			case p.Arrival.Kind == ByClause:
				own := func(q Place) bool { // not the beginning of a statement on a line before
					return q.Arrival.Kind == Anyhow && q.Func == p.Arrival.Func && q.PC == p.Arrival.PC &&
						!c.FunctionOf(q.Func).WAT().IsStatement(q.PC)
				}
				if i := slices.IndexFunc(ps, own); i >= 0 {
					return ps[i], nil
				}
				return p, nil
			case p.Func == best.Func && p.PC < best.PC:
				best = p
			}
		}
		return best, nil
	}
	p, ok := c.nextStmt(f, end)
	for _, r := range c.regions(f) { // it does not move from one function into another
		if r.from < start && start < r.to && (!ok || p.Func != r.id) {
			return Place{}, fmt.Errorf("control cannot come to line %d, nor to what follows it in %s", line+1,
				c.FunctionOf(r.id).Title)
		}
	}
	if !ok {
		return Place{}, fmt.Errorf("there is no code at or below line %d", line+1)
	}
	return p, nil
}

// Locations lists where breakpoints can be set between two offsets: the statements and clauses that
// begin there; if there are none, the instructions.
func (c *Code) Locations(f *Source, from, to int) []Place {
	if f.ext != nil {
		return c.sourceLocations(f, from, to)
	}
	var stmts, instrs []Place
	for _, p := range c.places(f, from, to) {
		if p.Stmt || p.Arrival.Kind != Anyhow {
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
