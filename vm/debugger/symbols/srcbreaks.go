package symbols

import (
	"cmp"
	"fmt"
	"slices"

	"stackscope/analysis/debuginfo"
	"stackscope/analysis/source"
	"stackscope/vm/debugger/snapshot"
)

// location is where a statement of a file of source begins.
type location struct {
	unit int
	debuginfo.Location
}

// locations returns the statements of a file of source, by line.
func (c *Code) locations(s *Source) (out []location) {
	for _, u := range c.usesOf(s) {
		for _, l := range c.list[u.unit].Info.Lines(u.file) {
			if l.Row.Stmt && int64(l.Func) < int64(len(c.list[u.unit].Module.Funcs)) {
				out = append(out, location{u.unit, l})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b location) int { return cmp.Compare(a.Row.Line, b.Row.Line) })
	return out
}

// onLine returns those of locations that are on a line, counted from 1.
func onLine(all []location, line int) []location {
	by := func(l location, line int) int { return l.Row.Line - line }
	from, _ := slices.BinarySearchFunc(all, line, by)
	to, _ := slices.BinarySearchFunc(all, line+1, by)
	return all[from:to]
}

// SourcePlaces finds where a breakpoint on a 0-based line of a file of source stops: at the first
// statement of the line in each function that has code of it, and in each call that is inlined, and
// at further ones that control can come to without passing that. off is the offset of a column, or
// -1. A line without code stands for the next one that has some, of the function that it is in. In
// the prologue of a function it stops after that.
func (c *Code) SourcePlaces(s *Source, line, off int) ([]Place, error) {
	all := c.locations(s)
	if len(all) == 0 {
		return nil, fmt.Errorf("no code in %s", s.Name)
	}
	on := onLine(all, line+1)
	if len(on) == 0 {
		next, ok := nextLine(c.list, all, line+1)
		if !ok {
			return nil, fmt.Errorf("there is no code at or below line %d", line+1)
		}
		on, off = onLine(all, next), -1
	}
	if off >= 0 {
		on = nearColumn(on, off)
	}
	type copyOf struct {
		id snapshot.FuncID
		in *Inline
	}
	rows := map[copyOf][]debuginfo.Row{}
	var order []copyOf
	for _, l := range on {
		fi := c.FunctionOf(snapshot.FuncID{Unit: l.unit, Func: l.Func})
		if fi == nil || fi.src == nil || fi.Instr(l.Row.PC) == nil {
			continue
		}
		l.Row.PC = fi.src.enter(fi, l.Row)
		k := copyOf{fi.ID, fi.src.inlineAt(fi, l.Row.PC)}
		if rows[k] == nil {
			order = append(order, k)
		}
		rows[k] = append(rows[k], l.Row)
	}
	slices.SortStableFunc(order, func(a, b copyOf) int {
		return cmp.Or(cmp.Compare(a.id.Unit, b.id.Unit), cmp.Compare(a.id.Func, b.id.Func),
			cmp.Compare(rows[a][0].PC, rows[b][0].PC))
	})
	var out []Place
	for _, k := range order {
		fi := c.FunctionOf(k.id)
		for _, pc := range c.stops(fi, rows[k], k.in) {
			if p := fi.sourcePlace(pc, k.in); !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("control cannot come to line %d", line+1)
	}
	slices.SortStableFunc(out, func(a, b Place) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	return out, nil
}

// sourcePlace returns the place in the source where a function, or a call that is inlined, stands at
// an instruction.
func (fi *Function) sourcePlace(pc int, in *Inline) Place {
	p, _ := fi.src.fn.Place(pc)
	for x := fi.src.inlineAt(fi, pc); x != nil && x != in && x.Scope.Call.File != nil; x = x.Outer {
		p = x.Scope.Call
	}
	return Place{Func: fi.ID, PC: pc, Span: spanOf(p), Stmt: true}
}

// NotBegun returns how many of the calls that are inlined at an instruction, and begin there, have not
// begun for who is at a place of a file: it is of a frame that calls them.
func (fi *Function) NotBegun(pc int, f *Source, at source.Span) int {
	for i, l := range fi.LevelsAt(pc, 0) {
		switch {
		case l.Known && fi.FileOf(l.Place) == f && spanOf(l.Place) == at:
			return i
		case l.Inline == nil || l.Inline.Entry != pc:
			return 0
		}
	}
	return 0
}

// nextLine returns the line, counted from 1, that stands for one without code: the next of the
// function that it is in, or else of the file.
func nextLine(units []*Unit, all []location, line int) (next int, ok bool) {
	type extent struct{ from, to, next int }
	type key struct {
		unit int
		fn   uint32
	}
	in := map[key]*extent{}
	for _, l := range all {
		k := key{l.unit, l.Func}
		x := in[k]
		if x == nil {
			x = &extent{from: l.Row.Line}
			in[k] = x
			if fn := units[l.unit].Info.Func(l.Func); fn != nil && fn.Decl.File == l.Row.File && fn.Decl.Line > 0 {
				x.from = fn.Decl.Line
			}
		}
		x.to = l.Row.Line
		if x.next == 0 && l.Row.Line > line {
			x.next = l.Row.Line
		}
		if !ok && l.Row.Line > line {
			next, ok = l.Row.Line, true
		}
	}
	best := 0
	for _, x := range in { // the function that begins last before the line has it
		if x.from <= line && line <= x.to && x.next > 0 && (x.from > best || x.from == best && x.next < next) {
			best, next, ok = x.from, x.next, true
		}
	}
	return next, ok
}

// nearColumn returns those of the locations of a line that are at the column of an offset, or the
// last one before it.
func nearColumn(on []location, off int) []location {
	_, col := snapshot.TextPlace(off)
	first, best := on[0].Row.Col, 0
	for _, l := range on {
		first = min(first, l.Row.Col)
		if l.Row.Col <= col+1 {
			best = max(best, l.Row.Col)
		}
	}
	best = max(best, first)
	return slices.DeleteFunc(slices.Clone(on), func(l location) bool { return l.Row.Col != best })
}

// maxStops bounds the places of a breakpoint in one copy of a function.
const maxStops = 16

// stops returns the instructions at which a breakpoint stops, of the rows of a line in a function,
// or in a call that is inlined: the first, and those that control can come to without passing one
// before them. Where calls begin that are inlined and stand on the line, the line has code, too.
func (c *Code) stops(fi *Function, rows []debuginfo.Row, in *Inline) []int {
	begin := fi.src.begins(fi)
	var pcs []int
	add := func(pc int) {
		if in != nil || pc >= begin { // not before the function begins
			pcs = append(pcs, pc)
		}
	}
	for _, r := range rows {
		add(r.PC)
	}
	for _, x := range fi.src.calls {
		if at := x.Scope.Call; x.Outer == in && at.File == rows[0].File && at.Line == rows[0].Line &&
			fi.src.begun(fi, x.Entry) {
			add(x.Entry)
		}
	}
	if len(pcs) == 0 {
		return []int{begin}
	}
	slices.Sort(pcs)
	pcs = slices.Compact(pcs)
	live := c.flow(fi).live
	var out []int
	cut := map[int]bool{}
	for _, pc := range pcs {
		if !live[pc] || len(out) == maxStops {
			continue
		}
		out, cut[pc] = append(out, pc), true
		if pc != pcs[len(pcs)-1] {
			live = flowOf(c.typer(fi.Module), fi.ID.Func, fi.Func.Body, cut).live
		}
	}
	return out
}

// sourceLocations lists where breakpoints can be set between two offsets of a file of source: one of
// each place in a function.
func (c *Code) sourceLocations(s *Source, from, to int) (out []Place) {
	type key struct {
		id   snapshot.FuncID
		from int
	}
	seen := map[key]bool{}
	for _, l := range c.locations(s) {
		at := spanOf(l.Row.Place)
		if at.Start < from || at.Start >= to {
			continue
		}
		p := Place{Func: snapshot.FuncID{Unit: l.unit, Func: l.Func}, Span: at, Stmt: true}
		fi := c.FunctionOf(p.Func)
		if fi.src == nil || fi.Instr(l.Row.PC) == nil {
			continue
		}
		p.PC = fi.src.enter(fi, l.Row)
		if k := (key{p.Func, at.Start}); !seen[k] {
			seen[k] = true
			out = append(out, p)
		}
	}
	return out
}
