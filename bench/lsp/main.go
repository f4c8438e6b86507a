// Command lsp measures language servers side by side: this product's and a peer's, on the same
// generated texts, session by session in one run. It prints a table for each text.
//
//	go run ./bench/lsp -ours "bin/wasm-ls serve" -peer wat_server
//
// A figure is the time from sending the first message of the work (didOpen, didChange, or the
// request) to the last byte of the last answer, before JSON decoding; beside it stands the
// processor time that the server spent meanwhile, where the system reports it. Every session is a
// new process.
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"stackscope/internal/testing/genwat"
)

func main() {
	ours := flag.String("ours", "bin/wasm-ls serve", "`command` of this product's server")
	peer := flag.String(
		"peer", "wat_server",
		"`command` of the peer's server (cargo install wat_server --version 0.11.0); empty: measure ours alone",
	)
	sizes := flag.String("bytes", "1000000,10000000", "`sizes` of the texts, with commas")
	stacks := flag.String("stacks", "no,yes", "texts with stack switching: no, yes, or no,yes")
	n := flag.Int("n", 10, "sessions of ours for each text")
	peerN := flag.Int("peer-n", 10, "sessions of the peer for each text")
	rounds := flag.Int("rounds", 5, "rounds of edits and questions in a session of ours")
	peerRounds := flag.Int("peer-rounds", 1, "rounds in a session of the peer, which takes seconds for each at 10 MB")
	limit := flag.Duration("limit", time.Minute, "the `time` after which an answer is given up, and its server ended")
	only := flag.String("only", "", "measure only works whose name contains this `text` (cold open is always measured)")
	flag.Parse()
	for _, size := range strings.Split(*sizes, ",") {
		bytes, err := strconv.Atoi(strings.TrimSpace(size))
		if err != nil || bytes <= 0 {
			fmt.Fprintf(os.Stderr, "-bytes: %q is no size\n", size)
			os.Exit(2)
		}
		for _, st := range strings.Split(*stacks, ",") {
			if st != "yes" && st != "no" {
				fmt.Fprintf(os.Stderr, "-stacks: %q is neither yes nor no\n", st)
				os.Exit(2)
			}
			text := genwat.Text(genwat.Options{Bytes: bytes, Seed: 1, Stacks: st == "yes"})
			sides := []*side{
				{name: "ours", command: strings.Fields(*ours), sessions: *n, rounds: *rounds, limit: *limit,
					only: *only},
				{name: "peer", command: strings.Fields(*peer), sessions: *peerN, rounds: *peerRounds, limit: *limit,
					only: *only},
			}
			if *peer == "" {
				sides = sides[:1]
			}
			if !measure(text, sides) {
				os.Exit(1)
			}
			table(os.Stdout, fmt.Sprintf("%d bytes, stack switching: %s", len(text), st), text, sides)
		}
	}
}

// measure runs the sessions of the sides turn by turn. A session of ours that fails for another
// reason than its time limit ends the run; a peer that fails has no more sessions.
func measure(text string, sides []*side) bool {
	for i := 0; ; i++ {
		more := false
		for _, s := range sides {
			if i >= s.sessions || s.ended != "" {
				continue
			}
			more = true
			err := s.session(text)
			if err == nil {
				continue
			}
			fmt.Fprintf(os.Stderr, "%s, session %d: %v\n", s.name, i+1, err)
			if s != sides[0] {
				s.ended = "failed" // the peer's failures are its own; the table shows them
				continue
			}
			return false
		}
		if !more {
			return true
		}
	}
}
