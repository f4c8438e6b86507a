package debugger

// CompiledTest compiles a condition for the function of a frame and asks it there. inLoop reports
// whether the machine's loop decides it.
func (e *Engine) CompiledTest(f Frame, text string) (is, inLoop bool, err error) {
	t, err := e.Evaluator.compileTest(f.Func, text)
	if err != nil {
		return false, false, err
	}
	is, err = t.ask(f.vf)
	return is, t.pure, err
}
