package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// side is one engine in a row: measure runs it once and returns the time of all units.
type side struct {
	name    string
	units   int  // in one run
	peer    bool // may fail: then its cells say so, and the others go on
	measure func() (time.Duration, error)
	close   func()
}

// figures are the times of one side.
type figures struct {
	median, spread float64 // seconds; half the distance between the quartiles
	fails          string  // why there are none
}

func figuresOf(times []float64) figures {
	slices.Sort(times)
	at := func(q float64) float64 {
		x := q * float64(len(times)-1)
		i := int(x)
		if i+1 == len(times) {
			return times[i]
		}
		return times[i] + (x-float64(i))*(times[i+1]-times[i])
	}
	return figures{median: at(0.5), spread: (at(0.75) - at(0.25)) / 2}
}

// compare lets the sides take turns, after one run each that is not counted.
func compare(runs int, sides []side) ([]figures, error) {
	times := make([][]float64, len(sides))
	out := make([]figures, len(sides))
	for r := -1; r < runs; r++ {
		for i, s := range sides {
			if out[i].fails != "" {
				continue
			}
			d, err := s.measure()
			switch {
			case err != nil && s.peer:
				out[i].fails = reason(err)
			case err != nil:
				return nil, fmt.Errorf("%s: %w", s.name, err)
			case r >= 0:
				times[i] = append(times[i], d.Seconds())
			}
		}
	}
	for i := range sides {
		if out[i].fails == "" {
			out[i] = figuresOf(times[i])
		}
	}
	return out, nil
}

// reason returns the last line that an error has to say, which is where programs give the cause,
// for a table's cell.
func reason(err error) string {
	const most = 120
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	text := []rune(strings.ReplaceAll(strings.TrimSpace(lines[len(lines)-1]), "|", "/"))
	if len(text) > most {
		text = append(text[:most], '…')
	}
	return string(text)
}

func closeAll(sides []side) {
	for _, s := range sides {
		if s.close != nil {
			s.close()
		}
	}
}

// header prints the head of a table.
func header(columns ...string) {
	fmt.Println("| " + strings.Join(columns, " | ") + " |")
	fmt.Println("|" + strings.Repeat("---|", len(columns)))
}

// row prints a row.
func row(cells ...string) { fmt.Println("| " + strings.Join(cells, " | ") + " |") }

// over divides the figures by a number of units.
func (f figures) over(units int) figures {
	f.median /= float64(units)
	f.spread /= float64(units)
	return f
}

// text formats a time with its spread.
func (f figures) text() string {
	if f.fails != "" {
		return "fails: " + f.fails
	}
	return fmt.Sprintf("%s ± %.0f %%", duration(f.median), 100*f.spread/f.median)
}

// duration formats seconds with three digits.
func duration(s float64) string {
	for _, u := range []struct {
		name string
		size float64
	}{{"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3}} {
		if s < u.size*1000 {
			return digits(s/u.size) + " " + u.name
		}
	}
	return digits(s) + " s"
}

// digits formats a number with three digits.
func digits(x float64) string {
	d := 0
	if x > 0 {
		d = max(0, 2-int(math.Floor(math.Log10(x))))
	}
	return fmt.Sprintf("%.*f", min(d, 4), x)
}

// ratio formats a/b, if there are both.
func ratio(a, b figures) string {
	if a.fails != "" || b.fails != "" {
		return "–"
	}
	return digits(a.median/b.median) + "×"
}

// mean formats a geometric mean, if there is anything to take it of.
func mean(xs []float64) string {
	if len(xs) == 0 {
		return "–"
	}
	return digits(geomean(xs)) + "×"
}

// geomean returns the geometric mean.
func geomean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(xs)))
}
