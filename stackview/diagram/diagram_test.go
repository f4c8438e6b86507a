package diagram

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// sample has transitions down, up and to the same state, and texts that mean something in a format.
var sample = Diagram{
	Title: `$f<"x">`,
	Nodes: []Node{
		{Label: "new", Kind: Start},
		{Label: `suspended with $a:b`, Kind: Suspended, Note: "line 3"},
		{Label: "retired", Kind: End},
	},
	Edges: []Edge{{0, 1, "$go"}, {1, 1, "$next"}, {1, 2, "$next"}, {1, 2, "$stop;"}, {2, 0, "again\nand again"}},
	Notes: []string{"… more states"},
}

func TestText(t *testing.T) {
	const want = `0 new                  $go → 1
1 suspended with $a:b  $next → 1 2 · $stop; → 2
`
	if got := sample.Text(0); got != want+
		"2 retired              again\nand again → 0\n… more states\n" {
		t.Errorf("got\n%s", got)
	}
	if got := sample.Text(2); strings.Count(got, "\n") != 2 || !strings.HasSuffix(got, "…\n") {
		t.Errorf("two lines: %q", got)
	}
	var empty Diagram
	for _, got := range []string{empty.Text(1), empty.Mermaid(), empty.DOT(), empty.SVG()} {
		if strings.Contains(got, "s0") {
			t.Errorf("of nothing: %q", got)
		}
	}
}

func TestMermaid(t *testing.T) {
	const want = `stateDiagram-v2
    s0: new
    s1: suspended with $a#58;b
    s2: retired
    [*] --> s0
    s0 --> s1: $go
    s1 --> s1: $next
    s1 --> s2: $next, $stop#59;
    s2 --> s0: again and again
    s2 --> [*]
    %% … more states
`
	if got := sample.Mermaid(); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestDOT(t *testing.T) {
	got := sample.DOT()
	for _, want := range []string{
		`label="$f<\"x\">\n… more states"`, `s1 [label="suspended with $a:b\nline 3"`, `s1 -> s2 [label="$next, $stop;"]`,
		`s2 -> s0 [label="again\nand again"]`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("without %s:\n%s", want, got)
		}
	}
}

// The drawing is well formed, without scripts and references to elsewhere, has a box for each state
// and a line for each way, and nothing lies outside of it.
func TestSVG(t *testing.T) {
	got := sample.SVG()
	boxes, paths := 0, 0
	for d := xml.NewDecoder(strings.NewReader(got)); ; {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, got)
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		switch e.Name.Local {
		case "rect":
			boxes++
		case "path":
			paths++
		case "script", "image", "a", "use", "foreignObject":
			t.Errorf("<%s>", e.Name.Local)
		}
	}
	if boxes != 3 || paths != 2*4+1 { // a way and the line to its label each, and the arrow

		t.Errorf("%d boxes, %d paths", boxes, paths)
	}
}
