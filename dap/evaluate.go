package dap

import (
	"fmt"
	"strings"

	godap "github.com/google/go-dap"

	"stackscope/stackview"
	engine "stackscope/vm/debugger"
)

// onEvaluate evaluates a name, `#3` (a stack), a number, or an expression of the text format. In
// the console a few words of the debugger can be typed as well.
func (s *session) onEvaluate(a *godap.EvaluateArguments) (any, error) {
	var out evaluateBody
	expr := strings.TrimSpace(a.Expression)
	if k, ok := stepWords()[expr]; ok && a.Context == "repl" {
		return s.stepByWord(k)
	}
	if words := strings.Fields(expr); a.Context == "repl" && len(words) > 0 && words[0] == "cancel" {
		var err error
		if out.Result, err = s.cancelWord(words); err != nil {
			return nil, err
		}
		return out, nil
	}
	err := s.whenStopped(func(e *engine.Engine) error {
		if a.Context == "repl" {
			if t, ok, err := s.console(e, expr); ok {
				out.Result = t
				return err
			}
		}
		f, err := s.frame(a.FrameId)
		if err != nil {
			return err
		}
		may := engine.MayCall | engine.MayAssign
		switch a.Context {
		case "hover", "variables":
			may = 0
		case "watch", "clipboard":
			may = engine.MayCall
		}
		inner, format, formatted := engine.CutFormat(expr)
		vs, err := e.Evaluator.Eval(f, inner, may)
		if may&engine.MayAssign != 0 { // also if it has failed: it may have got some way
			s.invalidate()
			s.memoryChanged(e, nil, 0, 0)
		}
		if err != nil {
			return err
		}
		if formatted {
			if len(vs) != 1 {
				return fmt.Errorf("%s has %d values", inner, len(vs))
			}
			out.Result, err = e.Inspector.Formatted(f, vs[0], format)
			return err
		}
		switch len(vs) {
		case 0:
			out.Result = "no value"
		case 1:
			s.fill(&out, e, vs[0], f, hex(a.Format), a.Context == "clipboard")
		default:
			texts := make([]string, len(vs))
			for i := range vs {
				vs[i].Name = fmt.Sprintf("[%d]", i)
				texts[i] = text(e, vs[i], hex(a.Format))
			}
			out.Result = strings.Join(texts, " ")
			out.VariablesReference = s.handles.container(container{children: func() []engine.Var { return vs }, frame: f})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// stepWords are the words of the console that let the program go on.
func stepWords() map[string]engine.StepKind {
	return map[string]engine.StepKind{"continue": engine.Run, "next": engine.Over, "step": engine.Into, "out": engine.Out}
}

// stepByWord lets the program go on as a word of the console says. The client did not ask for it by
// a request, so it is told.
func (s *session) stepByWord(k engine.StepKind) (any, error) {
	thread := int(s.stop.Stack)
	if s.phase != phaseStopped {
		return nil, s.notStanding()
	}
	s.then(func() {
		s.conn.event("continued", continuedBody{thread, true})
	})
	if err := s.resume(k, "", thread, false); err != nil {
		s.after = s.after[:0]
		return nil, err
	}
	return evaluateBody{EvaluateResponseBody: godap.EvaluateResponseBody{Result: k.String()}}, nil
}

func (s *session) fill(out *evaluateBody, e *engine.Engine, v engine.Var, f engine.Frame, hex, whole bool) {
	out.Result = text(e, v, hex)
	if whole {
		out.Result = e.Inspector.Whole(v)
	}
	if s.client.types {
		out.Type = v.Type
	}
	out.VariablesReference, out.IndexedVariables = s.reference(v, f)
	out.NamedVariables = v.NumNamed
	out.MemoryReference = s.memoryReference(&v)
	out.ValueLocationReference = s.handles.location(v.At)
}

// console answers the words that the debug console understands besides expressions.
func (s *session) console(e *engine.Engine, line string) (string, bool, error) {
	switch line {
	case "help":
		return "a name ($x), a stack (#3), an expression ($x + 1, (i32.add (local.get $x) (i32.const 1))), tree, stacks, history, cancel #3 $tag, continue, next, step, out", true, nil
	case "tree":
		return strings.TrimRight(stackview.New(s.snapshot(true)).Text(stackview.Style{Color: s.client.ansi}), "\n"), true, nil
	case "stacks":
		snap := s.snapshot(false)
		if len(snap.Stacks) == 0 {
			return "no stacks", true, nil
		}
		var b strings.Builder
		for i := range snap.Stacks {
			fmt.Fprintln(&b, snap.Stacks[i].Title())
		}
		if snap.Omitted > 0 {
			fmt.Fprintf(&b, "… %d more stacks\n", snap.Omitted)
		}
		return strings.TrimRight(b.String(), "\n"), true, nil
	case "history":
		events, dropped := e.History.Events()
		var b strings.Builder
		if dropped > 0 {
			fmt.Fprintf(&b, "… %d earlier events\n", dropped)
		}
		_ = stackview.TraceText(&b, events[max(0, len(events)-100):])
		if b.Len() == 0 {
			return "nothing has happened yet, or no history is kept", true, nil
		}
		return strings.TrimRight(b.String(), "\n"), true, nil
	}
	return "", false, nil
}
