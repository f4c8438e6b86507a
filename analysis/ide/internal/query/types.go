package query

import (
	"strconv"
	"strings"

	"stackscope/analysis"
	"stackscope/wasm"
)

// Types writes types of a module with their names.
type Types struct {
	m        *analysis.Module
	Declared *wasm.Module
	inside   bool // in the definition of an implicit type
}

// NewTypes returns the types of a module.
func NewTypes(m *analysis.Module) Types { return Types{m: m, Declared: m.Declared()} }

// Name returns `$t`, or for a type without a name its index; of an implicit type its definition.
func (t Types) Name(i uint32) string {
	if t.Declared == nil || int64(i) >= int64(len(t.Declared.Types)) {
		return Index(i)
	}
	if n, ok := t.Declared.Names.Types[i]; ok {
		return Identifier(n)
	}
	if ty := &t.Declared.Types[i]; ty.Implicit && ty.Kind == wasm.CompFunc {
		if t.inside { // implicit types may name each other, and themselves
			return Index(i)
		}
		t.inside = true
		return strings.TrimSpace("func" + t.Sig(ty.Params, ty.Results))
	}
	return Index(i)
}

// Val returns a value type.
func (t Types) Val(v wasm.ValType) string {
	if v.Kind() == wasm.KindUnknown {
		return "any"
	}
	return v.Format(t.Name)
}

// List returns a result type: `[i32 (ref $t)]`.
func (t Types) List(vs []wasm.ValType) string {
	s := make([]string, len(vs))
	for i, v := range vs {
		s[i] = t.Val(v)
	}
	return "[" + strings.Join(s, " ") + "]"
}

// ShownOperands is how many operands of a stack are shown.
const ShownOperands = 24

// Top formats the uppermost operands of a stack, with more of them below.
func (t Types) Top(vs []wasm.ValType, more int) string {
	s := t.List(vs)
	if more > 0 {
		s = "[… " + strconv.Itoa(more) + " more, " + s[1:]
	}
	return s
}

// Arrow returns `[i32] -> [i64]`.
func (t Types) Arrow(params, results []wasm.ValType) string {
	return t.List(params) + " -> " + t.List(results)
}

// Sig returns ` (param i32) (result i64)`, with a space before each part.
func (t Types) Sig(params, results []wasm.ValType) string {
	s := ""
	for _, part := range []struct {
		word string
		ts   []wasm.ValType
	}{{"param", params}, {"result", results}} {
		if len(part.ts) > 0 {
			s += " (" + part.word
			for _, v := range part.ts {
				s += " " + t.Val(v)
			}
			s += ")"
		}
	}
	return s
}

// FuncSig returns the signature of a function, with the names of its parameters.
func (t Types) FuncSig(fn uint32) string {
	ft := t.FuncType(fn)
	if ft == nil {
		return ""
	}
	locals := t.m.Locals(fn)
	s := ""
	for i := 0; i < len(ft.Params); {
		if i < len(locals) && locals[i].Name != "" {
			s += " (param " + Identifier(locals[i].Name) + " " + t.Val(ft.Params[i]) + ")"
			i++
			continue
		}
		s += " (param"
		for ; i < len(ft.Params) && (i >= len(locals) || locals[i].Name == ""); i++ {
			s += " " + t.Val(ft.Params[i])
		}
		s += ")"
	}
	return s + t.Sig(nil, ft.Results)
}

// FuncType returns the type of a function, or nil.
func (t Types) FuncType(fn uint32) *wasm.SubType {
	if t.Declared == nil || int64(fn) >= int64(len(t.Declared.Funcs)) {
		return nil
	}
	return t.Declared.FuncType(t.Declared.Funcs[fn].Type)
}

// TagType returns the type of a tag, or nil.
func (t Types) TagType(tag uint32) *wasm.SubType {
	if t.Declared == nil || int64(tag) >= int64(len(t.Declared.Tags)) {
		return nil
	}
	return t.Declared.FuncType(t.Declared.Tags[tag].Type)
}

// Sub returns a type definition, or nil.
func (t Types) Sub(i uint32) *wasm.SubType {
	if t.Declared == nil || int64(i) >= int64(len(t.Declared.Types)) {
		return nil
	}
	return &t.Declared.Types[i]
}

// Short reports what a type is in one phrase: `cont [i32] -> [i64]`, `func [i32] -> []`, `struct
// {…}`.
func (t Types) Short(i uint32) string {
	ty := t.Sub(i)
	if ty == nil {
		return ""
	}
	switch ty.Kind {
	case wasm.CompFunc:
		return "func " + t.Arrow(ty.Params, ty.Results)
	case wasm.CompCont:
		if ft := t.Declared.ContFunc(i); ft != nil {
			return "cont " + t.Arrow(ft.Params, ft.Results)
		}
		return "cont"
	case wasm.CompStack:
		return "stack " + t.List(append(append([]wasm.ValType(nil), ty.Params...), ty.Results...))
	case wasm.CompFiber:
		return "fiber " + t.List(ty.Results)
	case wasm.CompStruct:
		s := make([]string, 0, len(ty.Fields))
		for _, f := range ty.Fields {
			s = append(s, t.Field(f))
		}
		return strings.TrimSpace("struct " + strings.Join(s, " "))
	case wasm.CompArray:
		if len(ty.Fields) == 1 {
			return "array " + t.Field(ty.Fields[0])
		}
	}
	return ty.Kind.String()
}

// Field writes the type of a field: `(mut i32)`.
func (t Types) Field(f wasm.FieldType) string {
	if f.Mut {
		return "(mut " + t.Val(f.Type) + ")"
	}
	return t.Val(f.Type)
}

// Def writes a type as its definition has it: `func (param i32) (result i64)`, `cont $ft`.
func (t Types) Def(i uint32) string {
	ty := t.Sub(i)
	if ty == nil {
		return "unknown"
	}
	var s string
	switch ty.Kind {
	case wasm.CompFunc:
		s = "func" + t.Sig(ty.Params, ty.Results)
	case wasm.CompCont:
		s = "cont " + t.Name(ty.Func)
	case wasm.CompStruct:
		s = "struct"
		for k, f := range ty.Fields {
			if n, ok := t.Declared.Names.Fields[i][uint32(k)]; ok {
				s += " (field " + Identifier(n) + " " + t.Field(f) + ")"
			} else {
				s += " (field " + t.Field(f) + ")"
			}
		}
	case wasm.CompArray:
		s = "array"
		for _, f := range ty.Fields {
			s += " " + t.Field(f)
		}
	case wasm.CompStack:
		s = "stack"
		if len(ty.Params) > 0 {
			s += t.Sig(ty.Params, nil)
		}
		for _, r := range ty.Results {
			s += " " + t.Val(r)
		}
	case wasm.CompFiber:
		s = "fiber" + t.Sig(nil, ty.Results)
	default:
		return "unknown"
	}
	if len(ty.Supers) == 0 && ty.Final {
		return s
	}
	head := "sub "
	if ty.Final {
		head += "final "
	}
	for _, p := range ty.Supers {
		head += t.Name(p) + " "
	}
	return head + "(" + s + ")"
}

// Uses returns the type indices that a definition names, in order.
func (t Types) Uses(i uint32) []uint32 {
	ty := t.Sub(i)
	if ty == nil {
		return nil
	}
	var out []uint32
	add := func(vs ...wasm.ValType) {
		for _, v := range vs {
			if v.IsRef() && v.Heap() >= 0 {
				out = append(out, uint32(v.Heap()))
			}
		}
	}
	if ty.Kind == wasm.CompCont {
		out = append(out, ty.Func)
	}
	add(ty.Params...)
	add(ty.Results...)
	for _, f := range ty.Fields {
		add(f.Type)
	}
	return append(out, ty.Supers...)
}

// maxExpanded bounds how many types a hover spells out.
const maxExpanded = 8

// Expand spells out the defined types that value types name, and those that these name: a line
// `$t = cont [i32] -> [i64]` or `$t = func (param i32)` for each.
func (t Types) Expand(vs []wasm.ValType) []string {
	var queue []uint32
	for _, v := range vs {
		if v.IsRef() && v.Heap() >= 0 {
			queue = append(queue, uint32(v.Heap()))
		}
	}
	return t.ExpandTypes(queue)
}

// ExpandTypes is Expand for type indices.
func (t Types) ExpandTypes(queue []uint32) []string {
	var out []string
	seen := map[uint32]bool{}
	for len(queue) > 0 && len(out) < maxExpanded {
		i := queue[0]
		queue = queue[1:]
		ty := t.Sub(i)
		if seen[i] || ty == nil {
			continue
		}
		seen[i] = true
		if !(ty.Implicit && ty.Kind == wasm.CompFunc) {
			line := t.Name(i) + " = " + t.Def(i)
			if ty.Kind == wasm.CompCont {
				line = t.Name(i) + " = " + t.Short(i)
			}
			out = append(out, line)
		}
		queue = append(queue, t.Uses(i)...)
	}
	return out
}
