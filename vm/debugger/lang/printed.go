package lang

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"stackscope/analysis/debuginfo"
)

// match is an entry that shows a value.
type match struct {
	p    *printer
	self Value
	vars map[string]Value
}

// candidates lists the entries for the type of a value.
func candidates(v Value) []*printer {
	e := v.env
	if e == nil || e.Printers == nil {
		return nil
	}
	if v.form == formObject {
		m, t, ok := v.class()
		if !ok {
			return nil
		}
		k := classKey{m, t}
		ps, known := e.classes[k]
		if !known {
			if e.classes == nil {
				e.classes = map[classKey][]*printer{}
			}
			ps = e.Printers.find(supers(v))
			e.classes[k] = ps
		}
		return ps
	}
	t := debuginfo.Strip(v.typ)
	if t == nil || t.Name == "" {
		return nil
	}
	switch t.Kind {
	case debuginfo.KindStruct, debuginfo.KindUnion, debuginfo.KindPointer:
	default:
		return nil
	}
	ps, known := e.matches[t]
	if !known {
		if e.matches == nil || len(e.matches) > 10000 {
			e.matches = map[*debuginfo.Type][]*printer{}
		}
		ps = e.Printers.find([]string{t.Name})
		e.matches[t] = ps
	}
	return ps
}

// match returns the entry that shows a value; nil: none does.
func (v Value) match() *match {
	if v.raw || v.unknown || v.form == formNone || v.form == formList || v.env == nil || v.env.printing > maxPrinting {
		return nil
	}
	ps := candidates(v)
	if len(ps) == 0 {
		return nil
	}
	v.env.printing++
	defer func() { v.env.printing-- }()
	for _, p := range ps {
		m := &match{p: p, self: v.Raw()}
		if m.holds() {
			return m
		}
	}
	return nil
}

// maxPrinting bounds how many printers may wait for each other.
const maxPrinting = 20

// holds evaluates what an entry names, and reports whether it counts.
func (m *match) holds() bool {
	for _, l := range m.p.Let {
		name, text, _ := cutLet(l)
		x, err := m.eval(text, nil)
		if err != nil {
			return false
		}
		if m.vars == nil {
			m.vars = map[string]Value{}
		}
		m.vars[name] = x
	}
	if m.p.If == "" {
		return true
	}
	x, err := m.eval(m.p.If, nil)
	if err != nil {
		return false
	}
	is, err := x.Truth()
	return err == nil && is
}

// printScope is where the expressions of an entry find their names.
type printScope struct {
	m     *match
	extra map[string]Value
}

func (s printScope) Lookup(name string) (Value, bool) {
	if v, ok := s.extra[name]; ok {
		return v, true
	}
	if v, ok := s.m.vars[name]; ok {
		return v, true
	}
	if name == "this" {
		return s.m.self, true
	}
	return Value{}, false
}

func (s printScope) Machine(string) (Value, error) { return Value{}, errNoPrinterPath }

var errNoPrinterPath = errors.New("printers have no paths of WebAssembly")

// eval evaluates an expression of an entry: of several, with `else` between them, the first that can
// be evaluated.
func (m *match) eval(text string, extra map[string]Value) (v Value, err error) {
	for rest, more := text, true; more; {
		text, rest, more = strings.Cut(rest, " else ")
		if v, err = m.evalOne(text, extra); err == nil {
			break
		}
	}
	return v, err
}

func (m *match) evalOne(text string, extra map[string]Value) (Value, error) {
	x, err := m.parse(text)
	if err != nil {
		return Value{}, err
	}
	v, err := x.Eval(m.self.env, printScope{m, extra}, false)
	if err == nil {
		err = v.err
	}
	return v, err
}

// parsedKey names an expression that has been parsed: its types are those of a type's arguments.
type parsedKey struct {
	text string
	typ  *debuginfo.Type
	lang debuginfo.Language
}

// parse parses an expression of an entry, once. In it T1, T2 … are the arguments of the type.
func (m *match) parse(text string) (*Expr, error) {
	e := m.self.env
	l := m.self.lang
	if family(l) == debuginfo.C {
		l = debuginfo.CPlusPlus
	}
	k := parsedKey{text, debuginfo.Strip(m.self.typ), l}
	if x, ok := e.parsed[k]; ok {
		return x, nil
	}
	inner := *e
	inner.Type = func(name string) *debuginfo.Type {
		if t := m.argument(name); t != nil {
			return t
		}
		if e.Type == nil {
			return nil
		}
		return e.Type(name)
	}
	x, err := Parse(text, l, &inner)
	if err != nil {
		return nil, err
	}
	if e.parsed == nil || len(e.parsed) > 10000 {
		e.parsed = map[parsedKey]*Expr{}
	}
	e.parsed[k] = x
	return x, nil
}

// argument returns the type that T1 … stand for; nil: it is none of these.
func (m *match) argument(name string) *debuginfo.Type {
	t := debuginfo.Strip(m.self.typ)
	n, err := strconv.Atoi(strings.TrimPrefix(name, "T"))
	if t == nil || err != nil || name == "" || name[0] != 'T' || n < 1 || n > len(t.Args) {
		return nil
	}
	return t.Args[n-1].Type
}

// typeText fills the {names} of a type name in: {T1}, {expression.T1}, {ns}: what the type is in.
func (m *match) typeText(s string) (string, error) {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '{')
		if i < 0 {
			b.WriteString(s)
			return b.String(), nil
		}
		j := strings.IndexByte(s[i:], '}')
		if j < 0 {
			return "", errors.New("{ without }")
		}
		b.WriteString(s[:i])
		name := s[i+1 : i+j]
		s = s[i+j+1:]
		if name == "ns" {
			n := debuginfo.Strip(m.self.typ).Name
			if k := strings.IndexByte(n, '<'); k > 0 {
				n = n[:k]
			}
			b.WriteString(n[:max(strings.LastIndex(n, "::"), 0)])
			continue
		}
		of := m
		if k := strings.LastIndex(name, ".T"); k > 0 {
			x, err := m.eval(name[:k], nil)
			if err != nil {
				return "", err
			}
			of, name = &match{p: m.p, self: x}, name[k+1:]
		}
		t := of.argument(name)
		if t == nil {
			return "", fmt.Errorf("there is no type %s", name)
		}
		b.WriteString(TypeName(t))
	}
}

func (m *match) hasItems() bool { return m.p.Items != nil }
func (m *match) keyed() bool    { return m.p.Items != nil && m.p.Items.Key != "" }
func (m *match) textual() bool  { return m.p.textual() }

// textual reports whether an entry shows a text.
func (p *printer) textual() bool { return p.String != "" || p.Text != nil }

// shownAs returns what an entry shows the value as.
func shownAs(v Value, m *match) (Value, error) {
	x, err := m.eval(m.p.As, nil)
	if err != nil {
		return x, err
	}
	if x.lang == debuginfo.Other {
		x.lang = v.lang
	}
	return x, nil
}

func printedExpr(v Value, m *match, e string) (Value, error) { return m.eval(e, nil) }

// printed writes a value by an entry; it reports whether it could.
func (w *writer) printed(v Value, m *match, depth int) bool {
	p := m.p
	switch {
	case m.textual():
		s, ok := printedText(v, m, int64(w.chars)+1)
		if !ok {
			return false
		}
		w.utf8Text(s)
		return true
	case p.Summary != "":
		return w.summary(m, depth)
	case p.As != "":
		x, err := shownAs(v, m)
		if err != nil {
			return false
		}
		w.value(x, depth)
		return true
	case p.Items != nil:
		n := printedCount(v, m)
		if m.keyed() {
			w.dictionary(v, m, n, depth)
			return true
		}
		w.list(func(from, n int) []Child { return printedPage(v, m, from, n) }, n, depth)
		return true
	case p.Members != nil:
		w.fields(v.lang, printedMembers(v, m), depth)
		return true
	}
	return false
}

// summary writes a summary of an entry.
func (w *writer) summary(m *match, depth int) bool {
	parts, err := splitSummary(m.p.Summary)
	if err != nil {
		return false
	}
	for _, x := range parts {
		if !x.expr {
			w.WriteString(x.text)
			continue
		}
		if x.text == "class" && m.self.form == formObject {
			w.WriteString(simpleClass(m.self.lang, className(m.self)))
			continue
		}
		y, err := m.eval(x.text, nil)
		switch {
		case err != nil:
			w.WriteString(noted(err))
		case x.format == 's':
			if s, ok := y.Content(); ok { // without quotes
				w.clipped(s)
			}
		case x.format != 0:
			s, err := y.Format(x.format)
			if err != nil {
				s = noted(err)
			}
			w.WriteString(s)
		default:
			w.value(y, depth+1)
		}
	}
	return true
}

// dictionary writes a map.
func (w *writer) dictionary(v Value, m *match, n, depth int) {
	w.WriteString("{")
	k := min(n, 1<<16)
	if !w.style.Whole {
		k = min(n, w.items+1)
	}
	for i, c := range printedPage(v, m, 0, k) {
		if i > 0 {
			w.WriteString(", ")
		}
		if w.full() || i >= w.items || depth >= w.depth {
			w.WriteString("…")
			break
		}
		if c.key != nil {
			w.value(*c.key, depth+1)
			w.WriteString(": ")
		}
		w.value(c.Value, depth+1)
	}
	w.WriteString("}")
}

// printedParts reports whether a value that an entry shows has parts.
func printedParts(v Value, m *match) bool {
	if m.p.As != "" {
		x, err := shownAs(v, m)
		return err == nil && x.HasChildren()
	}
	return !m.p.Hide || m.p.Items != nil && printedCount(v, m) > 0 || len(m.p.Members) > 0
}

// printedMembers lists the parts that an entry names.
func printedMembers(v Value, m *match) (out []Child) {
	for _, x := range m.p.Members {
		if x.If != "" {
			y, err := m.eval(x.If, nil)
			if err != nil {
				continue
			}
			if is, err := y.Truth(); err != nil || !is {
				continue
			}
		}
		y, err := m.eval(x.Value, nil)
		if err != nil {
			y = Missing(v.env, nil, v.lang, err)
		}
		out = append(out, Child{Name: x.Name, Path: "." + x.Name, Value: y})
	}
	return out
}

// printedNamed lists the parts with names of a value that an entry shows.
func printedNamed(v Value, m *match) []Child {
	if m.p.As != "" {
		if x, err := shownAs(v, m); err == nil {
			return x.Named()
		}
	}
	if m.p.Members == nil && m.p.Items == nil && !m.p.Hide && !m.textual() {
		return m.self.Named() // only the line is another one
	}
	out := printedMembers(v, m)
	if !m.p.Hide {
		out = append(out, Child{Name: "[raw]", Value: m.self})
	}
	return out
}

func printedMember(v Value, m *match, name string) (Value, bool) {
	if m.p.As != "" {
		x, err := shownAs(v, m)
		if err != nil {
			return v, false
		}
		out, err := x.Member(name)
		return out, err == nil
	}
	for _, x := range m.p.Members {
		if x.Name == name {
			y, err := m.eval(x.Value, nil)
			return y, err == nil
		}
	}
	return v, false
}

// printedText returns the text that an entry says a value is, at most some bytes of it.
func printedText(v Value, m *match, most int64) (string, bool) {
	switch {
	case m.p.String != "":
		x, err := m.eval(m.p.String, nil)
		if err != nil {
			return "", false
		}
		return x.Content()
	case m.p.Text != nil:
		at, err := m.eval(m.p.Text.At, nil)
		if err != nil {
			return "", false
		}
		var addr uint64
		if k := kindOf(at.typ); k == debuginfo.KindArray && at.form == formMemory {
			addr = at.addr
		} else if k == debuginfo.KindArray && at.form == formBytes {
			size, ok := m.integer(m.p.Text.Size, nil)
			if !ok || size < 0 || size > int64(len(at.data)) {
				return "", false
			}
			return string(at.data[:size]), true
		} else if addr, err = at.word(); err != nil {
			return "", false
		}
		size, ok := m.integer(m.p.Text.Size, nil)
		if !ok || size < 0 {
			return "", false
		}
		unit := int64(1)
		if m.p.Text.Unit == 16 {
			unit = 2
		}
		b := make([]byte, min(size, most, maxValue)*unit)
		if v.env.Memory == nil || len(b) > 0 && !v.env.Memory.Read(addr, b) {
			return "", false
		}
		if unit == 1 {
			return string(b), true
		}
		return utf16Text(b), true
	case m.p.As != "":
		x, err := shownAs(v, m)
		if err != nil {
			return "", false
		}
		return x.Content()
	}
	return "", false
}

func utf16Text(b []byte) string {
	u := make([]uint16, len(b)/2)
	for i := range u {
		u[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
	}
	return string(utf16.Decode(u))
}

// integer evaluates an expression that is an integer.
func (m *match) integer(text string, extra map[string]Value) (int64, bool) {
	x, err := m.eval(text, extra)
	if err != nil {
		return 0, false
	}
	n, err := (&evaluator{env: x.env, lang: m.self.lang}).num(x)
	return int64(n.i), err == nil && !n.float
}

// truth evaluates a condition.
func (m *match) truth(text string, extra map[string]Value) bool {
	x, err := m.eval(text, extra)
	if err != nil {
		return false
	}
	is, err := x.Truth()
	return err == nil && is
}

// index returns the variable i.
func (m *match) index(i int) map[string]Value {
	ev := &evaluator{env: m.self.env, lang: m.self.lang}
	return map[string]Value{"i": ev.scalar(intType(m.self.lang, 4, true), uint64(i))}
}

// maxWalked bounds how many elements of a list, or slots of a table, are looked at.
const maxWalked = 100000

// printedCount returns how many elements a value has.
func printedCount(v Value, m *match) int {
	if m.p.As != "" {
		if x, err := shownAs(v, m); err == nil {
			return x.Indexed()
		}
	}
	it := m.p.Items
	if it == nil {
		return 0
	}
	if it.Count != "" && it.If == "" {
		n, ok := m.integer(it.Count, nil)
		if !ok || n < 0 {
			return 0
		}
		return int(min(n, maxIndexed))
	}
	n := 0
	m.walk(func(map[string]Value) bool { n++; return n < maxWalked })
	return n
}

// printedPage lists some of the elements of a value.
func printedPage(v Value, m *match, from, n int) []Child {
	if m.p.As != "" {
		if x, err := shownAs(v, m); err == nil {
			return x.Page(from, n)
		}
	}
	it := m.p.Items
	if it == nil || n <= 0 {
		return nil
	}
	var out []Child
	add := func(i int, extra map[string]Value) {
		x, err := m.eval(it.Value, extra)
		if err != nil {
			x = Missing(v.env, nil, v.lang, err)
		}
		c := Child{Name: fmt.Sprintf("[%d]", i), Path: fmt.Sprintf("[%d]", i), Value: x}
		if it.Key != "" {
			k, err := m.eval(it.Key, extra)
			if err != nil {
				k = Missing(v.env, nil, v.lang, err)
			}
			c.key = &k
			c.Path = ""
			text := k.Text(Style{})
			if _, ok := k.Content(); ok || isLeaf(k.settled()) && kindOf(k.settled().typ) != debuginfo.KindEnum {
				isChar := isLeaf(k.settled()) && kindOf(k.settled().typ) == debuginfo.KindChar
				if !strings.HasSuffix(text, "…") && !isChar {
					c.Path = "[" + text + "]"
				}
			}
			c.Name = "[" + text + "]"
		}
		out = append(out, c)
	}
	if it.direct() {
		for i := from; i < from+n; i++ {
			add(i, m.index(i))
		}
		return out
	}
	i := 0
	m.walk(func(extra map[string]Value) bool {
		if i >= from {
			add(i, extra)
		}
		i++
		return i < from+n
	})
	return out
}

// direct reports whether each element can be had by its index.
func (it *items) direct() bool {
	return it.If == "" && it.First == "" && it.Root == "" && it.Bases == ""
}

// walk calls f with the variables of each element until it returns false.
func (m *match) walk(f func(extra map[string]Value) bool) {
	it := m.p.Items
	switch {
	case it.First != "":
		m.walkList(f)
	case it.Root != "":
		m.walkTree(f)
	case it.Bases != "":
		x, err := m.eval(it.Bases, nil)
		if err != nil {
			return
		}
		for _, fd := range x.env.fieldsOf(debuginfo.Strip(x.typ)) {
			if fd.Base && !f(map[string]Value{"base": fieldOf(x, fd, 0)}) {
				return
			}
		}
	default:
		n, ok := m.integer(it.Count, nil)
		if !ok {
			return
		}
		for i := range int(min(max(n, 0), maxWalked)) {
			extra := m.index(i)
			if it.If != "" && !m.truth(it.If, extra) {
				continue
			}
			if !f(extra) {
				return
			}
		}
	}
}

// nodeType returns the type that pointers to nodes are converted to; nil: they are as they are.
func (m *match) nodeType() (*debuginfo.Type, error) {
	if m.p.Items.Node == "" {
		return nil, nil
	}
	name, err := m.typeText(m.p.Items.Node)
	if err != nil {
		return nil, err
	}
	t := m.self.env.lookupType(m.self.lang, name)
	if t == nil {
		return nil, fmt.Errorf("there is no type %s", name)
	}
	return pointerTo(m.self.lang, t), nil
}

// node returns the variable node for a pointer; ok is false at null.
func (m *match) node(x Value, t *debuginfo.Type) (extra map[string]Value, ok bool) {
	if t != nil && x.form != formObject {
		y, err := (&evaluator{env: x.env, lang: m.self.lang}).cast(x, t)
		if err != nil {
			return nil, false
		}
		x = y
	}
	return map[string]Value{"node": x}, !isNull(x) && x.err == nil
}

func (m *match) walkList(f func(extra map[string]Value) bool) {
	it := m.p.Items
	t, err := m.nodeType()
	if err != nil {
		return
	}
	x, err := m.eval(it.First, nil)
	left := int64(maxWalked)
	if it.Count != "" {
		if n, ok := m.integer(it.Count, nil); ok {
			left = min(n, left)
		}
	}
	for ; err == nil && left > 0; left-- {
		extra, ok := m.node(x, t)
		if !ok || it.End != "" && m.truth(it.End, extra) || !f(extra) {
			return
		}
		x, err = m.eval(it.Next, extra)
	}
}

// walkTree goes through a tree in its order.
func (m *match) walkTree(f func(extra map[string]Value) bool) {
	it := m.p.Items
	t, err := m.nodeType()
	if err != nil {
		return
	}
	x, err := m.eval(it.Root, nil)
	if err != nil {
		return
	}
	type step struct {
		extra map[string]Value
		open  bool // what is left of it has been done
	}
	var todo []step
	push := func(x Value) {
		if extra, ok := m.node(x, t); ok {
			todo = append(todo, step{extra, false})
		}
	}
	push(x)
	for n := 0; len(todo) > 0 && n < 2*maxWalked && len(todo) < 1000; n++ {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !s.open {
			todo = append(todo, step{s.extra, true})
			if l, err := m.eval(it.Left, s.extra); err == nil {
				push(l)
			}
			continue
		}
		if !f(s.extra) {
			return
		}
		if r, err := m.eval(it.Right, s.extra); err == nil {
			push(r)
		}
	}
}

// classKey names a class of objects.
type classKey struct {
	m any
	t uint32
}

// printedName returns how an entry calls the type of a value; "": as it is called.
func printedName(v Value) string {
	m := v.match()
	if m == nil || m.p.Name == "" {
		return ""
	}
	s, err := m.typeText(m.p.Name)
	if err != nil {
		return ""
	}
	return s
}
