package lsp

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/internal/testing/cputime"
	"stackscope/internal/testing/mutate"
	"stackscope/internal/testing/suite"
)

// mostTime is what a request about a text of 1 MB may take of a processor.
const mostTime = time.Second

// pool has the seeds of mutated texts: the commands and modules of the suites, the examples and the
// texts of the dialects.
func pool(t testing.TB) *mutate.Pool {
	files := append(suite.Files(t), exampleFiles(t)...)
	files = append(files, suite.Own(t, "dialects/*/*.wast", "annotations/*.wast")...)
	var seeds []string
	for _, f := range files {
		raw := suite.Text(t, f)
		if len(raw) <= 3000 {
			seeds = append(seeds, raw)
		}
		if len(raw) > 200_000 {
			continue // they repeat themselves
		}
		commands := 0
		for _, part := range mutate.Parts(raw) {
			if !strings.HasPrefix(part, "(module") && !strings.HasPrefix(part, "(assert_invalid") {
				if commands++; commands > 10 {
					continue
				}
			}
			if len(part) <= 3000 {
				seeds = append(seeds, part)
			}
		}
	}
	return mutate.NewPool(seeds)
}

// longRun returns the number of STACKSCOPE_LONG, 0 if it is not set.
func longRun(t testing.TB) int {
	s := os.Getenv("STACKSCOPE_LONG")
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// fixedSeed returns STACKSCOPE_SEED, by default 1.
func fixedSeed(t testing.TB) uint64 {
	s := os.Getenv("STACKSCOPE_SEED")
	if s == "" {
		return 1
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// mutation is a run over mutated texts.
type mutation struct {
	t     testing.TB
	pool  *mutate.Pool
	seed  uint64
	texts int // so far
	bytes int
	bad   int
	limit time.Duration // for a request
}

var encodingKinds = []protocol.PositionEncodingKind{
	protocol.PositionEncodingKindUTF16, protocol.PositionEncodingKindUTF8, protocol.PositionEncodingKindUTF32,
}

// group sends the texts of a group: one is opened, and others are made of it.
func (m *mutation) group(d *direct, group uint64) {
	r := rand.New(rand.NewPCG(m.seed, group))
	steps, large := 8, 0
	name := "seeds"
	var text string
	if r.IntN(10) == 0 {
		steps = 2
		switch n := r.IntN(1000); {
		case n < 850:
			large = 4<<10 + r.IntN(28<<10)
		case n < 990:
			large = 32<<10 + r.IntN(96<<10)
		default:
			large = 128<<10 + r.IntN(896<<10)
		}
		s := mutate.Shapes[r.IntN(len(mutate.Shapes))]
		name = s.Name
		text = s.Text(m.pool, r, large)
	} else {
		text = m.pool.Small(r)
		for range r.IntN(3) {
			text = m.pool.Mutate(r, text)
		}
	}
	m.texts += steps
	m.run(d, r, fmt.Sprintf("group %d of seed %d (%s)", group, m.seed, name), text, steps)
}

// run opens a text and changes it. what says which.
func (m *mutation) run(d *direct, r *rand.Rand, what, text string, steps int) {
	ext := ".wat"
	if strings.Contains(text, "(assert_") || r.IntN(8) == 0 {
		ext = ".wast"
	}
	d.rnd = rand.New(rand.NewPCG(r.Uint64(), 1))
	step := 0
	d.failed = func(kind string, err any) {
		if m.bad++; m.bad <= 40 {
			m.t.Errorf("%s, step %d, %d bytes: %s: %v", what, step, len(text), kind, err)
		}
	}
	for ; step < steps; step++ {
		if step == 0 {
			d.open(uri.URI("file:///mutated/a"+ext), text)
		} else {
			for n := 1 + r.IntN(3); n > 0; n-- {
				text = m.pool.Mutate(r, text)
			}
			if len(text) > 1<<20 {
				text = text[:1<<20]
			}
			d.change(text)
		}
		m.bytes += len(text)
		d.marshal = len(text) > 16<<10 || r.IntN(16) == 0
		d.all()
		for kind, c := range d.costs {
			if c.where == "" {
				c.where = fmt.Sprintf("%s, step %d, %d bytes", what, step, len(text))
				if c.most > m.limit && len(text) <= 1<<20 && !raceDetector {
					d.failed(kind, fmt.Sprintf("%v of a processor", c.most))
				}
			}
		}
	}
	d.close()
}

// report writes the slowest request of each kind.
func (m *mutation) report(costs map[string]*cost) string {
	var b strings.Builder
	kinds := make([]string, 0, len(costs))
	for k := range costs {
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b string) int { return cmp.Compare(costs[b].most, costs[a].most) })
	for _, k := range kinds {
		c := costs[k]
		fmt.Fprintf(
			&b, "%-26s %9d requests, mean %8v, most %8v: %s\n", k, c.n,
			(c.total / time.Duration(max(1, c.n))).Round(time.Microsecond), c.most.Round(time.Microsecond),
			c.where,
		)
	}
	return b.String()
}

// TestMutatedTexts sends mutated texts through all requests: none ends in an internal error, none
// takes more than a second of a processor. STACKSCOPE_LONG is the number of texts, STACKSCOPE_SEED
// the seed, and STACKSCOPE_GROUP the only group to run.
func TestMutatedTexts(t *testing.T) {
	m := &mutation{t: t, pool: pool(t), seed: fixedSeed(t), limit: mostTime}
	d := newDirect(t, encodingKinds[0])
	ds := []*direct{d}
	for _, k := range encodingKinds[1:] {
		x := newDirect(t, k)
		x.costs = d.costs
		ds = append(ds, x)
	}
	if s := os.Getenv("STACKSCOPE_GROUP"); s != "" {
		g, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		m.group(ds[g%3], g)
		t.Log("\n" + m.report(d.costs))
		return
	}
	n := longRun(t)
	if n == 0 {
		n = 400
	}
	start, next := time.Now(), 20_000
	for g := uint64(0); m.texts < n; g++ {
		m.group(ds[g%3], g)
		if m.texts >= next {
			next += 20_000
			fmt.Fprintf(
				os.Stderr, "%d texts, %d MB, %d bad, %v, %v of a processor\n%s\n", m.texts, m.bytes>>20, m.bad,
				time.Since(start).Round(time.Second), cputime.Used().Round(time.Second), m.report(d.costs),
			)
		}
	}
	t.Logf("%d texts of %d seeds, %d bytes, %d bad\n%s", m.texts, m.pool.Len(), m.bytes, m.bad, m.report(d.costs))
}

// TestShapes sends a text of each shape through all requests: a small one, or with STACKSCOPE_LONG
// one of so many bytes. None takes more than a second of a processor at 1 MB, and of smaller texts
// in proportion, with room for a collection of garbage and other tests.
func TestShapes(t *testing.T) {
	m := &mutation{t: t, pool: pool(t), seed: fixedSeed(t)}
	size, steps := 8<<10, 2
	if n := longRun(t); n > 0 {
		size = min(n, 1<<20-256)
	}
	m.limit = min(mostTime, time.Duration(size)*mostTime>>20+150*time.Millisecond)
	d := newDirect(t, encodingKinds[0])
	total := d.costs
	for i, s := range mutate.Shapes {
		if only := os.Getenv("STACKSCOPE_SHAPE"); only != "" && only != s.Name {
			continue
		}
		d.costs = map[string]*cost{}
		r := rand.New(rand.NewPCG(m.seed, uint64(i)))
		m.run(d, r, s.Name, s.Text(m.pool, r, size), steps)
		for k, c := range d.costs {
			if longRun(t) > 0 && c.most > mostTime/5 {
				t.Logf("%-30s %-26s %8v (%s)", s.Name, k, c.most.Round(time.Millisecond), c.where)
			}
			if total[k] == nil || total[k].most < c.most {
				total[k] = c
			}
		}
	}
	t.Log("\n" + m.report(total))
}
