package lsp

import (
	"encoding/json"
	"testing"
)

// TestLensSettings: lenses are set one by one, or all at once.
func TestLensSettings(t *testing.T) {
	none := LensConfig{References: "none"}
	for text, want := range map[string]LensConfig{
		`{}`:                             defaultLenses(),
		`{"lenses": true}`:               defaultLenses(),
		`{"lenses": false}`:              none,
		`{"lenses": {}}`:                 defaultLenses(),
		`{"lenses": {"run": false}}`:     {Effects: true, References: "functions"},
		`{"lenses": {"effects": false}}`: {Run: true, References: "functions"},
		`{"lenses": {"references": "all", "run": true}}`: {Run: true, Effects: true, References: "all"},
	} {
		c := defaultConfig(Options{})
		if err := json.Unmarshal([]byte(text), &c); err != nil || c.Lenses != want {
			t.Errorf("%s: %+v, %v", text, c.Lenses, err)
		}
	}
	for _, bad := range []string{`{"lenses": 1}`, `{"lenses": {"references": "some"}}`, `{"lenses": {"run": "yes"}}`} {
		c := defaultConfig(Options{})
		if err := json.Unmarshal([]byte(bad), &c); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}
