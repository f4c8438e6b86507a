package analysis

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/internal/testing/suite"
)

// TestSuite accepts every valid module of the suite without an error, and rejects every invalid and
// malformed one with the expected words first. What it does not is in testdata/suite.txt, exactly.
func TestSuite(t *testing.T) {
	var got []string
	for _, f := range suite.Files(t) {
		s := Open(source.NewFile(f, suite.Text(t, f)), Options{})
		for _, d := range s.Diagnostics() {
			if d.Severity != diag.Error {
				continue
			}
			line, _ := s.File().LineCol(d.Span.Start)
			got = append(got, filepath.Base(f)+":"+strconv.Itoa(line)+": "+d.Message)
		}
	}
	slices.Sort(got)
	want := readLines(t, filepath.Join("testdata", "suite.txt"))
	for _, g := range got {
		if !slices.Contains(want, g) {
			t.Errorf("not expected: %s", g)
		}
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("no longer so, take it out of testdata/suite.txt: %s", w)
		}
	}
}

// readLines returns the lines of a file that are not comments.
func readLines(t *testing.T, name string) []string {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []string
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if l := sc.Text(); l != "" && !strings.HasPrefix(l, "#") {
			out = append(out, l)
		}
	}
	return out
}
