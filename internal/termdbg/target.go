package termdbg

import (
	"fmt"
	"strings"
	"unicode/utf16"

	godap "github.com/google/go-dap"

	"stackscope/dap"
)

// target is the program as the adapter shows it: whether it runs, why it stopped, and the thread
// and frame that are selected.
type target struct {
	*client
	launch dap.Launch

	alive     bool // there is a program, and it has not ended
	running   bool // it runs: another session resumed it
	stop      godap.StoppedEventBody
	exception string // the adapter's description of the fault
	caught    string // the exception filter that stopped it
	thread    int    // whose frames are shown
	frames    []frame
	more      int           // frames of the stack trace that are not loaded
	at        int           // index in frames
	source    *godap.Source // that of the frame that was shown last
	single    bool          // the last step was one of an instruction
}

type frame struct{ godap.StackFrame }

// folded reports whether it is a frame of the language's runtime, or of a source that is skipped.
func (f *frame) folded() bool {
	return f.PresentationHint == "subtle" && f.Source != nil && f.Source.PresentationHint == "deemphasize"
}

// loadFrames loads the frames of the thread that is shown, at most limit (0: framesShown); the
// first real one is selected.
func (tg *target) loadFrames(limit int) {
	var b godap.StackTraceResponseBody
	tg.frames, tg.at, tg.more = nil, 0, 0
	if limit == 0 {
		limit = framesShown
	}
	if tg.askAgain("stackTrace", godap.StackTraceArguments{ThreadId: tg.thread, Levels: limit}, &b) != nil {
		return
	}
	for _, f := range b.StackFrames {
		tg.frames = append(tg.frames, frame{f})
	}
	tg.more = max(b.TotalFrames-len(tg.frames), 0)
	for i := range tg.frames {
		if tg.frames[i].PresentationHint != "label" {
			tg.at = i
			break
		}
	}
	if f := tg.frame(); f != nil && f.Source != nil {
		tg.source = f.Source
	}
}

// framesShown is how many lines of a stack trace are loaded at a stop.
const framesShown = 1000

// frame returns the selected frame, or nil.
func (tg *target) frame() *frame {
	if tg.at < len(tg.frames) && tg.frames[tg.at].PresentationHint != "label" {
		return &tg.frames[tg.at]
	}
	return nil
}

func (tg *target) frameID() int {
	if f := tg.frame(); f != nil {
		return f.Id
	}
	return 0
}

// threadName returns `#1 main`.
func (tg *target) threadName() string {
	for _, t := range tg.threads() {
		if t.Id == tg.thread {
			name, _, _ := strings.Cut(t.Name, " · ")
			return name
		}
	}
	return fmt.Sprintf("#%d", tg.thread)
}

func (tg *target) threads() []godap.Thread {
	var b godap.ThreadsResponseBody
	_ = tg.ask("threads", nil, &b)
	return b.Threads
}

// threadTitle returns the title of a thread, "" if it is not listed.
func (tg *target) threadTitle(id int) string {
	for _, t := range tg.threads() {
		if t.Id == id {
			return t.Name
		}
	}
	return ""
}

// standing reports whether there is a stopped program, and prints an error if not.
func (tg *target) standing() bool {
	switch {
	case tg.conn == nil:
		tg.fail(errNoProgram)
	case !tg.alive:
		tg.fail(errEnded)
	case tg.running:
		tg.failf("the program is running: use interrupt to stop it")
	default:
		return true
	}
	return false
}

// standsAt returns where the program is stopped, "" if it has ended.
func (tg *target) standsAt() string {
	f := tg.frame()
	if !tg.alive || f == nil {
		return ""
	}
	return fmt.Sprintf("#%d %s:%d:%d", tg.stop.ThreadId, f.Name, f.Line, f.Column)
}

// completions returns the adapter's completions of an expression.
func (tg *target) completions(text string) []godap.CompletionItem {
	if !tg.alive || tg.running {
		return nil
	}
	var b godap.CompletionsResponseBody
	_ = tg.ask(
		"completions",
		godap.CompletionsArguments{FrameId: tg.frameID(), Text: text, Column: len(utf16.Encode([]rune(text))) + 1},
		&b,
	)
	return b.Targets
}

// scriptThread is the id that the adapter gives to a script between two of its calls.
const scriptThread = 1<<31 - 2

// moreThreads is the id of the adapter's entry for the stacks that are not listed.
const moreThreads = 1<<31 - 1
