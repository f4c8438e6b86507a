package inspect

import (
	"errors"
	"fmt"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
)

// endedVars are the children of a value that names a stack that has ended: what is known of it.
func (ip *Inspector) endedVars(s *snapshot.Stack) []Var {
	out := []Var{{Name: "state", Text: s.Doing()}}
	if s.Base != "" {
		out = append(out, Var{Name: "function", Text: s.Base})
	}
	e := s.End
	if e == nil {
		return out
	}
	out = append(out, Var{Name: "end", Text: e.Kind.String()})
	if e.By != 0 {
		out = append(out, Var{Name: "ended by", Text: ip.stackName(e.By)})
	}
	if e.With != 0 {
		out = append(out, Var{Name: "together with", Text: ip.stackName(e.With)})
	}
	if e.Tag != "" {
		out = append(out, Var{Name: "tag", Text: e.Tag})
	}
	if !e.At.IsZero() {
		out = append(out, Var{Name: "ended at", Text: e.At.Short(), At: e.At})
	}
	for i, at := range e.Skipped {
		out = append(out, Var{
			Name: fmt.Sprintf("skipped %d", i), At: at,
			Text: fmt.Sprintf("%s at %s in %s", at.Text, at.Short(), at.Func),
		})
	}
	return out
}

// stackName names a stack that lives, or whose end is kept.
func (ip *Inspector) stackName(id snapshot.StackID) string {
	if st := ip.stacks.Find(id); st != nil {
		s := ip.sym.Stack(st)
		return s.Name()
	}
	if s, ok := ip.sym.EndedID(id); ok {
		return s.Name()
	}
	return fmt.Sprintf("#%d", id)
}

// staleVars are the children of a stale reference to a stack.
func (ip *Inspector) staleVars(r vm.Ref) []Var {
	if s, ok := ip.sym.EndedStack(r); ok {
		return ip.endedVars(&s)
	}
	st, _, _ := r.Stack()
	name := fmt.Sprintf("#%d", st.ID())
	return []Var{{
		Name: "stack", Text: ip.stackName(snapshot.StackID(st.ID())), EvalName: name,
		Children: func() []Var { return within(name, ip.stackVars(st)) },
	}}
}

// NoStack is what users are told of an id that no stack has: that it has ended, as long as that is
// known.
func (ip *Inspector) NoStack(id snapshot.StackID) error {
	if id == ScriptThread {
		return errors.New("the script is not a stack")
	}
	if s, ok := ip.sym.EndedID(id); ok {
		return fmt.Errorf("there is no stack #%d any more: %s", id, s.Title())
	}
	return fmt.Errorf("there is no stack #%d", id)
}

// Pending returns the payload of the event that has arrived at the stack of a frame and was not
// taken yet, if it is the innermost one: "event" is its tag.
func (ip *Inspector) Pending(f Frame) []Var {
	if f.VM == nil {
		return nil
	}
	tag, vals := f.VM.Pending()
	if tag == nil {
		return nil
	}
	out := []Var{{Name: "event", Text: symbols.TagName(tag)}}
	for i, x := range vals {
		v := Var{
			Name: fmt.Sprintf("[%d]", i), Value: x, ValType: x.Type, EvalName: fmt.Sprintf("event %d", i),
			Set: func(n vm.Value) error { f.VM.SetPending(i, n); return nil },
		}
		out = append(out, ip.value(v, f.VM.Instance()))
	}
	return out
}
