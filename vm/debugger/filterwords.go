package debugger

import (
	"slices"
	"strings"

	"stackscope/wasm"
)

// FilterText is what users are told of a filter.
type FilterText struct {
	Name        string // see Filter
	Label       string // a few words
	Description string // one sentence
	Default     bool   // it is on unless somebody turns it off
	Condition   string // what can narrow it
}

// FilterTexts describes the filters for a program of some designs, in their words: faults first,
// then control events. Without designs those of all count.
func FilterTexts(designs []wasm.Dialect) []FilterText {
	if len(designs) == 0 {
		designs = wasm.Dialects()
	}
	// each joins what the designs say, each word once; without any it is other.
	each := func(other string, f func(d *wasm.DialectInfo) string) string {
		var words []string
		for _, d := range designs {
			if w := f(d.Info()); w != "" && !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
		if len(words) == 0 {
			return other
		}
		return or(words)
	}
	noun := each("", func(d *wasm.DialectInfo) string { return d.Noun })
	short := noun // of several kinds of stacks
	if strings.Contains(noun, " or ") {
		short = "stack"
	}
	verb := func(w string) string {
		if strings.Contains(w, " ") { // `switch to` is an event of its own
			return ""
		}
		return w
	}
	resume := each("resume", func(d *wasm.DialectInfo) string { return verb(d.Resume) })
	const nothing = ", which nothing in this program does"
	resumed := each("resumed"+nothing, func(d *wasm.DialectInfo) string {
		if verb(d.Resume) == "" {
			return ""
		}
		return d.Resumed
	})
	suspend := each("suspend", func(d *wasm.DialectInfo) string { return d.Suspend })
	suspends := each("suspends"+nothing, func(d *wasm.DialectInfo) string {
		if d.Suspend == "" {
			return ""
		}
		return d.Suspend + "s"
	})
	unhandled := "Stop at a suspend or switch whose tag has no handler"
	if !slices.ContainsFunc(designs, func(d wasm.Dialect) bool { return d.Info().HandlerClauses }) {
		unhandled = "Stop at a tag without a handler; in this program an event without a clause is a trap"
	}
	used := each("", func(d *wasm.DialectInfo) string { return d.Used })
	all := []FilterText{
		{"trap", "Traps", "Stop where the program traps, before anything is unwound", true, ""},
		{"unhandled", "Unhandled tags", unhandled, true, ""},
		{"uncaught", "Uncaught exceptions", "Stop where an exception is thrown and nothing catches it", true, ""},
		{
			"assertion", "Failed assertions",
			"Stop at a script command that fails, and show the actual and expected values", true, "",
		},
		{"consumed", "Use of a " + used + " reference", "Stop where a " + used + " " + noun + " is used", false, ""},
		{"create", capital(short) + " creation", "Stop before a " + noun + " is created", false, ""},
		{"resume", capital(resume), "Stop before a " + noun + " is " + resumed, false, ""},
		{"suspend", capital(suspend), "Stop before a " + noun + " " + suspends, false, ""},
		{"switch", "Switch", "Stop before one " + noun + " switches to another", false, ""},
		{
			"boundary", "Module boundary",
			"Stop before a " + noun + " gives control away with frames of more than one module", false, "",
		},
		{"throw", "Throw", "Stop before an exception is thrown, caught or not", false, ""},
		{"finish", "End of a " + short, "Stop where control continues after a " + noun + " ends", false, ""},
	}
	for i := range all {
		all[i].Condition = "tag $yield, stack 3, function $gen (all conditions must hold)"
		if all[i].Name == "boundary" {
			all[i].Condition = "tag $yield, stack 3, function $gen, module $lib (all conditions must hold)"
		}
	}
	return all
}

// FilterNames lists the filters: faults first, then control events.
func FilterNames() []string {
	var names []string
	for _, f := range FilterTexts(nil) {
		names = append(names, f.Name)
	}
	return names
}

// Designs lists the designs that the modules of a program are in, in the order of the table.
func (p *Program) Designs() []wasm.Dialect {
	var out []wasm.Dialect
	for _, d := range wasm.Dialects() {
		if slices.ContainsFunc(p.Units, func(u *Unit) bool { return u.Module != nil && u.Module.Dialect == d }) {
			out = append(out, d)
		}
	}
	return out
}

// or joins words: "continuation, stack or fiber".
func or(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
	return strings.Join(words, "")
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
