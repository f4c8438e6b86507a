package lang

import (
	"encoding/binary"
	"testing"

	"stackscope/analysis/debuginfo"
)

// ram is a memory for tests.
type ram []byte

func (m ram) Size() uint64 { return uint64(len(m)) }
func (m ram) Read(a uint64, p []byte) bool {
	if a > m.Size() || uint64(len(p)) > m.Size()-a {
		return false
	}
	copy(p, m[a:])
	return true
}
func (m ram) Write(a uint64, p []byte) bool {
	if a > m.Size() || uint64(len(p)) > m.Size()-a {
		return false
	}
	copy(m[a:], p)
	return true
}
func (m ram) put(a int, n uint32)      { binary.LittleEndian.PutUint32(m[a:], n) }
func (m ram) text(a int, s string) int { return copy(m[a:], s) + a }

// c makes types of C for tests.
type c struct{}

func (c) base(name string) *debuginfo.Type { return basic(debuginfo.C, name) }
func (c) ptr(t *debuginfo.Type) *debuginfo.Type {
	return &debuginfo.Type{
		Kind: debuginfo.KindPointer, Language: debuginfo.C, Size: 4, Target: func() *debuginfo.Type { return t },
	}
}
func (c) arr(t *debuginfo.Type, n int64) *debuginfo.Type {
	return &debuginfo.Type{
		Kind: debuginfo.KindArray, Language: debuginfo.C, Count: n, Target: func() *debuginfo.Type { return t },
	}
}
func (c) record(word, name string, size int64, fs ...debuginfo.Field) *debuginfo.Type {
	k := debuginfo.KindStruct
	if word == "union" {
		k = debuginfo.KindUnion
	}
	return &debuginfo.Type{
		Kind: k, Language: debuginfo.C, Word: word, Name: name, Size: size,
		Members: func() []debuginfo.Field { return fs },
	}
}

// point is struct point { int x, y; char name[8]; struct point *next; }.
func point() *debuginfo.Type {
	var t *debuginfo.Type
	next := c{}.ptr(nil)
	next.Target = func() *debuginfo.Type { return t }
	t = c{}.record("struct", "point", 20,
		debuginfo.Field{Name: "x", Type: c{}.base("int")},
		debuginfo.Field{Name: "y", Type: c{}.base("int"), Offset: 4},
		debuginfo.Field{Name: "name", Type: c{}.arr(c{}.base("char"), 8), Offset: 8},
		debuginfo.Field{Name: "next", Type: next, Offset: 16},
	)
	return t
}

func TestText(t *testing.T) {
	m := make(ram, 4096)
	env := &Env{Memory: m, Function: func(i uint64) (string, bool) { return "run", i == 3 }}
	m.put(100, 3)
	m.put(104, 0xfffffffe)
	m.text(108, "b")
	m.put(116, 100) // a list that ends in itself
	m.text(200, "héllo\x00")
	m.put(300, 200)
	m.put(304, 0)
	m.put(308, 0x7fffffff)
	m.put(312, 3)
	m.put(316, 0b1_101_011)
	color := &debuginfo.Type{Kind: debuginfo.KindEnum, Language: debuginfo.C, Word: "enum", Name: "color", Size: 4,
		Values: []debuginfo.Enumerator{{Name: "RED", Value: 1}, {Name: "GREEN", Value: 2}, {Name: "BLUE", Value: 4}}}
	fn := &debuginfo.Type{Kind: debuginfo.KindFunc, Language: debuginfo.C}
	fn.Signature = func() ([]*debuginfo.Type, *debuginfo.Type) { return []*debuginfo.Type{c{}.base("int")}, nil }
	bits := c{}.record("struct", "bits", 4,
		debuginfo.Field{Name: "a", Type: c{}.base("int"), BitSize: 2},
		debuginfo.Field{Name: "b", Type: c{}.base("unsigned"), BitSize: 4, BitOffset: 2},
	)
	anonymous := c{}.record("struct", "v", 8,
		debuginfo.Field{Name: "tag", Type: c{}.base("int")},
		debuginfo.Field{Type: c{}.record("union", "", 4,
			debuginfo.Field{Name: "i", Type: c{}.base("int")}, debuginfo.Field{Name: "f", Type: c{}.base("float")},
		), Offset: 4},
	)
	for _, x := range []struct {
		name, typ string
		t         *debuginfo.Type
		at        uint64
		want      string
	}{
		{"struct", "struct point", point(), 100, `{x = 3, y = -2, name = "b", next = 0x64}`},
		{"int", "int", c{}.base("int"), 104, "-2"},
		{"unsigned", "unsigned int", c{}.base("unsigned"), 104, "4294967294"},
		{"char", "char", c{}.base("char"), 108, "98 'b'"},
		{"text", "char *", c{}.ptr(c{}.base("char")), 300, `0xc8 "héllo"`},
		{"null", "char *", c{}.ptr(c{}.base("char")), 304, "null"},
		{"wild", "int *", c{}.ptr(c{}.base("int")), 308, "0x7fffffff <out of memory>"},
		{"function", "void (*)(int)", c{}.ptr(fn), 312, "0x3 <run>"},
		{"pointers", "struct point *[2]", c{}.arr(c{}.ptr(point()), 2), 116, "[0x64, null]"},
		{"enum", "enum color", color, 312, "RED | GREEN"},
		{"bits", "struct bits", bits, 316, "{a = -1, b = 10}"},
		{"anonymous", "struct v", anonymous, 100, "{tag = 3, i = -2, f = nan}"},
		{"nowhere", "int", c{}.base("int"), 5000, "<0x1388 is out of memory>"},
	} {
		v := InMemory(env, x.t, x.at)
		if got := v.Text(Style{}); got != x.want {
			t.Errorf("%s: %s, want %s", x.name, got, x.want)
		}
		if got := v.TypeName(); got != x.typ {
			t.Errorf("%s: type %s, want %s", x.name, got, x.typ)
		}
	}
}

func TestMembers(t *testing.T) {
	m := make(ram, 4096)
	env := &Env{Memory: m}
	m.put(100, 3)
	m.put(116, 100)
	v := InMemory(env, c{}.ptr(point()), 116)
	want := "->x 3, ->y 0, ->name \"\", ->next 0x64, "
	got := ""
	for _, x := range v.Named() {
		got += x.Path + " " + x.Value.Text(Style{}) + ", "
	}
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for range 1000 { // around the circle
		next, err := v.Member("next")
		if err != nil {
			t.Fatal(err)
		}
		v = next
	}
	x, err := v.Member("x")
	if err != nil || x.Text(Style{}) != "3" {
		t.Errorf("%s, %v", x.Text(Style{}), err)
	}
	if err := x.setWord(7); err != nil || m[100] != 7 {
		t.Errorf("%v, %d", err, m[100])
	}
	if _, err := v.Member("z"); err == nil || err.Error() != "struct point * has no member z" {
		t.Error(err)
	}
}

// frame is a context for tests: locals, and a memory.
type frame struct {
	locals []uint64
	m      ram
}

func (f *frame) Local(i uint32) (uint64, bool)       { return f.locals[i], int(i) < len(f.locals) }
func (f *frame) Global(uint32) (uint64, bool)        { return 0, false }
func (f *frame) Operand(uint32) (uint64, bool)       { return 0, false }
func (f *frame) Read(a uint64, p []byte) bool        { return f.m.Read(a, p) }
func (f *frame) SetLocal(i uint32, bits uint64) bool { f.locals[i] = bits; return true }
func (f *frame) SetGlobal(uint32, uint64) bool       { return false }
func (f *frame) SetOperand(uint32, uint64) bool      { return false }

func TestPieces(t *testing.T) {
	m := make(ram, 64)
	env := &Env{Memory: m}
	m.put(16, 77)
	f := &frame{[]uint64{5, 0xffffff85}, m}
	two := c{}.record("struct", "two", 12,
		debuginfo.Field{Name: "a", Type: c{}.base("int")},
		debuginfo.Field{Name: "b", Type: c{}.base("int"), Offset: 4},
		debuginfo.Field{Name: "c", Type: c{}.base("int"), Offset: 8},
	)
	v := At(env, two, debuginfo.Where{
		{Kind: debuginfo.InLocal, Index: 0, Size: 32}, {Kind: debuginfo.InMemory, Addr: 16, Size: 32},
		{Kind: debuginfo.Absent, Size: 32},
	}, f)
	if got := v.Text(Style{}); got != "{a = 5, b = 77, c = <optimized out>}" {
		t.Error(got)
	}
	v = At(env, c{}.base("char"), debuginfo.Where{{Kind: debuginfo.InLocal, Index: 1}}, f)
	if got := v.Text(Style{}); got != `-123 '\205'` {
		t.Error(got)
	}
	if err := v.setWord(0xfe); err != nil || f.locals[1] != ^uint64(1) {
		t.Errorf("%v, %x", err, f.locals[1])
	}
	v = At(env, two, debuginfo.Where{{Kind: debuginfo.Absent}}, f)
	if got := v.Text(Style{}); got != "<optimized out>" {
		t.Error(got)
	}
}

func TestPrettyName(t *testing.T) {
	for _, x := range []struct {
		l          debuginfo.Language
		name, want string
	}{
		{debuginfo.CPlusPlus, "std::__2::vector<" +
			"std::__2::unique_ptr<geo::Town, std::__2::default_delete<geo::Town> >, " +
			"std::__2::allocator<std::__2::unique_ptr<geo::Town, std::__2::default_delete<geo::Town> > > >",
			"std::vector<std::unique_ptr<geo::Town>>"},
		{debuginfo.CPlusPlus, "std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char> >",
			"std::string"},
		{debuginfo.CPlusPlus, "std::__tree<int>", "std::__tree<int>"},
		{debuginfo.Rust, "core::option::Option<alloc::boxed::Box<tasks::Task, alloc::alloc::Global>>",
			"Option<Box<tasks::Task>>"},
		{debuginfo.C, "struct point *", "struct point *"},
	} {
		if got := prettyName(x.l, x.name); got != x.want {
			t.Errorf("%s, want %s", got, x.want)
		}
	}
}
