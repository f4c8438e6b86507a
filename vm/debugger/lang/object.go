package lang

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"stackscope/analysis/debuginfo"
	"stackscope/vm"
	"stackscope/wasm"
)

// Objects describes the objects of the collector, in the names of their module.
type Objects interface {
	// Declared returns the module and the index of a type in it; nil: it is not known.
	Declared(t wasm.Canon) (*wasm.Module, uint32)
	// Text writes a reference that is no structure and no array.
	Text(v vm.Value) string
	// Function returns the name of a function.
	Function(f *vm.Func) string
	// Fits reports whether a value may be stored where a type with canonical ids is wanted.
	Fits(v vm.Value, t wasm.ValType) bool
	// Unsigned reports whether the code reads a packed field, or the elements of a packed array, as
	// unsigned numbers.
	Unsigned(t wasm.Canon, field int) bool
}

// Host is a value of a host in an externref with a type of its own, as those of JavaScript have.
type Host interface {
	JSType() string // as typeof says; "null" of null
	String() string // of a string its text
}

// OfValue returns a value of the machine as one of a language: a number, or a reference. set writes
// it; nil: it cannot be set. declared is the type of what holds it, with canonical ids where it is a
// reference.
func OfValue(
	env *Env, l debuginfo.Language, x vm.Value, declared wasm.ValType, isUnsigned bool, home Home,
	set func(vm.Value) error,
) Value {
	v := Value{env: env, lang: l, home: home}
	if t := numberType(l, declared, isUnsigned); t != nil {
		v.typ, v.form = t, formBytes
		v.data = make([]byte, t.Size)
		putLE(v.data, x.Lo)
		if set != nil {
			v.put = func(b []byte) error {
				n := getLE(b)
				if int64(len(b)) < 8 && signed(t) {
					shift := 64 - 8*len(b)
					n = uint64(int64(n<<shift) >> shift)
				}
				wide := declared
				if declared == wasm.I8 || declared == wasm.I16 {
					wide = wasm.I32
				}
				if wide == wasm.I32 {
					n = uint64(uint32(n))
				}
				return set(vm.Value{Type: wide, Lo: n})
			}
		}
		return v
	}
	v.form, v.ref, v.setRef, v.want = formObject, x, set, declared
	return v
}

func putLE(b []byte, n uint64) {
	for i := range b {
		b[i] = byte(n)
		n >>= 8
	}
}

func getLE(b []byte) (n uint64) {
	for i := min(len(b), 8) - 1; i >= 0; i-- {
		n = n<<8 | uint64(b[i])
	}
	return n
}

// The fields that Kotlin's objects have for the runtime.
func hiddenField(l debuginfo.Language, name string) bool {
	if l != debuginfo.Kotlin {
		return name == ""
	}
	switch name {
	case "vtable", "itable", "rtti", "_hashCode", "":
		return true
	}
	return false
}

// class returns the declaration of the type of a structure or array.
func (v Value) class() (*wasm.Module, uint32, bool) {
	if v.env.Objects == nil {
		return nil, 0, false
	}
	var c wasm.Canon
	switch v.ref.Ref.Kind() {
	case vm.RefStruct:
		c = v.ref.Ref.Struct().Type()
	case vm.RefArray:
		c = v.ref.Ref.Array().Type()
	default:
		return nil, 0, false
	}
	m, t := v.env.Objects.Declared(c)
	return m, t, m != nil
}

// className returns the name of an object's class; "" if it has none.
func className(v Value) string {
	m, t, ok := v.class()
	if !ok {
		return ""
	}
	return m.Names.Types[t]
}

// supers lists the names of an object's class and those that it inherits from.
func supers(v Value) (out []string) {
	m, t, ok := v.class()
	for range 100 {
		if !ok || int(t) >= len(m.Types) {
			return out
		}
		out = append(out, m.Names.Types[t])
		if len(m.Types[t].Supers) == 0 {
			return out
		}
		t = m.Types[t].Supers[0]
	}
	return out
}

func objectType(v Value) string {
	if m := v.match(); m != nil {
		if m.p.Name != "" {
			return m.p.Name
		}
		if m.p.As != "" && (m.p.Holds || m.p.Hide) { // what holds a variable is no type of the source
			if x, err := shownAs(v, m); err == nil {
				return x.TypeName()
			}
		}
	}
	if v.ref.Ref.Kind() == vm.RefHost {
		if h, ok := hostOf(v); ok {
			return "JavaScript " + h.JSType()
		}
	}
	if name := className(v); name != "" {
		return ClassName(v.lang, name)
	}
	return v.static
}

// ClassName returns the name of a class as its language writes it.
func ClassName(l debuginfo.Language, name string) string {
	if l == debuginfo.Kotlin {
		if i := strings.Index(name, "_bound"); i > 0 && strings.Contains(name[:i], "Function") {
			name = name[:i]
		}
		name = strings.ReplaceAll(name, "<no name provided>", "<object>")
		for _, p := range []string{"kotlin.collections.", "kotlin."} {
			if rest, ok := strings.CutPrefix(name, p); ok && !strings.Contains(rest, ".") {
				return rest
			}
		}
	}
	if l == debuginfo.AssemblyScript { // without the paths of files
		var b strings.Builder
		for rest := name; rest != ""; {
			i := strings.IndexAny(rest, "<>,()=")
			if i < 0 {
				i = len(rest)
			}
			b.WriteString(rest[strings.LastIndexByte(rest[:i], '/')+1 : i])
			b.WriteString(rest[i:min(i+1, len(rest))])
			rest = rest[min(i+1, len(rest)):]
		}
		return b.String()
	}
	return name
}

func hostOf(v Value) (Host, bool) {
	x, ok := v.ref.Ref.Host()
	if !ok {
		return nil, false
	}
	h, ok := x.(Host)
	return h, ok
}

// objectFields lists the fields of a structure.
func objectFields(v Value, all bool) []Child {
	s := v.ref.Ref.Struct()
	if s == nil {
		return nil
	}
	m, t, ok := v.class()
	var out []Child
	seen := map[string]bool{}
	for i := range min(s.Len(), maxMembers) {
		name := ""
		if ok {
			name = m.Names.Fields[t][uint32(i)]
		}
		hidden := ok && hiddenField(v.lang, name) && len(m.Names.Fields[t]) > 0
		if hidden && !all {
			continue
		}
		if name == "" {
			name = strconv.Itoa(i)
		}
		label := name
		if v.lang == debuginfo.Kotlin {
			label = strings.TrimPrefix(label, "$")
		}
		if seen[label] { // a field of a base class that is hidden by one of this class
			label = name + "@" + strconv.Itoa(i)
		}
		seen[label] = true
		out = append(out, Child{Name: label, Path: "." + label, Artificial: hidden, Value: objectField(v, i)})
	}
	return out
}

func objectField(v Value, i int) Value {
	r := v.ref.Ref
	s := r.Struct()
	declared := s.Storage(i)
	unsigned := false
	if declared == wasm.I8 || declared == wasm.I16 {
		unsigned = v.env.Objects != nil && v.env.Objects.Unsigned(s.Type(), i)
	} else {
		declared = s.FieldType(i)
	}
	home := Home{Kind: AtField, Ref: r, Index: i}
	out := OfValue(v.env, v.lang, s.Field(i), declared, unsigned, home, func(x vm.Value) error {
		if !s.SetField(i, x) {
			return errors.New("it cannot be set")
		}
		return nil
	})
	return out
}

func objectNamed(v Value) []Child {
	if v.ref.Ref.Kind() != vm.RefStruct {
		return nil
	}
	if m := v.match(); m != nil {
		return printedNamed(v, m)
	}
	return objectFields(v, false)
}

func objectIndexed(v Value) int {
	if m := v.match(); m != nil {
		return printedCount(v, m)
	}
	if a := v.ref.Ref.Array(); a != nil {
		return a.Len()
	}
	return 0
}

func objectPage(v Value, from, n int) []Child {
	if m := v.match(); m != nil {
		return printedPage(v, m, from, n)
	}
	a := v.ref.Ref.Array()
	if a == nil {
		return nil
	}
	var out []Child
	for i := max(from, 0); i < min(from+n, a.Len()); i++ {
		out = append(out, Child{Name: fmt.Sprintf("[%d]", i), Path: fmt.Sprintf("[%d]", i), Value: arrayElement(v, i)})
	}
	return out
}

func arrayElement(v Value, i int) Value {
	r := v.ref.Ref
	a := r.Array()
	declared := a.Storage()
	unsigned := false
	switch declared {
	case wasm.I8, wasm.I16:
		unsigned = declared == wasm.I16 && strings.Contains(className(v), "Char") ||
			v.env.Objects != nil && v.env.Objects.Unsigned(a.Type(), 0) && v.lang != debuginfo.Kotlin
	default:
		declared = a.ElemType()
	}
	home := Home{Kind: AtField, Ref: r, Index: i}
	return OfValue(v.env, v.lang, a.Elem(i), declared, unsigned, home, func(x vm.Value) error {
		if !a.SetElem(i, x) {
			return errors.New("it cannot be set")
		}
		return nil
	})
}

func objectHasChildren(v Value) bool {
	if m := v.match(); m != nil {
		return printedParts(v, m)
	}
	switch v.ref.Ref.Kind() {
	case vm.RefStruct:
		return len(objectFields(v, false)) > 0
	case vm.RefArray:
		return v.ref.Ref.Array().Len() > 0
	}
	return false
}

func objectMember(v Value, name string) (Value, error) {
	if v.unknown {
		return unknownMember(v, name)
	}
	if v.ref.Ref.IsNull() {
		return v, errors.New("null has no members")
	}
	if v.ref.Ref.Kind() == vm.RefStruct {
		cs := objectFields(v, true)
		for i := len(cs) - 1; i >= 0; i-- { // those of the class itself hide those that it inherits
			if cs[i].Name == name || strings.TrimPrefix(cs[i].Name, "$") == name {
				return cs[i].Value, nil
			}
		}
	}
	if m := v.match(); m != nil {
		if out, ok := printedMember(v, m, name); ok {
			return out, nil
		}
	}
	if out, ok := lengthMember(v, name); ok {
		return out, nil
	}
	return v, fmt.Errorf("%s has no member %s", v.TypeName(), name)
}

func objectElement(v Value, i int64) (Value, error) {
	if v.unknown {
		return v, nil
	}
	n := objectIndexed(v)
	switch {
	case v.ref.Ref.IsNull():
		return v, errors.New("null has no elements")
	case n == 0 && !objectList(v):
		return v, fmt.Errorf("%s has no elements", v.TypeName())
	case i < 0 || i >= int64(n):
		return v, fmt.Errorf("%d is out of bounds: there are %d elements", i, n)
	}
	if cs := objectPage(v, int(i), 1); len(cs) == 1 {
		return cs[0].Value, cs[0].Value.err
	}
	return v, errUnreadable
}

// objectList reports whether an object has elements, if only none now.
func objectList(v Value) bool {
	m := v.match()
	return m != nil && m.hasItems() || v.ref.Ref.Kind() == vm.RefArray
}

// object writes an object.
func (w *writer) object(v Value, depth int) {
	r := v.ref.Ref
	if r.IsNull() {
		w.WriteString("null")
		return
	}
	if m := v.match(); m != nil && w.printed(v, m, depth) {
		return
	}
	switch r.Kind() {
	case vm.RefStruct:
		if name := className(v); name != "" {
			w.WriteString(simpleClass(v.lang, name))
		} else {
			w.WriteString("struct ")
		}
		if cs := objectFields(v, false); len(cs) > 0 {
			if v.lang != debuginfo.Kotlin {
				w.WriteByte(' ')
			}
			w.fields(v.lang, cs, depth)
		}
	case vm.RefArray:
		w.list(func(from, n int) []Child { return objectPage(v, from, n) }, r.Array().Len(), depth)
	case vm.RefHost:
		if h, ok := hostOf(v); ok {
			if h.JSType() == "string" {
				w.utf8Text(h.String())
			} else {
				w.clipped(h.String())
			}
			return
		}
		w.clipped(otherText(v))
	default:
		w.clipped(otherText(v))
	}
}

func otherText(v Value) string {
	if v.env.Objects == nil {
		return "reference"
	}
	if f := v.ref.Ref.Func(); f != nil {
		return v.env.Objects.Function(f)
	}
	return v.env.Objects.Text(v.ref)
}

// simpleClass returns the name of a class without its package.
func simpleClass(l debuginfo.Language, name string) string {
	name = ClassName(l, name)
	if strings.HasPrefix(name, "<") {
		return name
	}
	end := strings.IndexAny(name, "<$")
	if end < 0 {
		end = len(name)
	}
	if i := strings.LastIndexByte(name[:end], '.'); i >= 0 && l == debuginfo.Kotlin {
		return name[i+1:]
	}
	return name
}

// utf8Text writes a text in quotes.
func (w *writer) utf8Text(s string) {
	if len(s) > w.chars {
		w.quoted([]byte(clip(s, w.chars)), true)
		return
	}
	w.quoted([]byte(s), false)
}

// clipped writes a text that is no string.
func (w *writer) clipped(s string) {
	if len(s) > w.chars {
		s = clip(s, w.chars) + "…"
	}
	w.WriteString(s)
}

// clip cuts a text after some bytes, between characters.
func clip(s string, n int) string {
	for n > 0 && n < len(s) && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:min(n, len(s))]
}

// Captured lists what the object of a function literal of Kotlin, or an object expression, has
// captured: its fields whose names begin with `$`.
func (v Value) Captured() (out []Child) {
	m, t, ok := v.class()
	s := v.ref.Ref.Struct()
	if v.form != formObject || !ok || s == nil || v.lang != debuginfo.Kotlin {
		return nil
	}
	for i := range min(s.Len(), maxMembers) {
		if name, ok := strings.CutPrefix(m.Names.Fields[t][uint32(i)], "$"); ok && name != "" {
			out = append(out, Child{Name: name, Path: "." + name, Value: objectField(v, i)})
		}
	}
	return out
}

// declared is the class that a variable is declared with.
type declared struct {
	m *wasm.Module
	t uint32
}

// UnknownObject returns a value of a type of a module that is not known yet: a number, or an object
// of a class or of one that inherits from it.
func UnknownObject(env *Env, l debuginfo.Language, m *wasm.Module, t wasm.ValType) Value {
	if n := numberType(l, t, false); n != nil {
		return Unknown(env, n, l)
	}
	v := Unknown(env, nil, l)
	if h := t.Heap(); t.IsRef() && h >= 0 && int(h) < len(m.Types) {
		v.declared = &declared{m, uint32(h)}
	}
	return v
}

// unknownMember returns the member of an object that is not known yet. It is an error if no object
// that the variable can have has it.
func unknownMember(v Value, name string) (Value, error) {
	d := v.declared
	if d == nil || len(d.m.Names.Fields[d.t]) == 0 {
		return Unknown(v.env, nil, v.lang), nil
	}
	for t := range d.m.Types {
		if !inherits(d.m, uint32(t), d.t) {
			continue
		}
		for i, n := range d.m.Names.Fields[uint32(t)] {
			if (n == name || n == "$"+name) && int(i) < len(d.m.Types[t].Fields) {
				return UnknownObject(v.env, v.lang, d.m, d.m.Types[t].Fields[i].Type), nil
			}
		}
	}
	if v.env.Printers != nil {
		var names []string
		for t := range d.m.Types {
			if inherits(d.m, uint32(t), d.t) {
				names = append(names, d.m.Names.Types[uint32(t)])
			}
		}
		for _, p := range v.env.Printers.find(names) {
			if p.As != "" || p.Items != nil || p.textual() {
				return Unknown(v.env, nil, v.lang), nil
			}
			for _, x := range p.Members {
				if x.Name == name {
					return Unknown(v.env, nil, v.lang), nil
				}
			}
		}
	}
	return v, fmt.Errorf("%s has no member %s", ClassName(v.lang, d.m.Names.Types[d.t]), name)
}

// inherits reports whether a type is another one or inherits from it.
func inherits(m *wasm.Module, t, from uint32) bool {
	for range 100 {
		if t == from {
			return true
		}
		if int(t) >= len(m.Types) || len(m.Types[t].Supers) == 0 {
			return false
		}
		t = m.Types[t].Supers[0]
	}
	return false
}
