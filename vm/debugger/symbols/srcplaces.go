package symbols

import (
	"slices"

	"stackscope/analysis/debuginfo"
	"stackscope/analysis/source"
	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
)

// srcPlaces are the places of a function in its source.
type srcPlaces struct {
	fn      *debuginfo.Func
	lines   bool      // some instructions have places
	wat     bool      // it is shown in the text format all the same
	inlines []*Inline // by pc the innermost call that was inlined there; nil: none is anywhere
	calls   []*Inline // all calls that were inlined
	made    bool      // inlines and calls are
	begin   int       // see Begin
	stmts   []bool    // by pc: a statement begins here; see statementsOf
}

// statementsOf finds where statements begin, by pc. That is after what has no effect but structure:
// a branch to the end of a block goes on after it, and one to a loop in it.
func statementsOf(fn *debuginfo.Func, body []wasm.Instr) []bool {
	out := make([]bool, len(body))
	for i, r := range fn.Rows {
		if !r.Stmt || r.File == nil || r.PC < 0 || r.PC >= len(body) {
			continue
		}
		end := len(body)
		if i+1 < len(fn.Rows) {
			end = min(end, fn.Rows[i+1].PC)
		}
		out[statementAt(body, r.PC, end)] = true
	}
	return out
}

// statementAt returns where the statement begins of a row of the instructions from pc up to end.
func statementAt(body []wasm.Instr, pc, end int) int {
	for i := pc; i < end; i++ {
		switch op := body[i].Op; {
		case op == wasm.OpEnd && i < len(body)-1, op == wasm.OpElse, op == wasm.OpBlock, op == wasm.OpLoop,
			op == wasm.OpNop:
		default:
			return i
		}
	}
	return pc
}

// enter returns the instruction where the statement of a row begins.
func (s *srcPlaces) enter(fi *Function, r debuginfo.Row) int {
	end := len(fi.Func.Body)
	next, _ := slices.BinarySearchFunc(s.fn.Rows, r.PC+1, func(r debuginfo.Row, pc int) int { return r.PC - pc })
	if next < len(s.fn.Rows) {
		end = min(end, s.fn.Rows[next].PC)
	}
	return statementAt(fi.Func.Body, r.PC, end)
}

// Inline is a call that was inlined into a function.
type Inline struct {
	Scope *debuginfo.Scope
	Outer *Inline // the call that it is in; nil: it is in the function itself
	Depth int     // how many calls it is in, with itself
	Entry int     // the instruction where it begins
}

// Within reports whether a call is another one, or in it; of nil, that it is in the function.
func (in *Inline) Within(outer *Inline) bool {
	for ; in != nil && in != outer; in = in.Outer {
	}
	return in == outer
}

// maxInlines bounds the calls that are looked at, and maxInlineDepth how deep they are nested.
const (
	maxInlines     = 100_000
	maxInlineDepth = 200
)

// readSource finds out what is known of the source of the function.
func (fi *Function) readSource() {
	fn := fi.Unit.Info.Func(fi.ID.Func)
	if fn == nil {
		return
	}
	s := &srcPlaces{fn: fn, begin: -1}
	s.lines = slices.ContainsFunc(fn.Rows, func(r debuginfo.Row) bool { return r.File != nil })
	fi.src = s
	fi.showSource()
}

// showSource sets what depends on whether the function is shown in its source.
func (fi *Function) showSource() {
	fi.sites = nil
	if fi.src == nil {
		return
	}
	fi.src.wat = fi.code.views.wat(fi.ID)
	if fi.Title = shortName(fi.src.fn.Name); fi.Title == "" || fi.src.wat {
		fi.Title = fi.Module.FuncTitle(fi.ID.Func)
	}
}

// Source returns what is known of the source of the function; nil: nothing.
func (fi *Function) Source() *debuginfo.Func {
	if fi.src == nil {
		return nil
	}
	return fi.src.fn
}

// HasLines reports whether places in the source of the function are known.
func (fi *Function) HasLines() bool { return fi.src != nil && fi.src.lines }

// InSource reports whether the function is shown in its source.
func (fi *Function) InSource() bool { return fi.inSource() }

// FileOf returns the source of a place of the function.
func (fi *Function) FileOf(p debuginfo.Place) *Source {
	return fi.code.externals.of(fi.Unit.Sources, fi.ID.Unit, p.File)
}

// inSource reports whether the function is shown in its source.
func (fi *Function) inSource() bool { return fi.src != nil && fi.src.lines && !fi.src.wat }

// begun reports whether a statement of the source begins at pc.
func (s *srcPlaces) begun(fi *Function, pc int) bool {
	if s.stmts == nil {
		s.stmts = statementsOf(s.fn, fi.Func.Body)
	}
	return pc >= 0 && pc < len(s.stmts) && s.stmts[pc]
}

// placeNear returns the place in the source to show for pc: its own, else that of what is before it,
// or after it. ok is false if the function is not shown in its source.
func (fi *Function) placeNear(pc int) (debuginfo.Place, bool) {
	if !fi.inSource() {
		return debuginfo.Place{}, false
	}
	fn := fi.src.fn
	if pc < 0 && fn.Decl.File != nil {
		return fn.Decl, true
	}
	if p, ok := fn.Place(pc); ok {
		return p, true
	}
	at, _ := slices.BinarySearchFunc(fn.Rows, pc+1, func(r debuginfo.Row, pc int) int { return r.PC - pc })
	for i := at - 1; i >= 0; i-- {
		if fn.Rows[i].File != nil {
			return fn.Rows[i].Place, true
		}
	}
	for i := at; i < len(fn.Rows); i++ {
		if fn.Rows[i].File != nil {
			return fn.Rows[i].Place, true
		}
	}
	return debuginfo.Place{}, false
}

// InlineAt returns the innermost call that is inlined at pc; nil: none is, or the function is not
// shown in its source.
func (fi *Function) InlineAt(pc int) *Inline {
	if !fi.inSource() {
		return nil
	}
	return fi.src.inlineAt(fi, pc)
}

// inlineAt is InlineAt, however the function is shown.
func (s *srcPlaces) inlineAt(fi *Function, pc int) *Inline {
	if !s.made {
		s.made = true
		s.paintInlines(len(fi.Func.Body))
	}
	if pc < 0 || pc >= len(s.inlines) {
		return nil
	}
	return s.inlines[pc]
}

// paintInlines finds out which calls are inlined where, in a function of n instructions.
func (s *srcPlaces) paintInlines(n int) {
	left := maxInlines
	var walk func(s *debuginfo.Scope, in *Inline, depth int)
	walk = func(scope *debuginfo.Scope, in *Inline, depth int) {
		for _, x := range scope.Inner {
			if left--; left < 0 || depth > 5*maxInlineDepth {
				return
			}
			inner := in
			if x.Kind == debuginfo.ScopeInline && len(x.Ranges) > 0 && (in == nil || in.Depth < maxInlineDepth) {
				inner = &Inline{Scope: x, Outer: in, Depth: 1, Entry: n}
				if in != nil {
					inner.Depth += in.Depth
				}
				if s.inlines == nil {
					s.inlines = make([]*Inline, n)
				}
				s.calls = append(s.calls, inner)
				for _, r := range x.Ranges {
					inner.Entry = min(inner.Entry, max(r.From, 0))
					for pc := max(r.From, 0); pc < min(r.To, n); pc++ {
						if s.inlines[pc] == in { // what is contradictory stays outside
							s.inlines[pc] = inner
						}
					}
				}
			}
			walk(x, inner, depth+1)
		}
	}
	if root := s.fn.Root; root != nil {
		walk(root, nil, 0)
	}
}

// Entering returns the outermost of the calls that are inlined at pc and begin there, within one;
// nil if none does.
func (fi *Function) Entering(pc int, outer *Inline) (in *Inline) {
	for x := fi.InlineAt(pc); x != nil && x != outer && x.Entry == pc; x = x.Outer {
		in = x
	}
	return in
}

// Level is what is shown of an instruction as a frame: the function, or a call that is inlined in it.
type Level struct {
	Title  string
	Inline *Inline // nil: the function
	Scope  *debuginfo.Scope
	Place  debuginfo.Place // where it stands; of what has called another level, the call
	Known  bool            // Place is
}

// LevelsAt returns the levels of an instruction, innermost first; the last is the function. hidden
// of the innermost are left out: calls that have not begun yet.
func (fi *Function) LevelsAt(pc, hidden int) []Level {
	place, known := fi.placeNear(pc)
	var out []Level
	in := fi.InlineAt(pc)
	for ; in != nil; in = in.Outer {
		if hidden > 0 {
			hidden--
		} else {
			l := Level{Title: shortName(in.Scope.Name), Inline: in, Scope: in.Scope, Place: place, Known: known}
			out = append(out, l)
		}
		if in.Scope.Call.File != nil {
			place = in.Scope.Call
		}
	}
	l := Level{Title: fi.Title, Place: place, Known: known}
	if fi.src != nil {
		l.Scope = fi.src.fn.Root
	}
	return append(out, l)
}

// Begin returns the instruction where a step into the function, and a breakpoint on it, stops: the
// first statement after its prologue.
func (fi *Function) Begin() int {
	if !fi.inSource() {
		return 0
	}
	return fi.src.begins(fi)
}

// begins is Begin, however the function is shown.
func (s *srcPlaces) begins(fi *Function) int {
	if s.begin < 0 {
		s.begin = min(max(s.fn.Body, 0), len(fi.Func.Body)-1)
		for pc := s.begin; pc < len(fi.Func.Body); pc++ {
			if s.begun(fi, pc) {
				s.begin = pc
				break
			}
		}
	}
	return s.begin
}

// Folded reports whether a level of the function is a part of the language's runtime, or in a file
// that is skipped, or nothing is known of its source in a module with debugging information.
func (fi *Function) Folded(l Level) bool {
	switch {
	case fi.Unit == nil || fi.code == nil || fi.code.views.wat(fi.ID):
		return false
	case !fi.HasLines():
		return fi.code.views.hasLines(fi.Unit) && fi.code.views.skip.Runtime()
	case l.Inline == nil && fi.src.fn.Runtime && fi.code.views.skip.Runtime():
		return true
	}
	return l.Known && fi.code.views.skips(fi.code, fi.ID.Unit, l.Place.File)
}

// IsUser reports whether pc is in code that steps stop in: that is not folded.
func (fi *Function) IsUser(pc int) bool {
	if !fi.inSource() {
		return !fi.Folded(Level{})
	}
	p, ok := fi.placeNear(pc)
	return !fi.Folded(Level{Inline: fi.InlineAt(pc), Place: p, Known: ok})
}

// Shown returns the source and the text to show for a level of pc, and describes it in words.
func (fi *Function) Shown(l Level, pc int, exact bool) (*Source, source.Span, snapshot.Site) {
	if !l.Known {
		file := (*Source)(nil)
		if fi.Unit != nil {
			file = fi.Unit.File
		}
		return file, fi.WAT().Span(pc, exact), fi.Site(pc, exact)
	}
	file := fi.FileOf(l.Place)
	s := snapshot.Site{Func: l.Title, File: file.Name, Offset: spanOf(l.Place).Start}
	if in := fi.Instr(pc); in != nil {
		s.Text = in.Op.String()
	}
	s.Line, s.Col = file.LineCol(s.Offset)
	return file, spanOf(l.Place), s
}
