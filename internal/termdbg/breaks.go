package termdbg

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"
)

// location reads LINE, FILE:LINE[:COL] or a function.
func (d *debugger) location(s string) (brk, error) {
	s = strings.TrimSpace(s)
	file := ""
	if f := d.frame(); f != nil && f.Source != nil {
		file = f.Source.Path
	} else if p, err := filepath.Abs(d.o.Launch.Program); err == nil {
		file = p
	}
	if n, err := strconv.Atoi(s); err == nil {
		if n < 1 {
			return brk{}, errors.New("lines count from 1")
		}
		return brk{file: file, line: n}, nil
	}
	parts := strings.Split(s, ":")
	nums := 0
	var n [2]int
	for i := len(parts) - 1; i > 0 && nums < 2; i-- {
		x, err := strconv.Atoi(parts[i])
		if err != nil {
			break
		}
		n[0], n[1] = x, n[0]
		nums++
	}
	if nums == 0 {
		if s == "" || strings.ContainsAny(s, " :") {
			return brk{}, fmt.Errorf("%q is no place: want a line, FILE:LINE or $FUNC", s)
		}
		return brk{fn: s}, nil
	}
	path := strings.Join(parts[:len(parts)-nums], ":")
	if path != "" && path != filepath.Base(file) {
		if abs, err := filepath.Abs(path); err == nil {
			file = abs
		}
	}
	return brk{file: file, line: n[0], col: n[1]}, nil
}

func (d *debugger) cmdBreak(args string) {
	if args == "" {
		d.listBreaks()
		return
	}
	place, cond, _ := strings.Cut(" "+args+" ", " if ")
	b, err := d.location(place)
	if err != nil {
		d.fail(err)
		return
	}
	b.cond = strings.TrimSpace(cond)
	d.addBreak(b)
}

func (d *debugger) listBreaks() {
	if len(d.breaks) == 0 {
		d.printf("there are no breakpoints\n")
	}
	for _, b := range d.breaks {
		d.printf("  %d: %s\n", b.n, b.text)
	}
}

// addBreak sets a breakpoint, tells where it is, and tells whether it is anywhere.
func (d *debugger) addBreak(b brk) bool {
	if !b.temp {
		d.nextBrk++
		b.n = d.nextBrk
	}
	d.breaks = append(d.breaks, b)
	if !d.sendBreaks(b.file) {
		d.breaks = d.breaks[:len(d.breaks)-1]
		return false
	}
	x := &d.breaks[len(d.breaks)-1]
	if !x.temp {
		d.printf("breakpoint %d: %s\n", x.n, x.text)
	} else if x.failed {
		d.printf("%s\n", x.text)
	}
	return !x.failed
}

// sendBreaks gives the server the breakpoints of a file, or of functions if file is "".
func (d *debugger) sendBreaks(file string) bool {
	var idx []int
	for i := range d.breaks {
		if d.breaks[i].file == file {
			idx = append(idx, i)
		}
	}
	var body godap.SetBreakpointsResponseBody
	if file == "" {
		a := godap.SetFunctionBreakpointsArguments{Breakpoints: []godap.FunctionBreakpoint{}}
		for _, i := range idx {
			a.Breakpoints = append(a.Breakpoints, godap.FunctionBreakpoint{Name: d.breaks[i].fn, Condition: d.breaks[i].cond})
		}
		if !d.request("setFunctionBreakpoints", a, &body) {
			return false
		}
	} else {
		a := godap.SetBreakpointsArguments{Source: godap.Source{Path: file}, Breakpoints: []godap.SourceBreakpoint{}}
		for _, i := range idx {
			b := d.breaks[i]
			a.Breakpoints = append(a.Breakpoints, godap.SourceBreakpoint{Line: b.line, Column: b.col, Condition: b.cond})
		}
		if !d.request("setBreakpoints", a, &body) {
			return false
		}
	}
	for j, i := range idx {
		if j >= len(body.Breakpoints) {
			break
		}
		b, r := &d.breaks[i], body.Breakpoints[j]
		b.id, b.failed = r.Id, !r.Verified
		what := b.fn
		if what == "" {
			what = fmt.Sprintf("%s:%d", d.name(&godap.Source{Path: b.file}), b.line)
		}
		switch {
		case !r.Verified:
			b.text = what + ": " + r.Message
		case r.Source != nil:
			b.text = fmt.Sprintf("%s:%d:%d", d.name(r.Source), r.Line, r.Column)
			if b.fn != "" {
				b.text = b.fn + " at " + b.text
			} else if b.line != r.Line {
				b.text += fmt.Sprintf(" (moved from line %d)", b.line)
			}
		}
		if b.cond != "" {
			b.text += " if " + b.cond
		}
	}
	return true
}

func (d *debugger) cmdDelete(args string) {
	keep := d.breaks[:0:0]
	files := map[string]bool{}
	for _, b := range d.breaks {
		if args == "" || args == strconv.Itoa(b.n) {
			files[b.file] = true
		} else {
			keep = append(keep, b)
		}
	}
	if len(files) == 0 {
		d.printf("there is no breakpoint %s\n", args)
		return
	}
	d.breaks = keep
	for f := range files {
		d.sendBreaks(f)
	}
}

// dropTemporary removes the breakpoints of `until`.
func (d *debugger) dropTemporary() {
	keep := d.breaks[:0:0]
	files := map[string]bool{}
	for _, b := range d.breaks {
		if b.temp {
			files[b.file] = true
		} else {
			keep = append(keep, b)
		}
	}
	d.breaks = keep
	for f := range files {
		d.sendBreaks(f)
	}
}
