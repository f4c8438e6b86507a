package symbols

import (
	"stackscope/analysis/source"
	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
	"stackscope/wasm/text"
)

// watPlaces are the places of a function in the text format.
type watPlaces struct {
	starts []int         // of a printed source: the offsets of the instructions, by pc; see watStart
	stmts  []source.Span // by pc the statement that begins there; an empty span is none. See watStmt
	known  bool          // where statements begin
	lines  []int32       // by pc: 0-based line
}

// places returns the places of the function in the text format; nil: it has none.
func (fi *Function) watPlaces() *watPlaces {
	if fi.wat != nil || fi.Unit == nil || fi.Func == nil {
		return fi.wat
	}
	w := &watPlaces{}
	fi.wat = w
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
		w.lines[pc] = int32(file.LineOf(fi.watOffset(pc)))
	}
	return w
}

// IsWATStatement reports whether a statement of the text format begins at pc. Where statements are
// not known, every instruction is one.
func (fi *Function) IsWATStatement(pc int) bool {
	return fi.watBegins(pc) || fi.Unit != nil && fi.Instr(pc) != nil && !fi.watPlaces().known
}

// watBegins reports whether a statement with a place begins at pc.
func (fi *Function) watBegins(pc int) bool {
	return fi.Unit != nil && fi.Instr(pc) != nil && fi.watPlaces().stmts[pc].End > 0
}

// watStmt returns the statement that begins at pc, if one does and its place is known.
func (fi *Function) watStmt(pc int) (source.Span, bool) {
	if !fi.watBegins(pc) {
		return source.Span{}, false
	}
	return fi.watPlaces().stmts[pc], true
}

// WATLine returns the 1-based line of pc in the text format, 0 if it is not known.
func (fi *Function) WATLine(pc int) int {
	if w := fi.watPlaces(); w != nil && pc >= 0 && pc < len(w.lines) {
		return int(w.lines[pc]) + 1
	}
	return 0
}

// watStart returns the offset of an instruction of the function.
func (fi *Function) watStart(pc int) int {
	if w := fi.watPlaces(); w != nil && w.starts != nil {
		return w.starts[pc]
	}
	return int(fi.Func.Body[pc].At)
}

// watBegin returns the offset of the function.
func (fi *Function) watBegin() int {
	if fi.Unit != nil && fi.Unit.File.Printed() {
		from, _ := fi.Unit.File.function(fi.ID.Func)
		return from
	}
	return int(fi.Func.At)
}

// watOffset returns where pc is shown: the statement that begins there, else the instruction.
func (fi *Function) watOffset(pc int) int {
	switch {
	case fi.Func == nil:
		return 0
	case fi.Instr(pc) == nil:
		return fi.watBegin()
	}
	if w := fi.watPlaces(); w != nil && w.stmts != nil && w.stmts[pc].End > 0 {
		return w.stmts[pc].Start
	}
	return fi.watStart(pc)
}

// WATSpan returns the text to show for pc in the text format: of the statement that begins there,
// unless exact asks for the instruction itself; of an instruction its mnemonic.
func (fi *Function) WATSpan(pc int, exact bool) source.Span {
	if fi.Unit == nil {
		return source.Span{}
	}
	if !exact {
		if s, ok := fi.watStmt(pc); ok {
			return s
		}
	}
	in := fi.Instr(pc)
	if in == nil {
		return source.Span{Start: fi.watBegin(), End: fi.watBegin()}
	}
	n := 1
	if in.Op != wasm.OpEnd {
		n = len(in.Op.String())
	}
	at := fi.watStart(pc)
	if fi.Unit.File.opens(at) {
		n++
	}
	return fi.Unit.File.span(at, n)
}

// WATSite describes pc in words, with its place in the text format.
func (fi *Function) WATSite(pc int, exact bool) snapshot.Site {
	return fi.site(siteKey{pc, exact, true})
}
