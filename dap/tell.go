package dap

import (
	"fmt"
	"time"

	godap "github.com/google/go-dap"

	engine "stackscope/vm/debugger"
)

// checksumAlgorithm is the one that sources are told with.
const checksumAlgorithm = "SHA256"

// checkedSource is sourceOf with the checksum of the text.
func (s *session) checkedSource(unit int) *godap.Source {
	src := s.sourceOf(unit)
	if src == nil {
		return nil
	}
	out := *src
	out.Checksums = []godap.Checksum{{Algorithm: checksumAlgorithm, Checksum: s.units()[unit].File.SHA256()}}
	return &out
}

// stale reports that a client's source is not the text that was loaded.
func (s *session) stale(src *godap.Source, f *engine.Source) bool {
	for _, c := range src.Checksums {
		if c.Algorithm == checksumAlgorithm && c.Checksum != f.SHA256() {
			return true
		}
	}
	return false
}

// Text styles that clients with ANSI styling get.
const (
	styleError = "\x1b[31m"
	styleEnd   = "\x1b[0m"
)

// styled returns a text in a style, if the client shows styles.
func (s *session) styled(style, text string) string {
	if !s.client.ansi || text == "" {
		return text
	}
	return style + text + styleEnd
}

// unitLoaded reports a module that became known while the program runs.
func (s *session) unitLoaded(unit int) {
	if unit >= len(s.units()) {
		return
	}
	s.outputs[s.units()[unit].File.Name] = s.sourceOf(unit)
	s.conn.event("module", moduleEventBody{"new", s.module(unit)})
	for i, u := range s.units()[:unit] {
		if u.File == s.units()[unit].File && i < unit {
			return
		}
	}
	s.conn.event("loadedSource", godap.LoadedSourceEventBody{Reason: "new", Source: *s.checkedSource(unit)})
}

// sourcesChanged reports which sources of a program that is loaded again have another text than
// before.
func (s *session) sourcesChanged(before []*engine.Unit) {
	old := map[string]string{}
	for _, u := range before {
		if !u.File.Printed() {
			old[u.File.Name] = u.File.Text()
		}
	}
	told := map[string]bool{}
	for i, u := range s.units() {
		if text, ok := old[u.File.Name]; ok && !told[u.File.Name] && text != u.File.Text() {
			told[u.File.Name] = true
			s.conn.event("loadedSource", godap.LoadedSourceEventBody{Reason: "changed", Source: *s.checkedSource(i)})
		}
	}
}

// defaultProgressAfter is how long something takes before a client is told that it takes its time.
const defaultProgressAfter = 300 * time.Millisecond

// progress does something that may take long; a client that shows progress is told so.
func (s *session) progress(title string, do func()) {
	if !s.client.progress {
		do()
		return
	}
	s.progressID++
	id := fmt.Sprintf("progress-%d", s.progressID)
	after := s.cfg.ProgressAfter
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
					s.conn.event("progressEnd", godap.ProgressEndEventBody{ProgressId: id})
				}
				return
			case <-t.C:
			}
			if n == 0 {
				s.conn.event("progressStart", godap.ProgressStartEventBody{ProgressId: id, Title: title})
				continue
			}
			s.conn.event(
				"progressUpdate",
				godap.ProgressUpdateEventBody{ProgressId: id, Message: fmt.Sprintf("%d s", int(time.Since(begin).Seconds()))},
			)
		}
	}()
	do()
	close(done)
	<-idle
}
