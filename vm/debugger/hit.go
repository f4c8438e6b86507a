package debugger

import (
	"fmt"
	"strconv"
	"strings"

	"stackscope/vm"
	"stackscope/wasm"
)

// hit returns the ids of the breakpoints that stop here, and the control event that a filter asks
// for. Those that log do so.
func (e *Engine) hit(bs []*Breakpoint, s *vm.Stop) (ids []int, event string) {
	frame := topFrame(s.Stack)
	first := begins(e.Symbols.info(s.Site.Func), frame)
	for _, b := range bs {
		if b.data {
			e.DataBreakpoints.activated(frame)
			e.run.access = e.DataBreakpoints.finder.accessOf(frame)
			continue
		}
		if b.event != nil {
			if t := e.Filters.text(b.event, frame); t != "" {
				event = t
			}
			continue
		}
		ok, err := b.met(frame, first)
		if err != nil {
			e.output(Console, fmt.Sprintf("breakpoint %d: condition: %v\n", b.ID, err))
			ids = append(ids, b.ID) // whoever asked wants to know
			continue
		}
		if !ok {
			continue
		}
		b.Hits++
		if !hitMatches(b.hitOp, b.hitN, b.Hits) {
			continue
		}
		if b.Log != "" {
			e.output(Console, e.Evaluator.logText(frame, b.parts)+"\n")
			continue
		}
		ids = append(ids, b.ID)
	}
	return ids, event
}

// begins reports whether a frame is at the beginning of its function for the first time: a function
// that begins with a loop comes there again and again, but is entered once. It notes that it was
// there.
func begins(fi *funcInfo, f *vm.Frame) bool {
	if f == nil || f.PC() != 0 || !fi.loops() {
		return true
	}
	again := f.Mark()&markBegun != 0
	f.SetMark(f.Mark() | markBegun)
	return !again
}

// loops reports whether a function begins with a loop.
func (fi *funcInfo) loops() bool { return fi.fn != nil && fi.fn.Body[0].Op == wasm.OpLoop }

// markBegun is the bit of a frame's mark that begins keeps; the others name the activation, see
// localData.
const markBegun = 1

// noteBegun marks the frames that are in functions with a breakpoint already.
func (bp *Breakpoints) noteBegun(bs []*Breakpoint) {
	in := map[FuncID]bool{}
	for _, b := range bs {
		if b.Verified && b.Func != "" && b.Place.PC == 0 && bp.sym.infoOf(b.Place.Func).loops() {
			in[b.Place.Func] = true
		}
	}
	if len(in) == 0 || !bp.run.started.Load() {
		return
	}
	const budget = 100_000
	found, _ := bp.mach.SomeStacks(budget)
	for _, l := range found {
		for _, f := range l.Frames() {
			if in[bp.sym.info(f.Func()).id] && (f.PC() > 0 || l.State() == vm.StackRunning) {
				f.SetMark(f.Mark() | markBegun)
			}
		}
	}
}

func topFrame(st *vm.Stack) *vm.Frame {
	return st.Frame(st.NumFrames() - 1)
}

// parseHit reads a hit condition: an operator, == by default, and a number.
func parseHit(s string) (op string, n int, err error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", 0, nil
	}
	rest := strings.TrimLeft(s, "<>=!%")
	op = s[:len(s)-len(rest)]
	n, err = strconv.Atoi(strings.TrimSpace(rest))
	switch op {
	case "":
		op = "=="
	case "=":
		op = "=="
	case "==", "!=", "<", "<=", ">", ">=", "%":
	default:
		err = fmt.Errorf("unknown operator")
	}
	if err != nil || n < 0 || op == "%" && n == 0 {
		return "", 0, fmt.Errorf("hit condition %q: want a number, or one of == != < <= > >= %% with a number", s)
	}
	return op, n, nil
}

func hitMatches(op string, n, hits int) bool {
	switch op {
	case "==":
		return hits == n
	case "!=":
		return hits != n
	case "<":
		return hits < n
	case "<=":
		return hits <= n
	case ">":
		return hits > n
	case ">=":
		return hits >= n
	case "%":
		return hits%n == 0
	}
	return true
}
