package dap

import (
	"fmt"
	"time"

	godap "github.com/google/go-dap"

	engine "stackscope/vm/debugger"
)

// console is what the client shows of the program's output and the debugger's, and the progress of
// what takes long. Several goroutines may write.
type console struct {
	out        *outbox
	client     *clientInfo
	src        *sources
	after      time.Duration // how long something may take before the client is informed; 0: the default
	progressID int
}

// Text styles that clients with ANSI styling get.
const (
	styleError = "\x1b[31m"
	styleEnd   = "\x1b[0m"
)

// defaultProgressAfter is how long something takes before the client sees its progress.
const defaultProgressAfter = 300 * time.Millisecond

// write passes on what the program, or the debugger, writes.
func (cs *console) write(st engine.Stream, text string, at engine.Site) {
	b := outputBody{
		OutputEventBody: godap.OutputEventBody{Category: [...]string{"stdout", "stderr", "console"}[st], Output: text},
	}
	if at.Line > 0 {
		b.Source = cs.src.ofOutput(at.File)
		b.Line, b.Column = cs.client.line(at.Line-1), cs.client.col(at.Col-1)
	}
	cs.out.event("output", b)
}

// styled returns a text in a style, if the client shows styles.
func (cs *console) styled(style, text string) string {
	if !cs.client.ansi || text == "" {
		return text
	}
	return style + text + styleEnd
}

// progress runs something that may take long, and shows its progress if the client can.
func (cs *console) progress(title string, do func()) {
	if !cs.client.progress {
		do()
		return
	}
	cs.progressID++
	id := fmt.Sprintf("progress-%d", cs.progressID)
	after := cs.after
	if after <= 0 {
		after = defaultProgressAfter
	}
	done, idle := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(idle)
		begin := time.Now()
		t := time.NewTicker(after)
		defer t.Stop()
		for n := 0; ; n++ {
			select {
			case <-done:
				if n > 0 {
					cs.out.event("progressEnd", godap.ProgressEndEventBody{ProgressId: id})
				}
				return
			case <-t.C:
			}
			if n == 0 {
				cs.out.event("progressStart", godap.ProgressStartEventBody{ProgressId: id, Title: title})
				continue
			}
			seconds := fmt.Sprintf("%d s", int(time.Since(begin).Seconds()))
			cs.out.event("progressUpdate", godap.ProgressUpdateEventBody{ProgressId: id, Message: seconds})
		}
	}()
	do()
	close(done)
	<-idle
}
