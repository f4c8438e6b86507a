package dap

import (
	"fmt"
	"strings"

	godap "github.com/google/go-dap"

	"stackscope/stackview"
	engine "stackscope/vm/debugger"
	"stackscope/vm/debugger/inspect"
)

// evaluator evaluates expressions and the words of the debug console, and completes both.
type evaluator struct {
	common
	threads *threads
	vars    *variables
	mem     *memory
	steps   *stepper
	ends    *canceller
}

// onEvaluate evaluates a name, `#3` (a stack), a number, or an expression of the text format. In
// the console a few words of the debugger can be typed as well.
func (ev *evaluator) onEvaluate(a *godap.EvaluateArguments) (any, error) {
	var out evaluateBody
	expr := strings.TrimSpace(a.Expression)
	if k, ok := stepWords()[expr]; ok && a.Context == "repl" {
		return ev.stepByWord(k)
	}
	if words := strings.Fields(expr); a.Context == "repl" && len(words) > 0 && words[0] == "cancel" {
		var err error
		if out.Result, err = ev.ends.cancelWord(words); err != nil {
			return nil, err
		}
		return out, nil
	}
	err := ev.prog.whenStopped(func(e *engine.Engine) error {
		if a.Context == "repl" {
			if t, ok, err := ev.command(e, expr); ok {
				out.Result = t
				return err
			}
		}
		f, err := ev.vars.frame(a.FrameId)
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
		inner, format, formatted := inspect.CutFormat(expr)
		vs, err := e.Evaluator.Eval(f, inner, may)
		if may&engine.MayAssign != 0 { // also if it has failed: it may have got some way
			ev.out.invalidate()
			ev.mem.changed(e, nil, 0, 0)
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
			ev.fill(&out, e, vs[0], f, hex(a.Format), a.Context == "clipboard")
		default:
			texts := make([]string, len(vs))
			for i := range vs {
				vs[i].Name = fmt.Sprintf("[%d]", i)
				texts[i] = text(e, vs[i], hex(a.Format))
			}
			out.Result = strings.Join(texts, " ")
			list := container{children: func() []engine.Var { return vs }, frame: f}
			out.VariablesReference = ev.handles.container(list)
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

// stepByWord resumes the program as a word of the console asks. The client did not ask for it by
// a request, so it receives an event.
func (ev *evaluator) stepByWord(k engine.StepKind) (any, error) {
	thread := int(ev.prog.stop.Stack)
	if ev.prog.phase != phaseStopped {
		return nil, ev.prog.notStopped()
	}
	ev.out.then(func() {
		ev.out.event("continued", continuedBody{thread, true})
	})
	if err := ev.steps.resume(k, "", thread, false); err != nil {
		ev.out.after = ev.out.after[:0]
		return nil, err
	}
	return evaluateBody{EvaluateResponseBody: godap.EvaluateResponseBody{Result: k.String()}}, nil
}

func (ev *evaluator) fill(out *evaluateBody, e *engine.Engine, v engine.Var, f engine.Frame, hex, whole bool) {
	out.Result = text(e, v, hex)
	if whole {
		out.Result = e.Inspector.Whole(v)
	}
	if ev.client.types {
		out.Type = v.Type
	}
	out.VariablesReference, out.IndexedVariables = ev.vars.reference(v, f)
	out.NamedVariables = v.NumNamed
	out.MemoryReference = ev.vars.memoryReference(&v)
	out.ValueLocationReference = ev.handles.location(v.At)
}

// console answers the words that the debug console understands besides expressions.
func (ev *evaluator) command(e *engine.Engine, line string) (string, bool, error) {
	switch line {
	case "help":
		return "Type a name ($x), a stack (#3), an expression ($x + 1, (i32.add (local.get $x) (i32.const 1))), or a command: tree, schedulers, stacks, history, sources, cancel #3 $tag, continue, next, step, out", true, nil
	case "sources":
		return ev.src.list(), true, nil
	case "tree":
		tree := stackview.New(ev.threads.snapshot(true)).Text(stackview.Style{Color: ev.client.ansi})
		return strings.TrimRight(tree, "\n"), true, nil
	case "schedulers":
		snap, err := e.Stacks.Schedulers(ev.prog.launch.MaxThreads, nil)
		if err != nil {
			return "", true, err
		}
		tree := stackview.ByScheduler(snap).Text(stackview.Style{Color: ev.client.ansi})
		return strings.TrimRight(tree, "\n"), true, nil
	case "stacks":
		snap := ev.threads.snapshot(false)
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
			return "no stack events are recorded: none has happened yet, or the history is off", true, nil
		}
		return strings.TrimRight(b.String(), "\n"), true, nil
	}
	return "", false, nil
}
