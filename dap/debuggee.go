package dap

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"stackscope/dap/config"
	"stackscope/dap/internal/paths"
	"time"

	engine "stackscope/vm/debugger"
)

// phase is how far a session has come. It decides which requests the protocol allows.
type phase int

const (
	phaseNew         phase = iota // before initialize
	phaseInitialized              // there is no program yet
	phaseStarting                 // the program is being started in a terminal of the client
	phaseConfiguring              // there is a program; configurationDone has not been sent
	phaseRunning                  // as far as the client has been informed
	phaseStopped                  // the client has been informed, and has not resumed the program
	phaseEnded                    // `terminated` was sent
	phaseRelaying                 // another server answers the client
	phaseOver                     // nothing is read any more
)

// owner is who owns the program of a session, and so decides when it ends.
type owner int

const (
	ownerNone   owner = iota // no program was launched or attached to
	ownerLaunch              // this session launched it, for itself
	ownerShared              // this session launched it; child sessions attach to it
	ownerOther               // it runs on its own, or another session launched it: this one attached
)

// debuggee is the program of a session: how far the session has come with it, who owns it, and its
// engine.
type debuggee struct {
	log     *slog.Logger
	cancels *cancellation
	inbox   *inbox // by it a target identifies the session

	phase     phase
	owner     owner
	launch    *config.Launch
	launchRaw json.RawMessage
	program   *engine.Program
	eng       *engine.Engine // nil: none
	run       int            // ordinal of the engine; what older ones report is ignored
	stop      engine.Stop    // the last stop, in phaseStopped

	target  *Target // what is attached to, or shared with child sessions
	onEntry bool    // stop the target on entry
	keep    bool    // leave a target stopped when the session ends
	unshare func()  // ends the child sessions' server
	shared  string  // its address
}

// mayBegin returns an error if a program cannot be launched or attached to (any more).
func (d *debuggee) mayBegin() error {
	switch {
	case d.phase == phaseStarting:
		return userError{errors.New("a program is already being started in a terminal")}
	case d.owner != ownerNone:
		return errors.New("a program has already been launched")
	}
	return nil
}

// notStarted records that no program was started in a terminal: another one can be.
func (d *debuggee) notStarted() {
	if d.phase == phaseStarting {
		d.phase = phaseInitialized
	}
}

// engine returns the engine of a launched program.
func (d *debuggee) engine() (*engine.Engine, error) {
	if d.eng == nil {
		return nil, fmt.Errorf("no program has been launched")
	}
	return d.eng, nil
}

// whenStopped runs a function that may fail while the program is stopped.
func (d *debuggee) whenStopped(f func(e *engine.Engine) error) error {
	e, err := d.engine()
	if err != nil {
		return err
	}
	if d.phase != phaseStopped {
		return d.notStopped()
	}
	var fail error
	if err := e.WhenStopped(func() {
		defer e.Evaluator.Interruptible(d.cancels.ctx)()
		fail = f(e)
	}); err != nil {
		return err
	}
	return fail
}

// notStopped is the error of what needs a stopped program. The program may have stopped already:
// until the client has been informed, it counts as running.
func (d *debuggee) notStopped() error {
	if d.phase == phaseEnded {
		return engine.ErrEnded
	}
	return engine.ErrRunning
}

// whileCancelling is whenStopped for a program that runs because stacks are cancelled.
func (d *debuggee) whileCancelling(f func(*engine.Engine) error) error {
	e, err := d.engine()
	if err != nil {
		return err
	}
	if d.phase == phaseEnded || !e.Started() {
		return engine.ErrRunning
	}
	if x := e.Do(func() {
		if err = engine.ErrRunning; e.Canceller.Busy() {
			err = f(e)
		}
	}); x != nil {
		return x
	}
	return err
}

// units returns the modules of the program.
func (d *debuggee) units() []*engine.Unit {
	switch {
	case d.eng != nil:
		return d.eng.Symbols.Units()
	case d.program != nil:
		return d.program.Units
	}
	return nil
}

// group names a group of breakpoints of this session.
func (d *debuggee) group(name string) string {
	if d.target == nil {
		return name
	}
	return fmt.Sprintf("%p%c%s", d.inbox, groupMark, name)
}

// decideEntry has the program stop on entry where nothing else may stop it. A breakpoint in another
// file, or one without a place, does not count.
func (d *debuggee) decideEntry() {
	if d.launch != nil && d.launch.StopUnlessBreakpoint && !d.eng.HasBreakpoints() {
		d.eng.StopOnEntry()
	}
}

// ofModule reports whether a session about one file lists a stack: it is there, or runs.
func (d *debuggee) ofModule(st *engine.Stack) bool {
	return d.launch.Module == "" || st.ID == d.stop.Stack || st.State == engine.Running ||
		paths.Canonical(st.At.File) == paths.Canonical(d.launch.Module)
}

// kill ends the program, if one runs, and waits for it a while; groups names the groups of
// breakpoints of this session. A program of another owner is left.
func (d *debuggee) kill(groups []string) {
	if d.eng == nil {
		return
	}
	if d.target != nil {
		for i, name := range groups {
			groups[i] = d.group(name)
		}
		d.target.detach(d.inbox, groups, d.keep)
	}
	d.run++ // ignore what it still reports
	if d.phase == phaseStopped {
		d.phase = phaseRunning
	}
	if d.owner == ownerOther {
		d.eng = nil
		return
	}
	if d.unshare != nil {
		defer d.unshare()
	}
	d.eng.Kill()
	if d.eng.Started() {
		select {
		case <-d.eng.Done():
		case <-time.After(2 * time.Second):
			d.log.Warn("the program did not end in time and was abandoned")
		}
	}
	d.eng = nil
}
