package dap

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"

	engine "stackscope/vm/debug"
)

// cancelArguments are those of the custom request stackscope/cancel.
type cancelArguments struct {
	ThreadID int     `json:"threadId"`
	Tag      string  `json:"tag"`    // "": the stack is released
	Values   Strings `json:"values"` // of the tag
}

// onCancelStack is the custom request stackscope/cancel: terminateThreads with a tag.
func (s *session) onCancelStack(a *cancelArguments) (any, error) {
	return nil, s.endStacks([]int{a.ThreadID}, a.Tag, a.Values)
}

// onTerminateThreads ends stacks that do not run. If the launch configuration has a tag for it, an
// exception is thrown into continuations; all others are released: the references to them are consumed
// from then on.
func (s *session) onTerminateThreads(a *godap.TerminateThreadsArguments) (any, error) {
	if len(a.ThreadIds) == 0 {
		return nil, userError{errors.New("no stacks are named")}
	}
	return nil, s.endStacks(a.ThreadIds, "", nil)
}

func (s *session) endStacks(threads []int, tag string, values []string) error {
	var told []string
	err := s.whenStopped(func(e *engine.Engine) error {
		if tag == "" && e.AllContinuations(ids(threads)) {
			tag = s.launch.CancelTag
		}
		if tag == "" {
			return e.Release(ids(threads))
		}
		for _, id := range threads {
			text, err := e.Cancel(engine.StackID(id), tag, values)
			if err != nil {
				return err
			}
			told = append(told, text)
		}
		return nil
	})
	for _, t := range told {
		s.output(engine.Console, t+"\n", engine.Site{})
	}
	if err != nil {
		if !errors.Is(err, engine.ErrRunning) && !errors.Is(err, engine.ErrEnded) {
			err = userError{err}
		}
		return err
	}
	s.then(func() {
		for _, id := range threads {
			s.conn.event("thread", godap.ThreadEventBody{Reason: "exited", ThreadId: id})
		}
	})
	s.invalidate()
	return nil
}

func ids(threads []int) []engine.StackID {
	out := make([]engine.StackID, len(threads))
	for i, id := range threads {
		out[i] = engine.StackID(id)
	}
	return out
}

// cancelWord is `cancel #3 $tag 1 2`, or `cancel #3`, typed in the console.
func (s *session) cancelWord(e *engine.Engine, words []string) (string, error) {
	if len(words) < 2 {
		return "", errors.New("want cancel #3, or cancel #3 $tag with its values")
	}
	id, err := strconv.Atoi(strings.TrimPrefix(words[1], "#"))
	if err != nil {
		return "", fmt.Errorf("%s is no stack", words[1])
	}
	defer s.invalidate()
	if len(words) > 2 {
		return e.Cancel(engine.StackID(id), words[2], words[3:])
	}
	if err := e.Release([]engine.StackID{engine.StackID(id)}); err != nil {
		return "", err
	}
	return fmt.Sprintf("#%d was released", id), nil
}
