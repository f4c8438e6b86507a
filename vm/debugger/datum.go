package debugger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strconv"
	"strings"

	"stackscope/vm"
	"stackscope/wasm"
)

// dataFinder names data, and finds what a name stands for.
type dataFinder struct {
	mach    *vm.Machine
	sym     *Symbols
	stacks  *Stacks
	objects []vm.Ref // see objectData
	marks   uint32   // the last mark that was given to a frame
}

// datum is something that is watched, with the value that it was last seen with.
type datum struct {
	title string
	typ   wasm.ValType // of all but memory

	mem    *vm.Memory
	at, n  uint64 // of memory: bytes; of a table: slot at; of an array: element at
	global *vm.Global
	table  *vm.Table
	object vm.Ref // a structure or an array
	field  int
	stack  StackID // of a local
	depth  int
	mark   uint32
	local  int
	fn     FuncID

	old   vm.Value
	bytes []byte
}

// maxWatched bounds a watched range of memory, in bytes.
const maxWatched = 1 << 16

// Names of data are written so that they can be kept where the datum can be found again in another
// run: memory, globals and table slots, by instance.
const (
	dataMemory = "memory"
	dataGlobal = "global"
	dataTable  = "table"
	dataLocal  = "local"
	dataObject = "object"
)

// MemoryData names a range of memory.
func MemoryData(r MemoryRef, at uint64, n int) string {
	return fmt.Sprintf("%s:%d:%d:%d:%d", dataMemory, r.Instance, r.Index, at, n)
}

// localData names a local of an activation, which is marked so that it can be known again.
func (df *dataFinder) localData(f *vm.Frame, i int) string {
	if f.Mark()&^markBegun == 0 {
		df.marks += markBegun + 1
		f.SetMark(f.Mark() | df.marks)
	}
	fi := df.sym.info(f.Func())
	return fmt.Sprintf(
		"%s:%d:%d:%d:%d:%d:%d:%d", dataLocal, f.Stack().ID(), f.Depth(), f.Mark()&^markBegun, i, fi.id.Unit,
		fi.id.Func, crc32.ChecksumIEEE([]byte(fi.title)),
	)
}

// objectData names a field or element. The objects that were asked for are kept until the program
// has ended, as what watches them needs them.
func (df *dataFinder) objectData(r vm.Ref, i int) string {
	n := -1
	for k, o := range df.objects {
		if o == r {
			n = k
		}
	}
	if n < 0 {
		if len(df.objects) >= 1000 {
			return ""
		}
		n = len(df.objects)
		df.objects = append(df.objects, r)
	}
	return fmt.Sprintf("%s:%d:%d", dataObject, n, i)
}

// Name names the datum that a variable is, "" if it cannot be watched, and reports whether the
// name is good in other runs too. It must be called inside Do.
func (db *DataBreakpoints) Name(v Var) (id, title string, persistent bool) {
	if v.data == nil {
		return "", "", false
	}
	id = v.data()
	w, err := db.finder.find(id)
	if err != nil {
		return "", "", false
	}
	return id, w.title, !strings.HasPrefix(id, dataLocal) && !strings.HasPrefix(id, dataObject)
}

// Check reports what a name stands for, or why it stands for nothing. It must be called inside
// Do.
func (db *DataBreakpoints) Check(id string) (title string, err error) {
	w, err := db.finder.find(id)
	if err != nil {
		return "", err
	}
	return w.title, nil
}

var errNoData = errors.New("there is no such datum in this run")

// find finds what a name stands for.
func (df *dataFinder) find(id string) (*datum, error) {
	parts := strings.Split(id, ":")
	ns := make([]uint64, 0, 4)
	for _, p := range parts[1:] {
		n, err := strconv.ParseUint(p, 10, 64)
		if err != nil {
			return nil, errNoData
		}
		ns = append(ns, n)
	}
	instance := func() (*vm.Instance, *wasm.Module) {
		for _, in := range df.mach.Instances() {
			if uint64(in.ID()) == ns[0] {
				return in, in.Module()
			}
		}
		return nil, nil
	}
	switch {
	case parts[0] == dataMemory && len(ns) == 4:
		in, m := instance()
		if in == nil {
			return nil, errNoData
		}
		mem := in.Memory(uint32(ns[1]))
		switch {
		case mem == nil || ns[3] == 0:
			return nil, errNoData
		case ns[3] > maxWatched:
			return nil, fmt.Errorf("%d bytes are too many: at most %d can be watched", ns[3], maxWatched)
		case ns[2]+ns[3] < ns[2] || ns[2]+ns[3] > uint64(len(mem.Bytes())):
			return nil, fmt.Errorf("0x%x is beyond the end of the memory: it has 0x%x bytes", ns[2]+ns[3]-1, len(mem.Bytes()))
		}
		return &datum{
			title: fmt.Sprintf("memory %s at 0x%x", m.Names.Mem(uint32(ns[1])), ns[2]), mem: mem,
			at: ns[2], n: ns[3],
		}, nil
	case parts[0] == dataGlobal && len(ns) == 2:
		in, m := instance()
		if in == nil || in.Global(uint32(ns[1])) == nil {
			return nil, errNoData
		}
		return &datum{
			title: "global " + m.Names.Global(uint32(ns[1])), typ: m.Globals[ns[1]].Type,
			global: in.Global(uint32(ns[1])),
		}, nil
	case parts[0] == dataTable && len(ns) == 3:
		in, m := instance()
		if in == nil || in.Table(uint32(ns[1])) == nil || ns[2] >= in.Table(uint32(ns[1])).Len() {
			return nil, errNoData
		}
		return &datum{
			title: fmt.Sprintf("table %s[%d]", m.Names.Table(uint32(ns[1])), ns[2]),
			typ:   m.Tables[ns[1]].Type, table: in.Table(uint32(ns[1])), at: ns[2],
		}, nil
	case parts[0] == dataLocal && len(ns) == 7:
		w := localDatum(ns)
		f := df.activation(w)
		if f == nil || w.local >= f.NumLocals() {
			return nil, errFrameEnded
		}
		fi := df.sym.info(f.Func())
		w.fn, w.typ = fi.id, f.Local(w.local).Type
		w.title = fmt.Sprintf("%s of %s in stack #%d", localName(fi.mod, fi.id.Func, w.local, 0), fi.title, w.stack)
		return w, nil
	case parts[0] == dataObject && len(ns) == 2 && ns[0] < uint64(len(df.objects)):
		w := &datum{object: df.objects[ns[0]], field: int(min(ns[1], math.MaxInt32)), at: ns[1]}
		if s := w.object.Struct(); s != nil && w.field < s.Len() {
			w.typ, w.title = s.Field(w.field).Type, fmt.Sprintf("field %d of a structure", ns[1])
			if m, t := df.sym.declared(s.Type(), nil); m != nil {
				w.title = fmt.Sprintf("field %s of a structure", fieldName(m, t, w.field))
			}
			return w, nil
		}
		if a := w.object.Array(); a != nil && w.field < a.Len() {
			w.typ, w.title = a.Elem(w.field).Type, fmt.Sprintf("element %d of an array", ns[1])
			return w, nil
		}
	}
	return nil, errNoData
}

var errFrameEnded = errors.New("the frame of this local has ended")

// localDatum reads the numbers of a local's name.
func localDatum(ns []uint64) *datum {
	return &datum{
		stack: StackID(ns[0]), depth: int(ns[1]), mark: uint32(ns[2]), local: int(ns[3]),
		fn: FuncID{int(ns[4]), uint32(ns[5])}, title: fmt.Sprint(ns[6]),
	}
}

// awaited finds the function of a local that was watched in an earlier run: in the first activation
// at the same depth of the same stack it is watched again. ok is false if there is no such
// function.
func (df *dataFinder) awaited(id string) (w *datum, ok bool) {
	parts := strings.Split(id, ":")
	if parts[0] != dataLocal || len(parts) != 8 {
		return nil, false
	}
	ns := make([]uint64, 7)
	for i, p := range parts[1:] {
		n, err := strconv.ParseUint(p, 10, 32)
		if err != nil {
			return nil, false
		}
		ns[i] = n
	}
	w = localDatum(ns)
	if w.fn.Unit >= len(df.sym.list) || int(w.fn.Func) >= len(df.sym.list[w.fn.Unit].Module.Funcs) ||
		len(df.sym.list[w.fn.Unit].Module.Funcs[w.fn.Func].Body) == 0 {
		return nil, false
	}
	fi := df.sym.infoOf(w.fn)
	return w, fmt.Sprint(crc32.ChecksumIEEE([]byte(fi.title))) == w.title
}

// activated watches the locals that wait for an activation which begins.
func (db *DataBreakpoints) activated(f *vm.Frame) {
	found := false
	for _, bs := range db.groups {
		for _, b := range bs {
			w := b.awaits
			if w == nil || f.PC() != 0 || StackID(f.Stack().ID()) != w.stack || f.Depth() != w.depth ||
				db.sym.info(f.Func()).id != w.fn ||
				w.local >= f.NumLocals() {
				continue
			}
			if f.Mark()&^markBegun == 0 {
				f.SetMark(f.Mark() | w.mark)
			}
			b.Data = db.finder.localData(f, w.local)
			b.awaits, found = nil, true
			if db.resolve(b); db.opt.OnData != nil {
				db.opt.OnData(*b)
			}
		}
	}
	if found {
		db.refresh()
		db.place()
	}
}

// activation finds the frame of a watched local, nil if it has ended.
func (df *dataFinder) activation(w *datum) *vm.Frame {
	st := df.stacks.find(w.stack)
	if st == nil {
		return nil
	}
	if f := st.Frame(w.depth); f != nil && f.Mark()&^markBegun == w.mark {
		return f
	}
	return nil
}

// look reads a datum; ok is false if it is gone.
func (df *dataFinder) look(w *datum) (v vm.Value, b []byte, ok bool) {
	switch {
	case w.mem != nil:
		all := w.mem.Bytes()
		return v, all[w.at : w.at+w.n], true
	case w.global != nil:
		return w.global.Get(), nil, true
	case w.table != nil:
		return vm.Value{Type: w.typ, Ref: w.table.Get(w.at)}, nil, true
	case w.object.Struct() != nil:
		return w.object.Struct().Field(w.field), nil, true
	case w.object.Array() != nil:
		return w.object.Array().Elem(w.field), nil, true
	}
	f := df.activation(w)
	if f == nil {
		return v, nil, false
	}
	return f.Local(w.local), nil, true
}

// text writes a value of the datum.
func (df *dataFinder) text(w *datum, v vm.Value, b []byte) string {
	if w.mem == nil {
		return df.sym.Preview(v, false)
	}
	switch len(b) {
	case 1:
		return fmt.Sprintf("%d (0x%02x)", b[0], b[0])
	case 2:
		n := binary.LittleEndian.Uint16(b)
		return fmt.Sprintf("%d (0x%04x)", n, n)
	case 4:
		n := binary.LittleEndian.Uint32(b)
		return fmt.Sprintf("%d (0x%08x)", int32(n), n)
	case 8:
		n := binary.LittleEndian.Uint64(b)
		return fmt.Sprintf("%d (0x%016x)", int64(n), n)
	}
	if len(b) > 32 {
		return fmt.Sprintf("% x …", b[:32])
	}
	return fmt.Sprintf("% x", b)
}
