package lockstep

import (
	"fmt"
	"hash/maphash"
	"strings"

	"stackscope/vm"
)

// Side is one of the two machines.
type Side struct {
	Options vm.Options
	// Attend is called with the new machine; the functions it returns are called at every safe
	// point and at every stop. Either may be nil.
	Attend func(m *vm.Machine) (safePoint func(), stop func(*vm.Stop))
}

// Script is what both machines run. It returns its results as text, which is compared too.
type Script func(m *vm.Machine) string

// mark is what is compared: a hash, and of what.
type mark struct {
	hash uint64
	what string
}

// chunk is how many marks are sent at once.
const chunk = 512

// The marks that are made: all up to the first number, then every 16th, then every 256th.
const (
	allMarks  = 100_000
	someMarks = 1_000_000
)

// Compare runs a script on both sides and reports where they differ first.
func Compare(a, b Side, script Script) error {
	at, what, ra, rb := run(a, b, script, -1)
	if at < 0 {
		if ra.result != rb.result {
			return fmt.Errorf("the results differ: %s and %s", ra.result, rb.result)
		}
		return nil
	}
	_, _, ra, rb = run(a, b, script, at) // again, to describe the difference
	return fmt.Errorf(
		"at mark %d: %s\nfirst before:\n%sfirst:\n%ssecond before:\n%ssecond:\n%s", at, what, ra.before,
		ra.text, rb.before, rb.text,
	)
}

// result is how a side ended.
type result struct {
	result       string
	before, text string // the description at the mark before the requested one, and at that one
}

// run runs both sides. It returns the first mark that differs, -1 if none, and the difference.
func run(a, b Side, script Script, look int) (at int, what string, ra, rb result) {
	seed := maphash.MakeSeed()
	chunks := make(chan []mark, 4)
	go func() {
		p := newPacer(seed, look)
		var out []mark
		p.give = func(m mark) {
			if out = append(out, m); len(out) == chunk {
				chunks <- out
				out = make([]mark, 0, chunk)
			}
		}
		ra = p.run(a, script)
		chunks <- out
		close(chunks)
	}()
	at = -1
	n := 0
	var in []mark
	next := func() (mark, bool) {
		for len(in) == 0 {
			more, ok := <-chunks
			if !ok {
				return mark{what: "its end"}, false
			}
			in = more
		}
		m := in[0]
		in = in[1:]
		return m, true
	}
	p := newPacer(seed, look)
	p.give = func(m mark) {
		if at < 0 {
			if want, _ := next(); want != m {
				at, what = n, fmt.Sprintf("the first is at %s, the second at %s", want.what, m.what)
				if want.what == m.what {
					what = "their states differ at " + m.what
				}
			}
		}
		n++
	}
	rb = p.run(b, script)
	if at < 0 {
		if m, ok := next(); ok {
			at, what = n, "the second has ended, the first is at "+m.what
		}
	}
	for range chunks { // let the first end
	}
	return at, what, ra, rb
}

// pacer makes the marks of one side.
type pacer struct {
	d      *vm.Digester
	m      *vm.Machine
	give   func(mark)
	n      int // marks so far
	points int // safe points so far
	credit int // bytes that may be hashed
	look   int // the mark to describe
	out    result
}

func newPacer(seed maphash.Seed, look int) *pacer { return &pacer{d: vm.NewDigester(seed), look: look} }

func (p *pacer) mark(what string, hash uint64) {
	switch p.n {
	case p.look - 1:
		p.out.before = Describe(p.m)
	case p.look:
		p.out.text = Describe(p.m)
	}
	p.n++
	p.give(mark{hash, what})
}

func (p *pacer) safePoint() {
	p.points++
	switch {
	case p.points > someMarks && p.points%256 > 0, p.points > allMarks && p.points%16 > 0:
		return
	}
	p.mark("a safe point", p.d.Point(p.m))
	// Hash as much of the rest as of the current frame.
	const share = 256
	if p.credit += share; p.credit >= p.d.Bytes(p.m) {
		p.credit = 0
		p.mark("a safe point, everything", p.d.All(p.m))
	}
}

// run runs a script on a new machine.
func (p *pacer) run(s Side, script Script) result {
	p.m = vm.New(s.Options)
	var safe func()
	var stop func(*vm.Stop)
	if s.Attend != nil {
		safe, stop = s.Attend(p.m)
	}
	p.m.SetProbe(func(st *vm.Stop) {
		if st.Reason >= vm.StopTrap && st.Reason != vm.StopArrival {
			p.mark(fmt.Sprintf("stop %d", st.Reason), p.d.Point(p.m))
		}
		if stop != nil {
			stop(st)
		}
	})
	p.m.AtSafePoints(func() {
		p.safePoint()
		if safe != nil {
			safe()
		}
	})
	p.out.result = script(p.m)
	p.mark("the end", p.d.All(p.m))
	return p.out
}

// Describe describes the state of a machine, for finding a difference.
func Describe(m *vm.Machine) string {
	var b strings.Builder
	n := 0
	for s := range m.Chain() {
		fmt.Fprintf(&b, "  #%d %v resumed %d times\n", s.ID(), s.State(), s.Resumes())
		for _, f := range s.Frames()[:min(3, s.NumFrames())] {
			op := ""
			if in := f.Instance(); in != nil && f.PC() >= 0 && n == 0 {
				op = fmt.Sprintf("locals %v operands %v", f.Locals(), f.Operands())
			}
			fmt.Fprintf(&b, "    %v at %d %s\n", f.Func(), f.PC(), op)
			n++
		}
	}
	return b.String()
}
