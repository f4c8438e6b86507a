package main

import (
	"regexp"
	"strconv"
	"strings"
)

// row is one figure of a table: times in seconds, rates and other numbers as they are printed.
type row struct {
	name  string
	value float64
}

var (
	goRow   = regexp.MustCompile(`^(Benchmark\S+?)(-\d+)?\s+\d+\s+([\d.]+) ns/op`)
	figure  = regexp.MustCompile(`^([\d.]+)\s?(ns|µs|ms|s|MB/s|MB|bytes)?\b`)
	columns = regexp.MustCompile(`\s{2,}`)
)

var seconds = map[string]float64{"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1}

// renamed maps names of rows and columns in the output of older commits to the current ones.
var renamed = strings.NewReplacer("plain "+"form", "baseline form", "stackscope-plain", "stackscope-baseline")

// parse returns the figures of what a benchmark prints: lines of Go benchmarks, and tables whose
// cells are separated by bars or by at least two spaces, below a line of headings.
func parse(out string) []row {
	out = renamed.Replace(out)
	var rows []row
	var heads []string
	title := ""
	for _, line := range strings.Split(out, "\n") {
		if m := goRow.FindStringSubmatch(line); m != nil {
			v, _ := strconv.ParseFloat(m[3], 64)
			rows = append(rows, row{m[1], v * 1e-9})
			continue
		}
		if t, ok := strings.CutPrefix(line, "# "); ok {
			title, _, _ = strings.Cut(t, ";")
			title += ": "
			continue
		}
		if strings.HasPrefix(line, "|--") {
			continue
		}
		cells := split(line)
		switch {
		case len(cells) < 2:
			heads = nil
			continue
		case heads == nil:
			heads = cells
			continue
		}
		for i, c := range cells[1:] {
			// Cells of the text tables may be empty at the left.
			head := ""
			if at := i + 1 + len(heads) - len(cells); at > 0 && at < len(heads) {
				head = heads[at]
			}
			m := figure.FindStringSubmatch(c)
			if m == nil || skipped(head) {
				continue
			}
			v, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				continue
			}
			name := title + cells[0] + ", " + head
			if f, ok := seconds[m[2]]; ok {
				v *= f
			} else if m[2] == "MB/s" {
				name += ", MB/s"
			}
			rows = append(rows, row{name, v})
		}
	}
	return rows
}

// skipped reports whether a column holds no figure of ours: bounds, peers, ratios, extremes.
func skipped(head string) bool {
	for _, s := range []string{"must", "wazero", "wasmi", "wasmtime", "V8", " to ", "min", "p99"} {
		if strings.Contains(head, s) {
			return true
		}
	}
	return head == "n"
}

// split returns the cells of a line of a table.
func split(line string) []string {
	if strings.HasPrefix(line, "|") {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		return cells
	}
	return columns.Split(strings.TrimRight(line, " "), -1)
}
