package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"
)

// must is the bound of a row.
type must struct {
	ms  float64 // 0: nothing
	p99 bool    // of the 99th percentile, else of the median
}

func limit(ms float64, p99 bool) must { return must{ms, p99} }

// row is one figure of the sides.
type row struct {
	name string
	must must
	got  map[string][]time.Duration // by side
}

// table collects what was measured.
type table struct {
	sides           []*side
	rows            []*row
	notes           map[string]int // by name and side
	plain, debugged []time.Duration
}

func (t *table) add(name string, s *side, d time.Duration, m must) {
	i := slices.IndexFunc(t.rows, func(r *row) bool { return r.name == name })
	if i < 0 {
		t.rows = append(t.rows, &row{name: name, must: m, got: map[string][]time.Duration{}})
		i = len(t.rows) - 1
	}
	t.rows[i].got[s.name] = append(t.rows[i].got[s.name], d)
}

func (t *table) note(name string, s *side, n int) {
	if t.notes == nil {
		t.notes = map[string]int{}
	}
	t.notes[name+", "+s.name] = n
}

func (t *table) attach(side string, d time.Duration) {
	if side == "run" {
		t.plain = append(t.plain, d)
	} else {
		t.debugged = append(t.debugged, d)
	}
}

// quantile returns the q-th part of what was measured.
func quantile(v []time.Duration, q float64) time.Duration {
	if len(v) == 0 {
		return 0
	}
	v = slices.Clone(v)
	slices.Sort(v)
	return v[min(len(v)-1, int(q*float64(len(v))))]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()*1e3) }

func (t *table) print(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := "ms\tmust"
	for _, s := range t.sides {
		head += fmt.Sprintf("\t%s p50\tp99\tn", s.name)
	}
	if len(t.sides) > 1 {
		head += "\tours ÷ " + t.sides[1].name
	}
	fmt.Fprintln(tw, head+"\t")
	for _, r := range t.rows {
		ours := r.got[t.sides[0].name]
		q := 0.5
		if r.must.p99 {
			q = 0.99
		}
		line := r.name + "\t"
		if r.must.ms > 0 {
			verdict := "met"
			if quantile(ours, q).Seconds()*1e3 > r.must.ms {
				verdict = "MISSED"
			}
			line += fmt.Sprintf("p%.0f ≤ %g: %s", q*100, r.must.ms, verdict)
		}
		for _, s := range t.sides {
			if v := r.got[s.name]; len(v) > 0 {
				line += fmt.Sprintf("\t%s\t%s\t%d", ms(quantile(v, 0.5)), ms(quantile(v, 0.99)), len(v))
			} else {
				line += "\t\t\t"
			}
		}
		if len(t.sides) > 1 && len(r.got[t.sides[1].name]) > 0 {
			line += fmt.Sprintf("\t%.3f", float64(quantile(ours, 0.5))/float64(quantile(r.got[t.sides[1].name], 0.5)))
		}
		fmt.Fprintln(tw, line+"\t")
	}
	tw.Flush()
	if len(t.plain) > 0 {
		p, a := quantile(t.plain, 0.5), quantile(t.debugged, 0.5)
		verdict := "met"
		ratio := float64(a) / float64(p)
		if ratio > 1.05 {
			verdict = "MISSED"
		}
		fmt.Fprintf(
			w,
			"attached without breakpoints ÷ plain run: %.3f (≤ 1.05: %s); %s ms ÷ %s ms, medians of %d; spread %s … %s and %s … %s ms\n",
			ratio,
			verdict,
			ms(a),
			ms(p),
			len(t.plain),
			ms(slices.Min(t.debugged)),
			ms(slices.Max(t.debugged)),
			ms(slices.Min(t.plain)),
			ms(slices.Max(t.plain)),
		)
	}
	var names []string
	for n := range t.notes {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		fmt.Fprintf(w, "%s: %d\n", n, t.notes[n])
	}
}

// write writes a program.
func (p *programs) write(name, text string) error {
	return os.WriteFile(p.path(name), []byte(text), 0o666)
}
