package debugger

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/inspect"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
	"stackscope/vm/debugger/watch"
	"stackscope/wasm"
)

// Data breakpoints stop where a variable or a range of memory is read or written. The engine sets
// breakpoints of its own at the instructions that can do that, looks at what they are about to
// touch, lets them do it, and compares. Everything else runs at full speed.

// DataBreakpoint asks for a stop after an access to a datum.
type DataBreakpoint struct {
	ID        int
	Data      string // as DataOf gives it
	On        watch.Access
	Changes   bool   // of the writes only those that change the value
	Condition string // evaluated in the frame that did it
	Hit       string // as that of a Breakpoint

	Verified bool
	Message  string // why not verified; of a verified one what is watched
	Pending  bool   // not verified, but it may be later
	Hits     int

	w      *watch.Datum
	awaits *watch.Datum // a local of an activation that is still to come, see awaited
	hitOp  string
	hitN   int
	tests  map[snapshot.FuncID]inspect.Test
}

// DataBreakpoints are the data that are watched, in groups.
type DataBreakpoints struct {
	opt    *Options
	sym    *symbols.Symbols
	run    *run
	eval   *inspect.Evaluator
	finder *watch.Finder
	bps    *Breakpoints
	do     func(func()) error // Engine.Do
	groups map[string][]*DataBreakpoint
}

// Set replaces all data breakpoints and fills in whether they are in force.
func (db *DataBreakpoints) Set(group string, bs []*DataBreakpoint) error {
	return db.do(func() {
		own := make([]*DataBreakpoint, len(bs))
		for i, b := range bs {
			db.resolve(b)
			c := *b
			for _, o := range db.groups[group] {
				if o.ID == c.ID && o.Data == c.Data && o.On == c.On && o.Changes == c.Changes &&
					o.Condition == c.Condition &&
					o.Hit == c.Hit {
					c.Hits = o.Hits
				}
			}
			own[i] = &c
		}
		db.groups[group] = own
		db.refresh()
		db.place()
	})
}

func (db *DataBreakpoints) resolve(b *DataBreakpoint) {
	b.Verified, b.Pending, b.Message, b.tests, b.awaits = false, false, "", map[snapshot.FuncID]inspect.Test{}, nil
	var err error
	if b.w, err = db.finder.Find(b.Data); err == watch.ErrFrameEnded && !db.run.started.Load() {
		if w, ok := db.finder.Awaited(b.Data); ok {
			db.finder.Reserve(w.Mark)
			b.awaits, b.Pending = w, true
			err = fmt.Errorf("waits for %s in stack #%d", db.sym.FunctionOf(w.Func).Title, w.Stack)
		}
	}
	if err == nil {
		b.hitOp, b.hitN, err = parseHit(b.Hit)
	}
	if err == nil && b.On == 0 {
		err = errors.New("want read, write or readWrite")
	}
	if err != nil {
		b.Message = err.Error()
		return
	}
	b.Verified, b.Message = true, b.w.Title
}

// instanceAdded resolves the data breakpoints that wait for an instance: one has just been made.
func (db *DataBreakpoints) instanceAdded() {
	found := false
	for _, bs := range db.groups {
		for _, b := range bs {
			if b.Verified || !watch.Persistent(b.Data) {
				continue
			}
			if db.resolve(b); b.Verified {
				found = true
				if db.opt.OnData != nil {
					db.opt.OnData(*b)
				}
			}
		}
	}
	if found {
		db.refresh()
		db.place()
	}
}

// each calls f for the data breakpoints in force.
func (db *DataBreakpoints) each(f func(*DataBreakpoint)) {
	for _, bs := range db.groups {
		for _, b := range bs {
			if b.Verified {
				f(b)
			}
		}
	}
}

// refresh records what the data are now: what was changed while the program was stopped is no
// access. Data that are gone are told of.
func (db *DataBreakpoints) refresh() {
	gone := false
	db.each(func(b *DataBreakpoint) {
		v, bs, ok := db.finder.Look(b.w)
		b.w.Old, b.w.Bytes = v, append(b.w.Bytes[:0], bs...)
		if !ok {
			b.Verified, b.Message, gone = false, "the frame of this local has ended", true
			if db.opt.OnData != nil {
				db.opt.OnData(*b)
			}
		}
	})
	if gone {
		db.place()
	}
}

// dataGroup is the group of the breakpoints at instructions that can touch what is watched.
const dataGroup = "\x00data"

// place sets the breakpoints that the data breakpoints need.
func (db *DataBreakpoints) place() {
	var mem, global, table, object, any bool
	locals := map[snapshot.FuncID]map[int]bool{}
	db.each(func(b *DataBreakpoint) {
		any = true
		switch w := b.w; {
		case w.Memory != nil:
			mem = true
		case w.Global != nil:
			global = true
		case w.Table != nil:
			table = true
		case !w.Object.IsNull():
			object = true
		default:
			if locals[w.Func] == nil {
				locals[w.Func] = map[int]bool{}
			}
			locals[w.Func][w.Local] = true
		}
	})
	entries := map[snapshot.FuncID]bool{}
	for _, all := range db.groups {
		for _, b := range all {
			if b.awaits != nil {
				entries[b.awaits.Func] = true
				any = true
			}
		}
	}
	var bs []*Breakpoint
	for unit, u := range db.sym.Units() {
		for fn := range u.Module.Funcs {
			body := u.Module.Funcs[fn].Body
			ls := locals[snapshot.FuncID{Unit: unit, Func: uint32(fn)}]
			for pc := range body {
				in := &body[pc]
				info := in.Op.Info()
				want := pc == 0 && entries[snapshot.FuncID{Unit: unit, Func: uint32(fn)}] // where an activation begins
				switch op := in.Op; {
				case len(info.Imms) > 0 && info.Imms[0] == wasm.ImmMemArg,
					op == wasm.OpMemoryFill,
					op == wasm.OpMemoryCopy,
					op == wasm.OpMemoryInit:
					want = want || mem
				case op == wasm.OpGlobalGet, op == wasm.OpGlobalSet:
					want = want || global
				case op == wasm.OpTableGet,
					op == wasm.OpTableSet,
					op == wasm.OpTableFill,
					op == wasm.OpTableCopy,
					op == wasm.OpTableInit:
					want = want || table
				case op == wasm.OpCallIndirect, op == wasm.OpReturnCallIndirect:
					want = want || table || mem || global
				case op == wasm.OpCall, op == wasm.OpReturnCall:
					want = want || (mem || global || table) && len(u.Module.Funcs[in.A].Body) == 0
				case op == wasm.OpCallRef, op == wasm.OpReturnCallRef:
					want = want || mem || global || table
				case op == wasm.OpLocalGet, op == wasm.OpLocalSet, op == wasm.OpLocalTee:
					want = want || ls[int(in.A)]
				case op >= wasm.OpStructNew && op <= wasm.OpI31GetU:
					want = want || object
				}
				if want && any {
					bs = append(
						bs,
						&Breakpoint{
							Verified: true, data: true,
							Place: symbols.Place{Func: snapshot.FuncID{Unit: unit, Func: uint32(fn)}, PC: pc},
						},
					)
				}
			}
		}
	}
	if len(bs) == 0 && len(db.bps.groups[dataGroup]) == 0 {
		return
	}
	db.bps.groups[dataGroup] = bs
	db.bps.place()
}

// touches are the accesses that data breakpoints stop for after an instruction.
type touches struct {
	hits  []int
	lines []string // of each what to tell
	brief []string // the same in a few words
}

// add adds an access.
func (t *touches) add(id int, line, brief string) {
	t.hits = append(t.hits, id)
	t.lines = append(t.lines, line)
	if !slices.Contains(t.brief, brief) { // two breakpoints may watch the same
		t.brief = append(t.brief, brief)
	}
}

// text is what to tell of all.
func (t touches) text() string { return strings.Join(t.lines, "\n") }

// short is what to tell where there is little room.
func (t touches) short() string {
	switch n := len(t.brief); n {
	case 0:
		return ""
	case 1:
		return t.brief[0]
	default:
		return fmt.Sprintf("%s (and %d more)", t.brief[0], n-1)
	}
}

// touched is told, after an instruction that may have touched data, and finds the breakpoints that
// stop there.
func (db *DataBreakpoints) touched(s *vm.Stop) (out touches) {
	acc := db.run.due.access
	db.run.due.access = nil
	var frame *vm.Frame
	if s != nil { // else there is no next instruction
		frame = symbols.TopFrame(s.Stack)
	}
	db.each(func(b *DataBreakpoint) {
		v, now, ok := db.finder.Look(b.w)
		if !ok {
			return
		}
		old, oldBytes := b.w.Old, b.w.Bytes
		changed := !bytes.Equal(now, oldBytes) || v.Lo != old.Lo || v.Hi != old.Hi || v.Ref != old.Ref
		did := acc.Touches(b.w)
		switch {
		case changed:
			did |= watch.Writes
		case b.Changes:
			did &^= watch.Writes
		}
		was := db.finder.Text(b.w, old, oldBytes)
		b.w.Old, b.w.Bytes = v, append(oldBytes[:0:0], now...)
		if did &= b.On; did == 0 {
			return
		}
		stop, problem := db.test(b, frame)
		if !stop {
			return
		}
		what := fmt.Sprintf("%s was read at %s: %s", b.w.Title, acc.At.Short(), was)
		brief := fmt.Sprintf("%s read: %s", b.w.Title, was)
		if did&watch.Writes != 0 {
			is := db.finder.Text(b.w, v, now)
			what = fmt.Sprintf("%s was written at %s: %s → %s", b.w.Title, acc.At.Short(), was, is)
			if brief = fmt.Sprintf("%s: %s → %s", b.w.Title, was, is); !changed {
				brief = fmt.Sprintf("%s written: %s, as before", b.w.Title, is)
			}
		}
		if problem != "" {
			what += " (" + problem + ")"
		}
		out.add(b.ID, what, brief)
	})
	return out
}

// test evaluates the conditions of a data breakpoint that was touched.
func (db *DataBreakpoints) test(b *DataBreakpoint, f *vm.Frame) (stop bool, problem string) {
	if b.Condition != "" && f != nil {
		id := db.sym.Function(f.Func()).ID
		t, ok := b.tests[id]
		if !ok {
			var err error
			if t, err = db.eval.CompileTest(id, f.PC(), b.Condition); err != nil {
				return true, "condition: " + err.Error()
			}
			b.tests[id] = t
		}
		ok, err := t.Ask(f)
		if err != nil {
			return true, "condition: " + err.Error()
		}
		if !ok {
			return false, ""
		}
	}
	b.Hits++
	return hitMatches(b.hitOp, b.hitN, b.Hits), ""
}

// Name names the datum that a variable is, "" if it cannot be watched, and reports whether the
// name is good in other runs too. It must be called inside Do.
func (db *DataBreakpoints) Name(v inspect.Var) (id, title string, persistent bool) {
	if v.Data == nil {
		return "", "", false
	}
	id = v.Data()
	w, err := db.finder.Find(id)
	if err != nil {
		return "", "", false
	}
	return id, w.Title, watch.Persistent(id)
}

// Check reports what a name stands for, or why it stands for nothing. It must be called inside
// Do.
func (db *DataBreakpoints) Check(id string) (title string, err error) {
	w, err := db.finder.Find(id)
	if err != nil {
		return "", err
	}
	return w.Title, nil
}

// activated watches the locals that wait for an activation which begins.
func (db *DataBreakpoints) activated(f *vm.Frame) {
	found := false
	for _, bs := range db.groups {
		for _, b := range bs {
			w := b.awaits
			if w == nil || f.PC() != 0 || snapshot.StackID(f.Stack().ID()) != w.Stack || f.Depth() != w.Depth ||
				db.sym.Function(f.Func()).ID != w.Func ||
				w.Local >= f.NumLocals() {
				continue
			}
			if f.Mark()&^watch.MarkStarted == 0 {
				f.SetMark(f.Mark() | w.Mark)
			}
			b.Data = db.finder.Local(f, w.Local)
			b.awaits, found = nil, true
			if db.resolve(b); db.opt.OnData != nil {
				db.opt.OnData(*b)
			}
		}
	}
	if found {
		db.refresh()
		db.place()
	}
}
