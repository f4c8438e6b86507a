package main

import (
	"strings"
	"testing"

	"stackscope/analysis/diag"
)

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
