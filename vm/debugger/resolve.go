package debugger

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stackscope/analysis/source"
	"stackscope/vm"
	"stackscope/vm/debugger/inspect"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// resolve finds where a breakpoint stops and checks what else it asks for.
func (bp *Breakpoints) resolve(f *symbols.Source, b *Breakpoint) {
	b.Verified, b.Message, b.File, b.tests, b.also, b.command = false, "", f, nil, nil, 0
	bound, cond, err := splitStack(b.Condition)
	if b.cond = cond; bound != 0 {
		b.Stack = bound
	}
	switch {
	case err != nil:
	case b.Refused != "":
		err = errors.New(b.Refused)
	case b.Func != "":
		err = bp.resolveFunc(b)
	case b.Code != 0:
		err = bp.resolveCode(b)
	case f == nil:
		err = fmt.Errorf("this file is not part of the program")
	case f.External() != nil:
		err = bp.resolveSource(f, b)
	default:
		off := b.offset(f)
		if b.Place, err = bp.sym.Resolve(f, b.Line, off); err == nil && off < 0 {
			b.also = bp.sym.Also(f, f.LineOf(b.Place.Span.Start), b.Place)
		}
		if i := bp.commandOn(f, b.Line, b.Place, err); i >= 0 {
			c := &bp.prog.Commands[i]
			b.command, err = i+1, nil
			_, end := f.Lines(0, f.LineOf(c.Span.Start))
			b.Place = symbols.Place{
				Func: snapshot.FuncID{Unit: -1},
				Span: source.Span{Start: c.Span.Start, End: min(c.Span.End, end)},
			}
			if b.cond != "" {
				err = errors.New("a command of a script has no condition: set it in the code")
			}
		}
	}
	if err == nil {
		b.hitOp, b.hitN, err = parseHit(b.Hit)
	}
	if err == nil && b.cond != "" {
		err = bp.compileTests(b)
	}
	if err == nil && b.Log != "" {
		if b.parts, err = inspect.ParseLog(b.Log); err == nil {
			for _, p := range b.parts {
				if p.Expr && err == nil {
					if err = bp.eval.CheckLog(b.Place.Func, b.Place.PC, p.Text); err != nil {
						err = fmt.Errorf("log message: %w", inspect.Brief(err))
					}
				}
			}
		}
	}
	if err != nil {
		b.Message = err.Error()
		return
	}
	b.Verified = true
}

// offset returns the offset of the column of a breakpoint, -1 if none was given.
func (b *Breakpoint) offset(f *symbols.Source) int {
	if b.Col <= 0 {
		return -1
	}
	return f.Offset(source.Position{Line: b.Line, Col: b.Col - 1}, source.UTF16)
}

// resolveSource finds where a breakpoint on a line of a file of source stops.
func (bp *Breakpoints) resolveSource(f *symbols.Source, b *Breakpoint) error {
	places, err := bp.sym.SourcePlaces(f, b.Line, b.offset(f))
	if err != nil {
		return err
	}
	b.Place, b.also = places[0], places[1:]
	in := map[snapshot.FuncID]bool{}
	for _, p := range places {
		in[p.Func] = true
	}
	if len(in) > 1 {
		b.Message = fmt.Sprintf("stops at %d places, in %d functions", len(places), len(in))
	}
	return nil
}

// compileTests compiles the condition of a breakpoint for each function that it is in. Where it
// means nothing the breakpoint never stops; it is an error if it means nothing anywhere.
func (bp *Breakpoints) compileTests(b *Breakpoint) error {
	b.tests = map[snapshot.FuncID]inspect.Test{}
	var bad error
	good := false
	for _, p := range append([]symbols.Place{b.Place}, b.also...) {
		if _, ok := b.tests[p.Func]; ok {
			continue
		}
		test, err := bp.eval.CompileTest(p.Func, p.PC, b.cond)
		if err != nil {
			if bad == nil {
				bad = fmt.Errorf("condition: %w", inspect.Brief(err))
			}
			test = inspect.Test{Ask: func(*vm.Frame) (bool, error) { return false, nil }, Pure: true}
		} else {
			good = true
		}
		b.tests[p.Func] = test
	}
	if good {
		return nil
	}
	return bad
}

// resolveCode finds the instruction at an address.
func (bp *Breakpoints) resolveCode(b *Breakpoint) error {
	id, pc, ok := bp.sym.At(b.Code)
	if !ok {
		return fmt.Errorf("there is no instruction at this address")
	}
	fi := bp.sym.FunctionOf(id)
	b.File = bp.sym.Units()[id.Unit].File
	b.Place = symbols.Place{Func: fi.ID, PC: pc, Span: fi.WAT().Span(pc, true), Stmt: fi.WAT().IsStatement(pc)}
	return nil
}

// splitStack takes the stack off a condition: `#3`, `stack 3`, `#3 and $i > 2`.
func splitStack(cond string) (snapshot.StackID, string, error) {
	s := strings.TrimSpace(cond)
	rest, ok := strings.CutPrefix(s, "#")
	if !ok {
		if rest, ok = strings.CutPrefix(s, "stack "); !ok {
			return 0, s, nil
		}
		rest = strings.TrimPrefix(strings.TrimSpace(rest), "#")
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(rest)
	}
	id, err := strconv.Atoi(rest[:end])
	tail := strings.TrimSpace(rest[end:])
	joined := tail == ""
	for _, word := range []string{"and ", "&&", ","} {
		if t, ok := strings.CutPrefix(tail, word); ok && !joined {
			tail, joined = strings.TrimSpace(t), true
		}
	}
	if err != nil || id < 1 || !joined {
		return 0, "", fmt.Errorf("condition %q: want `#3`, or `#3 and` with a condition", cond)
	}
	return snapshot.StackID(id), tail, nil
}

// resolveFunc finds functions by the name that the source or the text format has for them, or by
// export or index; the last unit that has one, with code, wins. Several may have a name: all of them
// count. If there is none, it may be the name of a tag.
func (bp *Breakpoints) resolveFunc(b *Breakpoint) error {
	if tag, ok := strings.CutPrefix(strings.TrimSpace(b.Func), "on "); ok {
		return bp.resolveTaken(b, strings.TrimPrefix(strings.TrimSpace(tag), "$"))
	}
	name, asText := strings.CutPrefix(strings.TrimSpace(b.Func), "$")
	imported := false
	for i := len(bp.sym.Units()) - 1; i >= 0; i-- {
		m := bp.sym.Units()[i].Module
		var found []uint32
		for fn, n := range m.Names.Funcs {
			if n == name && int(fn) < len(m.Funcs) {
				found = append(found, fn)
			}
		}
		var places []symbols.Place
		if !asText {
			places = bp.sym.Named(i, name)
		}
		if x, ok := m.Export(strings.Trim(name, `"`)); ok && len(found)+len(places) == 0 && x.Kind == wasm.ExternFunc {
			found = append(found, x.Index)
		}
		if n, err := strconv.ParseUint(name, 10, 32); err == nil && len(found) == 0 && n < uint64(len(m.Funcs)) {
			found = append(found, uint32(n))
		}
		slices.Sort(found)
		for _, fn := range found {
			if len(m.Funcs[fn].Body) == 0 {
				imported = true
				continue
			}
			fi := bp.sym.FunctionOf(snapshot.FuncID{Unit: i, Func: fn})
			p, ok := bp.sym.Entry(fi)
			if pc := fi.Begin(); !ok || fi.InSource() {
				p = symbols.Place{Func: fi.ID, PC: pc, Span: fi.Span(pc, false), Stmt: fi.IsStatement(pc)}
			}
			if !slices.ContainsFunc(places, func(o symbols.Place) bool { return o.Func == p.Func && o.PC == p.PC }) {
				places = append(places, p)
			}
		}
		if len(places) == 0 {
			continue
		}
		b.File, b.Place, b.also = bp.sym.FunctionOf(places[0].Func).File(places[0].PC), places[0], places[1:]
		if len(places) > 1 {
			b.Message = fmt.Sprintf("stops in the %d functions of this name", len(places))
		}
		return nil
	}
	if imported {
		return fmt.Errorf("%s is imported: there is no code to stop in", b.Func)
	}
	return bp.resolveTag(b, name)
}

// resolveTaken finds the clauses that take a tag, in the modules that name it so.
func (bp *Breakpoints) resolveTaken(b *Breakpoint, name string) error {
	known := false
	var all []symbols.Place
	for i, u := range bp.sym.Units() {
		is := tagsNamed(u.Module, name)
		known = known || len(is) > 0
		for fn := range u.Module.Funcs {
			if len(is) > 0 {
				all = append(all, bp.sym.Takers(snapshot.FuncID{Unit: i, Func: uint32(fn)}, is)...)
			}
		}
	}
	switch {
	case !known:
		return fmt.Errorf("there is no tag $%s", name)
	case len(all) == 0:
		return fmt.Errorf("no clause takes $%s", name)
	}
	b.File, b.Place, b.also = bp.sym.Units()[all[0].Arrival.Func.Unit].File, all[0], all[1:]
	if len(all) > 1 {
		b.Message = fmt.Sprintf("stops where one of %d clauses takes $%s", len(all), name)
	}
	return nil
}

// tagsNamed returns the tags of a module that have a name, or are exported as it.
func tagsNamed(m *wasm.Module, name string) map[uint32]bool {
	is := map[uint32]bool{}
	for t, n := range m.Names.Tags {
		if n == name {
			is[t] = true
		}
	}
	if x, ok := m.Export(strings.Trim(name, `"`)); ok && x.Kind == wasm.ExternTag {
		is[x.Index] = true
	}
	return is
}

// resolveTag finds the instructions that name a tag: suspensions, switches, throws and whatever
// sends it as an event.
func (bp *Breakpoints) resolveTag(b *Breakpoint, name string) error {
	known := false
	var all []symbols.Place
	for i, u := range bp.sym.Units() {
		m := u.Module
		is := tagsNamed(m, name)
		known = known || len(is) > 0
		for fn := range m.Funcs {
			body := m.Funcs[fn].Body
			for pc := range body {
				if t, ok := symbols.Index(&body[pc], wasm.ImmTag, 0); ok && is[t] {
					fi := bp.sym.FunctionOf(snapshot.FuncID{Unit: i, Func: uint32(fn)})
					if body[pc].Op.Info().Effect == wasm.EffectBlock || !bp.sym.Live(fi, pc) {
						continue // it takes the tag, or never runs
					}
					all = append(
						all,
						symbols.Place{
							Func: fi.ID, PC: pc, Span: fi.Span(pc, !fi.IsStatement(pc)),
							Stmt: fi.IsStatement(pc),
						},
					)
				}
			}
		}
	}
	switch {
	case !known:
		return fmt.Errorf("there is no function or tag %s", b.Func)
	case len(all) == 0:
		return fmt.Errorf("no instruction sends %s", b.Func)
	}
	b.File, b.Place, b.also = bp.sym.FunctionOf(all[0].Func).File(all[0].PC), all[0], all[1:]
	if len(all) > 1 {
		b.Message = fmt.Sprintf("stops at the %d instructions that send %s", len(all), b.Func)
	}
	return nil
}
