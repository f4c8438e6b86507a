package lsp

import (
	"encoding/json"
	"testing"

	"stackscope/lsp/internal/workspace"
)

// TestLensSettings: lenses are set one by one, or all at once.
func TestLensSettings(t *testing.T) {
	none := workspace.LensConfig{References: "none"}
	for text, want := range map[string]workspace.LensConfig{
		`{}`:                               workspace.DefaultLenses(),
		`{"lenses": true}`:                 workspace.DefaultLenses(),
		`{"lenses": false}`:                none,
		`{"lenses": {}}`:                   workspace.DefaultLenses(),
		`{"lenses": {"run": false}}`:       {Effects: true, Protocols: true, Sources: true, References: "functions"},
		`{"lenses": {"effects": false}}`:   {Run: true, Protocols: true, Sources: true, References: "functions"},
		`{"lenses": {"protocols": false}}`: {Run: true, Effects: true, Sources: true, References: "functions"},
		`{"lenses": {"sources": false}}`:   {Run: true, Effects: true, Protocols: true, References: "functions"},
		`{"lenses": {"references": "all", "run": true}}`: {
			Run: true, Effects: true, Protocols: true, Sources: true, References: "all",
		},
	} {
		c := workspace.DefaultConfig("")
		if err := json.Unmarshal([]byte(text), &c); err != nil || c.Lenses != want {
			t.Errorf("%s: %+v, %v", text, c.Lenses, err)
		}
	}
	for _, bad := range []string{`{"lenses": 1}`, `{"lenses": {"references": "some"}}`, `{"lenses": {"run": "yes"}}`} {
		c := workspace.DefaultConfig("")
		if err := json.Unmarshal([]byte(bad), &c); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}
