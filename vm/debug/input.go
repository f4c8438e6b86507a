package debug

import (
	"errors"
	"strings"

	"stackscope/vm"
	"stackscope/wasm"
)

// Eval evaluates what people type: a path, an assignment `path = value`, a call `f(1, $x)`, a
// comparison, a number, or an expression of the text format. It must be called inside Do.
func (e *Engine) Eval(f Frame, text string, may Effects) ([]Var, error) {
	defer e.limited(may)()
	text = strings.TrimSpace(text)
	if l, r, ok := splitAssignment(text); ok {
		if may&MayAssign == 0 {
			return nil, errNoAssignment
		}
		v, err := e.Path(f, l)
		if errors.Is(err, errNoPath) {
			err = noVariable(l)
		}
		if err == nil {
			v, err = e.Assign(f, v, r)
		}
		if err != nil {
			return nil, err
		}
		return []Var{v}, nil
	}
	v, err := e.Path(f, text)
	if err == nil {
		return []Var{v}, nil
	}
	if _, _, r := splitComparison(text); r == "" && !errors.Is(err, errNoPath) {
		return nil, err
	}
	if fn, args, ok := splitCall(text); ok && f.instance() != nil && f.Module != nil {
		if target := e.callee(f, fn); target != nil {
			if may&MayCall == 0 {
				return nil, errors.New("functions are not called here")
			}
			return e.callExport(f, text, target, args)
		}
	}
	if l, op, r := splitComparison(text); r != "" && f.instance() != nil {
		ok, err := e.compareText(f, l, op, r)
		if err != nil {
			return nil, err
		}
		n := vm.I32(0)
		if ok {
			n = vm.I32(1)
		}
		return []Var{e.value(Var{Name: text, Value: n, ValType: wasm.I32}, nil)}, nil
	}
	return e.Evaluate(f, text)
}

func (e *Engine) compareText(f Frame, l, op, r string) (bool, error) {
	var ts [2]Typed
	for i, s := range []string{l, r} {
		if v, err := e.Path(f, s); err == nil && v.HasValue {
			ts[i] = v.number()
			continue
		}
		x, err := e.inFrame(f, s)
		if err != nil {
			return false, err
		}
		ts[i] = x
	}
	return compare(ts[0], op, ts[1])
}

// splitAssignment splits `a = b` outside of parentheses.
func splitAssignment(s string) (l, r string, ok bool) {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '"':
			return "", "", false
		case '=':
			if depth != 0 {
				continue
			}
			if i > 0 && strings.IndexByte("=!<>", s[i-1]) >= 0 || i+1 < len(s) && s[i+1] == '=' {
				return "", "", false
			}
			l, r = strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+1:])
			return l, r, l != "" && r != ""
		}
	}
	return "", "", false
}
