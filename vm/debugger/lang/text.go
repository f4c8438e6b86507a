package lang

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"stackscope/analysis/debuginfo"
)

// Style is how a value is written.
type Style struct {
	Hex   bool // integers in hexadecimal
	Whole bool // as much as there is, for the clipboard
}

// Bounds of what is written of a value.
const (
	briefBytes = 120
	briefDepth = 3
	briefItems = 8
	wholeBytes = 1 << 20
	wholeDepth = 8
	textBytes  = 200 // of a string
)

// writer writes a value within bounds.
type writer struct {
	strings.Builder
	style Style
	bytes int // in all
	depth int // of what is inside of each other
	items int // of one value
	chars int // of one text
}

// Text writes the value in one line.
func (v Value) Text(s Style) string {
	w := &writer{style: s, bytes: briefBytes, depth: briefDepth, items: briefItems, chars: textBytes}
	if s.Whole {
		w.bytes, w.depth, w.items, w.chars = wholeBytes, wholeDepth, wholeBytes, wholeBytes
	}
	w.value(v, 0)
	return w.String()
}

// full reports whether no more is to be written.
func (w *writer) full() bool { return w.Len() >= w.bytes }

// noted writes why there is no value.
func noted(err error) string {
	if errors.Is(err, debuginfo.ErrOptimizedOut) {
		return "<optimized out>"
	}
	return "<" + err.Error() + ">"
}

func (w *writer) value(v Value, depth int) {
	switch {
	case v.form == formNone && v.err != nil:
		w.WriteString(noted(v.err))
		return
	case v.form == formNone:
		w.WriteString("?")
		return
	case depth > w.depth && !isBrief(v):
		w.WriteString("…")
		return
	case v.form == formObject:
		w.object(v, depth)
		return
	case v.form == formList:
		w.list(v.Page, v.count, depth)
		return
	}
	if m := v.match(); m != nil && w.printed(v, m, depth) {
		return
	}
	t := debuginfo.Strip(v.typ)
	if t == nil {
		w.WriteString("<its type is not known>")
		return
	}
	switch t.Kind {
	case debuginfo.KindStruct, debuginfo.KindUnion:
		w.structure(v, t, depth)
	case debuginfo.KindArray:
		w.array(v, t, depth)
	case debuginfo.KindReference:
		to, err := v.Deref()
		if err != nil {
			w.WriteString(noted(err))
			return
		}
		w.value(to, depth)
	case debuginfo.KindPointer:
		w.pointer(v, t, depth)
	default:
		w.scalar(v, t)
	}
}

// scalar writes a number, a character, an enum.
func (w *writer) scalar(v Value, t *debuginfo.Type) {
	size := v.size()
	if t.Kind == debuginfo.KindVoid {
		w.WriteString("void")
		return
	}
	if t.Kind == debuginfo.KindComplex && (size == 8 || size == 16) {
		w.complex(v, size)
		return
	}
	if size > 8 && size <= 16 && (t.Kind == debuginfo.KindInt || t.Kind == debuginfo.KindUint ||
		t.Kind == debuginfo.KindFloat) {
		w.wide(v, t, size)
		return
	}
	n, err := v.word()
	if err != nil {
		w.WriteString(noted(err))
		return
	}
	if w.style.Hex && t.Kind != debuginfo.KindFloat && t.Kind != debuginfo.KindEnum && t.Kind != debuginfo.KindBool {
		fmt.Fprintf(w, "0x%0*x", int(widthOf(v)+3)/4, n)
		return
	}
	switch t.Kind {
	case debuginfo.KindBool:
		switch n {
		case 0:
			w.WriteString("false")
		case 1:
			w.WriteString("true")
		default:
			fmt.Fprintf(w, "%d", n)
		}
	case debuginfo.KindChar:
		w.char(v, t, n)
	case debuginfo.KindFloat:
		w.float(v, t, n, size)
	case debuginfo.KindEnum:
		i, _ := v.integer()
		w.WriteString(enumText(t, i, w.style.Hex))
	case debuginfo.KindInt:
		i, _ := v.integer()
		fmt.Fprintf(w, "%d", i)
	case debuginfo.KindUint:
		fmt.Fprintf(w, "%d", n)
	default:
		fmt.Fprintf(w, "<%d bytes>", size)
	}
}

func (w *writer) float(v Value, t *debuginfo.Type, n uint64, size int64) {
	if size != 4 && size != 8 {
		fmt.Fprintf(w, "0x%0*x", size*2, n)
		return
	}
	f, bits := math.Float64frombits(n), 64
	if size == 4 {
		f, bits = float64(math.Float32frombits(uint32(n))), 32
	}
	w.WriteString(FloatText(f, bits, v.lang))
}

// FloatText writes a floating-point number as people read it.
func FloatText(f float64, bits int, l debuginfo.Language) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, bits), "+")
	}
	s := strconv.FormatFloat(f, 'g', -1, bits)
	if a := math.Abs(f); a == 0 || a >= 1e-5 && a < 1e17 {
		s = strconv.FormatFloat(f, 'f', -1, bits)
	}
	switch l {
	case debuginfo.Kotlin, debuginfo.Rust, debuginfo.AssemblyScript:
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
	}
	return s
}

func (w *writer) complex(v Value, size int64) {
	b, err := v.read(0, size)
	if err != nil {
		w.WriteString(noted(err))
		return
	}
	if size == 8 {
		re := math.Float32frombits(binary.LittleEndian.Uint32(b))
		im := math.Float32frombits(binary.LittleEndian.Uint32(b[4:]))
		fmt.Fprintf(w, "%s + %si", FloatText(float64(re), 32, v.lang), FloatText(float64(im), 32, v.lang))
		return
	}
	re := math.Float64frombits(binary.LittleEndian.Uint64(b))
	im := math.Float64frombits(binary.LittleEndian.Uint64(b[8:]))
	fmt.Fprintf(w, "%s + %si", FloatText(re, 64, v.lang), FloatText(im, 64, v.lang))
}

// wide writes a number of more than 8 bytes.
func (w *writer) wide(v Value, t *debuginfo.Type, size int64) {
	b, err := v.read(0, size)
	if err != nil {
		w.WriteString(noted(err))
		return
	}
	if t.Kind == debuginfo.KindFloat && size == 16 {
		w.WriteString(quadText(b))
		return
	}
	n := new(big.Int)
	for i := size - 1; i >= 0; i-- {
		n.Lsh(n, 8).Or(n, big.NewInt(int64(b[i])))
	}
	if w.style.Hex {
		fmt.Fprintf(w, "0x%0*x", size*2, n)
		return
	}
	if t.Kind == debuginfo.KindInt && b[size-1] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(size)*8))
	}
	w.WriteString(n.String())
}

// quadText writes an IEEE number of 16 bytes: long double of wasm32.
func quadText(b []byte) string {
	lo, hi := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	exp := int(hi >> 48 & 0x7fff)
	m := new(big.Int).SetUint64(hi & (1<<48 - 1))
	m.Lsh(m, 64).Or(m, new(big.Int).SetUint64(lo))
	sign := ""
	if hi>>63 != 0 {
		sign = "-"
	}
	switch {
	case exp == 0x7fff && m.Sign() == 0:
		return sign + "Inf"
	case exp == 0x7fff:
		return "nan"
	case exp == 0 && m.Sign() == 0:
		return sign + "0"
	case exp == 0:
		exp = 1
	default:
		m.SetBit(m, 112, 1)
	}
	f := new(big.Float).SetPrec(113).SetInt(m)
	f.SetMantExp(f, exp-16383-112)
	return sign + f.Text('g', 33)
}

// char writes a character: `97 'a'` as gdb does where characters are numbers, `'a'` elsewhere.
func (w *writer) char(v Value, t *debuginfo.Type, n uint64) {
	switch v.lang {
	case debuginfo.Kotlin, debuginfo.Rust, debuginfo.Zig, debuginfo.AssemblyScript:
		w.WriteString(quoteChar(rune(n)))
		return
	}
	i, _ := v.integer()
	if v.size() == 1 && n >= 0x80 {
		fmt.Fprintf(w, "%d '\\%03o'", i, n)
		return
	}
	fmt.Fprintf(w, "%d %s", i, quoteChar(rune(n)))
}

// quoteChar writes a character as a literal of C.
func quoteChar(r rune) string {
	switch {
	case r == 0:
		return `'\000'`
	case r == '"':
		return `'"'`
	case r < 0 || r > utf8.MaxRune || r >= 0xd800 && r < 0xe000:
		return fmt.Sprintf(`'\u%04x'`, uint32(r))
	}
	return strconv.QuoteRune(r)
}

// enumText writes the value of an enum: its name, or the names of its bits.
func enumText(t *debuginfo.Type, n int64, hex bool) string {
	size := uint(min(max(sizeOf(t), 1), 8)) * 8
	mask := uint64(math.MaxUint64) >> (64 - size)
	for _, e := range t.Values {
		if uint64(e.Value)&mask == uint64(n)&mask {
			return enumName(t, e.Name)
		}
	}
	left, names, flags := uint64(n)&mask, []string(nil), len(t.Values) > 1
	for _, e := range t.Values {
		b := uint64(e.Value) & mask
		if b&(b-1) != 0 {
			flags = false
			break
		}
		if b != 0 && left&b != 0 {
			names = append(names, enumName(t, e.Name))
			left &^= b
		}
	}
	if flags && len(names) > 0 {
		if left != 0 {
			names = append(names, fmt.Sprintf("0x%x", left))
		}
		return strings.Join(names, " | ")
	}
	if hex {
		return fmt.Sprintf("0x%x", uint64(n)&mask)
	}
	return strconv.FormatInt(n, 10)
}

func enumName(t *debuginfo.Type, name string) string {
	if t.Language == debuginfo.CPlusPlus && t.Word == "enum class" && t.Name != "" && !strings.Contains(name, "::") {
		return t.Name + "::" + name
	}
	return name
}

// pointer writes a pointer: where to, and the text or the function that is there.
func (w *writer) pointer(v Value, t *debuginfo.Type, depth int) {
	n, err := v.word()
	if err != nil {
		w.WriteString(noted(err))
		return
	}
	to := targetOf(t)
	switch {
	case n == 0:
		w.WriteString("null")
		return
	case kindOf(to) == debuginfo.KindFunc:
		name, ok := "", false
		if v.env.Function != nil {
			name, ok = v.env.Function(n)
		}
		if !ok {
			name = "no function"
		}
		fmt.Fprintf(w, "0x%x <%s>", n, name)
		return
	case !v.readable(n, max(sizeOf(to), 1)):
		fmt.Fprintf(w, "0x%x <out of memory>", n)
		return
	}
	if follows(v, t) {
		if to, err := v.Deref(); err == nil {
			w.value(to, depth)
			return
		}
	}
	fmt.Fprintf(w, "0x%x", n)
	if isChar(to) && (v.lang == debuginfo.C || v.lang == debuginfo.CPlusPlus || v.lang == debuginfo.Other) {
		w.WriteByte(' ')
		w.cstring(v, n)
	}
}

// readable reports whether bytes at an address exist.
func (v Value) readable(addr uint64, n int64) bool {
	m := v.env.Memory
	return m != nil && n >= 0 && addr < m.Size() && uint64(n) <= m.Size()-addr
}

// follows reports whether a pointer is shown as what it refers to: Rust's references and boxes,
// which are never null or wild.
func follows(v Value, t *debuginfo.Type) bool {
	if t == managedReference {
		return managedTarget(v) != nil
	}
	if t.Language != debuginfo.Rust || targetOf(t) == nil {
		return false
	}
	return strings.HasPrefix(t.Name, "&") || strings.HasPrefix(t.Name, "alloc::boxed::Box<")
}

// cstring writes the text at an address up to its zero byte.
func (w *writer) cstring(v Value, addr uint64) {
	m := v.env.Memory
	n := min(uint64(w.chars)+1, m.Size()-addr)
	b := make([]byte, n)
	if !m.Read(addr, b) {
		return
	}
	for i, c := range b {
		if c == 0 {
			w.quoted(b[:i], false)
			return
		}
	}
	w.quoted(b[:min(len(b), w.chars)], len(b) > w.chars)
}

// quoted writes bytes as a text in quotes: UTF-8 where they are.
func (w *writer) quoted(b []byte, more bool) {
	w.WriteString(QuoteBytes(b))
	if more {
		w.WriteString("…")
	}
}

// QuoteBytes writes bytes as a string literal; those that are no UTF-8 in octal.
func QuoteBytes(b []byte) string {
	var s strings.Builder
	s.WriteByte('"')
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n <= 1:
			fmt.Fprintf(&s, `\%03o`, b[0])
		case r == '"':
			s.WriteString(`\"`)
		case r == '\'':
			s.WriteByte('\'')
		case r == 0:
			s.WriteString(`\000`)
		default:
			q := strconv.QuoteRune(r)
			s.WriteString(q[1 : len(q)-1])
		}
		b = b[n:]
	}
	s.WriteByte('"')
	return s.String()
}

func (w *writer) structure(v Value, t *debuginfo.Type, depth int) {
	if p := variantsOf(t); p != nil {
		w.variant(v, t, p, depth)
		return
	}
	if t.Language == debuginfo.CPlusPlus && strings.HasPrefix(t.Name, "std::") && depth > 0 && !w.style.Whole {
		w.WriteString("{…}") // of a library's type that no printer shows
		return
	}
	cs := v.members(t, false)
	rust := v.lang == debuginfo.Rust
	switch {
	case rust:
		w.WriteString(shortName(t.Name))
	case v.lang == debuginfo.AssemblyScript:
		w.WriteString(ClassName(v.lang, t.Name) + " ")
	}
	w.fields(v.lang, cs, depth)
}

// fields writes members in the way of a language.
func (w *writer) fields(l debuginfo.Language, cs []Child, depth int) {
	tuple := l == debuginfo.Rust && len(cs) > 0
	for _, c := range cs {
		tuple = tuple && strings.HasPrefix(c.Name, "__") && isDigits(c.Name[2:])
	}
	open, end, eq := "{", "}", " = "
	switch {
	case tuple:
		open, end = "(", ")"
	case l == debuginfo.Rust && len(cs) == 0:
		return
	case l == debuginfo.Rust:
		open, end, eq = " { ", " }", ": "
	case l == debuginfo.Zig:
		open, end = ".{ ", " }"
	case l == debuginfo.AssemblyScript:
		eq = ": "
	case l == debuginfo.Kotlin:
		open, end, eq = "(", ")", "="
	}
	w.WriteString(open)
	for i, c := range cs {
		if i > 0 {
			w.WriteString(", ")
		}
		if w.full() || i >= w.items && !w.style.Whole && i >= 4*briefItems {
			w.WriteString("…")
			break
		}
		switch {
		case tuple:
		case c.base:
			w.WriteString("<" + c.Name + ">" + eq)
		case l == debuginfo.Zig:
			w.WriteString("." + c.Name + eq)
		default:
			w.WriteString(c.Name + eq)
		}
		if depth >= w.depth && !isBrief(c.Value) {
			w.WriteString("…")
			continue
		}
		w.value(c.Value, depth+1)
	}
	w.WriteString(end)
}

// isLeaf reports whether a value is a scalar.
func isLeaf(v Value) bool { return v.form != formObject && isScalar(v.typ) }

// isBrief reports whether a value is written in a few words, whatever depth it is at: a scalar, a
// text, null.
func isBrief(v Value) bool {
	v = v.settled()
	if v.form == formNone || isNull(v) || isLeaf(v) {
		return true
	}
	m := v.match()
	return m != nil && (m.textual() || m.p.Hide && m.p.Items == nil)
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// shortName returns a name without what it is in: `Rect` of `a::Shape::Rect`.
func shortName(s string) string {
	end := strings.IndexByte(s, '<')
	if end < 0 {
		end = len(s)
	}
	if strings.HasPrefix(s, "(") || strings.HasPrefix(s, "{") {
		return ""
	}
	if i := strings.LastIndex(s[:end], "::"); i >= 0 {
		s, end = s[i+2:], end-i-2
	}
	return s[:end]
}

func (w *writer) array(v Value, t *debuginfo.Type, depth int) {
	n := v.Indexed()
	if to := targetOf(t); isChar(to) && v.lang != debuginfo.Zig && n > 0 || v.textual && isByte(to) {
		w.text(v, n)
		return
	}
	w.list(v.Page, n, depth)
}

// isByte reports whether a type is a number of 8 bits.
func isByte(t *debuginfo.Type) bool {
	s := debuginfo.Strip(t)
	if s == nil || s.Size != 1 {
		return false
	}
	return s.Kind == debuginfo.KindChar || s.Kind == debuginfo.KindUint || s.Kind == debuginfo.KindInt
}

// text writes an array of characters: up to the zero bytes at its end.
func (w *writer) text(v Value, n int) {
	size := min(int64(n), int64(w.chars)+1)
	b, err := v.read(0, size)
	if err != nil {
		w.WriteString(noted(err))
		return
	}
	if !v.textual {
		for i, c := range b {
			if c == 0 {
				w.quoted(b[:i], false)
				return
			}
		}
	}
	w.quoted(b[:min(len(b), w.chars)], n > w.chars)
}

// list writes items in braces or brackets.
func (w *writer) list(page func(from, n int) []Child, n, depth int) {
	w.WriteString("[")
	const step = 16
	for i := 0; i < n; {
		k := min(step, n-i)
		if !w.style.Whole {
			k = min(k, w.items+1)
		}
		cs := page(i, k)
		if len(cs) == 0 {
			break
		}
		for j, c := range cs {
			if i+j > 0 {
				w.WriteString(", ")
			}
			if w.full() || i+j >= w.items {
				w.WriteString("…]")
				return
			}
			if depth >= w.depth && !isBrief(c.Value) {
				w.WriteString("…]")
				return
			}
			w.value(c.Value, depth+1)
		}
		i += len(cs)
	}
	w.WriteString("]")
}
