package analysis

import (
	"slices"
	"sort"
	"strings"
	"sync"

	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
	"stackscope/wasm/binary"
)

// ScriptModule is a module, or an instance of one, that the commands of a script can name.
type ScriptModule struct {
	Name string      // without `$`, decoded; "" if it has none
	ID   source.Span // of the identifier; empty if it has none
	Span source.Span // of the whole module, or of the command that makes the instance
	// Text is the module with its text in the script; nil if it is binary, quoted, in another file
	// or not known.
	Text *Module
	// Definition reports whether commands cannot use it before there is an instance of it.
	Definition bool

	s     *Snapshot
	node  syntax.N      // the KModule of a binary or quoted module
	form  scriptForm    // where its exports are found
	of    *ScriptModule // the definition that it is an instance of, or nil
	once  sync.Once
	other *wasm.Module // of a binary or quoted module, see Declared
	sound bool
}

type scriptForm uint8

const (
	formText scriptForm = iota
	formBinary
	formQuote
	formOpaque // in another file, or not understood
)

// Declared returns the declarations of the module, and whether they are complete and valid, so that
// a name that is not among the exports does not exist. It returns nil if they are not known.
func (x *ScriptModule) Declared() (m *wasm.Module, sound bool) {
	if x == nil {
		return nil, false
	}
	if x.of != nil {
		return x.of.Declared()
	}
	if x.Text != nil {
		return x.Text.Declared(), x.Text.Sound()
	}
	x.once.Do(func() {
		switch x.form {
		case formBinary:
			if b, ok := stringBytes(x.node); ok {
				if m, err := binary.Decode(b); err == nil {
					x.other, x.sound = m, true
				}
			}
		case formQuote:
			if ms := x.s.quoted(x.node, x.s.opts).Modules(); len(ms) == 1 {
				x.other, x.sound = ms[0].Declared(), ms[0].Sound()
			}
		}
	})
	return x.other, x.sound
}

// Export returns the number of the export of a name, or -1.
func (x *ScriptModule) Export(name string) int {
	m, _ := x.Declared()
	if m == nil {
		return -1
	}
	return slices.IndexFunc(m.Exports, func(e wasm.Export) bool { return e.Name == name })
}

// stringBytes returns the decoded strings among a node's own tokens, joined.
func stringBytes(n syntax.N) (out []byte, ok bool) {
	for t := range n.Own() {
		if t.Kind() == syntax.TokString {
			b, err := syntax.DecodeString(t.Text())
			if err != nil {
				return nil, false
			}
			out = append(out, b...)
		}
	}
	return out, true
}

// ScriptKind is what a name in the commands of a script names.
type ScriptKind uint8

// The kinds.
const (
	ScriptNamesModule ScriptKind = iota // `$M`
	ScriptNamesExport                   // "f" of `(invoke "f")`
	ScriptNamesLink                     // "lib" of `(register "lib")`
)

// ScriptName is a name in the commands of a script, or the identifier of a module.
type ScriptName struct {
	Kind ScriptKind
	Span source.Span // the identifier, or the string with its quotes
	Name string      // decoded
	Decl bool        // it declares what it names
	// Module is the module that is named, that exports the name, or that is registered under it. It
	// is nil if there is none.
	Module *ScriptModule
	// Get reports whether the command reads a global rather than call a function.
	Get bool
	// told reports whether a missing module is worth a diagnostic: everything before it was
	// understood.
	told bool
	// definition is the module definition of the name, if that is all there is of the name.
	definition *ScriptModule
	reg        int // of a link: the number of the registration
}

// registration is a `(register "name" $module?)` of a script.
type registration struct {
	unit int32 // of the command
	name string
	span source.Span // of the string
	mod  *ScriptModule
}

// text returns the registered module, nil if its text is not in the script.
func (r *registration) text() *Module {
	if r.mod == nil {
		return nil
	}
	return r.mod.Text
}

// scriptNames are the names of a script, resolved.
type scriptNames struct {
	mods  []*ScriptModule
	names []ScriptName // in the order of their places
	regs  []registration
	// regsOf are the numbers of the registrations of a name, in the order of the text.
	regsOf map[string][]int
}

// ScriptNames returns the names in the commands of the script, in the order of their places.
func (s *Snapshot) ScriptNames() []ScriptName { return s.script().names }

// ScriptModules returns the modules and instances of the script that commands can name, in order.
func (s *Snapshot) ScriptModules() []*ScriptModule { return s.script().mods }

// ScriptModuleBefore returns the module or instance that a command at an offset names, by its name
// without `$`, or without a name the last one; nil if there is none.
func (s *Snapshot) ScriptModuleBefore(off int, name string) *ScriptModule {
	ms := s.script().mods
	for i := len(ms) - 1; i >= 0; i-- {
		if x := ms[i]; !x.Definition && x.Span.End <= off && (name == "" || x.Name == name) {
			return x
		}
	}
	return nil
}

// ScriptNameAt returns the name whose first byte is at the offset.
func (s *Snapshot) ScriptNameAt(start int) (ScriptName, bool) {
	ns := s.script().names
	i, ok := slices.BinarySearchFunc(ns, start, func(n ScriptName, at int) int { return n.Span.Start - at })
	if !ok {
		return ScriptName{}, false
	}
	return ns[i], true
}

// script resolves the names of the script, once.
func (s *Snapshot) script() *scriptNames {
	s.scriptOnce.Do(func() {
		r := scriptReader{
			s: s, out: &s.names, instances: map[string]*ScriptModule{},
			defs: map[string]*ScriptModule{}, clear: true,
		}
		r.read()
		slices.SortStableFunc(s.names.names, func(a, b ScriptName) int { return a.Span.Start - b.Span.Start })
	})
	return &s.names
}

// scriptReader goes over the commands of a script in order, and has what their names stand for.
type scriptReader struct {
	s         *Snapshot
	out       *scriptNames
	instances map[string]*ScriptModule
	defs      map[string]*ScriptModule
	current   *ScriptModule // the last instance
	lastDef   *ScriptModule
	clear     bool // everything so far was understood
}

func (r *scriptReader) read() {
	t := r.s.tree
	texts := map[int]*Module{}
	for _, m := range r.s.mods {
		if m.rng.implicit {
			texts[-1] = m
		} else {
			texts[m.rng.open] = m
		}
	}
	ranges := t.Modules()
	next := 0
	for i := range t.Units {
		u := &t.Units[i]
		switch u.Kind {
		case syntax.UnitStray:
			r.clear = false
		case syntax.UnitOpen, syntax.UnitCommand:
			r.clear = r.clear && len(u.Errors) == 0
		}
		for next < len(ranges) && ranges[next].First <= i {
			mr := ranges[next]
			next++
			if mr.Open.IsZero() && mr.Module.IsZero() {
				r.declare(&ScriptModule{Text: texts[-1], Span: texts[-1].Span()}, false)
				continue
			}
			r.module(mr, texts[mr.First])
		}
		if u.Kind == syntax.UnitCommand {
			r.command(i, t.Root(i))
		}
	}
}

// declare adds a module to what the commands after it can name.
func (r *scriptReader) declare(x *ScriptModule, definition bool) {
	x.s, x.Definition = r.s, definition
	r.out.mods = append(r.out.mods, x)
	if x.of == nil {
		r.lastDef = x
		if x.Name != "" {
			r.defs[x.Name] = x
		}
	}
	if definition {
		return
	}
	r.current = x
	if x.Name != "" {
		r.instances[x.Name] = x
	}
}

// identify assigns a module its name and returns the name's place.
func (r *scriptReader) identify(x *ScriptModule, id syntax.Tok) {
	if id.IsZero() {
		return
	}
	x.Name, x.ID = cursor.DecodeID(id.Text()), id.Span()
	r.add(ScriptName{Kind: ScriptNamesModule, Span: x.ID, Name: x.Name, Decl: true, Module: x})
}

func (r *scriptReader) add(n ScriptName) { r.out.names = append(r.out.names, n) }

// module reads a module of the script.
func (r *scriptReader) module(mr syntax.ModuleRange, text *Module) {
	x := &ScriptModule{s: r.s, Text: text, node: mr.Module, Span: mr.Module.Span()}
	switch {
	case text != nil:
		x.Span = text.Span()
	case mr.Binary:
		x.form = formBinary
	case mr.Quote:
		x.form = formQuote
	case mr.Instance:
		r.instance(x, mr.Module)
		return
	default:
		x.form = formOpaque
	}
	r.identify(x, mr.Name)
	root := r.s.tree.Root(mr.First)
	if root.Kind() == syntax.KCommand {
		return // inside an assertion: no command after it can name the module
	}
	r.declare(x, mr.Definition)
}

// instance reads `(module instance $i $m)`.
func (r *scriptReader) instance(x *ScriptModule, n syntax.N) {
	var ids []syntax.Tok
	for t := range n.Own() {
		if t.Kind() == syntax.TokID {
			ids = append(ids, t)
		}
	}
	x.of = r.lastDef
	if len(ids) > 1 {
		use := ScriptName{
			Kind: ScriptNamesModule, Span: ids[1].Span(), Name: cursor.DecodeID(ids[1].Text()), told: r.clear,
		}
		use.Module = r.defs[use.Name]
		x.of = use.Module
		r.add(use)
	}
	if x.of == nil {
		x.form = formOpaque
		x.of = &ScriptModule{s: r.s, form: formOpaque}
	} else {
		x.Text = x.of.Text
	}
	if len(ids) > 0 {
		r.identify(x, ids[0])
	}
	if r.s.tree.Root(int(n.U)).Kind() != syntax.KCommand {
		r.declare(x, false)
	}
}

// command reads a command without a text module in it.
func (r *scriptReader) command(unit int, root syntax.N) {
	if root.Kind() != syntax.KCommand {
		return
	}
	id, str := scriptTokens(root)
	switch word := root.Keyword().Text(); word {
	case "register":
		reg := registration{unit: int32(unit), mod: r.use(id)}
		if !str.IsZero() {
			reg.name, reg.span = stringName(str), str.Span()
			r.add(
				ScriptName{
					Kind: ScriptNamesLink, Span: reg.span, Name: reg.name, Decl: true, Module: reg.mod,
					reg: len(r.out.regs),
				},
			)
		}
		if r.out.regsOf == nil {
			r.out.regsOf = map[string][]int{}
		}
		r.out.regsOf[reg.name] = append(r.out.regsOf[reg.name], len(r.out.regs))
		r.out.regs = append(r.out.regs, reg)
	case "input":
		x := &ScriptModule{s: r.s, form: formOpaque, Span: root.Span()}
		r.identify(x, id)
		r.declare(x, false)
	case "script", "output":
		r.clear, r.current = false, nil
	case "invoke", "get":
		r.action(root)
	default:
		if a := root.First(syntax.KAction); !a.IsZero() {
			r.action(a)
		}
	}
}

// scriptTokens returns the first identifier and the first string among a node's own tokens.
func scriptTokens(n syntax.N) (id, str syntax.Tok) {
	for t := range n.Own() {
		switch {
		case t.Kind() == syntax.TokID && id.IsZero():
			id = t
		case t.Kind() == syntax.TokString && str.IsZero():
			str = t
		}
	}
	return id, str
}

func stringName(t syntax.Tok) string {
	b, _ := syntax.DecodeString(t.Text())
	return string(b)
}

// use resolves the identifier of a command, or the lack of one: the last instance.
func (r *scriptReader) use(id syntax.Tok) *ScriptModule {
	if id.IsZero() {
		return r.current
	}
	n := ScriptName{Kind: ScriptNamesModule, Span: id.Span(), Name: cursor.DecodeID(id.Text()), told: r.clear}
	if n.Module = r.instances[n.Name]; n.Module == nil {
		n.definition = r.defs[n.Name]
	}
	r.add(n)
	return n.Module
}

// action reads `(invoke $M? "f" …)` or `(get $M? "g")`.
func (r *scriptReader) action(n syntax.N) {
	id, str := scriptTokens(n)
	mod := r.use(id)
	if str.IsZero() {
		return
	}
	r.add(ScriptName{Kind: ScriptNamesExport, Span: str.Span(), Name: stringName(str), Module: mod,
		Get: strings.HasPrefix(n.Keyword().Text(), "get"), told: r.clear && id.IsZero()})
}

// ScriptModuleNames returns the places that name a module or instance of the script, that of its
// declaration among them.
func (s *Snapshot) ScriptModuleNames(x *ScriptModule) []ScriptName {
	var out []ScriptName
	for _, n := range s.script().names {
		if n.Kind == ScriptNamesModule && n.Module == x && x != nil {
			out = append(out, n)
		}
	}
	return out
}

// Invocations returns the names in commands of the script that stand for an export of a text
// module.
func (s *Snapshot) Invocations(m *Module, export string) []ScriptName {
	var out []ScriptName
	for _, n := range s.script().names {
		if n.Kind == ScriptNamesExport && n.Module != nil && n.Module.Text == m && m != nil && n.Name == export {
			out = append(out, n)
		}
	}
	return out
}

// LinkNames returns the places that name the registration that a name of kind ScriptNamesLink
// declares: its own and those of the imports that it serves.
func (s *Snapshot) LinkNames(n ScriptName) []source.Span {
	regs, reg := s.script().regs, n.reg
	if n.Kind != ScriptNamesLink || reg >= len(regs) {
		return nil
	}
	out := []source.Span{regs[reg].span}
	for _, m := range s.mods {
		if s.registrationFor(m, regs[reg].name) != reg {
			continue
		}
		for i, im := range m.decls().Mod.Imports {
			if im.Module != regs[reg].name {
				continue
			}
			// Imports that share the string follow each other.
			if sp, _ := m.ImportSpans(i); sp.End > sp.Start && sp != out[len(out)-1] {
				out = append(out, sp)
			}
		}
	}
	return out
}

// registrationFor returns the number of the registration that serves the imports of module m from a
// name (nil: of what follows the script), or -1.
func (s *Snapshot) registrationFor(m *Module, name string) int {
	x := s.script()
	of := x.regsOf[name] // in order
	n := len(of)
	if m != nil {
		n = sort.Search(n, func(k int) bool { return int(x.regs[of[k]].unit) >= m.first })
	}
	if n == 0 {
		return -1
	}
	return of[n-1]
}

// LinkOf returns the name of the registration that serves the imports of module m from a name.
func (s *Snapshot) LinkOf(m *Module, name string) (ScriptName, bool) {
	i := s.registrationFor(m, name)
	if i < 0 {
		return ScriptName{}, false
	}
	return s.ScriptNameAt(s.script().regs[i].span.Start)
}
