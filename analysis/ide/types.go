package ide

import (
	"strconv"
	"strings"

	"stackscope/analysis"
	"stackscope/wasm"
)

func itoa(i uint32) string { return strconv.FormatUint(uint64(i), 10) }

// idText writes a name as an identifier: `$name`, or `$"…"` where it needs quotes.
func idText(name string) string {
	if name != "" && plainID(name) {
		return "$" + name
	}
	var b strings.Builder
	b.WriteString(`$"`)
	for _, r := range name {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			b.WriteString(`\u{` + strconv.FormatInt(int64(r), 16) + `}`)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// plainID reports whether a name can stand behind `$` without quotes: idchars of the text format.
func plainID(name string) bool {
	for i := 0; i < len(name); i++ {
		if c := name[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\",;()[]{}", c) >= 0 {
			return false
		}
	}
	return name != ""
}

// typer writes types of a module with their names.
type typer struct {
	m      *analysis.Module
	ir     *wasm.Module
	inside bool // in the definition of an implicit type
}

func newTyper(m *analysis.Module) typer { return typer{m: m, ir: m.Declared()} }

// name returns `$t`, or for a type without a name its index; of an implicit type its definition.
func (t typer) name(i uint32) string {
	if t.ir == nil || int64(i) >= int64(len(t.ir.Types)) {
		return itoa(i)
	}
	if n, ok := t.ir.Names.Types[i]; ok {
		return idText(n)
	}
	if ty := &t.ir.Types[i]; ty.Implicit && ty.Kind == wasm.CompFunc {
		if t.inside { // implicit types may name each other, and themselves
			return itoa(i)
		}
		t.inside = true
		return strings.TrimSpace("func" + t.sig(ty.Params, ty.Results))
	}
	return itoa(i)
}

// val returns a value type.
func (t typer) val(v wasm.ValType) string {
	if v.Kind() == wasm.KindUnknown {
		return "any"
	}
	return v.Format(t.name)
}

// list returns a result type: `[i32 (ref $t)]`.
func (t typer) list(vs []wasm.ValType) string {
	s := make([]string, len(vs))
	for i, v := range vs {
		s[i] = t.val(v)
	}
	return "[" + strings.Join(s, " ") + "]"
}

// shownOperands is how many operands of a stack are shown.
const shownOperands = 24

// top formats the uppermost operands of a stack, with more of them below.
func (t typer) top(vs []wasm.ValType, more int) string {
	s := t.list(vs)
	if more > 0 {
		s = "[… " + strconv.Itoa(more) + " more, " + s[1:]
	}
	return s
}

// arrow returns `[i32] -> [i64]`.
func (t typer) arrow(params, results []wasm.ValType) string {
	return t.list(params) + " -> " + t.list(results)
}

// sig returns ` (param i32) (result i64)`, with a blank in front of each part.
func (t typer) sig(params, results []wasm.ValType) string {
	s := ""
	for _, part := range []struct {
		word string
		ts   []wasm.ValType
	}{{"param", params}, {"result", results}} {
		if len(part.ts) > 0 {
			s += " (" + part.word
			for _, v := range part.ts {
				s += " " + t.val(v)
			}
			s += ")"
		}
	}
	return s
}

// funcSig returns the signature of a function, with the names of its parameters.
func (t typer) funcSig(fn uint32) string {
	ft := t.funcType(fn)
	if ft == nil {
		return ""
	}
	locals := t.m.Locals(fn)
	s := ""
	for i := 0; i < len(ft.Params); {
		if i < len(locals) && locals[i].Name != "" {
			s += " (param " + idText(locals[i].Name) + " " + t.val(ft.Params[i]) + ")"
			i++
			continue
		}
		s += " (param"
		for ; i < len(ft.Params) && (i >= len(locals) || locals[i].Name == ""); i++ {
			s += " " + t.val(ft.Params[i])
		}
		s += ")"
	}
	return s + t.sig(nil, ft.Results)
}

// funcType returns the type of a function, or nil.
func (t typer) funcType(fn uint32) *wasm.SubType {
	if t.ir == nil || int64(fn) >= int64(len(t.ir.Funcs)) {
		return nil
	}
	return t.ir.FuncType(t.ir.Funcs[fn].Type)
}

// tagType returns the type of a tag, or nil.
func (t typer) tagType(tag uint32) *wasm.SubType {
	if t.ir == nil || int64(tag) >= int64(len(t.ir.Tags)) {
		return nil
	}
	return t.ir.FuncType(t.ir.Tags[tag].Type)
}

// sub returns a type definition, or nil.
func (t typer) sub(i uint32) *wasm.SubType {
	if t.ir == nil || int64(i) >= int64(len(t.ir.Types)) {
		return nil
	}
	return &t.ir.Types[i]
}

// short reports what a type is in one phrase: `cont [i32] -> [i64]`, `func [i32] -> []`, `struct
// {…}`.
func (t typer) short(i uint32) string {
	ty := t.sub(i)
	if ty == nil {
		return ""
	}
	switch ty.Kind {
	case wasm.CompFunc:
		return "func " + t.arrow(ty.Params, ty.Results)
	case wasm.CompCont:
		if ft := t.ir.ContFunc(i); ft != nil {
			return "cont " + t.arrow(ft.Params, ft.Results)
		}
		return "cont"
	case wasm.CompStack:
		return "stack " + t.list(append(append([]wasm.ValType(nil), ty.Params...), ty.Results...))
	case wasm.CompFiber:
		return "fiber " + t.list(ty.Results)
	case wasm.CompStruct:
		s := make([]string, 0, len(ty.Fields))
		for _, f := range ty.Fields {
			s = append(s, t.field(f))
		}
		return strings.TrimSpace("struct " + strings.Join(s, " "))
	case wasm.CompArray:
		if len(ty.Fields) == 1 {
			return "array " + t.field(ty.Fields[0])
		}
	}
	return ty.Kind.String()
}

func (t typer) field(f wasm.FieldType) string {
	if f.Mut {
		return "(mut " + t.val(f.Type) + ")"
	}
	return t.val(f.Type)
}

// def writes a type as its definition has it: `func (param i32) (result i64)`, `cont $ft`.
func (t typer) def(i uint32) string {
	ty := t.sub(i)
	if ty == nil {
		return "unknown"
	}
	var s string
	switch ty.Kind {
	case wasm.CompFunc:
		s = "func" + t.sig(ty.Params, ty.Results)
	case wasm.CompCont:
		s = "cont " + t.name(ty.Func)
	case wasm.CompStruct:
		s = "struct"
		for k, f := range ty.Fields {
			if n, ok := t.ir.Names.Fields[i][uint32(k)]; ok {
				s += " (field " + idText(n) + " " + t.field(f) + ")"
			} else {
				s += " (field " + t.field(f) + ")"
			}
		}
	case wasm.CompArray:
		s = "array"
		for _, f := range ty.Fields {
			s += " " + t.field(f)
		}
	case wasm.CompStack:
		s = "stack"
		if len(ty.Params) > 0 {
			s += t.sig(ty.Params, nil)
		}
		for _, r := range ty.Results {
			s += " " + t.val(r)
		}
	case wasm.CompFiber:
		s = "fiber" + t.sig(nil, ty.Results)
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
		head += t.name(p) + " "
	}
	return head + "(" + s + ")"
}

// uses returns the type indices that a definition names, in order.
func (t typer) uses(i uint32) []uint32 {
	ty := t.sub(i)
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

// expand spells out the defined types that value types name, and those behind them: a line
// `$t = cont [i32] -> [i64]` or `$t = func (param i32)` for each.
func (t typer) expand(vs []wasm.ValType) []string {
	var queue []uint32
	for _, v := range vs {
		if v.IsRef() && v.Heap() >= 0 {
			queue = append(queue, uint32(v.Heap()))
		}
	}
	return t.expandTypes(queue)
}

func (t typer) expandTypes(queue []uint32) []string {
	var out []string
	seen := map[uint32]bool{}
	for len(queue) > 0 && len(out) < maxExpanded {
		i := queue[0]
		queue = queue[1:]
		ty := t.sub(i)
		if seen[i] || ty == nil {
			continue
		}
		seen[i] = true
		if !(ty.Implicit && ty.Kind == wasm.CompFunc) {
			line := t.name(i) + " = " + t.def(i)
			if ty.Kind == wasm.CompCont {
				line = t.name(i) + " = " + t.short(i)
			}
			out = append(out, line)
		}
		queue = append(queue, t.uses(i)...)
	}
	return out
}

// blockType returns parameters and results of a block type.
func (t typer) blockType(b wasm.BlockType) (params, results []wasm.ValType) {
	if i, ok := b.Index(); ok {
		if ft := t.ir.FuncType(i); ft != nil {
			return ft.Params, ft.Results
		}
		return nil, nil
	}
	if v, ok := b.Result(); ok {
		return nil, []wasm.ValType{v}
	}
	return nil, nil
}

// labelTypes returns what a branch to the label of the block at an instruction brings: the
// parameters of a loop, the results of another block; of the function (block -1) its results.
func (t typer) labelTypes(b *analysis.Body, block int) []wasm.ValType {
	if block < 0 || block >= len(b.Instrs) {
		if ft := t.funcType(b.Func); ft != nil {
			return ft.Results
		}
		return nil
	}
	in := &b.Instrs[block]
	params, results := t.blockType(in.Block())
	if in.Op == wasm.OpLoop {
		return params
	}
	return results
}
