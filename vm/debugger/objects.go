package debugger

import (
	"fmt"
	"strings"

	"stackscope/vm"
	"stackscope/wasm"
)

// Structures and arrays: their fields and elements, with the names and types that a module gives
// them.

// pageOf returns the bounds of n indexed children from one on, of size ones: from ≤ to ≤ size,
// whatever is asked for.
func pageOf(from, n, size int) (int, int) {
	from = min(max(from, 0), size)
	return from, from + min(max(n, 0), size-from)
}

// declared finds a definition of a type: in the instance if that has one, else in another; nil if
// none has. Equal types may have several: the first with names for its fields counts, else the
// first.
func (y *Symbols) declared(t wasm.Canon, in *vm.Instance) (*wasm.Module, uint32) {
	var anon *wasm.Module
	anonAt := uint32(0)
	of := func(in *vm.Instance) (*wasm.Module, uint32) {
		m := in.Module()
		for i := range m.Types {
			if in.Canon(uint32(i)) != t {
				continue
			}
			if len(m.Names.Fields[uint32(i)]) > 0 {
				return m, uint32(i)
			}
			if anon == nil {
				anon, anonAt = m, uint32(i)
			}
		}
		return nil, 0
	}
	if in != nil {
		if m, i := of(in); m != nil || anon != nil {
			if m == nil {
				m, i = anon, anonAt
			}
			return m, i
		}
	}
	if y.mach == nil {
		return anon, anonAt
	}
	for _, x := range y.mach.Instances() {
		if m, i := of(x); m != nil {
			return m, i
		}
	}
	return anon, anonAt
}

// fieldName names a field of a type that declared has found: `$x`, else its number.
func fieldName(m *wasm.Module, t uint32, i int) string {
	if m != nil {
		if n, ok := m.Names.Fields[t][uint32(i)]; ok {
			return "$" + n
		}
	}
	return fmt.Sprint(i)
}

// storageText returns the type of a field or element in the names of its module.
func storageText(m *wasm.Module, t uint32, i int, storage wasm.ValType) string {
	if m != nil && int(t) < len(m.Types) && i < len(m.Types[t].Fields) {
		return TypeText(m.Types[t].Fields[i].Type, m)
	}
	return TypeText(storage, nil)
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
	m, t := ip.sym.declared(s.Type(), in)
	var out []Var
	for i := range s.Len() {
		x := s.Field(i)
		storage := s.Storage(i)
		v := Var{Name: fieldName(m, t, i), Value: x, ValType: x.Type, Type: storageText(m, t, i, storage)}
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
		v.data = func() string { return ip.finder.objectData(r, i) }
		out = append(out, ip.value(v, nil))
	}
	return out
}

// elems returns some elements of an array.
func (ip *Inspector) elems(r vm.Ref, in *vm.Instance, from, n int, name string) []Var {
	a := r.Array()
	m, t := ip.sym.declared(a.Type(), in)
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
		v.data = func() string { return ip.finder.objectData(r, i) }
		out = append(out, ip.value(v, nil))
	}
	return out
}

// Bounds of what is shown of a structure or array in one line.
const (
	previewItems = 8
	previewBytes = 80
)

// Preview is Format that also shows the first fields of a structure or elements of an array. It must
// be called inside Do.
func (y *Symbols) Preview(v vm.Value, hex bool) string {
	var b strings.Builder
	var item func(i int) string
	size, end := 0, "}"
	switch r := v.Ref; r.Kind() {
	case vm.RefStruct:
		s := r.Struct()
		m, t := y.declared(s.Type(), nil)
		b.WriteString("struct ")
		if m != nil && m.Names.Types[t] != "" {
			b.WriteString("$" + m.Names.Types[t] + " ")
		}
		b.WriteString("{")
		size, item = s.Len(), func(i int) string {
			return fieldName(m, t, i) + ": " + y.Format(s.Field(i), hex)
		}
	case vm.RefArray:
		a := r.Array()
		b.WriteString(y.Format(v, hex))
		if _, ok := arrayText(a); ok || a.Len() == 0 {
			return b.String()
		}
		b.WriteString(" [")
		size, item, end = a.Len(), func(i int) string { return y.Format(a.Elem(i), hex) }, "]"
	default:
		return y.Format(v, hex)
	}
	for i := range size {
		text := ""
		if i < previewItems {
			text = item(i)
		}
		if i > 0 {
			b.WriteString(", ")
		}
		if text == "" || b.Len()+len(text) > previewBytes && i > 0 {
			b.WriteString("…")
			break
		}
		b.WriteString(text)
	}
	return b.String() + end
}
