package debug

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"stackscope/analysis/source"
	"stackscope/vm"
)

// Breakpoint is a place where the program is to stop, or to log. What is asked for is set by the
// caller; the engine fills in the rest.
type Breakpoint struct {
	ID        int
	Line      int         // 0-based; of a source breakpoint
	Col       int         // of a source breakpoint: its column from 1, in UTF-16 units; 0: none was given
	Func      string      // of a function breakpoint: `$name`, `name`, an export or an index
	Code      CodeAddress // of an instruction breakpoint
	Condition string      // see Engine.Condition
	Hit       string      // `5`, `>= 5`, `% 3` …
	Log       string      // text with {expressions}: log instead of stopping

	Verified bool
	Message  string // why not verified
	File     *source.File
	Place    Place
	Hits     int // how often it was reached with its condition true

	test  test    // Condition, compiled when it is first needed
	event *filter // it stands for a filter
	hitOp string
	hitN  int
	parts []logPart
}

type logPart struct {
	text string
	expr bool
}

// SetBreakpoints replaces the breakpoints of a group (a file, all function breakpoints …) and
// resolves them. Breakpoints of other groups stay.
//
// The engine works on copies; a breakpoint that is found again by its id and asks for the same keeps
// its count of hits.
func (e *Engine) SetBreakpoints(group string, f *source.File, bs []*Breakpoint) error {
	return e.Do(func() {
		own := make([]*Breakpoint, len(bs))
		for i, b := range bs {
			e.resolve(f, b)
			c := *b
			for _, o := range e.groups[group] {
				if o.ID == c.ID && o.Line == c.Line && o.Col == c.Col && o.Func == c.Func && o.Code == c.Code && o.Condition == c.Condition && o.Hit == c.Hit && o.Log == c.Log {
					c.Hits = o.Hits
				}
			}
			own[i] = &c
		}
		e.groups[group] = own
		e.placeBreakpoints()
	})
}

// adoptUnit makes a unit known that the program has not listed, and resolves the breakpoints that
// wait for its file.
func (e *Engine) adoptUnit(u *Unit) {
	if _, ok := e.units[u.Module]; ok {
		return
	}
	e.add(u)
	e.placeEvents()
	if e.opt.Group == nil {
		return
	}
	bs := e.groups[e.opt.Group(u.File)]
	for _, b := range bs {
		before := *b
		if e.resolve(u.File, b); e.opt.OnChange != nil && (b.Verified != before.Verified || b.Place != before.Place) {
			e.opt.OnChange(*b)
		}
	}
	if len(bs) > 0 {
		e.placeBreakpoints()
	}
}

// resolve finds where a breakpoint stops and checks what else it asks for.
func (e *Engine) resolve(f *source.File, b *Breakpoint) {
	b.Verified, b.Message, b.File, b.test = false, "", f, nil
	var err error
	switch {
	case b.Func != "":
		err = e.resolveFunc(b)
	case b.Code != 0:
		err = e.resolveCode(b)
	case f == nil:
		err = fmt.Errorf("this file is no part of the program")
	default:
		off := -1
		if b.Col > 0 {
			off = f.Offset(source.Position{Line: b.Line, Col: b.Col - 1}, source.UTF16)
		}
		b.Place, err = e.Resolve(f, b.Line, off)
	}
	if err == nil {
		b.hitOp, b.hitN, err = parseHit(b.Hit)
	}
	if err == nil && b.Condition != "" {
		err = e.check(b.Place.Func, b.Condition)
		if err != nil {
			err = fmt.Errorf("condition: %w", err)
		}
	}
	if err == nil && b.Log != "" {
		if b.parts, err = parseLog(b.Log); err == nil {
			for _, p := range b.parts {
				if p.expr && err == nil {
					if err = e.check(b.Place.Func, p.text); err != nil {
						err = fmt.Errorf("log message: {%s}: %w", p.text, err)
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

// resolveCode finds the instruction at an address.
func (e *Engine) resolveCode(b *Breakpoint) error {
	unit, i, exact := e.locate(b.Code)
	if !exact {
		return fmt.Errorf("there is no instruction at this address")
	}
	l := e.listingOf(unit)
	fi := e.infoOf(FuncID{unit, l.fn[i]})
	pc := int(l.pc[i])
	b.File = e.list[unit].File
	b.Place = Place{fi.id, pc, fi.span(pc, true), fi.isStmt(pc)}
	return nil
}

// resolveFunc finds a function by name, export or index; the last unit that has it wins.
func (e *Engine) resolveFunc(b *Breakpoint) error {
	name := strings.TrimPrefix(strings.TrimSpace(b.Func), "$")
	for i := len(e.list) - 1; i >= 0; i-- {
		m := e.list[i].Module
		found := -1
		for fn, n := range m.Names.Funcs {
			if n == name {
				found = int(fn)
			}
		}
		if x, ok := m.Export(strings.Trim(name, `"`)); ok && found < 0 && x.Kind == 0 {
			found = int(x.Index)
		}
		if n, err := strconv.ParseUint(name, 10, 32); err == nil && found < 0 && int(n) < len(m.Funcs) {
			found = int(n)
		}
		if found < 0 {
			continue
		}
		if len(m.Funcs[found].Body) == 0 {
			return fmt.Errorf("%s is imported: there is no code to stop in", b.Func)
		}
		fi := e.infoOf(FuncID{i, uint32(found)})
		b.File = e.list[i].File
		b.Place = Place{fi.id, 0, fi.span(0, false), fi.isStmt(0)}
		return nil
	}
	return fmt.Errorf("there is no function %s", b.Func)
}

// placeBreakpoints brings the machine in line with the groups.
func (e *Engine) placeBreakpoints() {
	old := e.sites
	e.sites = map[FuncID]map[int][]*Breakpoint{}
	for _, bs := range e.groups {
		for _, b := range bs {
			if !b.Verified {
				continue
			}
			id := b.Place.Func
			if e.sites[id] == nil {
				e.sites[id] = map[int][]*Breakpoint{}
			}
			e.sites[id][b.Place.PC] = append(e.sites[id][b.Place.PC], b)
		}
	}
	for _, in := range e.instances {
		unit := e.units[in.Module()]
		for id, pcs := range old {
			for pc := range pcs {
				if id.Unit == unit && e.sites[id][pc] == nil {
					e.mach.ClearBreakpoint(in.Func(id.Func), pc)
				}
			}
		}
		for id, pcs := range e.sites {
			for pc := range pcs {
				if id.Unit == unit && old[id][pc] == nil {
					e.mach.SetBreakpoint(in.Func(id.Func), pc)
				}
			}
		}
	}
}

// hit gives the ids of the breakpoints that stop here, and the control event that a filter asks for.
// Those that log do so.
func (e *Engine) hit(bs []*Breakpoint, s *vm.Stop) (ids []int, event string) {
	frame := topFrame(s.Stack)
	for _, b := range bs {
		if b.event != nil {
			if t := e.eventText(b.event, frame); t != "" {
				event = t
			}
			continue
		}
		if b.Condition != "" {
			if b.test == nil {
				b.test = e.compileTest(b.Place.Func, b.Condition)
			}
			ok, err := false, error(nil)
			if frame == nil {
				err = errors.New("no frame")
			} else {
				ok, err = b.test(frame)
			}
			if err != nil {
				e.output(Console, fmt.Sprintf("breakpoint %d: condition: %v\n", b.ID, err))
				ids = append(ids, b.ID) // whoever asked wants to know
				continue
			}
			if !ok {
				continue
			}
		}
		b.Hits++
		if !hitMatches(b.hitOp, b.hitN, b.Hits) {
			continue
		}
		if b.Log != "" {
			e.output(Console, e.logText(frame, b.parts)+"\n")
			continue
		}
		ids = append(ids, b.ID)
	}
	return ids, event
}

func topFrame(st *vm.Stack) *vm.Frame {
	return st.Frame(st.NumFrames() - 1)
}

func (e *Engine) logText(f *vm.Frame, parts []logPart) string {
	var b strings.Builder
	for _, p := range parts {
		if !p.expr {
			b.WriteString(p.text)
			continue
		}
		vs, err := e.evaluate(f, p.text)
		if err != nil {
			fmt.Fprintf(&b, "{%s: %v}", p.text, err)
			continue
		}
		for i, v := range vs {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(e.Format(v.Value, false))
		}
	}
	return b.String()
}

// parseHit reads a hit condition: an operator, == by default, and a number.
func parseHit(s string) (op string, n int, err error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", 0, nil
	}
	rest := strings.TrimLeft(s, "<>=!%")
	op = s[:len(s)-len(rest)]
	n, err = strconv.Atoi(strings.TrimSpace(rest))
	switch op {
	case "":
		op = "=="
	case "=":
		op = "=="
	case "==", "!=", "<", "<=", ">", ">=", "%":
	default:
		err = fmt.Errorf("unknown operator")
	}
	if err != nil || n < 0 || op == "%" && n == 0 {
		return "", 0, fmt.Errorf("hit condition %q: want a number, or one of == != < <= > >= %% with a number", s)
	}
	return op, n, nil
}

func hitMatches(op string, n, hits int) bool {
	switch op {
	case "==":
		return hits == n
	case "!=":
		return hits != n
	case "<":
		return hits < n
	case "<=":
		return hits <= n
	case ">":
		return hits > n
	case ">=":
		return hits >= n
	case "%":
		return hits%n == 0
	}
	return true
}

// parseLog splits a log message at its {expressions}. `{{` and `}}` stand for braces.
func parseLog(s string) ([]logPart, error) {
	var out []logPart
	var text strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "{{"), strings.HasPrefix(s[i:], "}}"):
			text.WriteByte(s[i])
			i++
		case s[i] == '{':
			end := strings.IndexByte(s[i:], '}')
			if end < 0 {
				return nil, fmt.Errorf("log message: { without }")
			}
			if text.Len() > 0 {
				out = append(out, logPart{text: text.String()})
				text.Reset()
			}
			out = append(out, logPart{text: strings.TrimSpace(s[i+1 : i+end]), expr: true})
			i += end
		default:
			text.WriteByte(s[i])
		}
	}
	if text.Len() > 0 {
		out = append(out, logPart{text: text.String()})
	}
	return out, nil
}
