package dwarf

import (
	"maps"
	"os"
	"strings"
	"sync"
	"testing"

	"stackscope/analysis/debuginfo"
	"stackscope/wasm/binary"
)

// input returns what Open reads of a binary.
func input(t testing.TB, data []byte) Input {
	t.Helper()
	m, err := binary.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Module: m, Sections: map[string][]byte{}, Warn: func(s string) { t.Log("warning:", s) }}
	r := buf{b: data, p: 8}
	for r.p < len(data) {
		id, n := r.u8(), r.uleb()
		if id == 10 {
			in.Code = uint64(r.p)
		}
		r.bytes(n)
	}
	for _, c := range m.Customs {
		in.Sections[c.Name] = c.Bytes
	}
	return in
}

// sections returns the custom sections of a file.
func sections(t testing.TB, path string) map[string][]byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	m, err := binary.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, c := range m.Customs {
		out[c.Name] = c.Bytes
	}
	return out
}

// open opens the DWARF of a fixture, with that of the package beside it, if there is one.
func open(t testing.TB, path string) (*Reader, Input) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	in := input(t, data)
	maps.Copy(in.Sections, sections(t, strings.TrimSuffix(path, ".wasm")+".dwp"))
	r, err := Open(in)
	if err != nil {
		t.Fatal(err)
	}
	return r.(*Reader), in
}

// fake is a frame: its locals, globals and memory.
type fake struct {
	locals, globals map[uint32]uint64
	mem             map[uint64]byte
	outer           bool
}

func (f *fake) Local(i uint32) (uint64, bool)   { x, ok := f.locals[i]; return x, ok }
func (f *fake) Global(i uint32) (uint64, bool)  { x, ok := f.globals[i]; return x, ok }
func (f *fake) Operand(i uint32) (uint64, bool) { return 0, false }
func (f *fake) Innermost() bool                 { return !f.outer }
func (f *fake) Read(addr uint64, p []byte) bool {
	for i := range p {
		p[i] = f.mem[addr+uint64(i)]
	}
	return true
}

var _ debuginfo.Context = (*fake)(nil)

// find returns a function of a name.
func find(t testing.TB, r *Reader, name string) (uint32, *debuginfo.Func) {
	t.Helper()
	for i := range r.in.Module.Funcs {
		if f := r.Func(uint32(i)); f != nil && f.Name == name {
			return uint32(i), f
		}
	}
	t.Fatalf("no function %s", name)
	return 0, nil
}

// variable returns a variable of a scope, or of those in it.
func variable(s *debuginfo.Scope, name string) *debuginfo.Variable {
	for _, v := range s.Vars {
		if v.Name == name {
			return v
		}
	}
	for _, in := range s.Inner {
		if v := variable(in, name); v != nil {
			return v
		}
	}
	return nil
}

// TestUnoptimized tests rows, scopes, places and types of a program in both versions of DWARF.
func TestUnoptimized(t *testing.T) {
	for _, version := range []string{"4", "5"} {
		r, _ := open(t, "testdata/plain-"+version+"-0.wasm")
		if got := r.Format(); got != "DWARF "+version {
			t.Errorf("format %q", got)
		}
		_, f := find(t, r, "sum")
		if p, ok := f.Place(f.Body); !ok || p.String() != "plain.c:6:7" {
			t.Errorf("DWARF %s: the body of sum begins at %v", version, p)
		}
		if f.Decl.String() != "plain.c:5" {
			t.Errorf("sum is declared at %v", f.Decl)
		}
		c := &fake{locals: map[uint32]uint64{1: 1000, 0: 7}}
		v := variable(f.Root, "t")
		if v == nil || v.Type == nil || v.Type.Name != "int" || v.Type.Kind != debuginfo.KindInt {
			t.Fatalf("t is %+v", v)
		}
		w, err := v.Locate(f.Body+20, c)
		if a, ok := w.Address(); err != nil || !ok || a != 1004 {
			t.Errorf("t is at %v, %v", w, err)
		}
		if _, err := v.Locate(0, c); err != errPrologue {
			t.Errorf("before the prologue: %v", err)
		}
		if ls := r.Lines(r.Files()[0]); len(ls) < 50 || ls[0].Row.Line != 5 {
			t.Errorf("%d rows of the file", len(ls))
		}
	}
}

// TestRowsOfNowhere tests that what rustc makes itself in the standard library is not at the first line
// of the program.
func TestRowsOfNowhere(t *testing.T) {
	r, _ := open(t, "../../../testdata/programs/rust/tasks.wasm")
	for i := range r.in.Module.Funcs {
		f := r.Func(uint32(i))
		if f == nil {
			continue
		}
		for _, x := range f.Rows {
			if x.File != nil && strings.HasSuffix(x.File.Path, "tasks.rs") && x.Line < 6 { // the first derive
				t.Errorf("%s has a row at %v", f.Name, x.Place)
			}
		}
	}
}

// TestSplit tests split units: a package and single object files say the same; without either, lines
// are left.
func TestSplit(t *testing.T) {
	for _, version := range []string{"4", "5"} {
		path := "testdata/split-" + version + ".wasm"
		r, in := open(t, path)
		want := dump(r)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		in = input(t, data)
		in.Object = func(name, dir string) map[string][]byte { return sections(t, "testdata/"+dir+"/"+name) }
		o, err := Open(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := dump(o.(*Reader)); got != want {
			t.Errorf("DWARF %s: objects say something else than the package:\n%s\n%s", version, got, want)
		}
		in = input(t, data)
		var warnings []string
		in.Warn = func(s string) { warnings = append(warnings, s) }
		o, err = Open(in)
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		for i := range in.Module.Funcs {
			f := o.Func(uint32(i))
			if f == nil {
				continue
			}
			if rows += len(f.Rows); f.Root != nil {
				t.Errorf("%s has scopes from nowhere", f.Name)
			}
		}
		if rows == 0 || len(warnings) != 2 {
			t.Errorf("%d rows, warnings %q", rows, warnings)
		}
	}
}

// TestConcurrent tests that many goroutines can ask at once; it is for the race detector.
func TestConcurrent(t *testing.T) {
	for _, path := range []string{"testdata/shapes-5-0.wasm", "testdata/split-5.wasm"} {
		r, _ := open(t, path)
		want := dump(r)
		r, _ = open(t, path)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if got := dump(r); got != want {
					t.Errorf("%s: goroutines read something else", path)
				}
				walkAll(t, r)
			})
		}
		wg.Wait()
	}
}

// TestJoin tests paths that compilers record.
func TestJoin(t *testing.T) {
	for _, x := range [][3]string{
		{"/build", "src/a.c", "/build/src/a.c"},
		{"/build", "/usr/a.h", "/usr/a.h"},
		{"/build", "../lib/./a.h", "/lib/a.h"},
		{".", "a.c", "a.c"},
		{"", "a.c", "a.c"},
		{`C:\work`, `src\a.c`, "C:/work/src/a.c"},
		{`C:\work`, `D:\x\a.c`, "D:/x/a.c"},
		{"/build", "", "/build"},
	} {
		if got := join(x[0], x[1]); got != x[2] {
			t.Errorf("join(%q, %q) = %q, want %q", x[0], x[1], got, x[2])
		}
	}
}
