package completion

import (
	"cmp"
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
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
	Instr   string // mnemonic whose documentation InstrDoc gives
	Decl    Decl   // what the item names, whose documentation DeclDoc gives; zero if nothing
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
	c := completer{w: w, s: s, off: off, m: s.ModuleAt(off)}
	c.out.Replace = source.Span{Start: off, End: off}
	if !c.scan() {
		return c.out
	}
	if c.m != nil {
		c.t = query.NewTypes(c.m)
		c.module = slices.Index(s.Modules(), c.m)
		c.dialect = c.m.Dialect()
		c.fn, c.inFunc = c.m.FuncAt(off)
		if !c.inFunc && off > 0 {
			c.fn, c.inFunc = c.m.FuncAt(off - 1)
		}
		c.operands()
	}
	c.complete()
	return c.out
}

// frame is an open parenthesis before the cursor, with what stands in it so far.
type frame struct {
	head string
	open int // where its parenthesis stands
	// Where its head stands, and the last flat instruction in it; 0 if there is none.
	headAt, flatAt int

	args []arg
	flat []string // labels of the flat blocks that are open in it, "" for one without
}

// arg is a token, or a closed parenthesis by its head word.
type arg struct {
	text  string
	group bool
}

type completer struct {
	w       *ide.World
	s       *analysis.Snapshot
	m       *analysis.Module
	t       query.Types
	off     int
	fn      uint32
	inFunc  bool
	dialect wasm.Dialect
	module  int // the number of m

	stack  []frame // outermost first; stack[0] is outside all parentheses of the unit
	prefix string
	out    Result

	ops      operandsAt
	locTypes []wasm.ValType              // see localTypes
	closer   *string                     // see closing
	fit      func(analysis.Symbol) uint8 // of what is offered, see fitting
}

// scan reads the tokens before the cursor. It is false where nothing can be completed: in comments
// and strings.
func (c *completer) scan() bool {
	t := c.s.Tree()
	text := c.s.File().Text
	i, _ := slices.BinarySearchFunc(t.Units, c.off, func(u syntax.Placed, off int) int {
		if u.Off+int(u.Len) < off {
			return -1
		}
		return 1
	})
	// At the seam of two units the one before counts, if the cursor touches its last token or it is
	// not closed.
	c.stack = []frame{{}}
	if i >= len(t.Units) {
		return false
	}
	if b := &t.Units[i]; i > 0 && (len(b.Tokens) == 0 || b.Off+int(b.Tokens[0].Off) >= c.off) && query.Unclosed(&t.Units[i-1]) {
		i--
	}
	u := &t.Units[i]
	end := u.Off
	opened := false
	for k := range u.Tokens {
		tok := &u.Tokens[k]
		a := u.Off + int(tok.Off)
		b := a + int(tok.Len)
		if a >= c.off {
			break
		}
		if b >= c.off && tok.Kind == syntax.TokAnnot { // an annotation's name is completed like a word after its parenthesis
			c.stack = append(c.stack, frame{open: a})
			c.prefix, c.out.Replace, end, opened = text[a+1:c.off], source.Span{Start: a + 1, End: b}, c.off, true
			break
		}
		if b >= c.off && isPrefix(tok.Kind) {
			c.prefix = text[a:c.off]
			c.out.Replace = source.Span{Start: a, End: b}
			end = c.off
			break
		}
		switch {
		case tok.Kind == syntax.TokBad && text[a] == '"':
			c.inString(a+1, c.off) // it is not closed
			return false
		case tok.Kind == syntax.TokString && b >= c.off:
			c.inString(a+1, max(b-1, c.off))
			return false
		case b > c.off:
			return false
		}
		end = b
		c.token(tok.Kind, text[a:b], a)
		opened = opened || len(c.stack) > 1
	}
	if opened && len(c.stack) == 1 {
		c.stack[0] = frame{} // behind a complete field
	}
	return !query.InComment(text[end:c.off])
}

func isPrefix(k syntax.TokenKind) bool {
	switch k {
	case syntax.TokKeyword, syntax.TokID, syntax.TokNat, syntax.TokInt, syntax.TokReserved, syntax.TokFloat:
		return true
	}
	return false
}

func (c *completer) token(k syntax.TokenKind, text string, off int) {
	top := &c.stack[len(c.stack)-1]
	switch k {
	case syntax.TokLParen:
		c.stack = append(c.stack, frame{open: off})
		return
	case syntax.TokAnnot:
		c.stack = append(c.stack, frame{head: text, open: off})
		return
	case syntax.TokRParen:
		if len(c.stack) > 1 {
			c.stack = c.stack[:len(c.stack)-1]
			p := &c.stack[len(c.stack)-1]
			p.args = append(p.args, arg{top.head, true})
		}
		return
	}
	if top.head == "" && len(c.stack) > 1 && len(top.args) == 0 {
		top.head, top.headAt = text, off
		return
	}
	c.noteFlat(top, k, text, off)
	if k == syntax.TokKeyword {
		switch ops := wasm.Lookup(text); {
		case text == "end" && len(top.flat) > 0:
			top.flat = top.flat[:len(top.flat)-1]
		case len(ops) > 0 && ops[0].OpensBlock():
			top.flat = append(top.flat, "")
		}
	} else if k == syntax.TokID && len(top.flat) > 0 && len(top.args) > 0 {
		if ops := wasm.Lookup(top.args[len(top.args)-1].text); len(ops) > 0 && ops[0].OpensBlock() {
			top.flat[len(top.flat)-1] = text
		}
	}
	top.args = append(top.args, arg{text, false})
}

// frame returns the i-th frame from the innermost; an empty one beyond.
func (c *completer) frame(i int) frame {
	if i < len(c.stack) {
		return c.stack[len(c.stack)-1-i]
	}
	return frame{}
}

// instrOf returns the instruction that a frame is in the immediates of, with what follows it: the
// head of a folded one, or the last flat one of a sequence.
func (c *completer) instrOf(f frame) (op wasm.Op, args []arg, ok bool) {
	for i := len(f.args) - 1; i >= 0; i-- {
		if a := f.args[i]; !a.group {
			if op, ok := c.opOf(a.text); ok {
				return op, f.args[i+1:], true
			}
		}
	}
	op, ok = c.opOf(f.head)
	return op, f.args, ok
}

func (c *completer) opOf(name string) (wasm.Op, bool) {
	ops := wasm.Lookup(name)
	if len(ops) == 0 {
		return 0, false
	}
	if op, ok := ops[0].In(c.dialect); ok {
		return op, true
	}
	return ops[0], true
}

// add offers an item if the prefix narrows to it.
func (c *completer) add(it Item) {
	if it.Insert == "" {
		it.Insert = it.Label
	}
	key := it.Filter
	if key == "" {
		key = it.Label
	}
	if match(c.prefix, key) >= 0 {
		c.out.Items = append(c.out.Items, it)
	}
}

// match ranks how well a word goes with a prefix: 0 begins with it, 1 begins a part behind a dot or
// underscore, 2 holds it; -1 not at all. A prefix with `$` asks for names only.
func match(prefix, word string) int {
	if len(prefix) > 2*len(word) {
		return -1
	}
	p, w := strings.ToLower(prefix), strings.ToLower(word)
	if strings.HasPrefix(p, "$") && !strings.HasPrefix(w, "$") {
		return -1
	}
	switch {
	case strings.HasPrefix(w, p):
		return 0
	case strings.HasPrefix(w, "$"+p), strings.Contains(w, "."+p), strings.Contains(w, "_"+p), strings.Contains(w, " "+p):
		return 1
	case len(p) >= 2 && strings.Contains(w, strings.TrimPrefix(p, "$")):
		return 2
	}
	return -1
}

// finish orders the items by how well they match and cuts the list.
func (c *completer) finish() {
	key := func(it Item) string {
		if it.Filter != "" {
			return it.Filter
		}
		return it.Label
	}
	for i := range c.out.Items {
		c.out.Items[i].rank = match(c.prefix, key(c.out.Items[i]))
	}
	slices.SortStableFunc(c.out.Items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.Fit, b.Fit))
	})
	seen := map[string]bool{}
	c.out.Items = slices.DeleteFunc(c.out.Items, func(it Item) bool {
		dup := seen[it.Label]
		seen[it.Label] = true
		return dup
	})
	if len(c.out.Items) > maxItems {
		c.out.Items, c.out.Incomplete = c.out.Items[:maxItems], true
	}
	for i := range c.out.Items {
		if it := &c.out.Items[i]; it.symbol != nil {
			it.Detail = c.detail(*it.symbol)
		}
	}
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
	if len(c.stack) > 1 && f.head == "" {
		// ($tag …: a clause of the dialects with bare clauses
		c.names(analysis.SpaceTag, nil)
		return
	}
	c.inside(f)
}

// inside offers what could come next among the parts of an open parenthesis.
func (c *completer) inside(f frame) {
	n := len(f.args)
	parent := c.frame(1)
	c.out.Name = nameNext(f.head, n)
	switch f.head {
	case "":
		if len(c.stack) == 1 { // outside all parentheses
			if c.prefix != "" && !strings.HasPrefix(c.prefix, "$") {
				c.fieldSkeletons(false)
			}
			return
		}
	case "invoke", "get", "register":
		c.scriptNames(f, `"`)
		return
	case "param", "local", "field", "mut", "array":
		c.valTypes()
		return
	case "result":
		c.valTypes()
		return
	case "ref":
		c.heapTypes(f)
		return
	case "type":
		if p := parent.head; p != "module" && p != "rec" && len(c.stack) > 2 && n == 0 {
			c.names(analysis.SpaceType, c.typeFilter(parent))
		}
		return
	case "cont":
		c.names(analysis.SpaceType, func(y analysis.Symbol) bool { return c.isComp(y, wasm.CompFunc) })
		return
	case "sub":
		if n == 0 {
			c.words("final")
		}
		c.names(analysis.SpaceType, nil)
		return
	case "on":
		switch n {
		case 0:
			c.names(analysis.SpaceTag, nil)
		case 1:
			c.labels(c.clauseFit(f.args[0].text))
			c.words("switch")
		}
		return
	case "catch", "catch_ref":
		switch n {
		case 0:
			c.names(analysis.SpaceTag, nil)
		case 1:
			c.labels(nil)
		}
		return
	case "catch_all", "catch_all_ref":
		c.labels(nil)
		return
	case "start":
		c.names(analysis.SpaceFunc, func(y analysis.Symbol) bool {
			ft := c.t.FuncType(y.Index)
			return ft != nil && len(ft.Params)+len(ft.Results) == 0
		})
		return
	case "global":
		if parent.head == "export" {
			c.names(analysis.SpaceGlobal, nil)
			return
		}
		c.valTypes()
		return
	case "table":
		if parent.head == "export" || parent.head == "elem" {
			c.names(analysis.SpaceTable, nil)
			return
		}
		c.valTypes()
		c.words("i64")
		return
	case "memory":
		if parent.head == "export" || parent.head == "data" {
			c.names(analysis.SpaceMemory, nil)
		} else {
			c.words("i64", "shared")
		}
		return
	case "tag":
		if parent.head == "export" {
			c.names(analysis.SpaceTag, nil)
		}
		return
	case "elem":
		c.words("func", "declare", "funcref")
		c.names(analysis.SpaceFunc, nil)
		return
	case "module", "import", "export", "rec", "data", "struct", "item", "offset":
		if f.head == "item" && parent.head != "import" || f.head == "offset" {
			c.immediates(f, true)
		}
		return
	case "func":
		switch parent.head {
		case "type", "sub":
			return
		case "export":
			c.names(analysis.SpaceFunc, nil)
			return
		case "import", "item":
			return
		}
	}
	if strings.HasPrefix(f.head, "assert_") {
		return
	}
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
		case wasm.ImmLabels, wasm.ImmHandlers, wasm.ImmClauses, wasm.ImmBlock, wasm.ImmMemArg:
			// these take any number of tokens
		case wasm.ImmTypeUse:
		default:
			if !a.group {
				k++
			}
		}
	}
	if k >= len(imms) {
		return true
	}
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
			return op != wasm.OpGlobalSet || int(y.Index) < len(c.t.Declared.Globals) && c.t.Declared.Globals[y.Index].Mut
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
