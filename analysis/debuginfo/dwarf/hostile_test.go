package dwarf

import (
	std "debug/dwarf"
	"encoding/binary"
	"testing"

	"stackscope/analysis/debuginfo"
)

// asm makes the entries of a unit of DWARF 4. Each has a shape of its own.
type asm struct {
	info, abbrev []byte
	shapes       byte
	labels       map[string]uint32
	fixups       map[int]string
}

// attr is an attribute of an entry to be made.
type attr struct {
	at   std.Attr
	form form
	v    any // int, string, or a label with form ref4
}

func newAsm() *asm {
	a := &asm{labels: map[string]uint32{}, fixups: map[int]string{}}
	a.info = []byte{0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 4}
	return a
}

// entry adds an entry with a label.
func (a *asm) entry(label string, tag std.Tag, kids bool, attrs ...attr) {
	a.labels[label] = uint32(len(a.info))
	a.shapes++
	a.info = append(a.info, a.shapes)
	a.abbrev = append(a.abbrev, a.shapes)
	a.abbrev = binary.AppendUvarint(a.abbrev, uint64(tag))
	a.abbrev = append(a.abbrev, map[bool]byte{true: 1}[kids])
	for _, x := range attrs {
		a.abbrev = binary.AppendUvarint(a.abbrev, uint64(x.at))
		a.abbrev = binary.AppendUvarint(a.abbrev, uint64(x.form))
		switch v := x.v.(type) {
		case string:
			if x.form == formString {
				a.info = append(append(a.info, v...), 0)
				continue
			}
			a.fixups[len(a.info)] = v
			a.info = append(a.info, 0, 0, 0, 0)
		case []byte:
			a.info = append(append(a.info, byte(len(v))), v...)
		case int:
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], uint64(v))
			a.info = append(a.info, b[:x.form.size(4, false)]...)
		}
	}
	a.abbrev = append(a.abbrev, 0, 0)
}

func (a *asm) end() { a.info = append(a.info, 0) }

// open opens the unit for the module of a fixture.
func (a *asm) open(t *testing.T) *Reader {
	t.Helper()
	for at, label := range a.fixups {
		binary.LittleEndian.PutUint32(a.info[at:], a.labels[label])
	}
	binary.LittleEndian.PutUint32(a.info, uint32(len(a.info)-4))
	_, in := open(t, "testdata/plain-4-0.wasm")
	in.Sections = map[string][]byte{".debug_info": a.info, ".debug_abbrev": append(a.abbrev, 0)}
	r, err := Open(in)
	if err != nil {
		t.Fatal(err)
	}
	return r.(*Reader)
}

func name(s string) attr { return attr{std.AttrName, formString, s} }

func typeAttr(label string) attr { return attr{std.AttrType, formRef4, label} }

// TestCyclic tests entries that lead back to themselves, and functions in ranges that are not theirs.
func TestCyclic(t *testing.T) {
	a := newAsm()
	a.entry("unit", std.TagCompileUnit, true, attr{std.AttrLanguage, formData1, 4})
	a.entry("alias", std.TagTypedef, false, name("alias"), typeAttr("alias"))
	a.entry("a", std.TagConstType, false, typeAttr("b"))
	a.entry("b", std.TagVolatileType, false, typeAttr("a"))
	a.entry("array", std.TagArrayType, true, typeAttr("array"))
	a.entry("dim", std.TagSubrangeType, false, attr{std.AttrCount, formRef4, "count"})
	a.end()
	a.entry("count", std.TagVariable, false, name("count"), typeAttr("array"),
		attr{std.AttrLocation, formExprloc, []byte{opCall4, 0, 0, 0, 0}})
	a.entry("self", std.TagStructType, true, name("self"), attr{std.AttrByteSize, formData1, 4})
	a.entry("arg", std.TagTemplateTypeParameter, false, name("T"), typeAttr("self"))
	a.entry("base", std.TagInheritance, false, typeAttr("self"))
	a.entry("member", std.TagMember, false, name("m"), typeAttr("self"))
	a.end()
	a.entry("enum", std.TagEnumerationType, false, name("enum"), typeAttr("enum"))
	a.entry("pointer", std.TagPointerType, false, typeAttr("pointer"))
	a.entry("origin", std.TagSubprogram, true, name("f"), attr{std.AttrLowpc, formAddr, 3},
		attr{std.AttrHighpc, formData4, 100000}, attr{std.AttrSpecification, formRef4, "inner"})
	a.entry("inner", std.TagSubprogram, false, attr{std.AttrAbstractOrigin, formRef4, "origin"},
		attr{std.AttrLowpc, formAddr, 50}, attr{std.AttrHighpc, formData4, 9})
	a.entry("block", std.TagLexDwarfBlock, true, attr{std.AttrLowpc, formAddr, 0x7fffffff},
		attr{std.AttrHighpc, formData4, 0x7fffffff})
	a.end()
	a.entry("inlined", std.TagInlinedSubroutine, true, attr{std.AttrAbstractOrigin, formRef4, "inlined"},
		attr{std.AttrLowpc, formAddr, 1}, attr{std.AttrHighpc, formData4, 60000})
	for _, x := range []string{"alias", "a", "array", "self", "enum", "pointer", "unit"} {
		a.entry("v"+x, std.TagVariable, false, name("v"+x), typeAttr(x),
			attr{std.AttrLocation, formExprloc, []byte{opAddr, 1, 0, 0, 0}})
	}
	a.end()
	a.end()
	a.end()
	r := a.open(t)
	walkAll(t, r)
	f := r.Func(0)
	if f == nil || f.Root == nil || len(f.Root.Inner) != 1 || len(f.Root.Inner[0].Vars) != 7 {
		t.Fatalf("%+v", f)
	}
	v := variable(f.Root, "valias")
	if debuginfo.Strip(v.Type) != nil {
		t.Error("an alias of itself is a type")
	}
	if typ := variable(f.Root, "vself").Type; len(typ.Members()) != 2 || len(typ.Args) != 1 || typ.Args[0].Type != typ {
		t.Errorf("self is %+v", typ)
	}
	if variable(f.Root, "vunit").Type != nil {
		t.Error("a unit is a type")
	}
	if typ := r.Type("self"); typ == nil || typ != variable(f.Root, "vself").Type {
		t.Error("a type has two descriptions")
	}
	for fn := uint32(1); fn < 4; fn++ {
		if f := r.Func(fn); f != nil && f.Root != nil {
			t.Errorf("function %d is %s, which begins in another", fn, f.Name)
		}
	}
}

// TestBitFields tests members in all ways that DWARF has.
func TestBitFields(t *testing.T) {
	a := newAsm()
	a.entry("unit", std.TagCompileUnit, true, attr{std.AttrLanguage, formData1, 12})
	a.entry("int", std.TagBaseType, false, name("int"), attr{std.AttrByteSize, formData1, 4},
		attr{std.AttrEncoding, formData1, ateSigned})
	a.entry("s", std.TagStructType, true, name("s"), attr{std.AttrByteSize, formData1, 16})
	at := func(n int) attr { return attr{std.AttrDataMemberLoc, formData1, n} }
	a.entry("", std.TagMember, false, name("new"), typeAttr("int"), attr{std.AttrBitSize, formData1, 3},
		attr{std.AttrDataBitOffset, formData1, 37})
	a.entry("", std.TagMember, false, name("old"), typeAttr("int"), attr{std.AttrBitSize, formData1, 3},
		attr{std.AttrBitOffset, formData1, 24}, attr{std.AttrByteSize, formData1, 4}, at(4))
	a.entry("", std.TagMember, false, name("oldest"), typeAttr("int"), attr{std.AttrBitSize, formData1, 5},
		attr{std.AttrBitOffset, formData1, 27}, at(8))
	a.entry("", std.TagMember, false, name("expr"), typeAttr("int"),
		attr{std.AttrDataMemberLoc, formBlock1, []byte{opPlusUconst, 12}})
	a.entry("", std.TagMember, false, name("virtual"), typeAttr("int"),
		attr{std.AttrDataMemberLoc, formBlock1, []byte{opDup, opDeref, opPlus}})
	a.entry("", std.TagMember, false, name("static"), typeAttr("int"), attr{std.AttrExternal, formFlag, 1})
	a.entry("", std.TagMember, false, name("beyond"), typeAttr("int"), attr{std.AttrBitSize, formData1, 40},
		attr{std.AttrBitOffset, formData1, 0}, at(0))
	a.end()
	a.end()
	r := a.open(t)
	typ := r.Type("s")
	if typ == nil {
		t.Fatal("no type")
	}
	want := map[string][3]int64{"new": {4, 3, 37}, "old": {4, 3, 37}, "oldest": {8, 5, 64}, "expr": {12, 0, 0}}
	for _, f := range typ.Members() {
		if got := [3]int64{f.Offset, f.BitSize, f.BitOffset}; got != want[f.Name] {
			t.Errorf("%s is at %v, want %v", f.Name, got, want[f.Name])
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("left out: %v", want)
	}
}

// TestFromStart tests a unit that begins at address 0, as Kotlin's do: what is dropped are functions
// there, not units.
func TestFromStart(t *testing.T) {
	a := newAsm()
	a.entry("unit", std.TagCompileUnit, true, attr{std.AttrProducer, formString, "Kotlin/Wasm Compiler"},
		attr{std.AttrLanguage, formData1, 0x1a}, attr{std.AttrLowpc, formAddr, 0}, attr{std.AttrHighpc, formAddr, 700})
	a.entry("", std.TagSubprogram, false, name("gone"), attr{std.AttrLowpc, formAddr, 0},
		attr{std.AttrHighpc, formAddr, 40})
	a.entry("", std.TagSubprogram, false, name("here"), attr{std.AttrLowpc, formAddr, 3},
		attr{std.AttrHighpc, formAddr, 40})
	a.end()
	r := a.open(t)
	if f := r.Func(0); f == nil || f.Name != "here" || f.Language != debuginfo.Kotlin {
		t.Errorf("%+v", f)
	}
	if f := r.Func(1); f != nil {
		t.Errorf("function 1 is %s", f.Name)
	}
}
