package genwat

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Options reports what to generate.
type Options struct {
	Bytes  int    // the least length of the text
	Seed   uint64 // of the random choices
	Stacks bool   // use stack switching, in the dialect `cont`
}

// Text generates a module.
func Text(o Options) string {
	g := &gen{r: rand.New(rand.NewPCG(o.Seed, 0x9e3779b97f4a7c15)), o: o}
	g.b.Grow(o.Bytes + 1<<13)
	g.b.WriteString("(module $bench\n")
	if o.Stacks {
		g.b.WriteString("  (@stack-switching \"cont\")\n")
		g.b.WriteString(
			"  (type $gen (func))\n  (type $gen-cont (cont $gen))\n  (type $task (func (param i32) (result i32)))\n  (type $task-cont (cont $task))\n",
		)
	}
	g.b.WriteString("  (type $binary (func (param i32 i32) (result i32)))\n")
	g.b.WriteString("  (import \"env\" \"log\" (func $log (param i32)))\n")
	if o.Stacks {
		g.b.WriteString("  (tag $yield (param i32))\n  (tag $ask (param i32) (result i32))\n")
	}
	g.b.WriteString("  (memory $mem (export \"memory\") 16 256)\n  (table $ops 8 8 funcref)\n")
	g.b.WriteString("  (global $counter (mut i32) (i32.const 0))\n  (global $scale f64 (f64.const 0x1.8p+1))\n")
	g.b.WriteString("  (data $greeting (i32.const 1024) \"Hello, stacks!\\0a\\00\")\n\n")
	for g.b.Len() < o.Bytes || g.n < 2 {
		g.function()
	}
	g.b.WriteString("  (export \"last\" (func $f")
	fmt.Fprintf(&g.b, "%d))\n)\n", g.n-1)
	return g.b.String()
}

type gen struct {
	b      strings.Builder
	r      *rand.Rand
	o      Options
	n      int // functions so far: each is $fN : [i32 i32 f64] -> [i32]
	label  int
	indent int
}

func (g *gen) line() {
	g.b.WriteByte('\n')
	for range g.indent {
		g.b.WriteString("  ")
	}
}

func (g *gen) ln(format string, args ...any) {
	g.line()
	fmt.Fprintf(&g.b, format, args...)
}

func (g *gen) function() {
	fmt.Fprintf(
		&g.b,
		"  ;; Function %d of the benchmark.\n  (func $f%d (param $a i32) (param $b i32) (param $x f64) (result i32)\n    (local $i i32) (local $sum i64) (local $y f64)",
		g.n,
		g.n,
	)
	g.indent = 2
	stmts := 4 + g.r.IntN(12)
	flat := g.n%2 == 1
	for range stmts {
		if flat {
			g.flatStmt(2)
		} else {
			g.stmt(2)
		}
	}
	if flat {
		g.flatI32(3)
		g.b.WriteString("\n  )\n\n")
	} else {
		g.line()
		g.i32(3)
		g.b.WriteString(")\n\n")
	}
	g.n++
	if g.o.Stacks && g.n%4 == 0 {
		g.stacks()
	}
}

var locals32 = []string{"$a", "$b", "$i"}

func (g *gen) local32() string { return locals32[g.r.IntN(len(locals32))] }

// stmt writes a folded instruction without a result.
func (g *gen) stmt(depth int) {
	g.line()
	switch k := g.r.IntN(8); {
	case k == 0 && depth > 0:
		g.b.WriteString("(if ")
		g.i32(2)
		g.indent++
		g.line()
		g.b.WriteString("(then")
		g.body(depth - 1)
		g.b.WriteString(")")
		if g.r.IntN(2) == 0 {
			g.line()
			g.b.WriteString("(else")
			g.body(depth - 1)
			g.b.WriteString(")")
		}
		g.b.WriteString(")")
		g.indent--
	case k == 1 && depth > 0:
		g.label++
		l := g.label
		fmt.Fprintf(&g.b, "(block $done%d", l)
		g.indent++
		g.ln("(loop $again%d", l)
		g.indent++
		g.ln("(br_if $done%d (i32.ge_u (local.get $i) ", l)
		g.i32(1)
		g.b.WriteString("))")
		g.stmt(depth - 1)
		g.ln("(local.set $i (i32.add (local.get $i) (i32.const 1)))")
		g.ln("(br $again%d)))", l)
		g.indent -= 2
	case k == 2:
		g.b.WriteString("(i32.store offset=16 ")
		g.i32(2)
		g.b.WriteString(" ")
		g.i32(2)
		g.b.WriteString(")")
	case k == 3:
		g.b.WriteString("(call $log ")
		g.i32(3)
		g.b.WriteString(")")
	case k == 4:
		g.b.WriteString("(local.set $sum (i64.add (local.get $sum) (i64.extend_i32_u ")
		g.i32(2)
		g.b.WriteString(")))")
	case k == 5:
		g.b.WriteString("(local.set $y ")
		g.f64(2)
		g.b.WriteString(")")
	case k == 6:
		g.b.WriteString("(global.set $counter ")
		g.i32(2)
		g.b.WriteString(")")
	default:
		fmt.Fprintf(&g.b, "(local.set %s ", g.local32())
		g.i32(3)
		g.b.WriteString(")")
	}
}

func (g *gen) body(depth int) {
	g.indent++
	for range 1 + g.r.IntN(3) {
		g.stmt(depth)
	}
	g.indent--
}

var binary32 = []string{"add", "sub", "mul", "and", "or", "xor", "shl", "shr_u", "eq", "lt_s", "gt_u", "rotl"}

// i32 writes a folded expression of type i32.
func (g *gen) i32(depth int) {
	switch k := g.r.IntN(8); {
	case depth == 0 || k == 0:
		fmt.Fprintf(&g.b, "(local.get %s)", g.local32())
	case k == 1:
		fmt.Fprintf(&g.b, "(i32.const %d)", g.r.IntN(5000)-500)
	case k == 2:
		g.b.WriteString("(i32.load8_u offset=4 ")
		g.i32(depth - 1)
		g.b.WriteString(")")
	case k == 3:
		g.b.WriteString("(f64.lt ")
		g.f64(depth - 1)
		g.b.WriteString(" (global.get $scale))")
	case k == 4 && g.n > 0 && depth > 1:
		fmt.Fprintf(&g.b, "(call $f%d", g.r.IntN(g.n))
		g.indent++
		g.line()
		g.i32(depth - 1)
		g.line()
		g.i32(0)
		g.line()
		g.f64(depth - 1)
		g.b.WriteString(")")
		g.indent--
	default:
		fmt.Fprintf(&g.b, "(i32.%s ", binary32[g.r.IntN(len(binary32))])
		g.i32(depth - 1)
		g.b.WriteString(" ")
		g.i32(depth - 1)
		g.b.WriteString(")")
	}
}

// f64 writes a folded expression of type f64.
func (g *gen) f64(depth int) {
	switch k := g.r.IntN(4); {
	case depth == 0 || k == 0:
		g.b.WriteString("(local.get $x)")
	case k == 1:
		fmt.Fprintf(&g.b, "(f64.const %g)", float64(g.r.IntN(100000))/64)
	case k == 2:
		g.b.WriteString("(f64.sqrt ")
		g.f64(depth - 1)
		g.b.WriteString(")")
	default:
		g.b.WriteString("(f64.mul ")
		g.f64(depth - 1)
		g.b.WriteString(" (local.get $y))")
	}
}

// flatStmt writes flat instructions without a result.
func (g *gen) flatStmt(depth int) {
	switch k := g.r.IntN(6); {
	case k == 0 && depth > 0:
		g.flatI32(2)
		g.ln("if")
		g.indent++
		g.flatStmt(depth - 1)
		g.indent--
		if g.r.IntN(2) == 0 {
			g.ln("else")
			g.indent++
			g.flatStmt(depth - 1)
			g.indent--
		}
		g.ln("end")
	case k == 1 && depth > 0:
		g.label++
		l := g.label
		g.ln("block $B%d", l)
		g.indent++
		g.ln("loop $L%d", l)
		g.indent++
		g.flatI32(1)
		g.ln("br_if $B%d", l)
		g.flatStmt(depth - 1)
		g.ln("local.get $i")
		g.ln("i32.const 1")
		g.ln("i32.add")
		g.ln("local.tee $i")
		g.ln("br_if $L%d", l)
		g.indent--
		g.ln("end")
		g.indent--
		g.ln("end")
	case k == 2:
		g.flatI32(1)
		g.flatI32(2)
		g.ln("i32.store offset=%d", 4*g.r.IntN(64)) // without align=: a peer rejects the two together
	case k == 3:
		g.flatI32(2)
		g.ln("call $log")
	default:
		g.flatI32(3)
		g.ln("local.set %s", g.local32())
	}
}

// flatI32 writes flat instructions with a result of type i32.
func (g *gen) flatI32(depth int) {
	switch k := g.r.IntN(6); {
	case depth == 0 || k == 0:
		g.ln("local.get %s", g.local32())
	case k == 1:
		g.ln("i32.const %d", g.r.IntN(5000)-500)
	case k == 2:
		g.flatI32(depth - 1)
		g.ln("i32.load offset=%d", 4*g.r.IntN(64))
	default:
		g.flatI32(depth - 1)
		g.flatI32(depth - 1)
		g.ln("i32.%s", binary32[g.r.IntN(len(binary32))])
	}
}

// stacks writes a generator, its consumer, and a task with its driver.
func (g *gen) stacks() {
	n := g.n
	fmt.Fprintf(&g.b, `  (func $produce%[1]d (type $gen)
    (local $i i32)
    (loop $next
      (suspend $yield (local.get $i))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (i32.const %[1]d)))))
  (elem declare func $produce%[1]d)
  (func $consume%[1]d (result i32)
    (local $c (ref null $gen-cont)) (local $sum i32)
    (local.set $c (cont.new $gen-cont (ref.func $produce%[1]d)))
    (loop $next
      (block $on-yield (result i32 (ref $gen-cont))
        (resume $gen-cont (on $yield $on-yield) (local.get $c))
        (return (local.get $sum)))
      (local.set $c)
      (local.set $sum (i32.add (local.get $sum)))
      (br $next))
    (unreachable))
  (func $work%[1]d (type $task)
    local.get 0
    suspend $ask
    i32.const %[1]d
    i32.add)
  (elem declare func $work%[1]d)
  (func $drive%[1]d (param $n i32) (result i32)
    (local $k (ref null $task-cont))
    block $on-ask (result i32 (ref $task-cont))
      local.get $n
      ref.func $work%[1]d
      cont.new $task-cont
      resume $task-cont (on $ask $on-ask)
      return
    end
    local.set $k
    local.get $k
    resume $task-cont)

`, n)
}
