package symbols

import (
	"path/filepath"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
)

// maxSegment bounds how many frames of a segment are looked at for their modules.
const maxSegment = 2000

// Title names the module as users are told of it: `$name`, else the name that others import it
// under, else its file.
func (u *Unit) Title() string {
	switch {
	case u.Module.Names.Module != "":
		return "$" + u.Module.Names.Module
	case u.Name != "":
		return u.Name
	}
	return filepath.Base(u.File.Name)
}

// ModuleTitle names the module of an instance.
func ModuleTitle(y *Symbols, in *vm.Instance) string {
	if in == nil {
		return "the host"
	}
	if i, ok := y.units[in.Module()]; ok {
		return y.list[i].Title()
	}
	if n := in.Module().Names.Module; n != "" {
		return "$" + n
	}
	return "a module without a name"
}

// Segment is what modules the frames of some stacks are of, the innermost frame's first.
type Segment struct {
	Modules []*vm.Instance
	Frames  []int // of each module
	Partial bool  // there are more frames, which were not looked at
}

// SegmentOf returns the modules of the frames between a leaf and the head of its segment, both
// included. It looks at a bounded number of frames.
func SegmentOf(leaf, head *vm.Stack) (seg Segment) {
	left := maxSegment
	for st := leaf; st != nil; st = st.Parent() {
		for i := st.NumFrames() - 1; i >= 0; i-- {
			if left--; left < 0 {
				seg.Partial = true
				return seg
			}
			seg.add(st.Frame(i).Func().Instance())
		}
		if st == head {
			break
		}
	}
	return seg
}

func (s *Segment) add(in *vm.Instance) {
	if in == nil {
		return
	}
	for i := range s.Modules {
		if s.Modules[i] == in {
			s.Frames[i]++
			return
		}
	}
	s.Modules, s.Frames = append(s.Modules, in), append(s.Frames, 1)
}

// modulesOf describes the modules of a captured segment; nil if that is one alone.
func modulesOf(y *Symbols, head *vm.Stack) []snapshot.ModuleFrames {
	if y.mach == nil || len(y.mach.Instances()) < 2 {
		return nil
	}
	return SegmentOf(head.Leaf(), head).Describe(y)
}

// Describe describes the modules of a segment; nil if that is one alone.
func (s Segment) Describe(y *Symbols) []snapshot.ModuleFrames {
	if len(s.Modules) < 2 {
		return nil
	}
	out := make([]snapshot.ModuleFrames, len(s.Modules))
	for i, in := range s.Modules {
		out[i] = snapshot.ModuleFrames{Module: ModuleTitle(y, in), Frames: s.Frames[i]}
	}
	return out
}

// Captured returns the stacks that the instruction at the innermost frame of the running stack is
// about to detach: those from the running one to head. head is nil if it detaches none, or that is
// not known.
func Captured(y *Symbols, f *vm.Frame) (head *vm.Stack) {
	in := y.Function(f.Func()).Instr(f.PC())
	if in == nil {
		return nil
	}
	run := f.Stack()
	info := in.Op.Info()
	d := info.Dialect.Info()
	peer := info.Effect == wasm.EffectSwitch || info.Effect == wasm.EffectNew && info.Then == wasm.EffectSwitch
	if info.Effect != wasm.EffectSuspend && !peer {
		return nil
	}
	var tag *vm.Tag
	if i, ok := Index(in, wasm.ImmTag, 0); ok {
		tag = f.Instance().Tag(i)
	}
	switch {
	case d.Events: // the stack that is named
		at := 1 // from the top
		if info.Effect == wasm.EffectSwitch {
			at = 2
		}
		if !d.TagFirst && tag != nil {
			at += len(tag.Params())
		}
		ops := f.Operands()
		if at > len(ops) {
			return nil
		}
		r := ops[len(ops)-at].Ref
		if r.Kind() != vm.RefStack {
			return nil
		}
		named, _, stale := r.Stack()
		if stale {
			return nil
		}
		for s := run; s != nil; s = s.Parent() {
			if s == named {
				return s
			}
		}
		return nil
	case d.HandlerClauses: // up to the handler
		for s := run; s.Parent() != nil; s = s.Parent() {
			p := TopFrame(s.Parent())
			if p == nil || s.Dialect() != info.Dialect {
				return nil
			}
			for _, c := range p.HandlerClauses() {
				if c.Tag == tag && c.Switch == peer {
					return s
				}
			}
		}
		return nil
	}
	return run.Head() // the whole running chain
}
