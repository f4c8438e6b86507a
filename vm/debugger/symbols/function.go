package symbols

import (
	"slices"
	"strings"

	"stackscope/analysis/source"
	"stackscope/vm/debugger/expr"
	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
)

// Function is what the engine keeps of a function that runs or has a breakpoint.
//
// An instruction of it has two places: in the text format, and, if that is known, in the source that
// the module was compiled from. Methods with WAT in their names are about the first. The others are
// about the source, unless the function is shown in the text format (see Code.SetView), or nothing
// is known of its source.
type Function struct {
	ID     snapshot.FuncID
	Unit   *Unit        // nil: a host function, or of a module without a source
	Module *wasm.Module // nil: a host function
	Func   *wasm.Func   // nil: a host function
	Title  string       // as it is shown: `sum`, `Point::area`; in the text format `$sum`

	code   *Code
	wat    *WAT       // see Function.WAT
	src    *srcPlaces // nil: nothing is known of its source; see Function.source
	entry  []int      // see entries
	depths []uint8    // how many blocks are open, by pc; see text
	sites  map[siteKey]snapshot.Site
	odd    map[string]bool // see oddNames
	flow   *flow           // see Code.flow
}

// siteKey is what is asked for of a function.
type siteKey struct {
	pc    int
	exact bool
	wat   bool
}

// unitFunc describes a function of a unit; c is nil if it is of a module without one.
func unitFunc(c *Code, u *Unit, id snapshot.FuncID, m *wasm.Module) *Function {
	fi := &Function{ID: id, Unit: u, Module: m, Title: m.FuncTitle(id.Func), code: c}
	if int64(id.Func) < int64(len(m.Funcs)) {
		fi.Func = &m.Funcs[id.Func]
	}
	if u != nil && fi.Func != nil {
		fi.readSource()
	}
	return fi
}

// IsStatement reports whether a statement begins at pc. Where statements are not known, every
// instruction is one.
func (fi *Function) IsStatement(pc int) bool {
	if fi.inSource() {
		return fi.src.begun(fi, pc)
	}
	return fi.WAT().IsStatement(pc)
}

// Line returns the 1-based line of pc, 0 if it has none.
func (fi *Function) Line(pc int) int {
	if fi.inSource() {
		p, _ := fi.src.fn.Place(pc)
		return p.Line
	}
	return fi.WAT().Line(pc)
}

// File returns the source that pc is in; nil if there is none.
func (fi *Function) File(pc int) *Source {
	switch p, ok := fi.placeNear(pc); {
	case ok:
		return fi.FileOf(p)
	case fi.Unit == nil:
		return nil
	}
	return fi.Unit.File
}

// Span returns the text to show for pc, in File(pc): of the statement that begins there, unless
// exact asks for the instruction itself. Of source it is known only where that begins.
func (fi *Function) Span(pc int, exact bool) source.Span {
	if p, ok := fi.placeNear(pc); ok {
		return spanOf(p)
	}
	return fi.WAT().Span(pc, exact)
}

// Site describes pc in words.
func (fi *Function) Site(pc int, exact bool) snapshot.Site { return fi.site(siteKey{pc, exact, false}) }

func (fi *Function) site(k siteKey) snapshot.Site {
	if s, ok := fi.sites[k]; ok { // of many stacks that stand at the same place
		return s
	}
	s := snapshot.Site{Func: fi.Title}
	if in := fi.Instr(k.pc); in != nil {
		s.Text = in.Op.String()
	}
	if fi.Unit == nil {
		return s
	}
	file := fi.Unit.File
	if p, ok := fi.placeNear(k.pc); ok && !k.wat {
		file, s.Offset = fi.FileOf(p), spanOf(p).Start
		if in := fi.InlineAt(k.pc); in != nil {
			s.Func = shortName(in.Scope.Name)
		}
	} else if s.Offset = fi.WAT().offset(k.pc); k.exact && fi.Instr(k.pc) != nil {
		s.Offset = fi.WAT().start(k.pc)
	}
	s.File = file.Name
	s.Line, s.Col = file.LineCol(s.Offset)
	if fi.sites == nil {
		fi.sites = map[siteKey]snapshot.Site{}
	}
	fi.sites[k] = s
	return s
}

// Instr returns the instruction at pc, or nil.
func (fi *Function) Instr(pc int) *wasm.Instr {
	if fi.Func == nil || pc < 0 || pc >= len(fi.Func.Body) {
		return nil
	}
	return &fi.Func.Body[pc]
}

// InLoop reports whether an instruction is in a loop, or begins one: control comes there again.
func (fi *Function) InLoop(pc int) bool {
	if fi.Instr(pc) == nil {
		return false
	}
	loops, open := 0, []bool{}
	for i := range fi.Func.Body[:pc+1] {
		switch op := fi.Func.Body[i].Op; {
		case op == wasm.OpLoop:
			loops, open = loops+1, append(open, true)
		case op.OpensBlock():
			open = append(open, false)
		case (op == wasm.OpEnd || op == wasm.OpDelegate) && len(open) > 0:
			if open[len(open)-1] {
				loops--
			}
			open = open[:len(open)-1]
		}
	}
	return loops > 0
}

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
