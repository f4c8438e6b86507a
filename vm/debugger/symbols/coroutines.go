package symbols

import (
	"strings"

	"stackscope/analysis/debuginfo"
	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
)

// Standing is where a stack stands in the code of the user, if the innermost frames are of a
// runtime, or skipped.
type Standing struct {
	Inner  vm.Site  // the innermost frame that is not folded
	Outer  vm.Site  // the outermost one
	Called *vm.Func // the folded function that Inner has called; nil: it stands there itself
}

// maxStanding bounds how many frames are looked at from each end of a stack for one that is not
// folded: a list of stacks looks at all of them.
const maxStanding = 100

// Standing returns where a stack stands in the code of the user; ok is false if no code of the program
// has debugging information, or all frames are folded.
func (y *Symbols) Standing(st *vm.Stack) (s Standing, ok bool) {
	if st == nil || !y.AnySource() {
		return s, false
	}
	user := func(at vm.Site) bool {
		fi := y.Function(at.Func)
		return fi.Instr(at.PC) != nil && fi.InSource() && fi.IsUser(at.PC)
	}
	for _, at := range st.Trace(maxStanding) {
		if user(at) {
			s.Inner, ok = at, true
			break
		}
		s.Called = at.Func
	}
	if !ok {
		return Standing{}, false
	}
	s.Outer = s.Inner
	for i := range min(maxStanding, st.NumFrames()) {
		f := st.Frame(i)
		if at := (vm.Site{Func: f.Func(), PC: f.PC()}); user(at) {
			s.Outer = at
			break
		}
	}
	return s, true
}

// inSource describes a stack in the words of its source.
func (y *Symbols) inSource(s *snapshot.Stack, at Standing) {
	fi := y.Function(at.Inner.Func)
	s.At, s.Func = fi.Site(at.Inner.PC, true), fi.LevelsAt(at.Inner.PC, 0)[0].Title
	outer := y.Function(at.Outer.Func)
	if !s.Rooted && s.Dialect.Switches() {
		s.Base, s.Noun = outer.Title, nounOf(outer)
	}
	if at.Called != nil {
		s.In = lastName(y.Function(at.Called).Title)
		if internal(y.Function(at.Called).Title) {
			s.In = lastName(s.Func)
		}
	}
}

// nounOf returns what people call a stack of a function: "coroutine"; "" if it is what the design says.
func nounOf(fi *Function) string {
	if fi.src != nil && fi.src.fn.Language == debuginfo.Kotlin {
		return "coroutine"
	}
	return ""
}

// maxClosure bounds the fields of a closure that are looked at.
const maxClosure = 32

// closureOf returns the function that a stack runs, if no frame of it is of the user and its base
// function only calls the one that a closure refers to: the base function is of a runtime, and its
// first argument is an object with a reference to a function. nil: there is none.
func closureOf(y *Symbols, st *vm.Stack) *Function {
	f := st.Frame(0)
	if f == nil || st.Rooted() || !st.Dialect().Switches() || !y.AnySource() || f.NumLocals() == 0 {
		return nil
	}
	base := y.Function(f.Func())
	if base.src == nil || base.Func == nil || base.IsUser(0) || !base.LocalType(0).IsRef() {
		return nil
	}
	object := f.Local(0).Ref.Struct()
	if object == nil {
		return nil
	}
	for i := range min(object.Len(), maxClosure) {
		if object.Storage(i).IsRef() {
			if fn := object.Field(i).Ref.Func(); fn != nil {
				return y.Function(fn)
			}
		}
	}
	return nil
}

// internal reports whether a function is a part of a runtime that users do not call by name.
func internal(name string) bool {
	parts := nameParts(strings.TrimPrefix(name, "$"))
	for i, p := range parts {
		if strings.HasPrefix(p, "__") || i < len(parts)-1 && (p == "internal" || p == "intrinsics") {
			return true
		}
	}
	return false
}

// lastName returns the last part of a name: `delay` of `kotlinx.coroutines.delay`.
func lastName(name string) string {
	parts := nameParts(strings.TrimPrefix(name, "$"))
	if len(parts) == 0 {
		return name
	}
	return bare(parts[len(parts)-1])
}

// maxTitle is how long a title may be before arguments of templates are left out.
const maxTitle = 80

// shortName returns the name of a function, without arguments of templates if it is long:
// `Iterator::fold<…>`.
func shortName(name string) string {
	if len(name) <= maxTitle {
		return name
	}
	var b strings.Builder
	depth := 0
	for i, c := range name {
		switch {
		case c == '<' && !strings.HasSuffix(name[:i], "operator") && !strings.HasSuffix(name[:i], "operator<"):
			if depth++; depth == 1 {
				b.WriteString("<…>")
			}
		case c == '>' && depth > 0 && !strings.HasSuffix(name[:i], "-"):
			depth--
		case depth == 0:
			b.WriteRune(c)
		}
	}
	out := b.String()
	if out == "<…>" || depth > 0 { // all of it is in brackets, or they do not match
		out = name
	}
	if r := []rune(out); len(r) > 2*maxTitle {
		out = string(r[:maxTitle]) + "…" + string(r[len(r)-maxTitle:])
	}
	return out
}

// folded reports whether a place of the machine is in code that is folded.
func (y *Symbols) folded(at vm.Site) bool {
	fi := y.Function(at.Func)
	return fi.Instr(at.PC) != nil && !fi.IsUser(at.PC)
}
