package watch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strconv"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/stacks"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// Finder names data, and finds what a name stands for.
type Finder struct {
	mach    *vm.Machine
	sym     *symbols.Symbols
	stacks  *stacks.Stacks
	objects []vm.Ref // see objectData
	marks   uint32   // the last mark that was given to a frame
	views   map[string]View
}

// View is how a datum is shown in the terms of the source.
type View struct {
	Title string
	Text  func(v vm.Value, b []byte) string
}

// Describe lets the datum of a name be shown in the terms of the source.
func (df *Finder) Describe(id string, v View) {
	if df.views == nil || len(df.views) > maxViews {
		df.views = map[string]View{}
	}
	df.views[id] = v
}

// maxViews bounds how many names are described.
const maxViews = 10000

// NewFinder returns a finder for the data of a machine.
func NewFinder(mach *vm.Machine, sym *symbols.Symbols, stacks *stacks.Stacks) *Finder {
	return &Finder{mach: mach, sym: sym, stacks: stacks}
}

// Datum is something that is watched, with the value that it was last seen with.
type Datum struct {
	Title string
	typ   wasm.ValType // of all but memory

	Memory *vm.Memory
	At, N  uint64 // of memory: bytes; of a table: slot at; of an array: element at
	Global *vm.Global
	Table  *vm.Table
	Object vm.Ref // a structure or an array
	field  int
	Stack  snapshot.StackID // of a local
	Depth  int
	Mark   uint32
	Local  int
	Func   snapshot.FuncID

	Old   vm.Value
	Bytes []byte

	framed bool // memory that is good as long as an activation is
	view   View
}

// MaxWatched bounds a watched range of memory, in bytes.
const MaxWatched = 1 << 16

// Names of data are written so that they can be kept where the datum can be found again in another
// run: memory, globals and table slots, by instance.
const (
	dataMemory = "memory"
	dataGlobal = "global"
	dataTable  = "table"
	dataLocal  = "local"
	dataObject = "object"
	dataFrame  = "frame"
)

// GlobalData names a global of an instance.
func GlobalData(in *vm.Instance, i int) string {
	return fmt.Sprintf("%s:%d:%d", dataGlobal, in.ID(), i)
}

// TableData names a slot of a table of an instance.
func TableData(in *vm.Instance, table int, slot uint64) string {
	return fmt.Sprintf("%s:%d:%d:%d", dataTable, in.ID(), table, slot)
}

// Persistent reports whether a name can be found again in another run.
func Persistent(id string) bool {
	return !strings.HasPrefix(id, dataLocal) && !strings.HasPrefix(id, dataObject) && !strings.HasPrefix(id, dataFrame)
}

// Reserve keeps a mark that an earlier run gave to a frame from being given again.
func (df *Finder) Reserve(mark uint32) { df.marks = max(df.marks, mark) }

// MemoryData names a range of memory.
func MemoryData(r MemoryRef, at uint64, n int) string {
	return fmt.Sprintf("%s:%d:%d:%d:%d", dataMemory, r.Instance, r.Index, at, n)
}

// Local names a local of an activation, which is marked so that it can be known again.
func (df *Finder) Local(f *vm.Frame, i int) string {
	df.mark(f)
	fi := df.sym.Function(f.Func())
	return fmt.Sprintf(
		"%s:%d:%d:%d:%d:%d:%d:%d", dataLocal, f.Stack().ID(), f.Depth(), f.Mark()&^MarkStarted, i, fi.ID.Unit,
		fi.ID.Func, crc32.ChecksumIEEE([]byte(fi.Title)),
	)
}

// mark marks an activation, so that it can be known again.
func (df *Finder) mark(f *vm.Frame) {
	if f.Mark()&^MarkStarted == 0 {
		df.marks += MarkStarted + 1
		f.SetMark(f.Mark() | df.marks)
	}
}

// Frame names a range of memory that belongs to an activation: a variable on the stack that a
// program keeps in memory. It is good until the activation ends.
func (df *Finder) Frame(f *vm.Frame, r MemoryRef, at uint64, n int) string {
	df.mark(f)
	return fmt.Sprintf(
		"%s:%d:%d:%d:%d:%d:%d:%d", dataFrame, r.Instance, r.Index, at, n, f.Stack().ID(), f.Depth(),
		f.Mark()&^MarkStarted,
	)
}

// Object names a field or element. The objects that were asked for are kept until the program
// has ended, as what watches them needs them.
func (df *Finder) Object(r vm.Ref, i int) string {
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

var ErrNoData = errors.New("no such variable or memory in this run")

// Find finds what a name stands for.
func (df *Finder) Find(id string) (*Datum, error) {
	w, err := df.find(id)
	if v, ok := df.views[id]; ok && err == nil {
		w.Title, w.view = v.Title, v
	}
	return w, err
}

func (df *Finder) find(id string) (*Datum, error) {
	parts := strings.Split(id, ":")
	ns := make([]uint64, 0, 4)
	for _, p := range parts[1:] {
		n, err := strconv.ParseUint(p, 10, 64)
		if err != nil {
			return nil, ErrNoData
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
	framed := parts[0] == dataFrame && len(ns) == 7
	switch {
	case parts[0] == dataMemory && len(ns) == 4 || framed:
		in, m := instance()
		if in == nil {
			return nil, ErrNoData
		}
		mem := in.Memory(uint32(ns[1]))
		switch {
		case mem == nil || ns[3] == 0:
			return nil, ErrNoData
		case ns[3] > MaxWatched:
			return nil, fmt.Errorf("%d bytes are too many: at most %d can be watched", ns[3], MaxWatched)
		case ns[2]+ns[3] < ns[2] || ns[2]+ns[3] > uint64(len(mem.Bytes())):
			return nil, fmt.Errorf(
				"0x%x is beyond the end of the memory: it has 0x%x bytes", ns[2]+ns[3]-1, len(mem.Bytes()),
			)
		}
		w := &Datum{
			Title: fmt.Sprintf("memory %s at 0x%x", m.Names.Mem(uint32(ns[1])), ns[2]), Memory: mem,
			At: ns[2], N: ns[3], framed: framed,
		}
		if framed {
			w.Stack, w.Depth, w.Mark = snapshot.StackID(ns[4]), int(ns[5]), uint32(ns[6])
			if df.Activation(w) == nil {
				return nil, ErrFrameEnded
			}
		}
		return w, nil
	case parts[0] == dataGlobal && len(ns) == 2:
		in, m := instance()
		if in == nil || in.Global(uint32(ns[1])) == nil {
			return nil, ErrNoData
		}
		return &Datum{
			Title: "global " + m.Names.Global(uint32(ns[1])), typ: m.Globals[ns[1]].Type,
			Global: in.Global(uint32(ns[1])),
		}, nil
	case parts[0] == dataTable && len(ns) == 3:
		in, m := instance()
		if in == nil || in.Table(uint32(ns[1])) == nil || ns[2] >= in.Table(uint32(ns[1])).Len() {
			return nil, ErrNoData
		}
		return &Datum{
			Title: fmt.Sprintf("table %s[%d]", m.Names.Table(uint32(ns[1])), ns[2]),
			typ:   m.Tables[ns[1]].Type, Table: in.Table(uint32(ns[1])), At: ns[2],
		}, nil
	case parts[0] == dataLocal && len(ns) == 7:
		w := localDatum(ns)
		f := df.Activation(w)
		if f == nil || w.Local >= f.NumLocals() {
			return nil, ErrFrameEnded
		}
		fi := df.sym.Function(f.Func())
		w.Func, w.typ = fi.ID, f.Local(w.Local).Type
		w.Title = fmt.Sprintf(
			"%s of %s in stack #%d", symbols.LocalName(fi.Module, fi.ID.Func, w.Local, 0), fi.Title, w.Stack,
		)
		return w, nil
	case parts[0] == dataObject && len(ns) == 2 && ns[0] < uint64(len(df.objects)):
		w := &Datum{Object: df.objects[ns[0]], field: int(min(ns[1], math.MaxInt32)), At: ns[1]}
		if s := w.Object.Struct(); s != nil && w.field < s.Len() {
			w.typ, w.Title = s.Field(w.field).Type, fmt.Sprintf("field %d of a structure", ns[1])
			if m, t := df.sym.Declared(s.Type(), nil); m != nil {
				w.Title = fmt.Sprintf("field %s of a structure", symbols.FieldName(m, t, w.field))
			}
			return w, nil
		}
		if a := w.Object.Array(); a != nil && w.field < a.Len() {
			w.typ, w.Title = a.Elem(w.field).Type, fmt.Sprintf("element %d of an array", ns[1])
			return w, nil
		}
	}
	return nil, ErrNoData
}

var ErrFrameEnded = errors.New("the frame of this local has ended")

// localDatum reads the numbers of a local's name.
func localDatum(ns []uint64) *Datum {
	return &Datum{
		Stack: snapshot.StackID(ns[0]), Depth: int(ns[1]), Mark: uint32(ns[2]), Local: int(ns[3]),
		Func: snapshot.FuncID{Unit: int(ns[4]), Func: uint32(ns[5])}, Title: fmt.Sprint(ns[6]),
	}
}

// Awaited finds the function of a local that was watched in an earlier run: in the first activation
// at the same depth of the same stack it is watched again. ok is false if there is no such
// function.
func (df *Finder) Awaited(id string) (w *Datum, ok bool) {
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
	if w.Func.Unit >= len(df.sym.Units()) || int(w.Func.Func) >= len(df.sym.Units()[w.Func.Unit].Module.Funcs) ||
		len(df.sym.Units()[w.Func.Unit].Module.Funcs[w.Func.Func].Body) == 0 {
		return nil, false
	}
	fi := df.sym.FunctionOf(w.Func)
	return w, fmt.Sprint(crc32.ChecksumIEEE([]byte(fi.Title))) == w.Title
}

// Activation finds the frame of a watched local, nil if it has ended.
func (df *Finder) Activation(w *Datum) *vm.Frame {
	st := df.stacks.Find(w.Stack)
	if st == nil {
		return nil
	}
	if f := st.Frame(w.Depth); f != nil && f.Mark()&^MarkStarted == w.Mark {
		return f
	}
	return nil
}

// Look reads a datum; ok is false if it is gone.
func (df *Finder) Look(w *Datum) (v vm.Value, b []byte, ok bool) {
	switch {
	case w.framed && df.Activation(w) == nil:
		return v, nil, false
	case w.Memory != nil:
		all := w.Memory.Bytes()
		return v, all[w.At : w.At+w.N], true
	case w.Global != nil:
		return w.Global.Get(), nil, true
	case w.Table != nil:
		return vm.Value{Type: w.typ, Ref: w.Table.Get(w.At)}, nil, true
	case w.Object.Struct() != nil:
		return w.Object.Struct().Field(w.field), nil, true
	case w.Object.Array() != nil:
		return w.Object.Array().Elem(w.field), nil, true
	}
	f := df.Activation(w)
	if f == nil {
		return v, nil, false
	}
	return f.Local(w.Local), nil, true
}

// Text writes a value of the datum.
func (df *Finder) Text(w *Datum, v vm.Value, b []byte) string {
	if w.view.Text != nil {
		return w.view.Text(v, b)
	}
	if w.Memory == nil {
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

// MemoryRef names a memory of an instance.
type MemoryRef struct {
	Instance uint32
	Index    uint32
}

// MarkStarted is the bit of a frame's mark that begins keeps; the others name the activation, see
// localData.
const MarkStarted = 1
