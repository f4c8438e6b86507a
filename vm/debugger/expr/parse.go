package expr

import (
	"errors"
	"fmt"
	"strings"
)

// Scope resolves names for the parser. The identifiers of the text format may contain
// characters that are operators here: `$a-1` is one name. Of a name that is written without spaces
// the longest existing one counts.
type Scope struct {
	// Odd holds the variables and fields whose names contain operator characters, without `$`.
	Odd map[string]bool
	// Variable reports whether a word names a variable; nil: none does.
	Variable func(word string) bool
	// Mnemonic reports whether a word is an instruction.
	Mnemonic func(word string) bool
}

// OperatorChars are the characters of identifiers that are also operators.
const OperatorChars = "+-*/%<>=!&|^~?:"

// Parse parses an expression.
func Parse(text string, s Scope) (*Expr, error) {
	if err := Check(text); err != nil {
		return nil, err
	}
	p := &parser{s: text, scope: s}
	for n := range s.Odd {
		p.longest = max(p.longest, len(n))
	}
	if p.space(); p.i == len(text) {
		return nil, errors.New("the expression is empty")
	}
	x, err := p.expression(condPrec)
	switch {
	case err != nil:
		return nil, err
	case p.i == len(text):
		return x, nil
	case x.Kind == Code && (p.at('(') || isWordByte(p.s[p.i])): // more instructions follow
		return &Expr{Kind: Code, Text: strings.TrimSpace(text)}, nil
	}
	return nil, p.unexpected()
}

type parser struct {
	s       string
	i       int
	depth   int
	scope   Scope
	longest int // the length of the longest name with operator characters
}

func (p *parser) space() {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.i]) >= 0 {
		p.i++
	}
}

func (p *parser) at(c byte) bool { return p.i < len(p.s) && p.s[p.i] == c }

// unexpected returns the error for what stands where an operator or the end is wanted.
func (p *parser) unexpected() error {
	rest := p.s[p.i:]
	if strings.HasPrefix(rest, "=") {
		return errors.New("unexpected =: write == to compare")
	}
	return fmt.Errorf("unexpected %s: an operator is missing", Brief(word(rest)))
}

// word returns what a text begins with, to be shown.
func word(s string) string {
	if i := strings.IndexAny(s, " \t\r\n"); i > 0 {
		return s[:i]
	}
	return s
}

// Brief shortens a text that is shown in an error.
func Brief(s string) string { return Cut(s, 60) }

// Cut shortens a text to a number of characters.
func Cut(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}

// operator returns the operator that stands here. A `u` belongs to it if no word goes on there.
func (p *parser) operator() operator {
	rest := p.s[p.i:]
	for _, o := range operators() {
		if !strings.HasPrefix(rest, o.text) {
			continue
		}
		if strings.HasSuffix(o.text, "u") && len(rest) > len(o.text) && isWordByte(rest[len(o.text)]) {
			continue
		}
		return o
	}
	return operator{}
}

// expression parses operators that bind at least as tightly as min.
func (p *parser) expression(min int) (*Expr, error) {
	if p.depth++; p.depth > MaxDepth {
		return nil, ErrDeep
	}
	defer func() { p.depth-- }()
	x, err := p.unary()
	if err != nil {
		return nil, err
	}
	for {
		p.space()
		if p.at('?') && min <= condPrec {
			return p.cond(x)
		}
		o := p.operator()
		if o.prec == 0 || o.prec < min {
			return x, nil
		}
		p.i += len(o.text)
		if p.space(); p.i == len(p.s) || strings.IndexByte(")],:", p.s[p.i]) >= 0 {
			return nil, fmt.Errorf("an operand is missing after %s", o.text)
		}
		y, err := p.expression(o.prec + 1)
		if err != nil {
			return nil, err
		}
		x = &Expr{Kind: Binary, Op: o.text, Args: []*Expr{x, y}}
	}
}

// cond parses what follows the condition of `?:`.
func (p *parser) cond(x *Expr) (*Expr, error) {
	p.i++
	p.space()
	y, err := p.expression(condPrec)
	if err != nil {
		return nil, err
	}
	if p.space(); !p.at(':') {
		return nil, errors.New("? without the other branch")
	}
	p.i++
	p.space()
	z, err := p.expression(condPrec)
	if err != nil {
		return nil, err
	}
	return &Expr{Kind: Cond, Args: []*Expr{x, y, z}}, nil
}

func (p *parser) unary() (*Expr, error) {
	p.space()
	if p.i == len(p.s) {
		return nil, errors.New("an operand is missing at the end")
	}
	switch c := p.s[p.i]; c {
	case '-', '!', '~', '+':
		if p.depth++; p.depth > MaxDepth {
			return nil, ErrDeep
		}
		defer func() { p.depth-- }()
		p.i++
		x, err := p.unary()
		if err != nil {
			return nil, err
		}
		return &Expr{Kind: Unary, Op: string(c), Args: []*Expr{x}}, nil
	}
	return p.primary()
}

func (p *parser) primary() (*Expr, error) {
	switch c := p.s[p.i]; {
	case c == '(':
		return p.parenthesis()
	case c >= '0' && c <= '9', c == '.' && p.i+1 < len(p.s) && isDigit(p.s[p.i+1]):
		return p.number()
	case c == '#':
		from := p.i
		for p.i++; p.i < len(p.s) && isDigit(p.s[p.i]); p.i++ {
		}
		if p.i == from+1 {
			return nil, errors.New("# without the number of a stack")
		}
		return p.path(from)
	case c == '"':
		return p.quotedCall()
	case c == '$' || isWordByte(c):
		return p.name()
	}
	return nil, fmt.Errorf("unexpected %s: an operand is missing", Brief(word(p.s[p.i:])))
}

// parenthesis parses code of the text format, or an expression in parentheses.
func (p *parser) parenthesis() (*Expr, error) {
	from := p.i
	p.i++
	p.space()
	w := p.i
	for w < len(p.s) && (isWordByte(p.s[w]) || p.s[w] == '.') {
		w++
	}
	if head := p.s[p.i:w]; head != "" && p.scope.Mnemonic != nil && p.scope.Mnemonic(head) {
		end, ok := codeEnd(p.s, from)
		if !ok {
			return nil, errors.New("( without )")
		}
		p.i = end
		return &Expr{Kind: Code, Text: p.s[from:end]}, nil
	}
	x, err := p.expression(condPrec)
	if err != nil {
		return nil, err
	}
	if p.space(); !p.at(')') {
		if p.i < len(p.s) {
			return nil, p.unexpected()
		}
		return nil, errors.New("( without )")
	}
	p.i++
	return x, nil
}

// codeEnd returns where code in parentheses ends that begins at an offset.
func codeEnd(s string, i int) (int, bool) {
	for depth := 0; i < len(s); i++ {
		switch s[i] {
		case '(':
			if strings.HasPrefix(s[i:], "(;") {
				n := strings.Index(s[i:], ";)")
				if n < 0 {
					return 0, false
				}
				i += n + 1
				continue
			}
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1, true
			}
		case '"':
			i = stringEnd(s, i) - 1
		}
	}
	return 0, false
}

// stringEnd returns where a string ends that begins at an offset.
func stringEnd(s string, i int) int {
	for i++; i < len(s) && s[i] != '"'; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(s))
}

// number parses a number, also in hexadecimal, with an exponent and with `_` between digits.
func (p *parser) number() (*Expr, error) {
	from, kind := p.i, Int
	hex := len(p.s) > p.i+1 && p.s[p.i] == '0' && (p.s[p.i+1]|0x20) == 'x'
	for ; p.i < len(p.s); p.i++ {
		c := p.s[p.i]
		switch {
		case c == '.':
			kind = Float
		case (c == '+' || c == '-') && p.i > from && isExponent(p.s[p.i-1], hex):
		case !isWordByte(c):
			return p.numeral(from, kind, hex)
		}
	}
	return p.numeral(from, kind, hex)
}

func (p *parser) numeral(from int, kind Kind, hex bool) (*Expr, error) {
	text := p.s[from:p.i]
	if exp := "eE"; !hex && strings.ContainsAny(text, exp) && !strings.HasPrefix(text, "0b") &&
		!strings.HasPrefix(text, "0B") ||
		hex && strings.ContainsAny(text, "pP") {
		kind = Float
	}
	return &Expr{Kind: kind, Text: text}, nil
}

func isExponent(c byte, hex bool) bool {
	if hex {
		return c|0x20 == 'p'
	}
	return c|0x20 == 'e'
}

// identifier returns the name that begins at an offset. It ends before the first operator character
// unless a longer name exists.
func (p *parser) identifier(from int) string {
	end := from
	for end < len(p.s) && isIdentByte(p.s[end]) {
		end++
	}
	run := p.s[from:end]
	first := strings.IndexAny(run, OperatorChars)
	if first < 0 {
		return run
	}
	bare := strings.TrimPrefix(run, "$")
	dollar := len(run) - len(bare)
	for n := min(len(bare), p.longest); n+dollar > first; n-- {
		if p.scope.Odd[bare[:n]] {
			return run[:n+dollar]
		}
	}
	if dot := strings.IndexByte(run[:first], '.'); dot > 0 &&
		(p.scope.Mnemonic == nil || !p.scope.Mnemonic(run[:first])) {
		return run[:dot] // what follows may be the name of a field, which has characters of its own
	}
	return run[:first]
}

// name parses what begins with a word: a path, a call, a conversion, a word that is a number, or
// code without parentheses.
func (p *parser) name() (*Expr, error) {
	from := p.i
	id := p.identifier(p.i)
	p.i += len(id)
	known := p.scope.Variable != nil && p.scope.Variable(id)
	if p.at('(') && id != "$" {
		if isConversion(id) {
			return p.conversion(id)
		}
		return p.call(id)
	}
	switch id {
	case "local", "param", "global", "table", "memory", "operand", "event":
		if at := p.i; at < len(p.s) && p.s[at] == ' ' {
			if p.space(); p.i < len(p.s) && (p.s[p.i] == '$' || isWordByte(p.s[p.i])) {
				item := p.identifier(p.i)
				if j := strings.IndexByte(item, '.'); j > 0 && isDigit(item[0]) {
					item = item[:j]
				}
				p.i += len(item)
				return p.pathText(id+" "+item, p.i)
			}
			p.i = at
		}
	case "null", "inf", "nan":
		if !known {
			return &Expr{Kind: map[string]Kind{"null": Null, "inf": Float, "nan": Float}[id], Text: id}, nil
		}
	}
	if !known && !p.at('[') && p.scope.Mnemonic != nil && p.scope.Mnemonic(id) {
		return p.flat(from)
	}
	return p.path(from)
}

// path parses what follows the beginning of a path, which is after from.
func (p *parser) path(from int) (*Expr, error) {
	return p.pathText(p.s[from:p.i], p.i)
}

// pathText is path for one whose beginning is known.
func (p *parser) pathText(base string, from int) (*Expr, error) {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case '.':
			p.i++
			key := p.identifier(p.i)
			if key == "" {
				return nil, errors.New("no name after the dot")
			}
			p.i += len(key)
			continue
		case '[':
			end, ok := indexEnd(p.s, p.i)
			if !ok {
				return nil, errors.New("[ without ]")
			}
			p.i = end
			continue
		}
		break
	}
	return &Expr{Kind: Path, Text: base + p.s[from:p.i]}, nil
}

// indexEnd returns where an index ends that begins at an offset.
func indexEnd(s string, i int) (int, bool) {
	for depth := 0; i < len(s); i++ {
		switch s[i] {
		case '[', '(':
			depth++
		case ']', ')':
			if depth--; depth == 0 {
				return i + 1, s[i] == ']'
			}
		case '"':
			i = stringEnd(s, i) - 1
		}
	}
	return 0, false
}

// conversion parses `i64(x)`.
func (p *parser) conversion(to string) (*Expr, error) {
	p.i++
	p.space()
	x, err := p.expression(condPrec)
	if err != nil {
		return nil, err
	}
	if p.space(); !p.at(')') {
		return nil, fmt.Errorf("%s( without )", to)
	}
	p.i++
	return &Expr{Kind: Convert, Text: to, Args: []*Expr{x}}, nil
}

// quotedCall parses a call of an export whose name is in quotes.
func (p *parser) quotedCall() (*Expr, error) {
	from := p.i
	p.i = stringEnd(p.s, p.i)
	if !p.at('(') {
		return nil, errors.New("a text is no operand")
	}
	return p.call(p.s[from:p.i])
}

// call parses the arguments of a call, which are kept as they are written: what they mean depends
// on the function.
func (p *parser) call(name string) (*Expr, error) {
	x := &Expr{Kind: Call, Text: name}
	p.i++
	from, depth := p.i, 0
	for ; p.i < len(p.s); p.i++ {
		switch c := p.s[p.i]; {
		case c == '"':
			p.i = stringEnd(p.s, p.i) - 1
		case c == '(' || c == '[':
			depth++
		case depth == 0 && (c == ',' || c == ')'):
			arg := strings.TrimSpace(p.s[from:p.i])
			if from = p.i + 1; arg != "" || len(x.Raw) > 0 || c == ',' {
				x.Raw = append(x.Raw, arg)
			}
			if c == ')' {
				p.i++
				return x, nil
			}
		case c == ')' || c == ']':
			depth--
		}
	}
	return nil, fmt.Errorf("%s( without )", Brief(name))
}

// flat parses code without parentheses around it, up to an operator that no instruction has.
func (p *parser) flat(from int) (*Expr, error) {
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == '(':
			end, ok := codeEnd(p.s, p.i)
			if !ok {
				return nil, errors.New("( without )")
			}
			p.i = end
			continue
		case c == '"':
			p.i = stringEnd(p.s, p.i)
			continue
		case c == ')' || c == ']' || c == ',':
			return p.flatEnd(from)
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			p.space()
			rest := p.s[p.i:]
			for _, op := range []string{"==", "!=", "<", ">", "&&", "||", "?"} {
				if strings.HasPrefix(rest, op) {
					return p.flatEnd(from)
				}
			}
			continue
		}
		p.i++
	}
	return p.flatEnd(from)
}

func (p *parser) flatEnd(from int) (*Expr, error) {
	return &Expr{Kind: Code, Text: strings.TrimSpace(p.s[from:p.i])}, nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isWordByte reports whether a byte may be in a word without `$`. All bytes of names that are not
// ASCII are.
func isWordByte(c byte) bool {
	return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80
}

// isIdentByte reports whether a byte may be in an identifier.
func isIdentByte(c byte) bool {
	return c > ' ' && c < 0x7f && strings.IndexByte("\"(),;[]{}", c) < 0 || c >= 0x80
}
