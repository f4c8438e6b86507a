package vm

import (
	"fmt"
	"math"
	"stackscope/vm/internal/num"
	"stackscope/wasm"
	"testing"
)

// testInstance returns an instance of types alone: the layouts and canonical ids that object needs.
func testInstance(m *Machine, types ...wasm.SubType) *Instance {
	mod := &wasm.Module{Types: types, Names: &wasm.Names{}}
	for i := range types {
		mod.Recs = append(mod.Recs, wasm.RecGroup{Start: uint32(i), Len: 1})
	}
	inst := &Instance{mach: m, mod: mod, prog: &program{}, types: m.types.Add(mod)}
	for _, c := range inst.types {
		inst.prog.layouts = append(inst.prog.layouts, layoutOf(c, m.types.Type(c)))
	}
	return inst
}

func structOf(ts ...wasm.ValType) wasm.SubType {
	t := wasm.SubType{Kind: wasm.CompStruct, Final: true}
	for _, f := range ts {
		t.Fields = append(t.Fields, wasm.FieldType{Type: f, Mut: true})
	}
	return t
}

func arrayOf(t wasm.ValType) wasm.SubType {
	return wasm.SubType{Kind: wasm.CompArray, Final: true, Fields: []wasm.FieldType{{Type: t, Mut: true}}}
}

// frameOf is a frame's slots for one instruction.
type frameOf struct {
	m    *Machine
	inst *Instance
	nums []uint64
	refs []Ref
}

func newFrame(m *Machine, inst *Instance) *frameOf {
	return &frameOf{m, inst, make([]uint64, 32), make([]Ref, 32)}
}

// do runs an instruction with operands uint64 or Ref and returns the trap.
func (f *frameOf) do(in wasm.Instr, ops ...any) wasm.TrapKind {
	clear(f.nums)
	clear(f.refs)
	n, r := 0, 0
	for _, o := range ops {
		switch o := o.(type) {
		case int:
			f.nums[n] = uint64(o)
			n++
		case uint64:
			f.nums[n] = o
			n++
		case Ref:
			f.refs[r] = o
			r++
		default:
			panic(o)
		}
	}
	if !objectSupported(in.Op) {
		panic(in.Op.String())
	}
	if in.Op >= wasm.OpStructNew || in.Op == wasm.OpRefTest || in.Op == wasm.OpRefCast {
		return f.inst.object(&in, f.nums, f.refs)
	}
	return f.inst.bulk(&in, f.nums, f.refs)
}

// clean reports whether no reference slot from i on holds anything.
func (f *frameOf) clean(i int) bool {
	for _, r := range f.refs[i:] {
		if !r.IsNull() {
			return false
		}
	}
	return true
}

func TestStruct(t *testing.T) {
	m := New(Options{})
	// One of each size class of newStruct, mixed fields, packed ones.
	shapes := [][]wasm.ValType{
		{}, {wasm.I32}, {wasm.I8, wasm.I16, wasm.V128}, {wasm.AnyRef}, {wasm.I32, wasm.AnyRef, wasm.F64, wasm.EqRef},
		{
			wasm.V128, wasm.AnyRef, wasm.V128, wasm.AnyRef, wasm.AnyRef, wasm.I8,
		}, {wasm.I64, wasm.I64, wasm.I64, wasm.I64, wasm.I64},
		{wasm.AnyRef, wasm.AnyRef, wasm.AnyRef},
	}
	for _, shape := range shapes {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			inst := testInstance(m, structOf(shape...))
			f := newFrame(m, inst)
			var ops []any
			refs := 0
			for i, ty := range shape {
				switch {
				case ty.IsRef():
					ops = append(ops, I31Ref(uint32(i)))
					refs++
				case ty == wasm.V128:
					ops = append(ops, i+1000, i+2000)
				default:
					ops = append(ops, 0xff00+i)
				}
			}
			if k := f.do(wasm.Instr{Op: wasm.OpStructNew}, ops...); k != 0 || !f.clean(1) {
				t.Fatal(k, f.refs)
			}
			s := f.refs[0]
			for i, ty := range shape {
				get := wasm.Instr{Op: wasm.OpStructGet, B: uint32(i)}
				if k := f.do(get, s); k != 0 {
					t.Fatal(k)
				}
				v := s.Struct().Field(i)
				switch {
				case ty.IsRef():
					if x, ok := f.refs[0].I31(); !ok || x != uint32(i) || v.Ref != f.refs[0] {
						t.Errorf("field %d: %v", i, f.refs[0])
					}
					if k := f.do(wasm.Instr{Op: wasm.OpStructSet, B: uint32(i)}, s, I31Ref(77)); k != 0 ||
						!f.clean(0) ||
						s.Struct().Field(i).Ref != I31Ref(77) {
						t.Errorf("set %d", i)
					}
					continue
				case ty == wasm.V128:
					if f.nums[0] != uint64(i+1000) || f.nums[1] != uint64(i+2000) || v.Hi != f.nums[1] {
						t.Errorf("field %d: %v", i, f.nums[:2])
					}
				case ty == wasm.I8:
					if f.nums[0] != uint64(i) {
						t.Errorf("field %d: %v", i, f.nums[0])
					}
				default:
					if f.nums[0] != uint64(0xff00+i) {
						t.Errorf("field %d: %v", i, f.nums[0])
					}
				}
				if v.Lo != f.nums[0] || !f.clean(0) {
					t.Errorf("field %d: %v", i, v)
				}
				if k := f.do(wasm.Instr{Op: wasm.OpStructSet, B: uint32(i)}, s, 0x1ff80, 5); k != 0 || !f.clean(0) {
					t.Fatal(k)
				}
				if ty.Packed() {
					want := map[wasm.ValType][2]uint64{wasm.I8: {0x80, 0xffffff80}, wasm.I16: {0xff80, 0xffffff80}}[ty]
					u := f.do(wasm.Instr{Op: wasm.OpStructGetU, B: uint32(i)}, s) == 0 && f.nums[0] == want[0]
					if !u || f.do(wasm.Instr{Op: wasm.OpStructGetS, B: uint32(i)}, s) != 0 || f.nums[0] != want[1] {
						t.Errorf("packed field %d: %#x", i, f.nums[0])
					}
				}
			}
			if k := f.do(wasm.Instr{Op: wasm.OpStructNewDefault}); k != 0 {
				t.Fatal(k)
			}
			for i := range shape {
				if v := f.refs[0].Struct().Field(i); v.Lo != 0 || v.Hi != 0 || !v.Ref.IsNull() {
					t.Errorf("default field %d: %v", i, v)
				}
			}
			if (s.Struct().Field(len(shape)) != Value{}) || s.Struct().SetField(-1, Value{}) ||
				s.Struct().Len() != len(shape) {
				t.Error("a field that is not there")
			}
		})
	}
	f := newFrame(m, testInstance(m, structOf(wasm.I32)))
	if k := f.do(wasm.Instr{Op: wasm.OpStructGet}, Ref{}); k != wasm.TrapNullStructure {
		t.Error(k)
	}
	if k := f.do(wasm.Instr{Op: wasm.OpStructSet}, Ref{}, 1); k != wasm.TrapNullStructure {
		t.Error(k)
	}
}

func TestArray(t *testing.T) {
	m := New(Options{})
	for _, ty := range []wasm.ValType{wasm.I8, wasm.I16, wasm.I32, wasm.I64, wasm.F64, wasm.V128, wasm.AnyRef} {
		t.Run(ty.String(), func(t *testing.T) {
			inst := testInstance(m, arrayOf(ty))
			f := newFrame(m, inst)
			elem := func(x int) []any {
				switch ty {
				case wasm.V128:
					return []any{x, x + 1}
				case wasm.AnyRef:
					return []any{I31Ref(uint32(x))}
				}
				return []any{x}
			}
			is := func(v Value, x int) bool {
				switch ty {
				case wasm.V128:
					return v.Lo == uint64(x) && v.Hi == uint64(x+1)
				case wasm.AnyRef:
					return v.Ref == I31Ref(uint32(x))
				}
				return v.Lo == uint64(x)
			}
			all := func(a Ref, xs ...int) {
				t.Helper()
				if a.Array().Len() != len(xs) {
					t.Fatalf("length %d, want %d", a.Array().Len(), len(xs))
				}
				for i, x := range xs {
					if !is(a.Array().Elem(i), x) {
						t.Errorf("element %d: %v, want %d", i, a.Array().Elem(i), x)
					}
					if k := f.do(wasm.Instr{Op: wasm.OpArrayGet}, a, i); k != 0 ||
						!is(Value{Lo: f.nums[0], Hi: f.nums[1], Ref: f.refs[0]}, x) ||
						!f.clean(1) {
						t.Errorf("get %d: %v %v", i, k, f.nums[:2])
					}
				}
			}
			mk := func(op wasm.Op, b uint32, ops ...any) Ref {
				t.Helper()
				if k := f.do(wasm.Instr{Op: op, B: b}, ops...); k != 0 || !f.clean(1) {
					t.Fatal(op, k)
				}
				return f.refs[0]
			}
			a := mk(wasm.OpArrayNew, 0, append(elem(7), 5)...)
			all(a, 7, 7, 7, 7, 7)
			all(mk(wasm.OpArrayNew, 0, append(elem(7), 0)...))
			b := mk(wasm.OpArrayNewFixed, 3, append(append(elem(1), elem(2)...), elem(3)...)...)
			all(b, 1, 2, 3)
			all(mk(wasm.OpArrayNewFixed, 0))
			d := mk(wasm.OpArrayNewDefault, 0, 2)
			if ty != wasm.AnyRef && ty != wasm.V128 {
				all(d, 0, 0)
			}
			if k := f.do(wasm.Instr{Op: wasm.OpArrayLen}, a); k != 0 || f.nums[0] != 5 || !f.clean(0) {
				t.Error("length", k, f.nums[0])
			}
			run := func(want wasm.TrapKind, op wasm.Op, ops ...any) {
				t.Helper()
				if k := f.do(wasm.Instr{Op: op}, ops...); k != want || k == 0 && !f.clean(0) {
					t.Errorf("%s: %v, want %v", op, k, want)
				}
			}
			run(0, wasm.OpArraySet, append([]any{a, 4}, elem(9)...)...)
			all(a, 7, 7, 7, 7, 9)
			run(0, wasm.OpArrayCopy, a, b, 1, 0, 3)
			all(a, 7, 1, 2, 3, 9)
			run(0, wasm.OpArrayCopy, a, a, 0, 1, 4) // overlapping
			all(a, 1, 2, 3, 9, 9)
			run(0, wasm.OpArrayCopy, a, a, 1, 0, 4)
			all(a, 1, 1, 2, 3, 9)
			run(0, wasm.OpArrayFill, append(append([]any{a, 1}, elem(4)...), 3)...)
			all(a, 1, 4, 4, 4, 9)
			run(0, wasm.OpArrayFill, append(append([]any{a, 5}, elem(4)...), 0)...)
			run(0, wasm.OpArrayCopy, a, b, 5, 3, 0)

			const oob, null = wasm.TrapArrayOutOfBounds, wasm.TrapNullArray
			run(oob, wasm.OpArrayGet, a, 5)
			run(oob, wasm.OpArrayGet, a, math.MaxUint32)
			run(oob, wasm.OpArraySet, append([]any{a, 5}, elem(1)...)...)
			run(oob, wasm.OpArrayFill, append(append([]any{a, 3}, elem(4)...), 3)...)
			run(oob, wasm.OpArrayFill, append(append([]any{a, 6}, elem(4)...), 0)...)
			run(oob, wasm.OpArrayCopy, a, b, 3, 0, 3)
			run(oob, wasm.OpArrayCopy, a, b, 0, 1, 3)
			run(null, wasm.OpArrayGet, Ref{}, 0)
			run(null, wasm.OpArrayLen, Ref{})
			run(null, wasm.OpArrayCopy, a, Ref{}, 0, 0, 0)
			run(null, wasm.OpArrayCopy, Ref{}, a, 0, 0, 0)
			run(null, wasm.OpArraySet, append([]any{Ref{}, 5}, elem(1)...)...)
			all(a, 1, 4, 4, 4, 9)
			if !a.Array().SetElem(0, b.Array().Elem(2)) || a.Array().SetElem(5, Value{}) || !is(a.Array().Elem(0), 3) {
				t.Error("SetElem")
			}
			if ty != wasm.I8 {
				run(wasm.TrapOutOfMemory, wasm.OpArrayNewDefault, math.MaxUint32)
			}
		})
	}
	f := newFrame(m, testInstance(m, arrayOf(wasm.I8)))
	f.do(wasm.Instr{Op: wasm.OpArrayNew}, 0x1ff, 1)
	a := f.refs[0]
	if f.do(wasm.Instr{Op: wasm.OpArrayGetU}, a, 0); f.nums[0] != 0xff {
		t.Errorf("%#x", f.nums[0])
	}
	if f.do(wasm.Instr{Op: wasm.OpArrayGetS}, a, 0); f.nums[0] != 0xffffffff {
		t.Errorf("%#x", f.nums[0])
	}
}

func TestArraySegments(t *testing.T) {
	m := New(Options{})
	inst := testInstance(m, arrayOf(wasm.I16), arrayOf(wasm.AnyRef))
	inst.datas = [][]byte{{1, 0, 2, 0, 3}, nil}
	inst.elems = [][]Ref{{I31Ref(1), I31Ref(2)}, nil}
	f := newFrame(m, inst)
	run := func(want wasm.TrapKind, in wasm.Instr, ops ...any) Ref {
		t.Helper()
		if k := f.do(in, ops...); k != want {
			t.Errorf("%s: %v, want %v", in.Op, k, want)
		}
		return f.refs[0]
	}
	const data, elem, array = wasm.TrapMemoryOutOfBounds, wasm.TrapTableOutOfBounds, wasm.TrapArrayOutOfBounds
	newData, newElem := wasm.Instr{Op: wasm.OpArrayNewData}, wasm.Instr{Op: wasm.OpArrayNewElem, A: 1}
	a := run(0, newData, 0, 2)
	if a.Array().Elem(0).Lo != 1 || a.Array().Elem(1).Lo != 2 {
		t.Error("array.new_data")
	}
	run(data, newData, 0, 3)
	run(data, newData, 6, 0)
	run(data, newData, 0, math.MaxUint32)
	run(data, wasm.Instr{Op: wasm.OpArrayNewData, B: 1}, 0, 1)
	run(0, wasm.Instr{Op: wasm.OpArrayNewData, B: 1}, 0, 0)
	b := run(0, newElem, 0, 2)
	if b.Array().Elem(1).Ref != I31Ref(2) {
		t.Error("array.new_elem")
	}
	run(elem, newElem, 1, 2)
	run(elem, wasm.Instr{Op: wasm.OpArrayNewElem, A: 1, B: 1}, 0, 1)
	run(0, wasm.Instr{Op: wasm.OpArrayInitData}, a, 1, 2, 1)
	if a.Array().Elem(1).Lo != 2 {
		t.Error("array.init_data")
	}
	run(data, wasm.Instr{Op: wasm.OpArrayInitData}, a, 1, 4, 1)
	run(array, wasm.Instr{Op: wasm.OpArrayInitData}, a, 2, 0, 1)
	run(wasm.TrapNullArray, wasm.Instr{Op: wasm.OpArrayInitData}, Ref{}, 2, 0, 1)
	run(0, wasm.Instr{Op: wasm.OpArrayInitElem, A: 1}, b, 1, 0, 1)
	if b.Array().Elem(1).Ref != I31Ref(1) {
		t.Error("array.init_elem")
	}
	run(elem, wasm.Instr{Op: wasm.OpArrayInitElem, A: 1}, b, 0, 1, 2)
	run(array, wasm.Instr{Op: wasm.OpArrayInitElem, A: 1}, b, 1, 0, 2)
}

func TestCasts(t *testing.T) {
	m := New(Options{})
	open := func(t wasm.SubType, supers ...uint32) wasm.SubType {
		t.Final, t.Supers = false, supers
		return t
	}
	types := []wasm.SubType{
		open(structOf(wasm.I32)),                 // 0
		open(structOf(wasm.I32, wasm.I32), 0),    // 1 <: 0
		open(structOf(wasm.I32, wasm.AnyRef), 0), // 2 <: 0
		arrayOf(wasm.I8),                         // 3
	}
	inst := testInstance(m, types...)
	f := newFrame(m, inst)
	made := func(x uint32) Ref {
		op := wasm.OpStructNewDefault
		if x == 3 {
			op = wasm.OpArrayNewDefault
		}
		if k := f.do(wasm.Instr{Op: op, A: x}); k != 0 {
			t.Fatal(k)
		}
		return f.refs[0]
	}
	fn := m.NewFunc("f", nil, nil, func(*Call) error { return nil })
	refs := map[string]Ref{
		"null": {}, "s0": made(0), "s1": made(1), "s2": made(2), "arr": made(3), "i31": I31Ref(1),
		"func": FuncRef(fn), "host": HostRef(1),
	}
	tests := []struct {
		t  wasm.ValType
		in []string
	}{
		{wasm.AnyRef, []string{"null", "s0", "s1", "s2", "arr", "i31", "host"}},
		{wasm.EqRef, []string{"null", "s0", "s1", "s2", "arr", "i31"}},
		{wasm.EqRef.NonNull(), []string{"s0", "s1", "s2", "arr", "i31"}},
		{wasm.StructRef, []string{"null", "s0", "s1", "s2"}},
		{wasm.ArrayRef.NonNull(), []string{"arr"}},
		{wasm.I31Ref, []string{"null", "i31"}},
		{wasm.NullRef, []string{"null"}},
		{wasm.NullRef.NonNull(), nil},
		{wasm.Ref(true, 0), []string{"null", "s0", "s1", "s2"}},
		{wasm.Ref(false, 1), []string{"s1"}},
		{wasm.Ref(true, 3), []string{"null", "arr"}},
		{wasm.FuncRef, []string{"null", "func"}},
		{wasm.NullFuncRef, []string{"null"}},
		{wasm.ExternRef.NonNull(), []string{"host"}},
		{wasm.NullExternRef, []string{"null"}},
	}
	for _, x := range tests {
		in := map[string]bool{}
		for _, n := range x.in {
			in[n] = true
		}
		for name, r := range refs {
			// A cast stays within a hierarchy; only the null reference is in all of them here.
			if top := m.types.Top(wasm.CanonVal(x.t, inst.types).Heap()); name != "null" &&
				(top == wasm.HeapFunc) != (name == "func") ||
				top == wasm.HeapExtern && name != "null" && name != "host" {
				continue
			}
			if k := f.do(wasm.Instr{Op: wasm.OpRefTest, Imm: uint64(x.t)}, r); k != 0 ||
				f.nums[0] != num.Truth(in[name]) ||
				!f.clean(0) {
				t.Errorf("ref.test %s of %s: %d", x.t, name, f.nums[0])
			}
			k := f.do(wasm.Instr{Op: wasm.OpRefCast, Imm: uint64(x.t)}, r)
			if in[name] && (k != 0 || f.refs[0] != r) || !in[name] && k != wasm.TrapCastFailure {
				t.Errorf("ref.cast %s of %s: %v", x.t, name, k)
			}
			if got := matches(m.types, r, wasm.CanonVal(x.t, inst.types)); got != in[name] {
				t.Errorf("matches %s of %s: %v", x.t, name, got)
			}
		}
	}
	// The same types in another module are the same.
	other := testInstance(m, types...)
	if !other.matchesIn(refs["s1"], wasm.Ref(false, 0)) || other.matchesIn(refs["s0"], wasm.Ref(false, 1)) {
		t.Error("types of two modules")
	}
	// Functions go by their declared type.
	fi := testInstance(
		m, wasm.SubType{Kind: wasm.CompFunc, Final: true},
		wasm.SubType{Kind: wasm.CompFunc, Final: true, Params: []wasm.ValType{wasm.I32}},
	)
	if !fi.matchesIn(refs["func"], wasm.Ref(false, 0)) || fi.matchesIn(refs["func"], wasm.Ref(true, 1)) {
		t.Error("functions")
	}
}

func TestI31AndExtern(t *testing.T) {
	m := New(Options{})
	f := newFrame(m, testInstance(m))
	for x, want := range map[uint64][2]uint64{0: {0, 0}, 5: {5, 5}, 0x40000000: {0x40000000, 0xc0000000},
		0xffffffff: {0x7fffffff, 0xffffffff}, 0x80000001: {1, 1}} {
		f.do(wasm.Instr{Op: wasm.OpRefI31}, x)
		r := f.refs[0]
		f.do(wasm.Instr{Op: wasm.OpI31GetU}, r)
		u := f.nums[0]
		f.do(wasm.Instr{Op: wasm.OpI31GetS}, r)
		if u != want[0] || f.nums[0] != want[1] || !f.clean(0) {
			t.Errorf("%#x: %#x %#x", x, u, f.nums[0])
		}
		f.do(wasm.Instr{Op: wasm.OpExternConvertAny}, r)
		f.do(wasm.Instr{Op: wasm.OpAnyConvertExtern}, f.refs[0])
		if f.refs[0] != r {
			t.Error("conversion to extern and back")
		}
	}
	if k := f.do(wasm.Instr{Op: wasm.OpI31GetS}, Ref{}); k != wasm.TrapNullI31 {
		t.Error(k)
	}
}
