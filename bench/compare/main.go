// Command compare measures this tree beside another commit: it builds the benchmarks of both, lets
// them take turns, and prints for each row of each table the medians and their ratio.
//
//	go run ./bench/compare [-old COMMIT] [-n RUNS] [-only TABLE,…]
//
// The rows are those of bench/README.md without the peers. A ratio above 1 means that this tree is
// slower. On a machine that does other work, the ratio of the minima says more than that of the
// medians. With -limit, the command exits with 1 if both are above it in a row.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A table is a benchmark: how to build it in a tree, and how to run it once.
type table struct {
	name  string
	build [][]string // commands, run in the tree; {bin} is the directory of the side's programs
	run   []string
}

// goBench is the table of a package's Go benchmarks.
func goBench(pkg, benchtime string) table {
	bin := "{bin}/" + strings.ReplaceAll(pkg, "/", "_") + ".test"
	return table{
		name:  pkg,
		build: [][]string{{"go", "test", "-c", "-o", bin, "./" + pkg}},
		run:   []string{bin, "-test.run", "^$", "-test.bench", ".", "-test.benchtime", benchtime},
	}
}

// peers is a table of bench/peers, without the peers.
func peers(name string, args ...string) table {
	return table{
		name:  name,
		build: [][]string{{"go", "build", "-o", "{bin}/peers", "./bench/peers"}},
		run:   append(append([]string{"{bin}/peers", "-n", "1", "-peers", "{bin}/none"}, args...), name),
	}
}

var tables = []table{
	goBench("bench", "100ms"),
	goBench("analysis", "100ms"),
	goBench("analysis/syntax", "100ms"),
	goBench("wasm/valid", "100ms"),
	peers("switch", "-cpu"),
	peers("compute", "-cpu"),
	peers("debug", "-cpu"),
	peers("scale"),
	peers("compile", "-cpu"),
	{
		name: "lsp",
		build: [][]string{{"go", "build", "-o", "{bin}/wasm-ls", "./cmd/wasm-ls"},
			{"go", "build", "-o", "{bin}/lsp", "./bench/lsp"}},
		run: []string{"{bin}/lsp", "-peer", "", "-ours", "{bin}/wasm-ls serve", "-n", "1", "-bytes",
			"1000000,10000000", "-rounds", "3"},
	},
	{
		name: "dap",
		build: [][]string{{"go", "build", "-o", "{bin}/wasm-dap", "./cmd/wasm-dap"},
			{"go", "build", "-o", "{bin}/dap", "./bench/dap"}},
		run: []string{"{bin}/dap", "-peer", "", "-ours", "{bin}/wasm-dap", "-n", "1", "-runs", "2"},
	},
}

// side is one of the two trees.
type side struct {
	tree, bin string
	samples   map[string][]float64 // by table and row
	order     []string
}

func main() {
	old := flag.String("old", "HEAD~1", "commit to compare with")
	n := flag.Int("n", 10, "runs of each side")
	only := flag.String("only", "", "tables to measure, separated by commas (default all)")
	limit := flag.Float64("limit", 0, "exit with 1 if both ratios of a row are above this (0 = never)")
	flag.Parse()
	above, err := compare(*old, *n, *only, *limit)
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(2)
	}
	if above > 0 {
		os.Exit(1)
	}
}

// compare measures and prints. It returns how many rows have a ratio above the limit.
func compare(old string, n int, only string, limit float64) (above int, err error) {
	dir, err := os.MkdirTemp("", "compare")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	oldTree := filepath.Join(dir, "tree")
	if err := command(".", "git", "worktree", "add", "--detach", "--quiet", oldTree, old); err != nil {
		return 0, err
	}
	defer func() { _ = command(".", "git", "worktree", "remove", "--force", oldTree) }()
	sides := [2]*side{newSide(oldTree, filepath.Join(dir, "old")), newSide(".", filepath.Join(dir, "new"))}
	fmt.Printf("%s, %s/%s, %d CPUs; medians of %d runs a side, taking turns; old: %s\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), n, old)
	for _, t := range tables {
		if only != "" && !slices.Contains(strings.Split(only, ","), t.name) {
			continue
		}
		for _, s := range sides {
			for _, b := range t.build {
				if err := command(s.tree, expand(b, s.bin)...); err != nil {
					return above, err
				}
			}
		}
		for r := range n {
			for i := range sides {
				s := sides[(i+r)%2] // neither is always the first
				if err := s.measure(t); err != nil {
					return above, err
				}
			}
		}
		above += report(t, sides, limit)
	}
	return above, nil
}

func newSide(tree, bin string) *side {
	return &side{tree: tree, bin: bin, samples: map[string][]float64{}}
}

// expand returns the arguments with the directory of the programs put in.
func expand(args []string, bin string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = strings.ReplaceAll(a, "{bin}", bin)
	}
	return out
}

// measure runs a table once, with a fresh copy of the side's programs: where the system puts the
// pages of a program changes the time of a loop by up to a factor of two.
func (s *side) measure(t table) error {
	bin, err := os.MkdirTemp(filepath.Dir(s.bin), "copy")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	if err := os.CopyFS(bin, os.DirFS(s.bin)); err != nil {
		return err
	}
	args := expand(t.run, bin)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = filepath.Join(s.tree, "bench")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	for _, row := range parse(string(out)) {
		key := t.name + "\t" + row.name
		if _, ok := s.samples[key]; !ok {
			s.order = append(s.order, key)
		}
		s.samples[key] = append(s.samples[key], row.value)
	}
	return nil
}

// report prints a table's rows and returns how many are above the limit.
func report(t table, sides [2]*side, limit float64) (above int) {
	fmt.Printf("\n| %s | old | new | ratio | of the minima |\n|---|---|---|---|---|\n", t.name)
	for _, key := range sides[1].order {
		name, ok := strings.CutPrefix(key, t.name+"\t")
		if !ok || len(sides[0].samples[key]) == 0 {
			continue
		}
		a, b := median(sides[0].samples[key]), median(sides[1].samples[key])
		ratio := b / a
		best := slices.Min(sides[1].samples[key]) / slices.Min(sides[0].samples[key])
		if strings.HasSuffix(name, "/s") {
			ratio = a / b
			best = slices.Max(sides[0].samples[key]) / slices.Max(sides[1].samples[key])
		}
		mark := ""
		if limit > 0 && ratio > limit && best > limit {
			mark = " (above the limit)"
			above++
		}
		fmt.Printf("| %s | %.4g | %.4g | %.3f | %.3f%s |\n", name, a, b, ratio, best, mark)
	}
	return above
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

func command(dir string, args ...string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}
