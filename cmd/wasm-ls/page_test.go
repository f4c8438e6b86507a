package main

import (
	"os"
	"strings"
	"testing"

	"stackscope/analysis/diag"
)

// TestDiagnosticsPage compares the generated part of docs/reference/diagnostics.md with the table
// of codes.
func TestDiagnosticsPage(t *testing.T) {
	const name, mark = "../../docs/reference/diagnostics.md", "## All codes\n"
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(b), mark)
	if !ok {
		t.Fatalf("no %q in %s", mark, name)
	}
	intro := strings.Index(strings.TrimLeft(rest, "\n"), "\n\n")
	if intro < 0 {
		intro = len(rest) - 1
	}
	intro += len(rest) - len(strings.TrimLeft(rest, "\n"))
	want := head + mark + strings.TrimRight(rest[:intro], "\n") + "\n" + diag.Page()
	if string(b) == want {
		return
	}
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s does not show the table of codes; -update rewrites it", name)
}

// TestPageAnchors: the heading of each code is the code, so that `#code` leads there.
func TestPageAnchors(t *testing.T) {
	page := diag.Page()
	for i := range diag.Table {
		if c := string(diag.Table[i].Code); !strings.Contains(page, "\n### "+c+"\n") || strings.ToLower(c) != c ||
			strings.ContainsAny(c, " ._") {
			t.Errorf("no anchor for %s", c)
		}
	}
}
