package mutate

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Shape is a kind of large text.
type Shape struct {
	Name string
	make func(g *shaper)
}

// Text returns a text of a shape, of about so many bytes.
func (s Shape) Text(p *Pool, r *rand.Rand, size int) string {
	g := &shaper{p: p, r: r, size: size}
	g.b.Grow(size + 256)
	s.make(g)
	return g.b.String()
}

type shaper struct {
	b    strings.Builder
	p    *Pool
	r    *rand.Rand
	size int
}

func (g *shaper) put(s string) { g.b.WriteString(s) }

// many repeats a unit as often as it fits; %d is replaced by the number of the unit.
func (g *shaper) many(format string) int {
	n := strings.Count(format, "%d")
	args := make([]any, n)
	i := 0
	for ; g.b.Len() < g.size; i++ {
		for k := range args {
			args[k] = i
		}
		fmt.Fprintf(&g.b, format, args...)
	}
	return i
}

// nest writes an opening as often as it and its closing fit, something inside, and the closings.
func (g *shaper) nest(open, inside, closing string) {
	n := max(1, (g.size-g.b.Len())/(len(open)+len(closing)))
	g.put(strings.Repeat(open, n))
	g.put(inside)
	g.put(strings.Repeat(closing, n))
}

func fields(head, unit, tail string) func(*shaper) {
	return func(g *shaper) {
		g.put(head)
		g.many(unit)
		g.put(tail)
	}
}

func nested(head, open, inside, closing, tail string) func(*shaper) {
	return func(g *shaper) {
		g.put(head)
		g.nest(open, inside, closing)
		g.put(tail)
	}
}

// repeated makes a list whose elements refer to earlier declarations.
func repeated(head, unit, middle, second, tail string) func(*shaper) {
	return func(g *shaper) {
		g.put(head)
		whole := g.size
		g.size /= 2
		g.many(unit)
		g.size = whole
		g.put(middle)
		g.many(second)
		g.put(tail)
	}
}

const (
	tasksHead = "(module (tag $go) (tag $it)\n"
	tasksTail = "(func (export \"x\") (drop (task.new $t))))"
)

const contHead = "(module (type $f (func)) (type $c (cont $f)) (tag $e) (tag $r (param i32) (result i32)) (func $g)\n"

// Shapes are the kinds of large texts.
var Shapes = []Shape{
	{"seeds", func(g *shaper) {
		for g.b.Len() < g.size {
			g.put(g.p.Seed(g.r) + "\n")
		}
	}},
	{"seeds on one line", func(g *shaper) {
		for g.b.Len() < g.size {
			if s := g.p.Seed(g.r); !strings.Contains(s, ";;") {
				g.put(strings.NewReplacer("\n", " ", "\r", " ").Replace(s) + " ")
			}
		}
	}},
	{
		"functions on one line",
		fields("(module ", "(func $f%d (param $x i32) (result i32) (i32.add (local.get $x) (i32.const %d))) ", ")"),
	},
	{"letters on one line", fields("(module ", "(func $é%d (export \"𝄞%d\") (result i64) (i64.const 1)) ", ")")},
	{"a flat function on one line", fields("(module (func ", "i32.const %d drop ", "))")},
	{"a flat function", fields("(module (func\n", "  i32.const %d\n  drop\n", "))")},
	{
		"a folded function",
		fields("(module (func (local $x i32)\n", "  (local.set $x (i32.add (local.get $x) (i32.const %d)))\n", "))"),
	},
	{"flat blocks", nested("(module (func\n", "block\n", "nop\n", "end\n", "))")},
	{"flat named blocks", nested("(module (func\n", "block $l\n", "br $l\n", "end $l\n", "))")},
	{"folded blocks", nested("(module (func ", "(block ", "nop", ")", "))")},
	{"named blocks on lines", nested("(module (func ", "(block $l\n", "(br $l)", ")\n", "))")},
	{"folded ifs", nested("(module (func ", "(if (i32.const 1) (then ", "nop", "))", "))")},
	{"open ifs", nested("(module (func ", "if ", "nop", "", "))")},
	{"nested operands", nested("(module (func (result i32) ", "(i32.add (i32.const 1) ", "(i32.const 2)", ")", "))")},
	{
		"nested resumes",
		nested(
			contHead+"(func (param (ref $c)) ",
			"(block $h (result (ref $c)) (resume $c (on $e $h) (local.get 0)) (return) ", "(unreachable)", ")",
			" (drop)))",
		),
	},
	{"nested try_tables", nested("(module (tag $e) (func ", "(block $h (try_table (catch $e $h) ", "nop", "))", "))")},
	{"nested tries", nested("(module (tag $e) (func ", "try ", "nop ", "catch $e end ", "))")},
	{"nested handles", nested("(module (type $t (fiber)) (tag $e) (func ", "(handle ", "nop", " (event $e))", "))")},
	{"parentheses", nested("", "(", "", ")", "")},
	{"open parentheses", nested("", "(", "", "", "")},
	{"closing parentheses", nested("(module)", ")", "", "", "")},
	{"open functions", fields("(module ", "(func (local.get $x", "")},
	{"nested modules", nested("", "(module ", "", ")", "")},
	{"nested recs", nested("(module ", "(rec ", "", ")", ")")},
	{"nested annotations", nested("(module ", "(@a ", "", ")", ")")},
	{"nested comments", nested("(module ", "(; ", "", " ;)", ")")},
	{"open comments", nested("(module ", "(; ", "", "", ")")},
	{"one comment", nested("(module (; ", "word ", "", "", ";))")},
	{"one comment of many lines", nested("(module (;", "word\n", "", "", ";))")},
	{"many comments", fields("(module\n", ";; comment %d https://example.org/%d\n", ")")},
	{"block comments on one line", fields("(module ", "(; %d ;) ", ")")},
	{"one string", nested("(module (memory 1) (data \"", "\\00a", "", "", "\"))")},
	{"many strings", nested("(module (memory 1) (data ", "\"\\00a\" ", "", "", "))")},
	{"one name", nested("(module (func $", "a", "", "", "))")},
	{"one number", nested("(module (func (drop (i32.const ", "9", "", "", "))))")},
	{"one float", nested("(module (func (drop (f64.const ", "9", ".5e3", "", "))))")},
	{"one word", nested("(module (func (", "a", "", "", ")))")},
	{"one annotation", nested("(module (@a ", "word ", "", "", "))")},
	{"many annotations", fields("(module ", "(@name \"x%d\") ", ")")},
	{"many functions", fields("(module\n", "(func)\n", ")")},
	{"functions without a module", fields("", "(func)\n", "")},
	{"many types", fields("(module\n", "(type (func (param i32)))\n", ")")},
	{"a group of types", fields("(module (rec\n", "(type $t%d (struct (field (ref null $t%d))))\n", "))")},
	{"a chain of types", fields("(module (type $t (sub (struct)))\n", "(type $t%d (sub $t (struct (field i32))))\n",
		")")},
	{"types of a chain", func(g *shaper) {
		g.put("(module (type $t0 (sub (struct)))\n")
		for i := 1; g.b.Len() < g.size; i++ {
			fmt.Fprintf(&g.b, "(type $t%d (sub $t%d (struct)))\n", i, i-1)
		}
		g.put(")")
	}},
	{"types that name the one before", func(g *shaper) {
		g.put("(module (type $t0 (func))\n")
		for i := 1; g.b.Len() < g.size; i++ {
			fmt.Fprintf(&g.b, "(type $t%d (func (param (ref $t%d) (ref $t%d))))\n", i, i-1, i-1)
		}
		g.put(")")
	}},
	{"continuations of the one before", func(g *shaper) {
		g.put("(module (type $t0 (func)) (type $c0 (cont $t0))\n")
		for i := 1; g.b.Len() < g.size; i++ {
			fmt.Fprintf(&g.b, "(type $t%d (func (param (ref null $c%d)))) (type $c%d (cont $t%d))\n", i, i-1, i, i)
		}
		g.put(")")
	}},
	{"inline types", func(g *shaper) {
		g.put("(module\n")
		for g.b.Len() < g.size {
			g.put("(func (param")
			for n := g.r.IntN(12); n >= 0; n-- {
				g.put([]string{" i32", " i64", " f32", " f64", " funcref"}[g.r.IntN(5)])
			}
			g.put("))\n")
		}
		g.put(")")
	}},
	{
		"implicit types that name implicit types",
		fields("(module\n", "(func (param (ref %d) (ref 0) (ref null 1)) (local.get 0))\n", ")"),
	},
	{
		"many fields",
		fields(
			"(module (type $s (struct ", "(field $f%d i32) ",
			")) (func (param (ref $s)) (drop (struct.get $s $f0 (local.get 0)))))",
		),
	},
	{"many parameters", fields("(module (func ", "(param $p%d i32) ", "))")},
	{"many parameters without names", fields("(module (func (param ", "i32 ", ")))")},
	{"many locals", fields("(module (func ", "(local $p%d i32) ", "(local.set $p0 (i32.const 1))))")},
	{"many globals", fields("(module\n", "(global $g%d (mut i32) (i32.const %d))\n", ")")},
	{"many exports", fields("(module (func $f)\n", "(export \"e%d\" (func $f))\n", ")")},
	{"the same export", fields("(module (func $f)\n", "(export \"e\" (func $f))\n", ")")},
	{"many imports", fields("(module\n", "(import \"m%d\" \"f\" (func $f%d))\n", ")")},
	{"many memories", fields("(module\n", "(memory 1) (data (i32.const 0) \"a\")\n", ")")},
	{"many segments", fields("(module (table 10 funcref) (func $f)\n", "(elem (i32.const 0) $f)\n", ")")},
	{"one segment", fields("(module (table 10 funcref) (func $f) (elem (i32.const 0) ", "$f ", "))")},
	{"many tags", fields("(module\n", "(tag $t%d (param i32))\n", ")")},
	{"many starts", fields("(module (func $f)\n", "(start $f)\n", ")")},
	{"the same name", fields("(module\n", "(func $f (call $f))\n", ")")},
	{"the same local", fields("(module (func ", "(local $x i32)\n", "))")},
	{"unknown names", fields("(module\n", "(func (call $none%d))\n", ")")},
	{"unknown names of one function", fields("(module (func\n", "(call $none%d)\n", "))")},
	{"unknown words", fields("(module (func\n", "(i32.ad%d)\n", "))")},
	{"unknown fields", fields("(module\n", "(fun %d)\n", ")")},
	{"type errors", fields("(module (func\n", "(i32.add (f32.const 1) (i64.const 2))\n", "))")},
	{"missing operands", fields("(module (func\n", "i32.add\n", "))")},
	{"operands left", fields("(module (func\n", "i32.const 1\n", "))")},
	{"dead code", fields("(module (func unreachable\n", "(i32.const 1)\n", "))")},
	{"immediates", fields("(module (func (block (br_table ", "0 ", "(i32.const 0)))))")},
	{"unknown labels", fields("(module (func (block (br_table ", "$l%d ", "(i32.const 0)))))")},
	{
		"clauses",
		fields(
			contHead+"(func (param (ref $c)) (block $h (result (ref $c)) (resume $c ", "(on $e $h) ",
			"(local.get 0)) (return)) (drop)))",
		),
	},
	{"catches", fields("(module (tag $e) (func (block $h (try_table ", "(catch $e $h) ", "))))")},
	{"suspensions", fields(contHead+"(func (export \"x\")\n", "(drop (suspend $r (i32.const %d)))\n", "))")},
	{"continuations", fields(contHead+"(elem declare func $g) (func\n", "(drop (cont.new $c (ref.func $g)))\n", "))")},
	{"consumed continuations", fields(contHead+"(func (param $k (ref null $c))\n", "(resume $c (local.get $k))\n",
		"))")},
	{"a chain of calls", func(g *shaper) {
		g.put("(module (tag $e) (func $f0 (suspend $e))\n")
		for i := 1; g.b.Len() < g.size; i++ {
			fmt.Fprintf(&g.b, "(func $f%d (call $f%d))\n", i, i-1)
		}
		g.put("(export \"f\" (func 3)))")
	}},
	{
		"calls of all",
		repeated("(module (tag $e)\n", "(func $f%d (suspend $e))\n", "(func (export \"x\")\n", "(call $f%d)\n", "))"),
	},
	{"calls of one", fields("(module (func $f)\n", "(func $g%d (call $f))\n", ")")},
	{"loops of calls", func(g *shaper) {
		n := g.size / 40
		g.put("(module (tag $e)\n")
		for i := range n {
			fmt.Fprintf(&g.b, "(func $f%d (call $f%d) (call $f%d))\n", i, (i+1)%n, g.r.IntN(n))
		}
		g.put(")")
	}},
	{"effects of many tags", func(g *shaper) {
		n := max(1, g.size/120)
		g.put("(module (type $f (func)) (type $c (cont $f))\n")
		for i := range n {
			fmt.Fprintf(
				&g.b, "(tag $e%d) (func $f%d (export \"f%d\") (suspend $e%d) (call $f%d) (call $f%d))\n", i, i,
				i, i, g.r.IntN(n), g.r.IntN(n),
			)
		}
		g.put(")")
	}},
	{"states of a task", fields(tasksHead+"(func $t (param $me taskref) (block $l (event.switch ($go $l)))\n",
		"(block $l (task.suspend $it (local.get $me)) (event.switch ($go $l) ($it $l)))\n", ") "+tasksTail)},
	{"tasks in locals", func(g *shaper) {
		g.put(tasksHead + "(func $t (param $me taskref) (block $l (event.switch ($go $l)))" +
			" (task.retire $it (local.get $me)))\n(func (export \"x\")")
		n := max(1, g.size/120)
		for i := range n {
			fmt.Fprintf(&g.b, "(local $t%d taskref)", i)
		}
		for i := range n {
			fmt.Fprintf(&g.b, "(local.set $t%d (task.new $t))\n", i)
		}
		for i := range n {
			fmt.Fprintf(&g.b, "(block $l (task.resume $go (local.get $t%d)) (event.switch ($it $l)))\n", i)
		}
		g.put("))")
	}},
	{"functions of tasks", fields(tasksHead, "(func $t%d (param $me taskref) (block $l (event.switch ($go $l)))"+
		" (block $l (task.suspend $it (local.get $me)) (event.switch ($go $l))))"+
		" (func (export \"x%d\") (local $l taskref) (local.set $l (task.new $t%d))"+
		" (block $l (task.resume $go (local.get $l)) (event.switch ($it $l))))\n", ")")},
	{"tasks that call each other", func(g *shaper) {
		g.put(tasksHead)
		n := g.size / 230
		for i := range n {
			fmt.Fprintf(
				&g.b, "(func $t%d (param $me taskref) (block $l (event.switch ($go $l))) (call $h%d (local.get $me))"+
					" (call $h%d (local.get $me)))\n(func $h%d (param $me taskref)"+
					" (block $l (task.suspend $it (local.get $me)) (event.switch ($go $l)))"+
					" (call $h%d (local.get $me)))\n", i, i, g.r.IntN(n), i, (i+1)%n,
			)
			fmt.Fprintf(&g.b, "(func (drop (task.new $t%d)))\n", i)
		}
		g.put(")")
	}},
	{"clauses of a task", func(g *shaper) {
		g.put(tasksHead)
		whole := g.size
		g.size = whole / 4
		n := g.many("(tag $e%d)\n")
		g.size = whole
		g.put("(func $t (param $me taskref) (block $l (event.switch ($go $l)))" +
			" (block $l (task.suspend $it (local.get $me)) (event.switch ")
		for i := range n {
			fmt.Fprintf(&g.b, "($e%d $l) ", i)
		}
		g.put("))) " + tasksTail)
	}},
	{"events around suspensions", func(g *shaper) {
		g.put("(module (type $f (fiber)) (tag $go) (tag $it)\n(func $t (param $me (ref $f)) ")
		whole := g.size
		g.size /= 2
		n := 0
		for ; g.b.Len() < g.size; n++ {
			g.put("(handle (fiber.suspend $it (local.get $me)) (event $go))\n")
		}
		g.size = whole
		for g.b.Len() < g.size {
			g.put("(event $it)\n")
		}
		g.put(") (func (export \"x\") (drop (fiber.new $t))))")
	}},
	{"modules", fields("", "(module)\n", "")},
	{"modules with a function", fields("", "(module (func (export \"f\")))\n", "")},
	{
		"registered modules",
		fields("", "(module $m%d (import \"m\" \"f\" (func)) (func (export \"f\"))) (register \"m\" $m%d)\n", ""),
	},
	{"commands", fields("(module (func (export \"f\")))\n", "(assert_return (invoke \"f\"))\n", "")},
	{"assertions", fields("", "(assert_invalid (module (func (result i32))) \"type mismatch\")\n", "")},
	{"quoted modules", fields("", "(assert_malformed (module quote \"(func\") \"x\")\n", "")},
	{"binary modules", fields("", "(module binary \"\\00asm\" \"\\01\\00\\00\\00\")\n", "")},
	{"bytes", func(g *shaper) {
		for g.b.Len() < g.size {
			g.b.WriteByte(byte(g.r.IntN(256)))
		}
	}},
	{"bytes in a function", func(g *shaper) {
		g.put("(module (func ")
		for g.b.Len() < g.size {
			g.b.WriteByte(byte(128 + g.r.IntN(128)))
		}
		g.put("))")
	}},
	{"words", func(g *shaper) {
		for g.b.Len() < g.size {
			g.put(snippets[g.r.IntN(len(snippets))])
		}
	}},
	{"line ends", fields("(module", "\r", ")")},
	{"empty lines", fields("(module", "\n", ")")},
	{"blanks", fields("(module", " ", ")")},
	{"blanks before lines", nested("(module\n", "                                        \n", "", "", ")")},
	{"deep indentation", func(g *shaper) {
		g.put("(module (func\n")
		for i := 0; g.b.Len() < g.size; i++ {
			g.put(strings.Repeat(" ", min(i, 2000)) + "(block\n")
		}
	}},
	{"many dialects", fields("(module\n", "(func (suspend 0) (task.release) (fiber.release) (switch 0))\n", ")")},
	{"tasks", fields("(module (tag $e)\n", "(func $t%d (param taskref) (block $l (event.switch ($e $l))))\n", ")")},
	{"fibers", fields("(module (type $f (fiber)) (tag $e)\n", "(func $t%d (param (ref $f)) (event $e))\n", ")")},
	{
		"stacks",
		fields(
			"(module (type $s (stack (ref null $s)))\n",
			"(func $f%d (param (ref null $s)) (switch_retire $s (local.get 0)))\n", ")",
		),
	},
}
