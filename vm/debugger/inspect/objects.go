package inspect

import (
	"fmt"
	"unicode/utf16"

	"stackscope/vm"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// pageOf returns the bounds of n indexed children from one on, of size ones: from ≤ to ≤ size,
// whatever is asked for.
func pageOf(from, n, size int) (int, int) {
	from = min(max(from, 0), size)
	return from, from + min(max(n, 0), size-from)
}

// storageText returns the type of a field or element in the names of its module.
func storageText(m *wasm.Module, t uint32, i int, storage wasm.ValType) string {
	if m != nil && int(t) < len(m.Types) && i < len(m.Types[t].Fields) {
		return symbols.TypeText(m.Types[t].Fields[i].Type, m)
	}
	return symbols.TypeText(storage, nil)
}

// packs reports whether a number can be stored in fewer bits, signed or unsigned.
func packs(storage wasm.ValType, n vm.Value) error {
	bits := 8
	switch storage {
	case wasm.I8:
	case wasm.I16:
		bits = 16
	default:
		return nil
	}
	if x := n.I32(); x < -1<<(bits-1) || x >= 1<<bits {
		return fmt.Errorf("%d does not fit into %d bits", x, bits)
	}
	return nil
}

// fields returns the fields of a structure, by name where a module has names for its type: that of
// the instance, or another.
func (ip *Inspector) fields(r vm.Ref, in *vm.Instance, name string) []Var {
	s := r.Struct()
	m, t := ip.sym.Declared(s.Type(), in)
	var out []Var
	for i := range s.Len() {
		x := s.Field(i)
		storage := s.Storage(i)
		v := Var{Name: symbols.FieldName(m, t, i), Value: x, ValType: x.Type, Type: storageText(m, t, i, storage)}
		if name != "" {
			v.EvalName = name + "." + v.Name
		}
		v.canon = s.FieldType(i)
		v.Set = func(n vm.Value) error {
			if err := packs(storage, n); err != nil {
				return err
			}
			s.SetField(i, n)
			return nil
		}
		v.again = func() vm.Value { return s.Field(i) }
		v.Data = func() string { return ip.finder.Object(r, i) }
		out = append(out, ip.value(v, nil))
	}
	return out
}

// elems returns some elements of an array.
func (ip *Inspector) elems(r vm.Ref, in *vm.Instance, from, n int, name string) []Var {
	a := r.Array()
	m, t := ip.sym.Declared(a.Type(), in)
	storage := a.Storage()
	typ := storageText(m, t, 0, storage)
	var out []Var
	for i, to := pageOf(from, n, a.Len()); i < to; i++ {
		x := a.Elem(i)
		v := Var{Name: fmt.Sprintf("[%d]", i), Value: x, ValType: x.Type, Type: typ}
		if name != "" {
			v.EvalName = name + v.Name
		}
		v.canon = a.ElemType()
		v.Set = func(n vm.Value) error {
			if err := packs(storage, n); err != nil {
				return err
			}
			a.SetElem(i, n)
			return nil
		}
		v.again = func() vm.Value { return a.Elem(i) }
		v.Data = func() string { return ip.finder.Object(r, i) }
		out = append(out, ip.value(v, nil))
	}
	return out
}

// setArrayText sets the elements of an array of bytes or 16-bit units to a text of as many.
func setArrayText(a *vm.Array, s string) error {
	units := make([]uint16, 0, len(s))
	if a.Storage() == wasm.I16 {
		units = utf16.Encode([]rune(s))
	} else {
		for i := range len(s) {
			units = append(units, uint16(s[i]))
		}
	}
	if len(units) != a.Len() {
		return fmt.Errorf("the array has %d elements, the text %d", a.Len(), len(units))
	}
	for i, u := range units {
		a.SetElem(i, vm.I32(int32(u)))
	}
	return nil
}
