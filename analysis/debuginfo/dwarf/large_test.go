package dwarf

import (
	"testing"

	"stackscope/internal/testing/gendwarf"
)

// TestGenerated tests a program of many units.
func TestGenerated(t *testing.T) {
	o := gendwarf.Options{Units: 40, Funcs: 6, Types: 5, Rows: 8}
	data, _ := gendwarf.Module(o)
	in := input(t, data)
	x, err := Open(in)
	if err != nil {
		t.Fatal(err)
	}
	r := x.(*Reader)
	if n := len(r.Files()); n != 40 {
		t.Fatalf("%d files", n)
	}
	for _, f := range r.Files() {
		if f.Path != "/build/src/u17.cc" {
			continue
		}
		ls := r.Lines(f)
		if len(ls) < 6*8 || ls[0].Func != o.Func(17, 0) || ls[0].Row.Line != o.Line(0, 0) {
			t.Errorf("%d rows, first %+v", len(ls), ls[0])
		}
	}
	f := r.Func(o.Func(17, 3))
	if f == nil || f.Name != "u17::f3" {
		t.Fatalf("%+v", f)
	}
	if row, ok := f.Row(f.Body); !ok || row.Line != o.Line(3, 1) || !row.PrologueEnd {
		t.Errorf("the body begins at %+v", row)
	}
	v := variable(f.Root, "inner")
	w, err := v.Locate(f.Body+4, &fake{locals: map[uint32]uint64{1: 1000}})
	if a, _ := w.Address(); err != nil || a != 1004 {
		t.Errorf("inner is at %v, %v", w, err)
	}
	if n := len(r.Globals(0)); n != 40 {
		t.Errorf("%d variables outside of functions", n)
	}
	if typ := r.Type("u30::Type4"); typ == nil || len(typ.Members()) != 6 {
		t.Errorf("u30::Type4 is %+v", typ)
	}
	if typ := r.Type("u40::Type4"); typ != nil {
		t.Errorf("u40::Type4 is %+v", typ)
	}
}
