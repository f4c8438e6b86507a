package completion

import (
	"slices"
	"strconv"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/ide/internal/words"
	"stackscope/wasm"
)

// words offers keywords.
func (c *offers) words(ws ...string) {
	for _, w := range ws {
		c.add(Item{Label: w, Kind: ItemKeyword, Doc: words.Word[w]})
	}
}

// snip is a keyword with what usually follows it, in snippet notation.
type snip struct{ word, body string }

func (c *offers) snips(ss ...snip) {
	for _, s := range ss {
		it := Item{Label: s.word, Kind: ItemKeyword, Doc: words.Word[s.word], Insert: s.word}
		if c.ops.hole {
			it.Fit = fitLikely // an operand is wanted
		}
		if s.body != "" {
			it.Snippet = s.body + c.closing()
		}
		c.add(it)
	}
}

// afterParen offers what a parenthesis can begin with here.
func (c *completer) afterParen() {
	f := c.frame(1)
	up := c.frame(2)
	op, args, isOp := c.instrOf(f)
	switch f.head {
	case "":
		if len(c.stack) == 2 {
			c.top()
			return
		}
	case "module":
		c.fieldWords()
		return
	case "type", "sub":
		if f.head == "type" && up.head != "module" && up.head != "rec" && len(c.stack) > 3 {
			return
		}
		c.compTypes(f.head == "type")
		return
	case "rec":
		c.snips(snip{"type", "type \\$${1:t} ($0)"})
		return
	case "struct":
		c.snips(snip{"field", "field \\$${1:x} ${2:i32}"})
		return
	case "field", "array", "global":
		c.refAndMut(true)
		if f.head == "global" {
			c.snips(snip{"import", `import "${1:module}" "${2:name}"`}, snip{"export", `export "${1:name}"`})
			if len(f.args) > 0 {
				c.instructions(true)
			}
		}
		return
	case "param", "result", "local", "mut", "ref":
		c.refAndMut(false)
		return
	case "item":
		if up.head == "import" {
			c.externTypes()
			return
		}
	case "import":
		c.importTypes(f)
		c.externTypes()
		if !slices.ContainsFunc(f.args[min(1, len(f.args)):], func(a arg) bool { return !a.group }) {
			c.snips(snip{"item", `item "${1:name}" ($0)`})
		}
		return
	case "export":
		c.snips(
			snip{"func", "func \\$${1:f}"}, snip{"table", "table \\$${1:t}"},
			snip{"memory", "memory \\$${1:m}"}, snip{"global", "global \\$${1:g}"},
			snip{"tag", "tag \\$${1:e}"},
		)
		return
	case "tag":
		c.snips(
			snip{"param", "param ${1:i32}"}, snip{"result", "result ${1:i32}"}, snip{"type", "type \\$${1:t}"},
			snip{"export", `export "${1:name}"`}, snip{"import", `import "${1:module}" "${2:name}"`},
		)
		return
	case "memory":
		c.snips(
			snip{"data", `data "$1"`}, snip{"export", `export "${1:name}"`},
			snip{"import", `import "${1:module}" "${2:name}"`}, snip{"pagesize", "pagesize ${1:1}"},
		)
		return
	case "table":
		c.refAndMut(false)
		c.snips(
			snip{"elem", "elem $1"}, snip{"export", `export "${1:name}"`},
			snip{"import", `import "${1:module}" "${2:name}"`},
		)
		return
	case "elem":
		c.snips(
			snip{"table", "table \\$${1:t}"}, snip{"item", "item $1"}, snip{"offset", "offset ($1)"},
			snip{"ref", "ref null ${1:func}"},
		)
		c.instructions(true)
		return
	case "data":
		c.snips(snip{"memory", "memory \\$${1:m}"}, snip{"offset", "offset ($1)"})
		c.instructions(true)
		return
	case "func":
		switch up.head {
		case "type", "sub":
			c.snips(snip{"param", "param ${1:i32}"}, snip{"result", "result ${1:i32}"})
			return
		case "import", "item":
			c.snips(snip{"type", "type \\$${1:t}"}, snip{"param", "param ${1:i32}"}, snip{"result",
				"result ${1:i32}"})
			return
		}
		if !isOp && !slices.ContainsFunc(f.args, func(a arg) bool {
			return a.group &&
				len(wasm.Lookup(a.text)) > 0
		}) {
			c.snips(
				snip{"param", "param \\$${1:x} ${2:i32}"},
				snip{"result", "result ${1:i32}"},
				snip{"local", "local \\$${1:x} ${2:i32}"},
				snip{
					"type", "type \\$${1:t}",
				},
				snip{"export", `export "${1:name}"`},
				snip{"import", `import "${1:module}" "${2:name}"`},
			)
		}
	case "register", "invoke", "assert_malformed", "assert_unlinkable":
		c.words("module")
		c.constWords()
		return
	}
	if strings.HasPrefix(f.head, "assert_") {
		c.words("invoke", "get", "module")
		c.constWords()
		return
	}
	if isOp {
		c.clauses(op, args, f)
	}
	c.eventClauses(f)
	c.instructions(true)
}

// externTypes offers what an import can describe.
func (c *completer) externTypes() {
	c.snips(
		snip{"func", "func \\$${1:f} (param $2) (result $3)"},
		snip{"table", "table \\$${1:t} ${2:1} ${3:funcref}"}, snip{"memory", "memory \\$${1:m} ${2:1}"},
		snip{"global", "global \\$${1:g} ${2:i32}"}, snip{"tag", "tag \\$${1:e} (param $2)"},
	)
}

// clauses offers what an instruction takes in parentheses apart from operands.
func (c *completer) clauses(op wasm.Op, args []arg, f frame) {
	for _, imm := range op.Info().Imms {
		switch imm {
		case wasm.ImmBlock:
			if !slices.ContainsFunc(args, func(a arg) bool { return a.group && len(wasm.Lookup(a.text)) > 0 }) {
				c.snips(
					snip{"result", "result ${1:i32}"},
					snip{"param", "param ${1:i32}"},
					snip{"type", "type \\$${1:t}"},
				)
			}
		case wasm.ImmTypeUse:
			c.snips(snip{"type", "type \\$${1:t}"}, snip{"param", "param ${1:i32}"}, snip{"result",
				"result ${1:i32}"})
		case wasm.ImmResults:
			c.snips(snip{"result", "result ${1:i32}"})
		case wasm.ImmRefType:
			c.refAndMut(false)
		case wasm.ImmHandlerClauses:
			if !slices.ContainsFunc(args, func(a arg) bool { return a.group && a.text != "on" }) {
				c.handlerClauses()
				c.words("on")
			}
		case wasm.ImmClauses:
			if in, _, ok := c.around(); ok {
				c.wholeClauses(&in, args)
			}
			if !op.Info().Dialect.Info().BareClauses {
				c.add(Item{Label: "on", Kind: ItemKeyword, Doc: words.Word["on"], Fit: fitUnknown})
			}
		case wasm.ImmTag:
			if op.Info().Dialect.Info().EventOperand {
				c.eventOperands(args)
			}
		case wasm.ImmCatches:
			c.snips(
				snip{"catch", "catch \\$${1:tag} \\$${2:label}"},
				snip{"catch_ref", "catch_ref \\$${1:tag} \\$${2:label}"},
				snip{"catch_all", "catch_all \\$${1:label}"},
				snip{"catch_all_ref", "catch_all_ref \\$${1:label}"},
			)
		}
	}
	if op == wasm.OpIf && f.head == "if" {
		c.snips(snip{"then", "then\n  $0"}, snip{"else", "else\n  $0"})
	}
}

// top offers what can stand at the top of a file.
func (c *completer) top() {
	c.snips(snip{"module", "module\n  $0"})
	if !query.IsScript(c.s) {
		c.fieldWords()
		return
	}
	c.snips(
		snip{"register", `register "${1:name}"`},
		snip{"invoke", `invoke "${1:name}"`},
		snip{
			"assert_return", `assert_return (invoke "${1:name}") ($0)`,
		},
		snip{"assert_trap", `assert_trap (invoke "${1:name}") "${2:unreachable}"`},
		snip{
			"assert_invalid", "assert_invalid\n  (module\n    $0)\n  \"${1:type mismatch}\"",
		},
		snip{"assert_malformed", "assert_malformed\n  (module quote \"$0\")\n  \"${1:unexpected token}\""},
		snip{
			"assert_exception", `assert_exception (invoke "${1:name}")`,
		},
		snip{"assert_suspension", `assert_suspension (invoke "${1:name}") "${2:unhandled tag}"`},
		snip{
			"assert_exhaustion", `assert_exhaustion (invoke "${1:name}") "call stack exhausted"`,
		},
		snip{"assert_unlinkable", "assert_unlinkable\n  (module\n    $0)\n  \"${1:unknown import}\""},
	)
}

// fieldWords offers the fields of a module.
func (c *completer) fieldWords() {
	c.snips(
		snip{"func", "func \\$${1:f}$2\n  $0"},
		snip{"type", "type \\$${1:t} ($0)"},
		snip{"rec", "rec\n  (type \\$${1:t} ($0))"},
		snip{
			"tag", "tag \\$${1:e} (param $2)",
		},
		snip{"global", "global \\$${1:g} (mut ${2:i32}) (${2:i32}.const ${3:0})"},
		snip{"memory", "memory \\$${1:m} ${2:1}"},
		snip{
			"table", "table \\$${1:t} ${2:1} ${3:funcref}",
		},
		snip{"import", `import "${1:module}" "${2:name}" ($0)`},
		snip{"export", `export "${1:name}" (func \$${2:f})`},
		snip{
			"start", "start \\$${1:f}",
		},
		snip{"elem", "elem ${1:declare} func \\$${2:f}"},
		snip{"data", "data (i32.const ${1:0}) \"$2\""},
	)
	c.fieldSkeletons(true)
	if c.m == nil || c.t.Declared == nil {
		return
	}
	// A continuation type for each function type that has none.
	for _, y := range c.m.Symbols(analysis.SpaceType) {
		if y.Name == "" || !c.isComp(y, wasm.CompFunc) {
			continue
		}
		has := slices.ContainsFunc(
			c.t.Declared.Types, func(t wasm.SubType) bool { return t.Kind == wasm.CompCont && t.Func == y.Index },
		)
		if !has && c.hasType(wasm.CompCont) {
			c.add(
				Item{
					Label: "type $" + y.Name + "_ct (cont " + query.Display(y) + ")", Filter: "type",
					Kind: ItemSnippet, Detail: "continuation type of " + query.Display(y),
					Insert: "type $" + y.Name + "_ct (cont " + query.Display(y) + ")" + c.closing(),
				},
			)
		}
	}
}

// dialectTypes has the skeletons of the type definitions that one dialect has.
var dialectTypes = map[wasm.CompKind]snip{
	wasm.CompCont:  {"cont", "cont \\$${1:ft}"},
	wasm.CompStack: {"stack", "stack (param $1) ${2:(ref null \\$c)}"},
	wasm.CompFiber: {"fiber", "fiber (result $1)"},
}

// hasType reports whether the module's dialect has a kind of type definition.
func (c *offers) hasType(k wasm.CompKind) bool { return c.dialect.Admits(k.Dialect()) }

// compTypes offers what a type definition can be.
func (c *completer) compTypes(sub bool) {
	c.snips(
		snip{"func", "func (param $1) (result $2)"}, snip{"struct", "struct (field \\$${1:x} ${2:i32})"},
		snip{"array", "array ${1:i32}"},
	)
	for _, d := range wasm.Dialects() {
		if s, ok := dialectTypes[d.Info().Type]; ok && c.dialect.Admits(d) {
			c.snips(s)
		}
	}
	if sub {
		c.snips(snip{"sub", "sub ($0)"})
	}
}

// refAndMut offers the types that begin with a parenthesis.
func (c *completer) refAndMut(mut bool) {
	if c.m != nil && c.t.Declared != nil {
		for _, y := range c.m.Symbols(analysis.SpaceType) {
			if y.Name == "" {
				continue
			}
			n := query.Display(y)
			c.add(Item{Label: "ref " + n, Insert: "ref " + n + c.closing(), Kind: ItemType,
				Detail: c.t.Short(y.Index)})
			c.add(
				Item{
					Label:  "ref null " + n,
					Insert: "ref null " + n + c.closing(),
					Kind:   ItemType,
					Detail: c.t.Short(y.Index),
				},
			)
		}
	}
	c.snips(snip{"ref", "ref ${1:null} \\$${2:t}"})
	if mut {
		c.snips(snip{"mut", "mut ${1:i32}"})
	}
}

// constWords offers the constants of scripts.
func (c *completer) constWords() {
	for _, w := range []string{"i32.const", "i64.const", "f32.const", "f64.const"} {
		c.add(Item{Label: w, Kind: ItemInstr, Instr: w, Snippet: w + " ${1:0}" + c.closing()})
	}
	c.words("ref.null", "ref.func", "ref.extern")
	for _, d := range wasm.Dialects() { // any value of the design: `(ref.fiber)`
		c.words("ref." + d.Info().Word)
	}
}

// valTypes offers value types.
func (c *completer) valTypes() {
	add := func(w string) {
		d, _ := words.Type(w, false)
		c.add(Item{Label: w, Kind: ItemValType, Doc: d})
	}
	for _, w := range []string{"i32", "i64", "f32", "f64", "v128", "funcref", "externref", "anyref", "eqref",
		"i31ref", "structref", "arrayref", "exnref"} {
		add(w)
	}
	for _, h := range wasm.AbstractHeapTypes() { // those of the dialects
		w := h.Abbreviation()
		if d := h.Dialect(); d != wasm.DialectNone && c.dialect.Admits(d) && w != "" &&
			(!strings.HasPrefix(w, "null") || strings.HasPrefix(c.prefix, "nu")) {
			add(w)
		}
	}
	if c.m == nil || c.t.Declared == nil {
		return
	}
	for _, y := range c.m.Symbols(analysis.SpaceType) {
		if y.Name != "" {
			c.add(Item{Label: "(ref " + query.Display(y) + ")", Kind: ItemType, Detail: c.t.Short(y.Index)})
			c.add(Item{Label: "(ref null " + query.Display(y) + ")", Kind: ItemType, Detail: c.t.Short(y.Index)})
			if c.dialect.Info().InlineType && strings.HasPrefix(afterName(c.s, y), "(ref") {
				c.add(Item{Label: query.Display(y), Kind: ItemType, Detail: c.t.Short(y.Index)})
			}
		}
	}
}

// afterName returns the text of a declaration after its name.
func afterName(s *analysis.Snapshot, y analysis.Symbol) string {
	return strings.TrimLeft(s.File().Text[y.NameSpan.End:], " \t\r\n")
}

// heapTypes offers what can stand in `(ref …)`.
func (c *completer) heapTypes(f frame) {
	if len(f.args) == 0 {
		c.words("null")
	}
	c.names(analysis.SpaceType, nil)
	c.heapWords()
}

func (c *completer) heapWords() {
	if i := c.dialect.Info(); i.InlineType { // `(ref fiber i32)`
		c.add(Item{Label: i.Type.String(), Kind: ItemValType, Detail: words.Heap[i.Type.String()]})
	}
	for _, h := range wasm.AbstractHeapTypes() {
		if c.dialect.Admits(h.Dialect()) {
			w := h.Format(nil)
			c.add(Item{Label: w, Kind: ItemValType, Detail: words.Heap[w]})
		}
	}
}

// common are the instructions that come first where nothing is typed yet.
var common = []string{
	"local.get", "local.set", "local.tee", "global.get", "global.set", "call", "i32.const", "i64.const", "block",
	"loop", "if", "br", "br_if", "return",
	"resume", "suspend", "cont.new", "cont.bind", "switch", "resume_throw", "i32.add", "i32.sub", "i32.load",
	"i32.store", "ref.func", "ref.null", "drop", "unreachable",
}

// instructions offers instructions, folded after a parenthesis or flat.
func (c *completer) instructions(folded bool) {
	if strings.HasPrefix(c.prefix, "$") {
		return
	}
	c.nextEventSwitch(folded)
	if folded {
		c.skeletons()
	}
	c.wholeOperands(folded)
	offer := func(name string) {
		if match(c.prefix, name) < 0 {
			return
		}
		ops := wasm.Lookup(name)
		op := ops[0]
		if c.dialect != wasm.DialectNone {
			var ok bool
			if op, ok = op.In(c.dialect); !ok {
				return
			}
		}
		info := op.Info()
		if info.Legacy && c.prefix == "" {
			return
		}
		switch name {
		case "end", "else", "delegate", "catch", "catch_all", "event":
			return // offered where they fit
		}
		it := Item{
			Label: name, Kind: ItemInstr, Detail: op.Signature(), Instr: name, Insert: name,
			Fit: c.instrFit(op, folded),
		}
		it.Snippet = c.instrSnippet(op, folded)
		c.add(it)
	}
	for _, n := range common {
		offer(n)
	}
	for op := wasm.Op(1); op < wasm.NumOps && c.dialect.Switches(); op++ { // the design's own
		if op.Info().Dialect == c.dialect && !slices.Contains(common, op.String()) {
			offer(op.String())
		}
	}
	for _, n := range wasm.Mnemonics() {
		if !slices.Contains(common, n) && (!c.dialect.Switches() || !hasMnemonic(c.dialect, n)) {
			offer(n)
		}
	}
}

// hasMnemonic reports whether an instruction of a dialect has the name.
func hasMnemonic(d wasm.Dialect, name string) bool {
	op, ok := wasm.Lookup(name)[0].In(d)
	return ok && op.Info().Dialect == d
}

// instrSnippet returns an instruction with places for its immediates.
func (c *completer) instrSnippet(op wasm.Op, folded bool) string {
	name := op.String()
	closing := ""
	if folded {
		closing = c.closing()
	}
	if op.OpensBlock() {
		switch {
		case op == wasm.OpIf && folded:
			return "if ($1)\n  (then\n    $0)" + closing
		case op == wasm.OpLoop && folded:
			return "loop \\$${1:next}\n  $0\n  (br \\$${1:next})" + closing
		case folded:
			return name + " \\$${1:label}\n  $0" + closing
		}
		return name + " \\$${1:label}\n  $0\nend"
	}
	s := name
	n := 0
	hole := func(text string) {
		n++
		s += " ${" + strconv.Itoa(n) + ":" + text + "}"
	}
	for _, imm := range op.Info().Imms {
		switch imm {
		case wasm.ImmType:
			hole(`\$t`)
		case wasm.ImmTypeUse:
			hole(`(type \$t)`)
		case wasm.ImmFunc:
			hole(`\$f`)
		case wasm.ImmGlobal:
			hole(`\$g`)
		case wasm.ImmLocal:
			hole(`\$x`)
		case wasm.ImmLabel, wasm.ImmLabels:
			hole(`\$label`)
		case wasm.ImmTag:
			hole(`\$tag`)
		case wasm.ImmElem, wasm.ImmData:
			hole(`\$segment`)
		case wasm.ImmField:
			hole(`\$field`)
		case wasm.ImmU32, wasm.ImmI32, wasm.ImmI64, wasm.ImmLane:
			hole("0")
		case wasm.ImmF32, wasm.ImmF64:
			hole("0")
		case wasm.ImmHeapType:
			hole("func")
		case wasm.ImmRefType:
			hole("(ref any)")
		case wasm.ImmHandlerClauses:
			hole(`(on \$tag \$label)`)
		case wasm.ImmClauses:
			if namesFuncs(op) {
				hole(`(\$tag \$f)`)
			} else {
				hole(`(\$tag \$label)`)
			}
		}
	}
	if n == 0 && closing == "" {
		return ""
	}
	return s + closing
}
