// Command lsp measures language servers side by side: this product's and a peer's, on the same
// generated text, turn by turn in one run. It prints medians and their ratio.
//
//	go run ./bench/lsp -peer wat_server -ours bin/wasm-ls -bytes 10000000 -n 10
//
// A figure is the time from sending the notification (didOpen, didChange) to the last byte of the
// answer to the request behind it, before JSON decoding. Each cold run starts a new process.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"stackscope/internal/genwat"
)

func main() {
	ours := flag.String("ours", "bin/wasm-ls serve", "command of this product's server")
	peer := flag.String("peer", "wat_server", "command of the peer's server (cargo install wat_server --version 0.11.0)")
	bytes := flag.Int("bytes", 10_000_000, "size of the text")
	n := flag.Int("n", 10, "runs a side")
	edits := flag.Int("edits", 10, "edits in each run, for the figures after an edit")
	stacks := flag.Bool("stacks", false, "text with stack switching")
	flag.Parse()
	text := genwat.Text(genwat.Options{Bytes: *bytes, Seed: 1, Stacks: *stacks})
	fmt.Printf("# %d bytes, %d runs a side, stack switching: %v\n", len(text), *n, *stacks)
	sides := []side{{name: "peer", command: strings.Fields(*peer)}, {name: "ours", command: strings.Fields(*ours)}}
	for i := range *n {
		for k := range sides {
			if err := sides[k].run(text, *edits); err != nil {
				fmt.Fprintf(os.Stderr, "%s, run %d: %v\n", sides[k].name, i+1, err)
				os.Exit(1)
			}
		}
	}
	fmt.Printf("%-34s %12s %12s %8s\n", "work", "peer", "ours", "ratio")
	for _, w := range works {
		if len(sides[0].got[w.name]) == 0 { // without edits
			continue
		}
		p, o := median(sides[0].got[w.name]), median(sides[1].got[w.name])
		fmt.Printf("%-34s %12s %12s %8.3f   (ours %s … %s, peer %s … %s)\n", w.name, w.show(p), w.show(o), o/p,
			w.show(slices.Min(sides[1].got[w.name])), w.show(slices.Max(sides[1].got[w.name])), w.show(slices.Min(sides[0].got[w.name])), w.show(slices.Max(sides[0].got[w.name])))
	}
}

func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	if len(v)%2 == 1 {
		return v[len(v)/2]
	}
	return (v[len(v)/2-1] + v[len(v)/2]) / 2
}

type work struct {
	name string
	unit string
}

func (w work) show(v float64) string {
	if w.unit == "MB" {
		return fmt.Sprintf("%.0f MB", v/1e6)
	}
	return fmt.Sprintf("%.1f ms", v*1e3)
}

// The works, in the order of the table.
var works = []work{
	{"cold open → diagnostics", "s"},
	{"edit → diagnostics", "s"},
	{"type ( → diagnostics", "s"},
	{"edit → hover", "s"},
	{"edit → definition", "s"},
	{"edit → completion", "s"},
	{"edit → semantic tokens (full)", "s"},
	{"resident memory after the run", "MB"},
}

type side struct {
	name    string
	command []string
	got     map[string][]float64
}

func (s *side) note(name string, d time.Duration) { s.value(name, d.Seconds()) }

func (s *side) value(name string, v float64) {
	if s.got == nil {
		s.got = map[string][]float64{}
	}
	s.got[name] = append(s.got[name], v)
}

const uri = "file:///bench.wat"

type dict = map[string]any

// lints switches off the peer's lints, its best case: several are quadratic in the size of the text.
var lints = dict{"shadow": "allow", "unused": "allow", "unread": "allow", "unreachable": "allow", "implicitModule": "allow", "multiModules": "allow",
	"deprecated": "allow", "needlessMut": "allow", "needlessTryTable": "allow", "uselessCatch": "allow", "omittedIdxInInstr": "allow"}

func (s *side) run(text string, edits int) error {
	cmd := exec.Command(s.command[0], s.command[1:]...)
	c, err := start(cmd)
	if err != nil {
		return err
	}
	defer c.stop()
	if _, err := c.call("initialize", dict{
		"processId": nil, "rootUri": nil, "initializationOptions": dict{"lint": lints},
		"capabilities": dict{"general": dict{"positionEncodings": []string{"utf-16"}},
			"textDocument": dict{"diagnostic": dict{}, "synchronization": dict{}, "hover": dict{}, "completion": dict{}, "semanticTokens": dict{"requests": dict{"full": true}, "tokenTypes": []string{}, "tokenModifiers": []string{}, "formats": []string{"relative"}}}},
	}); err != nil {
		return err
	}
	if err := c.notify("initialized", dict{}); err != nil {
		return err
	}
	doc := dict{"uri": uri}
	diagnostics := func() error { _, err := c.call("textDocument/diagnostic", dict{"textDocument": doc}); return err }
	t := time.Now()
	if err := c.notify("textDocument/didOpen", dict{"textDocument": dict{"uri": uri, "languageId": "wat", "version": 1, "text": text}}); err != nil {
		return err
	}
	if err := diagnostics(); err != nil {
		return err
	}
	s.note("cold open → diagnostics", time.Since(t))

	// A constant in the middle of the text: its last digit is what is edited.
	mid := len(text)/2 + strings.Index(text[len(text)/2:], "(i32.const ")
	digit := mid + strings.IndexByte(text[mid:], ')')
	line := strings.Count(text[:digit], "\n")
	col := digit - strings.LastIndexByte(text[:digit], '\n') - 1
	version := 1
	change := func(from, to int, with string) error {
		version++
		return c.notify("textDocument/didChange", dict{"textDocument": dict{"uri": uri, "version": version}, "contentChanges": []dict{{
			"range": dict{"start": dict{"line": line, "character": from}, "end": dict{"line": line, "character": to}}, "text": with}}})
	}
	at := dict{"textDocument": doc, "position": dict{"line": line, "character": col - 2}}
	for i := range edits {
		for _, step := range []struct {
			name string
			do   func() error
		}{
			{"edit → diagnostics", diagnostics},
			{"edit → hover", func() error { _, err := c.call("textDocument/hover", at); return err }},
			{"edit → definition", func() error { _, err := c.call("textDocument/definition", at); return err }},
			{"edit → completion", func() error { _, err := c.call("textDocument/completion", at); return err }},
			{"edit → semantic tokens (full)", func() error {
				_, err := c.call("textDocument/semanticTokens/full", dict{"textDocument": doc})
				return err
			}},
		} {
			t := time.Now()
			if err := change(col-1, col, fmt.Sprint((i+version)%9+1)); err != nil {
				return err
			}
			if err := step.do(); err != nil {
				return fmt.Errorf("%s: %w", step.name, err)
			}
			s.note(step.name, time.Since(t))
		}
		// a parenthesis, and away with it
		for _, e := range []struct {
			to   int
			with string
		}{{col, "("}, {col + 1, ""}} {
			t := time.Now()
			if err := change(col, e.to, e.with); err != nil {
				return err
			}
			if err := diagnostics(); err != nil {
				return err
			}
			if e.with == "(" {
				s.note("type ( → diagnostics", time.Since(t))
			}
		}
	}
	s.value("resident memory after the run", float64(rss(cmd.Process.Pid)))
	return nil
}
