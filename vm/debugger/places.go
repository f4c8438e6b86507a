package debugger

import (
	"stackscope/analysis/source"
	"stackscope/vm"
	"stackscope/wasm"
	"stackscope/wasm/text"
	"stackscope/wasm/valid"
)

// funcInfo is what the engine keeps of a function that runs or has a breakpoint.
type funcInfo struct {
	id     FuncID
	unit   *Unit        // nil: a host function, or of a module without a source
	mod    *wasm.Module // nil: a host function
	fn     *wasm.Func   // nil: a host function
	title  string
	starts []int         // of a printed source: the offsets of the instructions, by pc; see start
	stmts  []source.Span // by pc the statement that begins there; an empty span is none. See stmt
	known  bool          // where statements begin
	entry  []int         // see entries
	depths []uint8       // how many blocks are open, by pc; see text
	lines  []int32       // by pc: 0-based line, -1 where no statement begins and no place is known
	sites  map[siteKey]Site
	odd    map[string]bool // see oddNames
}

// siteKey is what is asked for of a function.
type siteKey struct {
	pc    int
	exact bool
}

// unitFunc describes a function of a unit.
func unitFunc(u *Unit, id FuncID, m *wasm.Module, types *valid.Typer) *funcInfo {
	fi := &funcInfo{id: id, unit: u, mod: m, title: m.FuncTitle(id.Func)}
	if int64(id.Func) < int64(len(m.Funcs)) {
		fi.fn = &m.Funcs[id.Func]
	}
	if u == nil || fi.fn == nil {
		return fi
	}
	var written []statement
	if u.File.Printed() {
		fi.starts = u.File.starts(id.Func)
		for pc := range fi.fn.Body {
			if text.IsStatement(fi.fn.Body[pc].Op) {
				written = append(written, statement{pc, u.File.instr(id.Func, pc, fi.starts[pc]), true})
			}
		}
	} else {
		for _, s := range fi.fn.Stmts {
			written = append(written, statement{int(s.PC), source.Span{Start: int(s.From), End: int(s.To)}, s.Flat})
		}
	}
	fi.known = len(written) > 0
	fi.stmts = statements(types, id.Func, fi.fn.Body, written)
	fi.lines = make([]int32, len(fi.fn.Body))
	for pc := range fi.fn.Body {
		fi.lines[pc] = int32(u.File.LineOf(fi.offset(pc)))
	}
	return fi
}

// isStmt reports whether a statement begins at pc. Where statements are not known, every
// instruction is one.
func (fi *funcInfo) isStmt(pc int) bool {
	return fi.begins(pc) || fi.unit != nil && fi.instr(pc) != nil && !fi.known
}

// begins reports whether a statement with a place begins at pc.
func (fi *funcInfo) begins(pc int) bool {
	return fi.unit != nil && fi.instr(pc) != nil && fi.stmts[pc].End > 0
}

// stmt returns the statement that begins at pc, if one does and its place is known.
func (fi *funcInfo) stmt(pc int) (source.Span, bool) {
	if !fi.begins(pc) {
		return source.Span{}, false
	}
	return fi.stmts[pc], true
}

// start returns the offset of an instruction of the function.
func (fi *funcInfo) start(pc int) int {
	if fi.starts != nil {
		return fi.starts[pc]
	}
	return int(fi.fn.Body[pc].At)
}

// begin returns the offset of the function.
func (fi *funcInfo) begin() int {
	if fi.unit != nil && fi.unit.File.Printed() {
		from, _ := fi.unit.File.function(fi.id.Func)
		return from
	}
	return int(fi.fn.At)
}

// offset returns where pc is shown: the statement that begins there, else the instruction.
func (fi *funcInfo) offset(pc int) int {
	switch {
	case fi.fn == nil:
		return 0
	case fi.instr(pc) == nil:
		return fi.begin()
	case fi.stmts != nil && fi.stmts[pc].End > 0:
		return fi.stmts[pc].Start
	}
	return fi.start(pc)
}

// instr returns the instruction at pc, or nil.
func (fi *funcInfo) instr(pc int) *wasm.Instr {
	if fi.fn == nil || pc < 0 || pc >= len(fi.fn.Body) {
		return nil
	}
	return &fi.fn.Body[pc]
}

// span returns the text to show for pc: of the statement that begins there, unless exact asks for
// the instruction itself; of an instruction its mnemonic.
func (fi *funcInfo) span(pc int, exact bool) source.Span {
	if fi.unit == nil {
		return source.Span{}
	}
	if !exact {
		if s, ok := fi.stmt(pc); ok {
			return s
		}
	}
	in := fi.instr(pc)
	if in == nil {
		return source.Span{Start: fi.begin(), End: fi.begin()}
	}
	n := 1
	if in.Op != wasm.OpEnd {
		n = len(in.Op.String())
	}
	at := fi.start(pc)
	if fi.unit.File.opens(at) {
		n++
	}
	return fi.unit.File.span(at, n)
}

// site describes pc for people.
func (fi *funcInfo) site(pc int, exact bool) Site {
	if s, ok := fi.sites[siteKey{pc, exact}]; ok { // of many stacks that stand at the same place
		return s
	}
	s := Site{Func: fi.title}
	if in := fi.instr(pc); in != nil {
		s.Text = in.Op.String()
	}
	if fi.unit == nil {
		return s
	}
	s.File = fi.unit.File.Name
	s.Offset = fi.offset(pc)
	if exact && fi.instr(pc) != nil {
		s.Offset = fi.start(pc)
	}
	s.Line, s.Col = fi.unit.File.LineCol(s.Offset)
	if fi.sites == nil {
		fi.sites = map[siteKey]Site{}
	}
	fi.sites[siteKey{pc, exact}] = s
	return s
}

// info returns what is known of a function; of nil a host function.
func (y *Symbols) info(f *vm.Func) *funcInfo {
	if fi := y.funcs[f]; fi != nil {
		return fi
	}
	var fi *funcInfo
	switch {
	case f.OfDebugger(): // there is one for each cancellation
		return &funcInfo{id: FuncID{Unit: -1}, title: "the debugger"}
	case f == nil:
		fi = &funcInfo{id: FuncID{Unit: -1}, title: "host"}
	case f.IsHost():
		fi = &funcInfo{id: FuncID{Unit: -1}, title: "host function " + f.String()}
	default:
		in := f.Instance()
		if i, ok := y.units[in.Module()]; ok {
			id := FuncID{i, f.Index()}
			if fi = y.infos[id]; fi == nil {
				fi = unitFunc(y.list[i], id, in.Module(), y.typer(in.Module()))
				y.infos[id] = fi
			}
		} else {
			fi = unitFunc(nil, FuncID{-1 - int(in.ID()), f.Index()}, in.Module(), nil)
		}
	}
	y.funcs[f] = fi
	return fi
}

// infoOf is info by the name of the function.
func (y *Symbols) infoOf(id FuncID) *funcInfo {
	if fi := y.infos[id]; fi != nil {
		return fi
	}
	if id.Unit < 0 || id.Unit >= len(y.list) {
		return nil
	}
	u := y.list[id.Unit]
	if int64(id.Func) >= int64(len(u.Module.Funcs)) {
		return nil
	}
	fi := unitFunc(u, id, u.Module, y.typer(u.Module))
	y.infos[id] = fi
	return fi
}
