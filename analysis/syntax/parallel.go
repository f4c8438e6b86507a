package syntax

import (
	"runtime"
	"strings"

	"stackscope/analysis/source"
)

// chunkBytes is the least text that is worth a goroutine of its own.
const chunkBytes = 1 << 19

// parse makes the units of a text. A long text is parsed in several places at once: each goroutine
// begins where a unit of a module seems to begin. Where the units before it really end there, and
// leave the parser in the state it guessed, its units are taken; else they are dropped.
func parse(f *source.File, chunks int) *Tree {
	t := &Tree{Src: f}
	guess := guesses(f.Text, chunks)
	var parts []chan chunk
	for i, g := range guess {
		part := make(chan chunk, 1)
		parts = append(parts, part)
		end := len(f.Text)
		if i+1 < len(guess) {
			end = guess[i+1]
		}
		go func() {
			c := chunk{}
			c.run(f.Text, g, end, guessed)
			part <- c
		}()
	}
	at, st := 0, state{}
	for {
		end := len(f.Text)
		for len(guess) > 0 && guess[0] < at {
			guess, parts = guess[1:], parts[1:]
		}
		if len(guess) > 0 {
			end = guess[0]
			if at == end && st == guessed && (len(t.Units) == 0 || !t.Units[len(t.Units)-1].dirty) {
				c := <-parts[0]
				t.Units = append(t.Units, c.units...)
				at, st = c.at, c.st
				if c.done {
					return t
				}
				continue
			}
		}
		c := chunk{units: t.Units}
		c.dirty = len(t.Units) > 0 && t.Units[len(t.Units)-1].dirty
		c.run(f.Text, at, max(end, at+1), st)
		t.Units, at, st = c.units, c.at, c.st
		if c.done {
			return t
		}
	}
}

// guessed is the state that goroutines are begun in: in a module that has its own parentheses.
var guessed = state{mode: modeScript, place: inModule}

// chunk is a run of units.
type chunk struct {
	units []Placed
	at    int // where the parser stopped, and in which state
	st    state
	done  bool // the UnitEnd is among the units
	dirty bool // there is an error right before
}

// run parses from an offset to the first end of a unit at or after end.
func (c *chunk) run(text string, at, end int, st state) {
	if c.units == nil {
		c.units = make([]Placed, 0, 16+(end-at)/256)
	}
	p := newParser(text, at, st)
	p.dirty = c.dirty
	for !c.done && (p.start < end || end >= len(text)) {
		off := p.start
		u := p.unit()
		c.units = append(c.units, Placed{off, u})
		c.done = u.Kind == UnitEnd
	}
	c.at, c.st = p.start, p.st
}

// guesses returns offsets at which a unit of a module seems to begin, in order, to divide the text
// into chunks.
func guesses(text string, chunks int) (out []int) {
	for k := 1; k < chunks; k++ {
		from := len(text) / chunks * k
		to := min(from+chunkBytes/4, len(text))
		for from < to {
			nl := strings.IndexByte(text[from:to], '\n')
			if nl < 0 {
				break
			}
			from += nl + 1
			if o := boundary(text, from); o > 0 && (len(out) == 0 || o > out[len(out)-1]) {
				out = append(out, o)
				break
			}
		}
	}
	return
}

// boundary returns the end of the last token before the line that begins at i, if that line seems
// to begin a module field after another; else 0.
func boundary(text string, i int) int {
	line := strings.TrimLeft(text[i:min(len(text), i+64)], " \t")
	if !hasPrefix(line, "(func ") && !hasPrefix(line, "(func\n") && !hasPrefix(line, "(export ") &&
		!hasPrefix(line, "(type ") &&
		!hasPrefix(line, "(data ") &&
		!hasPrefix(line, "(global ") {
		return 0
	}
	for i > 0 {
		end := i - 1 // the line before
		i = strings.LastIndexByte(text[:end], '\n') + 1
		line := strings.TrimSpace(text[i:end])
		switch {
		case line == "", hasPrefix(line, ";;"):
		case line[len(line)-1] == ')' && !strings.Contains(line, ";"):
			return i + strings.LastIndexByte(text[i:end], ')') + 1
		default:
			return 0
		}
	}
	return 0
}

// chunksOf reports into how many chunks to divide a text.
func chunksOf(text string) int {
	return min(runtime.GOMAXPROCS(0), len(text)/chunkBytes, 16)
}
