package ide

import (
	"fmt"
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// effectText reports what an instruction of Wasm 3.0 does to control, where that is worth a line.
var effectText = map[wasm.Effect]string{
	wasm.EffectTrap:     "Always traps.",
	wasm.EffectThrow:    "Throws: control goes to the innermost matching handler, across stacks if necessary.",
	wasm.EffectTailCall: "Leaves this function and removes its frame.",
}

// StackText returns what an instruction does to stacks and control, as Markdown in the words of its
// design: a sentence for each thing that wasm.Op.Does reports. It is "" if there is nothing to say.
func StackText(op wasm.Op) string {
	in := op.Info()
	does := op.Does()
	if does == 0 {
		return effectText[in.Effect]
	}
	d := in.Dialect.Info()
	w := &d.Words
	has := func(x wasm.Does) bool { return does&x != 0 }
	var out []string
	say := func(on bool, format string, args ...any) {
		if on {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	peer := in.Effect == wasm.EffectSwitch || in.Then == wasm.EffectSwitch
	switch {
	case has(wasm.DoesEnter):
		say(true, "**Creates a %s and enters it at once:** control goes to its function.", w.Noun)
		say(has(wasm.DoesWait), "This stack waits as its %s.", w.Parent)
		say(peer, "The %s that it is switched from is suspended.", w.Noun)
	case has(wasm.DoesCreate):
		say(true, "**Creates a %s.** Nothing runs until it is %s.", w.Noun, w.Resumed)
	case in.Effect == wasm.EffectBind:
		say(true, "**Consumes** the %s: the old reference cannot be used again.", w.Noun)
	case has(wasm.DoesEnd) && d.Events && peer:
		say(true, "**Ends the first %s** and what runs below it: control goes to the second one.", w.Noun)
	case has(wasm.DoesEnd) && d.Events:
		say(true, "**Ends the %s** and what runs below it: control goes to its %s.", w.Noun, w.Parent)
	case has(wasm.DoesEnd):
		say(true, "**Ends this %s:** control goes to another one.", w.Noun)
	case has(wasm.DoesWait):
		say(true, "**Switches stacks:** control goes to the %s; this stack waits as its %s.", w.Noun, w.Parent)
	case has(wasm.DoesSwitch) && peer && d.Events:
		say(true, "**Switches stacks:** control goes to the second %s; the first one is suspended.", w.Noun)
	case has(wasm.DoesSwitch) && peer:
		say(true, "**Switches stacks:** control goes to a peer; this stack is suspended.")
	case has(wasm.DoesSwitch) && d.Events:
		say(true, "**Switches stacks:** control goes to the %s of the %s; the %s is suspended until it is %s.",
			w.Parent, w.Noun, w.Noun, w.Resumed)
	case has(wasm.DoesSwitch):
		say(true, "**Switches stacks:** control goes to an ancestor; this stack is suspended until it is %s.", w.Resumed)
	case has(wasm.DoesEndOther):
		say(true, "**Ends the %s** without running it.", w.Noun)
	}
	say(has(wasm.DoesConsume) && in.Effect != wasm.EffectBind,
		"**Consumes** the reference: it cannot be used again.")
	say(has(wasm.DoesThrow), "The exception is thrown where that %s stands.", w.Noun)
	say(has(wasm.DoesThrow) && !has(wasm.DoesWait),
		"Its last value is the reference to this %s, which what catches it needs to switch back.", w.Noun)
	say(has(wasm.DoesLeave),
		"**Leaves this function:** when control comes back, the %s calls the other function in its place.", w.Noun)
	say(has(wasm.DoesFallThrough) && has(wasm.DoesEnter),
		"**Falls through** with the new %s and the results when it gets the first tag, as when the function returns.",
		w.Noun)
	say(has(wasm.DoesFallThrough) && !has(wasm.DoesEnter),
		"**Falls through** if the stack that would run has no clause for the %s: nothing has changed then.", w.Event)
	switch {
	case !has(wasm.DoesTrapUnheard):
	case d.FrameEvents:
		say(true, "Traps (`unhandled event`) if no `event` clause for the tag is in scope where that stack stands.")
	case d.EventSwitch:
		say(true, "Traps (`unhandled event`) if the `event.switch` of that stack has no pair for the tag.")
	default:
		say(true, "Without a handler clause for the tag the host call ends (`unhandled tag`).")
	}
	switch {
	case !has(wasm.DoesSwitch):
	case d.FrameEvents && !has(wasm.DoesEnd) && has(wasm.DoesNotContinue):
		say(true, "Control comes back in an `event` clause that is in scope here.")
	case d.FrameEvents && !has(wasm.DoesEnd):
		say(true, "An event that comes back goes to an `event` clause in scope here; the results of the %s arrive here.",
			w.Noun)
	case d.EventSwitch && !has(wasm.DoesEnd):
		say(true, "Control comes back at the `event.switch` that follows.")
	case d.FallsThrough && !has(wasm.DoesEnd):
		say(true, "An event that comes back goes to the label of its clause.")
	}
	say(has(wasm.DoesNotContinue), "The code after it is unreachable.")
	return strings.Join(out, " ")
}

// clauseAt returns the clause of the instruction around a node that stands in the text of the node.
func clauseAt(in *wasm.Instr, n syntax.N) (wasm.HandlerClause, bool) {
	sp := n.Span()
	if in.Ext != nil {
		for _, h := range in.Ext.HandlerClauses {
			if h.At >= wasm.Pos(sp.Start) && h.At < wasm.Pos(sp.End) {
				return h, true
			}
		}
	}
	return wasm.HandlerClause{}, false
}

// bareClause reports what the clause around the cursor does, where it is one of a dialect with events.
func (p describer) bareClause(c *card, t query.Types) {
	b, i := p.Instr()
	if i < 0 || b.Instrs[i].Op.Info().Dialect.Info().HandlerClauses {
		return
	}
	if h, ok := clauseAt(&b.Instrs[i], p.Node); ok {
		p.eventClauseText(c, t, b, i, h)
	}
}

// eventClauseText reports what a clause of a dialect with events does: which label or function gets
// what.
func (p describer) eventClauseText(c *card, t query.Types, b *analysis.Body, i int, h wasm.HandlerClause) {
	in := &b.Instrs[i]
	d := in.Op.Info().Dialect.Info()
	var brings []wasm.ValType
	if ft := t.TagType(h.Tag); ft != nil {
		brings = ft.Params
	}
	if in.Op.Does()&(wasm.DoesCreate|wasm.DoesEnter) == wasm.DoesCreate {
		fn := "its function"
		if y, ok := p.Module.Symbol(analysis.Sym{Space: analysis.SpaceFunc, Index: h.Label}); ok {
			fn = "`" + query.Display(y) + "`"
		}
		what := and("the operands", "the "+d.Noun, payload(t, brings))
		c.para(fmt.Sprintf("An entry: if the first %s of the new %s is `%s`, it begins in %s with %s.",
			d.Event, d.Noun, p.tagTitle(h.Tag), fn, what))
		return
	}
	first := ""
	switch n := t.ClauseTakes(b, i, h); {
	case in.Op.Does()&wasm.DoesCreate != 0:
		first = "the new " + d.Noun
	case n > 0:
		first = fmt.Sprintf("%d %s from here", n, plural(n, "operand"))
	}
	s := fmt.Sprintf("When the %s `%s` arrives here, control goes to %s",
		d.Event, p.tagTitle(h.Tag), p.labelTitle(b, i, h.Label))
	if what := and(first, payload(t, brings)); what != "" {
		s += " with " + what
	}
	c.para(s + ".")
}

// payload names the values that an event brings; "" if there are none.
func payload(t query.Types, ts []wasm.ValType) string {
	if len(ts) == 0 {
		return ""
	}
	return "the payload `" + t.List(ts) + "`"
}

// and lists things, those that are "" left out.
func and(things ...string) string {
	things = slices.DeleteFunc(things, func(s string) bool { return s == "" })
	switch n := len(things); n {
	case 0, 1:
		return strings.Join(things, "")
	default:
		return strings.Join(things[:n-1], ", ") + " and " + things[n-1]
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// eventDetails reports what a clause `(event $tag …)` is for.
func (p describer) eventDetails(c *card, t query.Types, b *analysis.Body, i int) {
	in := &b.Instrs[i]
	if in.A == wasm.BadIndex {
		return
	}
	d := in.Op.Info().Dialect.Info()
	where, begins := "the function", ", or a new "+d.Noun+" of it begins,"
	for _, k := range b.Blocks(i) {
		if k >= 0 && b.Instrs[k].Op == wasm.OpHandle {
			line, _ := p.Snap.File().LineCol(b.Node(k).Span().Start)
			where, begins = fmt.Sprintf("the `handle` on line %d", line), ""
			break
		}
	}
	with := ""
	if ft := t.TagType(in.A); ft != nil && len(ft.Params) > 0 {
		with = " with " + payload(t, ft.Params)
	}
	c.para(fmt.Sprintf(
		"Control arrives here when this stack waits or is suspended in %s%s and gets the %s `%s`%s. "+
			"No instruction before it falls into the clause; its end leaves %s.",
		where, begins, d.Event, p.tagTitle(in.A), with, where))
}
