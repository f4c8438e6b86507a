package completion

import (
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/wasm"
)

// ItemKind is the kind of a completion item.
type ItemKind uint8

// The kinds.
const (
	ItemKeyword ItemKind = iota
	ItemInstr
	ItemSnippet
	ItemValType
	ItemType
	ItemFunc
	ItemTable
	ItemMemory
	ItemGlobal
	ItemTag
	ItemLocal
	ItemLabel
	ItemField
	ItemSegment
	ItemModule
)

// Item is something that could stand at a place.
type Item struct {
	Label   string
	Insert  string // plain text that replaces Completion.Replace
	Snippet string // the same with LSP snippet placeholders; "" if Insert is all
	Filter  string // what a typed prefix is compared with; "" for Label
	Detail  string
	Doc     string // Markdown
	Instr   string // mnemonic whose documentation InstrDoc returns
	Decl    Decl   // what the item names, whose documentation DeclDoc returns; zero if nothing
	Kind    ItemKind
	// Preselect marks the one item that fits best.
	Preselect bool
	// Fit reports how well the item goes with the operands at the place; the less the better.
	Fit uint8

	symbol *analysis.Symbol // whose detail finish fills in
	rank   int              // how it goes with the prefix, see match
}

// Result is what could stand at a place, best first.
type Result struct {
	Items      []Item
	Replace    source.Span // the word under the cursor
	Incomplete bool        // there is more: ask again as the word grows
	Name       bool        // a name has to come here, and nothing else: a client may show it unasked
}

// maxItems bounds an answer.
const maxItems = 120

// Complete returns what could stand at an offset, with no modules around. See CompleteIn.
func Complete(s *analysis.Snapshot, off int) Result { return CompleteIn(nil, s, off) }

// CompleteIn returns what could stand at an offset. It looks at the tokens before the offset only,
// so that half-written text is no hindrance; names come from what is around, and from the modules
// of a world in the strings of imports.
func CompleteIn(w *ide.World, s *analysis.Snapshot, off int) Result {
	sc := &scanner{s: s, off: off, replace: source.Span{Start: off, End: off}}
	o := &offers{operands: &operands{scanner: sc, m: s.ModuleAt(off)}}
	c := completer{offers: o, pieces: pieces{o}, externs: externs{o, w}}
	if !sc.scan() {
		c.inString()
		return o.result()
	}
	if o.m != nil {
		o.t = query.NewTypes(o.m)
		o.module = slices.Index(s.Modules(), o.m)
		sc.dialect = o.m.Dialect()
		o.fn, o.inFunc = o.m.FuncAt(off)
		if !o.inFunc && off > 0 {
			o.fn, o.inFunc = o.m.FuncAt(off - 1)
		}
		o.find()
	}
	c.complete()
	return o.result()
}

// completer decides what the place calls for, and has its parts offer that.
type completer struct {
	*offers
	pieces
	externs
}

// complete offers what the place calls for.
func (c *completer) complete() {
	defer c.finish()
	f := c.frame(0)
	if f.head == "" && strings.HasPrefix(c.prefix, "@") {
		c.annotationWords()
		return
	}
	if len(c.stack) > 1 && f.head == "" && !strings.HasPrefix(c.prefix, "$") {
		c.afterParen()
		return
	}
	if len(c.stack) > 1 && f.head == "" { // ($tag …: a clause without a word
		c.bareClauses()
		return
	}
	c.inside(f)
}

// inside offers what could come next among the parts of an open parenthesis.
func (c *completer) inside(f frame) {
	c.out.Name = nameNext(f.head, len(f.args))
	switch offer := sources[f.head]; {
	case offer != nil:
		offer(c, f, c.frame(1))
	case isIndex(f.head): // ($tag …
		c.clauseRest(f)
	case !strings.HasPrefix(f.head, "assert_"):
		c.nextInstr(f)
	}
}

// nextInstr offers the next immediate of an instruction, or the next instruction.
func (c *completer) nextInstr(f frame) {
	c.immediates(f, sequence(f.head) || len(f.args) == 0 && f.head == "")
}

// nameNext reports whether a name has to follow after n parts of a clause, a type or a command.
func nameNext(head string, n int) bool {
	switch head {
	case "on", "catch", "catch_ref":
		return n < 2
	case "catch_all", "catch_all_ref", "cont", "start", "invoke", "get":
		return n == 0
	}
	return false
}

// sequence reports whether flat instructions can stand in a parenthesis.
func sequence(head string) bool {
	switch head {
	case "func",
		"block",
		"loop",
		"then",
		"else",
		"do",
		"try_table",
		"barrier",
		"handle",
		"event",
		"catch_all",
		"item",
		"offset":
		return true
	}
	return false
}

// immediates offers the next immediate of the current instruction, and the next instruction where
// one can stand.
func (c *completer) immediates(f frame, flat bool) {
	op, args, ok := c.instrOf(f)
	want := true
	if ok {
		defer func() { c.typed = typedImms{} }()
		want = c.immediate(op, args)
		c.out.Name = !want
	}
	if !flat && want && ok {
		c.foldedOperands(f)
	}
	if flat && want && !strings.HasPrefix(c.prefix, "$") {
		c.instructions(false)
		if n := len(f.flat); n > 0 {
			c.words("end", "else")
			if c.frameEvents() {
				c.words("event")
			}
			if l := f.flat[n-1]; l != "" {
				c.add(Item{Label: "end " + l, Kind: ItemKeyword})
			}
		}
	}
}

// immediate offers what an instruction takes next. It reports whether the instruction may be
// complete.
func (c *completer) immediate(op wasm.Op, args []arg) (complete bool) {
	imms := op.Info().Imms
	k := 0
	for _, a := range args {
		if k >= len(imms) {
			break
		}
		switch imms[k] {
		case wasm.ImmLabels, wasm.ImmHandlerClauses, wasm.ImmClauses, wasm.ImmBlock, wasm.ImmMemArg:
			// these take any number of tokens
		case wasm.ImmTypeUse:
		default:
			if !a.group {
				k++
			}
		}
	}
	if op == wasm.OpEvent && len(args) == 1 && isIndex(args[0].text) {
		c.names(analysis.SpaceTag, nil) // what stands there is a label
		return true
	}
	if k >= len(imms) {
		return true
	}
	c.read(op, args, k)
	switch imm := imms[k]; imm {
	case wasm.ImmType:
		if filter := c.opTypeFilter(op, k); op == wasm.OpContBind && k == 1 {
			c.names(analysis.SpaceType, c.bindFilter(args[0].text))
		} else {
			c.fitting(op, analysis.SpaceType, filter)
		}
	case wasm.ImmTypeUse:
		return true
	case wasm.ImmFunc:
		c.fitting(op, analysis.SpaceFunc, nil)
	case wasm.ImmTable:
		c.names(analysis.SpaceTable, nil)
		return true
	case wasm.ImmMemory:
		c.names(analysis.SpaceMemory, nil)
		return true
	case wasm.ImmGlobal:
		c.fitting(op, analysis.SpaceGlobal, func(y analysis.Symbol) bool {
			return op != wasm.OpGlobalSet ||
				int(y.Index) < len(c.t.Declared.Globals) && c.t.Declared.Globals[y.Index].Mut
		})
	case wasm.ImmLocal:
		c.locals(op)
	case wasm.ImmLabel:
		c.labels(c.branchFit(op))
	case wasm.ImmLabels:
		c.labels(nil)
		return len(args) > 0
	case wasm.ImmTag:
		c.fitting(op, analysis.SpaceTag, nil)
	case wasm.ImmElem:
		c.names(analysis.SpaceElem, nil)
	case wasm.ImmData:
		c.names(analysis.SpaceData, nil)
	case wasm.ImmField:
		if len(args) > 0 {
			c.fields(args[0].text)
		}
	case wasm.ImmMemArg:
		if !slices.ContainsFunc(args, func(a arg) bool { return strings.HasPrefix(a.text, "offset=") }) {
			c.add(Item{Label: "offset=", Kind: ItemKeyword, Detail: "added to the address"})
		}
		c.add(Item{Label: "align=", Kind: ItemKeyword, Detail: "alignment in bytes"})
		if len(args) == 0 {
			c.names(analysis.SpaceMemory, nil)
		}
		return true
	case wasm.ImmHeapType, wasm.ImmRefType:
		c.heapWords()
		if imm == wasm.ImmHeapType {
			c.names(analysis.SpaceType, nil)
		}
	default:
		return true
	}
	return false
}
