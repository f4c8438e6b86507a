// Command dap measures debug adapters side by side: this product's and delve, on programs that do
// the same with an equal number of stacks and goroutines, session by session in one run. It prints
// a table.
//
//	go run ./bench/dap -ours bin/wasm-dap -peer dlv
//
// A figure is the time from sending a request to the last byte of the last answer, or to the event
// `stopped`, over TCP on both sides. Every session is a new process of the adapter.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	ours := flag.String("ours", "bin/wasm-dap", "this product's `program`")
	peer := flag.String(
		"peer", "dlv",
		"delve's `program` (go install github.com/go-delve/delve/cmd/dlv@v1.27.1); empty: measure ours alone",
	)
	stacks := flag.String("stacks", "10,1000,100000", "`numbers` of stacks and goroutines, with commas")
	n := flag.Int("n", 10, "sessions of each side for each number")
	steps := flag.Int("steps", 40, "steps, and rounds of questions, in a session")
	runs := flag.Int("runs", 10, "runs of the comparison with a plain run, and of launches")
	only := flag.String("only", "", "measure only the `part` step, attach or launch")
	flag.Parse()
	if err := run(*ours, *peer, *stacks, *n, *steps, *runs, *only); err != nil {
		fmt.Fprintln(os.Stderr, "dap:", err)
		os.Exit(1)
	}
}

func run(ours, peer, stacks string, n, steps, runs int, only string) error {
	dir, err := os.MkdirTemp("", "bench-dap")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	progs, err := build(dir, peer != "")
	if err != nil {
		return err
	}
	sides := []*side{{name: "ours", adapter: []string{ours, "serve", "--listen", "127.0.0.1:0"}}}
	if peer != "" {
		sides = append(sides, &side{name: "delve", adapter: []string{peer, "dap", "--listen", "127.0.0.1:0"},
			peer: true})
	}
	t := &table{sides: sides}
	if only == "" || only == "step" {
		for _, s := range strings.Split(stacks, ",") {
			count, err := strconv.Atoi(strings.TrimSpace(s))
			if err != nil || count < 1 {
				return fmt.Errorf("-stacks: %q is no number", s)
			}
			for i := range n {
				for _, side := range sides {
					progress("%d stacks, session %d of %d, %s", count, i+1, n, side.name)
					if err := side.steps(progs, count, steps, t); err != nil {
						return fmt.Errorf("%s, %d stacks: %w", side.name, count, err)
					}
				}
			}
		}
	}
	for i := range runs {
		if only == "" || only == "attach" {
			progress("plain and attached, run %d of %d", i+1, runs)
			if err := attached(ours, sides[0], progs, t); err != nil {
				return err
			}
		}
		for _, side := range sides {
			if only == "" || only == "launch" {
				progress("launch %d of %d, %s", i+1, runs, side.name)
				if err := side.launches(progs, t); err != nil {
					return fmt.Errorf("%s, launch: %w", side.name, err)
				}
			}
		}
	}
	progress("")
	t.print(os.Stdout)
	return nil
}

// progress shows what is being done, on a line of its own that is overwritten.
func progress(format string, a ...any) {
	if st, err := os.Stderr.Stat(); err == nil && st.Mode()&os.ModeCharDevice != 0 {
		fmt.Fprintf(os.Stderr, "\r\x1b[K"+format, a...)
	}
}

// path returns the absolute path of a file that was made.
func (p *programs) path(name string) string { return filepath.Join(p.dir, name) }
