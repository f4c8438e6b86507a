package drive

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"stackscope/internal/values"
	"stackscope/internal/wast"
	"stackscope/vm"
	"stackscope/vm/host"
	"stackscope/vm/host/js"
	"stackscope/wasm"
)

// Hooks are called during a run. All may be nil.
type Hooks struct {
	// Command is called before a command of the script, by its number, is executed.
	Command func(n int)
	// Event is called before the loop calls the program, or continues a call, for a command; -1 is the
	// entry.
	Event func(n int)
	// Expect reports whether a fault is what the next call is made for.
	Expect func(bool)
	// Failed takes the result of a command that has failed.
	Failed func(*wast.Result)
	// Print takes what there is to print: results of calls that are no assertions.
	Print func(text string)
}

// Run is one run of a program on a machine.
type Run struct {
	p        *Program
	m        *vm.Machine
	loop     *host.Loop
	hooks    Hooks
	in       *vm.Instance
	numbers  wast.Numbers
	promises map[string]*host.Promise
	asked    map[string]bool // promises whose outcome the script wants
	imports  map[Import]*provided
	summary  wast.Summary
	script   *js.Host // the JavaScript of the program; nil: it has none
}

// NewRun prepares a run. The loop must be that of the host's modules, and of the JavaScript of the
// program, which is nil if it has none.
func (p *Program) NewRun(m *vm.Machine, l *host.Loop, script *js.Host, h Hooks) *Run {
	r := &Run{
		script: script,
		p:      p, m: m, loop: l, hooks: h, numbers: wast.Numbers{}, promises: map[string]*host.Promise{},
		asked: map[string]bool{}, imports: map[Import]*provided{},
	}
	for im := range p.suspends {
		l.Suspending(im.Module, im.Name)
	}
	l.SetOrigin(-1)
	l.Calling = func() {
		if h.Event != nil {
			h.Event(l.Origin())
		}
	}
	return r
}

// Summary returns how many commands have passed and failed.
func (r *Run) Summary() wast.Summary { return r.summary }

// Drive runs the script, or calls the entry, and then the event loop until nothing is pending. It
// returns the results of the entry. The error ends the program; of a script, failed commands are no
// error but in the summary.
func (r *Run) Drive(ctx context.Context, in *vm.Instance) ([]vm.Value, error) {
	r.in = in
	if r.p.script == nil {
		vs, err := r.entry(ctx)
		if err == nil && r.script != nil {
			err = r.script.Failure()
		}
		return vs, r.Uncaught(err)
	}
	for _, c := range r.p.script.Commands {
		if err := r.command(ctx, c); err != nil {
			return nil, err
		}
		if err := r.soon(ctx); err != nil {
			return nil, err
		}
	}
	if err := r.until(ctx, math.MaxUint64, nil); err != nil {
		return nil, err
	}
	r.finish()
	return nil, nil
}

// entry calls the entry of the program.
func (r *Run) entry(ctx context.Context) ([]vm.Value, error) {
	fn, _ := in(r.in, r.p.Entry)
	if fn == nil || r.script != nil && r.script.Called(r.p.Entry) {
		return nil, r.until(ctx, math.MaxUint64, nil)
	}
	if !r.p.promising[r.p.Entry] {
		vs, err := r.m.Call(ctx, fn, r.p.Args...)
		if err != nil {
			return nil, r.advise(err, r.p.Entry)
		}
		return vs, r.until(ctx, math.MaxUint64, nil)
	}
	p, err := r.loop.Call(ctx, r.m, fn, fmt.Sprintf("call of %q", r.p.Entry), r.p.Args...)
	if err != nil {
		return nil, err
	}
	p.Settled("results of "+r.p.Entry, func(context.Context) error { return outcomeOf(p) })
	if err := r.until(ctx, math.MaxUint64, nil); err != nil {
		return nil, err
	}
	if p.State() == host.Pending {
		return nil, errors.New(r.deadlock())
	}
	return p.Values(), nil
}

// Uncaught returns the error that has ended a program: if it is an exception of JavaScript, with its
// text.
func (r *Run) Uncaught(err error) error {
	if r.script == nil || err == nil {
		return err
	}
	if text, ok := r.script.Describe(err); ok {
		return &js.Error{Text: text, Err: err}
	}
	return err
}

// outcomeOf returns the error of a promise that is rejected.
func outcomeOf(p *host.Promise) error {
	if p.State() != host.Rejected {
		return nil
	}
	r := p.Reason()
	if r.Err != nil {
		return r.Err
	}
	return fmt.Errorf("%s is rejected%s", p, reason(r))
}

// reason returns why a promise is rejected, after a colon.
func reason(r host.Reason) string {
	var trap *vm.Trap
	switch {
	case errors.As(r.Err, &trap):
		return ": trap: " + trap.Message
	case r.Err != nil:
		return ": " + r.Err.Error()
	}
	var out []string
	for _, v := range r.Values {
		out = append(out, values.Format(v))
	}
	if len(out) == 0 {
		return ""
	}
	return ": " + strings.Join(out, " ")
}

func in(in *vm.Instance, name string) (*vm.Func, bool) {
	if in == nil || name == "" {
		return nil, false
	}
	fn, ok := in.Export(name).(*vm.Func)
	return fn, ok
}

// until runs the loop until nothing is to be done up to a time, or done says so; nil: never.
func (r *Run) until(ctx context.Context, tick uint64, done func() bool) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if done != nil && done() {
			return nil
		}
		j, ok := r.loop.Next(tick)
		if !ok {
			return r.unhandled()
		}
		if err := r.job(ctx, j); err != nil {
			return err
		}
		if err := r.soon(ctx); err != nil {
			return err
		}
	}
}

// soon does what is to be done soon.
func (r *Run) soon(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		j, ok := r.loop.NextSoon()
		if !ok {
			return r.unhandled()
		}
		if err := r.job(ctx, j); err != nil {
			return err
		}
	}
}

// job does a job of the loop.
func (r *Run) job(ctx context.Context, j host.Job) error {
	r.loop.SetOrigin(j.Origin)
	if j.Calls {
		if r.hooks.Event != nil {
			r.hooks.Event(j.Origin)
		}
		defer r.expect(j.Origin)()
	}
	return j.Run(ctx)
}

// expect reports to the hooks whether a fault is what a command is there for, until what it returns
// is called.
func (r *Run) expect(n int) func() {
	if r.hooks.Expect == nil || n < 0 {
		return func() {}
	}
	k := r.p.commands[n].Kind
	r.hooks.Expect(strings.HasPrefix(string(k), "assert_") && k != "assert_return")
	return func() { r.hooks.Expect(false) }
}

// unhandled reports the promises that were rejected and that nobody asks for.
func (r *Run) unhandled() error {
	for _, p := range r.loop.Unhandled() {
		text := "unhandled rejection of " + p.String() + reason(p.Reason())
		if r.p.script == nil {
			if e := p.Reason().Err; e != nil {
				return e
			}
			return errors.New(text)
		}
		c := r.p.script.Commands[0]
		if n := r.loop.Origin(); n >= 0 {
			c = r.p.commands[n]
		}
		r.report(c, &problem{text, p.Reason().Err})
	}
	return nil
}

// problem is why a command has failed, with the error of the VM, if there is one.
type problem struct {
	text string
	err  error
}

func (p *problem) Error() string { return p.text }
func (p *problem) Unwrap() error { return p.err }

// report counts the outcome of a command, and passes on a failure.
func (r *Run) report(c *wast.Command, err error) {
	res := &wast.Result{Command: c, File: r.p.script.File, OK: err == nil}
	if err != nil {
		res.Message, res.Err = err.Error(), err
	}
	r.summary.Add(res)
	if err != nil && r.hooks.Failed != nil {
		r.hooks.Failed(res)
	}
}

// finish reports what is still pending when nothing is left to do.
func (r *Run) finish() {
	for _, c := range r.p.commands {
		name := c.Drive.Promise
		p := r.promises[name]
		if c.Kind == "promise" && p != nil && p.State() == host.Rejected && !r.asked[name] {
			r.report(c, &problem{"$" + name + " is rejected" + reason(p.Reason()), p.Reason().Err})
		}
	}
	if len(r.m.Parked()) > 0 {
		r.report(r.p.script.Commands[len(r.p.script.Commands)-1], errors.New(r.deadlock()))
	}
}

// maxWaiting bounds the calls that a deadlock lists.
const maxWaiting = 10

// deadlock lists the calls that wait for promises that nobody settles any more.
func (r *Run) deadlock() string {
	ps := r.m.Parked()
	calls, wait := "calls", "wait"
	if len(ps) == 1 {
		calls, wait = "call", "waits"
	}
	y := r.p.symbols()
	s := fmt.Sprintf("deadlock: %d %s %s for promises, and nothing is left that settles one:", len(ps), calls, wait)
	for i, p := range ps {
		if i == maxWaiting {
			s += fmt.Sprintf("\n  and %d more", len(ps)-i)
			break
		}
		s += fmt.Sprintf("\n  #%d %s waits for %v", p.Root().ID(), y.BaseTitle(p.Root()), p.On())
		if at := y.StackSite(p.Leaf()); at.Line > 0 {
			s += " at " + at.Short()
		}
	}
	return s
}

// command executes a command. Its error ends the program.
func (r *Run) command(ctx context.Context, c *wast.Command) error {
	n := r.p.number[c]
	r.loop.SetOrigin(n)
	d := c.Drive
	if err := r.about(ctx, c); err != nil {
		return err
	}
	switch c.Kind {
	case "promising", "suspending", "on":
		return nil
	case "run":
		tick := uint64(math.MaxUint64)
		if d.HasTicks {
			tick = d.Ticks.Ticks()
		}
		if err := r.until(ctx, tick, nil); err != nil {
			return err
		}
		if d.HasTicks {
			r.loop.Wait(tick)
		}
		r.report(c, nil)
		return nil
	case "at", "after":
		tick := d.Ticks.Ticks()
		if c.Kind == "after" {
			tick = r.loop.Later(tick)
		} else if tick < r.loop.Now() {
			r.report(c, fmt.Errorf("time %d has passed: it is %d", tick, r.loop.Now()))
			return nil
		}
		return r.loop.At(tick, string(d.Do.Kind), func(ctx context.Context) error { return r.command(ctx, d.Do) })
	case "promise":
		return r.promise(ctx, c)
	case "resolve", "reject":
		r.report(c, r.resolve(c))
		return nil
	case "await", "assert_pending":
		return r.await(ctx, c, d.Promise)
	}
	return r.action(ctx, c)
}

// about calls the hook before a command is executed. The error is that of the context.
func (r *Run) about(ctx context.Context, c *wast.Command) error {
	if r.hooks.Command != nil && r.p.executed[c] {
		r.hooks.Command(r.p.number[c])
	}
	return ctx.Err()
}

// promise makes a promise with a name: that of a call, or one that the script settles.
func (r *Run) promise(ctx context.Context, c *wast.Command) error {
	name := c.Drive.Promise
	if c.Action == nil {
		p, err := r.loop.New("$" + name)
		if err != nil {
			return err
		}
		r.promises[name] = p
		p.Handled()
		r.report(c, nil)
		return nil
	}
	p, err := r.begin(ctx, c, nil)
	if p != nil {
		r.promises[name] = p
		p.Handled()
		r.report(c, nil)
	}
	return err
}

// begin calls an export as a promising one. The promise is nil if the command has failed.
func (r *Run) begin(ctx context.Context, c *wast.Command, of []vm.Value) (*host.Promise, error) {
	fn, args, err := r.callee(c.Action, of)
	if err != nil {
		r.report(c, err)
		return nil, nil
	}
	defer r.expect(r.p.number[c])()
	return r.loop.Call(ctx, r.m, fn, fmt.Sprintf("call of %q", c.Action.Export), args...)
}

// callee returns the function of an action, and the arguments. of are those of the import that an
// `on` is about.
func (r *Run) callee(a *wast.Action, of []vm.Value) (*vm.Func, []vm.Value, error) {
	fn, ok := in(r.in, a.Export)
	if !ok {
		return nil, nil, fmt.Errorf("the program exports no function %q", a.Export)
	}
	args := make([]vm.Value, len(a.Args))
	for i := range a.Args {
		v, err := r.value(&a.Args[i].Pattern, of)
		if err != nil {
			return nil, nil, err
		}
		args[i] = v
	}
	return fn, args, nil
}

// value returns the value of a pattern.
func (r *Run) value(p *wast.Pattern, of []vm.Value) (vm.Value, error) {
	if n, ok := p.Arg(); ok {
		if n >= len(of) {
			return vm.Value{}, fmt.Errorf("the import has no argument %d", n)
		}
		return of[n], nil
	}
	if name, ok := p.Promise(); ok {
		if q := r.promises[name]; q != nil {
			return q.Value(), nil
		}
		return vm.Value{}, fmt.Errorf("there is no promise $%s yet", name)
	}
	return r.numbers.Value(p)
}

// action executes an action, or an assertion about one.
func (r *Run) action(ctx context.Context, c *wast.Command) error {
	a := c.Action
	switch {
	case a.Await != "":
		return r.await(ctx, c, a.Await)
	case a.Get:
		g, ok := r.in.Export(a.Export).(*vm.Global)
		if !ok {
			r.report(c, fmt.Errorf("the program exports no global %q", a.Export))
			return nil
		}
		r.outcome(c, []vm.Value{g.Get()}, nil)
		return nil
	case r.p.promising[a.Export]:
		return r.callPromising(ctx, c, nil)
	}
	return r.call(ctx, c, nil)
}

// callPromising calls an export as a promising one, and reports the outcome when its promise is settled.
func (r *Run) callPromising(ctx context.Context, c *wast.Command, of []vm.Value) error {
	p, err := r.begin(ctx, c, of)
	if p != nil {
		p.Settled("outcome", func(context.Context) error {
			r.settled(c, p)
			return nil
		})
	}
	return err
}

// call calls an export that is not promising.
func (r *Run) call(ctx context.Context, c *wast.Command, of []vm.Value) error {
	fn, args, err := r.callee(c.Action, of)
	if err != nil {
		r.report(c, err)
		return nil
	}
	done := r.expect(r.p.number[c])
	vs, err := r.m.Call(ctx, fn, args...)
	done()
	if err != nil && ended(ctx, err) {
		return err
	}
	r.outcome(c, vs, err)
	return nil
}

// ended reports whether an error of a call ends the program.
func ended(ctx context.Context, err error) bool { return ctx.Err() != nil || host.Fatal(err) }

// outcome reports whether the outcome of a call is what a command expects, and prints results.
func (r *Run) outcome(c *wast.Command, vs []vm.Value, err error) {
	bad := wast.Check(c, vs, err)
	if bad != nil && err != nil && c.Action != nil {
		bad = r.advise(bad, c.Action.Export)
	}
	r.report(c, bad)
	if bad == nil && (c.Kind == "invoke" || c.Kind == "get" || c.Kind == "await") && len(vs) > 0 &&
		r.hooks.Print != nil {
		name := c.Drive.Promise
		if c.Action != nil {
			name = c.Action.Export
		}
		var out []string
		for _, v := range vs {
			out = append(out, values.Format(v))
		}
		r.hooks.Print(fmt.Sprintf("%s: %s", name, strings.Join(out, " ")))
	}
}

// advise adds to a trap because of a call that is not promising how to make it so.
func (r *Run) advise(err error, export string) error {
	var trap *vm.Trap
	if !errors.As(err, &trap) || trap.Kind != wasm.TrapNotPromising || strings.Contains(trap.Message, "(") {
		return err
	}
	how := fmt.Sprintf("--promising %s, or \"promising\" in a launch configuration", export)
	if r.p.script != nil {
		how = fmt.Sprintf("(promising %q)", export)
	}
	if r.p.script == nil {
		trap.Message += "; mark the export: " + how
		return err
	}
	return &problem{err.Error() + "; mark the export: " + how, err}
}

// settled reports the outcome of a promise for a command.
func (r *Run) settled(c *wast.Command, p *host.Promise) {
	if p.State() == host.Fulfilled {
		r.outcome(c, p.Values(), nil)
		return
	}
	err := p.Reason().Err
	if err == nil {
		err = r.loop.Exception(r.m, p.Reason())
	}
	r.outcome(c, nil, err)
}

// await runs the loop until a promise is settled, at the top of the script.
func (r *Run) await(ctx context.Context, c *wast.Command, name string) error {
	p := r.promises[name]
	if p == nil {
		r.report(c, fmt.Errorf("there is no promise $%s yet", name))
		return nil
	}
	if c.Kind == "assert_pending" {
		if p.State() != host.Pending {
			r.report(c, fmt.Errorf("$%s is %s%s", name, p.State(), reason(p.Reason())))
		} else {
			r.report(c, nil)
		}
		return nil
	}
	r.asked[name] = true
	if p.State() == host.Pending && r.top(c) {
		if err := r.until(ctx, math.MaxUint64, func() bool { return p.State() != host.Pending }); err != nil {
			return err
		}
	}
	if p.State() != host.Pending {
		r.settled(c, p)
		return nil
	}
	text := fmt.Sprintf("$%s is pending", name)
	if r.top(c) {
		text = fmt.Sprintf("$%s is never settled", name)
		if len(r.m.Parked()) > 0 {
			text += ": " + r.deadlock()
		}
	}
	r.report(c, errors.New(text))
	return nil
}

// top reports whether a command stands at the top of the script.
func (r *Run) top(c *wast.Command) bool {
	for _, t := range r.p.script.Commands {
		if t == c {
			return true
		}
	}
	return false
}

// resolve settles a promise: by its name, or the oldest one that an import has given and that is
// pending.
func (r *Run) resolve(c *wast.Command) error {
	d := c.Drive
	var p *host.Promise
	if d.Promise != "" {
		if p = r.promises[d.Promise]; p == nil {
			return fmt.Errorf("there is no promise $%s yet", d.Promise)
		}
	} else {
		im := Import{d.Module, d.Name}
		if x := r.imports[im]; x != nil {
			p = x.oldest()
		}
		if p == nil {
			return fmt.Errorf("no call of %s waits for a promise", im)
		}
	}
	vs, err := r.values(d, nil)
	if err != nil {
		return err
	}
	ok := false
	if c.Kind == "resolve" {
		ok = p.Resolve(vs...)
	} else {
		ok = p.Reject(host.Reason{Values: vs})
	}
	if !ok {
		return fmt.Errorf("%s is settled already: it is %s", p, p.State())
	}
	return nil
}

func (r *Run) values(d *wast.Drive, of []vm.Value) ([]vm.Value, error) {
	var vs []vm.Value
	for i := range d.Values {
		v, err := r.value(&d.Values[i].Pattern, of)
		if err != nil {
			return nil, err
		}
		vs = append(vs, v)
	}
	return vs, nil
}
