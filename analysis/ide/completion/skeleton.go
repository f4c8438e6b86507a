package completion

import (
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/wasm"
)

// maxSkeletons bounds how many skeletons of a kind are offered.
const maxSkeletons = 8

// pieces offers whole pieces of text: clauses, instructions with their blocks, groups of fields.
type pieces struct{ *offers }

// skeleton is a family of skeletons: those of the dialect of an instruction, offered after a part
// of one of its words.
type skeleton struct {
	of    wasm.Op
	words []string
	offer func(*pieces)
}

var skeletons = slices.Concat(contSkeletons, stacksSkeletons, mountSkeletons, handleSkeletons, tasksSkeletons)

var contSkeletons = []skeleton{
	{wasm.OpResume, []string{"resume"}, (*pieces).resumeSkeletons},
	{wasm.OpSuspend, []string{"suspend"}, (*pieces).suspendSkeletons},
	{wasm.OpSwitch, []string{"switch"}, (*pieces).switchSkeletons},
}

// skeletons offers whole pieces of stack switching and exception handling for the module's tags and
// types, as the dialect writes them, after a part of their words.
func (c *pieces) skeletons() {
	if c.m == nil || c.t.Declared == nil || c.prefix == "" {
		return
	}
	on := func(word string) bool { return match(c.prefix, word) >= 0 }
	if on("try_table") {
		c.trySkeletons()
	}
	for _, s := range skeletons {
		if c.dialect.Admits(s.of.Info().Dialect) && slices.ContainsFunc(s.words, on) {
			s.offer(c)
		}
	}
}

// fieldSkeletons offers groups of module fields, without the first parenthesis where it is typed
// already.
func (c *pieces) fieldSkeletons(folded bool) {
	add := func(word, detail, snippet string) {
		it := Item{
			Label: word, Kind: ItemSnippet, Detail: detail, Snippet: snippet,
			Doc: "```wat\n" + unsnippet(snippet) + "\n```",
		}
		if folded {
			it.Filter = word
			it.Snippet = strings.TrimPrefix(it.Snippet, "(")
			if c.closing() == "" {
				it.Snippet = strings.TrimSuffix(it.Snippet, ")")
			}
		}
		it.Insert = unsnippet(it.Snippet)
		c.add(it)
	}
	add("func export", "exported function", "(func \\$${1:name} (export \"${1:name}\") ${2:(result i32)}\n  $0)")
	for _, m := range moduleSkeletons {
		if c.dialect.Admits(m.of.Info().Dialect) {
			add(m.word, m.detail, m.body)
		}
	}
	if c.hasType(wasm.CompCont) {
		add("cont type", "continuation type and its function type",
			"(type \\$${1:task} (func ${2:(param i32)}))\n(type \\$${3:ct} (cont \\$${1:task}))")
	}
}

// moduleSkeleton is a group of fields that shows the parts of a design together.
type moduleSkeleton struct {
	of                 wasm.Op // an instruction of its dialect
	word, detail, body string
}

// moduleSkeletons are a generator, and a function that consumes its elements, in each design.
var moduleSkeletons = []moduleSkeleton{
	{wasm.OpResume, "generator", "generator and its consumer", generatorCont},
	{wasm.OpStacksSwitch, "generator stacks", "generator and its consumer, each switching to the other", generatorStacks},
	{wasm.OpFiberMount, "generator mount", "generator fiber and the consumer that mounts it", generatorMount},
	{wasm.OpHandle, "generator handle", "generator fiber and the consumer that resumes it", generatorHandle},
	{wasm.OpTaskResume, "generator tasks", "generator task and the consumer that resumes it", generatorTasks},
}

// generatorCont is a generator and a function that consumes its elements.
const generatorCont = `(type \$${1:task} (func))
(type \$${2:gen} (cont \$${1:task}))
(tag \$${3:yield} (param ${4:i32}))
(elem declare func \$${5:produce})

(func \$${5:produce}
  (suspend \$${3:yield} (${4:i32}.const 1))
  $0)

(func \$${6:consume}
  (local \$k (ref null \$${2:gen}))
  (local.set \$k (cont.new \$${2:gen} (ref.func \$${5:produce})))
  (loop \$next
    (block \$on_${3:yield} (result ${4:i32} (ref \$${2:gen}))
      (resume \$${2:gen} (on \$${3:yield} \$on_${3:yield}) (local.get \$k))
      (return))
    (local.set \$k)
    (drop) ;; the element
    (br \$next)))`

// tags calls f for the tags with a name, as long as it is true.
func (c *pieces) tags(f func(y analysis.Symbol, ft *wasm.SubType) bool) {
	for _, y := range c.m.Symbols(analysis.SpaceTag) {
		if ft := c.t.TagType(y.Index); ft != nil && !f(y, ft) {
			return
		}
	}
}

// piece makes an item of a snippet to write after a parenthesis.
func (c *pieces) piece(filter, label, detail, snippet string) {
	it := Item{Label: label, Filter: filter, Kind: ItemSnippet, Detail: detail, Snippet: snippet,
		Fit: c.statementFit()}
	if c.closing() == "" { // the editor has written the closing parenthesis already
		if i := strings.LastIndex(it.Snippet, ")\n;;"); i >= 0 {
			it.Snippet = it.Snippet[:i]
		} else {
			it.Snippet = strings.TrimSuffix(it.Snippet, ")")
		}
	}
	it.Insert = unsnippet(it.Snippet)
	it.Doc = "```wat\n(" + unsnippet(snippet) + "\n```"
	c.add(it)
}

// statementFit returns how well a statement fits: not where an operand is wanted.
func (c *operands) statementFit() uint8 {
	if c.ops.hole {
		return fitNot
	}
	return fitExact
}

// unsnippet returns the text of a snippet with the placeholders as they stand at first.
func unsnippet(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case s[i] == '$' && i+1 < len(s) && s[i+1] == '{':
			for i += 2; i < len(s) && s[i] != ':'; i++ {
			}
			for i++; i < len(s) && s[i] != '}'; i++ {
				if s[i] == '\\' && i+1 < len(s) {
					i++
				}
				b.WriteByte(s[i])
			}
		case s[i] == '$':
			for i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' {
				i++
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// holes returns a place to write each operand, numbered from n.
func holes(n, count int) string {
	s := ""
	for i := range count {
		s += " ($" + query.Index(uint32(n+i)) + ")"
	}
	return s
}

// answerBlocks offers what sends an event, in the block that the answer goes to, for each tag that
// the answer can have. send returns the text that sends the event, with the clause that it is given.
func (c *pieces) answerBlocks(word, label string, send func(clause string) string) {
	n := 0
	c.tags(func(tag analysis.Symbol, ft *wasm.SubType) bool {
		name := query.Display(tag)
		on := esc("$" + label + "_" + strings.TrimPrefix(name, "$"))
		c.piece(
			word,
			word+" … "+name,
			"handler block for "+name+" "+c.t.List(ft.Params),
			"block ${1:"+on+"}"+esc(c.t.Sig(nil, ft.Params))+"\n  "+send(esc(name)+" ${1:"+on+"}")+"\n;; "+
				esc(name)+" arrived$0",
		)
		n++
		return n < maxSkeletons
	})
}

// resumeSkeletons offers a resume with its handler block around it, for each tag and the
// continuation types that can suspend with it.
func (c *pieces) resumeSkeletons() {
	n := 0
	for _, ct := range c.m.Symbols(analysis.SpaceType) {
		cf := c.t.Declared.ContFunc(ct.Index)
		if cf == nil {
			continue
		}
		c.tags(func(tag analysis.Symbol, ft *wasm.SubType) bool {
			if back, ok := c.contFor(ft, cf); ok && n < maxSkeletons {
				n++
				c.add(c.skeleton(ct, tag, ft, cf, back))
			}
			return n < maxSkeletons
		})
	}
}

// suspendSkeletons offers a suspend with each tag, with places for what it sends.
func (c *pieces) suspendSkeletons() {
	n := 0
	c.tags(func(tag analysis.Symbol, ft *wasm.SubType) bool {
		name := query.Display(tag)
		c.piece(
			"suspend", "suspend "+name, c.t.Arrow(ft.Params, ft.Results),
			"suspend "+esc(name)+holes(1, len(ft.Params))+")",
		)
		n++
		return n < maxSkeletons
	})
}

// switchSkeletons offers a switch for each continuation type that takes a continuation last, with
// each tag that it can switch on.
func (c *pieces) switchSkeletons() {
	n := 0
	for _, ct := range c.m.Symbols(analysis.SpaceType) {
		cf := c.t.Declared.ContFunc(ct.Index)
		if cf == nil || len(cf.Params) == 0 {
			continue
		}
		if last := cf.Params[len(cf.Params)-1]; !last.IsRef() || last.Heap() < 0 ||
			c.t.Declared.ContFunc(uint32(last.Heap())) == nil {
			continue
		}
		c.tags(func(tag analysis.Symbol, ft *wasm.SubType) bool {
			if len(ft.Params) == 0 && n < maxSkeletons {
				n++
				c.piece(
					"switch",
					"switch "+query.Display(ct)+" "+query.Display(tag),
					c.t.Short(ct.Index),
					"switch "+esc(
						query.Display(ct)+" "+query.Display(tag),
					)+holes(
						1,
						len(cf.Params)-1,
					)+" ($"+query.Index(
						uint32(len(cf.Params)),
					)+"))",
				)
			}
			return n < maxSkeletons
		})
	}
}

// trySkeletons offers a try_table with the block that a tag's exceptions go to.
func (c *pieces) trySkeletons() {
	n := 0
	c.tags(func(tag analysis.Symbol, ft *wasm.SubType) bool {
		if len(ft.Results) > 0 {
			return true
		}
		name := query.Display(tag)
		label := esc("$on_" + strings.TrimPrefix(name, "$"))
		c.piece(
			"try_table",
			"try_table catching "+name,
			"handler block for "+name+" "+c.t.List(ft.Params),
			"block ${1:"+label+"}"+esc(
				c.t.Sig(nil, ft.Params),
			)+"\n  (try_table (catch "+esc(
				name,
			)+" ${1:"+label+"})\n    $2)\n  ${0:(return)})\n;; "+esc(
				name,
			)+" was thrown: its values are on the stack",
		)
		n++
		return n < maxSkeletons
	})
}

// handlerClauses offers whole clauses: for each tag the label that fits, else a place to write one.
func (c *pieces) handlerClauses() {
	if c.m == nil || c.t.Declared == nil {
		return
	}
	for _, y := range c.m.Symbols(analysis.SpaceTag) {
		tag := query.Display(y)
		label := c.bestLabel(c.fitsTag(y.Index))
		sig := c.t.Describe(y)
		it := Item{
			Kind: ItemSnippet, Filter: "on " + tag, Detail: "handler clause for " + tag + " " + sig,
			Doc: query.DocAbove(c.s.File(), y.DeclSpan.Start),
		}
		if label != "" {
			it.Label = "on " + tag + " " + label
			it.Insert = it.Label + c.closing()
		} else {
			it.Label = "on " + tag + " …"
			it.Insert = "on " + tag + " $label" + c.closing()
			it.Snippet = "on " + esc(tag) + " ${1:" + esc("$on_"+strings.TrimPrefix(tag, "$")) + "}" + c.closing()
		}
		c.add(it)
	}
}

// contFor finds the continuation type that a handler gets: from the tag's results to what the
// resumed continuation returns.
func (c *pieces) contFor(ft, cf *wasm.SubType) (uint32, bool) {
	if ft == nil {
		return 0, false
	}
	for i := range c.t.Declared.Types {
		if f := c.t.Declared.ContFunc(uint32(i)); f != nil && slices.Equal(f.Params, ft.Results) &&
			slices.Equal(f.Results, cf.Results) {
			return uint32(i), true
		}
	}
	return 0, false
}

func (c *pieces) skeleton(ct, tag analysis.Symbol, ft, cf *wasm.SubType, back uint32) Item {
	name := strings.TrimPrefix(query.Display(tag), "$")
	on := "$on_" + name
	var ops strings.Builder
	for i := range cf.Params {
		ops.WriteString(" (" + "local.get $arg" + query.Index(uint32(i)) + ")")
	}
	block := func(label, k, body string) string {
		return "block " + label + c.t.Sig(
			nil,
			append(query.Concat(ft.Params, nil), wasm.Ref(false, wasm.HeapType(back))),
		) + "\n" +
			"  (resume " + query.Display(
			ct,
		) + " (on " + query.Display(
			tag,
		) + " " + label + ")" + ops.String() + " (local.get " + k + "))\n" +
			"  ;; the continuation returned\n" +
			"  " + body + ")\n" +
			";; suspended with " + query.Display(
			tag,
		) + ": payload and continuation are on the stack"
	}
	it := Item{
		Label:  "resume " + query.Display(ct) + " handling " + query.Display(tag),
		Filter: "resume",
		Kind:   ItemSnippet,
		Detail: "handler block for " + query.Display(tag),
		Insert: block(on, "$k", "(return)"),
		Fit:    c.statementFit(),
	}
	it.Snippet = strings.NewReplacer("\x01", "${1:"+esc(on)+"}", "\x02", "${2:\\$k}", "\x03", "${0:(return)}").
		Replace(esc(block("\x01", "\x02", "\x03")))
	if c.closing() == "" {
		// The editor has written the closing parenthesis already; the comment must not swallow it.
		cut := func(s string) string { return s[:strings.LastIndex(s, ")\n")] }
		it.Insert, it.Snippet = cut(it.Insert), cut(it.Snippet)
	}
	it.Doc = "```wat\n(" + block(on, "$k", "(return)") + "\n```"
	return it
}
