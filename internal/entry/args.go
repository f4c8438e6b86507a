package entry

import (
	"errors"
	"fmt"
	"strings"

	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// Arg is an argument: a number of at most 128 bits, a null, or a reference to the host's value of a
// number.
type Arg struct {
	Kind   ArgKind
	Lo, Hi uint64
}

// ArgKind is a kind of argument.
type ArgKind uint8

// The kinds.
const (
	Number ArgKind = iota
	Null
	Extern // `ref.extern:N`, with N in Lo
)

// Typeable reports whether an argument of the type can be written at all.
func Typeable(t wasm.ValType) bool {
	return !t.IsRef() || t.Nullable() || t.Heap() == wasm.HeapExtern
}

// Split separates the arguments of one line, at spaces and commas. Text in parentheses is one
// argument: `(i32.const 1)`.
func Split(line string) []string {
	var out []string
	depth, start := 0, -1
	end := func(i int) {
		if start >= 0 {
			out = append(out, line[start:i])
			start = -1
		}
	}
	for i, c := range line {
		switch {
		case depth <= 0 && (c == ' ' || c == ',' || c == '\t'):
			end(i)
			continue
		case c == '(':
			if depth <= 0 {
				end(i)
			}
			depth++
		case c == ')':
			depth--
		}
		if start < 0 {
			start = i
		}
	}
	end(len(line))
	return out
}

// ErrMissing is in the error of Check if arguments are missing and the others fit.
var ErrMissing = errors.New("missing arguments")

// Check parses the arguments of a function. The error is about the first that does not fit its
// parameter, or about too few or too many. name returns the name of a type by its
// index.
func Check(f Function, args []string, name func(uint32) string) ([]Arg, error) {
	ps := f.Type.Params
	var out []Arg
	for i, s := range args[:min(len(args), len(ps))] {
		a, err := ParseArg(s, ps[i], name)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	if len(args) == len(ps) {
		return out, nil
	}
	err := countError(
		fmt.Sprintf("%q takes %s, not %d: its type is %s -> %s", f.Name, count(len(ps), "argument"), len(args),
			wasm.FormatTypes(ps, name), wasm.FormatTypes(f.Type.Results, name)),
	)
	if len(args) < len(ps) {
		return nil, missingError{err}
	}
	return nil, err
}

// countError is a wrong number of arguments.
type countError string

func (e countError) Error() string { return string(e) }

// missingError is a countError of too few.
type missingError struct{ countError }

func (missingError) Is(err error) bool { return err == ErrMissing }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// ParseArg parses an argument for a parameter of the type: `42`, `i64:42`, `f32:nan`, `0x10`,
// `ref.null`, `ref.extern:7`, and a constant of the text format for a number. An explicit
// type must be the parameter's. name returns the name of a type by its index.
func ParseArg(arg string, t wasm.ValType, name func(uint32) string) (Arg, error) {
	lit := strings.TrimSpace(arg)
	want := t.Format(name)
	if s, ok := strings.CutPrefix(lit, "("); ok && strings.HasSuffix(s, ")") {
		s = strings.TrimSuffix(s, ")")
		if word, x, ok := strings.Cut(s, " "); ok && strings.HasSuffix(word, ".const") {
			lit = strings.TrimSuffix(word, ".const") + ":" + strings.TrimSpace(x)
		} else {
			lit = s
		}
	}
	if strings.HasPrefix(lit, "ref.") {
		return parseRef(arg, lit, t, want)
	}
	if word, x, ok := strings.Cut(lit, ":"); ok && !strings.HasSuffix(word, "nan") {
		if word != want {
			return Arg{}, fmt.Errorf("argument `%s` has type %s, but the parameter has type %s", arg, word, want)
		}
		lit = x
	}
	lo, hi, err := syntax.ParseNumber(t, lit)
	if errors.Is(err, syntax.ErrForm) {
		return Arg{}, fmt.Errorf("argument `%s` is not a number of type %s", arg, want)
	}
	if err != nil {
		return Arg{}, fmt.Errorf("argument `%s` is not of type %s: %v", arg, want, err)
	}
	return Arg{Lo: lo, Hi: hi}, nil
}

func parseRef(arg, lit string, t wasm.ValType, want string) (Arg, error) {
	switch {
	case !t.IsRef():
		return Arg{}, fmt.Errorf("argument `%s` is a reference, but the parameter has type %s", arg, want)
	case lit == "ref.null" || strings.HasPrefix(lit, "ref.null "):
		if !t.Nullable() {
			return Arg{}, fmt.Errorf("argument `%s` is null, but the parameter has type %s, which is not nullable",
				arg, want)
		}
		return Arg{Kind: Null}, nil
	case strings.HasPrefix(lit, "ref.extern:"), strings.HasPrefix(lit, "ref.extern "):
		n, err := syntax.ParseNat(lit[len("ref.extern:"):], 32)
		if err == nil && t.Heap() == wasm.HeapExtern {
			return Arg{Kind: Extern, Lo: uint64(n)}, nil
		}
	}
	return Arg{}, fmt.Errorf(
		"argument `%s` is not of type %s: references are written ref.null, and ref.extern:N for externref", arg,
		want,
	)
}
