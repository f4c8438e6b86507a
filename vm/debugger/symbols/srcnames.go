package symbols

import (
	"slices"
	"strings"

	"stackscope/vm/debugger/snapshot"
)

// maxUnnamed bounds the functions whose information is read to find out whether they are, or have
// inlined, one of a name.
const maxUnnamed = 10_000

// Named finds the functions of a unit that have a name in the source, and the calls of them that are
// inlined: where each begins, after its prologue. A name may leave out arguments, template
// arguments, and what the function is in: `push_back` stands for `std::vector<int>::push_back(int)`.
// Those that are folded count only if there are no others.
func (c *Code) Named(unit int, name string) (out []Place) {
	u := c.list[unit]
	if u.Info == nil {
		return nil
	}
	want := nameParts(name)
	if len(want) == 0 {
		return nil
	}
	last := bare(want[len(want)-1])
	files := map[*Source]bool{}
	left := maxUnnamed
	for fn := range u.Module.Funcs {
		if n := u.Module.Names.Funcs[uint32(fn)]; len(u.Module.Funcs[fn].Body) == 0 ||
			n != "" && !strings.Contains(n, last) { // a linker's name has the name of the source in it
			continue
		} else if n == "" {
			if left--; left < 0 {
				continue
			}
		}
		fi := c.FunctionOf(snapshot.FuncID{Unit: unit, Func: uint32(fn)})
		if !fi.HasLines() || !named(fi.src.fn.Name, want) && fi.src.fn.Linkage != name {
			continue
		}
		out = append(out, fi.sourcePlace(fi.src.begins(fi), nil))
		if d := fi.src.fn.Decl; d.File != nil {
			files[fi.FileOf(d)] = true
		}
	}
	for f := range files {
		for _, p := range c.inlinedCopies(unit, f, want) {
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	if len(out) == 0 && len(u.Module.Funcs) <= maxUnnamed { // perhaps all calls of it are inlined
		for _, s := range c.Externals(unit) {
			if !c.views.skip.Match(s.ext.file.Ignored, s.Name, s.ext.file.Path) {
				out = append(out, c.inlinedCopies(unit, s, want)...)
			}
		}
	}
	folded := func(p Place) bool { return !c.FunctionOf(p.Func).IsUser(p.PC) }
	if user := slices.DeleteFunc(slices.Clone(out), folded); len(user) > 0 { // not those of a library of the same name
		out = user
	}
	slices.SortFunc(out, func(a, b Place) int {
		if a.Func != b.Func {
			return int(a.Func.Func) - int(b.Func.Func)
		}
		return a.PC - b.PC
	})
	return out
}

// inlinedCopies returns where calls of functions of a name begin that are inlined, of those with
// code of a file.
func (c *Code) inlinedCopies(unit int, f *Source, want []string) (out []Place) {
	seen := map[*Inline]bool{}
	for _, l := range c.locations(f) {
		fi := c.FunctionOf(snapshot.FuncID{Unit: l.unit, Func: l.Func})
		if l.unit != unit || fi == nil || fi.src == nil {
			continue
		}
		for in := fi.src.inlineAt(fi, l.Row.PC); in != nil; in = in.Outer {
			if seen[in] || !named(in.Scope.Name, want) {
				continue
			}
			seen[in] = true
			for _, r := range fi.src.fn.Rows { // its first statement
				if r.PC >= in.Entry && r.Stmt && r.File != nil && fi.src.inlineAt(fi, r.PC).Within(in) {
					out = append(out, fi.sourcePlace(fi.src.enter(fi, r), in))
					break
				}
			}
		}
	}
	return out
}

// named reports whether a name of the source ends with the parts of another.
func named(name string, want []string) bool {
	impl := func(part string) bool { return strings.HasPrefix(part, "{impl") } // Rust's word for an impl block
	have := slices.DeleteFunc(nameParts(name), impl)
	if len(have) < len(want) {
		return false
	}
	have = have[len(have)-len(want):]
	for i := range want {
		if have[i] != want[i] && bare(have[i]) != want[i] {
			return false
		}
	}
	return true
}

// nameParts splits a name at `::` and `.`, without arguments and spaces.
func nameParts(name string) (out []string) {
	name = strings.ReplaceAll(name, " ", "")
	depth, from := 0, 0
	for i := 0; i < len(name); i++ {
		if rest := name[i:]; depth == 0 && strings.HasPrefix(rest, "operator") { // to its end: `operator<<`
			end := strings.LastIndexByte(rest, '(')
			if end <= len("operator") {
				end = len(rest)
			}
			return append(out, rest[:end])
		}
		switch c := name[i]; {
		case c == '<' || c == '{' || c == '[':
			depth++
		case (c == '>' || c == '}' || c == ']') && depth > 0:
			depth--
		case c == '(' && depth == 0 && i > from:
			return append(out, name[from:i])
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case depth > 0:
		case c == ':' && strings.HasPrefix(name[i:], "::"):
			if i > from {
				out = append(out, name[from:i])
			}
			i++
			from = i + 1
		case c == '.':
			if i > from {
				out = append(out, name[from:i])
			}
			from = i + 1
		}
	}
	if from < len(name) {
		out = append(out, name[from:])
	}
	return out
}

// bare returns a part of a name without template arguments.
func bare(part string) string {
	if i := strings.IndexByte(part, '<'); i > 0 && !strings.HasPrefix(part, "operator") {
		return part[:i]
	}
	return part
}
