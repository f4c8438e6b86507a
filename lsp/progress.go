package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"path"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"stackscope/lsp/internal/workspace"
)

// patience is how long work takes before a client that wants to know is told that it goes on.
const patience = 300 * time.Millisecond

// progress reports to the client that work goes on, once it has taken longer than the
// patience, until the function that it returns is called.
func (s *session) progress(token protocol.ProgressToken, title string) (done func()) {
	p := &progressState{s: s, token: token}
	wait := patience
	if s.opt.patience != 0 {
		wait = s.opt.patience
	}
	if wait < 0 {
		p.begin(title)
	} else {
		p.timer = time.AfterFunc(wait, func() { p.begin(title) })
	}
	return p.end
}

type progressState struct {
	s     *session
	token protocol.ProgressToken
	timer *time.Timer

	mu           sync.Mutex
	begun, ended bool
}

func (p *progressState) begin(title string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.begun = true
	p.send(protocol.WorkDoneProgressBegin{Kind: "begin", Title: title})
}

func (p *progressState) end() {
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if p.begun {
		p.send(protocol.WorkDoneProgressEnd{Kind: "end"})
	}
}

func (p *progressState) send(value any) {
	b, err := json.Marshal(value)
	if err == nil {
		err = p.s.client.Progress(p.s.ctx, &protocol.ProgressParams{Token: p.token, Value: b})
	}
	p.s.logIf("$/progress", err)
}

// requestProgress reports a request that brings a token for it.
func (s *Server) requestProgress(method string, params []byte) (done func()) {
	var p struct {
		WorkDoneToken json.RawMessage `json:"workDoneToken"`
	}
	if !bytes.Contains(params, []byte(`"workDoneToken"`)) || json.Unmarshal(params, &p) != nil {
		return func() {}
	}
	var word string
	var n int32
	switch {
	case json.Unmarshal(p.WorkDoneToken, &word) == nil && word != "":
		return s.progress(protocol.String(word), workTitle(method))
	case json.Unmarshal(p.WorkDoneToken, &n) == nil:
		return s.progress(protocol.Integer(n), workTitle(method))
	}
	return func() {}
}

// workTitle reports in words what a request does.
func workTitle(method string) string {
	switch method {
	case protocol.MethodWorkspaceDiagnostic:
		return "Checking the files of the workspace"
	case protocol.MethodTextDocumentDiagnostic:
		return "Checking"
	case protocol.MethodTextDocumentReferences:
		return "Finding references"
	case protocol.MethodTextDocumentRename:
		return "Renaming"
	case protocol.MethodTextDocumentFormatting:
		return "Formatting"
	}
	return "Working"
}

// largeText is the size in bytes from which the first check of a document is worth telling about.
const largeText = 1 << 20

// announce checks a large document that was just opened, and reports to the client while that goes
// on.
func (s *checker) announce(d *workspace.Document) {
	if !s.caps.workDone {
		return
	}
	u := d.URI
	s.once("progress", func(ctx context.Context) {
		token := protocol.String("check " + string(u))
		if err := s.client.WorkDoneProgressCreate(ctx,
			&protocol.WorkDoneProgressCreateParams{Token: token}); err != nil {
			s.logIf("window/workDoneProgress/create", err)
			return
		}
		defer s.progress(token, "Checking "+path.Base(string(u)))()
		d.Snapshot().Diagnostics()
	})
}
