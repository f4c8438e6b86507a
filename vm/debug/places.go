package debug

import (
	"fmt"
	"sort"

	"stackscope/analysis/source"
	"stackscope/vm"
	"stackscope/wasm"
)

// funcInfo is what the engine keeps of a function that runs or has a breakpoint.
type funcInfo struct {
	id     FuncID
	unit   *Unit        // nil: a host function, or of a module without a source
	mod    *wasm.Module // nil: a host function
	fn     *wasm.Func   // nil: a host function
	title  string
	stmts  []source.Span // by pc: the statement that begins there; an empty span is none
	entry  []int         // see entries
	depths []uint8       // how many blocks are open, by pc; see text
	lines  []int32       // by pc: 0-based line, -1 where no statement begins and no place is known
}

// unitFunc describes a function of a unit.
func unitFunc(u *Unit, id FuncID, m *wasm.Module) *funcInfo {
	if u != nil {
		u.NeedSource()
	}
	fi := &funcInfo{id: id, unit: u, mod: m, title: m.FuncTitle(id.Func)}
	if int64(id.Func) < int64(len(m.Funcs)) {
		fi.fn = &m.Funcs[id.Func]
	}
	if u == nil || fi.fn == nil {
		return fi
	}
	fi.stmts = make([]source.Span, len(fi.fn.Body))
	for _, s := range fi.fn.Stmts {
		if int(s.PC) < len(fi.stmts) && fi.stmts[s.PC].End == 0 { // the outermost of those that begin here
			fi.stmts[s.PC] = source.Span{Start: int(s.From), End: int(s.To)}
		}
	}
	fi.lines = make([]int32, len(fi.fn.Body))
	for pc := range fi.fn.Body {
		fi.lines[pc] = int32(u.File.LineOf(fi.offset(pc)))
	}
	return fi
}

// isStmt tells whether a statement begins at pc. Where statements are not known, every instruction is one.
func (fi *funcInfo) isStmt(pc int) bool {
	if fi.unit == nil || pc < 0 || pc >= len(fi.stmts) {
		return false
	}
	return fi.stmts[pc].End > 0 || len(fi.fn.Stmts) == 0
}

// offset gives where pc is shown: the statement that begins there, else the instruction.
func (fi *funcInfo) offset(pc int) int {
	switch {
	case fi.fn == nil:
		return 0
	case pc >= 0 && pc < len(fi.stmts) && fi.stmts[pc].End > 0:
		return fi.stmts[pc].Start
	case pc >= 0 && pc < len(fi.fn.Body):
		return int(fi.fn.Body[pc].At)
	}
	return int(fi.fn.At)
}

// instr gives the instruction at pc, or nil.
func (fi *funcInfo) instr(pc int) *wasm.Instr {
	if fi.fn == nil || pc < 0 || pc >= len(fi.fn.Body) {
		return nil
	}
	return &fi.fn.Body[pc]
}

// span gives the text to show for pc: of the statement that begins there, unless exact asks for the
// instruction itself; of an instruction its mnemonic.
func (fi *funcInfo) span(pc int, exact bool) source.Span {
	if fi.unit == nil {
		return source.Span{}
	}
	if !exact && pc >= 0 && pc < len(fi.stmts) && fi.stmts[pc].End > 0 {
		return fi.stmts[pc]
	}
	in := fi.instr(pc)
	if in == nil {
		return source.Span{Start: int(fi.fn.At), End: int(fi.fn.At)}
	}
	n := 1
	if in.Op != wasm.OpEnd {
		n = len(in.Op.String())
	}
	at := int(in.At)
	if at < len(fi.unit.File.Text) && fi.unit.File.Text[at] == '(' {
		n++
	}
	return source.Span{Start: at, End: min(at+n, len(fi.unit.File.Text))}
}

// site describes pc for people.
func (fi *funcInfo) site(pc int, exact bool) Site {
	s := Site{Func: fi.title}
	if in := fi.instr(pc); in != nil {
		s.Text = in.Op.String()
	}
	if fi.unit == nil {
		return s
	}
	s.File = fi.unit.File.Name
	s.Offset = fi.span(pc, exact).Start
	s.Line, s.Col = fi.unit.File.LineCol(s.Offset)
	return s
}

// info gives what is known of a function; of nil a host function.
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
				fi = unitFunc(y.list[i], id, in.Module())
				y.infos[id] = fi
			}
		} else {
			fi = unitFunc(nil, FuncID{-1 - int(in.ID()), f.Index()}, in.Module())
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
	fi := unitFunc(u, id, u.Module)
	y.infos[id] = fi
	return fi
}

// Place is a place where the program can stop.
type Place struct {
	Func FuncID
	PC   int
	Span source.Span
	Stmt bool // a statement; else an instruction inside one
}

// places lists the places of a file in order of their offsets, statements before instructions at
// the same offset. Structure (`else`, `end` of blocks) is no place; the end of a function is one.
func (y *Symbols) places(f *source.File) []Place {
	if p, ok := y.byFile[f]; ok {
		return p
	}
	var out []Place
	for i, u := range y.list {
		if u.File != f {
			continue
		}
		for fn := range u.Module.Funcs {
			body := u.Module.Funcs[fn].Body
			if len(body) == 0 {
				continue
			}
			fi := y.infoOf(FuncID{i, uint32(fn)})
			for pc := range body {
				if fi.isStmt(pc) {
					out = append(out, Place{fi.id, pc, fi.span(pc, false), true})
				}
				switch op := body[pc].Op; {
				case op == wasm.OpElse, op == wasm.OpEnd && pc != len(body)-1:
				default:
					out = append(out, Place{fi.id, pc, fi.span(pc, true), false})
				}
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
	y.byFile[f] = out
	return out
}

// Resolve finds where a breakpoint on a 0-based line stops. off is the offset of a column on that
// line, or -1. Without a column that is the first statement on the line, else the first instruction
// on it that is executed, else the next statement behind it.
func (y *Symbols) Resolve(f *source.File, line, off int) (Place, error) {
	p, err := y.resolve(f, line, off)
	if err == nil && !p.Stmt {
		// The first instruction of a statement is shown as the statement.
		if fi := y.infoOf(p.Func); fi.isStmt(p.PC) {
			p.Span, p.Stmt = fi.span(p.PC, false), true
		}
	}
	return p, err
}

func (y *Symbols) resolve(f *source.File, line, off int) (Place, error) {
	ps := y.places(f)
	if len(ps) == 0 {
		return Place{}, fmt.Errorf("no code in %s", f.Name)
	}
	start, end := f.LineStart(line), f.LineStart(line+1)
	if line >= f.NumLines()-1 {
		end = len(f.Text) + 1
	}
	lo := sort.Search(len(ps), func(i int) bool { return ps[i].Span.Start >= start })
	hi := sort.Search(len(ps), func(i int) bool { return ps[i].Span.Start >= end })
	if off >= 0 && lo < hi {
		best := ps[lo]
		for _, p := range ps[lo:hi] {
			// A parenthesis more or less is no difference: places begin at the one or the other.
			if p.Span.Start <= off+1 && (p.Span.Start > best.Span.Start+1 || p.Span.Start > best.Span.Start && !best.Stmt) {
				best = p
			}
		}
		return best, nil
	}
	for _, p := range ps[lo:hi] {
		if p.Stmt {
			return p, nil
		}
	}
	if lo < hi {
		best := ps[lo]
		for _, p := range ps[lo:hi] {
			if p.Func == best.Func && p.PC < best.PC {
				best = p
			}
		}
		return best, nil
	}
	for _, p := range ps[hi:] {
		if p.Stmt {
			return p, nil
		}
	}
	return Place{}, fmt.Errorf("there is no code at or below line %d", line+1)
}

// Locations lists where breakpoints can be set between two offsets: the statements that begin there;
// if there are none, the instructions.
func (y *Symbols) Locations(f *source.File, from, to int) []Place {
	var stmts, instrs []Place
	for _, p := range y.places(f) {
		if p.Span.Start < from || p.Span.Start >= to {
			continue
		}
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
