// Package expr parses the expressions of the debugger: the usual infix operators over names, paths,
// numbers, calls and code of the text format. It has syntax only: values and types are the
// caller's.
package expr

import (
	"errors"
	"strings"
)

// Kind is the kind of an expression.
type Kind uint8

// The kinds of expressions.
const (
	Int     Kind = iota // Text is the number
	Float               // Text is the number
	Null                // `null`
	Path                // Text names a variable or what is in it: `$x`, `local 3`, `$p.$f[2]`, `#3.state`
	Code                // Text is code of the text format
	Call                // Text names a function; Raw are its arguments
	Convert             // Text is the conversion; Args has its operand
	Unary               // Op and one of Args
	Binary              // Op and two of Args
	Cond                // `a ? b : c`: three of Args
)

// Expr is an expression.
type Expr struct {
	Kind Kind
	Text string
	Op   string
	Args []*Expr
	Raw  []string
}

// Limits of an expression.
const (
	MaxBytes = 64 << 10
	MaxDepth = 200 // of parentheses and prefix operators
)

// Errors of expressions that are too large.
var (
	ErrLong = errors.New("the expression is longer than 65,536 bytes")
	ErrDeep = errors.New("the expression is nested more than 200 levels deep")
)

// Check reports an error if a text is too long or too deeply nested to be an expression.
func Check(text string) error {
	if len(text) > MaxBytes {
		return ErrLong
	}
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[':
			if depth++; depth > MaxDepth {
				return ErrDeep
			}
		case ')', ']':
			depth--
		}
	}
	return nil
}

// Conversions lists the conversions: the type of the result, and `u` if the operand is unsigned.
func Conversions() []string {
	return []string{"i32", "i64", "f32", "f64", "i32u", "i64u", "f32u", "f64u"}
}

func isConversion(word string) bool {
	for _, c := range Conversions() {
		if c == word {
			return true
		}
	}
	return false
}

// operator is a binary operator.
type operator struct {
	text string
	prec int
}

// condPrec is the precedence of `?:`, unaryPrec that of the prefix operators, primaryPrec that of
// everything else.
const (
	condPrec    = 1
	unaryPrec   = 12
	primaryPrec = 13
)

// operators lists the binary operators; of those that begin alike the longest comes first. The ones
// that end in `u` are unsigned.
func operators() []operator {
	return []operator{
		{"||", 2}, {"&&", 3}, {"|", 4}, {"^", 5}, {"&", 6}, {"==", 7}, {"!=", 7},
		{"<<", 9}, {">>u", 9}, {">>", 9},
		{"<=u", 8}, {">=u", 8}, {"<=", 8}, {">=", 8}, {"<u", 8}, {">u", 8}, {"<", 8}, {">", 8},
		{"+", 10}, {"-", 10}, {"*", 11}, {"/u", 11}, {"/", 11}, {"%u", 11}, {"%", 11},
	}
}

// Operators lists the binary operators.
func Operators() []string {
	var out []string
	for _, o := range operators() {
		out = append(out, o.text)
	}
	return out
}

func precedence(op string) int {
	for _, o := range operators() {
		if o.text == op {
			return o.prec
		}
	}
	return 0
}

// String writes an expression with no more parentheses than it needs; Parse reads it back.
func (x *Expr) String() string {
	var b strings.Builder
	x.write(&b)
	return b.String()
}

func (x *Expr) prec() int {
	switch x.Kind {
	case Cond:
		return condPrec
	case Binary:
		return precedence(x.Op)
	case Unary:
		return unaryPrec
	}
	return primaryPrec
}

func (x *Expr) write(b *strings.Builder) {
	part := func(y *Expr, min int) {
		if y.prec() >= min {
			y.write(b)
			return
		}
		b.WriteByte('(')
		y.write(b)
		b.WriteByte(')')
	}
	switch x.Kind {
	case Call:
		b.WriteString(x.Text + "(" + strings.Join(x.Raw, ", ") + ")")
	case Convert:
		b.WriteString(x.Text + "(")
		x.Args[0].write(b)
		b.WriteByte(')')
	case Unary:
		b.WriteString(x.Op)
		part(x.Args[0], unaryPrec)
	case Binary:
		p := precedence(x.Op)
		part(x.Args[0], p)
		b.WriteString(" " + x.Op + " ")
		part(x.Args[1], p+1)
	case Cond:
		part(x.Args[0], condPrec+1)
		b.WriteString(" ? ")
		part(x.Args[1], condPrec)
		b.WriteString(" : ")
		part(x.Args[2], condPrec)
	default:
		b.WriteString(x.Text)
	}
}
