package coverage_test

import (
	"regexp"

	"stackscope/analysis"
	"stackscope/wasm"
)

// A construct is something that a design adds to the text format: a row of the page.
type construct struct {
	dialect wasm.Dialect
	name    string
	kind    kind
	op      wasm.Op // of an instruction
	// find finds a clause, type or annotation in a text; its group is what is hovered and completed.
	find *regexp.Regexp
	// snippet is a module with the construct, if no example has it.
	snippet string
	script  string // commands that run the snippet
	// mistake is put in place of the last match of wrong in the construct's text, which is then
	// an error.
	wrong   *regexp.Regexp
	mistake string
	// nowhere reports why control does not arrive by the clause; "" if it does.
	nowhere string
}

// kind is a kind of construct.
type kind uint8

const (
	instruction kind = iota
	clause
	typeForm
	annotation
)

func re(s string) *regexp.Regexp { return regexp.MustCompile(s) }

// written has the constructs that are not instructions. In the patterns, ID stands for an
// identifier.
var written = []construct{
	{
		dialect: wasm.DialectCont, kind: clause, name: "(on $tag $label)",
		find: re(`\((on) \$[\w-]+ \$[\w-]+\)`), wrong: re(`\$[\w-]+\)`), mistake: "$nowhere)",
	},
	{
		dialect: wasm.DialectCont, kind: clause, name: "(on $tag switch)", nowhere: lookedFor,
		find: re(`\((on) \$[\w-]+ switch\)`), wrong: re(`\$[\w-]+`), mistake: "$nowhere",
	},
	{
		dialect: wasm.DialectCont, kind: typeForm, name: "(type $ct (cont $ft))",
		find: re(`\(type \$\w+ \((cont) \$[\w-]+\)\)`), wrong: re(`\$[\w-]+\)\)`), mistake: "$nowhere))",
	},
	{
		dialect: wasm.DialectCont, kind: typeForm, name: "(ref null $ct)",
		find: re(`\(ref null (\$ct)\)`), wrong: re(`\$ct`), mistake: "$nowhere",
	},
	{
		dialect: wasm.DialectCont, kind: typeForm, name: "contref, (ref null cont)",
		snippet: `(module (type $f (func)) (global $any (export "any") contref (ref.null nocont)) (global (export "c") (ref null cont) (ref.null cont)))`,
		find:    re(`(contref)`), wrong: re(`contref`), mistake: "contrefs",
	},
	{
		dialect: wasm.DialectCont, kind: typeForm, name: "nullcontref, (ref null nocont)",
		snippet: `(module (type $f (func)) (global $none (export "none") nullcontref (ref.null nocont)) (global (export "c") (ref null cont) (ref.null nocont)))`,
		find:    re(`(nullcontref)`), wrong: re(`nullcontref`), mistake: "nullcontrefs",
	},
	{
		dialect: wasm.DialectCont, kind: typeForm, name: "(tag (param t*) (result t*))",
		find: re(`\((tag) \$\w+ (?:\(param [^)]*\) )?\(result [^)]*\)`), wrong: re(`\(result [^)]*\)`), mistake: "(result $nowhere)",
	},
	{
		dialect: wasm.DialectStacks, kind: typeForm, name: "(type $c (stack (param t*)* rt))",
		find: re(`\(type \$\w+ \((stack)\b[^\n]*`), wrong: re(`\(ref (null )?\$[\w-]+\)`), mistake: "",
	},
	{
		dialect: wasm.DialectStacks, kind: typeForm, name: "(ref null $c)",
		find: re(`\(ref null (\$thread)\)`), wrong: re(`\$thread`), mistake: "$nowhere",
	},
	{
		dialect: wasm.DialectStacks, kind: typeForm, name: "(ref null stack)",
		snippet: `(module (@stack-switching "stacks") (global $any (export "any") (ref null stack) (ref.null nostack)))`,
		find:    re(`\(ref null (stack)\)`), wrong: re(`stack`), mistake: "stacks",
	},
	{
		dialect: wasm.DialectStacks, kind: typeForm, name: "(ref null nostack)",
		snippet: `(module (@stack-switching "stacks") (global $none (export "none") (ref null nostack) (ref.null nostack)))`,
		find:    re(`\(ref null (nostack)\)`), wrong: re(`nostack`), mistake: "nostacks",
	},
	{
		dialect: wasm.DialectFibersMount, kind: clause, name: "fiber.new … ($on $func)",
		find: re(`\(fiber\.new \$\w+ (?:\(\$\w+ \$\w+\) )*\((\$\w+) \$\w+\)`), wrong: re(`\$\w+\)$`), mistake: "$nowhere)",
	},
	{
		dialect: wasm.DialectFibersMount, kind: clause, name: "fiber.mount … ($on $label)",
		find: re(`\(fiber\.mount \$\w+ (?:\(\$\w+ \$\w+\) )*\((\$\w+) \$\w+\)`), wrong: re(`\$\w+\)$`), mistake: "$nowhere)",
	},
	{
		dialect: wasm.DialectFibersMount, kind: clause, name: "(on $on $label)",
		snippet: `(module (@stack-switching "fibers-mount") (tag $go) (tag $end)
  (func $f (param $me (ref fiber)) (fiber.dismount_release $end (local.get $me)))
  (func (export "main")
    (block $on_end (fiber.mount $go (on $end $on_end) (fiber.new $end ($go $f))))))`,
		script: `(assert_return (invoke "main"))`,
		find:   re(`\((on) \$end \$on_end\)`), wrong: re(`\$on_end`), mistake: "$nowhere",
	},
	{
		dialect: wasm.DialectFibersMount, kind: typeForm, name: "fiberref",
		find: re(`\b(fiberref)\b`), wrong: re(`fiberref`), mistake: "fiberrefs",
	},
	{
		dialect: wasm.DialectFibersMount, kind: typeForm, name: "(ref fiber)",
		find: re(`\(ref (fiber)\)`), wrong: re(`fiber`), mistake: "task",
	},
	{
		dialect: wasm.DialectFibersHandle, kind: clause, name: "(event $label $tag …)",
		snippet: `(module (@stack-switching "fibers-handle") (type $f (fiber)) (tag $go) (tag $more (param i32))
  (func $fiber (param $me (ref $f)) (event $go (fiber.retire (local.get $me) $more (i32.const 1))))
  (func (export "main") (result i32)
    (handle (result i32)
      (fiber.resume (fiber.new $fiber) $go) (i32.const 0)
      (event $leave $more (br_if $leave (i32.const 1))))))`,
		script: `(assert_return (invoke "main") (i32.const 1))`,
		find:   re(`\((event) \$leave \$more`), wrong: re(`\$more`), mistake: "$nowhere",
	},
	{
		dialect: wasm.DialectFibersHandle, kind: clause, name: "(func … (event $tag …))",
		find: re(`(?m)^    \((event) \$\w+`), wrong: re(`\$\w+`), mistake: "$nowhere",
	},
	{
		dialect: wasm.DialectFibersHandle, kind: typeForm, name: "(type $ft (fiber (result r*)))",
		find: re(`\(type \$\w+ \((fiber) \(result i32\)\)\)`), wrong: re(`i32`), mistake: "$nowhere",
	},
	{
		dialect: wasm.DialectFibersHandle, kind: typeForm, name: "(ref null $ft)",
		find: re(`\(ref null (\$client)\)`), wrong: re(`\$client`), mistake: "$nowhere",
	},
	{
		dialect: wasm.DialectFibersHandle, kind: typeForm, name: "(ref fiber r*)",
		snippet: `(module (@stack-switching "fibers-handle") (tag $go)
  (func $fiber (param $me (ref fiber i32)) (result i32) (unreachable) (event $go (i32.const 1)))
  (func (export "main") (result i32) (fiber.resume (fiber.new $fiber) $go)))`,
		find: re(`\(ref (fiber) i32\)`), wrong: re(`i32`), mistake: "$nowhere",
	},
	{
		dialect: wasm.DialectFibersHandle, kind: typeForm, name: "(type $g (ref null fiber))",
		find: re(`\(type \$\w+ \(ref null (fiber)\)\)`), wrong: re(`fiber`), mistake: "fiber $nowhere",
	},
	{
		dialect: wasm.DialectFibersHandle, kind: typeForm, name: "(param $x $g)",
		find: re(`\(param \$\w+ (\$generator)\)`), wrong: re(`\$generator`), mistake: "$nowhere",
	},
	{
		dialect: wasm.DialectTasks, kind: clause, name: "event.switch ($tag $label)",
		find: re(`\(event\.switch (?:\(\$[\w-]+ \$[\w-]+\) )*\((\$[\w-]+) \$[\w-]+\)`), wrong: re(`\$[\w-]+\)$`), mistake: "$nowhere)",
	},
	{
		dialect: wasm.DialectTasks, kind: clause, name: "task.suspend … ($tag operand*)", nowhere: ofInstruction,
		find: re(`\(task\.suspend \(local\.get \$\w+\) \((\$\w+)`), wrong: re(`\$\w+$`), mistake: "$nowhere",
	},
	{
		dialect: wasm.DialectTasks, kind: typeForm, name: "taskref",
		find: re(`\(param \$\w+ (taskref)\)`), wrong: re(`taskref`), mistake: "taskrefs",
	},
	{
		dialect: wasm.DialectTasks, kind: typeForm, name: "(ref null task)",
		snippet: `(module (@stack-switching "tasks") (global $none (export "none") (ref null task) (ref.null task)))`,
		find:    re(`\(ref null (task)\)`), wrong: re(`task`), mistake: "tasks",
	},
}

// constructs returns the rows of a design: its instructions, as the table has them, its clauses and
// types, and the annotation that names it.
func constructs(d wasm.Dialect) (out []construct) {
	for _, op := range instructions(d) {
		out = append(out, construct{dialect: d, name: op.String(), op: op})
	}
	for _, c := range written {
		if c.dialect == d {
			out = append(out, c)
		}
	}
	name := d.String()
	a := construct{
		dialect: d, kind: annotation, name: `(@stack-switching "` + name + `")`,
		find: re(`\(@(stack-switching) "` + name + `"\)`), wrong: re(`"[\w-]+"`), mistake: `"nonesuch"`,
	}
	if d == wasm.DialectCont { // the examples in it do not need one
		a.snippet = `(module (@stack-switching "cont") (type $f (func)) (type $c (cont $f)) (func (export "main") (param (ref $c))))`
	}
	return append(out, a)
}

// An occurrence is a construct in a text.
type occurrence struct {
	*example
	from, to int // all of its text
	at, end  int // the word or name that stands for it
	body     *analysis.Body
	pc       int // the instruction that it is, or that it belongs to; -1: none
}

// occurrences returns where a construct stands.
func (c *construct) occurrences(xs []*example) (out []occurrence) {
	if c.snippet != "" {
		x := snippet(c.snippet, c.script)
		if x.script != nil {
			if err := x.run(); err != nil {
				panic(err)
			}
		}
		xs = []*example{x}
	}
	for _, x := range xs {
		text := x.file.Text
		if c.find == nil {
			x.each(func(b *analysis.Body, pc int) {
				if b.Instrs[pc].Op != c.op {
					return
				}
				at := b.Span(pc).Start
				from, to := form(text, at)
				out = append(out, occurrence{x, from, to, at, at + len(c.name), b, pc})
			})
			continue
		}
		for _, m := range c.find.FindAllStringSubmatchIndex(text, -1) {
			o := occurrence{x, m[0], m[1], m[2], m[3], nil, -1}
			if fn, ok := x.mod.FuncAt(o.at); ok {
				if b := x.mod.Body(fn); b != nil {
					o.body, o.pc = b, b.At(o.at)
				}
			}
			out = append(out, o)
		}
	}
	return out
}

// form returns the parentheses around an offset.
func form(text string, at int) (from, to int) {
	for from = at; from > 0 && text[from] != '('; from-- {
	}
	depth := 0
	for to = from; to < len(text); to++ {
		switch text[to] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return from, to + 1
			}
		}
	}
	return from, to
}
