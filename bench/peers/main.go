// Command peers measures the product beside other engines, and beside itself, and prints the tables
// of bench/README.md. A table's engines take turns, so that whatever else the machine does meets
// all of them; a figure is the median of the runs, with half the distance between the quartiles as
// spread.
//
//	go run ./bench/peers [-n RUNS] [-only ROW,…] [-peers DIR] TABLE…
//
// Tables: switch, compute, debug, scale, compile. bench/peers/install.sh installs the peers.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// settings are what the command line says.
type settings struct {
	runs  int
	only  []string
	peers string // where install.sh has put the engines
	cpu   bool
	wasm  string // table compile: a module to use beside the generated one
}

// wants reports whether a row is to be measured.
func (s *settings) wants(row string) bool { return len(s.only) == 0 || slices.Contains(s.only, row) }

// tables returns the tables by name, in the order in which they are printed if all are asked for.
func tables() []struct {
	name string
	run  func(*settings) error
} {
	return []struct {
		name string
		run  func(*settings) error
	}{{"switch", switchTable}, {"compute", computeTable}, {"debug", debugTable}, {"scale", scaleTable}, {"compile",
		compileTable}}
}

func main() {
	var s settings
	var names []string
	for _, t := range tables() {
		names = append(names, t.name)
	}
	flag.IntVar(&s.runs, "n", 10, "runs of each engine for each row")
	only := flag.String("only", "", "rows to measure, separated by commas; default: all")
	flag.StringVar(&s.peers, "peers", peersDir(), "where bench/peers/install.sh has put the engines")
	flag.BoolVar(
		&s.cpu, "cpu", false,
		"measure the CPU time of this process where no other one is involved: for a machine that is not idle",
	)
	flag.StringVar(&s.wasm, "wasm", "", "table compile: a .wasm file to compile, beside what is generated")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: peers [flags] TABLE…\ntables: %s\n", strings.Join(names, ", "))
		flag.PrintDefaults()
	}
	flag.Parse()
	if *only != "" {
		s.only = strings.Split(*only, ",")
	}
	if flag.NArg() == 0 || s.runs < 1 {
		flag.Usage()
		os.Exit(2)
	}
	fmt.Printf(
		"%s, %s/%s, %d CPUs, medians of %d runs that take turns\n", runtime.Version(), runtime.GOOS,
		runtime.GOARCH, runtime.NumCPU(), s.runs,
	)
	for _, name := range flag.Args() {
		i := slices.Index(names, name)
		if i < 0 {
			fmt.Fprintf(os.Stderr, "peers: there is no table %s\n", name)
			os.Exit(2)
		}
		fmt.Println()
		if err := tables()[i].run(&s); err != nil {
			fmt.Fprintf(os.Stderr, "peers: %s: %v\n", name, err)
			os.Exit(1)
		}
	}
}

// peersDir returns the directory that install.sh uses by default.
func peersDir() string {
	if d := os.Getenv("STACKSCOPE_PEERS"); d != "" {
		return d
	}
	if d := os.Getenv("XDG_CACHE_HOME"); d != "" {
		return filepath.Join(d, "stackscope-peers")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "stackscope-peers"
	}
	return filepath.Join(home, ".cache", "stackscope-peers")
}
