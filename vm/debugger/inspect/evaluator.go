package inspect

import (
	"context"
	"errors"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/arith"
	"stackscope/vm/debugger/expr"
	"stackscope/vm/debugger/symbols"
)

// Evaluator evaluates what people type: expressions, assignments and calls.
type Evaluator struct {
	mach     *vm.Machine
	sym      *symbols.Symbols
	insp     *Inspector
	caller   *caller
	compiler Compiler // nil: only names can be evaluated
	exprs    map[exprKey]*expression
}

// NewEvaluator returns an evaluator for the frames of an inspector; c may be nil: then only names
// can be evaluated.
func NewEvaluator(ip *Inspector, c Compiler) *Evaluator {
	ev := &Evaluator{
		mach: ip.mach, sym: ip.sym, insp: ip, compiler: c, exprs: map[exprKey]*expression{},
		caller: &caller{mach: ip.mach, silence: ip.hooks.Silence},
	}
	ip.path = ev.machinePath
	return ev
}

// Bounded limits the time of all evaluations together until end is called.
func (ev *Evaluator) Bounded() (end func()) { return ev.caller.bounded() }

// Interruptible lets evaluations end with ErrCancelled when a context ends, until end is called.
func (ev *Evaluator) Interruptible(ctx context.Context) (end func()) {
	before := ev.caller.asked
	ev.caller.asked = ctx
	return func() { ev.caller.asked = before }
}

// Eval evaluates what people type: a path, an assignment `path = value`, a call `f(1, $x)`, code of
// the text format, or an expression of these. It must be called inside Do.
func (ev *Evaluator) Eval(f Frame, text string, may Effects) ([]Var, error) {
	defer ev.caller.limited(may)()
	defer ev.caller.bounded()()
	text = strings.TrimSpace(text)
	if err := expr.Check(text); err != nil {
		return nil, err
	}
	vs, err := ev.eval(f, text, may)
	return vs, Brief(err)
}

// Brief shortens the words of an error that are too long to be read.
func Brief(err error) error {
	if err == nil || len(err.Error()) < 200 {
		return err
	}
	words := strings.Split(err.Error(), " ")
	for i, w := range words {
		words[i] = expr.Brief(w)
	}
	return errors.New(expr.Cut(strings.Join(words, " "), 500))
}

func (ev *Evaluator) eval(f Frame, text string, may Effects) ([]Var, error) {
	v, ok, bad := ev.insp.src.evalSource(f, text, may)
	if ok {
		return []Var{v}, bad
	}
	vs, err := ev.evalMachine(f, text, may)
	if err != nil && bad != nil && !ofMachine(ev, f, text) {
		return nil, bad
	}
	return vs, err
}

// ofMachine reports whether a text is an expression of WebAssembly by its form: code, or a call.
func ofMachine(ev *Evaluator, f Frame, text string) bool {
	x, err := ev.parseIn(f, text)
	return err == nil && (x.Kind == expr.Code || x.Kind == expr.Call)
}

// evalMachine evaluates an expression of WebAssembly.
func (ev *Evaluator) evalMachine(f Frame, text string, may Effects) ([]Var, error) {
	if l, r, ok := splitAssignment(text); ok {
		if may&MayAssign == 0 {
			return nil, errNoAssignment
		}
		v, err := ev.machinePath(f, l)
		if errors.Is(err, errNoPath) {
			err = noVariable(l)
		}
		if err == nil {
			v, err = ev.Assign(f, v, r)
		}
		if err != nil {
			return nil, err
		}
		return []Var{v}, nil
	}
	v, err := ev.machinePath(f, text)
	if err == nil {
		return []Var{v}, nil
	}
	x, bad := ev.parseIn(f, text)
	switch {
	case bad != nil && !errors.Is(err, errNoPath) && !strings.ContainsAny(text, " \t\n"):
		return nil, err // what the path lacks
	case bad != nil:
		return nil, bad
	}
	var vs []arith.Typed
	switch x.Kind {
	case expr.Path:
		if !errors.Is(err, errNoPath) {
			return nil, err
		}
		return nil, noName(x.Text, f.VM != nil)
	case expr.Code:
		if f.VM == nil {
			return nil, errors.New("there is no frame to evaluate code in")
		}
		vs, err = ev.runCode(f.VM, x.Text)
	case expr.Call:
		vs, err = ev.callText(f, x)
	default:
		var o arith.Operand
		o, err = ev.evalExpr(f, x)
		vs = []arith.Typed{o.Typed}
	}
	if err != nil {
		return nil, err
	}
	out := make([]Var, len(vs))
	for i, v := range vs {
		out[i] = ev.insp.value(Var{Name: text, Value: v.Value, ValType: v.Type}, v.In)
	}
	return out, nil
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

// typeOf returns the type of a value with the names of its module.
func typeOf(t arith.Typed) string {
	if t.In == nil {
		return symbols.TypeText(t.Type, nil)
	}
	return symbols.TypeText(t.Type, t.In.Module())
}
