package dwarf

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"stackscope/analysis/debuginfo"
)

// walkAll asks for all that can be read, with bounds: what a debugger asks for at stops in each
// function.
func walkAll(t testing.TB, r *Reader) {
	c := &fake{locals: map[uint32]uint64{0: 1000, 1: 2000}, globals: map[uint32]uint64{0: 3000}}
	steps := 0
	var typ func(x *debuginfo.Type, depth int)
	variable := func(fn uint32, v *debuginfo.Variable) {
		body := len(r.in.Module.Funcs[fn].Body)
		for _, pc := range []int{0, body / 2, body - 1, -1, body} {
			if w, err := v.Locate(pc, c); err == nil && len(w) == 0 {
				t.Fatal("a place without pieces")
			}
		}
		if typ(v.Type, 0); v.Type != nil && v.Type.Bound != nil {
			v.Type.Bound(fn, 0, c)
		}
	}
	typ = func(x *debuginfo.Type, depth int) {
		if steps++; x == nil || depth > 4 || steps > 3000 {
			return
		}
		debuginfo.Strip(x)
		if x.Target != nil {
			typ(x.Target(), depth+1)
		}
		if x.Members != nil {
			for _, f := range x.Members() {
				typ(f.Type, depth+1)
			}
		}
		if x.Variants != nil {
			if p := x.Variants(); p != nil {
				for _, v := range p.Variants {
					typ(v.Field.Type, depth+1)
				}
			}
		}
		if x.Signature != nil {
			x.Signature()
		}
	}
	var scope func(fn uint32, s *debuginfo.Scope)
	scope = func(fn uint32, s *debuginfo.Scope) {
		for _, v := range s.Vars {
			variable(fn, v)
		}
		for _, in := range s.Inner {
			scope(fn, in)
		}
	}
	for i := range r.in.Module.Funcs {
		fn := uint32(i)
		f := r.Func(fn)
		if f == nil {
			continue
		}
		last := -1
		for _, x := range f.Rows {
			if x.PC <= last || x.PC >= len(r.in.Module.Funcs[fn].Body) {
				t.Fatalf("row at %d after %d", x.PC, last)
			}
			last = x.PC
		}
		if f.Root != nil {
			scope(fn, f.Root)
		}
		for _, v := range r.Globals(fn) {
			variable(fn, v)
		}
	}
	for _, f := range r.Files() {
		r.Lines(f)
	}
	r.Type("geo::Box<short, 3>")
	r.Type("point")
	r.Format()
}

// FuzzDwarf changes the sections of programs: nothing panics, and nothing takes long.
func FuzzDwarf(f *testing.F) {
	files, err := filepath.Glob("testdata/*.wasm")
	if err != nil || len(files) == 0 {
		f.Fatal("no fixtures", err)
	}
	var inputs []Input
	for _, path := range files {
		_, in := open(f, path)
		in.Warn = nil
		inputs = append(inputs, in)
	}
	// The program, the section by its number in sectionNames, where its bytes are replaced, and by
	// what; or, if cut is set, where it ends.
	for i := range inputs {
		for s := range sectionNames {
			f.Add(uint8(i), uint8(s), uint16(13), []byte{0xff, 0xff, 0xff, 0xff, 0x7f}, uint16(0))
			f.Add(uint8(i), uint8(s), uint16(0), []byte{}, uint16(40))
			f.Add(uint8(i), uint8(s), uint16(100), []byte{0, 0, 0, 0, 1, 1, 1, 1}, uint16(0))
		}
	}
	f.Fuzz(func(t *testing.T, program, section uint8, at uint16, change []byte, cut uint16) {
		in := inputs[int(program)%len(inputs)]
		name := sectionNames[int(section)%len(sectionNames)]
		old := in.Sections[name]
		if len(old) == 0 {
			return
		}
		b := bytes.Clone(old)
		copy(b[int(at)%len(b):], change)
		if cut > 0 {
			b = b[:int(cut)%len(b)]
		}
		changed := map[string][]byte{}
		for k, v := range in.Sections {
			changed[k] = v
		}
		changed[name] = b
		in.Sections = changed
		start := time.Now()
		if r, err := Open(in); err == nil {
			walkAll(t, r.(*Reader))
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Fatalf("it took %v", d)
		}
	})
}

var sectionNames = []string{
	".debug_info", ".debug_abbrev", ".debug_line", ".debug_loc", ".debug_loclists", ".debug_ranges",
	".debug_rnglists", ".debug_str", ".debug_str_offsets", ".debug_addr", ".debug_line_str", ".debug_types",
	".debug_info.dwo", ".debug_abbrev.dwo", ".debug_types.dwo", ".debug_loclists.dwo", ".debug_loc.dwo",
	".debug_str_offsets.dwo", ".debug_cu_index", ".debug_tu_index", ".debug_line.dwo",
}

// TestTruncated tests every length of every section of a program: nothing panics.
func TestTruncated(t *testing.T) {
	for _, path := range []string{"testdata/plain-4-2.wasm", "testdata/split-5.wasm"} {
		_, in := open(t, path)
		in.Warn = nil
		for name, old := range in.Sections {
			step := max(len(old)/40, 1)
			for n := 0; n < len(old); n += step {
				changed := map[string][]byte{}
				for k, v := range in.Sections {
					changed[k] = v
				}
				changed[name] = old[:n]
				in.Sections = changed
				if r, err := Open(in); err == nil {
					walkAll(t, r.(*Reader))
				}
				in.Sections[name] = old
			}
		}
	}
}
