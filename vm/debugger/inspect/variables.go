package inspect

import (
	"errors"
	"fmt"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/arith"
	"stackscope/vm/debugger/lang"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
	"stackscope/vm/debugger/watch"
	"stackscope/wasm"
)

// Var is a variable: something with a name and a value that may have children and may be set. It is
// good until the program resumes, and its functions must be called inside Do.
type Var struct {
	Name      string
	Type      string // as in the text format; "" if it has none
	Text      string // the value; set if there is no Value
	Value     vm.Value
	HasValue  bool
	EvalName  string                  // an expression that gives it, "" if there is none
	Set       func(vm.Value) error    // nil: it cannot be set
	ValType   wasm.ValType            // of what Set takes
	In        *vm.Instance            // whose type indices ValType has
	Children  func() []Var            // nil: none
	Indexed   int                     // number of children if they are indexed
	Memory    *watch.MemoryRef        // the memory it is in, or stands for
	MemoryAt  uint64                  // its address there
	MemoryLen int                     // and how many bytes it has; 0 for a whole memory
	Named     func() []Var            // children besides those of Page
	NumNamed  int                     // how many
	At        snapshot.Site           // where the value comes from, if that is a place
	File      *symbols.Source         // of At
	Page      func(from, n int) []Var // some of the indexed children; nil: use Children
	reread    func() string           // reads Text again after Set
	bits      func() uint64           // of a number in a memory
	Data      func() string           // names it for data breakpoints; nil: it cannot be watched
	canon     wasm.ValType            // of a field or element: its type with canonical ids
	setText   func(string) error      // sets it to a text; nil: it is none
	again     func() vm.Value         // reads Value again after Set; nil: it is what was set
	src       *lang.Value             // of a variable of the source: its value
	at        *place                  // of src: the frame that it is seen from
}

// Settable reports whether Assign can set it.
func (v *Var) Settable() bool {
	return v.Set != nil || v.setText != nil || v.src != nil && v.src.Settable()
}

// typed returns the value of a variable that has one.
func (v *Var) typed() arith.Typed {
	return arith.Typed{Value: v.Value, Type: v.ValType, In: v.In, Canon: v.canon}
}

// operand returns the value of a variable that has one as an operand: a number of at most 32 bits
// in a memory can be of either width.
func (v *Var) operand() arith.Operand {
	o := arith.Operand{Typed: v.typed()}
	if o.View = v.bits != nil && o.Type == wasm.I32; o.View && v.Type == "u32" {
		o.Typed = arith.IntValue(wasm.I64, int64(uint32(o.Value.Lo)))
	}
	return o
}

// value completes a variable that holds a value.
func (ip *Inspector) value(v Var, in *vm.Instance) Var {
	v.HasValue = true
	v.In = in
	var m *wasm.Module
	if in != nil {
		m = in.Module()
	}
	if v.Type == "" {
		v.Type = symbols.TypeText(v.ValType, m)
	}
	ip.expand(&v)
	return v
}

// expand sets the children of a variable from its value.
func (ip *Inspector) expand(v *Var) {
	r := v.Value.Ref
	switch r.Kind() {
	case vm.RefStruct:
		in, name := v.In, v.EvalName
		v.Children = func() []Var { return ip.fields(r, in, name) }
	case vm.RefArray:
		a, in, name := r.Array(), v.In, v.EvalName
		v.Indexed = a.Len()
		if t := a.Storage(); t == wasm.I8 || t == wasm.I16 {
			v.setText = func(s string) error { return setArrayText(a, s) }
		}
		v.Page = func(from, n int) []Var { return ip.elems(r, in, from, n, name) }
		v.Children = func() []Var { return ip.elems(r, in, 0, a.Len(), name) }
	case vm.RefExn:
		x, name := r.Exn(), v.EvalName
		v.Children = func() []Var {
			var out []Var
			for i, y := range x.Values() {
				c := Var{Name: fmt.Sprint(i), Value: y, ValType: y.Type}
				if name != "" {
					c.EvalName = name + "." + c.Name
				}
				out = append(out, ip.value(c, nil))
			}
			return out
		}
	case vm.RefStack:
		name := v.EvalName
		if st, _, stale := r.Stack(); stale {
			v.Children = func() []Var { return within(name, ip.staleVars(r)) }
		} else {
			v.Children = func() []Var { return within(name, ip.stackVars(st)) }
		}
	case vm.RefFunc:
		fi := ip.sym.Function(r.Func())
		if fi.Unit != nil {
			v.At, v.File = fi.Site(-1, true), fi.File(-1)
		}
	}
}

// within returns the children of a variable the paths that begin with its name, where they can be
// typed.
func within(name string, vs []Var) []Var {
	for i := range vs {
		if name != "" && vs[i].EvalName == "" && !strings.Contains(vs[i].Name, " ") {
			vs[i].EvalName = name + "." + vs[i].Name
		}
	}
	return vs
}

// anonymous takes the paths off variables of another frame than that in which paths are evaluated.
func (ip *Inspector) anonymous(vs []Var) []Var {
	for i := range vs {
		if v := &vs[i]; v.EvalName != "" {
			v.EvalName, v.Children, v.Page, v.Indexed = "", nil, nil, 0
			ip.expand(v)
		}
	}
	return vs
}

// stackVars are the children of a value that names a stack: what is known of it, and its frames.
func (ip *Inspector) stackVars(st *vm.Stack) []Var {
	s := ip.sym.Stack(st)
	out := []Var{
		{Name: "state", Text: s.Doing()},
		{Name: "function", Text: s.Base},
	}
	if !s.At.IsZero() && s.State != snapshot.New {
		out = append(out, Var{Name: "at", Text: s.At.Short(), At: s.At})
	}
	if s.Tag != "" {
		out = append(out, Var{Name: "tag", Text: s.Tag})
	}
	if !s.CreatedAt.IsZero() {
		out = append(out, Var{Name: "created at", Text: s.CreatedAt.Short(), At: s.CreatedAt})
	}
	w := ip.sym.Design(st).Info()
	if w.Generation != "" {
		out = append(out, Var{Name: w.Generation, Text: fmt.Sprint(st.Generation())})
	}
	if s.Pending != nil {
		out = append(out, Var{Name: "pending event", Text: s.Pending.Text()})
	}
	if p := st.Parent(); p != nil {
		name, text := w.Linked, ip.sym.LinkLabel(st, p)
		if s.SwitchedBy != 0 {
			name = w.SwitchBy
		}
		text = strings.TrimPrefix(text, name+" ")
		out = append(out, Var{Name: name, Text: text, Children: func() []Var { return ip.stackVars(p) }})
	} else if by := ip.sym.SwitchedBy(s.ID); by != "" && s.SwitchedBy != 0 {
		out = append(out, Var{Name: w.SwitchBy, Text: strings.TrimPrefix(by, w.SwitchBy+" "), At: s.SwitchedAt})
	}
	if s.Switched {
		away := strings.TrimPrefix(ip.stacks.SwitchedAway(&s), w.Switched+" ")
		out = append(out, Var{Name: w.Switched, Text: away, At: s.At})
	}
	if len(s.Modules) > 0 {
		out = append(out, Var{Name: "frames of", Text: snapshot.ModuleList(s.Modules)})
	}
	if leaf := st.Leaf(); leaf != st {
		l := ip.sym.Stack(leaf)
		out = append(
			out,
			Var{Name: "continues in", Text: l.Title(), Children: func() []Var { return ip.stackVars(leaf) }},
		)
	}
	for i, f := range ip.frames(st) {
		out = append(out, Var{
			Name: fmt.Sprintf("frame %d", i), Text: f.Title + " at " + f.Site.Short(), At: f.Site, File: f.File,
			Children: func() []Var { return ip.anonymous(append(ip.Locals(f), ip.Operands(f)...)) },
		})
	}
	return out
}

// Locals returns the parameters and locals of a frame.
func (ip *Inspector) Locals(f Frame) []Var {
	if f.Function == nil || f.Function.Func == nil {
		return nil
	}
	params := 0
	if ft := f.Module.FuncType(f.Function.Func.Type); ft != nil {
		params = len(ft.Params)
	}
	var out []Var
	for i, x := range f.VM.Locals() {
		v := Var{Name: symbols.LocalName(f.Module, f.Func.Func, i, params), Value: x, ValType: x.Type}
		if n, ok := f.Module.Names.Locals[f.Func.Func][uint32(i)]; ok {
			v.EvalName = "$" + n
		} else {
			v.EvalName = fmt.Sprintf("local %d", i)
		}
		if f.VM.Awaits(i) {
			out = append(out, Var{Name: v.Name, Text: "comes with the switch back"})
			continue
		}
		v.Set = func(n vm.Value) error { f.VM.SetLocal(i, n); return nil }
		v.Data = func() string { return ip.finder.Local(f.VM, i) }
		out = append(out, ip.value(v, f.VM.Instance()))
	}
	return out
}

// Params returns the parameters of a frame.
func (ip *Inspector) Params(f Frame) []Var {
	ls := ip.Locals(f)
	if f.Function == nil || f.Function.Func == nil {
		return nil
	}
	n := 0
	if ft := f.Module.FuncType(f.Function.Func.Type); ft != nil {
		n = len(ft.Params)
	}
	return ls[:min(n, len(ls))]
}

// Operands returns the operand stack of a frame, the top first.
func (ip *Inspector) Operands(f Frame) []Var {
	if f.VM == nil {
		return nil
	}
	ops := f.VM.Operands()
	out := make([]Var, 0, len(ops))
	for i := len(ops) - 1; i >= 0; i-- {
		v := Var{
			Name: fmt.Sprintf("[%d]", i), Value: ops[i], ValType: ops[i].Type,
			EvalName: fmt.Sprintf("operand %d", i),
		}
		if i == len(ops)-1 {
			v.Name += " top"
		}
		v.Set = func(n vm.Value) error { f.VM.SetOperand(i, n); return nil }
		out = append(out, ip.value(v, f.VM.Instance()))
	}
	return out
}

// HandlerClauses returns the handlers in force at a frame: its own, if it waits at a resume, then
// those of the stacks that resumed this one, innermost first. They are what a suspension would
// meet.
func (ip *Inspector) HandlerClauses(f Frame) []Var {
	if f.VM == nil {
		return nil
	}
	var out []Var
	add := func(st *vm.Stack, top *vm.Frame) {
		for _, c := range ip.sym.Clauses(vm.Site{Func: top.Func(), PC: top.PC()}, top.HandlerClauses()) {
			v := Var{Name: c.Name}
			switch {
			case c.Switch:
				v.Text = fmt.Sprintf("switch, on #%d %s", st.ID(), ip.sym.BaseTitle(st))
			case c.Label != "":
				v.Text = fmt.Sprintf(
					"%s at %s, in #%d %s", c.Label, c.To.Short(), st.ID(), ip.sym.Function(top.Func()).Title,
				)
			default:
				v.Text = fmt.Sprintf("%s, in #%d %s", c.To.Short(), st.ID(), ip.sym.Function(top.Func()).Title)
			}
			v.At, v.File = c.To, c.File
			out = append(out, v)
		}
	}
	st := f.VM.Stack()
	if top := symbols.TopFrame(st); top != nil && top.Depth() == f.Depth && f.Waiting {
		add(st, top)
	}
	for p := st.Parent(); p != nil; p = p.Parent() {
		if top := symbols.TopFrame(p); top != nil {
			add(p, top)
		}
	}
	return out
}

// Globals returns the globals of the frame's instance.
func (ip *Inspector) Globals(f Frame) []Var {
	if f.Module == nil || f.instance() == nil {
		return nil
	}
	in := f.instance()
	var out []Var
	for i := range f.Module.Globals {
		g := in.Global(uint32(i))
		if g == nil {
			continue
		}
		v := Var{Name: f.Module.Names.Global(uint32(i)), Value: g.Get(), ValType: f.Module.Globals[i].Type}
		if _, ok := f.Module.Names.Globals[uint32(i)]; ok {
			v.EvalName = v.Name
		} else {
			v.Name = "global " + v.Name
			v.EvalName = fmt.Sprintf("global %d", i)
		}
		v.Set = func(n vm.Value) error { g.Set(n); return nil }
		v.Data = func() string { return watch.GlobalData(in, i) }
		out = append(out, ip.value(v, in))
	}
	return out
}

// Tables returns the tables of the frame's instance.
func (ip *Inspector) Tables(f Frame) []Var {
	if f.Module == nil || f.instance() == nil {
		return nil
	}
	in := f.instance()
	var out []Var
	for i := range f.Module.Tables {
		t := in.Table(uint32(i))
		if t == nil {
			continue
		}
		typ := f.Module.Tables[i].Type
		page := func(from, n int) []Var {
			var vs []Var
			for j, end := pageOf(from, n, int(min(t.Len(), 1<<30))); j < end; j++ {
				j := uint64(j)
				v := Var{Name: fmt.Sprintf("[%d]", j), Value: vm.Value{Type: typ, Ref: t.Get(j)}, ValType: typ}
				v.Set = func(n vm.Value) error {
					if !t.Set(j, n.Ref) {
						return errors.New("out of bounds")
					}
					return nil
				}
				v.EvalName = fmt.Sprintf("table %s[%d]", f.Module.Names.Table(uint32(i)), j)
				v.Data = func() string { return watch.TableData(in, i, j) }
				vs = append(vs, ip.value(v, in))
			}
			return vs
		}
		n := int(min(t.Len(), 1<<30))
		out = append(out, Var{
			EvalName: "table " + f.Module.Names.Table(uint32(i)),
			Name: "table " + f.Module.Names.Table(
				uint32(i),
			), Text: fmt.Sprintf("%d × %s", t.Len(), symbols.TypeText(typ, f.Module)),
			Indexed: n, Page: page, Children: func() []Var { return page(0, n) },
		})
	}
	return out
}

// Parked describes the stack of a frame, for stacks that do not run.
func (ip *Inspector) Parked(f Frame) []Var {
	if f.VM == nil || f.VM.Stack().State() == vm.StackRunning {
		return nil
	}
	var out []Var
	for _, v := range ip.stackVars(f.VM.Stack()) {
		if len(v.Name) < 6 || v.Name[:6] != "frame " {
			out = append(out, v)
		}
	}
	return out
}
