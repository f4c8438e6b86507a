package dap

import (
	"errors"
	"fmt"

	godap "github.com/google/go-dap"

	engine "stackscope/vm/debugger"
)

// variables are the scopes of frames and what is in them.
type variables struct {
	common
	mem *memory
}

func (vr *variables) onScopes(a *godap.ScopesArguments) (any, error) {
	out := godap.ScopesResponseBody{Scopes: []godap.Scope{}}
	err := vr.prog.whenStopped(func(e *engine.Engine) error {
		if h, ok := vr.handles.frames[a.FrameId]; ok && h.label {
			return nil
		}
		f, err := vr.frame(a.FrameId)
		if err != nil || a.FrameId == 0 {
			return errNoFrame
		}
		for _, g := range e.Inspector.Scopes(f) {
			sc := godap.Scope{
				Name: g.Name, PresentationHint: g.Hint, NamedVariables: g.Named, IndexedVariables: g.Indexed,
				Expensive: g.Expensive,
			}
			if g.Hint == "globals" {
				sc.PresentationHint = ""
			}
			sc.VariablesReference = vr.handles.container(
				container{children: g.Vars, page: g.Page, indexed: g.Indexed, frame: f},
			)
			if g.Hint == "locals" {
				sc.Source = vr.scopeSource(f)
			}
			out.Scopes = append(out.Scopes, sc)
		}
		return nil
	})
	return out, err
}

// inSource reports whether a frame is shown in its source.
func inSource(f engine.Frame) bool {
	return f.Source != nil && f.File != nil && f.File.External() != nil
}

// scopeSource returns the source that a frame's locals are in.
func (vr *variables) scopeSource(f engine.Frame) *godap.Source {
	if inSource(f) {
		src, _, _ := vr.src.ofFrame(f)
		return src
	}
	return vr.src.of(f.Func.Unit)
}

var errNoVariable = errors.New("stale variable reference: the program has resumed since")

func hex(f *godap.ValueFormat) bool { return f != nil && f.Hex }

// maxChildren is how many children a client receives that cannot page.
const maxChildren = 1000

func (vr *variables) onVariables(a *godap.VariablesArguments) (any, error) {
	out := variablesBody{Variables: []variable{}}
	err := vr.prog.whenStopped(func(e *engine.Engine) error {
		c, ok := vr.handles.vars[a.VariablesReference]
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
			if !vr.client.paging || a.Count <= 0 {
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
		left := c.indexed - max(a.Start, 0) - maxChildren
		if c.page != nil && a.Filter != "named" && !vr.client.paging && a.Count <= 0 && left > 0 {
			vars = append(vars, engine.Var{Name: "…", Text: fmt.Sprintf("%d more: read each by its index", left)})
		}
		for _, v := range vars {
			out.Variables = append(out.Variables, vr.describe(e, v, c.frame, hex(a.Format)))
		}
		return nil
	})
	return out, err
}

// text returns the value of a variable for people.
func text(e *engine.Engine, v engine.Var, hex bool) string { return e.Inspector.Show(v, hex) }

// reference returns the number under which a variable's children can be asked for, 0 if it has
// none.
func (vr *variables) reference(v engine.Var, f engine.Frame) (ref, indexed int) {
	if v.Children == nil {
		return 0, 0
	}
	return vr.handles.container(
		container{children: v.Children, page: v.Page, named: v.Named, indexed: v.Indexed, frame: f},
	), v.Indexed
}

// memoryReference returns the reference to a memory, for clients that declared that they take such.
func (vr *variables) memoryReference(v *engine.Var) string {
	if v.Memory == nil || !vr.client.memoryRefs {
		return ""
	}
	return fmt.Sprintf("%d:%d:%d", v.Memory.Instance, v.Memory.Index, v.MemoryAt)
}

func (vr *variables) describe(e *engine.Engine, v engine.Var, f engine.Frame, hex bool) variable {
	out := variable{Variable: godap.Variable{Name: v.Name, Value: text(e, v, hex), EvaluateName: v.EvalName}}
	if vr.client.types {
		out.Type = v.Type
	}
	out.VariablesReference, out.IndexedVariables = vr.reference(v, f)
	out.NamedVariables = v.NumNamed
	out.MemoryReference = vr.memoryReference(&v)
	if !v.Settable() {
		out.PresentationHint = &godap.VariablePresentationHint{Attributes: []string{"readOnly"}}
	}
	out.ValueLocationReference = vr.handles.location(v.At)
	return out
}

func (vr *variables) onSetVariable(a *godap.SetVariableArguments) (any, error) {
	var out setVariableBody
	err := vr.prog.whenStopped(func(e *engine.Engine) error {
		c, ok := vr.handles.vars[a.VariablesReference]
		if !ok || c.frame.Gone() {
			return errNoVariable
		}
		v, ok := c.child(a.Name)
		if !ok {
			return fmt.Errorf("there is no variable %s", a.Name)
		}
		var err error
		out, err = vr.assign(e, c.frame, v, a.Value, hex(a.Format))
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// assign sets a variable and reports what may look different now.
func (vr *variables) assign(
	e *engine.Engine, f engine.Frame, v engine.Var, value string, hex bool,
) (setVariableBody, error) {
	v, err := e.Evaluator.Assign(f, v, value)
	if err != nil {
		return setVariableBody{}, userError{err}
	}
	out := setVariableBody{Value: text(e, v, hex)}
	if vr.client.types {
		out.Type = v.Type
	}
	out.VariablesReference, out.IndexedVariables = vr.reference(v, f)
	out.NamedVariables = v.NumNamed
	out.MemoryReference = vr.memoryReference(&v)
	out.ValueLocationReference = vr.handles.location(v.At)
	if v.Memory != nil {
		vr.mem.changed(e, v.Memory, v.MemoryAt, v.MemoryLen)
	}
	vr.out.invalidate()
	return out, nil
}

func (vr *variables) onSetExpression(a *godap.SetExpressionArguments) (any, error) {
	var out setVariableBody
	err := vr.prog.whenStopped(func(e *engine.Engine) error {
		f, err := vr.frame(a.FrameId)
		if err != nil {
			return err
		}
		v, err := e.Evaluator.Find(f, a.Expression)
		if err != nil {
			return userError{err}
		}
		out, err = vr.assign(e, f, v, a.Value, hex(a.Format))
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
