package debugger

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"stackscope/vm"
	"stackscope/vm/debugger/arith"
	"stackscope/vm/debugger/inspect"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/stacks"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// A cancellation throws an exception into a continuation that does not run, so that its catch
// clauses run. That is a run like any other, on top of the running chain: breakpoints, filters,
// data breakpoints and pauses stop in it. While the program is stopped, cancellations are only
// recorded. They begin when it is resumed; after them it stops where it was stopped before, and
// reports that stop again.

// Canceller ends stacks: it throws exceptions into continuations, or releases stacks.
type Canceller struct {
	opt      *Options
	mach     *vm.Machine
	sym      *symbols.Symbols
	stacks   *stacks.Stacks
	insp     *inspect.Inspector
	data     *DataBreakpoints
	steps    *Stepper
	run      *run
	progress *progress
	ctx      context.Context // of the run of the program
	output   func(Stream, string)

	todo    []cancellation // that begin when the program is told to go on
	batches []*batch       // that are under way, the innermost last
}

// cancellation is one stack to be cancelled.
type cancellation struct {
	st  *vm.Stack
	id  snapshot.StackID
	tag *vm.Tag
	exn vm.Ref
}

// batch are cancellations that are made one after the other, from one stop. A batch begins on top
// of another one if the program has stopped within that.
type batch struct {
	todo []cancellation
	now  snapshot.StackID   // the one that is under way, 0 if none
	tag  *vm.Tag            // of that
	done []snapshot.StackID // those that were made
}

// Cancelled is what came of the cancellation of a stack, for whoever shows stacks.
type Cancelled struct {
	Stack snapshot.StackID
	Ended bool // it is no more
	Text  string
}

// Cancel takes it on to throw an exception, with a tag and its values, into continuations that are
// new or suspended. They are cancelled when Go is called; then the program is stopped again where
// it does now. If the program runs because of other cancellations, and standing is false, these
// join them. Nothing is taken on if one of the stacks cannot be cancelled. It must be called inside
// Do.
func (ca *Canceller) Cancel(ids []snapshot.StackID, tag string, args []string, standing bool) error {
	if standing != ca.run.stopped.Load() || !standing && len(ca.batches) == 0 {
		return ErrRunning
	}
	var all []cancellation
	for _, id := range ids {
		c, err := ca.cancellation(id, tag, args)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(o cancellation) bool { return o.id == id }) {
			continue
		}
		all = append(all, c)
	}
	if standing {
		ca.todo = append(ca.todo, all...)
		return nil
	}
	b := ca.batches[len(ca.batches)-1]
	b.todo = append(b.todo, all...)
	return nil
}

// Busy reports whether cancellations are under way, so that others can join them. It must be
// called inside Do.
func (ca *Canceller) Busy() bool { return len(ca.batches) > 0 && !ca.run.stopped.Load() }

// cancellation checks that a stack can be cancelled.
func (ca *Canceller) cancellation(id snapshot.StackID, tag string, args []string) (c cancellation, err error) {
	for _, b := range ca.batches {
		switch {
		case b.now == id:
			return c, fmt.Errorf("#%d is being cancelled already", id)
		case slices.ContainsFunc(b.todo, func(o cancellation) bool { return o.id == id }):
			return c, fmt.Errorf("#%d is going to be cancelled already", id)
		}
	}
	st := ca.stacks.Find(id)
	switch {
	case st == nil:
		return c, ca.insp.NoStack(id)
	case st.OfDebugger():
		return c, fmt.Errorf("#%d belongs to the debugger: it ends with the stack that it cancels", id)
	case st.Rooted():
		return c, fmt.Errorf("#%d cannot be cancelled: a host call runs on it", id)
	case !st.Dialect().Info().Throws:
		return c, fmt.Errorf(
			"#%d cannot be cancelled with a tag: a %s cannot be %s with an exception; without a tag it is released", id,
			words(st).Noun, words(st).Resumed,
		)
	case st.Parent() != nil && inChain(ca.mach.Running(), st):
		return c, fmt.Errorf(
			"#%d cannot be cancelled: it is part of what runs, %s #%d", id, words(st).Linked, st.Parent().ID(),
		)
	case st.Parent() != nil:
		return c, fmt.Errorf("#%d cannot be cancelled: #%d waits for it", id, st.Parent().ID())
	case st.State() == vm.StackRunning || st.State() == vm.StackWaiting && st.Leaf() == st:
		return c, fmt.Errorf("#%d cannot be cancelled: it is running", id)
	}
	t, err := ca.tagNamed(st, tag)
	if err != nil {
		return c, err
	}
	if len(args) != len(t.Params()) {
		return c, fmt.Errorf(
			"%s takes %s, not %d", symbols.TagName(t), symbols.Plural(len(t.Params()), "value", "values"),
			len(args),
		)
	}
	vals := make([]vm.Value, len(args))
	for i, a := range args {
		if vals[i], err = arith.ParseValue(t.Params()[i], a); err != nil {
			return c, fmt.Errorf("value %d of %s: %w", i+1, symbols.TagName(t), err)
		}
	}
	return cancellation{st, id, t, vm.NewExn(t, vals...)}, nil
}

// cancelAll makes the cancellations that were taken on at a stop, and returns the stop that is told
// of then: the same one.
func (ca *Canceller) cancelAll(s Stop) Stop {
	b := &batch{todo: ca.todo}
	ca.todo = nil
	ca.batches = append(ca.batches, b)
	// What is under way where the program is stopped goes on afterwards; in a cancellation it means
	// nothing.
	exact, expected := ca.insp.ShowInstructions, ca.progress.expected
	ca.progress.expected = false
	end := ca.run.interrupt(b)
	for len(b.todo) > 0 && !ca.run.killed.Load() {
		c := b.todo[0]
		b.todo = b.todo[1:]
		ca.run.setStepping()
		r := ca.cancelOne(b, c)
		if ca.run.killed.Load() {
			break
		}
		// What the last instruction did would be told of before the next one; there is none.
		if ca.run.due.event != "" {
			ca.output(Console, ca.run.due.event+"\n")
			ca.run.due.event = ""
		}
		if ca.run.due.access != nil {
			if text := ca.data.touched(nil).text(); text != "" {
				ca.output(Console, text+"\n")
			}
		}
		ca.steps.drop()
		ca.stacks.Forget()
		if ca.opt.OnCancelled != nil {
			ca.opt.OnCancelled(r)
		}
	}
	ca.batches = ca.batches[:len(ca.batches)-1]
	end()
	ca.insp.ShowInstructions, ca.progress.expected = exact, expected
	ca.run.pausing.Store(false) // it stands now
	s.Cancelled = b.done
	return s
}

// cancelOne makes a cancellation and reports what came of it.
func (ca *Canceller) cancelOne(b *batch, c cancellation) Cancelled {
	if snapshot.StackID(c.st.ID()) != c.id || c.st.State() == vm.StackMoribund {
		return Cancelled{c.id, true, fmt.Sprintf("#%d had ended before it was cancelled", c.id)}
	}
	name := fmt.Sprintf("#%d %s", c.id, ca.sym.BaseTitle(c.st))
	if c.st.Parent() != nil || c.st.State() == vm.StackRunning {
		return Cancelled{c.id, false, name + " was not cancelled: it is part of what runs"}
	}
	b.now, b.tag = c.id, c.tag
	returned, err := ca.mach.Cancel(ca.ctx, c.st, c.exn)
	b.now, b.tag = 0, nil
	b.done = append(b.done, c.id)
	out := Cancelled{Stack: c.id, Ended: snapshot.StackID(c.st.ID()) != c.id || c.st.State() == vm.StackMoribund}
	var trap *vm.Trap
	var exit *vm.Exit
	switch {
	case errors.As(err, &trap) && trap.Kind == wasm.TrapUnhandledTag:
		out.Text = fmt.Sprintf(
			"%s suspended itself with %s while it was cancelled: it was ended", name, symbols.TagName(trap.Tag),
		)
	case errors.As(err, &exit):
		out.Text = fmt.Sprintf(
			"%s tried to end the program with exit code %d while it was cancelled: only the stack was ended", name,
			exit.Code,
		)
	case err != nil:
		out.Text = fmt.Sprintf("%s ended with: %v", name, err)
	case returned:
		out.Text = fmt.Sprintf("%s caught %s and returned", name, symbols.TagName(c.tag))
	default:
		out.Text = fmt.Sprintf("%s was ended by %s", name, symbols.TagName(c.tag))
	}
	return out
}

// cancelling returns the tag with which the debugger cancels what runs above one of its own stacks.
func (ca *Canceller) cancelling(own *vm.Stack) string {
	for i := len(ca.batches) - 1; i >= 0; i-- { // the innermost one is in front
		for st := range ca.mach.Chain() {
			if p := st.Parent(); p == own && snapshot.StackID(st.ID()) == ca.batches[i].now {
				return symbols.TagName(ca.batches[i].tag)
			}
		}
	}
	return "an exception"
}

// AllContinuations reports whether the stacks are continuations, which can be cancelled. It must be
// called inside Do.
func (ca *Canceller) AllContinuations(ids []snapshot.StackID) bool {
	for _, id := range ids {
		if st := ca.stacks.Find(id); st == nil || !st.Dialect().Info().Throws {
			return false
		}
	}
	return true
}

// tagNamed finds a tag by name or export, first in the module of a stack's function.
func (ca *Canceller) tagNamed(st *vm.Stack, name string) (*vm.Tag, error) {
	ins := ca.mach.Instances()
	if in := st.BaseFunc().Instance(); in != nil {
		ins = append([]*vm.Instance{in}, ins...)
	}
	for _, in := range ins {
		if i, ok := symbols.FindTag(in.Module(), name); ok {
			return in.Tag(i), nil
		}
	}
	return nil, fmt.Errorf("there is no tag %s", name)
}

// Release ends stacks that are new or suspended: references to them are consumed from then on. None
// is ended if one of them cannot be. It must be called inside Do.
func (ca *Canceller) Release(ids []snapshot.StackID) error {
	seen := map[*vm.Stack]bool{}
	for _, id := range ids {
		st := ca.stacks.Find(id)
		switch {
		case st == nil:
			return ca.insp.NoStack(id)
		case st.Rooted():
			return fmt.Errorf("#%d cannot be ended: a host call runs on it", id)
		case st.Parent() != nil && st.Parent().OfDebugger():
			return fmt.Errorf("#%d is being cancelled already", id)
		case st.Parent() != nil:
			return fmt.Errorf("#%d cannot be ended: #%d waits for it", id, st.Parent().ID())
		}
		seen[st] = true
	}
	defer ca.stacks.Forget()
	for st := range seen {
		if !ca.mach.Release(st) {
			return fmt.Errorf("#%d cannot be ended: it is running", st.ID())
		}
	}
	return nil
}
