package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"

	"stackscope/lsp/internal/workspace"
)

// initOptions reads initializationOptions: the settings, and what the client can do beyond LSP.
func (s *settings) initOptions(raw protocol.LSPAny) {
	if len(raw) == 0 || string(raw) == "null" {
		return
	}
	var extra struct {
		Lenses  json.RawMessage `json:"lenses"`  // present: the client has the commands of lenses
		Explain string          `json:"explain"` // the client's command that shows the explanation of a code
		// Protocol is the client's command that shows the protocol of a function: with it there is a
		// lens for that.
		Protocol string `json:"protocol"`
	}
	if err := json.Unmarshal(raw, &extra); err != nil {
		s.log.Warn("initializationOptions", "error", err)
		return
	}
	s.caps.lenses = len(extra.Lenses) > 0 && string(extra.Lenses) != "false" && string(extra.Lenses) != "null"
	s.caps.explain, s.caps.protocol = extra.Explain, extra.Protocol
	s.setConfig(raw)
}

// setConfig takes settings over; on a mistake in them the old ones stay.
func (s *settings) setConfig(raw []byte) (changed bool) {
	c := workspace.DefaultConfig(s.opt.Dialect)
	if err := json.Unmarshal(raw, &c); err != nil {
		s.log.Warn("configuration", "error", err)
		return false
	}
	if c.Dialect == "auto" {
		c.Dialect = ""
	}
	if !s.store.Configure(c) {
		return false
	}
	s.files.Reset()
	return true
}

// pullConfig asks the client for its settings.
func (s *settings) pullConfig(ctx context.Context) {
	if !s.caps.configuration {
		return
	}
	res, err := s.client.Configuration(
		ctx, &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: ptr("stackscope")}}},
	)
	if err != nil {
		s.logIf("workspace/configuration", err)
		return
	}
	if len(res) == 1 && string(res[0]) != "null" && s.setConfig(res[0]) {
		s.checks.refresh(ctx)
	}
}

// refresh makes the client ask again for what depends on settings.
func (s *checker) refresh(ctx context.Context) {
	if s.caps.refreshDiagnostic {
		s.logIf("diagnostic refresh", s.client.DiagnosticRefresh(ctx))
	}
	if s.caps.refreshInlay {
		s.logIf("inlayHint refresh", s.client.InlayHintRefresh(ctx))
	}
	if s.caps.refreshLens {
		s.logIf("codeLens refresh", s.client.CodeLensRefresh(ctx))
	}
	for u := range s.store.View() {
		s.push(u)
	}
}

// DidChangeConfiguration takes new settings: those in the notification, or those that the client
// returns when asked.
func (s *settings) DidChangeConfiguration(_ context.Context, p *protocol.DidChangeConfigurationParams) error {
	var sect struct {
		Stackscope json.RawMessage `json:"stackscope"`
	}
	brought := len(p.Settings) > 0 && json.Unmarshal(p.Settings, &sect) == nil && len(sect.Stackscope) > 0 &&
		string(sect.Stackscope) != "null"
	changed := brought && s.setConfig(sect.Stackscope)
	if changed { // also if what is to be done now is replaced by what comes next
		s.reconfigured.Store(true)
	}
	s.once("didChangeConfiguration", func(ctx context.Context) {
		switch {
		case s.reconfigured.Swap(false):
			s.checks.refresh(ctx)
		case !brought:
			s.pullConfig(ctx)
		}
	})
	return nil
}

func (s *session) logIf(what string, err error) {
	if err != nil && s.ctx.Err() == nil {
		s.log.Warn(what, "error", err)
	}
}
