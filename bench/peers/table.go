package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// side is one engine in a row: measure runs it once and gives the time of all units.
type side struct {
	name    string
	units   int // in one run
	measure func() (time.Duration, error)
	close   func()
}

// figures are the times of one side.
type figures struct {
	median, spread float64 // seconds; half the distance between the quartiles
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
	return figures{at(0.5), (at(0.75) - at(0.25)) / 2}
}

// compare lets the sides take turns, after one run each that is not counted.
func compare(runs int, sides []side) ([]figures, error) {
	times := make([][]float64, len(sides))
	for r := -1; r < runs; r++ {
		for i, s := range sides {
			d, err := s.measure()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
			if r >= 0 {
				times[i] = append(times[i], d.Seconds())
			}
		}
	}
	out := make([]figures, len(sides))
	for i := range sides {
		out[i] = figuresOf(times[i])
	}
	return out, nil
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
	return figures{f.median / float64(units), f.spread / float64(units)}
}

// text formats a time with its spread.
func (f figures) text() string {
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

// ratio formats a/b.
func ratio(a, b figures) string { return digits(a.median/b.median) + "×" }

// geomean gives the geometric mean.
func geomean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(xs)))
}
