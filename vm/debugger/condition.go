package debugger

import (
	"stackscope/vm"
)

// A condition is an expression that is true if it is neither zero nor null. It is evaluated each
// time its breakpoint is reached, so it is compiled when the breakpoint is set. What needs no more
// than locals, globals and arithmetic is asked from within the machine's loop (gate).

// test is a compiled condition.
type test struct {
	ask  func(f *vm.Frame) (bool, error)
	pure bool // it only looks
}

// compileTest compiles a condition for a function.
func (ev *Evaluator) compileTest(id FuncID, text string) (test, error) {
	x, err := ev.parse(ev.sym.infoOf(id), text)
	if err != nil {
		return test{}, err
	}
	t, err := ev.compileExpr(id, x)
	if err != nil {
		return test{}, err
	}
	if is := t.test; is != nil {
		return test{func(f *vm.Frame) (bool, error) { return is(f), nil }, true}, nil
	}
	return test{func(f *vm.Frame) (bool, error) {
		if !t.pure {
			defer ev.caller.bounded()()
		}
		o, err := t.eval(f)
		return err == nil && truth(o.Typed), err
	}, t.pure}, nil
}

// met reports whether a breakpoint is in force in a frame and its condition is true. first tells
// that the frame is new, if it is where its function begins.
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

// gate returns the function that the machine asks before it stops at breakpoints of one place; nil
// if it is to stop always. It counts what is reached in vain; if it says to stop, hit asks again,
// and counts.
func (bp *Breakpoints) gate(bs []*Breakpoint) func(*vm.Frame) bool {
	for _, b := range bs {
		always := b.cond == "" && b.hitOp == "" && b.Stack == 0
		again := b.Func != "" && bp.sym.infoOf(b.Place.Func).loops() // see begins
		if b.event != nil || b.data || always || again || b.cond != "" && !b.test.pure {
			return nil
		}
	}
	return func(f *vm.Frame) bool {
		switch {
		case bp.run.quiet > 0:
			return false
		case bp.run.hurried || bp.run.entry || bp.run.binding || bp.run.plan != nil || bp.run.event != "" || bp.run.want.Load() > 0 || bp.run.pausing.Load() || bp.run.killed.Load():
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
