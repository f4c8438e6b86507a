package lang

import (
	"errors"
	"fmt"
	"strings"

	"stackscope/analysis/debuginfo"
)

// Child is a part of a value.
type Child struct {
	Name  string
	Value Value
	// Path is what is written after the expression of the value to have the part: `.x`, `->x`, `[3]`;
	// `*` stands before it. "": it cannot be written.
	Path string
	// Artificial reports that the compiler made it.
	Artificial bool
	base       bool   // a base class
	key        *Value // of an item of a map: its key
}

// Expr returns the expression of a child from that of its parent; "" if there is none.
func (c Child) Expr(parent string) string {
	switch {
	case parent == "" || c.Path == "":
		return ""
	case c.Path == "*":
		return "*" + parent
	case strings.ContainsAny(parent[:1], "*&-!~(") || strings.ContainsAny(parent, " +/%"):
		return "(" + parent + ")" + c.Path
	}
	return parent + c.Path
}

// maxMembers bounds the members of one value.
const maxMembers = 10000

// members lists the fields of a struct or union, those of anonymous members in their place.
func (v Value) members(t *debuginfo.Type, artificial bool) []Child {
	var out []Child
	appendMembers(v, &out, t, 0, artificial, 0)
	return out
}

func appendMembers(v Value, out *[]Child, t *debuginfo.Type, at int64, artificial bool, depth int) {
	for _, f := range v.env.fieldsOf(t) {
		if len(*out) >= maxMembers || f.Artificial && !artificial {
			continue
		}
		ft := debuginfo.Strip(f.Type)
		if f.Name == "" && !f.Base && f.BitSize == 0 && ft != nil && depth < 20 &&
			(ft.Kind == debuginfo.KindStruct || ft.Kind == debuginfo.KindUnion) {
			appendMembers(v, out, ft, at+f.Offset, artificial, depth+1)
			continue
		}
		c := Child{Name: f.Name, Path: "." + f.Name, Artificial: f.Artificial, Value: fieldOf(v, f, at)}
		switch {
		case f.Base:
			c.Name, c.Path, c.base = prettyName(t.Language, TypeName(f.Type)), "."+baseName(f.Type), true
			if len(c.Name) > 40 {
				c.Name = baseName(f.Type) + "<…>"
			}
		case v.lang == debuginfo.Rust && strings.HasPrefix(f.Name, "__") && isDigits(f.Name[2:]):
			c.Path = "." + f.Name[2:]
		}
		*out = append(*out, c)
	}
}

// baseName returns the name by which a base class is picked in an expression.
func baseName(t *debuginfo.Type) string { return shortName(TypeName(t)) }

// fieldOf returns a field of a struct that begins some bytes into the value.
func fieldOf(v Value, f debuginfo.Field, at int64) Value {
	if f.BitSize > 0 {
		return bitField(v, f, at)
	}
	return v.sub(f.Type, at+f.Offset)
}

func bitField(v Value, f debuginfo.Field, at int64) Value {
	out := Value{
		env: v.env, lang: v.lang, typ: f.Type, form: v.form, addr: v.addr, data: v.data, absent: v.absent, put: v.put,
		err: v.err, unknown: v.unknown, ofFrame: v.ofFrame, bits: min(f.BitSize, 64), bitFrom: at*8 + f.BitOffset,
	}
	if v.form == formMemory { // a home of its own: the bytes that it is in
		out.addr, out.bitFrom = v.addr+uint64(out.bitFrom/8), out.bitFrom%8
	}
	return out
}

// Deref returns what a pointer or reference refers to.
func (v Value) Deref() (Value, error) {
	t := debuginfo.Strip(v.typ)
	if v.form == formObject || t == nil || t.Kind != debuginfo.KindPointer && t.Kind != debuginfo.KindReference {
		return v, fmt.Errorf("a value of type %s refers to nothing", v.TypeName())
	}
	to := targetOf(t)
	if class := managedTarget(v); class != nil {
		to = class
	}
	if to == nil || kindOf(to) == debuginfo.KindVoid {
		return v, fmt.Errorf("%s has no type that it refers to: convert it first", v.TypeName())
	}
	if kindOf(to) == debuginfo.KindFunc {
		return v, errors.New("a function is not a value")
	}
	if v.unknown {
		return Value{env: v.env, lang: v.lang, typ: to, form: formMemory, unknown: true}, nil
	}
	n, err := v.word()
	switch {
	case err != nil:
		return v, err
	case n == 0:
		return v, errors.New("null pointer")
	case !v.readable(n, 1):
		return v, fmt.Errorf("0x%x is out of memory", n)
	}
	out := InMemory(v.env, to, n)
	if out.lang == debuginfo.Other {
		out.lang = v.lang
	}
	return out, nil
}

// bodyOf returns what the members of a value are those of: of a pointer what it refers to.
func bodyOf(v Value) (to Value, arrow bool) {
	for range 8 {
		t := debuginfo.Strip(v.typ)
		if v.form == formObject || t == nil || v.form == formNone ||
			t.Kind != debuginfo.KindPointer && t.Kind != debuginfo.KindReference {
			return v, arrow
		}
		next, err := v.Deref()
		if err != nil {
			return v, arrow
		}
		k := kindOf(next.typ)
		if t.Kind == debuginfo.KindPointer && k != debuginfo.KindStruct && k != debuginfo.KindUnion && !follows(v, t) {
			return v, arrow
		}
		l := t.Language
		arrow = arrow || t.Kind == debuginfo.KindPointer && l != debuginfo.Rust && l != debuginfo.Zig &&
			t != managedReference
		v = next
	}
	return v, arrow
}

// Named lists the parts of a value that have names.
func (v Value) Named() []Child {
	switch v.form {
	case formObject:
		return objectNamed(v)
	case formList:
		return nil
	}
	to, arrow := bodyOf(v)
	var out []Child
	if m := to.match(); m != nil {
		out = printedNamed(to, m)
	} else {
		out = plainNamed(to)
	}
	if arrow {
		for i := range out {
			if strings.HasPrefix(out[i].Path, ".") {
				out[i].Path = "->" + out[i].Path[1:]
			}
		}
	}
	return out
}

// plainNamed is Named without printers and without following a pointer to a struct.
func plainNamed(v Value) []Child {
	t := debuginfo.Strip(v.typ)
	if t == nil || v.form == formNone {
		return nil
	}
	switch t.Kind {
	case debuginfo.KindStruct, debuginfo.KindUnion:
		if p := variantsOf(t); p != nil {
			return variantNamed(v, t, p)
		}
		return v.members(t, false)
	case debuginfo.KindPointer, debuginfo.KindReference:
		to, err := v.Deref()
		if err != nil {
			return nil
		}
		return []Child{{Name: "*", Value: to, Path: "*"}}
	}
	return nil
}

// maxIndexed bounds the elements of one value.
const maxIndexed = 1 << 30

// Indexed returns how many elements a value has.
func (v Value) Indexed() int {
	switch v.form {
	case formObject:
		return objectIndexed(v)
	case formList:
		return v.count
	}
	to, _ := bodyOf(v)
	if m := to.match(); m != nil {
		return printedCount(to, m)
	}
	t := debuginfo.Strip(to.typ)
	if t == nil || to.form == formNone || t.Kind != debuginfo.KindArray {
		return 0
	}
	n := t.Count
	if n < 0 {
		if size := sizeOf(targetOf(t)); t.Size > 0 && size > 0 {
			n = t.Size / size
		}
	}
	return int(min(max(n, 0), maxIndexed))
}

// Page lists some of the elements of a value.
func (v Value) Page(from, n int) []Child {
	switch v.form {
	case formObject:
		return objectPage(v, from, n)
	case formList:
		from = max(from, 0)
		return v.items(from, min(n, v.count-from))
	}
	to, _ := bodyOf(v)
	from = max(from, 0)
	n = min(n, to.Indexed()-from)
	if m := to.match(); m != nil {
		return printedPage(to, m, from, n)
	}
	var out []Child
	for i := from; i < from+n; i++ {
		name := fmt.Sprintf("[%d]", i)
		out = append(out, Child{Name: name, Path: name, Value: elementOf(to, int64(i))})
	}
	return out
}

// elementOf returns an element of an array, whatever its length.
func elementOf(v Value, i int64) Value {
	t := debuginfo.Strip(v.typ)
	to := targetOf(t)
	n := t.Stride
	if n <= 0 {
		n = sizeOf(to)
	}
	if n < 0 || i != 0 && (n*i)/i != n {
		return Missing(v.env, to, v.lang, errUnreadable)
	}
	return v.sub(to, n*i)
}

// HasChildren reports whether a value has parts.
func (v Value) HasChildren() bool {
	if v.form == formNone {
		return false
	}
	switch v.form {
	case formObject:
		return objectHasChildren(v)
	case formList:
		return v.count > 0
	}
	to, _ := bodyOf(v)
	t := debuginfo.Strip(to.typ)
	if t == nil {
		return false
	}
	if m := to.match(); m != nil {
		return printedParts(to, m)
	}
	switch t.Kind {
	case debuginfo.KindStruct, debuginfo.KindUnion:
		return len(to.env.fieldsOf(t)) > 0 || t.Variants != nil
	case debuginfo.KindArray:
		return to.Indexed() > 0
	case debuginfo.KindPointer, debuginfo.KindReference:
		_, err := to.Deref()
		return err == nil
	}
	return false
}

// Member returns the member of a name: of a pointer that of what it refers to, of a class also
// those of its bases.
func (v Value) Member(name string) (Value, error) {
	if v.form == formObject {
		return objectMember(v, name)
	}
	if v.unknown && v.typ == nil {
		return v, nil
	}
	to := v
	for range 8 {
		t := debuginfo.Strip(to.typ)
		if t == nil || t.Kind != debuginfo.KindPointer && t.Kind != debuginfo.KindReference {
			break
		}
		next, err := to.Deref()
		if err != nil {
			return v, err
		}
		to = next
	}
	if to.form == formNone && to.err != nil {
		return to, to.err
	}
	if out, ok := findIn(to, debuginfo.Strip(to.typ), name, 0, 0); ok {
		return out, nil
	}
	if m := to.match(); m != nil {
		if out, ok := printedMember(to, m, name); ok {
			return out, nil
		}
	}
	if mayBePrinted(to) {
		return Unknown(v.env, nil, v.lang), nil
	}
	return v, fmt.Errorf("%s has no member %s", v.TypeName(), name)
}

// mayBePrinted reports whether a value that is not known yet may be one that a printer shows: then
// nobody can tell what it has.
func mayBePrinted(v Value) bool {
	return v.unknown && v.form != formObject && len(candidates(v)) > 0
}

// findIn looks for a member in a struct that begins some bytes into the value.
func findIn(v Value, t *debuginfo.Type, name string, at int64, depth int) (Value, bool) {
	if t == nil || depth > 50 || t.Kind != debuginfo.KindStruct && t.Kind != debuginfo.KindUnion {
		return v, false
	}
	if p := variantsOf(t); p != nil && depth == 0 {
		if out, ok := variantMember(v, t, p, name); ok {
			return out, true
		}
	}
	fs := v.env.fieldsOf(t)
	for _, f := range fs {
		if f.Name == name && !f.Base || t.Language == debuginfo.Rust && f.Name == "__"+name ||
			f.Base && (baseName(f.Type) == name || TypeName(f.Type) == name) {
			return fieldOf(v, f, at), true
		}
	}
	for _, f := range fs {
		if f.Base || f.Name == "" {
			if out, ok := findIn(v, debuginfo.Strip(f.Type), name, at+f.Offset, depth+1); ok {
				return out, true
			}
		}
	}
	return v, false
}

// Index returns an element: of an array, of what a pointer refers to, or of what a printer lists.
func (v Value) Index(i int64) (Value, error) {
	switch {
	case v.form == formObject:
		return objectElement(v, i)
	case v.form == formList:
		if i < 0 || i >= int64(v.count) {
			return v, fmt.Errorf("%d is out of bounds: there are %d elements", i, v.count)
		}
		if cs := v.items(int(i), 1); len(cs) == 1 {
			return cs[0].Value, cs[0].Value.err
		}
		return v, errUnreadable
	}
	if v.unknown && v.typ == nil {
		return v, nil
	}
	t := debuginfo.Strip(v.typ)
	if t == nil || v.form == formNone {
		return v, v.errOr(errUnreadable)
	}
	if t.Kind == debuginfo.KindPointer && !follows(v, t) {
		to := targetOf(t)
		n, err := v.word()
		size := sizeOf(to)
		switch {
		case err != nil:
			return v, err
		case size <= 0:
			return v, fmt.Errorf("%s has no elements", v.TypeName())
		}
		out := InMemory(v.env, to, uint64(uint32(n+uint64(i*size))))
		out.unknown = v.unknown
		if !v.unknown && !v.readable(out.addr, size) {
			return v, fmt.Errorf("0x%x is out of memory", out.addr)
		}
		return out, nil
	}
	to, _ := bodyOf(v)
	if mayBePrinted(to) {
		return Unknown(v.env, nil, v.lang), nil
	}
	if kindOf(to.typ) == debuginfo.KindArray && to.match() == nil {
		if n := to.Indexed(); !v.unknown && (i < 0 || i >= int64(n)) && !(to.form == formMemory && flexible(to.typ)) {
			return v, fmt.Errorf("%d is out of bounds: there are %d elements", i, n)
		}
		return elementOf(to, i), nil
	}
	if m := to.match(); m != nil && !m.hasItems() && m.p.Text != nil {
		return character(to, m, i)
	}
	if m := to.match(); m != nil && m.hasItems() {
		if v.unknown {
			return Value{env: v.env, lang: v.lang, unknown: true}, nil
		}
		n := printedCount(to, m)
		if i < 0 || i >= int64(n) {
			return v, fmt.Errorf("%d is out of bounds: there are %d elements", i, n)
		}
		if cs := printedPage(to, m, int(i), 1); len(cs) == 1 {
			return cs[0].Value, cs[0].Value.err
		}
	}
	return v, fmt.Errorf("%s has no elements", v.TypeName())
}

// character returns a unit of a text that an entry shows.
func character(v Value, m *match, i int64) (Value, error) {
	n, ok := m.integer(m.p.Text.Size, nil)
	if !ok || i < 0 || i >= n {
		return v, fmt.Errorf("%d is out of bounds: there are %d characters", i, n)
	}
	at, err := m.eval(m.p.Text.At, nil)
	if err != nil {
		return v, err
	}
	if t := targetOf(at.typ); kindOf(at.typ) == debuginfo.KindPointer && kindOf(t) == debuginfo.KindArray {
		if at, err = at.Deref(); err != nil {
			return v, err
		}
	}
	return at.Index(i)
}

// flexible reports whether an array stands for any number of elements, as at the end of a struct.
func flexible(t *debuginfo.Type) bool {
	s := debuginfo.Strip(t)
	return s != nil && s.Count <= 1
}

func (v Value) errOr(err error) error {
	if v.err != nil {
		return v.err
	}
	return err
}
