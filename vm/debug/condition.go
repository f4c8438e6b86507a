package debug

import (
	"strings"

	"stackscope/vm"
	"stackscope/wasm"
)

// A condition is a comparison (`$i == 5`), or one term that is true if it is neither zero nor null, or
// several of these with `&&`, `||`, `!` (of all the comparison behind it) and parentheses. It is evaluated each time
// its breakpoint is reached, so it is compiled when the breakpoint is set. What needs no more than
// locals, globals and arithmetic is asked from within the machine's loop (gate).

// test is a compiled condition.
type test struct {
	ask  func(f *vm.Frame) (bool, error)
	pure bool // it only looks, and cannot fail
}

// split splits a condition at an operator outside of parentheses; nil if it is not there.
func split(s, op string) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '(':
			depth++
		case s[i] == ')':
			depth--
		case depth == 0 && strings.HasPrefix(s[i:], op):
			out = append(out, s[from:i])
			i += len(op) - 1
			from = i + 1
		}
	}
	if out == nil {
		return nil
	}
	return append(out, s[from:])
}

// grouped gives what is in the parentheses around all of a condition; ok is false if there are none,
// or if they are those of an expression of the text format.
func grouped(s string) (inner string, ok bool) {
	if !strings.HasPrefix(s, "(") || !strings.HasSuffix(s, ")") {
		return "", false
	}
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 && i < len(s)-1 {
				return "", false
			}
		}
	}
	inner = strings.TrimSpace(s[1 : len(s)-1])
	word, _, _ := strings.Cut(inner, " ")
	return inner, depth == 0 && len(wasm.Lookup(strings.TrimRight(word, "()"))) == 0
}

// parts takes a condition apart: op is `||`, `&&`, `!` or `()`, or "" if it is a comparison or a term.
func parts(s string) (op string, of []string) {
	s = strings.TrimSpace(s)
	for _, op := range []string{"||", "&&"} {
		if of := split(s, op); of != nil {
			return op, of
		}
	}
	if strings.HasPrefix(s, "!") {
		return "!", []string{s[1:]}
	}
	if inner, ok := grouped(s); ok {
		return "()", []string{inner}
	}
	return "", []string{s}
}

// checkCondition tells what is wrong with a condition for a function, as far as that can be told
// before it is evaluated.
func (e *Engine) checkCondition(id FuncID, text string) error {
	op, of := parts(text)
	if op == "" {
		return e.check(id, text)
	}
	for _, s := range of {
		if err := e.checkCondition(id, s); err != nil {
			return err
		}
	}
	return nil
}

// compileTest compiles a condition for a function.
func (e *Engine) compileTest(id FuncID, text string) test {
	op, of := parts(text)
	if op == "" {
		return e.compileComparison(id, text)
	}
	ts := make([]test, len(of))
	out := test{pure: true}
	for i, s := range of {
		ts[i] = e.compileTest(id, s)
		out.pure = out.pure && ts[i].pure
	}
	switch a := ts[0].ask; op {
	case "()":
		out.ask = a
	case "!":
		out.ask = func(f *vm.Frame) (bool, error) {
			ok, err := a(f)
			return !ok && err == nil, err
		}
	default:
		stop := op == "||"
		out.ask = func(f *vm.Frame) (bool, error) {
			for i := range ts {
				if ok, err := ts[i].ask(f); ok == stop || err != nil {
					return ok, err
				}
			}
			return !stop, nil
		}
	}
	return out
}

// compileComparison compiles a condition without `&&`, `||`, `!`.
func (e *Engine) compileComparison(id FuncID, text string) test {
	l, op, r := splitComparison(text)
	a := e.compileTerm(id, l)
	if r == "" {
		if x := a.integer; x != nil {
			return test{func(f *vm.Frame) (bool, error) { return x(f) != 0, nil }, true}
		}
		return test{func(f *vm.Frame) (bool, error) {
			v, err := a.eval(f)
			return err == nil && truth(v), err
		}, a.pure}
	}
	b := e.compileTerm(id, r)
	if x, y := a.integer, b.integer; x != nil && y != nil {
		switch op {
		case "==":
			return test{func(f *vm.Frame) (bool, error) { return x(f) == y(f), nil }, true}
		case "!=":
			return test{func(f *vm.Frame) (bool, error) { return x(f) != y(f), nil }, true}
		case "<":
			return test{func(f *vm.Frame) (bool, error) { return x(f) < y(f), nil }, true}
		case "<=":
			return test{func(f *vm.Frame) (bool, error) { return x(f) <= y(f), nil }, true}
		case ">":
			return test{func(f *vm.Frame) (bool, error) { return x(f) > y(f), nil }, true}
		case ">=":
			return test{func(f *vm.Frame) (bool, error) { return x(f) >= y(f), nil }, true}
		}
	}
	return test{func(f *vm.Frame) (bool, error) {
		x, err := a.eval(f)
		if err != nil {
			return false, err
		}
		y, err := b.eval(f)
		if err != nil {
			return false, err
		}
		return compare(x, op, y)
	}, a.pure && b.pure}
}

// met tells whether a breakpoint is in force in a frame and its condition is true. first tells that
// the frame is new, if it is where its function begins.
func (b *Breakpoint) met(f *vm.Frame, first bool) (bool, error) {
	switch {
	case b.Once && b.Hits > 0:
		return false, nil
	case f == nil:
		return b.cond == "" && b.Stack == 0, nil
	case b.Stack != 0 && StackID(f.Stack().ID()) != b.Stack:
		return false, nil
	case b.Func != "" && !first:
		return false, nil
	case b.cond == "":
		return true, nil
	}
	return b.test.ask(f)
}

// gate gives the function that the machine asks before it stops at breakpoints of one place; nil if
// it is to stop always. It counts what is reached in vain; if it says to stop, hit asks again, and counts.
func (e *Engine) gate(bs []*Breakpoint) func(*vm.Frame) bool {
	for _, b := range bs {
		always := b.cond == "" && b.hitOp == "" && b.Stack == 0
		again := b.Func != "" && e.infoOf(b.Place.Func).loops() // see begins
		if b.event != nil || b.data || always || again || b.cond != "" && !b.test.pure {
			return nil
		}
	}
	return func(f *vm.Frame) bool {
		switch {
		case e.quiet > 0:
			return false
		case e.hurried || e.entry || e.binding || e.plan != nil || e.after != "" || e.want.Load() > 0 || e.pausing.Load() || e.killed.Load():
			return true
		}
		for _, b := range bs {
			if ok, err := b.met(f, true); err != nil || ok && hitMatches(b.hitOp, b.hitN, b.Hits+1) {
				return true
			}
		}
		for _, b := range bs {
			if ok, _ := b.met(f, true); ok {
				b.Hits++
			}
		}
		return false
	}
}
