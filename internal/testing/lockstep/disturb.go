package lockstep

import (
	"math/rand/v2"

	"stackscope/vm"
)

// Disturbed returns a side that changes the form of code at random: it starts stepping in the
// middle of fused code, stops stepping somewhere, sets breakpoints in functions that run, and
// clears them.
func Disturbed(seed uint64) Side {
	return Side{Attend: func(m *vm.Machine) (func(), func(*vm.Stop)) {
		d := &disturber{m: m, r: rand.New(rand.NewPCG(seed, 0xd157))}
		return d.safePoint, d.stop
	}}
}

type site struct {
	fn *vm.Func
	pc int
}

type disturber struct {
	m     *vm.Machine
	r     *rand.Rand
	left  int // steps
	sites []site
}

func (d *disturber) safePoint() {
	switch d.r.IntN(10) {
	case 0:
		d.left = d.r.IntN(60)
		d.m.SetStepping(true)
	case 1, 2:
		d.place()
	case 3:
		d.clear()
	case 4:
		d.m.RequestPause()
	case 5:
		d.m.SetArrivals(func(*vm.Arrival) bool { return d.r.IntN(2) == 0 })
	case 6:
		d.m.SetArrivals(nil)
	}
}

// place sets a breakpoint near the position of a frame of the running chain, or anywhere in its
// function.
func (d *disturber) place() {
	s := d.m.Running()
	if s == nil || s.NumFrames() == 0 || len(d.sites) > 20 {
		return
	}
	if p := s.Parent(); p != nil && p.NumFrames() > 0 && d.r.IntN(3) == 0 {
		s = p
	}
	f := s.Frame(s.NumFrames() - 1 - d.r.IntN(min(3, s.NumFrames())))
	if f.PC() < 0 || f.Instance() == nil {
		return
	}
	pc := f.PC() + d.r.IntN(20)
	if d.r.IntN(4) == 0 {
		pc = d.r.IntN(pc + 1)
	}
	if d.m.SetBreakpoint(f.Func(), pc) {
		d.sites = append(d.sites, site{f.Func(), pc})
	}
}

func (d *disturber) clear() {
	if n := len(d.sites); n > 0 {
		i := d.r.IntN(n)
		d.m.ClearBreakpoint(d.sites[i].fn, d.sites[i].pc)
		d.sites[i] = d.sites[n-1]
		d.sites = d.sites[:n-1]
	}
}

func (d *disturber) stop(s *vm.Stop) {
	switch s.Reason {
	case vm.StopStep:
		if d.left--; d.left < 0 {
			d.m.SetStepping(false)
		}
		if d.r.IntN(20) == 0 {
			d.place()
		}
	case vm.StopBreak, vm.StopArrival:
		switch d.r.IntN(3) {
		case 0:
			d.clear()
		case 1:
			d.left = d.r.IntN(20)
			d.m.SetStepping(true)
		}
	}
}
