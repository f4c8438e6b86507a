package dwarf

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"stackscope/analysis/debuginfo"
)

// lineTable is the header of a line program.
type lineTable struct {
	u           *unit // one that names it
	off         uint64
	once        sync.Once
	seqs        []sequence
	version     uint16
	minInst     uint64
	defaultStmt bool
	lineBase    int64
	lineRange   uint64
	opcodeBase  uint8
	lengths     []uint8
	files       []*debuginfo.File // by number; a nil one does not exist
	program     buf
	dir         string
	dirs        []string
}

// row is a row of a line table.
type row struct {
	addr  uint32
	line  uint32
	file  uint16
	col   uint16
	flags uint8
}

const (
	rowStmt = 1 << iota
	rowPrologueEnd
	rowNoFile
)

// sequence is rows of adjacent code: from lo up to, and without, hi.
type sequence struct {
	lo, hi uint64
	rows   []row
}

// Forms of the content of DWARF 5's tables.
const (
	lnctPath = 1 + iota
	lnctDirectory
	lnctTime
	lnctSize
	lnctMD5
)

// tableKey names a line table: the section of a space, and an offset.
type tableKey struct {
	s   *space
	off uint64
}

// table returns the unit's line table; nil: it has none, or a malformed one.
func (u *unit) table() *lineTable {
	if u.skeleton != nil && !u.hasLine {
		u = u.skeleton
	}
	if !u.load() || !u.hasLine {
		return nil
	}
	r := u.s.r
	r.tablesMu.Lock()
	defer r.tablesMu.Unlock()
	key := tableKey{u.s, u.lineOff}
	if t, ok := r.tables[key]; ok {
		return t
	}
	t := &lineTable{u: u, off: u.lineOff, dir: u.dir}
	h := at(u.s.line, u.lineOff)
	h.asize = u.asize
	if problem := t.header(u, &h); problem != "" {
		r.warnf("the line table at %#x is left out: %s", u.lineOff, problem)
		t = nil
	}
	r.tables[key] = t
	return t
}

func (t *lineTable) header(u *unit, r *buf) (problem string) {
	n := r.length()
	if r.bad || n > uint64(len(r.b)-r.p) {
		return "it is truncated"
	}
	if !u.s.r.spend(int(n)) {
		return "tables overlap"
	}
	r.b = r.b[:r.p+int(n)]
	if t.version = r.u16(); t.version < 2 || t.version > 5 {
		return "its version is not known"
	}
	if t.version >= 5 {
		r.asize = r.u8()
		r.u8()
	}
	size := r.offset()
	if r.bad || size > uint64(len(r.b)-r.p) || r.asize != 4 && r.asize != 8 {
		return "its header is malformed"
	}
	t.program = buf{b: r.b, p: r.p + int(size), asize: r.asize, wide: r.wide}
	r.b = r.b[:r.p+int(size)]
	t.minInst = uint64(r.u8())
	if t.version >= 4 {
		r.u8()
	}
	t.defaultStmt = r.u8() != 0
	t.lineBase = int64(int8(r.u8()))
	t.lineRange = uint64(r.u8())
	t.opcodeBase = r.u8()
	if t.lineRange == 0 || t.opcodeBase == 0 {
		return "its header is malformed"
	}
	t.lengths = r.bytes(uint64(t.opcodeBase) - 1)
	if t.version >= 5 {
		t.files5(u, r)
	} else {
		t.files4(u, r)
	}
	if r.bad {
		return "its table of files is malformed"
	}
	return ""
}

func (t *lineTable) files4(u *unit, r *buf) {
	t.dirs = []string{t.dir}
	for {
		s := r.cstr()
		if len(s) == 0 || r.bad {
			break
		}
		t.dirs = append(t.dirs, join(t.dir, string(s)))
	}
	t.files = []*debuginfo.File{nil}
	for !r.bad && t.file4(u, r) {
	}
}

// file4 reads an entry of the table of files of DWARF 2 to 4; false: that was the last.
func (t *lineTable) file4(u *unit, r *buf) bool {
	name := r.cstr()
	if len(name) == 0 {
		return false
	}
	dir, _, _ := r.uleb(), r.uleb(), r.uleb()
	t.files = append(t.files, u.s.r.file(t.directory(dir), name, u.lang, nil))
	return true
}

func (t *lineTable) directory(i uint64) string {
	if i < uint64(len(t.dirs)) {
		return t.dirs[i]
	}
	return t.dir
}

func (t *lineTable) files5(u *unit, r *buf) {
	type entry struct {
		path []byte
		dir  uint64
		md5  []byte
	}
	table := func(each func(e entry)) {
		type format struct {
			what uint64
			form form
		}
		formats := make([]format, r.u8())
		for i := range formats {
			formats[i] = format{r.uleb(), form(r.uleb())}
		}
		n := r.uleb()
		if n > uint64(len(r.b)-r.p) || n > 0 && len(formats) == 0 {
			r.fail() // an entry has a byte at least
		}
		for ; n > 0 && !r.bad; n-- {
			var e entry
			before := r.p
			for _, f := range formats {
				v := r.value(f.form, 0)
				switch f.what {
				case lnctPath:
					e.path = u.text(v)
				case lnctDirectory:
					e.dir = v.u
				case lnctMD5:
					if len(v.b) == 16 {
						e.md5 = v.b
					}
				}
			}
			if r.p == before {
				r.fail()
			}
			if !r.bad {
				each(e)
			}
		}
	}
	table(func(e entry) {
		if len(t.dirs) == 0 {
			t.dir = join(t.dir, string(e.path))
			t.dirs = append(t.dirs, t.dir)
			return
		}
		t.dirs = append(t.dirs, join(t.dir, string(e.path)))
	})
	table(func(e entry) {
		t.files = append(t.files, u.s.r.file(t.directory(e.dir), e.path, u.lang, e.md5))
	})
}

// file returns a file of the table by its number.
func (t *lineTable) file(i uint64) *debuginfo.File {
	if t == nil || i >= uint64(len(t.files)) {
		return nil
	}
	return t.files[i]
}

// sequences returns the rows of a table, ascending by address, without those of dropped code.
func (t *lineTable) sequences() []sequence {
	t.once.Do(func() {
		if t.u.s.split {
			return
		}
		p := program{t: t, r: t.program}
		p.run()
		if p.r.bad {
			t.u.s.r.warnf("the line table at %#x is malformed: its end is left out", t.off)
		}
		slices.SortStableFunc(p.out, func(a, b sequence) int { return cmp.Compare(a.lo, b.lo) })
		var hi uint64
		for _, s := range p.out {
			if s.lo >= hi { // two rows of an instruction contradict each other
				t.seqs = append(t.seqs, s)
				hi = s.hi
			}
		}
	})
	return t.seqs
}

// program runs a line program.
type program struct {
	t   *lineTable
	r   buf
	now state
	seq []row
	out []sequence
}

// state is what the program has computed: a row to be.
type state struct {
	addr, file, col uint64
	line            uint32
	flags           uint8
}

func (p *program) reset() {
	p.now = state{line: 1, file: 1}
	if p.t.defaultStmt {
		p.now.flags = rowStmt
	}
	p.seq = nil
}

func (p *program) run() {
	p.reset()
	for p.r.p < len(p.r.b) {
		p.step()
		if p.r.bad {
			break
		}
	}
}

func (p *program) emit() {
	s := &p.now
	x := row{addr: uint32(min(s.addr, math.MaxUint32)), line: s.line, file: uint16(s.file), flags: s.flags}
	if s.col <= math.MaxUint16 { // else it is not known
		x.col = uint16(s.col)
	}
	if s.file > math.MaxUint16 {
		x.flags |= rowNoFile
	}
	p.seq = append(p.seq, x)
	s.flags &^= rowPrologueEnd
}

func (p *program) advance(n uint64) { p.now.addr += n * p.t.minInst }

func (p *program) step() {
	r, t := &p.r, p.t
	op := r.u8()
	if op >= t.opcodeBase {
		n := uint64(op - t.opcodeBase)
		p.advance(n / t.lineRange)
		p.now.line += uint32(t.lineBase + int64(n%t.lineRange))
		p.emit()
		return
	}
	switch op {
	case 0:
		p.extended()
	case 1: // DW_LNS_copy
		p.emit()
	case 2: // DW_LNS_advance_pc
		p.advance(r.uleb())
	case 3: // DW_LNS_advance_line
		p.now.line += uint32(r.sleb())
	case 4: // DW_LNS_set_file
		p.now.file = r.uleb()
	case 5: // DW_LNS_set_column
		p.now.col = r.uleb()
	case 6: // DW_LNS_negate_stmt
		p.now.flags ^= rowStmt
	case 7, 11: // DW_LNS_set_basic_block, DW_LNS_set_epilogue_begin
	case 8: // DW_LNS_const_add_pc
		p.advance(uint64(255-t.opcodeBase) / t.lineRange)
	case 9: // DW_LNS_fixed_advance_pc
		p.now.addr += uint64(r.u16())
	case 10: // DW_LNS_set_prologue_end
		p.now.flags |= rowPrologueEnd
	default:
		for range t.lengths[op-1] {
			r.uleb()
		}
	}
}

func (p *program) extended() {
	r := &p.r
	n := r.uleb()
	if r.bad || n == 0 || n > uint64(len(r.b)-r.p) {
		r.fail()
		return
	}
	end := r.p + int(n)
	x := buf{b: r.b[:end], p: r.p, asize: r.asize}
	r.p = end
	switch x.u8() {
	case 1: // DW_LNE_end_sequence
		p.end()
	case 2: // DW_LNE_set_address
		x.asize = uint8(min(n-1, 8))
		p.now.addr = x.addr()
	case 3: // DW_LNE_define_file
		// A table of files does not change once it is read: a file that is defined here has no place.
	}
}

// end ends a sequence.
func (p *program) end() {
	seq, hi := p.seq, p.now.addr
	p.reset()
	if len(seq) == 0 {
		return
	}
	if !slices.IsSortedFunc(seq, func(a, b row) int { return cmp.Compare(a.addr, b.addr) }) {
		slices.SortStableFunc(seq, func(a, b row) int { return cmp.Compare(a.addr, b.addr) })
	}
	lo := uint64(seq[0].addr)
	if p.t.u.dropped(lo) || hi <= lo {
		return
	}
	p.out = append(p.out, sequence{lo, hi, slices.Clip(seq)})
}
