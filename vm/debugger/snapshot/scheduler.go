package snapshot

import (
	"fmt"
	"strings"
)

// Queue is where a stack stands in a line of stacks.
type Queue struct {
	In       string `json:"in"`       // "table $queue", "global $ready"
	Position int    `json:"position"` // from 1
	Of       int    `json:"of"`       // how many stand there
}

// String returns "3rd of 5 in table $queue".
func (q Queue) String() string { return fmt.Sprintf("%s of %d in %s", ordinal(q.Position), q.Of, q.In) }

// Count is how many stacks have something in common.
type Count struct {
	What  string `json:"what"` // see Stack.Place
	Count int    `json:"count"`
}

// Counts writes counts: "980 × $worker · suspended at $yield gen.wat:21, 3 × $main · not started".
func Counts(cs []Count) string {
	var out []string
	for _, c := range cs {
		out = append(out, fmt.Sprintf("%d × %s", c.Count, c.What))
	}
	return strings.Join(out, ", ")
}

// ordinal writes a position: "1st", "22nd", "113th".
func ordinal(n int) string {
	suffix := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprint(n) + suffix
}
