package symbols

import (
	"fmt"
	"strings"
	"sync"

	"stackscope/analysis/debuginfo"
	"stackscope/analysis/debuginfo/sources"
	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// Code is the code of a program's units: functions, the places in their sources, and one address
// space of all instructions.
type Code struct {
	mu       sync.Mutex // guards growing list, which others may read
	list     []*Unit
	units    map[*wasm.Module]int
	infos    map[snapshot.FuncID]*Function
	byFile   map[*Source][]region
	listings map[int]*listing
	typers   map[*wasm.Module]*valid.Typer

	externals *externals

	views *views
}

// Symbols describe what is on a machine, in the words of the source of its program.
type Symbols struct {
	*Code
	*Shown
	funcs    map[*vm.Func]*Function
	mach     *vm.Machine                             // nil: nothing is described but what the units define
	switches func(snapshot.StackID) (in, out Switch) // the last switches of a stack; nil: none is known
	recorder *vm.Recorder                            // nil: no history is kept
}

// NewSymbols returns the symbols of a program that consists of units.
func NewSymbols(units []*Unit) *Symbols {
	c := &Code{
		list: append([]*Unit(nil), units...), units: map[*wasm.Module]int{},
		infos: map[snapshot.FuncID]*Function{}, byFile: map[*Source][]region{}, typers: map[*wasm.Module]*valid.Typer{},
		externals: newExternals(),
		views:     newViews(),
	}
	for i, u := range c.list {
		c.units[u.Module] = i
	}
	return &Symbols{Code: c, Shown: &Shown{code: c}, funcs: map[*vm.Func]*Function{}}
}

// Attach lets the symbols describe what is on a machine. switches returns the last switches of a
// stack: to it, since when nobody has resumed it, and away from it. rec is the history of the
// events; nil if none is kept.
func (y *Symbols) Attach(m *vm.Machine, switches func(snapshot.StackID) (in, out Switch), rec *vm.Recorder) {
	y.mach, y.switches, y.recorder = m, switches, rec
}

// UnitOf returns the number of the unit of a module; ok is false if it is none of a unit.
func (c *Code) UnitOf(m *wasm.Module) (i int, ok bool) {
	i, ok = c.units[m]
	return i, ok
}

// Units returns the units that are known: those of the program, and those that it has instantiated
// besides. It may be called from any goroutine.
func (c *Code) Units() []*Unit {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.list[:len(c.list):len(c.list)]
}

// Add makes a unit known that the program did not list.
func (c *Code) Add(u *Unit) {
	if _, ok := c.units[u.Module]; ok {
		return
	}
	c.mu.Lock()
	c.list = append(c.list, u)
	c.mu.Unlock()
	c.units[u.Module] = len(c.list) - 1
	delete(c.byFile, u.File)
}

// typer returns what the instructions of a module are typed with.
func (c *Code) typer(m *wasm.Module) *valid.Typer {
	t := c.typers[m]
	if t == nil {
		t = valid.New(m).NewTyper(nil)
		c.typers[m] = t
	}
	return t
}

// Function returns what is known of a function; of nil a host function.
func (y *Symbols) Function(f *vm.Func) *Function {
	if fi := y.funcs[f]; fi != nil {
		return fi
	}
	var fi *Function
	switch {
	case f.OfDebugger(): // there is one for each cancellation
		return &Function{ID: snapshot.FuncID{Unit: -1}, Title: "the debugger"}
	case f == nil:
		fi = &Function{ID: snapshot.FuncID{Unit: -1}, Title: "host"}
	case f.IsHost():
		fi = &Function{ID: snapshot.FuncID{Unit: -1}, Title: "host function " + f.String()}
	default:
		in := f.Instance()
		if i, ok := y.units[in.Module()]; ok {
			id := snapshot.FuncID{Unit: i, Func: f.Index()}
			if fi = y.infos[id]; fi == nil {
				fi = unitFunc(y.Code, y.list[i], id, in.Module())
				y.infos[id] = fi
			}
		} else {
			fi = unitFunc(y.Code, nil, snapshot.FuncID{Unit: -1 - int(in.ID()), Func: f.Index()}, in.Module())
		}
	}
	y.funcs[f] = fi
	return fi
}

// FunctionOf is info by the name of the function.
func (c *Code) FunctionOf(id snapshot.FuncID) *Function {
	if fi := c.infos[id]; fi != nil {
		return fi
	}
	if id.Unit < 0 || id.Unit >= len(c.list) {
		return nil
	}
	u := c.list[id.Unit]
	if int64(id.Func) >= int64(len(u.Module.Funcs)) {
		return nil
	}
	fi := unitFunc(c, u, id, u.Module)
	c.infos[id] = fi
	return fi
}

// Unit is a module of a program with its text.
type Unit struct {
	Name   string       // under which others import it; may be empty
	Module *wasm.Module // lowered, with bodies; its places are offsets in File, unless that is printed
	File   *Source
	Info   *debuginfo.Info // what is known of the source it was compiled from; nil: nothing
	// Sources finds the files that Info names; nil: only texts that come with it are there.
	Sources *sources.Finder
}

// LookupLocal finds a local of a function by name, with or without `$`.
func LookupLocal(fi *Function, name string) (int, bool) {
	if fi == nil {
		return 0, false
	}
	i, ok := LookupName(fi.Module.Names.Locals[fi.ID.Func], name)
	return int(i), ok
}

// LookupName finds a name, with or without `$`. In a binary module several may be equal: the first
// counts.
func LookupName(names map[uint32]string, name string) (at uint32, found bool) {
	name = strings.TrimPrefix(name, "$")
	for i, n := range names {
		if n == name && (!found || i < at) {
			at, found = i, true
		}
	}
	return at, found
}

// FindTag finds a tag of a module by name, with or without `$`, or by export.
func FindTag(m *wasm.Module, name string) (uint32, bool) {
	bare := strings.Trim(strings.TrimPrefix(strings.TrimSpace(name), "$"), `"`)
	if i, ok := LookupName(m.Names.Tags, bare); ok {
		return i, true
	}
	x, ok := m.Export(bare)
	return x.Index, ok && x.Kind == wasm.ExternTag
}

// LocalName names a local: `$x`, else `param 0`, `local 2`.
func LocalName(m *wasm.Module, fn uint32, i, params int) string {
	if n, ok := m.Names.Locals[fn][uint32(i)]; ok {
		return "$" + n
	}
	if i < params {
		return fmt.Sprintf("param %d", i)
	}
	return fmt.Sprintf("local %d", i)
}
