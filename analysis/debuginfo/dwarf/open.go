package dwarf

import (
	"cmp"
	std "debug/dwarf"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"stackscope/analysis/debuginfo"
	"stackscope/wasm"
)

// Input is what a Reader reads.
type Input struct {
	// Module is the module that runs. Its functions have places in the binary.
	Module *wasm.Module
	// Code is the offset in the binary of the contents of the code section: of the byte after the
	// section's size. Addresses count from there.
	Code uint64
	// Sections are the custom sections with DWARF by name, ".debug_info" and so on, of the module or
	// of the separate file that it names. Those of a package of split units (.dwp) that is beside it
	// stand in the same map: their names end in ".dwo", but for ".debug_cu_index" and
	// ".debug_tu_index". They are not copied and must not change.
	Sections map[string][]byte
	// Object returns the sections of the object file with split units (.dwo) that a module names, and
	// the directory that it was compiled in; nil: it is not there. It is called when a unit is read.
	Object func(name, dir string) map[string][]byte
	// Warn is told what is malformed; nil: nobody is. It may be called from many goroutines.
	Warn func(text string)
}

// Reader reads the DWARF of a module. It implements debuginfo.Reader.
type Reader struct {
	in   Input
	code *code
	main *space

	spacesMu sync.Mutex
	spaces   []*space // by id: that of the module, that of the package, those of object files
	files    fileTable

	tablesMu sync.Mutex
	tables   map[tableKey]*lineTable

	linesMu sync.Mutex
	lines   map[*debuginfo.File][]debuginfo.Location
	kept    int // rows in lines

	allOnce   sync.Once
	allTables []*lineTable

	spansOnce sync.Once
	spans     []span
	rangeless []*unit

	funcsMu sync.Mutex
	funcs   map[uint32]*debuginfo.Func
	frames  map[uint32]*frame

	typesMu sync.Mutex
	types   map[typeKey]*debuginfo.Type

	globalsOnce sync.Once
	seenMu      sync.Mutex // guards seenUnit and seen: see Globals
	seenUnit    *unit
	seen        []*debuginfo.Variable

	namesOnce sync.Once
	names     []nameEntry
	split     splits

	limit atomic.Int64
	spent atomic.Int64
}

// ErrNone reports that there is no DWARF.
var ErrNone = errors.New("no DWARF")

// Open opens the DWARF of a module. It reads the headers of the units. The error is ErrNone if there
// are none; otherwise it says, for people, why nothing can be read.
func Open(in Input) (debuginfo.Reader, error) {
	if len(in.Sections[".debug_info"]) == 0 {
		return nil, ErrNone
	}
	r := &Reader{
		in: in, code: newCode(in.Module, in.Code),
		tables: map[tableKey]*lineTable{}, lines: map[*debuginfo.File][]debuginfo.Location{},
		funcs: map[uint32]*debuginfo.Func{}, frames: map[uint32]*frame{}, types: map[typeKey]*debuginfo.Type{},
	}
	r.limit.Store(1 << 20)
	for _, s := range in.Sections {
		r.limit.Add(32 * int64(len(s)))
	}
	var held []string // the reason, if nothing can be read
	warn := in.Warn
	r.in.Warn = func(s string) { held = append(held, s) }
	r.main = newSpace(r, 0, in.Sections, false)
	r.spaces = []*space{r.main}
	r.main.readUnits(false)
	r.main.readUnits(true)
	if len(r.main.units) == 0 {
		return nil, errors.New(strings.TrimPrefix(held[0], prefix))
	}
	r.openPackage()
	if r.in.Warn = warn; warn != nil {
		for _, s := range held {
			warn(s)
		}
	}
	return r, nil
}

// Format implements debuginfo.Reader.
func (r *Reader) Format() string {
	version := uint16(0)
	for _, u := range r.main.units {
		version = max(version, u.version)
	}
	return fmt.Sprintf("DWARF %d", version)
}

// prefix begins every warning.
const prefix = "DWARF: "

func (r *Reader) warnf(format string, args ...any) {
	if r.in.Warn != nil {
		r.in.Warn(prefix + fmt.Sprintf(format, args...))
	}
}

// spend accounts for bytes that are about to be read of what many entries can name, such as lists;
// it reports whether there are enough left: well-formed sections need a fraction.
func (r *Reader) spend(n int) bool {
	if r.spent.Add(int64(n)) <= r.limit.Load() {
		return true
	}
	r.warnf("its parts overlap: some are left out")
	return false
}

// space returns the space of a number; nil: there is none.
func (r *Reader) space(id uint32) *space {
	r.spacesMu.Lock()
	defer r.spacesMu.Unlock()
	if int64(id) >= int64(len(r.spaces)) {
		return nil
	}
	return r.spaces[id]
}

// span is addresses of a unit.
type span struct {
	lo, hi uint64
	u      *unit
}

// unitsOf returns the units that may have a function: those that say so, then those that do not say
// what they have.
func (r *Reader) unitsOf(fn uint32) (out []*unit) {
	r.spansOnce.Do(r.readSpans)
	lo, hi := r.code.bounds(fn)
	i := sort.Search(len(r.spans), func(i int) bool { return r.spans[i].hi > lo })
	for ; i < len(r.spans) && r.spans[i].lo < hi && len(out) < 8; i++ {
		if !slices.Contains(out, r.spans[i].u) {
			out = append(out, r.spans[i].u)
		}
	}
	return append(out, r.rangeless...)
}

// readSpans reads the ranges of all units.
func (r *Reader) readSpans() {
	for _, u := range r.main.units {
		if u.kind == utType || u.kind == utPartial || !u.load() {
			continue
		}
		var d die
		if !d.read(u, u.die) {
			continue
		}
		ranges, known := u.ranges(&d)
		if !known {
			r.rangeless = append(r.rangeless, u)
			continue
		}
		if len(ranges) == 0 && r.fromStart(u, &d) {
			r.rangeless = append(r.rangeless, u)
			continue
		}
		for _, x := range ranges {
			r.spans = append(r.spans, span{x[0], x[1], u})
		}
	}
	slices.SortStableFunc(r.spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	// After a span that reaches over others, hi would not ascend.
	for i := 1; i < len(r.spans); i++ {
		if s := &r.spans[i]; s.lo < r.spans[i-1].hi {
			r.spans[i-1].hi = s.lo
		}
		r.spans[i].hi = max(r.spans[i].hi, r.spans[i].lo)
	}
}

// fromStart reports whether a unit says that it has all from the start of the code section on, as
// Kotlin's do; that of code that was dropped ends before the first function does.
func (r *Reader) fromStart(u *unit, d *die) bool {
	low, ok := d.get(std.AttrLowpc)
	if !ok || low.form != formAddr || low.u != 0 || len(r.code.funcs) == 0 {
		return false
	}
	high, ok := d.get(std.AttrHighpc)
	_, end := r.code.bounds(r.code.funcs[0])
	return ok && high.form == formAddr && high.u >= end && !u.dropped(high.u)
}
