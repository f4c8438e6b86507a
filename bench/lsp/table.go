package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// work is a row of the table: what is measured, and its limit at 1 and 10 MB (seconds, or bytes for
// memory; 0: no limit).
type work struct {
	name             string
	memory           bool
	must1MB, must10M float64
}

// The works, in the order of the table.
var works = []work{
	{cold, false, 0.040, 0.400},
	{editDiag, false, 0.005, 0.030},
	{parenDiag, false, 0, 0.050},
	{renameDiag, false, 0, 0.300},
	{editHover, false, 0, 0.030},
	{editDef, false, 0, 0.030},
	{editCompletion, false, 0, 0.030},
	{editTokens, false, 0, 0.030},
	{editSymbols, false, 0, 0},
	{editFolds, false, 0, 0},
	{editLenses, false, 0, 0},
	{editLinks, false, 0, 0},
	{memory, true, 0, 300e6},
}

// The names of the works.
const (
	cold           = "cold open → diagnostics"
	editDiag       = "one-character edit → diagnostics"
	parenDiag      = "type ( in a body → diagnostics"
	renameDiag     = "rename a function used everywhere → diagnostics"
	editHover      = "edit → hover"
	editDef        = "edit → definition"
	editCompletion = "edit → completion"
	editTokens     = "edit → semantic tokens (delta; the peer: full)"
	editSymbols    = "edit → document symbols"
	editFolds      = "edit → folding ranges"
	editLenses     = "edit → code lenses"
	editLinks      = "edit → document links"
	memory         = "resident memory after the session"
)

// sample is one measurement: seconds of time and of processor time, or bytes.
type sample struct{ wall, cpu float64 }

func (w work) show(v float64) string {
	if w.memory {
		return fmt.Sprintf("%.0f MB", v/1e6)
	}
	return fmt.Sprintf("%.1f ms", v*1e3)
}

// must returns what is asked of the work for a text of the length, 0 if nothing is.
func (w work) must(bytes int) float64 {
	switch {
	case bytes >= 5_000_000:
		return w.must10M
	case bytes >= 500_000:
		return w.must1MB
	}
	return 0
}

func table(out io.Writer, title, text string, sides []*side) {
	var about []string
	for _, s := range sides {
		about = append(about, fmt.Sprintf("%s: %d sessions of %d rounds", s.name, s.sessions, s.rounds))
	}
	fmt.Fprintf(out, "\n# %s; %s\n", title, strings.Join(about, ", "))
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	head := "median of n\tmust"
	for _, s := range sides {
		head += "\t" + s.name + "\tCPU\tmin … max, n"
	}
	if len(sides) > 1 {
		head += "\tours ÷ peer"
	}
	fmt.Fprintln(tw, head)
	for _, w := range works {
		if len(sides[0].got[w.name]) == 0 {
			continue
		}
		row := w.name + "\t"
		if m := w.must(len(text)); m > 0 {
			row += w.show(m)
		}
		var mid []float64
		for _, s := range sides {
			got := s.got[w.name]
			if len(got) == 0 {
				why := s.ended
				if why == "" {
					why = "> " + s.limit.String()
				}
				row += "\t" + why + "\t\t"
				continue
			}
			var wall, cpu []float64
			for _, x := range got {
				wall, cpu = append(wall, x.wall), append(cpu, x.cpu)
			}
			mid = append(mid, median(wall))
			spent := ""
			if !w.memory && median(cpu) > 0 {
				spent = w.show(median(cpu))
			}
			row += fmt.Sprintf(
				"\t%s\t%s\t%s … %s, %d", w.show(median(wall)), spent, w.show(slices.Min(wall)),
				w.show(slices.Max(wall)), len(got),
			)
		}
		if len(sides) > 1 && len(mid) == 2 {
			row += fmt.Sprintf("\t%.3f", mid[0]/mid[1])
		}
		fmt.Fprintln(tw, row)
	}
	tw.Flush()
}

func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	if len(v) == 0 {
		return 0
	}
	if len(v)%2 == 1 {
		return v[len(v)/2]
	}
	return (v[len(v)/2-1] + v[len(v)/2]) / 2
}
