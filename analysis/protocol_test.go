package analysis

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/internal/testing/suite"
)

// protocolCodes are the codes of what is reported because of protocols.
var protocolCodes = []diag.Code{diag.EventNotTaken, diag.EndedUse, diag.StateWithoutCancel}

// protocolFindings returns what is reported of a text because of protocols, with the words it stands
// at.
func protocolFindings(t *testing.T, name, text string) []string {
	t.Helper()
	s := Open(source.NewFile(name, text), Options{})
	var out []string
	for _, d := range s.Diagnostics() {
		switch {
		case slices.Contains(protocolCodes, d.Code):
			line, _ := s.File().LineCol(d.Span.Start)
			out = append(out, string(d.Code)+" "+strconv.Itoa(line)+" "+text[d.Span.Start:d.Span.End]+": "+d.Message)
		case d.Severity == diag.Error && !strings.HasSuffix(name, ".wast"):
			t.Errorf("%s: %s: %s", name, text[d.Span.Start:d.Span.End], d.Message)
		}
	}
	return out
}

// Nothing is reported of the official suites, the suites of the dialects, the examples and the
// sources' own programs but what is meant to be wrong.
func TestProtocolsOnSuites(t *testing.T) {
	files := append(suite.Files(t), suite.Own(t, "examples/*/*.wa[st]*", "dialects/*/*.wast")...)
	for _, f := range files {
		for _, w := range protocolFindings(t, filepath.Base(f)+".wast", suite.Text(t, f)) {
			t.Errorf("%s/%s: %s", filepath.Base(filepath.Dir(f)), filepath.Base(f), w)
		}
	}
}
