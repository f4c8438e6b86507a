package inspect

import (
	"errors"
	"fmt"
	"strings"

	"stackscope/analysis/debuginfo"
	"stackscope/vm"
	"stackscope/vm/debugger/lang"
	"stackscope/vm/debugger/symbols"
	"stackscope/vm/debugger/watch"
	"stackscope/wasm"
)

// sourceView is what the inspector keeps of values in the source: it makes them from what the machine
// has.
type sourceView struct {
	ip      *Inspector
	envs    map[*vm.Instance]*lang.Env
	globals map[globalsKey]map[string]*debuginfo.Variable
	classes map[*wasm.Module]*lang.Managed
	signs   map[*wasm.Module]*packedFields
}

type globalsKey struct {
	info *debuginfo.Info
	fn   uint32
}

// place is a frame as the source sees it.
type place struct {
	ip     *Inspector
	f      Frame
	fn     *debuginfo.Func
	info   *debuginfo.Info
	env    *lang.Env
	scopes []*debuginfo.Scope // innermost first
}

// sourcePlace returns a frame as its source sees it; nil: nothing is known of its source.
func (v *sourceView) sourcePlace(f Frame) *place {
	if f.VM == nil || f.Function == nil || f.Function.Func == nil || f.Function.Unit == nil {
		return nil
	}
	info := f.Function.Unit.Info
	fn := f.Source
	if fn == nil {
		fn = info.Func(f.Func.Func)
	}
	if fn == nil {
		return nil
	}
	p := &place{ip: v.ip, f: f, fn: fn, info: info, env: v.env(f.VM.Instance(), info)}
	p.scopes = scopesOf(fn.Chain(f.PC), f.Scope)
	return p
}

// scopesOf returns the scopes of one frame: those inside of a function or an inlined call, nil: of
// the innermost one.
func scopesOf(chain []*debuginfo.Scope, of *debuginfo.Scope) []*debuginfo.Scope {
	from := 0
	for i, s := range chain {
		if s == of || of == nil && s.Kind != debuginfo.ScopeBlock {
			return chain[from : i+1]
		}
		if s.Kind != debuginfo.ScopeBlock {
			from = i + 1
		}
	}
	return chain[from:]
}

// env returns what the values of an instance are read from.
func (v *sourceView) env(in *vm.Instance, info *debuginfo.Info) *lang.Env {
	if e := v.envs[in]; e != nil {
		return e
	}
	if v.envs == nil {
		v.envs = map[*vm.Instance]*lang.Env{}
	}
	e := &lang.Env{Type: info.Type, Objects: objects{v.ip, in}, Printers: v.ip.Printers}
	if m := in.Memory(0); m != nil {
		e.Memory = memory{m}
	}
	if t := in.Table(0); t != nil {
		e.Function = func(i uint64) (string, bool) {
			if i >= t.Len() || t.Get(i).Func() == nil {
				return "", false
			}
			return v.functionName(t.Get(i).Func()), true
		}
	}
	e.Managed = v.managed(in.Module())
	v.envs[in] = e
	return e
}

// managed returns the classes of AssemblyScript that a module has; nil: none are known.
func (v *sourceView) managed(m *wasm.Module) *lang.Managed {
	g, known := v.classes[m]
	if !known {
		if isAssemblyScript(m) {
			g = lang.ReadManaged(m)
		}
		if v.classes == nil {
			v.classes = map[*wasm.Module]*lang.Managed{}
		}
		v.classes[m] = g
	}
	return g
}

// isAssemblyScript reports whether a module is one of AssemblyScript with its runtime.
func isAssemblyScript(m *wasm.Module) bool {
	_, ok := symbols.LookupName(m.Names.Globals, "~lib/rt/__rtti_base")
	return ok
}

// functionName names a function as the source does, if that is known.
func (v *sourceView) functionName(fn *vm.Func) string {
	fi := v.ip.sym.Function(fn)
	if fi.Unit != nil {
		if x := fi.Unit.Info.Func(fi.ID.Func); x != nil && x.Name != "" {
			return x.Name
		}
	}
	return fi.Title
}

// memory is a memory as values are read from it.
type memory struct{ m *vm.Memory }

func (x memory) Size() uint64 { return uint64(len(x.m.Bytes())) }

func (x memory) Read(addr uint64, p []byte) bool {
	b := x.m.Bytes()
	if addr > uint64(len(b)) || uint64(len(p)) > uint64(len(b))-addr {
		return false
	}
	copy(p, b[addr:])
	return true
}

func (x memory) Write(addr uint64, p []byte) bool {
	b := x.m.Bytes()
	if addr > uint64(len(b)) || uint64(len(p)) > uint64(len(b))-addr {
		return false
	}
	copy(b[addr:], p)
	return true
}

// noContext is where nothing has a value.
type noContext struct{}

func (noContext) Local(uint32) (uint64, bool)   { return 0, false }
func (noContext) Global(uint32) (uint64, bool)  { return 0, false }
func (noContext) Operand(uint32) (uint64, bool) { return 0, false }
func (noContext) Read(uint64, []byte) bool      { return false }

// frameContext is a frame as the locations of variables are computed from it.
type frameContext struct{ f *vm.Frame }

func number(v vm.Value) (uint64, bool) {
	switch v.Type.Kind() {
	case wasm.KindI32, wasm.KindF32:
		return uint64(uint32(v.Lo)), true
	case wasm.KindI64, wasm.KindF64:
		return v.Lo, true
	}
	return 0, false
}

func (c frameContext) Local(i uint32) (uint64, bool) {
	if int64(i) >= int64(c.f.NumLocals()) || c.f.Awaits(int(i)) {
		return 0, false
	}
	return number(c.f.Local(int(i)))
}

func (c frameContext) Global(i uint32) (uint64, bool) {
	g := c.f.Instance().Global(i)
	if g == nil {
		return 0, false
	}
	return number(g.Get())
}

func (c frameContext) Operand(i uint32) (uint64, bool) {
	ops := c.f.Operands()
	if int64(i) >= int64(len(ops)) {
		return 0, false
	}
	return number(ops[i])
}

func (c frameContext) Read(addr uint64, p []byte) bool {
	m := c.f.Instance().Memory(0)
	return m != nil && memory{m}.Read(addr, p)
}

func (c frameContext) SetLocal(i uint32, bits uint64) bool {
	if int64(i) >= int64(c.f.NumLocals()) {
		return false
	}
	c.f.SetLocal(int(i), vm.Value{Type: c.f.Local(int(i)).Type, Lo: bits})
	return true
}

func (c frameContext) SetGlobal(i uint32, bits uint64) bool {
	g := c.f.Instance().Global(i)
	if g == nil {
		return false
	}
	g.Set(vm.Value{Type: g.Get().Type, Lo: bits})
	return true
}

func (c frameContext) SetOperand(i uint32, bits uint64) bool {
	ops := c.f.Operands()
	if int64(i) >= int64(len(ops)) {
		return false
	}
	c.f.SetOperand(int(i), vm.Value{Type: ops[i].Type, Lo: bits})
	return true
}

// value returns the value of a variable in the frame.
func (p *place) value(x *debuginfo.Variable) lang.Value {
	if x.Locate == nil {
		return lang.Missing(p.env, x.Type, p.fn.Language, debuginfo.ErrOptimizedOut)
	}
	c := frameContext{p.f.VM}
	w, err := x.Locate(p.f.PC, c)
	if err != nil {
		return lang.Missing(p.env, x.Type, p.fn.Language, err)
	}
	if x.Type == nil {
		return p.untyped(w)
	}
	v := lang.At(p.env, p.bounded(x.Type, c), w, c)
	if at, ok := w.Address(); ok && !p.stays(x, at) {
		v = v.OfFrame()
	}
	return v
}

// stays reports whether a variable is at an address in other activations, too: whether the address
// does not depend on what is in the frame.
func (p *place) stays(x *debuginfo.Variable, at uint64) bool {
	w, err := x.Locate(p.f.PC, movedContext{frameContext{p.f.VM}})
	if err != nil {
		return false
	}
	moved, ok := w.Address()
	return ok && moved == at
}

// movedContext is a frame that is elsewhere in memory.
type movedContext struct{ frameContext }

const movedBy = 16

func (c movedContext) Local(i uint32) (uint64, bool) {
	n, ok := c.frameContext.Local(i)
	return n + movedBy, ok
}

func (c movedContext) Global(i uint32) (uint64, bool) {
	n, ok := c.frameContext.Global(i)
	return n + movedBy, ok
}

// bounded returns a type with the length of an array that is known only now.
func (p *place) bounded(t *debuginfo.Type, c debuginfo.Context) *debuginfo.Type {
	s := debuginfo.Strip(t)
	if s == nil || s.Kind != debuginfo.KindArray || s.Count >= 0 || s.Bound == nil {
		return t
	}
	n, err := s.Bound(p.f.Func.Func, p.f.PC, c)
	if err != nil || n < 0 {
		return t
	}
	known := *s
	known.Count, known.Bound = n, nil
	return &known
}

// untyped returns the value of a variable that has only a type of the machine: a local or global as
// a whole.
func (p *place) untyped(w debuginfo.Where) lang.Value {
	missing := func(err error) lang.Value { return lang.Missing(p.env, nil, p.fn.Language, err) }
	if len(w) != 1 {
		return missing(debuginfo.ErrOptimizedOut)
	}
	f, i := p.f.VM, int(w[0].Index)
	switch w[0].Kind {
	case debuginfo.InLocal:
		if i >= f.NumLocals() || f.Awaits(i) {
			return missing(debuginfo.ErrOptimizedOut)
		}
		return lang.OfValue(
			p.env, p.fn.Language, f.Local(i), canonType(p.f.Function.LocalType(i), f.Instance()), false,
			lang.Home{Kind: lang.AtLocal, Index: i}, func(n vm.Value) error { f.SetLocal(i, n); return nil },
		).Object()
	case debuginfo.InGlobal:
		return p.ip.src.globalValue(p.env, p.fn.Language, f.Instance(), i)
	}
	return missing(debuginfo.ErrOptimizedOut)
}

// globalValue returns a global of the module as a value of the source.
func (v *sourceView) globalValue(env *lang.Env, l debuginfo.Language, in *vm.Instance, i int) lang.Value {
	g := in.Global(uint32(i))
	if g == nil || i >= len(in.Module().Globals) {
		return lang.Missing(env, nil, l, debuginfo.ErrOptimizedOut)
	}
	decl := in.Module().Globals[i]
	set := func(n vm.Value) error { g.Set(n); return nil }
	if !decl.Mut {
		set = nil
	}
	return lang.OfValue(
		env, l, g.Get(), canonType(decl.Type, in), false, lang.Home{Kind: lang.AtGlobal, Index: i}, set,
	)
}

// canonType returns a type of an instance with canonical ids.
func canonType(t wasm.ValType, in *vm.Instance) wasm.ValType {
	if c, ok := canonical(t, 0, in); ok && t.IsRef() {
		return c
	}
	return t
}

// lookup finds a variable by its name: innermost first, then those outside of functions, and at last
// one that control has not come to yet.
func (p *place) lookup(name string) *debuginfo.Variable {
	var later *debuginfo.Variable
	for _, s := range p.scopes {
		for _, x := range s.Vars {
			switch {
			case x.Name != name:
			case !p.unset(x):
				return x
			case later == nil:
				later = x
			}
		}
	}
	if x := p.global(name); x != nil {
		return x
	}
	return later
}

// unset reports whether control has not come to where the source first gives a variable a value.
func (p *place) unset(x *debuginfo.Variable) bool {
	if x.Locate == nil {
		return false
	}
	var c debuginfo.Context = frameContext{p.f.VM}
	if p.f.VM == nil { // an expression is checked for a place
		c = noContext{}
	}
	_, err := x.Locate(p.f.PC, c)
	return errors.Is(err, debuginfo.ErrUnset)
}

// global finds a variable outside of functions, by its name with or without what it is in.
func (p *place) global(name string) *debuginfo.Variable {
	k := globalsKey{p.info, p.f.Func.Func}
	byName, ok := p.ip.src.globals[k]
	if !ok {
		byName = map[string]*debuginfo.Variable{}
		for _, x := range p.info.Globals(p.f.Func.Func) {
			short := x.Name[strings.LastIndex(x.Name, "::")+1:]
			named := strings.ReplaceAll(x.Name, "(anonymous namespace)::", "") // as the source writes it
			for _, n := range []string{x.Name, named, strings.TrimPrefix(short, ":")} {
				if _, ok := byName[n]; !ok && n != "" {
					byName[n] = x
				}
			}
		}
		if p.ip.src.globals == nil || len(p.ip.src.globals) > 1000 {
			p.ip.src.globals = map[globalsKey]map[string]*debuginfo.Variable{}
		}
		p.ip.src.globals[k] = byName
	}
	return byName[name]
}

// hidden reports whether a variable is shown only if it is asked for by its name.
func hidden(x *debuginfo.Variable) bool {
	return x.Name == "" || x.Artificial && x.Name != "this" && x.Name != "self"
}

// SourceLocals returns the variables of the source that a frame sees, innermost first: those of a
// function's parameters come first in their scope. It must be called inside Do.
func (ip *Inspector) SourceLocals(f Frame) []Var {
	p := ip.src.sourcePlace(f)
	if p == nil {
		return nil
	}
	var out []Var
	seen := map[string]bool{}
	for _, s := range p.scopes {
		for _, x := range s.Vars {
			if hidden(x) || p.unset(x) {
				continue
			}
			name, eval := x.Name, x.Name
			if seen[name] {
				name, eval = fmt.Sprintf("%s (shadowed, line %d)", x.Name, x.Decl.Line), ""
				if x.Decl.Line == 0 || seen[name] {
					name = fmt.Sprintf("%s (shadowed %d)", x.Name, len(out))
				}
			}
			seen[name] = true
			out = append(out, p.variable(name, eval, p.value(x)))
		}
	}
	return out
}

// variable shows a value of the source.
func (p *place) variable(name, eval string, x lang.Value) Var {
	v := Var{Name: name, EvalName: eval, Text: x.Text(lang.Style{}), Type: x.TypeName(), src: &x, at: p}
	ip, in := p.ip, p.f.VM.Instance()
	h := x.Home()
	if h.Kind == lang.AtMemory {
		v.Memory = &watch.MemoryRef{Instance: in.ID()}
		v.MemoryAt, v.MemoryLen = h.Addr, h.Size
	}
	if h.Kind != lang.Nowhere {
		v.Data = func() string { return p.data(name, eval, x, h) }
	}
	if r, ok := x.Ref(); ok {
		v.Value, v.HasValue, v.ValType = r, true, r.Type
		if k := r.Ref.Kind(); k != vm.RefStruct && k != vm.RefArray {
			ip.expand(&v)
			return v
		}
	}
	if !x.HasChildren() {
		return v
	}
	named := func() []Var { return p.children(name, eval, x.Named()) }
	v.Children = named
	if n := x.Indexed(); n > 0 {
		v.Indexed = n
		v.Page = func(from, n int) []Var { return p.children(name, eval, x.Page(from, n)) }
		v.Children = func() []Var { return append(named(), v.Page(0, v.Indexed)...) }
		if v.NumNamed = len(x.Named()); v.NumNamed > 0 {
			v.Named = named
		}
	}
	return v
}

// data names what a variable of the source is stored in, for data breakpoints.
func (p *place) data(name, eval string, x lang.Value, h lang.Home) (id string) {
	df, f := p.ip.finder, p.f.VM
	in := f.Instance()
	title := eval
	if title == "" {
		title = name
	}
	switch h.Kind {
	case lang.AtMemory:
		ref := watch.MemoryRef{Instance: in.ID()}
		if id = watch.MemoryData(ref, h.Addr, h.Size); h.Frame {
			id = df.Frame(f, ref, h.Addr, h.Size)
			title = fmt.Sprintf("%s of %s", title, p.f.Title)
		}
	case lang.AtLocal:
		id = df.Local(f, h.Index)
		title = fmt.Sprintf("%s of %s", title, p.f.Title)
	case lang.AtGlobal:
		id = watch.GlobalData(in, h.Index)
	case lang.AtField:
		id = df.Object(h.Ref, h.Index)
	}
	if id != "" {
		df.Describe(id, watch.View{Title: title, Text: func(v vm.Value, b []byte) string {
			return x.From(v, b).Text(lang.Style{})
		}})
	}
	return id
}

// children shows parts of a value.
func (p *place) children(name, eval string, cs []lang.Child) []Var {
	out := make([]Var, len(cs))
	for i, c := range cs {
		n := c.Name
		if n == "*" {
			n = "*" + name
		}
		if rest, ok := strings.CutPrefix(n, "__"); ok && c.Path == "."+rest {
			n = rest
		}
		out[i] = p.variable(n, c.Expr(eval), c.Value)
	}
	return out
}

// SourceGlobals returns how many variables outside of functions the source of a frame sees, and a
// page of them. It must be called inside Do.
func (ip *Inspector) SourceGlobals(f Frame) (n int, page func(from, n int) []Var) {
	p := ip.src.sourcePlace(f)
	if p == nil {
		return 0, nil
	}
	var all []*debuginfo.Variable
	for _, x := range p.info.Globals(f.Func.Func) {
		if !hidden(x) {
			all = append(all, x)
		}
	}
	return len(all), func(from, n int) []Var {
		from, n = pageOf(from, n, len(all))
		out := make([]Var, 0, n-from)
		for _, x := range all[from:n] {
			out = append(out, p.variable(x.Name, x.Name, p.value(x)))
		}
		return out
	}
}

// Scope is a group of variables of a frame.
type Scope struct {
	Name      string
	Hint      string // "locals", "globals", ""
	Vars      func() []Var
	Page      func(from, n int) []Var // some of Indexed; nil: Vars lists all
	Named     int
	Indexed   int
	Expensive bool // to be asked for only if it is wanted
}

// WebAssembly is the name of the scope that has what the machine has where the source has scopes of
// its own.
const WebAssembly = "WebAssembly"

// Scopes lists the groups of variables of a frame: those of the source first, if it is known. It
// must be called inside Do.
func (ip *Inspector) Scopes(f Frame) []Scope {
	var groups []Scope
	add := func(name, hint string, always bool, list func(Frame) []Var) {
		if vs := list(f); len(vs) > 0 || always {
			groups = append(groups, Scope{
				Name: name, Hint: hint, Named: len(vs), Vars: func() []Var { return list(f) },
			})
		}
	}
	code := !f.OfScript() // a command has neither
	add("Locals", "locals", code, ip.Locals)
	add("Operand stack", "", code, ip.Operands)
	add("Pending event", "", false, ip.Pending)
	w := ip.Words(f)
	add(w.Clauses, "", false, ip.HandlerClauses)
	add(w.Title(), "", false, ip.Parked)
	add("Globals", "", false, ip.Globals)
	add("Memory", "", false, func(f Frame) []Var { return append(ip.Memories(f), ip.Tables(f)...) })
	p := ip.src.sourcePlace(f)
	if p == nil || len(p.scopes) == 0 || f.Function.HasLines() && !f.Function.InSource() {
		return groups
	}
	out := []Scope{{Name: "Locals", Hint: "locals", Vars: func() []Var { return ip.SourceLocals(f) }}}
	for _, s := range p.scopes {
		for _, x := range s.Vars {
			if !hidden(x) && !p.unset(x) {
				out[0].Named++
			}
		}
	}
	if n, page := ip.SourceGlobals(f); n > 0 {
		out = append(out, Scope{
			Name: "Globals", Hint: "globals", Indexed: n, Page: page, Expensive: true,
			Vars: func() []Var { return page(0, n) },
		})
	}
	// What is pending, or waits, is of interest whatever the language.
	for _, g := range groups {
		if g.Name == "Pending event" || g.Name == w.Title() {
			out = append(out, g)
		}
	}
	return append(out, Scope{
		Name: WebAssembly, Named: len(groups), Expensive: true, Vars: func() []Var {
			vs := make([]Var, len(groups))
			for i, g := range groups {
				vs[i] = Var{Name: g.Name, Children: g.Vars, Text: fmt.Sprint(g.Named)}
				if g.Named == 0 {
					vs[i].Children = nil
				}
			}
			return vs
		},
	})
}

// objects describes objects of the collector to package lang.
type objects struct {
	ip *Inspector
	in *vm.Instance
}

func (o objects) Declared(t wasm.Canon) (*wasm.Module, uint32) { return o.ip.sym.Declared(t, o.in) }

func (o objects) Text(v vm.Value) string { return o.ip.sym.Format(v, false) }

func (o objects) Function(f *vm.Func) string { return o.ip.src.functionName(f) }

func (o objects) Fits(v vm.Value, t wasm.ValType) bool {
	if v.Ref.IsNull() {
		return t.Nullable()
	}
	return o.ip.mach.Fits(v, t)
}

// Unsigned looks how the code reads a packed field.
func (o objects) Unsigned(t wasm.Canon, field int) bool {
	m, i := o.Declared(t)
	if m == nil {
		return false
	}
	if o.ip.src.signs == nil {
		o.ip.src.signs = map[*wasm.Module]*packedFields{}
	}
	s := o.ip.src.signs[m]
	if s == nil {
		s = readPacked(m)
		o.ip.src.signs[m] = s
	}
	return s.unsigned[[2]uint32{i, uint32(field)}]
}

// packedFields holds the packed fields, by type and number, that the code of a module reads as
// unsigned numbers. The elements of an array are field 0.
type packedFields struct{ unsigned map[[2]uint32]bool }

func readPacked(m *wasm.Module) *packedFields {
	s := &packedFields{map[[2]uint32]bool{}}
	for i := range m.Funcs {
		for _, in := range m.Funcs[i].Body {
			switch in.Op {
			case wasm.OpStructGetU:
				s.unsigned[[2]uint32{in.A, in.B}] = true
			case wasm.OpArrayGetU:
				s.unsigned[[2]uint32{in.A, 0}] = true
			}
		}
	}
	return s
}
