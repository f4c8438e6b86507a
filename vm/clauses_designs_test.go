package vm_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stackscope/vm"
	"stackscope/wasm"
)

// clauseLists is a random program: the tags of a module under the names by which another one
// imports them, some of them twice, and lists of clauses for these names, from the innermost
// instruction, or handle, outwards.
type clauseLists struct {
	imported []int // the tag that has a name, by name
	lists    [][]clauseFor
}

// clauseFor is a clause for a name. Some of cont are for switches.
type clauseFor struct {
	name    int
	forKind string // "", or " switch"
}

func randomClauses(rng *rand.Rand, switches bool) clauseLists {
	var c clauseLists
	tags := 1 + rng.IntN(30)
	for i := range tags {
		c.imported = append(c.imported, i)
	}
	for range 1 + rng.IntN(10) {
		c.imported = append(c.imported, rng.IntN(tags))
	}
	rng.Shuffle(len(c.imported), func(i, j int) { c.imported[i], c.imported[j] = c.imported[j], c.imported[i] })
	for range 2 {
		list := make([]clauseFor, []int{0, 1, 2, 4, 5, 6, 7, 20, 60}[rng.IntN(9)])
		for i := range list {
			list[i].name = rng.IntN(len(c.imported))
			if switches && rng.IntN(3) == 0 {
				list[i].forKind = " switch"
			}
		}
		c.lists = append(c.lists, list)
	}
	return c
}

// takes returns the first clause for the tag that has a name: its position, counted from the
// innermost on; -1 if there is none. It searches all of them.
func (c *clauseLists) takes(name int, kind string) int {
	n := 0
	for _, l := range c.lists {
		for _, x := range l {
			if x.forKind == kind && c.imported[x.name] == c.imported[name] {
				return n
			}
			n++
		}
	}
	return -1
}

// first returns where a list begins.
func (c *clauseLists) first(list int) (n int) {
	for _, l := range c.lists[:list] {
		n += len(l)
	}
	return n
}

// clauses writes the clauses of a list by a format of the name and the position.
func (c *clauseLists) clauses(list int, format string) string {
	var b strings.Builder
	for i, x := range c.lists[list] {
		if x.forKind != "" {
			fmt.Fprintf(&b, " (on $e%d%s)", x.name, x.forKind)
			continue
		}
		fmt.Fprintf(&b, format, x.name, c.first(list)+i)
	}
	return b.String()
}

// labels writes the blocks that the labels of a list lead out of, around a text that comes to the
// end of them all if nothing branches: each label does what a format of its position says.
func (c *clauseLists) labels(list int, result, format, inner string) string {
	for i := range c.lists[list] {
		at := c.first(list) + i
		inner = fmt.Sprintf("(block $skip%[1]d (block $l%[1]d %[2]s\n%[3]s (br $skip%[1]d))\n", at, result, inner) +
			fmt.Sprintf(format, at) + ")"
	}
	return inner
}

// send writes an instruction for each name, TAG in it, of which the global $k selects one.
func (c *clauseLists) send(instr string) string {
	text := "(br_table"
	for i := range c.imported {
		text += fmt.Sprintf(" $s%d", i)
	}
	text += " $s0 (global.get $k))"
	for i := range c.imported {
		text = fmt.Sprintf("(block $s%d %s)\n%s (return)", i, text, strings.ReplaceAll(instr, "TAG", fmt.Sprintf("$e%d", i)))
	}
	return text
}

// flat makes one list of all.
func (c *clauseLists) flat() *clauseLists {
	out := &clauseLists{imported: c.imported, lists: [][]clauseFor{nil}}
	for _, l := range c.lists {
		out.lists[0] = append(out.lists[0], l...)
	}
	return out
}

// resume writes a resume with the clauses of a list.
func (c *clauseLists) resume(list int, f string) string {
	return c.labels(
		list, "(result (ref $c))", "(drop) (global.set $taken (i32.const %d)) (return)",
		"(resume $c"+c.clauses(list, " (on $e%d $l%d)")+" (cont.new $c (ref.func "+f+")))",
	)
}

// take records a position and returns.
const take = "(global.set $taken (i32.const %d)) (return)"

// clauseProgram is a design's way to send an event to clauses: $body records in $taken the
// position of the clause that takes it, or traps, or records nothing.
type clauseProgram struct {
	name    string
	dialect wasm.Dialect
	kind    string // what it sends; in cont, where clauses may be for switches
	text    func(*clauseLists) string
}

var clausePrograms = []clauseProgram{
	{"resumes in each other", wasm.DialectCont, "", func(c *clauseLists) string {
		return `
		  (type $f (func)) (type $c (cont $f)) (elem declare func $gen $mid)
		  (func $gen ` + c.send("(suspend TAG)") + `)
		  (func $mid ` + c.resume(0, "$gen") + `)
		  (func $body ` + c.resume(1, "$mid") + `)`
	}},
	{"switches", wasm.DialectCont, " switch", func(c *clauseLists) string {
		return `
		  (type $f (func)) (type $c (cont $f)) (elem declare func $gen $mid $other)
		  (type $f2 (func (param (ref null $c)))) (type $c2 (cont $f2))
		  (func $other (param (ref null $c)) (global.set $taken (i32.const 0)))
		  (func $gen ` + c.send("(switch $c2 TAG (cont.new $c2 (ref.func $other)))") + `)
		  (func $mid ` + c.resume(0, "$gen") + `)
		  (func $body ` + c.resume(1, "$mid") + `)`
	}},
	{"labels", wasm.DialectFibersMount, "", func(c *clauseLists) string {
		c = c.flat()
		return `
		  (func $gen (param $me (ref fiber)) ` + c.send("(fiber.dismount TAG (local.get $me))") + `)
		  (func $body
		    (block $none ` + c.labels(0, "", take, "(fiber.mount $go"+c.clauses(0, " ($e%d $l%d)")+
			" ($ret $none) (fiber.new $ret ($go $gen)))") + `))`
	}},
	{"labels of mount_new", wasm.DialectFibersMount, "", func(c *clauseLists) string {
		c = c.flat()
		return `
		  (func $gen (param $me (ref fiber)) ` + c.send("(fiber.dismount TAG (local.get $me))") + `)
		  (func $body ` + c.labels(0, "(result (ref fiber))", "(drop) "+take,
			"(fiber.mount_new $ret $gen"+c.clauses(0, " ($e%d $l%d)")+") (drop)") + `)`
	}},
	{"entries", wasm.DialectFibersMount, "", func(c *clauseLists) string {
		c = c.flat()
		return c.clauses(0, "(func $f%[2]d (param (ref fiber)) (global.set $taken (i32.const %[2]d))) (; %[1]d ;)\n") + `
		  (func $body (local $f fiberref)
		    (local.set $f (fiber.new $ret` + c.clauses(0, " ($e%d $f%d)") + `))
		    (block $end ` + c.send("(fiber.mount TAG ($ret $end) (local.get $f))") + `))`
	}},
	{"handles in each other", wasm.DialectFibersHandle, "", func(c *clauseLists) string {
		return `
		  (type $g (fiber))
		  (func $gen (param $me (ref null $g)) ` + c.send("(fiber.suspend TAG (local.get $me))") + `)
		  (func $body
		    (handle $outer
		      (handle $inner
		        (fiber.spawn $gen)
		        ` + c.clauses(0, "(event $e%d "+take+")\n") + `)
		      ` + c.clauses(1, "(event $e%d "+take+")\n") + `))`
	}},
	{"events of a function", wasm.DialectFibersHandle, "", func(c *clauseLists) string {
		c = c.flat()
		return `
		  (type $g (fiber))
		  (func $f (param $me (ref null $g)) (unreachable)
		    ` + c.clauses(0, "(event $e%d "+take+")\n") + `)
		  (func $body (local $f (ref null $g))
		    (local.set $f (fiber.new $f))
		    ` + c.send("(fiber.resume TAG (local.get $f))") + `)`
	}},
	{"pairs of the parent", wasm.DialectTasks, "", func(c *clauseLists) string {
		c = c.flat()
		return `
		  (func $gen (param $me taskref)
		    (block $on (event.switch ($go $on)))
		    ` + c.send("(task.retire TAG (local.get $me))") + `)
		  (func $body
		    ` + c.labels(0, "", take, "(task.resume $go (task.new $gen)) (event.switch"+c.clauses(0, " ($e%d $l%d)")+")") + `)`
	}},
	{"pairs of a new task", wasm.DialectTasks, "", func(c *clauseLists) string {
		c = c.flat()
		text := "(event.switch" + c.clauses(0, " ($e%d $l%d)") + ")"
		for i := range c.lists[0] {
			text = fmt.Sprintf(
				"(block $l%[1]d %[2]s)\n(global.set $taken (i32.const %[1]d)) (task.retire $ret (local.get $me))", i, text,
			)
		}
		return `
		  (func $gen (param $me taskref) ` + text + `)
		  (func $body (local $t taskref)
		    (local.set $t (task.new $gen))
		    (block $end ` + c.send("(task.resume TAG (local.get $t)) (event.switch ($ret $end))") + `))`
	}},
}

// The clause that takes an event is the one that a search through all clauses in scope finds, in
// each design and form, be they few or many: the first for its tag, by whatever name.
func TestClauseLists(t *testing.T) {
	for _, p := range clausePrograms {
		t.Run(p.dialect.String()+"/"+p.name, func(t *testing.T) {
			for seed := range uint64(10) {
				c := randomClauses(rand.New(rand.NewPCG(seed, 7)), p.dialect == wasm.DialectCont)
				for form, o := range forms {
					testClauses(t, &p, &c, form, o)
				}
			}
		})
	}
}

func testClauses(t *testing.T, p *clauseProgram, c *clauseLists, form string, o vm.Options) {
	tags := "(module"
	for i := range slices.Max(c.imported) + 1 {
		tags += fmt.Sprintf(` (tag (export "%d"))`, i)
	}
	text := ""
	for i, x := range c.imported {
		text += fmt.Sprintf(`(import "m0" "%d" (tag $e%d))`+"\n", x, i)
	}
	text += `(tag $go) (tag $ret) (global $k (mut i32) (i32.const 0)) (global $taken (mut i32) (i32.const -1))` +
		p.text(c) + `
	  (func (export "run") (param i32)
	    (global.set $k (local.get 0)) (global.set $taken (i32.const -1)) (call $body))
	  (func (export "taken") (result i32) (global.get $taken))`
	m := vm.New(o)
	m.SetStepping(form == "stepping")
	if form == "observed" {
		m.SetObserver(func(*vm.Event) {})
	}
	in := texts(t, m, nil, tags+")", "(module (@stack-switching \""+p.dialect.String()+"\")\n"+text+")")[1]
	for name := range c.imported {
		_, err := in.Invoke(context.Background(), "run", vm.I32(int32(name)))
		r, err2 := in.Invoke(context.Background(), "taken")
		if err2 != nil {
			t.Fatal(err2)
		}
		got, want := int(r[0].I32()), c.takes(name, p.kind)
		if p.kind != "" {
			want = min(want, 0) // only whether there is one
		}
		if got != want {
			t.Fatalf("%s: the clause for $e%d is %d, not %d (%v)\n%s", form, name, got, want, err, text)
		}
		if none := err == nil || strings.Contains(err.Error(), "unhandled"); !none || want >= 0 && err != nil {
			t.Fatalf("%s: $e%d: %v", form, name, err)
		}
	}
}
