package difftest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/vm"
	"stackscope/wasm"
)

// partners makes random programs of a function that makes a fiber or task, and of that fiber's: both
// send and take any of a few events, so most of the programs trap sooner or later.
type partners struct {
	r *rand.Rand
	b strings.Builder
}

const partnerEvents = 4

func (g *partners) event() string { return "$e" + strconv.Itoa(g.r.IntN(partnerEvents)) }

// clauses writes clauses for some events, each to one of some labels.
func (g *partners) clauses(format string, labels ...string) string {
	var s []string
	for k := range partnerEvents {
		if g.r.IntN(3) > 0 {
			s = append(s, fmt.Sprintf(format, "$e"+strconv.Itoa(k), labels[g.r.IntN(len(labels))]))
		}
	}
	g.r.Shuffle(len(s), func(i, k int) { s[i], s[k] = s[k], s[i] })
	if len(s) == 0 {
		s = append(s, fmt.Sprintf(format, "$e0", labels[0]))
	}
	return strings.Join(s, " ")
}

// steps writes some steps, in loops and under conditions.
func (g *partners) steps(depth int, step func(n int) string) {
	for n := range 1 + g.r.IntN(3) {
		switch k := g.r.IntN(8); {
		case k == 0 && depth < 2:
			fmt.Fprintf(&g.b, "(if (i32.and (local.get $x) (i32.const %d)) (then\n", 1<<g.r.IntN(3))
			g.steps(depth+1, step)
			g.b.WriteString("))\n")
		case k == 1 && depth < 2:
			fmt.Fprintf(&g.b, "(loop $again%d\n", depth)
			g.steps(depth+1, step)
			fmt.Fprintf(&g.b, "(local.set $x (i32.shr_u (local.get $x) (i32.const 1)))\n(br_if $again%d (local.get $x)))\n", depth)
		default:
			g.b.WriteString(step(n) + "\n")
		}
	}
}

// local chooses one of the two locals of the maker that hold stacks.
func (g *partners) local() string { return []string{"$t", "$t", "$u"}[g.r.IntN(3)] }

// called writes a step of the stack itself: seldom a call of the function that makes one, or an
// exception.
func (g *partners) called(me string, throws bool, step func() string) string {
	switch k := g.r.IntN(12); {
	case k < 2:
		return "(call $h " + me + ")"
	case k == 2 && throws:
		return "(throw $oops)"
	}
	return step()
}

// caught writes a step of the maker, seldom with a handler for the exception around it, or another
// stack in the local.
func (g *partners) caught(make string, step func() string) string {
	switch g.r.IntN(12) {
	case 0:
		return make
	case 1, 2:
		return "(block $c (try_table (catch $oops $c) " + step() + "))"
	}
	return step()
}

// module writes a module in one of the designs whose events go to a named stack.
func (g *partners) module(d wasm.Dialect) string {
	g.b.Reset()
	fmt.Fprintf(&g.b, "(module (@stack-switching %q)\n", d)
	for k := range partnerEvents {
		fmt.Fprintf(&g.b, "(tag $e%d)\n", k)
	}
	g.b.WriteString("(tag $oops)\n")
	switch d {
	case wasm.DialectTasks:
		g.tasks()
	case wasm.DialectFibersHandle:
		g.handle()
	default:
		g.mount()
	}
	g.b.WriteString(")\n")
	return g.b.String()
}

func (g *partners) tasks() {
	suspend := func() string {
		return fmt.Sprintf("(block $l (task.suspend %s (local.get $me)) (event.switch %s))", g.event(),
			g.clauses("(%s %s)", "$l", "$l", "$end"))
	}
	fmt.Fprintf(&g.b, "(func $h (param $me taskref) (block $end %s))\n", suspend())
	fmt.Fprintf(&g.b, "(func $f (param $me taskref) (param $x i32)\n(block $end\n(block $begin (event.switch %s))\n",
		g.clauses("(%s %s)", "$begin", "$begin", "$end"))
	g.steps(0, func(int) string { return g.called("(local.get $me)", false, suspend) })
	fmt.Fprintf(&g.b, ")\n(task.retire %s (local.get $me)))\n", g.event())
	const make = "(local.set $t (task.new $f (local.get $x)))"
	g.b.WriteString("(func (export \"run\") (param $x i32) (local $t taskref) (local $u taskref)\n(block $end\n" + make +
		"(local.set $u (task.new $f (local.get $x)))\n")
	g.steps(0, func(int) string {
		if g.r.IntN(20) == 0 {
			return "(task.release (local.get " + g.local() + "))"
		}
		return g.caught(make, func() string {
			return fmt.Sprintf("(block $l (task.resume %s (local.get %s)) (event.switch %s))", g.event(), g.local(),
				g.clauses("(%s %s)", "$l", "$l", "$end"))
		})
	})
	g.b.WriteString("))\n")
}

func (g *partners) handle() {
	suspend := func() string {
		return fmt.Sprintf("(handle (fiber.suspend %s (local.get $me)) %s)", g.event(),
			g.clauses("(event %s %s)", "", "", "(return)"))
	}
	g.b.WriteString("(type $ft (fiber))\n(func $h (param $me (ref $ft)) " + suspend() + ")\n" +
		"(func $f (param $me (ref $ft)) (param $x i32)\n(event $e0\n")
	g.steps(0, func(int) string { return g.called("(local.get $me)", true, suspend) })
	if g.r.IntN(2) == 0 {
		fmt.Fprintf(&g.b, "(fiber.retire %s (local.get $me))", g.event())
	}
	g.b.WriteString(")\n")
	if g.r.IntN(2) == 0 {
		g.b.WriteString("(event $e1)")
	}
	const make = "(local.set $t (fiber.new $f (local.get $x)))"
	g.b.WriteString(")\n(func (export \"run\") (param $x i32) (local $t (ref null $ft)) (local $u (ref null $ft))\n" +
		make + "(local.set $u (fiber.new $f (local.get $x)))\n")
	g.steps(0, func(int) string {
		if g.r.IntN(20) == 0 {
			return "(fiber.release (local.get " + g.local() + "))"
		}
		return g.caught(make, func() string {
			return fmt.Sprintf("(handle (fiber.resume %s (local.get %s)) %s)", g.event(), g.local(),
				g.clauses("(event %s %s)", "", "", "(return)"))
		})
	})
	g.b.WriteString(")\n")
}

func (g *partners) mount() {
	falls := func() string {
		if g.r.IntN(2) == 0 {
			return "(unreachable)"
		}
		return ""
	}
	dismount := func() string {
		return fmt.Sprintf("(block $l (fiber.dismount $e%d %s (local.get $me)) %s)", g.r.IntN(partnerEvents-1),
			g.clauses("(%s %s)", "$l", "$l", "$end"), falls())
	}
	g.b.WriteString("(func $h (param $me (ref fiber)) (block $end " + dismount() + "))\n" +
		"(func $f (param $x i32) (param $me (ref fiber))\n(block $end\n")
	g.steps(0, func(int) string { return g.called("(local.get $me)", true, dismount) })
	g.b.WriteString("))\n(func $g (param $x i32) (param $me (ref fiber)))\n")
	make := "(local.set $t (fiber.new $e3 " + g.clauses("(%s %s)", "$f", "$f", "$g") + " (local.get $x)))"
	g.b.WriteString("(func (export \"run\") (param $x i32) (local $t (ref null fiber)) (local $u (ref null fiber))\n" +
		"(block $end\n" + make + "(local.set $u (fiber.new $e3 ($e0 $f) (local.get $x)))\n")
	g.steps(0, func(int) string {
		if g.r.IntN(20) == 0 {
			return "(fiber.release (local.get " + g.local() + "))"
		}
		return g.caught(make, func() string {
			return fmt.Sprintf("(block $l (fiber.mount %s %s (local.get %s)) %s)", g.event(),
				g.clauses("(%s %s)", "$l", "$l", "$end"), g.local(), falls())
		})
	})
	g.b.WriteString("))\n")
}

// TestJudgedPartners runs random partners: after an instruction that is reported nothing goes on,
// and what traps for an event or an end is reported in many of the programs.
func TestJudgedPartners(t *testing.T) {
	n := 150
	if s := os.Getenv("STACKSCOPE_LONG"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	ended := 0
	for _, d := range wasm.Dialects() {
		if !d.Info().Events {
			continue
		}
		hits, traps, trapsSaid := 0, 0, 0
		said := map[diag.Code]int{}
		for seed := range uint64(n) {
			g := &partners{r: rand.New(rand.NewPCG(seed, 0xd1a))}
			src := g.module(d)
			s := analysis.Open(source.NewFile("random.wat", src), analysis.Options{})
			mod, ok := s.Modules()[0].Lower()
			if !ok {
				t.Fatalf("%s, seed %d: %v\n%s", d, seed, s.Diagnostics(), src)
			}
			reported := false
			for _, x := range s.Diagnostics() {
				said[x.Code]++
				reported = reported || x.Code == diag.EventNotTaken || x.Code == diag.EndedUse
			}
			for x := range uint64(8) {
				w := newWatcher(t, fmt.Sprintf("%s, seed %d, %d", d, seed, x))
				m := vm.New(vm.Options{})
				inst, err := m.Instantiate(t.Context(), mod, "random", nil)
				if err != nil {
					t.Fatal(err)
				}
				w.module(inst, s.Modules()[0])
				w.watch(m)
				_, err = m.Call(t.Context(), inst.Export("run").(*vm.Func), vm.Value{Type: wasm.I32, Lo: x})
				var trap *vm.Trap
				if errors.As(err, &trap) {
					traps++
					if reported {
						trapsSaid++
					}
				}
				hits += w.traps
				if t.Failed() {
					t.Fatalf("%s", src)
				}
			}
		}
		t.Logf("%s: %d traps, %d of them in programs where something is reported; %d reported instructions ran; %v",
			d, traps, trapsSaid, hits, said)
		ended += said[diag.EndedUse]
		if hits < n/4 || said[diag.EventNotTaken] < n/10 {
			t.Errorf("%s: too little is reported: %v, and %d ran", d, said, hits)
		}
	}
	if ended == 0 {
		t.Errorf("no use after an end was reported")
	}
}
