package coverage_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/ide"
	"stackscope/analysis/ide/completion"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
	"stackscope/wasm/text"
)

// snippet returns a module as an example, with commands that run it if there are any.
func snippet(src, commands string) *example {
	x := &example{
		name: "snippet", file: source.NewFile("snippet.wat", src), reached: map[place]bool{}, entered: map[place]bool{},
	}
	if commands != "" {
		x.script = source.NewFile("snippet.wast", src+"\n"+commands)
	}
	x.snap = analysis.Open(x.file, analysis.Options{})
	x.mod = x.snap.Modules()[0]
	x.dialect = x.mod.Dialect()
	return x
}

// errorsIn returns the errors of a text.
func errorsIn(src string) (out []diag.Diagnostic) {
	for _, d := range analysis.Open(source.NewFile("a.wat", src), analysis.Options{}).Diagnostics() {
		if d.Severity == diag.Error {
			out = append(out, d)
		}
	}
	return out
}

func format(src string) string {
	t := analysis.Open(source.NewFile("a.wat", src), analysis.Options{}).Tree()
	out, _ := source.ApplyAll(src, syntax.Format(t, syntax.FormatOptions{}, source.Span{End: len(src)}))
	return out
}

// provesText: the construct is read, formatted whatever its layout is, printed from the module that
// it became, and read again as the same.
func provesText(c *construct, o occurrence) error {
	if ds := o.snap.Diagnostics(); len(ds) > 0 && c.snippet == "" {
		return errors.New(ds[0].Message)
	}
	src := o.file.Text
	var ragged strings.Builder // without indentation
	for l := range strings.Lines(src) {
		ragged.WriteString(strings.TrimLeft(l, " "))
	}
	switch {
	case c.snippet != "":
	case format(src) != src:
		return errors.New("it is not formatted")
	case format(ragged.String()) != src:
		return errors.New("without indentation it is formatted in another way")
	}
	mod, ok := o.mod.Lower()
	if !ok {
		return errors.New("it is invalid")
	}
	printed, _ := text.Print(mod, text.Options{})
	again := analysis.Open(source.NewFile("a.wat", printed), analysis.Options{}).Modules()[0]
	mod2, ok := again.Lower()
	if !ok || again.Dialect() != c.dialect {
		return fmt.Errorf("printed, it is invalid or of the design %s", again.Dialect())
	}
	// Inline types have become definitions, which equal types may stand for.
	if p2, _ := text.Print(mod2, text.Options{}); p2 != printed && c.snippet == "" {
		return errors.New("printed twice, it differs")
	}
	if c.op != 0 && !strings.Contains(printed, c.name) {
		return errors.New("printed, it is gone")
	}
	return nil
}

// provesCheck: a mistake in the construct is an error there.
func provesCheck(c *construct, o occurrence) error {
	src, own := o.file.Text, o.file.Text[o.from:o.to]
	var from, to int
	put := c.mistake
	switch {
	case c.wrong != nil:
		ms := c.wrong.FindAllStringIndex(own, -1)
		if len(ms) == 0 {
			return fmt.Errorf("no %s in %s", c.wrong, own)
		}
		from, to = o.from+ms[len(ms)-1][0], o.from+ms[len(ms)-1][1]
	default:
		from, to, put = instructionMistake(o)
	}
	if from == to && put == "" {
		return errors.New("the test finds no mistake to make")
	}
	wrong := src[:from] + put + src[to:]
	shift := len(wrong) - len(src)
	ds := errorsIn(wrong)
	for _, d := range ds {
		if d.Span.Start < o.to+shift && d.Span.End > o.from {
			return nil
		}
	}
	return fmt.Errorf("%q as %q: %d errors, none there: %+v", src[from:to], put, len(ds), ds)
}

// instructionMistake puts an unknown name in place of the first immediate of an instruction that is
// an index; or, where it has none, another type in place of its operand, or of its block.
func instructionMistake(o occurrence) (from, to int, put string) {
	in := &o.body.Instrs[o.pc]
	src := o.file.Text
	for k, imm := range in.Op.Info().Imms {
		index, space := in.A, analysis.SpaceFunc
		if k > 0 {
			index = in.B
		}
		switch imm {
		case wasm.ImmType:
			space = analysis.SpaceType
		case wasm.ImmFunc:
		case wasm.ImmTag:
			space = analysis.SpaceTag
		case wasm.ImmClauses:
			space, index = analysis.SpaceTag, in.Ext.HandlerClauses[0].Tag
		case wasm.ImmBlock:
			return o.end, o.end, " (param i64)"
		default:
			continue
		}
		name := "$" + o.mod.Symbols(space)[index].Name
		if i := strings.Index(src[o.end:o.to], name); i >= 0 {
			return o.end + i, o.end + i + len(name), "$nowhere"
		}
	}
	if i := strings.IndexByte(src[o.end:o.to], '('); i >= 0 {
		from, to = form(src, o.end+i)
		return from, to, "(i64.const 0)"
	}
	return 0, 0, ""
}

// provesHover: the hover of the word describes it.
func provesHover(c *construct, o occurrence) error {
	h, ok := ide.Hover(o.snap, o.at)
	if !ok || h.Markdown == "" {
		return errors.New("there is no hover")
	}
	if word := o.file.Text[o.at:o.end]; !strings.Contains(h.Markdown, word) {
		return fmt.Errorf("the hover does not mention %s: %s", word, h.Markdown)
	}
	return nil
}

// provesCompletion: where only the beginning of the word is written, the word is offered.
func provesCompletion(c *construct, o occurrence) error {
	src := o.file.Text
	word := src[o.at:o.end]
	typed := min(2, len(word)-1)
	cut := src[:o.at+typed] + src[o.end:]
	items := completion.Complete(analysis.Open(source.NewFile("a.wat", cut), analysis.Options{}), o.at+typed).Items
	var labels []string
	for _, it := range items {
		if it.Label == word || it.Label == "@"+word || strings.HasPrefix(it.Label, word+" ") || it.Insert == word {
			return nil
		}
		labels = append(labels, it.Label)
	}
	return fmt.Errorf("%s is not among %d: %.200q", word, len(items), labels)
}

// provesSignature: somewhere inside of the instruction there is its signature.
func provesSignature(c *construct, o occurrence) error {
	if o.body == nil || o.pc < 0 {
		return errors.New("it is in no body")
	}
	name := o.body.Instrs[o.pc].Op.String()
	from, to := form(o.file.Text, o.body.Span(o.pc).Start)
	var others []string
	for off := from + 1 + len(name); off < to; off++ {
		if s, ok := ide.Signature(o.snap, off); ok {
			if strings.HasPrefix(s.Label, name) {
				return nil
			}
			if !slices.Contains(others, s.Label) {
				others = append(others, s.Label)
			}
		}
	}
	// As an operand without operands of its own it is described as what consumes it says: alone, it
	// is itself.
	before, after := field(o.file.Text, o.at)
	alone := o.file.Text[:before] + "(func " + o.file.Text[from:to] + ")" + o.file.Text[after:]
	s := analysis.Open(source.NewFile("a.wat", alone), analysis.Options{})
	if x, ok := ide.Signature(s, before+len("(func ")+1+len(name)+1); ok && strings.HasPrefix(x.Label, name) {
		return nil
	}
	return fmt.Errorf("no signature of it, but %q", others)
}

// provesEffects: the function that the construct is in is told to do something to stacks, with the
// tag of the construct if it has one.
func provesEffects(c *construct, o occurrence) error {
	if o.body == nil || o.pc < 0 {
		return errors.New("it is in no body")
	}
	from, to := field(o.file.Text, o.at)
	tag := ""
	in := &o.body.Instrs[o.pc]
	switch {
	case c.kind == clause && in.Op == wasm.OpEvent, c.kind == instruction && hasTag(in.Op):
		tag = o.mod.Symbols(analysis.SpaceTag)[in.A].Name
	case in.Ext != nil && len(in.Ext.HandlerClauses) > 0:
		tag = o.mod.Symbols(analysis.SpaceTag)[in.Ext.HandlerClauses[0].Tag].Name
	}
	var got []string
	for _, l := range ide.EffectLenses(o.snap) {
		if l.Span.Start < from || l.Span.Start >= to {
			continue
		}
		if strings.Contains(l.Title, tag) {
			return nil
		}
		got = append(got, l.Title)
	}
	return fmt.Errorf("no %s in %q", tag, got)
}

func hasTag(op wasm.Op) bool {
	imms := op.Info().Imms
	return len(imms) > 0 && imms[0] == wasm.ImmTag
}

// field returns the field of the module that an offset is in: it begins in the third column.
func field(src string, at int) (from, to int) {
	i := strings.LastIndex(src[:at], "\n  (")
	return form(src, i+3)
}
