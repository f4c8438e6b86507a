package dap

import (
	"errors"
	"fmt"

	godap "github.com/google/go-dap"

	engine "stackscope/vm/debugger"
)

// whenStopped runs a function that may fail while the program stands.
func (s *session) whenStopped(f func(e *engine.Engine) error) error {
	e, err := s.requireEngine()
	if err != nil {
		return err
	}
	if s.phase != phaseStopped {
		return s.notStanding()
	}
	var fail error
	if err := e.WhenStopped(func() {
		defer e.Interruptible(s.ctx)()
		fail = f(e)
	}); err != nil {
		return err
	}
	return fail
}

func (s *session) onScopes(a *godap.ScopesArguments) (any, error) {
	out := godap.ScopesResponseBody{Scopes: []godap.Scope{}}
	err := s.whenStopped(func(e *engine.Engine) error {
		if h, ok := s.handles.frames[a.FrameId]; ok && h.label {
			return nil
		}
		f, err := s.frame(a.FrameId)
		if err != nil || a.FrameId == 0 {
			return errNoFrame
		}
		add := func(name, hint string, vars []engine.Var, always bool, list func() []engine.Var) {
			if len(vars) == 0 && !always {
				return
			}
			sc := godap.Scope{Name: name, PresentationHint: hint, NamedVariables: len(vars)}
			sc.VariablesReference = s.handles.container(container{children: list, frame: f})
			if src := s.sourceOf(f.Func.Unit); src != nil && hint == "locals" {
				sc.Source = src
			}
			out.Scopes = append(out.Scopes, sc)
		}
		scope := func(name, hint string, always bool, list func(engine.Frame) []engine.Var) {
			add(name, hint, list(f), always, func() []engine.Var { return list(f) })
		}
		code := !f.OfScript() // a command has neither
		scope("Locals", "locals", code, e.Inspector.Locals)
		scope("Operand stack", "", code, e.Inspector.Operands)
		scope("Handlers in force", "", false, e.Inspector.Handlers)
		scope("Continuation", "", false, e.Inspector.Continuation)
		scope("Globals", "", false, e.Inspector.Globals)
		scope("Memory", "", false, func(f engine.Frame) []engine.Var { return append(e.Inspector.Memories(f), e.Inspector.Tables(f)...) })
		return nil
	})
	return out, err
}

var errNoVariable = errors.New("there is no such variable: the program has gone on since")

func hex(f *godap.ValueFormat) bool { return f != nil && f.Hex }

// maxChildren is how many children are given to a client that cannot page.
const maxChildren = 1000

func (s *session) onVariables(a *godap.VariablesArguments) (any, error) {
	out := variablesBody{Variables: []variable{}}
	err := s.whenStopped(func(e *engine.Engine) error {
		c, ok := s.handles.vars[a.VariablesReference]
		if !ok || c.frame.Gone() {
			return errNoVariable
		}
		var vars []engine.Var
		if c.named != nil && a.Filter != "indexed" && (a.Filter == "named" || a.Start == 0) {
			vars = c.named()
		}
		switch {
		case c.page != nil && a.Filter != "named":
			n := c.indexed
			if a.Count > 0 {
				n = min(n, a.Count)
			}
			if !s.client.paging || a.Count <= 0 {
				n = min(n, maxChildren)
			}
			vars = append(vars, c.page(a.Start, n)...)
		case c.page != nil:
		case a.Filter == "indexed":
		default:
			vars = c.children()
			if a.Start > 0 || a.Count > 0 {
				from := min(max(a.Start, 0), len(vars))
				to := len(vars)
				if a.Count > 0 && a.Count < to-from {
					to = from + a.Count
				}
				vars = vars[from:to]
			}
		}
		if left := c.indexed - max(a.Start, 0) - maxChildren; c.page != nil && a.Filter != "named" && !s.client.paging &&
			a.Count <= 0 &&
			left > 0 {
			vars = append(vars, engine.Var{Name: "…", Text: fmt.Sprintf("%d more, each by its index", left)})
		}
		for _, v := range vars {
			out.Variables = append(out.Variables, s.variable(e, v, c.frame, hex(a.Format)))
		}
		return nil
	})
	return out, err
}

// text returns the value of a variable for people.
func text(e *engine.Engine, v engine.Var, hex bool) string { return e.Inspector.Show(v, hex) }

// reference returns the number under which a variable's children can be asked for, 0 if it has
// none.
func (s *session) reference(v engine.Var, f engine.Frame) (ref, indexed int) {
	if v.Children == nil {
		return 0, 0
	}
	return s.handles.container(
		container{children: v.Children, page: v.Page, named: v.Named, indexed: v.Indexed, frame: f},
	), v.Indexed
}

// memoryReference returns the reference to a memory, for clients that declared that they take such.
func (s *session) memoryReference(v *engine.Var) string {
	if v.Memory == nil || !s.client.memoryRefs {
		return ""
	}
	return fmt.Sprintf("%d:%d:%d", v.Memory.Instance, v.Memory.Index, v.MemoryAt)
}

func (s *session) variable(e *engine.Engine, v engine.Var, f engine.Frame, hex bool) variable {
	out := variable{Variable: godap.Variable{Name: v.Name, Value: text(e, v, hex), EvaluateName: v.EvalName}}
	if s.client.types {
		out.Type = v.Type
	}
	out.VariablesReference, out.IndexedVariables = s.reference(v, f)
	out.NamedVariables = v.NumNamed
	out.MemoryReference = s.memoryReference(&v)
	if !v.Settable() {
		out.PresentationHint = &godap.VariablePresentationHint{Attributes: []string{"readOnly"}}
	}
	out.ValueLocationReference = s.handles.location(v.At)
	return out
}

func (s *session) onSetVariable(a *godap.SetVariableArguments) (any, error) {
	var out setVariableBody
	err := s.whenStopped(func(e *engine.Engine) error {
		c, ok := s.handles.vars[a.VariablesReference]
		if !ok || c.frame.Gone() {
			return errNoVariable
		}
		v, ok := c.child(a.Name)
		if !ok {
			return fmt.Errorf("there is no variable %s", a.Name)
		}
		var err error
		out, err = s.assign(e, c.frame, v, a.Value, hex(a.Format))
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// assign sets a variable and tells the client what may look different now.
func (s *session) assign(
	e *engine.Engine, f engine.Frame, v engine.Var, value string, hex bool,
) (setVariableBody, error) {
	v, err := e.Evaluator.Assign(f, v, value)
	if err != nil {
		return setVariableBody{}, userError{err}
	}
	out := setVariableBody{Value: text(e, v, hex)}
	if s.client.types {
		out.Type = v.Type
	}
	out.VariablesReference, out.IndexedVariables = s.reference(v, f)
	out.NamedVariables = v.NumNamed
	out.MemoryReference = s.memoryReference(&v)
	out.ValueLocationReference = s.handles.location(v.At)
	if v.Memory != nil {
		s.memoryChanged(e, v.Memory, v.MemoryAt, v.MemoryLen)
	}
	s.invalidate()
	return out, nil
}

// invalidate tells a client that can hear it that variables may have changed.
func (s *session) invalidate() {
	if s.client.invalidated {
		s.then(func() {
			s.conn.event("invalidated", godap.InvalidatedEventBody{Areas: []godap.InvalidatedAreas{"variables"}})
		})
	}
}

func (s *session) onSetExpression(a *godap.SetExpressionArguments) (any, error) {
	var out setVariableBody
	err := s.whenStopped(func(e *engine.Engine) error {
		f, err := s.frame(a.FrameId)
		if err != nil {
			return err
		}
		v, err := e.Evaluator.Find(f, a.Expression)
		if err != nil {
			return userError{err}
		}
		out, err = s.assign(e, f, v, a.Value, hex(a.Format))
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
