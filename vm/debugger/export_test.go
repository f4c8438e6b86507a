package debugger

import "stackscope/vm/debugger/inspect"

// CompiledTest compiles a condition for the function of a frame and asks it there. inLoop reports
// whether the machine's loop decides it.
func (e *Engine) CompiledTest(f inspect.Frame, text string) (is, inLoop bool, err error) {
	t, err := e.Evaluator.CompileTest(f.Func, 0, text)
	if err != nil {
		return false, false, err
	}
	is, err = t.Ask(f.VM)
	return is, t.Pure, err
}
