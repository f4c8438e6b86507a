package host

import (
	"context"
	"errors"
	"fmt"

	"stackscope/vm"
)

// PromiseState is the state of a promise.
type PromiseState uint8

// The states. A promise that is not pending is settled, and stays as it is.
const (
	Pending PromiseState = iota
	Fulfilled
	Rejected
)

// String returns the state's name.
func (s PromiseState) String() string { return [...]string{"pending", "fulfilled", "rejected"}[s] }

// Promise is a value that is to come, as in JavaScript. The program has it as an externref.
type Promise struct {
	id      uint64
	from    string // what has made it
	loop    *Loop
	state   PromiseState
	locked  bool // it follows another promise, or is settled
	handled bool // somebody gets to know of a rejection
	values  []vm.Value
	reason  Reason
	ref     vm.Ref
	then0   []reaction
}

// reaction is what is done when a promise is settled.
type reaction = Job

// Reason is why a promise is rejected: values that the program or a script has given, or the error
// that ended a call.
type Reason struct {
	Values []vm.Value
	Err    error
}

// List is a list of values: what a promise for several ones is fulfilled with. The program has it
// as an externref.
type List struct{ items []vm.Value }

// Items returns the values.
func (l *List) Items() []vm.Value { return l.items }

// New returns a pending promise. from says what has made it.
func (l *Loop) New(from string) (*Promise, error) {
	if l.count >= maxJobs {
		return nil, errJobs
	}
	l.count++
	l.lastID++
	p := &Promise{id: l.lastID, from: from, loop: l}
	p.ref = vm.HostRef(p)
	return p, nil
}

// String returns the promise's number and what has made it.
func (p *Promise) String() string {
	if p.from == "" {
		return fmt.Sprintf("promise %d", p.id)
	}
	return fmt.Sprintf("promise %d (%s)", p.id, p.from)
}

// State returns the state.
func (p *Promise) State() PromiseState { return p.state }

// Values returns what it is fulfilled with.
func (p *Promise) Values() []vm.Value { return p.values }

// Reason returns why it is rejected.
func (p *Promise) Reason() Reason { return p.reason }

// Value returns the promise as an externref, the same one each time.
func (p *Promise) Value() vm.Value { return vm.RefValue(p.ref) }

// PromiseOf returns the promise that a value is a reference to; nil if it is none.
func PromiseOf(v vm.Value) *Promise {
	x, _ := v.Ref.Host()
	p, _ := x.(*Promise)
	return p
}

// listOf returns the list that a value is a reference to; nil if it is none.
func listOf(v vm.Value) *List {
	x, _ := v.Ref.Host()
	l, _ := x.(*List)
	return l
}

// Settled calls a function when the promise is settled: soon, if it is settled already. Who asks
// has to deal with a rejection.
func (p *Promise) Settled(title string, run func(context.Context) error) {
	p.then(title, p.loop.origin, false, run)
}

// Handled records that somebody gets to know of a rejection.
func (p *Promise) Handled() { p.handled = true }

func (p *Promise) then(title string, origin int, calls bool, run func(context.Context) error) {
	p.handled = true
	p.loop.reactions++
	r := reaction{title, origin, calls, run}
	if p.state == Pending {
		p.then0 = append(p.then0, r)
		return
	}
	p.loop.react(r)
}

func (l *Loop) react(r reaction) { l.soon = append(l.soon, r) }

// Resolve fulfils the promise with values. If there is one, which is a promise, this one is settled
// as that one is. It reports whether the promise was open: it has no effect on one that is settled,
// or follows another one.
func (p *Promise) Resolve(vs ...vm.Value) bool {
	if p.locked {
		return false
	}
	if len(vs) == 1 {
		switch q := PromiseOf(vs[0]); {
		case q == p:
			return p.Reject(Reason{Err: errors.New("a promise cannot be resolved with itself")})
		case q != nil:
			p.locked = true
			q.then("follow "+q.String(), p.loop.origin, false, func(context.Context) error {
				if q.state == Rejected {
					p.finish(Rejected, nil, q.reason)
				} else {
					p.finish(Fulfilled, q.values, Reason{})
				}
				return nil
			})
			return true
		}
	}
	p.locked = true
	p.finish(Fulfilled, vs, Reason{})
	return true
}

// Reject rejects the promise. It reports whether it was open.
func (p *Promise) Reject(r Reason) bool {
	if p.locked {
		return false
	}
	p.locked = true
	p.finish(Rejected, nil, r)
	return true
}

func (p *Promise) finish(s PromiseState, vs []vm.Value, r Reason) {
	p.state, p.values, p.reason = s, vs, r
	p.loop.count--
	if s == Rejected && !p.handled {
		p.loop.bad = append(p.loop.bad, p)
	}
	for _, x := range p.then0 {
		p.loop.react(x)
	}
	p.then0 = nil
}

// answer returns what a call that has waited for the promise continues with.
func (p *Promise) answer() vm.Answer {
	if p.state == Rejected {
		return vm.Answer{Err: rejected{p}}
	}
	return vm.Answer{Values: p.values}
}

// rejected is the error of a call that has waited for a promise that is rejected. The import that
// waited makes an exception of it.
type rejected struct{ p *Promise }

func (r rejected) Error() string { return r.p.String() + " is rejected" }

// combine makes a promise for several ones. each is called for each one that is settled, with its
// position, and reports whether it has settled the promise.
func (l *Loop) combine(from string, of []vm.Value, each func(out, p *Promise, i int)) (*Promise, error) {
	out, err := l.New(from)
	if err != nil {
		return nil, err
	}
	for i, v := range of {
		p := PromiseOf(v)
		if p == nil { // a value is as good as a promise that is fulfilled with it
			if p, err = l.New(from); err != nil {
				return nil, err
			}
			p.Resolve(v)
		}
		p.then(from, l.origin, false, func(context.Context) error {
			each(out, p, i)
			return nil
		})
	}
	return out, nil
}

// All returns a promise that is fulfilled with a list of the values of all promises, in their
// order, or rejected as the first one that is.
func (l *Loop) All(of []vm.Value) (*Promise, error) {
	list := &List{items: make([]vm.Value, len(of))}
	left := len(of)
	out, err := l.combine("all", of, func(out, p *Promise, i int) {
		if p.state == Rejected {
			out.Reject(p.reason)
			return
		}
		if len(p.values) > 0 {
			list.items[i] = p.values[0]
		}
		if left--; left == 0 {
			out.Resolve(vm.HostValue(list))
		}
	})
	if err == nil && left == 0 {
		out.Resolve(vm.HostValue(list))
	}
	return out, err
}

// AllSettled returns a promise that is fulfilled with the list of the promises when all are
// settled.
func (l *Loop) AllSettled(of []vm.Value) (*Promise, error) {
	list := &List{items: make([]vm.Value, len(of))}
	left := len(of)
	out, err := l.combine("all_settled", of, func(out, p *Promise, i int) {
		list.items[i] = p.Value()
		if left--; left == 0 {
			out.Resolve(vm.HostValue(list))
		}
	})
	if err == nil && left == 0 {
		out.Resolve(vm.HostValue(list))
	}
	return out, err
}

// errNoneFulfilled is why a promise for any of several ones is rejected.
var errNoneFulfilled = errors.New("all promises were rejected")

// Any returns a promise that is fulfilled as the first one that is, or rejected if all are.
func (l *Loop) Any(of []vm.Value) (*Promise, error) {
	left := len(of)
	out, err := l.combine("any", of, func(out, p *Promise, i int) {
		if p.state == Fulfilled {
			out.Resolve(p.values...)
			return
		}
		if left--; left == 0 {
			out.Reject(Reason{Err: errNoneFulfilled})
		}
	})
	if err == nil && left == 0 {
		out.Reject(Reason{Err: errNoneFulfilled})
	}
	return out, err
}

// Race returns a promise that is settled as the first one that is.
func (l *Loop) Race(of []vm.Value) (*Promise, error) {
	return l.combine("race", of, func(out, p *Promise, _ int) {
		if p.state == Fulfilled {
			out.Resolve(p.values...)
		} else {
			out.Reject(p.reason)
		}
	})
}

// RaceIndex returns a promise that is fulfilled with the position of the first one that is settled.
func (l *Loop) RaceIndex(of []vm.Value) (*Promise, error) {
	return l.combine("race_index", of, func(out, _ *Promise, i int) { out.Resolve(vm.I32(int32(i))) })
}
