package stacks

import (
	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// maxQueued bounds how many slots of tables, elements and fields are looked at for lines of stacks.
const maxQueued = 200_000

// The stacks of the running chain, and the frames of each, whose locals are looked at for lines.
const queueStacks, queueFrames = 20, 50

// queues finds lines of stacks that stand somewhere to be resumed: in a table, or in a list of
// structures or an array that a global or a local of the running chain leads to. See
// docs/design/debugger.md for what counts.
func (ss *Stacks) queues() map[*vm.Stack]snapshot.Queue {
	if ss.lines != nil {
		return ss.lines
	}
	q := &queueFinder{out: map[*vm.Stack]snapshot.Queue{}, left: maxQueued}
	tables, globals := map[*vm.Table]bool{}, map[*vm.Global]bool{}
	ins := ss.mach.Instances()
	for _, in := range ins {
		m := in.Module()
		var heads []uint64
		for i := range m.Globals {
			if g := in.Global(uint32(i)); g != nil && (m.Globals[i].Type == wasm.I32 || m.Globals[i].Type == wasm.I64) {
				heads = append(heads, g.Get().Lo)
			}
		}
		for i := range m.Tables {
			if t := in.Table(uint32(i)); t != nil && !tables[t] {
				tables[t] = true
				q.line("table "+m.Names.Table(uint32(i)), q.slots(int(min(t.Len(), maxQueued)), func(j int) vm.Ref {
					return t.Get(uint64(j))
				}, heads))
			}
		}
	}
	for _, in := range ins {
		m := in.Module()
		for i := range m.Globals {
			if g := in.Global(uint32(i)); g != nil && !globals[g] && m.Globals[i].Type.IsRef() {
				globals[g] = true
				q.list("global "+m.Names.Global(uint32(i)), g.Get().Ref)
			}
		}
	}
	n := queueStacks
	for st := range ss.mach.Chain() {
		if n--; n < 0 {
			break
		}
		for i := st.NumFrames() - 1; i >= max(0, st.NumFrames()-queueFrames); i-- {
			f := st.Frame(i)
			fi := ss.sym.Function(f.Func())
			if fi.Module == nil || fi.Source() != nil {
				continue // the objects of a runtime are linked with each other for many reasons
			}
			for j, v := range f.Locals() {
				if v.Type.IsRef() {
					q.list("local "+symbols.LocalName(fi.Module, f.Func().Index(), j, 0)+" of "+fi.Title, v.Ref)
				}
			}
		}
	}
	ss.lines = q.out
	return q.out
}

// queueFinder collects lines. A stack that stands in several is in the first one that was found.
type queueFinder struct {
	out  map[*vm.Stack]snapshot.Queue
	left int
}

// waits returns the stack of a reference that is good, if the stack is new or suspended.
func waits(r vm.Ref) *vm.Stack {
	if r.Kind() != vm.RefStack {
		return nil
	}
	st, _, stale := r.Stack()
	if stale || st.Parent() != nil || st.State() == vm.StackRunning || st.State() == vm.StackMoribund || st.Below() {
		return nil
	}
	return st
}

// line records the places of stacks in a line. One stack alone makes none.
func (q *queueFinder) line(in string, line []*vm.Stack) {
	if len(line) < 2 {
		return
	}
	for i, st := range line {
		if _, ok := q.out[st]; !ok {
			q.out[st] = snapshot.Queue{In: in, Position: i + 1, Of: len(line)}
		}
	}
}

// slots returns the stacks in n slots, each of which holds a stack or a structure with one. Of a
// ring the line begins at its head: it is one if the stacks stand in neighbouring slots, past the
// end and from the start on, and one of the numbers heads is the slot of the first.
func (q *queueFinder) slots(n int, get func(int) vm.Ref, heads []uint64) []*vm.Stack {
	var line []*vm.Stack
	var at []int
	for j := range n {
		if q.left--; q.left < 0 {
			break
		}
		r := get(j)
		st := waits(r)
		if s := r.Struct(); st == nil && s != nil {
			for k := 0; k < s.Len() && st == nil; k++ {
				if s.FieldType(k).IsRef() {
					st = waits(s.Field(k).Ref)
				}
			}
		}
		if st != nil {
			line, at = append(line, st), append(at, j)
		}
	}
	if len(at) < 2 || at[0] != 0 || at[len(at)-1] != n-1 {
		return line
	}
	gap := 0 // the first stack after the gap
	for i := 1; i < len(at); i++ {
		if at[i] != at[i-1]+1 {
			if gap != 0 {
				return line // several gaps: no ring
			}
			gap = i
		}
	}
	for _, h := range heads {
		if gap > 0 && n > 0 && h%uint64(n) == uint64(at[gap]) {
			return append(line[gap:len(line):len(line)], line[:gap]...)
		}
	}
	return line
}

// list records a list of structures, or an array, that a reference leads to, in the order in which
// its fields lead from one to the next.
func (q *queueFinder) list(in string, r vm.Ref) {
	if r.Struct() == nil && r.Array() == nil {
		return
	}
	var line []*vm.Stack
	seen := map[any]bool{}
	todo := []vm.Ref{r}
	var heads []uint64 // numbers in the structure that an array was found in
	for len(todo) > 0 && q.left > 0 {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if a := r.Array(); a != nil && a.ElemType().IsRef() && !seen[a] {
			seen[a] = true
			line = append(line, q.slots(a.Len(), func(i int) vm.Ref { return a.Elem(i).Ref }, heads)...)
		}
		s := r.Struct()
		if s == nil || seen[s] {
			continue
		}
		seen[s] = true
		var next []vm.Ref
		heads = nil
		for i := range s.Len() {
			q.left--
			switch t := s.FieldType(i); {
			case !t.IsRef():
				heads = append(heads, s.Field(i).Lo)
			default:
				f := s.Field(i).Ref
				if st := waits(f); st != nil {
					line = append(line, st)
				} else if f.Struct() != nil || f.Array() != nil {
					next = append(next, f)
				}
			}
		}
		for i := len(next) - 1; i >= 0; i-- {
			todo = append(todo, next[i])
		}
	}
	q.line(in, line)
}
