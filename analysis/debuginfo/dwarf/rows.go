package dwarf

import (
	"cmp"
	"slices"
	"sort"

	"stackscope/analysis/debuginfo"
)

// rowsOf returns the rows of a function, ascending by instruction.
func (t *lineTable) rowsOf(fn uint32) (out []debuginfo.Row) {
	c := t.u.s.r.code
	lo, hi := c.bounds(fn)
	seqs := t.sequences()
	first := sort.Search(len(seqs), func(i int) bool { return seqs[i].hi > lo })
	for _, s := range seqs[first:] {
		if s.lo >= hi {
			break
		}
		if s.hi > lo {
			out = t.appendRows(out, s, fn, lo, hi)
		}
	}
	return out
}

// appendRows appends the rows of a sequence that are in a function.
func (t *lineTable) appendRows(out []debuginfo.Row, s sequence, fn uint32, lo, hi uint64) []debuginfo.Row {
	c := t.u.s.r.code
	body := len(c.m.Funcs[fn].Body)
	from := sort.Search(len(s.rows), func(i int) bool { return uint64(s.rows[i].addr) >= lo })
	if from > 0 && (from == len(s.rows) || uint64(s.rows[from].addr) > lo) {
		from-- // a row of before that reaches into the function
	}
	to := from + sort.Search(len(s.rows)-from, func(i int) bool { return uint64(s.rows[from+i].addr) >= hi })
	out = slices.Grow(out, to-from+1)
	moved := false // the last row
	for i := from; i < len(s.rows); i++ {
		x := s.rows[i]
		addr := uint64(x.addr)
		if addr >= hi {
			break
		}
		from := c.pc(fn, max(addr, lo))
		if from >= body {
			break
		}
		pc := c.landing(fn, from)
		if n := len(out); moved && n > 0 && out[n-1].PC >= from {
			out = out[:n-1] // what moved had no code but the end of a block
		}
		moved = pc > from
		r := debuginfo.Row{PC: pc, Stmt: x.flags&rowStmt != 0, PrologueEnd: x.flags&rowPrologueEnd != 0}
		if x.line > 0 && x.flags&rowNoFile == 0 && !t.nowhere(x) {
			if f := t.file(uint64(x.file)); f != nil {
				r.Place = debuginfo.Place{File: f, Line: int(x.line), Col: int(x.col)}
			}
		}
		if addr < lo {
			r.Stmt, r.PrologueEnd = false, false
		}
		out = appendRow(out, r)
	}
	if pc := c.pc(fn, min(s.hi, hi)); s.hi < hi && pc < body {
		out = appendRow(out, debuginfo.Row{PC: pc})
	}
	return out
}

// nowhere reports that a row names the beginning of a file for code that is in no file: rustc does so
// for what it makes itself, with the crate's first file, whichever file the function is in.
func (t *lineTable) nowhere(x row) bool {
	return t.u.lang == debuginfo.Rust && x.line == 1 && x.col == 1
}

// appendRow appends a row. Of several at one instruction the last is where it is, as in gdb, but one
// that begins a statement counts before one that does not.
func appendRow(out []debuginfo.Row, r debuginfo.Row) []debuginfo.Row {
	if n := len(out); n > 0 {
		last := &out[n-1]
		if last.PC > r.PC {
			return out // sequences that overlap
		}
		if last.PC == r.PC {
			r.PrologueEnd = r.PrologueEnd || last.PrologueEnd
			if last.Stmt && last.File != nil && !r.Stmt && r.File != nil {
				last.PrologueEnd = r.PrologueEnd
				return out
			}
			out = out[:n-1]
			if n > 1 && same(out[n-2], r) {
				return out
			}
			return append(out, r)
		}
		if same(*last, r) {
			return out
		}
	}
	return append(out, r)
}

// same reports whether a row says nothing new after another.
func same(last, r debuginfo.Row) bool {
	return last.Place == r.Place && !r.Stmt && !r.PrologueEnd
}

// allRows calls f for the rows of each function that has some of a file.
func (t *lineTable) allRows(file *debuginfo.File, f func(fn uint32, rows []debuginfo.Row)) {
	c := t.u.s.r.code
	wanted := make([]bool, len(t.files))
	for i, x := range t.files {
		wanted[i] = x == file
	}
	seen := map[uint32]bool{}
	for _, s := range t.sequences() {
		for _, x := range s.rows {
			if int(x.file) >= len(wanted) || !wanted[x.file] {
				continue
			}
			fn, ok := c.fn(uint64(x.addr))
			if ok && !seen[fn] {
				seen[fn] = true
				f(fn, t.rowsOf(fn))
			}
		}
	}
}

// maxLocations is how many rows of files are kept, about.
const maxLocations = 100_000

// Lines implements debuginfo.Reader.
func (r *Reader) Lines(f *debuginfo.File) (out []debuginfo.Location) {
	r.linesMu.Lock()
	defer r.linesMu.Unlock()
	if out, ok := r.lines[f]; ok {
		return out
	}
	if r.kept > maxLocations {
		clear(r.lines)
		r.kept = 0
	}
	for _, t := range r.lineTables() {
		if !slices.Contains(t.files, f) {
			continue
		}
		t.allRows(f, func(fn uint32, rows []debuginfo.Row) {
			for _, x := range rows {
				if x.File == f {
					out = append(out, debuginfo.Location{Func: fn, Row: x})
				}
			}
		})
	}
	slices.SortFunc(out, func(a, b debuginfo.Location) int {
		return cmp.Or(cmp.Compare(a.Row.Line, b.Row.Line), cmp.Compare(a.Func, b.Func),
			cmp.Compare(a.Row.PC, b.Row.PC))
	})
	out = slices.Clip(slices.Compact(out))
	r.lines[f] = out
	r.kept += len(out)
	return out
}

// lineTables returns the line tables of all units.
func (r *Reader) lineTables() []*lineTable {
	r.allOnce.Do(func() {
		seen := map[*lineTable]bool{}
		for _, u := range r.main.units {
			if t := u.table(); t != nil && !seen[t] {
				seen[t] = true
				r.allTables = append(r.allTables, t)
			}
		}
	})
	return r.allTables
}

// Files implements debuginfo.Reader.
func (r *Reader) Files() (out []*debuginfo.File) {
	seen := map[*debuginfo.File]bool{}
	for _, t := range r.lineTables() {
		for _, f := range t.files {
			if f != nil && !seen[f] {
				seen[f] = true
				out = append(out, f)
			}
		}
	}
	return out
}
