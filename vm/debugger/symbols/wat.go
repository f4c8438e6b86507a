package symbols

import (
	"stackscope/analysis/source"
	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
	"stackscope/wasm/text"
)

// WAT are the places of a function in the text format. They are found when they are first asked for.
type WAT struct {
	fi     *Function
	starts []int         // of a printed source: the offsets of the instructions, by pc; see start
	stmts  []source.Span // by pc the statement that begins there; an empty span is none. See stmt
	known  bool          // where statements begin
	lines  []int32       // by pc: 0-based line
}

// WAT returns the places of the function in the text format.
func (fi *Function) WAT() *WAT {
	if fi.wat != nil {
		return fi.wat
	}
	w := &WAT{fi: fi}
	fi.wat = w
	if fi.Unit == nil || fi.Func == nil {
		return w
	}
	file, id := fi.Unit.File, fi.ID.Func
	var written []statement
	if file.Printed() {
		w.starts = file.starts(id)
		for pc := range fi.Func.Body {
			if text.IsStatement(fi.Func.Body[pc].Op) {
				written = append(written, statement{pc, file.instr(id, pc, w.starts[pc]), true})
			}
		}
	} else {
		for _, s := range fi.Func.Stmts {
			written = append(written, statement{int(s.PC), source.Span{Start: int(s.From), End: int(s.To)}, s.Flat})
		}
	}
	w.known = len(written) > 0
	w.stmts = statements(fi.code.typer(fi.Module), id, fi.Func.Body, written)
	w.lines = make([]int32, len(fi.Func.Body))
	for pc := range fi.Func.Body {
		w.lines[pc] = int32(file.LineOf(w.offset(pc)))
	}
	return w
}

// IsStatement reports whether a statement of the text format begins at pc. Where statements are
// not known, every instruction is one.
func (w *WAT) IsStatement(pc int) bool {
	return w.begins(pc) || w.fi.Unit != nil && w.fi.Instr(pc) != nil && !w.known
}

// begins reports whether a statement with a place begins at pc.
func (w *WAT) begins(pc int) bool {
	return w.fi.Unit != nil && w.fi.Instr(pc) != nil && w.stmts[pc].End > 0
}

// stmt returns the statement that begins at pc, if one does and its place is known.
func (w *WAT) stmt(pc int) (source.Span, bool) {
	if !w.begins(pc) {
		return source.Span{}, false
	}
	return w.stmts[pc], true
}

// Line returns the 1-based line of pc in the text format, 0 if it is not known.
func (w *WAT) Line(pc int) int {
	if pc >= 0 && pc < len(w.lines) {
		return int(w.lines[pc]) + 1
	}
	return 0
}

// start returns the offset of an instruction of the function.
func (w *WAT) start(pc int) int {
	if w.starts != nil {
		return w.starts[pc]
	}
	return int(w.fi.Func.Body[pc].At)
}

// begin returns the offset of the function.
func (w *WAT) begin() int {
	if w.fi.Unit != nil && w.fi.Unit.File.Printed() {
		from, _ := w.fi.Unit.File.function(w.fi.ID.Func)
		return from
	}
	return int(w.fi.Func.At)
}

// offset returns where pc is shown: the statement that begins there, else the instruction.
func (w *WAT) offset(pc int) int {
	switch {
	case w.fi.Func == nil:
		return 0
	case w.fi.Instr(pc) == nil:
		return w.begin()
	}
	if w.stmts != nil && w.stmts[pc].End > 0 {
		return w.stmts[pc].Start
	}
	return w.start(pc)
}

// Span returns the text to show for pc in the text format: of the statement that begins there,
// unless exact asks for the instruction itself; of an instruction its mnemonic.
func (w *WAT) Span(pc int, exact bool) source.Span {
	if w.fi.Unit == nil {
		return source.Span{}
	}
	if !exact {
		if s, ok := w.stmt(pc); ok {
			return s
		}
	}
	in := w.fi.Instr(pc)
	if in == nil {
		return source.Span{Start: w.begin(), End: w.begin()}
	}
	n := 1
	if in.Op != wasm.OpEnd {
		n = len(in.Op.String())
	}
	at := w.start(pc)
	if w.fi.Unit.File.opens(at) {
		n++
	}
	return w.fi.Unit.File.span(at, n)
}

// Site describes pc in words, with its place in the text format.
func (w *WAT) Site(pc int, exact bool) snapshot.Site {
	return w.fi.site(siteKey{pc, exact, true})
}
