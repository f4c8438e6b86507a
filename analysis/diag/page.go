package diag

import (
	"fmt"
	"strings"
)

// SpecLink returns the public page of the specification, or of the proposal, that has the rule of a
// code; "" if it is a rule of ours.
func SpecLink(c Code) string {
	const (
		spec = "https://webassembly.github.io/spec/core/"
		cont = "https://github.com/WebAssembly/stack-switching/blob/main/proposals/stack-switching/Explainer.md"
	)
	switch c {
	case Syntax, UnknownWord, Immediate, Number, AlignPower, InlineType, DuplicateName, ImportOrder, MultipleStarts:
		return spec + "text/index.html"
	case UnknownImport, ImportType:
		return spec + "exec/modules.html"
	case ConsumedContinuation,
		NullContinuation,
		ShadowedHandler,
		UnhandledTag,
		SwitchOnlyHandler,
		"handler-label",
		"switch-tag":
		return cont
	}
	if OfSpec(c) {
		return spec + "valid/index.html"
	}
	return ""
}

// Markdown returns the explanation of a code: what it means, an example that gets it and one that
// does not, and where the rule is from. Headings have at least the given level.
func (i *Info) Markdown(level int) string {
	var b strings.Builder
	severity := i.Severity.String()
	if i.Severity == Off {
		severity = "off by default"
	}
	fmt.Fprintf(
		&b, "%s %s\n\n**%s** (%s)\n\n%s\n", strings.Repeat("#", level), i.Code, sentence(i.Title), severity,
		strings.TrimSpace(i.Doc),
	)
	example := func(title, text string) {
		if text = strings.TrimSpace(text); text != "" {
			fmt.Fprintf(&b, "\n%s:\n\n```wasm\n%s\n```\n", title, text)
		}
	}
	example("Wrong", i.Wrong)
	example("Right", i.Right)
	if link := SpecLink(i.Code); link != "" {
		fmt.Fprintf(&b, "\nThe rule: <%s>\n", link)
	}
	return b.String()
}

// sentence begins a text with a capital.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Page returns the explanations of all codes as one Markdown document; the heading of each is its
// code.
func Page() string {
	var b strings.Builder
	for i := range Table {
		b.WriteString("\n" + Table[i].Markdown(3))
	}
	return b.String()
}
