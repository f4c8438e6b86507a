package sourcemap

import (
	"path"
	"sort"
	"strings"
	"sync"

	"stackscope/analysis/debuginfo"
	"stackscope/wasm"
)

// Reader is what a source map and the names of a module tell. It is a debuginfo.Reader.
type Reader struct {
	m      *wasm.Module
	mp     *Map // nil: there are only names
	lang   debuginfo.Language
	files  []*debuginfo.File          // by source; nil: the source is none
	other  debuginfo.Reader           // has places if there is no map; may be nil
	ranges []*genRange                // from `scopes`
	mu     sync.Mutex                 // guards what follows
	funcs  map[uint32]*debuginfo.Func // that were asked for; nil: nothing is known
	lines  map[*debuginfo.File][]debuginfo.Location
}

var _ debuginfo.Reader = (*Reader)(nil)

// New joins a map, which may be nil, with a module, and its names. It returns nil if neither has
// anything about the source: there is no map, and the language is not known.
func New(m *wasm.Module, mp *Map) *Reader {
	r := &Reader{m: m, mp: mp, funcs: map[uint32]*debuginfo.Func{}}
	r.lang = detect(m, mp)
	if mp == nil {
		if r.lang == debuginfo.Other {
			return nil
		}
		return r
	}
	known := map[string]*debuginfo.File{}
	r.files = make([]*debuginfo.File, len(mp.Sources))
	for i := range mp.Sources {
		s := &mp.Sources[i]
		if s.None || isPlaceholder(s) {
			continue
		}
		p := s.Path
		if r.lang == debuginfo.AssemblyScript {
			p = Join("", s.Raw) // its root is made up of the name of the module
		}
		f := known[p]
		if f == nil {
			f = &debuginfo.File{Path: p, Language: languageOf(p, r.lang), Ignored: s.Ignored}
			switch f.Language {
			case debuginfo.AssemblyScript:
				f.Ignored = f.Ignored || strings.HasPrefix(p, "~lib/")
			case debuginfo.Kotlin:
				f.Ignored = f.Ignored || kotlinLibrary.MatchString(p)
			}
			known[p] = f
		}
		if s.Content != nil && f.Text == nil {
			text := *s.Content
			f.Text = func() (string, error) { return text, nil }
		}
		r.files[i] = f
	}
	r.ranges = mp.decodeScopes()
	return r
}

// Rebase makes relative paths of sources, which are relative to the directory of the map, relative
// to a directory that has the map at dir.
func (m *Map) Rebase(dir string) {
	if dir == "" || dir == "." {
		return
	}
	for i := range m.Sources {
		if s := &m.Sources[i]; !s.None && !isAbs(s.Path) {
			s.Path = path.Join(dir, s.Path)
		}
	}
}

// languageOf returns the language of a file by its name. A file `.ts` of a module is one of
// AssemblyScript.
func languageOf(p string, module debuginfo.Language) debuginfo.Language {
	switch strings.ToLower(path.Ext(p)) {
	case ".kt", ".kts":
		return debuginfo.Kotlin
	case ".ts":
		return debuginfo.AssemblyScript
	case ".c", ".h":
		return debuginfo.C
	case ".cc", ".cpp", ".cxx", ".hpp", ".hh":
		return debuginfo.CPlusPlus
	case ".rs":
		return debuginfo.Rust
	case ".zig":
		return debuginfo.Zig
	case ".ml", ".mli":
		return debuginfo.OCaml
	case ".go":
		return debuginfo.Go
	case ".dart":
		return debuginfo.Dart
	}
	return module
}

// detect returns the language of a module.
func detect(m *wasm.Module, mp *Map) debuginfo.Language {
	for _, name := range m.Names.Types {
		if name == "kotlin.Any" {
			return debuginfo.Kotlin
		}
	}
	for i := 0; i < len(m.Funcs); i++ {
		name := m.Names.Funcs[uint32(i)]
		switch {
		case strings.HasPrefix(name, "kotlin.wasm.internal."):
			return debuginfo.Kotlin
		case strings.HasPrefix(name, "~lib/"):
			return debuginfo.AssemblyScript
		}
	}
	if mp == nil {
		return debuginfo.Other
	}
	count := map[debuginfo.Language]int{}
	best := debuginfo.Other
	for i := range mp.Sources {
		if l := languageOf(mp.Sources[i].Raw, debuginfo.Other); l != debuginfo.Other {
			if count[l]++; count[l] > count[best] {
				best = l
			}
		}
	}
	return best
}

// Format returns "source map" or "names".
func (r *Reader) Format() string {
	switch {
	case r.mp != nil:
		return "source map"
	case r.other != nil:
		return r.other.Format()
	}
	return "names"
}

// Language returns the language of the module.
func (r *Reader) Language() debuginfo.Language { return r.lang }

// UsePlaces takes places from another reader if there is no map. It must not be called while another
// goroutine uses r.
func (r *Reader) UsePlaces(other debuginfo.Reader) {
	if r.mp != nil {
		return
	}
	r.other = other
	for _, f := range other.Files() { // Kotlin says that it is C++
		f.Language = languageOf(f.Path, r.lang)
	}
}

// Files lists the sources of the map.
func (r *Reader) Files() (out []*debuginfo.File) {
	if r.other != nil {
		return r.other.Files()
	}
	seen := map[*debuginfo.File]bool{}
	for _, f := range r.files {
		if f != nil && !seen[f] {
			seen[f] = true
			out = append(out, f)
		}
	}
	return out
}

// Func returns what is known of a function: places by the map, variables by the names.
func (r *Reader) Func(fn uint32) *debuginfo.Func {
	if int64(fn) >= int64(len(r.m.Funcs)) {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if f, ok := r.funcs[fn]; ok {
		return f
	}
	f := r.function(fn)
	r.funcs[fn] = f
	return f
}

func (r *Reader) function(fn uint32) *debuginfo.Func {
	linkage := r.m.Names.Funcs[fn]
	rows := r.rows(fn)
	if len(rows) == 0 && r.lang != debuginfo.Kotlin && r.lang != debuginfo.AssemblyScript {
		return nil
	}
	f := &debuginfo.Func{Linkage: linkage, Name: linkage, Language: r.lang, Rows: rows}
	for _, row := range rows {
		if row.Stmt {
			f.Body, f.Decl, f.Language = row.PC, row.Place, row.File.Language
			break
		}
	}
	r.people(fn, f)
	f.Root = r.variables(fn, f)
	r.applyScopes(fn, f)
	return f
}

// rows returns the rows of a function, without which of them breakpoints stop at.
func (r *Reader) rows(fn uint32) (rows []debuginfo.Row) {
	rows, _ = r.rowsAndStarts(fn)
	return rows
}

// rowsAndStarts returns the rows of a function, and at which of them a breakpoint on their line stops:
// control comes there from another line, but not only because a loop inside of the line begins again.
func (r *Reader) rowsAndStarts(fn uint32) (rows []debuginfo.Row, starts []bool) {
	wf := &r.m.Funcs[fn]
	if r.other != nil {
		f := r.other.Func(fn)
		if f == nil || len(wf.Body) == 0 {
			return nil, nil
		}
		for _, row := range f.Rows {
			rows = append(rows, debuginfo.Row{PC: row.PC, Place: row.Place})
		}
		return r.finish(fn, rows, false)
	}
	if r.mp == nil || len(wf.Body) == 0 {
		return nil, nil
	}
	ms := r.mp.Mappings
	from := sort.Search(len(ms), func(i int) bool { return ms[i].Offset >= uint32(wf.At) })
	carried := r.lang == debuginfo.Kotlin && from > 0 && (from == len(ms) || ms[from].Offset > uint32(wf.Body[0].At))
	if carried {
		from-- // a place that is that of the function before, or of the whole library, is not written again
	}
	ms = ms[from:]
	ms = ms[:sort.Search(len(ms), func(i int) bool { return ms[i].Offset >= uint32(wf.End) })]
	pc, placed := 0, false
	for i := range ms {
		for pc < len(wf.Body) && uint32(wf.Body[pc].At) < ms[i].Offset {
			pc++
		}
		if pc == len(wf.Body) {
			break
		}
		row := debuginfo.Row{PC: pc}
		if s := ms[i].Source; s >= 0 && r.files[s] != nil {
			row.Place = debuginfo.Place{File: r.files[s], Line: int(ms[i].Line) + 1, Col: int(ms[i].Col) + 1}
			placed = true
		}
		if n := len(rows); n > 0 && rows[n-1].PC == pc {
			rows = rows[:n-1] // what says more of the same instruction comes later
		}
		if n := len(rows); n > 0 && rows[n-1].Place == row.Place || n == 0 && row.File == nil {
			continue
		}
		rows = append(rows, row)
	}
	if !placed {
		return nil, nil
	}
	return r.finish(fn, rows, carried)
}

// finish corrects the rows of a function by its language, and marks statements.
func (r *Reader) finish(fn uint32, rows []debuginfo.Row, carried bool) ([]debuginfo.Row, []bool) {
	body := r.m.Funcs[fn].Body
	switch r.lang {
	case debuginfo.Kotlin:
		rows = fill(kotlinRows(r.m.Names.Funcs[fn], rows, body, carried))
	case debuginfo.AssemblyScript:
		rows = fill(rows)
	}
	return statements(rows, body)
}

// statements marks the rows where statements begin: where the line is another than before, and where
// control comes from another line, by a branch. A loop that begins inside of a line is such a place;
// if nothing of the line follows, the loop is that of the next line.
func statements(rows []debuginfo.Row, body []wasm.Instr) (out []debuginfo.Row, starts []bool) {
	rows = align(rows, body)
	from := branches(body)
	line := func(pc int) debuginfo.Place {
		i := sort.Search(len(rows), func(i int) bool { return rows[i].PC > pc }) - 1
		if i < 0 {
			return debuginfo.Place{}
		}
		return debuginfo.Place{File: rows[i].File, Line: rows[i].Line}
	}
	var last debuginfo.Place
	seen := map[debuginfo.Place]bool{} // lines
	for i := range rows {
		row := rows[i]
		if row.File == nil {
			out, starts = append(out, row), append(starts, false)
			continue
		}
		to, run := len(body), len(body) // ends of the row, and of those of the line
		if i+1 < len(rows) {
			to = rows[i+1].PC
		}
		here := debuginfo.Place{File: row.File, Line: row.Line}
		for k := i + 1; k < len(rows); k++ {
			if rows[k].File != row.File || rows[k].Line != row.Line {
				run = rows[k].PC
				break
			}
		}
		// entered reports whether control comes to an instruction from another line, or to a loop.
		entered := func(pc int) (yes, loop bool) {
			if pc > 0 && body[pc-1].Op == wasm.OpLoop {
				return true, true
			}
			if run <= to && pc > row.PC {
				return false, false // no place says that it is of the line: compilers end blocks there
			}
			for _, b := range from[pc] {
				if line(b) != here {
					return !quiet(body[pc:run]), false
				}
			}
			return false, false
		}
		if last.File != row.File || last.Line != row.Line {
			row.Stmt = !seen[here] || !quiet(body[row.PC:run])
			seen[here] = true
			starts = append(starts, row.Stmt)
		} else {
			yes, loop := entered(row.PC)
			row.Stmt = yes
			starts = append(starts, yes && !loop)
		}
		row.PrologueEnd = last.File == nil
		last = row.Place
		out = append(out, row)
		for pc := row.PC + 1; pc < to; pc++ {
			yes, loop := entered(pc)
			switch {
			case !yes:
			case loop && i+1 < len(rows) && rows[i+1].File != nil && run == to && quiet(body[pc:to]):
				rows[i+1].PC = pc // the loop is that of the next line
				to = pc
			default:
				out = append(out, debuginfo.Row{PC: pc, Place: row.Place, Stmt: true})
				starts = append(starts, !loop)
			}
		}
	}
	return out, starts
}

// branches returns the instructions that branch to the end of a block, by where control continues:
// at the first instruction that is no `end`. Branches to loops are not in it.
func branches(body []wasm.Instr) map[int][]int {
	out := map[int][]int{}
	type block struct {
		loop bool
		from []int // branches to its end
	}
	var open []block
	branch := func(pc int, label uint32) {
		if k := len(open) - 1 - int(label); k >= 0 && !open[k].loop && len(open[k].from) < maxBranches {
			open[k].from = append(open[k].from, pc)
		}
	}
	for pc := range body {
		in := &body[pc]
		if in.Ext != nil {
			for _, l := range in.Ext.Labels {
				branch(pc, l)
			}
			for _, c := range in.Ext.Catches {
				branch(pc, c.Label)
			}
		}
		switch {
		case in.Op.OpensBlock():
			open = append(open, block{loop: in.Op == wasm.OpLoop})
		case in.Op == wasm.OpEnd && len(open) > 0, in.Op == wasm.OpDelegate && len(open) > 0:
			b := open[len(open)-1]
			open = open[:len(open)-1]
			at := pc + 1
			for at < len(body)-1 && body[at].Op == wasm.OpEnd {
				at++
			}
			if len(b.from) > 0 && len(out[at]) < maxBranches {
				out[at] = append(out[at], b.from...)
			}
		case in.Op.Info().Effect == wasm.EffectBranch && in.Op != wasm.OpBrTable:
			branch(pc, in.A)
		}
	}
	return out
}

// maxBranches bounds the branches to one place that are looked at.
const maxBranches = 64

// align moves rows to where control comes. A branch continues after the `end` of a block, and after
// the `else`. A `local.tee` at the start of a row stores what the line before has computed, and reads
// it again for this one: the row begins after it.
func align(rows []debuginfo.Row, body []wasm.Instr) []debuginfo.Row {
	out := rows[:0]
	for i, row := range rows {
		to := len(body)
		if i+1 < len(rows) {
			to = rows[i+1].PC
		}
		pc := row.PC
		for pc < to && pc < len(body)-1 && (body[pc].Op == wasm.OpEnd || body[pc].Op == wasm.OpElse) {
			pc++
		}
		if tee := pc < to && pc > 0 && body[pc].Op == wasm.OpLocalTee; tee && (pc+1 < to || i+1 < len(rows) &&
			rows[i+1].File == row.File && rows[i+1].Line == row.Line) {
			pc++ // the row ends if the next one is of its line
		}
		if pc < to {
			row.PC = pc
			out = append(out, row)
		}
	}
	return out
}

// quiet reports whether instructions only finish what other lines have computed: there is nothing in
// them that a step should stop for if it has stopped at the line before.
func quiet(body []wasm.Instr) bool {
	for i := range body {
		switch in := &body[i]; in.Op {
		case wasm.OpLocalSet, wasm.OpLocalGet, wasm.OpLocalTee, wasm.OpDrop, wasm.OpNop, wasm.OpBr, wasm.OpBlock,
			wasm.OpEnd, wasm.OpElse, wasm.OpReturn, wasm.OpRefCast:
		default:
			info := in.Op.Info()
			if !info.Fixed || info.Effect != wasm.EffectNone || info.Addr || len(info.Params) == 0 {
				return false
			}
		}
	}
	return true
}

// fill extends places over the instructions without one that follow: the compiler made them of the
// same expression. In a function with places of the user, it also extends them over what was inlined
// from a library. Before the first place there is none.
func fill(rows []debuginfo.Row) []debuginfo.Row {
	own := !ignored(rows)
	out := rows[:0]
	for _, row := range rows {
		if row.File != nil && (!own || !row.File.Ignored) && (len(out) == 0 || out[len(out)-1].Place != row.Place) {
			out = append(out, row)
		}
	}
	return out
}

// Lines returns the rows of a file at which a line begins.
func (r *Reader) Lines(f *debuginfo.File) []debuginfo.Location {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lines == nil {
		r.lines = map[*debuginfo.File][]debuginfo.Location{}
		if r.mp != nil || r.other != nil {
			for i := range r.m.Funcs {
				rows, starts := r.rowsAndStarts(uint32(i))
				for k, row := range rows {
					if starts[k] {
						r.lines[row.File] = append(r.lines[row.File], debuginfo.Location{Func: uint32(i), Row: row})
					}
				}
			}
		}
		for _, ls := range r.lines {
			sort.SliceStable(ls, func(i, k int) bool { return ls[i].Row.Line < ls[k].Row.Line })
		}
	}
	return r.lines[f]
}

// Globals returns nothing: a map does not tell about them.
func (r *Reader) Globals(uint32) []*debuginfo.Variable { return nil }

// Type returns nil: types are those of the module.
func (r *Reader) Type(string) *debuginfo.Type { return nil }
