package symbols

import (
	"slices"
	"strings"

	"stackscope/analysis/source"
	"stackscope/vm/debugger/expr"
	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
	"stackscope/wasm/text"
	"stackscope/wasm/valid"
)

// Function is what the engine keeps of a function that runs or has a breakpoint.
type Function struct {
	ID     snapshot.FuncID
	Unit   *Unit        // nil: a host function, or of a module without a source
	Module *wasm.Module // nil: a host function
	Func   *wasm.Func   // nil: a host function
	Title  string
	starts []int         // of a printed source: the offsets of the instructions, by pc; see start
	stmts  []source.Span // by pc the statement that begins there; an empty span is none. See stmt
	known  bool          // where statements begin
	entry  []int         // see entries
	depths []uint8       // how many blocks are open, by pc; see text
	lines  []int32       // by pc: 0-based line, -1 where no statement begins and no place is known
	sites  map[siteKey]snapshot.Site
	odd    map[string]bool // see oddNames
	flow   *flow           // see Code.flow
}

// siteKey is what is asked for of a function.
type siteKey struct {
	pc    int
	exact bool
}

// unitFunc describes a function of a unit.
func unitFunc(u *Unit, id snapshot.FuncID, m *wasm.Module, types *valid.Typer) *Function {
	fi := &Function{ID: id, Unit: u, Module: m, Title: m.FuncTitle(id.Func)}
	if int64(id.Func) < int64(len(m.Funcs)) {
		fi.Func = &m.Funcs[id.Func]
	}
	if u == nil || fi.Func == nil {
		return fi
	}
	var written []statement
	if u.File.Printed() {
		fi.starts = u.File.starts(id.Func)
		for pc := range fi.Func.Body {
			if text.IsStatement(fi.Func.Body[pc].Op) {
				written = append(written, statement{pc, u.File.instr(id.Func, pc, fi.starts[pc]), true})
			}
		}
	} else {
		for _, s := range fi.Func.Stmts {
			written = append(written, statement{int(s.PC), source.Span{Start: int(s.From), End: int(s.To)}, s.Flat})
		}
	}
	fi.known = len(written) > 0
	fi.stmts = statements(types, id.Func, fi.Func.Body, written)
	fi.lines = make([]int32, len(fi.Func.Body))
	for pc := range fi.Func.Body {
		fi.lines[pc] = int32(u.File.LineOf(fi.offset(pc)))
	}
	return fi
}

// IsStatement reports whether a statement begins at pc. Where statements are not known, every
// instruction is one.
func (fi *Function) IsStatement(pc int) bool {
	return fi.begins(pc) || fi.Unit != nil && fi.Instr(pc) != nil && !fi.known
}

// begins reports whether a statement with a place begins at pc.
func (fi *Function) begins(pc int) bool {
	return fi.Unit != nil && fi.Instr(pc) != nil && fi.stmts[pc].End > 0
}

// stmt returns the statement that begins at pc, if one does and its place is known.
func (fi *Function) stmt(pc int) (source.Span, bool) {
	if !fi.begins(pc) {
		return source.Span{}, false
	}
	return fi.stmts[pc], true
}

// Line returns the 1-based line of pc, 0 if it is not known.
func (fi *Function) Line(pc int) int {
	if pc < 0 || pc >= len(fi.lines) {
		return 0
	}
	return int(fi.lines[pc]) + 1
}

// start returns the offset of an instruction of the function.
func (fi *Function) start(pc int) int {
	if fi.starts != nil {
		return fi.starts[pc]
	}
	return int(fi.Func.Body[pc].At)
}

// begin returns the offset of the function.
func (fi *Function) begin() int {
	if fi.Unit != nil && fi.Unit.File.Printed() {
		from, _ := fi.Unit.File.function(fi.ID.Func)
		return from
	}
	return int(fi.Func.At)
}

// offset returns where pc is shown: the statement that begins there, else the instruction.
func (fi *Function) offset(pc int) int {
	switch {
	case fi.Func == nil:
		return 0
	case fi.Instr(pc) == nil:
		return fi.begin()
	case fi.stmts != nil && fi.stmts[pc].End > 0:
		return fi.stmts[pc].Start
	}
	return fi.start(pc)
}

// Instr returns the instruction at pc, or nil.
func (fi *Function) Instr(pc int) *wasm.Instr {
	if fi.Func == nil || pc < 0 || pc >= len(fi.Func.Body) {
		return nil
	}
	return &fi.Func.Body[pc]
}

// Span returns the text to show for pc: of the statement that begins there, unless exact asks for
// the instruction itself; of an instruction its mnemonic.
func (fi *Function) Span(pc int, exact bool) source.Span {
	if fi.Unit == nil {
		return source.Span{}
	}
	if !exact {
		if s, ok := fi.stmt(pc); ok {
			return s
		}
	}
	in := fi.Instr(pc)
	if in == nil {
		return source.Span{Start: fi.begin(), End: fi.begin()}
	}
	n := 1
	if in.Op != wasm.OpEnd {
		n = len(in.Op.String())
	}
	at := fi.start(pc)
	if fi.Unit.File.opens(at) {
		n++
	}
	return fi.Unit.File.span(at, n)
}

// Site describes pc in words.
func (fi *Function) Site(pc int, exact bool) snapshot.Site {
	if s, ok := fi.sites[siteKey{pc, exact}]; ok { // of many stacks that stand at the same place
		return s
	}
	s := snapshot.Site{Func: fi.Title}
	if in := fi.Instr(pc); in != nil {
		s.Text = in.Op.String()
	}
	if fi.Unit == nil {
		return s
	}
	s.File = fi.Unit.File.Name
	s.Offset = fi.offset(pc)
	if exact && fi.Instr(pc) != nil {
		s.Offset = fi.start(pc)
	}
	s.Line, s.Col = fi.Unit.File.LineCol(s.Offset)
	if fi.sites == nil {
		fi.sites = map[siteKey]snapshot.Site{}
	}
	fi.sites[siteKey{pc, exact}] = s
	return s
}

// BeginsWithLoop reports whether a function begins with a loop.
func (fi *Function) BeginsWithLoop() bool { return fi.Func != nil && fi.Func.Body[0].Op == wasm.OpLoop }

// Entries returns the instructions at which control can enter a function again that waits in a
// call, a resume or a suspension: after those, and at the targets of labels.
func (fi *Function) Entries() []int {
	if fi.Func == nil {
		return nil
	}
	if fi.entry != nil {
		return fi.entry
	}
	body := fi.Func.Body
	at := make([]bool, len(body)+1)
	for pc := range body {
		switch op := body[pc].Op; op.Info().Effect {
		case wasm.EffectBlock:
			// Labels continue at loops and after ends; clauses and arms begin where they stand.
			if !op.OpensBlock() || op == wasm.OpLoop {
				at[pc], at[pc+1] = true, true
			}
		case wasm.EffectNone, wasm.EffectTrap, wasm.EffectBranch, wasm.EffectReturn, wasm.EffectBind:
		default:
			at[pc+1] = true
		}
	}
	fi.entry = []int{}
	for pc := range body {
		if at[pc] {
			fi.entry = append(fi.entry, pc)
		}
	}
	return fi.entry
}

// Successors returns the functions that a stack calls in place of this one, by return_switch, when
// control comes back to it.
func (fi *Function) Successors() (out []uint32) {
	if fi.Func == nil {
		return nil
	}
	for i := range fi.Func.Body {
		in := &fi.Func.Body[i]
		if !in.Op.Info().Leaves {
			continue
		}
		if f, ok := Index(in, wasm.ImmFunc, 0); ok && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// labelName returns the name of a label, as `$name`, where depth counts from the innermost block
// around pc; of a label without a name the line it continues on is in the caller's hands: "" then.
func (fi *Function) labelName(pc int, depth uint32) string {
	if fi.Func == nil {
		return ""
	}
	var open []uint32 // ordinals of the blocks around, and the instructions that begin them
	var starts []int
	n := uint32(0)
	for i := 0; i < pc && i < len(fi.Func.Body); i++ {
		k := len(open)
		inEvent := k > 0 && fi.Func.Body[starts[k-1]].Op == wasm.OpEvent
		switch op := fi.Func.Body[i].Op; {
		case op == wasm.OpEvent && inEvent: // the next clause ends the one before it
			open[k-1], starts[k-1] = n, i
			n++
		case op == wasm.OpEvent || op.OpensBlock():
			open, starts = append(open, n), append(starts, i)
			n++
		case (op == wasm.OpEnd || op == wasm.OpDelegate) && k > 0:
			if inEvent && k > 1 { // with its handle
				k--
			}
			open, starts = open[:k-1], starts[:k-1]
		}
	}
	if int(depth) < len(open) {
		if name := fi.Module.Names.Labels[fi.ID.Func][open[len(open)-1-int(depth)]]; name != "" {
			return "$" + name
		}
	}
	return ""
}

// LocalType returns the type of a local; the zero type if the function does not have it.
func (fi *Function) LocalType(i int) wasm.ValType {
	ft := fi.Module.FuncType(fi.Func.Type)
	switch {
	case ft == nil || i < 0:
	case i < len(ft.Params):
		return ft.Params[i]
	case i-len(ft.Params) < len(fi.Func.Locals):
		return fi.Func.Locals[i-len(ft.Params)]
	}
	return wasm.ValType(0)
}

// OddNames returns the names that have characters of operators in them, of variables that the
// function sees and of fields.
func (fi *Function) OddNames() map[string]bool {
	if fi.odd != nil {
		return fi.odd
	}
	fi.odd = map[string]bool{}
	add := func(names map[uint32]string) {
		for _, n := range names {
			if strings.ContainsAny(n, expr.OperatorChars) {
				fi.odd[n] = true
			}
		}
	}
	names := fi.Module.Names
	for _, ns := range []map[uint32]string{names.Locals[fi.ID.Func], names.Globals, names.Tables, names.Mems} {
		add(ns)
	}
	for _, ns := range names.Fields {
		add(ns)
	}
	return fi.odd
}

// Index returns the nth index of a kind among an instruction's immediates.
func Index(in *wasm.Instr, kind wasm.Imm, nth int) (uint32, bool) {
	k := 0
	for _, imm := range in.Op.Info().Imms {
		switch imm {
		case wasm.ImmType, wasm.ImmTypeUse, wasm.ImmFunc, wasm.ImmTable, wasm.ImmMemory, wasm.ImmGlobal,
			wasm.ImmLocal, wasm.ImmTag, wasm.ImmElem, wasm.ImmData, wasm.ImmField, wasm.ImmLabel,
			wasm.ImmU32:
			if imm == kind {
				if nth == 0 {
					return in.Index(k), true
				}
				nth--
			}
			k++
		}
	}
	return 0, false
}
