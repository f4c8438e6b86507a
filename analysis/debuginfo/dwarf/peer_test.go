package dwarf

import (
	std "debug/dwarf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPeer tests entries and rows against the standard library's reader.
func TestPeer(t *testing.T) {
	files, err := filepath.Glob("testdata/*-[45]-[02].wasm")
	if err != nil || len(files) == 0 {
		t.Fatal("no fixtures", err)
	}
	if more := os.Getenv("STACKSCOPE_DWARF"); more != "" {
		files = append(files, more)
	}
	for _, path := range files {
		r, in := open(t, path)
		get := func(name string) []byte { return in.Sections[".debug_"+name] }
		d, err := std.New(get("abbrev"), nil, nil, get("info"), get("line"), nil, get("ranges"), get("str"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"addr", "line_str", "str_offsets", "rnglists", "loclists"} {
			if b := get(name); b != nil {
				if err := d.AddSection(".debug_"+name, b); err != nil {
					t.Fatal(err)
				}
			}
		}
		p := peer{t: t, r: r, d: d, path: path}
		p.entries()
		if p.n < 30 || p.rows < 10 {
			t.Errorf("%s: %d entries, %d rows", path, p.n, p.rows)
		}
	}
}

type peer struct {
	t       *testing.T
	r       *Reader
	d       *std.Data
	path    string
	n, rows int
}

func (p *peer) entries() {
	for it := p.d.Reader(); ; {
		e, err := it.Next()
		if err != nil {
			p.t.Fatal(err)
		}
		if e == nil {
			return
		}
		if e.Tag == 0 {
			continue
		}
		p.n++
		var d die
		if !p.r.open(ref(e.Offset), &d) {
			p.t.Fatalf("%s: no entry at %#x", p.path, e.Offset)
		}
		if d.tag != e.Tag || d.kids != e.Children || len(d.vals) != len(e.Field) {
			p.t.Fatalf("%s: the entry at %#x is %v %v %d", p.path, e.Offset, d.tag, d.kids, len(d.vals))
		}
		for i, f := range e.Field {
			if got, want := p.value(&d, d.vals[i], f), fmt.Sprint(f.Val); got != want {
				p.t.Errorf("%s: %v at %#x is %s, want %s", p.path, f.Attr, e.Offset, got, want)
			}
		}
		if e.Tag == std.TagCompileUnit {
			p.lines(e, d.u)
		}
	}
}

func (p *peer) value(d *die, v val, f std.Field) string {
	switch f.Val.(type) {
	case string:
		return string(d.u.text(v))
	case bool:
		return fmt.Sprint(v.u == 1)
	case std.Offset:
		x, _ := d.u.refer(v)
		return fmt.Sprint(std.Offset(uint32(x)))
	case []byte:
		return fmt.Sprint(v.b)
	case uint64:
		if f.Class == std.ClassAddress {
			a, _ := d.u.address(v)
			return fmt.Sprint(a)
		}
		if v.form == formRnglistx {
			off, _ := indexedList(d.u.s.rngs, d.u.base.rngs, v.u, d.u.wide)
			return fmt.Sprint(off)
		}
		return fmt.Sprint(v.u)
	}
	return fmt.Sprint(int64(v.u))
}

// lines compares the rows of a unit.
func (p *peer) lines(e *std.Entry, u *unit) {
	it, err := p.d.LineReader(e)
	if err != nil || it == nil {
		return
	}
	var want []string
	var seq []string
	var first uint64
	for {
		var x std.LineEntry
		if err := it.Next(&x); err != nil {
			break
		}
		if x.EndSequence {
			if len(seq) > 0 && !u.dropped(first) && x.Address > first {
				want = append(want, seq...)
			}
			seq = nil
			continue
		}
		if len(seq) == 0 {
			first = x.Address
		}
		name := ""
		if x.File != nil {
			name = filepath.Base(x.File.Name)
		}
		seq = append(seq, fmt.Sprintf("%#x %s:%d:%d %v %v", x.Address, name, x.Line, x.Column, x.IsStmt, x.PrologueEnd))
	}
	var got []string
	table := u.table()
	for _, s := range table.sequences() {
		for _, x := range s.rows {
			name := ""
			if f := table.file(uint64(x.file)); f != nil {
				name = filepath.Base(f.Path)
			}
			got = append(got, fmt.Sprintf("%#x %s:%d:%d %v %v", x.addr, name, x.line, x.col,
				x.flags&rowStmt != 0, x.flags&rowPrologueEnd != 0))
		}
	}
	p.rows += len(got)
	// Ours ascend over sequences, too.
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		p.t.Errorf("%s: %d rows, want %d:\n%s\nwant\n%s", p.path, len(got), len(want),
			strings.Join(got[:min(len(got), 20)], "\n"), strings.Join(want[:min(len(want), 20)], "\n"))
	}
}
