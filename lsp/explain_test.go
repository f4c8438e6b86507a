package lsp

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/lsp/internal/wire"
)

// TestExplain: a client with a command for it gets links that run the command with the code, others
// the public page; the request has the explanation of every code, with the public page in it.
func TestExplain(t *testing.T) {
	const text = "(module (func (call $f)) (func $_g (block $l)))"
	for _, c := range []struct {
		init string
		want map[string]string
	}{
		{`{"explain": "stackscope.explain"}`, map[string]string{
			"unknown-func": `command:stackscope.explain?["unknown-func"]`,
			"unused-label": `command:stackscope.explain?["unused-label"]`}},
		{``, map[string]string{"unknown-func": "https://webassembly.github.io/spec/core/valid/index.html",
			"unused-label": ""}},
	} {
		cl := newClient(t, clientOptions{encoding: "utf-8", init: c.init})
		cl.open("file:///a.wat", text)
		for _, d := range cl.waitPush("file:///a.wat").Diagnostics {
			code := strings.Trim(string(must(wire.Codec{}.Marshal(d.Code))), `"`)
			got, err := url.PathUnescape(string(d.CodeDescription.Href))
			if want := c.want[code]; err != nil || got != want {
				t.Errorf("%s: %q, want %q", code, got, want)
			}
		}
	}
	cl := newClient(t, clientOptions{encoding: "utf-8", quiet: true})
	for i := range diag.Table {
		row := &diag.Table[i]
		var res explainResult
		if _, err := cl.conn.Call(context.Background(), "stackscope/explain", explainParams{row.Code},
			&res); err != nil {
			t.Fatal(row.Code, err)
		}
		if !strings.HasPrefix(res.Markdown, "# "+string(row.Code)+"\n") ||
			!strings.Contains(res.Markdown, diag.SpecLink(row.Code)) {
			t.Errorf("%s: %s", row.Code, res.Markdown)
		}
	}
	if _, err := cl.conn.Call(context.Background(), "stackscope/explain", explainParams{"no-such-code"},
		nil); err == nil {
		t.Error("an unknown code is explained")
	}
}
