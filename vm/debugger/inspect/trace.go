package inspect

import (
	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
)

// Entry is a line of the stack trace of a thread: a frame, or a label between frames.
type Entry struct {
	Label string // if not empty, it is a label
	Frame Frame
}

// page collects those lines of a trace that are asked for. The others are counted, not described: a
// trace may have a hundred thousand.
type page struct {
	from, to int
	n        int // lines so far
	out      []Entry
}

func (p *page) label(text func() string) {
	if p.n >= p.from && p.n < p.to {
		p.out = append(p.out, Entry{Label: text()})
	}
	p.n++
}

func (p *page) frame(f Frame) {
	if p.n >= p.from && p.n < p.to {
		p.out = append(p.out, Entry{Frame: f})
	}
	p.n++
}

// maxExpanded bounds the frames of a stack, from the innermost on, whose inlined calls are frames,
// too: to count them takes a look at each. Of those farther out only the functions are.
const maxExpanded = 2000

func (p *page) frames(ip *Inspector, st *vm.Stack) {
	k := st.NumFrames()
	var inner []vm.Site
	if ip.sym.AnySource() {
		inner = st.Trace(maxExpanded)
	}
	for i, at := range inner {
		n := 1
		if in := ip.sym.Function(at.Func).InlineAt(at.PC); in != nil {
			if n += in.Depth; i == 0 {
				n -= ip.sym.Hidden(st)
			}
		}
		if p.n+n > p.from && p.n < p.to {
			for _, f := range ip.levels(st, i)[:n] {
				p.frame(f)
			}
		} else {
			p.n += n
		}
	}
	rest := k - len(inner)
	for i := max(p.from-p.n, 0); i < min(p.to-p.n, rest); i++ {
		ls := ip.levels(st, len(inner)+i)
		p.out = append(p.out, Entry{Frame: ls[len(ls)-1]})
	}
	p.n += rest
}

// Trace returns some lines of the stack trace of a stack: at most count (0: all) from a line on,
// and how many there are. Of the running stack the trace is its frames, then a label that reports
// how it was resumed, then the frames of its resumer, and so on down to the host. Of another stack
// it is its frames, and labels that tell what it waits for and who made it. ok is false if there is
// no such stack. It must be called inside Do.
func (ip *Inspector) Trace(id snapshot.StackID, from, count int) (lines []Entry, total int, ok bool) {
	p := &page{from: max(from, 0)}
	if p.to = p.from + count; count <= 0 || p.to < p.from {
		p.to = 1<<63 - 1
	}
	run := ip.mach.Running()
	switch {
	case id == ScriptThread:
		f, ok := ip.hooks.ScriptFrame()
		if !ok || run != nil {
			return nil, 0, false
		}
		p.frame(f)
	case run == nil || snapshot.StackID(run.ID()) != id:
		st := ip.stacks.Find(id)
		if st == nil {
			return nil, 0, false
		}
		ip.parked(p, st)
	default:
		ip.chain(p)
	}
	return p.out, p.n, true
}

// chain is the trace of the running chain.
func (ip *Inspector) chain(p *page) {
	var due func() string // the label between a stack and the next
	var bottom *vm.Stack
	stacks, last, omitted := ip.mach.ChainEnds() // of a long chain the middle is one label
	for i, st := range append(stacks, last...) {
		if omitted > 0 && i == len(stacks) {
			due = func() string { return "… " + symbols.Grouped(omitted) + " more stacks" }
		}
		if st.OfDebugger() {
			continue
		}
		if due != nil {
			p.label(due)
		}
		p.frames(ip, st)
		due, bottom = nil, st
		switch q := st.Parent(); {
		case q != nil && q.OfDebugger():
			due = func() string { return "cancelled with " + ip.hooks.Cancelling(q) + " by the debugger" }
		case q != nil:
			due = func() string { return ip.sym.LinkLabel(st, q) }
		case st.Rooted():
			due = func() string {
				if by := ip.sym.SwitchedBy(snapshot.StackID(st.ID())); by != "" {
					return by + ", called by the host"
				}
				return "called by the host"
			}
		}
	}
	if bottom != nil && bottom.Parent() == nil { // below the last one there is no label, unless somebody switched to it
		if by := ip.sym.SwitchedBy(snapshot.StackID(bottom.ID())); by != "" {
			p.label(func() string { return by })
		}
	}
	if f, ok := ip.hooks.ScriptFrame(); ok {
		p.frame(f)
	}
}

// parked is the trace of a stack that does not run.
func (ip *Inspector) parked(p *page, st *vm.Stack) {
	if st.OfDebugger() {
		p.label(func() string { return "the debugger cancels the stack above with " + ip.hooks.Cancelling(st) })
		return
	}
	s, doing := ip.sym.Stack(st), ""
	switch {
	case s.State == snapshot.New:
		doing = "not started: it enters " + s.Base + " when it is " + s.Words().Resumed
	case st.Below() && !st.InHost():
		doing = "stopped at " + s.At.Short() + "; a cancellation runs on top of it"
	case st.Below():
		if doing = "waiting for a host call"; s.Awaits != "" {
			doing = s.Doing()
		}
	case s.State == snapshot.Waiting:
		site, _ := st.Site()
		w := ip.sym.Dialect(site).Info()
		doing = "waiting for the " + w.Noun + " it " + w.Resumed
	case st.Moved():
		doing = "continues at " + s.At.Short() + " when it is " + s.Words().Resumed
	case s.Switched:
		doing = ip.stacks.SwitchedAway(&s)
	default:
		doing = s.Doing()
	}
	p.label(func() string { return doing })
	p.frames(ip, st)
	if q := st.Parent(); q != nil {
		p.label(func() string { return ip.sym.LinkLabel(st, q) })
	}
	if !s.CreatedAt.IsZero() {
		p.label(func() string { return "created at " + s.CreatedAt.Short() })
	}
}
