package lang

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"stackscope/analysis/debuginfo"
	"stackscope/vm/debugger/expr"
)

// nodeKind is a kind of node.
type nodeKind uint8

const (
	nName   nodeKind = iota // text
	nNumber                 // text
	nChar                   // text: the character
	nString                 // text: what it means
	nNull
	nBool    // text: true, false
	nMember  // args[0], text
	nIndex   // args[0], args[1]
	nSlice   // args[0] from args[1] up to args[2]; op ".." or "..="
	nTimes   // args[0]@args[1]
	nUnary   // op, args[0]
	nBinary  // op, args
	nCond    // args
	nCast    // typ, args[0]
	nSizeof  // typ, or args[0]
	nAssign  // op (without `=`), args
	nIs      // args[0], text: the class
	nMachine // text: a path of WebAssembly
)

// node is a part of an expression.
type node struct {
	kind nodeKind
	at   int
	text string
	op   string
	typ  *debuginfo.Type
	args []*node
}

// Expr is an expression of a source language.
type Expr struct {
	root *node
	lang debuginfo.Language
	text string
}

// Assigns reports whether the expression is an assignment.
func (x *Expr) Assigns() bool { return x.root.kind == nAssign }

// Target returns the text of what an assignment assigns to.
func (x *Expr) Target() string {
	if x.root.kind != nAssign {
		return x.text
	}
	return strings.TrimSpace(x.text[:x.root.at])
}

// A SyntaxError says what is wrong with the text of an expression, and where.
type SyntaxError struct {
	At   int // bytes from the start
	Text string
}

func (e *SyntaxError) Error() string { return e.Text }

// Parse parses an expression of a language. types finds a type by its name; nil: there are none
// but those of the language.
func Parse(text string, l debuginfo.Language, env *Env) (*Expr, error) {
	if err := expr.Check(text); err != nil {
		return nil, err
	}
	p := &parser{s: text, lang: l, env: env}
	if p.space(); p.i == len(p.s) {
		return nil, errors.New("the expression is empty")
	}
	x, err := p.assignment()
	if err != nil {
		return nil, err
	}
	if p.i < len(p.s) {
		return nil, p.fail("unexpected %s: an operator is missing", p.word())
	}
	return &Expr{x, l, text}, nil
}

type parser struct {
	s     string
	i     int
	depth int
	lang  debuginfo.Language
	env   *Env
	nodes int
}

const maxNodes = 10000

func (p *parser) space() {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.i]) >= 0 {
		p.i++
	}
}

func (p *parser) rest() string { return p.s[p.i:] }

func (p *parser) has(s string) bool { return strings.HasPrefix(p.s[p.i:], s) }

func (p *parser) fail(format string, args ...any) error {
	return &SyntaxError{p.i, fmt.Sprintf(format, args...)}
}

// word returns what stands here, for errors.
func (p *parser) word() string {
	s := p.rest()
	if i := strings.IndexAny(s, " \t\r\n"); i > 0 {
		s = s[:i]
	}
	if s == "" {
		return "end"
	}
	return expr.Brief(s)
}

func (p *parser) node(k nodeKind, at int, args ...*node) *node {
	return &node{kind: k, at: at, args: args}
}

func (p *parser) enter() error {
	p.nodes++
	if p.depth++; p.depth > expr.MaxDepth || p.nodes > maxNodes {
		return expr.ErrDeep
	}
	return nil
}

func (p *parser) assignment() (*node, error) {
	left, err := p.cond()
	if err != nil {
		return nil, err
	}
	p.space()
	at := p.i
	op := ""
	for _, o := range []string{"<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "="} {
		if p.has(o) && !p.has("==") {
			op = o
			break
		}
	}
	if op == "" {
		return left, nil
	}
	p.i += len(op)
	if p.space(); p.i == len(p.s) {
		return nil, p.fail("an operand is missing after %s", op)
	}
	right, err := p.assignment()
	if err != nil {
		return nil, err
	}
	n := p.node(nAssign, at, left, right)
	n.op = strings.TrimSuffix(op, "=")
	return n, nil
}

func (p *parser) cond() (*node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	x, err := p.binary(2)
	if err != nil {
		return nil, err
	}
	p.space()
	if !p.has("?") || p.has("?.") || p.has("?:") {
		return x, nil
	}
	at := p.i
	p.i++
	y, err := p.cond()
	if err != nil {
		return nil, err
	}
	if p.space(); !p.has(":") {
		return nil, p.fail("? without the other branch")
	}
	p.i++
	z, err := p.cond()
	if err != nil {
		return nil, err
	}
	return p.node(nCond, at, x, y, z), nil
}

// binaryOps lists the operators; of those that begin alike the longest comes first.
var binaryOps = []struct {
	text string
	prec int
}{
	{"?:", 2}, {"||", 3}, {"&&", 4}, {"===", 8}, {"!==", 8}, {"==", 8}, {"!=", 8}, {"<<", 10}, {">>>", 10}, {">>", 10},
	{"<=", 9}, {">=", 9}, {"<", 9}, {">", 9}, {"|", 5}, {"^", 6}, {"&", 7}, {"+", 11}, {"-", 11}, {"*", 12},
	{"/", 12}, {"%", 12}, {"@", 13},
}

// wordOps are the operators of Kotlin and Zig that are words.
var wordOps = map[debuginfo.Language]map[string]struct {
	op   string
	prec int
}{
	debuginfo.Kotlin: {
		"and": {"&", 10}, "or": {"|", 10}, "xor": {"^", 10}, "shl": {"<<", 10}, "shr": {">>", 10}, "ushr": {">>>", 10},
	},
	debuginfo.Zig: {"and": {"&&", 4}, "or": {"||", 3}},
}

func (p *parser) binary(least int) (*node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	x, err := p.unary()
	if err != nil {
		return nil, err
	}
	for {
		p.space()
		at := p.i
		op, prec, n := p.operator()
		if prec == 0 || prec < least {
			return x, nil
		}
		p.i += n
		if op == "as" || op == "is" || op == "!is" {
			if x, err = p.typeOperator(op, x, at); err != nil {
				return nil, err
			}
			continue
		}
		if p.space(); p.i == len(p.s) || strings.IndexByte(")],:", p.s[p.i]) >= 0 {
			return nil, p.fail("an operand is missing after %s", strings.TrimSpace(p.s[at:at+n]))
		}
		y, err := p.binary(prec + 1)
		if err != nil {
			return nil, err
		}
		k := nBinary
		if op == "@" {
			k = nTimes
		}
		x = p.node(k, at, x, y)
		x.op = op
	}
}

// operator returns the operator that stands here, its precedence, and its length.
func (p *parser) operator() (op string, prec, n int) {
	if w := p.ident(p.i); w != "" {
		switch w {
		case "as":
			return w, 14, len(w)
		case "is":
			if p.lang == debuginfo.Kotlin {
				return w, 9, len(w)
			}
		}
		if o, ok := wordOps[p.lang][w]; ok {
			return o.op, o.prec, len(w)
		}
		return "", 0, 0
	}
	if p.lang == debuginfo.Kotlin && p.has("!is ") {
		return "!is", 9, 3
	}
	for _, o := range binaryOps {
		if !p.has(o.text) {
			continue
		}
		rest := p.s[p.i+len(o.text):]
		if strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "==") &&
			strings.Contains("<< >> + - * / % & | ^", o.text) {
			return "", 0, 0 // an assignment
		}
		if o.text == "?:" && p.lang != debuginfo.Kotlin {
			continue
		}
		return o.text, o.prec, len(o.text)
	}
	return "", 0, 0
}

// typeOperator parses the type after `as` or `is`.
func (p *parser) typeOperator(op string, x *node, at int) (*node, error) {
	p.space()
	if op == "as" {
		if p.has("?") {
			p.i++
			p.space()
		}
		from := p.i
		t, ok := p.typeName()
		if !ok {
			p.i = from
			if p.lang == debuginfo.Kotlin || p.lang == debuginfo.AssemblyScript {
				if name := p.dotted(); name != "" { // objects tell what they are
					return x, nil
				}
			}
			return nil, p.fail("there is no type %s", p.word())
		}
		n := p.node(nCast, at, x)
		n.typ = t
		return n, nil
	}
	name := p.dotted()
	if name == "" {
		return nil, p.fail("a class is missing after %s", op)
	}
	n := p.node(nIs, at, x)
	n.text, n.op = name, op
	return n, nil
}

// dotted reads a name with dots.
func (p *parser) dotted() string {
	from := p.i
	for {
		w := p.ident(p.i)
		if w == "" {
			return p.s[from:p.i]
		}
		p.i += len(w)
		if !p.has(".") {
			return p.s[from:p.i]
		}
		p.i++
	}
}

func (p *parser) unary() (*node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	p.space()
	if p.i == len(p.s) {
		return nil, p.fail("an operand is missing at the end")
	}
	at := p.i
	if c := p.s[p.i]; strings.IndexByte("-!~+*&", c) >= 0 {
		p.i++
		if c == '&' && p.has("mut ") {
			p.i += 4
		}
		x, err := p.unary()
		if err != nil {
			return nil, err
		}
		n := p.node(nUnary, at, x)
		n.op = string(c)
		return n, nil
	}
	if p.has("(") {
		if n, ok, err := p.cast(); ok || err != nil {
			return n, err
		}
	}
	if w := p.ident(p.i); w == "sizeof" {
		return p.sizeof()
	}
	x, err := p.primary()
	if err != nil {
		return nil, err
	}
	return p.postfix(x)
}

// cast parses `(T)x`; ok is false if that is not what stands here.
func (p *parser) cast() (n *node, ok bool, err error) {
	at := p.i
	p.i++
	t, is := p.typeName()
	if p.space(); !is || !p.has(")") || kindOf(t) == debuginfo.KindStruct || kindOf(t) == debuginfo.KindUnion {
		p.i = at
		return nil, false, nil
	}
	p.i++
	if p.space(); p.i == len(p.s) || strings.IndexByte(")],:?=<>/%|^.", p.s[p.i]) >= 0 {
		p.i = at
		return nil, false, nil
	}
	x, err := p.unary()
	if err != nil {
		return nil, false, err
	}
	n = p.node(nCast, at, x)
	n.typ = t
	return n, true, nil
}

func (p *parser) sizeof() (*node, error) {
	at := p.i
	p.i += len("sizeof")
	p.space()
	n := p.node(nSizeof, at)
	if p.has("(") {
		from := p.i
		p.i++
		if t, ok := p.typeName(); ok {
			if p.space(); p.has(")") {
				p.i++
				n.typ = t
				return n, nil
			}
		}
		p.i = from
	}
	x, err := p.unary()
	n.args = []*node{x}
	return n, err
}

// ident returns the identifier at an offset.
func (p *parser) ident(i int) string {
	from := i
	for i < len(p.s) {
		r, n := utf8.DecodeRuneInString(p.s[i:])
		if r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80 && r != utf8.RuneError ||
			i > from && (r >= '0' && r <= '9' || r == '$') {
			i += n
			continue
		}
		break
	}
	return p.s[from:i]
}

// typeName parses the name of a type; ok is false if it is none, and nothing is taken then.
func (p *parser) typeName() (t *debuginfo.Type, ok bool) {
	from := p.i
	p.space()
	if p.lang == debuginfo.Rust || p.lang == debuginfo.Zig {
		for _, mark := range []string{"*const ", "*mut ", "*", "&mut ", "&"} {
			if !p.has(mark) {
				continue
			}
			p.i += len(mark)
			if to, ok := p.typeName(); ok {
				return pointerTo(p.lang, to), true
			}
			p.i = from
			return nil, false
		}
	}
	start := p.i
	var best *debuginfo.Type
	end := start
	for words := 0; words < 6; words++ {
		p.space()
		w := p.qualified()
		if w == "" {
			break
		}
		name := strings.TrimSpace(p.s[start:p.i])
		if found := p.env.lookupType(p.lang, name); found != nil {
			best, end = found, p.i
		}
	}
	p.i = end
	if best == nil {
		if p.i = start; p.ident(start) == "void" {
			p.i += 4
			best = &debuginfo.Type{Kind: debuginfo.KindVoid, Language: p.lang, Name: "void", Size: 1}
		} else {
			p.i = from
			return nil, false
		}
	}
	for {
		p.space()
		switch {
		case p.has("*"):
			p.i++
			best = pointerTo(p.lang, best)
			continue
		case p.ident(p.i) == "const":
			p.i += 5
			continue
		}
		return best, true
	}
}

func pointerTo(l debuginfo.Language, t *debuginfo.Type) *debuginfo.Type {
	if t != nil && t.Kind == debuginfo.KindVoid {
		t = nil
	}
	return &debuginfo.Type{
		Kind: debuginfo.KindPointer, Language: l, Size: 4, Target: func() *debuginfo.Type { return t },
	}
}

// qualified takes a word with what it is in and what is in its angle brackets: `std::vector<int>`.
func (p *parser) qualified() string {
	from := p.i
	for {
		w := p.ident(p.i)
		if w == "" {
			break
		}
		p.i += len(w)
		if p.has("<") && p.lang != debuginfo.C {
			if end, ok := angles(p.s, p.i); ok {
				p.i = end
			}
		}
		if !p.has("::") {
			break
		}
		p.i += 2
	}
	return p.s[from:p.i]
}

// angles returns where angle brackets end that begin at an offset.
func angles(s string, i int) (int, bool) {
	depth := 0
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c == '<':
			depth++
		case c == '>':
			if depth--; depth == 0 {
				return i + 1, true
			}
		case strings.IndexByte(" ,:*&()[]_'", c) >= 0 || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z':
		default:
			return 0, false
		}
	}
	return 0, false
}

func (p *parser) primary() (*node, error) {
	at := p.i
	switch c := p.s[p.i]; {
	case c == '(':
		p.i++
		x, err := p.cond()
		if err != nil {
			return nil, err
		}
		if p.space(); !p.has(")") {
			if p.i < len(p.s) {
				return nil, p.fail("unexpected %s: an operator is missing", p.word())
			}
			return nil, p.fail("( without )")
		}
		p.i++
		return x, nil
	case c >= '0' && c <= '9', c == '.' && p.i+1 < len(p.s) && p.s[p.i+1] >= '0' && p.s[p.i+1] <= '9':
		return p.number()
	case c == '"':
		return p.literal('"', nString)
	case c == '\'':
		return p.literal('\'', nChar)
	case c == '$' || c == '#':
		return p.machine()
	}
	if p.lang == debuginfo.Zig && p.has(".") { // an enum literal
		p.i++
	}
	w := p.ident(p.i)
	if w == "" {
		return nil, p.fail("unexpected %s: an operand is missing", p.word())
	}
	p.i += len(w)
	for p.has("::") {
		next := p.ident(p.i + 2)
		if next == "" {
			return nil, p.fail("no name after ::")
		}
		p.i += 2 + len(next)
	}
	n := p.node(nName, at)
	n.text = p.s[at:p.i]
	switch n.text {
	case "true", "false":
		n.kind = nBool
	case "null", "nullptr", "NULL":
		n.kind = nNull
	}
	return n, nil
}

func (p *parser) number() (*node, error) {
	at := p.i
	hex := len(p.s) > p.i+1 && p.s[p.i] == '0' && p.s[p.i+1]|0x20 == 'x'
	for ; p.i < len(p.s); p.i++ {
		c := p.s[p.i]
		switch {
		case c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_':
			continue
		case c == '.' && !p.has("..") && p.i+1 < len(p.s) && (p.s[p.i+1] < 'A' || !hex) && !isLetter(p.s[p.i+1]):
			continue
		case c == '.' && p.i+1 == len(p.s):
			continue
		case (c == '+' || c == '-') && p.i > at && !hex && p.s[p.i-1]|0x20 == 'e':
			continue
		}
		break
	}
	n := p.node(nNumber, at)
	n.text = p.s[at:p.i]
	return n, nil
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// literal parses a string or a character.
func (p *parser) literal(quote byte, k nodeKind) (*node, error) {
	at := p.i
	p.i++
	var b strings.Builder
	for {
		if p.i == len(p.s) {
			p.i = at
			return nil, p.fail("%c without its end", quote)
		}
		c := p.s[p.i]
		p.i++
		switch {
		case c == quote:
			n := p.node(k, at)
			n.text = b.String()
			if _, size := utf8.DecodeRuneInString(n.text); k == nChar && (size != len(n.text) || size == 0) {
				p.i = at
				return nil, p.fail("a character is one character in single quotes")
			}
			return n, nil
		case c != '\\':
			b.WriteByte(c)
		default:
			if err := p.escape(&b); err != nil {
				return nil, err
			}
		}
	}
}

// escape reads what follows a backslash.
func (p *parser) escape(b *strings.Builder) error {
	if p.i == len(p.s) {
		return p.fail("\\ at the end")
	}
	c := p.s[p.i]
	p.i++
	if i := strings.IndexByte("ntrbfvae", c); i >= 0 {
		b.WriteByte("\n\t\r\b\f\v\a\x1b"[i])
		return nil
	}
	digits := func(most int, base int) (n rune, ok bool) {
		from := p.i
		for p.i < len(p.s) && p.i-from < most {
			d := -1
			switch c := p.s[p.i]; {
			case c >= '0' && c <= '9':
				d = int(c - '0')
			case isLetter(c):
				d = int(c|0x20) - 'a' + 10
			}
			if d < 0 || d >= base {
				break
			}
			n = n*rune(base) + rune(d)
			p.i++
		}
		return n, p.i > from
	}
	switch {
	case c == 'x':
		n, ok := digits(2, 16)
		if !ok {
			return p.fail("\\x without digits")
		}
		b.WriteByte(byte(n))
	case c == 'u':
		braces := p.has("{")
		if braces {
			p.i++
		}
		most := 4
		if braces {
			most = 6
		}
		n, ok := digits(most, 16)
		if !ok || braces && !p.has("}") {
			return p.fail("\\u without digits")
		}
		if braces {
			p.i++
		}
		b.WriteRune(n)
	case c >= '0' && c <= '7':
		p.i--
		n, _ := digits(3, 8)
		b.WriteByte(byte(n))
	default:
		b.WriteByte(c)
	}
	return nil
}

// machine parses a path of WebAssembly: `$x`, `$p.$field`, `#3.state`.
func (p *parser) machine() (*node, error) {
	at := p.i
	for p.i++; p.i < len(p.s); p.i++ {
		if c := p.s[p.i]; c == '_' || c == '$' || c == '#' || isLetter(c) || c >= '0' && c <= '9' || c >= 0x80 ||
			c == '.' && p.i+1 < len(p.s) && p.s[p.i+1] != '.' {
			continue
		}
		if p.s[p.i] == '[' {
			end := strings.IndexByte(p.rest(), ']')
			if end < 0 {
				return nil, p.fail("[ without ]")
			}
			p.i += end
			continue
		}
		break
	}
	if p.i == at+1 {
		return nil, p.fail("%c without a name", p.s[at])
	}
	n := p.node(nMachine, at)
	n.text = p.s[at:p.i]
	return n, nil
}

func (p *parser) postfix(x *node) (*node, error) {
	for {
		if p.nodes++; p.nodes > maxNodes {
			return nil, expr.ErrDeep
		}
		from := p.i
		p.space()
		at := p.i
		switch {
		case p.has("["):
			n, err := p.index(x)
			if err != nil {
				return nil, err
			}
			x = n
		case p.has("->"), p.has("?."), p.has("."):
			switch {
			case p.has(".*") && p.lang == debuginfo.Zig:
				p.i += 2
				x = p.node(nUnary, at, x)
				x.op = "*"
				continue
			case p.has(".?") && p.lang == debuginfo.Zig:
				p.i += 2
				n := p.node(nMember, at, x)
				n.text = "?"
				x = n
				continue
			case p.has(".."):
				return x, nil
			case p.has("->"), p.has("?."):
				p.i += 2
			default:
				p.i++
			}
			p.space()
			n := p.node(nMember, at, x)
			if n.text = p.ident(p.i); n.text == "" {
				for i := p.i; i < len(p.s) && p.s[i] >= '0' && p.s[i] <= '9'; i++ {
					n.text = p.s[p.i : i+1]
				}
			}
			if n.text == "" {
				if p.has("$") {
					if m := p.ident(p.i + 1); m != "" {
						n.text = "$" + m
					}
				}
				if n.text == "" {
					return nil, p.fail("no name after %s", strings.TrimSpace(p.s[at:p.i]))
				}
			}
			p.i += len(n.text)
			for p.has("::") { // Base::member
				next := p.ident(p.i + 2)
				if next == "" {
					return nil, p.fail("no name after ::")
				}
				p.i += 2 + len(next)
				b := p.node(nMember, at, n)
				b.text, n = next, b
			}
			if p.has("()") {
				p.i += 2
				n.op = "()"
			}
			x = n
		case p.has("!!"):
			p.i += 2
		case p.has("("):
			return nil, p.fail("a function cannot be called here")
		default:
			p.i = from
			return x, nil
		}
	}
}

// index parses what is in brackets after a value: an index or a range.
func (p *parser) index(x *node) (*node, error) {
	at := p.i
	p.i++
	p.space()
	var lo, hi *node
	var err error
	if !p.has("..") {
		if lo, err = p.cond(); err != nil {
			return nil, err
		}
	}
	p.space()
	op := ""
	switch {
	case p.has("..="):
		op = "..="
	case p.has(".."):
		op = ".."
	}
	if op != "" {
		p.i += len(op)
		if p.has("<") { // Kotlin's ..<
			p.i++
		} else if op == ".." && p.lang == debuginfo.Kotlin {
			op = "..="
		}
		if p.space(); !p.has("]") {
			if hi, err = p.cond(); err != nil {
				return nil, err
			}
		}
		p.space()
	}
	if !p.has("]") {
		if p.i < len(p.s) {
			return nil, p.fail("unexpected %s: ] is missing", p.word())
		}
		return nil, p.fail("[ without ]")
	}
	p.i++
	if op != "" {
		n := p.node(nSlice, at, x, lo, hi)
		n.op = op
		return n, nil
	}
	return p.node(nIndex, at, x, lo), nil
}
