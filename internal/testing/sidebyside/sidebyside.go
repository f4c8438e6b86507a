// Package sidebyside compares what the tools say of the same moments in each design of stack
// switching.
package sidebyside

import (
	"fmt"
	"regexp"
	"strings"

	"stackscope/wasm"
)

// Log is what was shown, step by step, in each design.
type Log struct {
	steps []string
	shown map[string]map[wasm.Dialect]string
}

// Add adds what was shown in a design at a step. Steps are in the order in which they are added
// first. What is added twice at a step is joined.
func (l *Log) Add(step string, d wasm.Dialect, text string) {
	if l.shown == nil {
		l.shown = map[string]map[wasm.Dialect]string{}
	}
	if l.shown[step] == nil {
		l.steps = append(l.steps, step)
		l.shown[step] = map[wasm.Dialect]string{}
	}
	l.shown[step][d] += strings.TrimRight(text, "\n") + "\n"
}

// String returns the steps, and below each what the designs showed; once if it is the same in all.
func (l *Log) String() string {
	var b strings.Builder
	for _, s := range l.steps {
		fmt.Fprintf(&b, "== %s\n", s)
		at := l.shown[s]
		same := len(at) == len(wasm.Dialects())
		for _, text := range at {
			same = same && text == at[wasm.Dialects()[0]]
		}
		if same {
			b.WriteString(indent(at[wasm.Dialects()[0]]))
			continue
		}
		for _, d := range wasm.Dialects() {
			if text, ok := at[d]; ok {
				fmt.Fprintf(&b, "-- %s\n%s", d, indent(text))
			}
		}
	}
	return b.String()
}

func indent(s string) string {
	var b strings.Builder
	for l := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		b.WriteString(strings.TrimRight("   "+l, " ") + "\n")
	}
	return b.String()
}

// names are the names of the program, which may be any words.
var names = regexp.MustCompile(`\$[^\s,;()]+`)

// Foreign returns the lines of a text about stacks of a design that have a word which only other
// designs have, with that word.
func Foreign(d wasm.Dialect, text string) (found []string) {
	text = names.ReplaceAllString(text, "$$")
	for _, w := range d.Foreign() {
		re := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(w) + `\b`)
		for l := range strings.SplitSeq(text, "\n") {
			if re.MatchString(l) {
				found = append(found, fmt.Sprintf("%q in: %s", w, l))
			}
		}
	}
	return found
}
