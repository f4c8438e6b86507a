package lang

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"stackscope/analysis/debuginfo"
	"stackscope/vm"
	"stackscope/vm/debugger/expr"
)

// Scope resolves the names of an expression.
type Scope interface {
	// Lookup returns the variable of a name; ok is false if there is none.
	Lookup(name string) (v Value, ok bool)
	// Machine returns what a path of WebAssembly names: `$x`.
	Machine(path string) (Value, error)
}

// NameError reports a name that is no variable.
type NameError struct{ Name string }

func (e *NameError) Error() string {
	return fmt.Sprintf("there is no variable %s here", expr.Brief(e.Name))
}

// evaluator evaluates one expression.
type evaluator struct {
	env      *Env
	lang     debuginfo.Language
	scope    Scope
	checking bool // no value is known
	assigns  bool // it may assign
	steps    int
}

// maxSteps bounds the work of one evaluation.
const maxSteps = 100000

// Eval evaluates an expression; assign lets it assign.
func (x *Expr) Eval(env *Env, s Scope, assign bool) (Value, error) {
	ev := &evaluator{env: env, lang: x.lang, scope: s, assigns: assign}
	return ev.eval(x.root)
}

// Check finds what is wrong with an expression, as far as that can be told by types: the values of
// the scope are those of Unknown.
func (x *Expr) Check(env *Env, s Scope) error {
	ev := &evaluator{env: env, lang: x.lang, scope: s, checking: true}
	_, err := ev.eval(x.root)
	return err
}

// Unknown returns a value of a type that is not known yet; t is nil if its type is not known either.
func Unknown(env *Env, t *debuginfo.Type, l debuginfo.Language) Value {
	v := Value{env: env, typ: t, lang: l, unknown: true, form: formMemory}
	if t == nil {
		v.form = formObject
	}
	return v
}

// ErrAssign reports an assignment where none is allowed.
var ErrAssign = errors.New("assignments are allowed only in the console")

func (ev *evaluator) eval(n *node) (Value, error) {
	if ev.steps++; ev.steps > maxSteps {
		return Value{}, errors.New("the expression takes too long")
	}
	switch n.kind {
	case nName:
		return ev.name(n)
	case nNumber:
		return ev.number(n.text)
	case nChar:
		return ev.char(n.text), nil
	case nString:
		return ev.text(n.text), nil
	case nNull:
		return Value{env: ev.env, lang: ev.lang, form: formObject, ref: vm.Value{}}, nil
	case nBool:
		return ev.bool(n.text == "true"), nil
	case nMachine:
		return ev.scope.Machine(n.text)
	case nSizeof:
		return ev.sizeof(n)
	case nAssign:
		return ev.assign(n)
	case nCond:
		return ev.cond(n)
	case nBinary:
		return ev.binary(n)
	}
	x, err := ev.eval(n.args[0])
	if err != nil {
		return x, err
	}
	switch n.kind {
	case nMember:
		return ev.member(x, n)
	case nIndex:
		return ev.index(x, n)
	case nSlice:
		return ev.slice(x, n)
	case nTimes:
		return ev.times(x, n)
	case nUnary:
		return ev.unary(n.op, x)
	case nCast:
		return ev.cast(x, n.typ)
	case nIs:
		return ev.is(x, n)
	}
	return x, errors.New("this cannot be evaluated")
}

func (ev *evaluator) name(n *node) (Value, error) {
	if v, ok := ev.scope.Lookup(n.text); ok {
		if v.err != nil {
			return v, v.err
		}
		return v, nil
	}
	for _, self := range []string{"this", "self", "<this>"} {
		if v, ok := ev.scope.Lookup(self); ok {
			if x, err := v.Member(n.text); err == nil {
				return x, nil
			}
		}
	}
	if i := strings.LastIndex(n.text, "::"); i > 0 {
		if t := ev.env.lookupType(ev.lang, n.text[:i]); t != nil {
			if v, ok := ev.enumerator(t, n.text); ok {
				return v, nil
			}
		}
	}
	return Value{}, &NameError{n.text}
}

// enumerator returns the value of a name of an enum.
func (ev *evaluator) enumerator(t *debuginfo.Type, name string) (Value, bool) {
	s := debuginfo.Strip(t)
	if s == nil || s.Kind != debuginfo.KindEnum {
		return Value{}, false
	}
	short := name[strings.LastIndexAny(name, ":.")+1:]
	for _, e := range s.Values {
		if e.Name == name || e.Name == short {
			return ev.scalar(s, uint64(e.Value)), true
		}
	}
	return Value{}, false
}

// scalar returns the value of a scalar type that some bits are.
func (ev *evaluator) scalar(t *debuginfo.Type, bits uint64) Value {
	b := make([]byte, min(max(sizeOf(t), 1), 16))
	putLE(b, bits)
	v := OfBytes(ev.env, t, b, nil)
	v.lang = ev.lang
	return v
}

func (ev *evaluator) bool(b bool) Value {
	n := uint64(0)
	if b {
		n = 1
	}
	return ev.scalar(boolType(ev.lang), n)
}

// char returns a character literal.
func (ev *evaluator) char(s string) Value {
	r, _ := utf8.DecodeRuneInString(s)
	if len(s) == 1 {
		r = rune(s[0])
	}
	v := ev.scalar(charType(ev.lang), uint64(r))
	v.literal = true
	return v
}

func charType(l debuginfo.Language) *debuginfo.Type {
	switch family(l) {
	case debuginfo.Kotlin:
		return basic(l, "Char")
	case debuginfo.C:
		return basic(l, "char")
	}
	return basic(l, "char")
}

// text returns a string literal.
func (ev *evaluator) text(s string) Value {
	t := &debuginfo.Type{
		Kind: debuginfo.KindArray, Language: ev.lang, Count: int64(len(s)), Size: int64(len(s)),
		Target: func() *debuginfo.Type { return basic(debuginfo.C, "char") },
	}
	v := OfBytes(ev.env, t, []byte(s), nil)
	v.lang, v.textual = ev.lang, true
	return v
}

func (ev *evaluator) sizeof(n *node) (Value, error) {
	size := int64(-1)
	if n.typ != nil {
		size = sizeOf(n.typ)
	} else {
		x, err := ev.eval(n.args[0])
		if err != nil {
			return x, err
		}
		if size = x.size(); x.textual && x.form == formBytes {
			size++
		}
	}
	if size < 0 {
		return Value{}, errors.New("its size is not known")
	}
	return ev.scalar(intType(ev.lang, 4, false), uint64(size)), nil
}

func (ev *evaluator) cond(n *node) (Value, error) {
	c, err := ev.eval(n.args[0])
	if err != nil {
		return c, err
	}
	if ev.checking {
		if _, err := ev.eval(n.args[1]); err != nil {
			return c, err
		}
		return ev.eval(n.args[2])
	}
	is, err := ev.truth(c)
	if err != nil {
		return c, err
	}
	if is {
		return ev.eval(n.args[1])
	}
	return ev.eval(n.args[2])
}

// Truth reports whether a value counts as true.
func (v Value) Truth() (bool, error) { return (&evaluator{env: v.env, lang: v.lang}).truth(v) }

func (ev *evaluator) truth(v Value) (bool, error) {
	v = v.settled()
	switch {
	case v.unknown:
		return false, nil
	case v.form == formObject:
		return !v.ref.Ref.IsNull(), nil
	case kindOf(v.typ) == debuginfo.KindArray:
		return true, nil
	}
	n, err := ev.num(v)
	if err != nil {
		return false, err
	}
	if n.float {
		return n.f != 0, nil
	}
	return n.i != 0, nil
}

// settled returns what a reference refers to, and what a box has in it.
func (v Value) settled() Value {
	for range 20 {
		if v.unknown && v.typ == nil {
			return v
		}
		if m := v.match(); m != nil && m.p.As != "" {
			if x, err := shownAs(v, m); err == nil {
				v = x
				continue
			}
		}
		t := debuginfo.Strip(v.typ)
		if v.form == formObject || t == nil ||
			t.Kind != debuginfo.KindReference && (t.Kind != debuginfo.KindPointer || !follows(v, t)) {
			return v
		}
		to, err := v.Deref()
		if err != nil {
			return v
		}
		v = to
	}
	return v
}

func (ev *evaluator) member(x Value, n *node) (Value, error) {
	if n.op == "()" {
		if v, ok, err := ev.property(x, n.text); ok {
			return v, err
		}
		if out, err := x.Member(n.text); err == nil && strings.HasPrefix(n.text, "get") {
			return out, nil
		}
		return x, fmt.Errorf("%s() cannot be called here", n.text)
	}
	if n.text == "?" { // what an optional of Zig has
		if m := x.match(); m != nil && m.p.As != "" {
			v, err := shownAs(x, m)
			return v, err
		}
		if x.unknown {
			return Unknown(ev.env, nil, ev.lang), nil
		}
		return x, errors.New("there is no value: it is null")
	}
	v, err := x.Member(n.text)
	if err != nil {
		if v, ok, err := ev.property(x, n.text); ok {
			return v, err
		}
		return v, err
	}
	return v, v.err
}

// property returns what the functions without effects return that most programs have: the length
// of a text or a list, conversions of numbers.
func (ev *evaluator) property(x Value, name string) (Value, bool, error) {
	x = x.settled()
	if t := debuginfo.Strip(x.typ); t != nil && t.Kind == debuginfo.KindPointer {
		if to, err := x.Deref(); err == nil {
			x = to
		}
	}
	switch name {
	case "length", "size", "len", "count":
		if x.unknown && x.typ == nil || mayBePrinted(x) {
			return ev.scalar(intType(ev.lang, 4, true), 0), true, nil
		}
		if v, ok := lengthMember(x, name); ok {
			return v, true, nil
		}
		return x, false, nil
	case "toInt", "toLong", "toShort", "toByte", "toFloat", "toDouble", "toChar",
		"toUInt", "toULong", "toUByte", "toUShort":
		if t := basic(debuginfo.Kotlin, name[2:]); t != nil && ev.lang == debuginfo.Kotlin {
			v, err := ev.cast(x, t)
			return v, true, err
		}
	}
	return x, false, nil
}

// lengthMember returns how long a text or list is.
func lengthMember(v Value, name string) (Value, bool) {
	switch name {
	case "length", "size", "len", "count":
	default:
		return v, false
	}
	ev := &evaluator{env: v.env, lang: v.lang}
	if s, ok := v.Content(); ok {
		n := len(s)
		if v.lang == debuginfo.Kotlin || v.lang == debuginfo.AssemblyScript {
			n = len(utf16.Encode([]rune(s)))
		}
		return ev.scalar(intType(v.lang, 4, v.lang != debuginfo.Rust), uint64(n)), true
	}
	if v.form == formObject && objectList(v) || v.form == formList || kindOf(v.typ) == debuginfo.KindArray {
		return ev.scalar(intType(v.lang, 4, v.lang != debuginfo.Rust), uint64(v.Indexed())), true
	}
	if m := v.match(); v.form != formObject && m != nil && m.hasItems() {
		return ev.scalar(intType(v.lang, 4, v.lang != debuginfo.Rust), uint64(printedCount(v, m))), true
	}
	return v, false
}

func (ev *evaluator) index(x Value, n *node) (Value, error) {
	if x.unknown && x.typ == nil {
		_, err := ev.eval(n.args[1])
		return x, err
	}
	k, err := ev.eval(n.args[1])
	if err != nil {
		return k, err
	}
	x = x.shown()
	if m := x.match(); m != nil && m.keyed() {
		return ev.keyed(x, m, k)
	}
	i, err := ev.num(k)
	if err != nil {
		return k, err
	}
	if i.float {
		return k, errors.New("an index is an integer")
	}
	v, err := x.Index(int64(i.i))
	if err != nil {
		return v, err
	}
	return v, v.err
}

// shown returns what a value is shown as, if that is another one.
func (v Value) shown() Value {
	for range 20 {
		m := v.match()
		if m == nil || m.p.As == "" {
			return v
		}
		x, err := shownAs(v, m)
		if err != nil {
			return v
		}
		v = x
	}
	return v
}

// keyed looks a key up in a map that a printer shows.
func (ev *evaluator) keyed(x Value, m *match, key Value) (Value, error) {
	if ev.checking || x.unknown {
		return Unknown(ev.env, nil, ev.lang), nil
	}
	count := printedCount(x, m)
	for i := 0; i < count && i < maxSteps; i += 64 {
		for _, c := range printedPage(x, m, i, min(64, count-i)) {
			if c.key == nil {
				continue
			}
			if same, err := ev.equal(*c.key, key, false); err == nil && same {
				return c.Value, c.Value.err
			}
		}
	}
	return x, fmt.Errorf("there is no key %s", key.Text(Style{}))
}

// bounds evaluates the bounds of a range.
func (ev *evaluator) bound(n *node, otherwise int64) (int64, error) {
	if n == nil {
		return otherwise, nil
	}
	v, err := ev.eval(n)
	if err != nil {
		return 0, err
	}
	k, err := ev.num(v)
	if err == nil && k.float {
		err = errors.New("a bound is an integer")
	}
	return int64(k.i), err
}

func (ev *evaluator) slice(x Value, n *node) (Value, error) {
	x = x.shown()
	t := debuginfo.Strip(x.typ)
	pointer := x.form != formObject && t != nil && t.Kind == debuginfo.KindPointer && !follows(x, t)
	size := int64(-1)
	if !pointer {
		size = int64(x.Indexed())
	}
	lo, err := ev.bound(n.args[1], 0)
	if err != nil {
		return x, err
	}
	hi, err := ev.bound(n.args[2], size)
	if err != nil {
		return x, err
	}
	if n.op == "..=" && n.args[2] != nil {
		hi++
	}
	if ev.checking || x.unknown {
		return Unknown(ev.env, nil, ev.lang), nil
	}
	switch {
	case pointer && hi < 0:
		return x, errors.New("a range of a pointer needs its end")
	case lo > hi || lo < 0 && !pointer || !pointer && hi > size:
		return x, fmt.Errorf("%d..%d is out of bounds: there are %d elements", lo, hi, max(size, 0))
	}
	out := Value{env: ev.env, lang: x.lang, form: formList, count: int(min(hi-lo, maxIndexed))}
	out.items = func(from, k int) []Child {
		var cs []Child
		for i := from; i < from+k; i++ {
			v, err := x.Index(lo + int64(i))
			if err != nil {
				v = Missing(ev.env, nil, x.lang, err)
			}
			cs = append(cs, Child{Name: fmt.Sprintf("[%d]", lo+int64(i)), Path: fmt.Sprintf("[%d]", i), Value: v})
		}
		return cs
	}
	return out, nil
}

func (ev *evaluator) times(x Value, n *node) (Value, error) {
	k, err := ev.bound(n.args[1], 0)
	switch {
	case err != nil:
		return x, err
	case x.form != formMemory || x.bits > 0:
		return x, errors.New("@ needs something in memory before it")
	case !ev.checking && (k <= 0 || k > maxIndexed):
		return x, errors.New("@ needs a number of elements after it")
	}
	to := x.typ
	t := &debuginfo.Type{
		Kind: debuginfo.KindArray, Language: ev.lang, Count: k, Target: func() *debuginfo.Type { return to },
	}
	v := InMemory(ev.env, t, x.addr)
	v.unknown = x.unknown
	return v, nil
}

// is tests the class of an object, as Kotlin's `is` does.
func (ev *evaluator) is(x Value, n *node) (Value, error) {
	if x.unknown {
		return ev.bool(false), nil
	}
	found := false
	if x.form == formObject {
		for _, s := range supers(x) {
			found = found || s == n.text || ClassName(ev.lang, s) == n.text || strings.HasSuffix(s, "."+n.text)
		}
	} else {
		found = x.TypeName() == n.text
	}
	return ev.bool(found != (n.op == "!is")), nil
}

// Content returns the text of a value that is one: a string of its language, an array of characters, a
// pointer to them.
func (v Value) Content() (string, bool) {
	const most = 1 << 20
	v = v.settled()
	if v.unknown {
		return "", false
	}
	if m := v.match(); m != nil {
		return printedText(v, m, most)
	}
	if v.form == formObject {
		if h, ok := hostOf(v); ok && h.JSType() == "string" {
			return h.String(), true
		}
		return "", false
	}
	t := debuginfo.Strip(v.typ)
	if t == nil {
		return "", false
	}
	to := targetOf(t)
	switch {
	case t.Kind == debuginfo.KindArray && (isChar(to) || v.textual):
		b, err := v.read(0, min(int64(v.Indexed()), maxValue))
		if err != nil {
			return "", false
		}
		if i := strings.IndexByte(string(b), 0); i >= 0 && !v.textual {
			b = b[:i]
		}
		return string(b), true
	case t.Kind == debuginfo.KindPointer && isChar(to):
		addr, err := v.word()
		if err != nil || addr == 0 || !v.readable(addr, 1) {
			return "", false
		}
		var out []byte
		b := make([]byte, 256)
		for len(out) < most {
			n := min(uint64(len(b)), v.env.Memory.Size()-addr)
			if n == 0 || !v.env.Memory.Read(addr, b[:n]) {
				break
			}
			if i := strings.IndexByte(string(b[:n]), 0); i >= 0 {
				return string(append(out, b[:i]...)), true
			}
			out = append(out, b[:n]...)
			addr += n
		}
		return string(out), true
	}
	return "", false
}
