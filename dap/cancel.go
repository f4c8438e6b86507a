package dap

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"

	"stackscope/dap/config"
	engine "stackscope/vm/debugger"
)

// canceller ends stacks.
type canceller struct {
	common
	steps *stepper
}

// cancelArguments are those of the custom request stackscope/cancel.
type cancelArguments struct {
	ThreadID int            `json:"threadId"`
	Tag      string         `json:"tag"`    // "": the stack is released
	Values   config.Strings `json:"values"` // of the tag
}

// onCancelStack is the custom request stackscope/cancel: terminateThreads with a tag.
func (cn *canceller) onCancelStack(a *cancelArguments) (any, error) {
	_, err := cn.endStacks([]int{a.ThreadID}, a.Tag, a.Values)
	return nil, err
}

// onTerminateThreads ends stacks that do not run. If the launch configuration has a tag for it, an
// exception is thrown into continuations; all others are released: the references to them are
// consumed from then on.
func (cn *canceller) onTerminateThreads(a *godap.TerminateThreadsArguments) (any, error) {
	if len(a.ThreadIds) == 0 {
		return nil, userError{errors.New("threadIds is empty")}
	}
	_, err := cn.endStacks(a.ThreadIds, "", nil)
	return nil, err
}

// endStacks releases stacks, at once, or cancels them: that begins once the response is out, and
// the program runs until all have been cancelled, or something stops it on the way. A request that
// comes meanwhile is accepted too. The text describes what happens.
func (cn *canceller) endStacks(threads []int, tag string, values []string) (string, error) {
	stands := cn.prog.phase == phaseStopped
	do := cn.prog.whenStopped
	if !stands {
		do = cn.prog.whileCancelling
	}
	err := do(func(e *engine.Engine) error {
		if tag == "" && e.Canceller.AllContinuations(ids(threads)) {
			tag = cn.prog.launch.CancelTag
		}
		switch {
		case tag != "":
			return e.Canceller.Cancel(ids(threads), tag, values, stands)
		case !stands:
			return engine.ErrRunning
		}
		return e.Canceller.Release(ids(threads))
	})
	switch {
	case errors.Is(err, engine.ErrRunning), errors.Is(err, engine.ErrEnded):
		return "", cn.prog.notStopped()
	case err != nil:
		return "", userError{err}
	case tag == "":
		cn.released(threads)
		return strings.Join(stackNames(ids(threads)), ", ") + " was released", nil
	case stands:
		cn.steps.run(func() { cn.out.event("continued", continuedBody{int(cn.prog.stop.Stack), true}) })
	}
	return "cancelling " + strings.Join(stackNames(ids(threads)), ", "), nil
}

// released reports to all sessions that stacks are gone.
func (cn *canceller) released(threads []int) {
	cn.out.then(func() {
		for _, id := range threads {
			cn.out.event("thread", godap.ThreadEventBody{Reason: "exited", ThreadId: id})
		}
	})
	cn.out.invalidate()
	if cn.prog.target != nil {
		for _, id := range threads {
			x := engine.Cancelled{Stack: engine.StackID(id), Ended: true}
			cn.prog.target.others(cn.prog.inbox, engineCancelled{attachedRun, x})
		}
	}
}

// cancelled reports the result of a cancellation to the client.
func (cn *canceller) cancelled(x engine.Cancelled) {
	if x.Text != "" {
		cn.console.write(engine.Console, x.Text+"\n", engine.Site{})
	}
	if x.Ended {
		cn.out.event("thread", godap.ThreadEventBody{Reason: "exited", ThreadId: int(x.Stack)})
	}
}

// stackNames returns `#3` and so on.
func stackNames(ids []engine.StackID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = fmt.Sprintf("#%d", id)
	}
	return out
}

// describeAfterCancel adds to the description of a stop that was reported before which stacks were
// cancelled since.
func describeAfterCancel(description string, cancelled []engine.StackID) string {
	if len(cancelled) == 0 {
		return description
	}
	if description == "" {
		description = "Stopped"
	}
	names, verb := stackNames(cancelled), " was cancelled"
	if n := len(names); n > 1 {
		names, verb = []string{strings.Join(names[:n-1], ", "), names[n-1]}, " were cancelled"
	}
	return description + ", as before " + strings.Join(names, " and ") + verb
}

func ids(threads []int) []engine.StackID {
	out := make([]engine.StackID, len(threads))
	for i, id := range threads {
		out[i] = engine.StackID(id)
	}
	return out
}

// cancelWord is `cancel #3 $tag 1 2`, or `cancel #3`, typed in the console.
func (cn *canceller) cancelWord(words []string) (string, error) {
	if len(words) < 2 {
		return "", errors.New("usage: cancel #3, or cancel #3 $tag VALUES")
	}
	id, err := strconv.Atoi(strings.TrimPrefix(words[1], "#"))
	if err != nil {
		return "", fmt.Errorf("%s is not a stack", words[1])
	}
	tag, values := "", []string(nil)
	if len(words) > 2 {
		tag, values = words[2], words[3:]
	}
	return cn.endStacks([]int{id}, tag, values)
}
