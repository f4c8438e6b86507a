package inspect

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"stackscope/vm"
	"stackscope/vm/debugger/arith"
	"stackscope/vm/debugger/symbols"
	"stackscope/vm/debugger/watch"
	"stackscope/wasm"
)

// view is a way to look at bytes of a memory.
type view struct {
	name string
	typ  wasm.ValType // what a value is written as; the zero type: text
	size int          // bytes of a value
	read func(b []byte) string
}

// views lists the ways.
func views() []view {
	le := binary.LittleEndian
	return []view{
		{"i8", wasm.I32, 1, func(b []byte) string { return strconv.Itoa(int(int8(b[0]))) }},
		{"u8", wasm.I32, 1, func(b []byte) string { return strconv.Itoa(int(b[0])) }},
		{"i16", wasm.I32, 2, func(b []byte) string { return strconv.Itoa(int(int16(le.Uint16(b)))) }},
		{"u16", wasm.I32, 2, func(b []byte) string { return strconv.Itoa(int(le.Uint16(b))) }},
		{"i32", wasm.I32, 4, func(b []byte) string { return strconv.Itoa(int(int32(le.Uint32(b)))) }},
		{"u32", wasm.I32, 4, func(b []byte) string { return strconv.FormatUint(uint64(le.Uint32(b)), 10) }},
		{"i64", wasm.I64, 8, func(b []byte) string { return strconv.FormatInt(int64(le.Uint64(b)), 10) }},
		{"u64", wasm.I64, 8, func(b []byte) string { return strconv.FormatUint(le.Uint64(b), 10) }},
		{"f32", wasm.F32, 4, func(b []byte) string {
			n := le.Uint32(b)
			return arith.FormatFloat(float64(math.Float32frombits(n)), 32, uint64(n&0x7fffff), 0x400000, n>>31 != 0)
		}},
		{"f64", wasm.F64, 8, func(b []byte) string {
			n := le.Uint64(b)
			return arith.FormatFloat(math.Float64frombits(n), 64, n&(1<<52-1), 1<<51, n>>63 != 0)
		}},
	}
}

// Memories returns the memories of the frame's instance.
func (ip *Inspector) Memories(f Frame) []Var {
	if f.Module == nil || f.instance() == nil {
		return nil
	}
	var out []Var
	for i := range f.Module.Mems {
		if v, ok := ip.memoryVar(f.instance(), uint32(i)); ok {
			out = append(out, v)
		}
	}
	return out
}

// memoryVar returns a memory: its named children are the views of it, its indexed ones lines of
// bytes.
func (ip *Inspector) memoryVar(in *vm.Instance, i uint32) (Var, bool) {
	m := in.Memory(i)
	if m == nil {
		return Var{}, false
	}
	ref := watch.MemoryRef{Instance: in.ID(), Index: i}
	name := "memory " + in.Module().Names.Mem(i)
	v := Var{
		Name: name, Text: pagesText(m.Pages(), len(m.Bytes())), EvalName: name,
		Memory: &ref, Indexed: (len(m.Bytes()) + 15) / 16,
		Page:     func(from, n int) []Var { return rows(m, ref, from, n) },
		Children: func() []Var { return rows(m, ref, 0, 64) },
	}
	v.NumNamed = len(views()) + 1
	v.Named = func() []Var {
		var out []Var
		for _, w := range views() {
			n := len(m.Bytes()) / w.size
			page := func(from, k int) []Var {
				var vs []Var
				for j, to := pageOf(from, k, n); j < to; j++ {
					if x, ok := typed(m, ref, w, uint64(j*w.size), name); ok {
						x.Name = fmt.Sprintf("[0x%x]", j*w.size)
						vs = append(vs, x)
					}
				}
				return vs
			}
			out = append(
				out,
				Var{
					Name: w.name, Text: fmt.Sprintf("%d × %s", n, w.name),
					EvalName: name + "." + w.name, Indexed: n, Page: page,
					Children: func() []Var { return page(0, n) },
				},
			)
		}
		page := func(from, n int) []Var { return stringsIn(m, ref, name, from, n) }
		return append(
			out,
			Var{
				Name: "strings", Text: "runs of text", EvalName: name + ".strings",
				Indexed: countStrings(m), Page: page,
				Children: func() []Var { return page(0, maxStrings) },
			},
		)
	}
	return v, true
}

// rows returns lines of 16 bytes of a memory.
func rows(m *vm.Memory, ref watch.MemoryRef, from, n int) []Var {
	var out []Var
	b := m.Bytes()
	for i, to := pageOf(from, n, (len(b)+15)/16); i < to; i++ {
		row := b[i*16 : min(i*16+16, len(b))]
		text := make([]byte, len(row))
		for j, c := range row {
			if text[j] = c; c < ' ' || c > '~' {
				text[j] = '.'
			}
		}
		out = append(
			out,
			Var{
				Name: fmt.Sprintf("0x%x", i*16), Text: fmt.Sprintf("% x  %s", row, text),
				Memory: &ref, MemoryAt: uint64(i * 16), MemoryLen: len(row),
			},
		)
	}
	return out
}

// typed returns the value at an address by a view; ok is false if it is out of bounds.
func typed(m *vm.Memory, ref watch.MemoryRef, w view, at uint64, memory string) (Var, bool) {
	b := m.Bytes()
	if at+uint64(w.size) < at || at+uint64(w.size) > uint64(len(b)) {
		return Var{}, false
	}
	b = b[at : at+uint64(w.size)]
	v := Var{
		Name: fmt.Sprintf("%s[0x%x]", w.name, at), Text: w.read(b), Type: w.name,
		ValType: w.typ, Memory: &ref, MemoryAt: at, MemoryLen: w.size,
	}
	v.EvalName = memory + "." + v.Name
	v.reread = func() string { return w.read(b) }
	v.bits = func() uint64 {
		var word [8]byte
		copy(word[:], b)
		return binary.LittleEndian.Uint64(word[:])
	}
	v.again = func() vm.Value {
		n := v.bits()
		if w.name[0] == 'i' {
			n = uint64(int64(n<<(64-8*w.size)) >> (64 - 8*w.size))
		}
		if w.typ == wasm.I32 {
			n = uint64(uint32(n))
		}
		return vm.Value{Type: w.typ, Lo: n}
	}
	v.HasValue, v.Value = true, v.again()
	v.Set = func(n vm.Value) error {
		if limit := uint64(1) << (8 * w.size); w.size < 4 && n.Lo >= limit && n.Lo < 1<<32-limit/2 {
			return fmt.Errorf("%d does not fit into %d bits", int32(uint32(n.Lo)), 8*w.size)
		}
		for i := range b {
			b[i] = byte(n.Lo >> (8 * i))
		}
		return nil
	}
	return v, true
}

// Runs of text in a memory.
const (
	minString  = 4    // characters
	maxStrings = 1000 // how many are looked for
)

// eachString calls f for the runs of printable text until it returns false.
func eachString(m *vm.Memory, f func(at, n int) bool) {
	b := m.Bytes()
	if len(b) > 16<<20 {
		b = b[:16<<20]
	}
	for i := 0; i < len(b); {
		n := symbols.TextLen(b[i:])
		if n >= minString && !f(i, n) {
			return
		}
		i += n + 1
	}
}

func countStrings(m *vm.Memory) int {
	k := 0
	eachString(m, func(int, int) bool { k++; return k < maxStrings })
	return k
}

func stringsIn(m *vm.Memory, ref watch.MemoryRef, name string, from, n int) []Var {
	var out []Var
	k := -1
	from, to := pageOf(from, n, maxStrings)
	eachString(m, func(at, size int) bool {
		if k++; k >= to {
			return false
		}
		if k >= from {
			out = append(out, stringAt(m, ref, name, uint64(at), size))
		}
		return true
	})
	return out
}

// stringAt returns text at an address; size -1: up to what is no text.
func stringAt(m *vm.Memory, ref watch.MemoryRef, name string, at uint64, size int) Var {
	b := m.Bytes()[min(at, uint64(len(m.Bytes()))):]
	if size < 0 {
		size = symbols.TextLen(b)
	}
	size = min(size, len(b))
	v := Var{
		Name:     fmt.Sprintf("string[0x%x]", at),
		EvalName: fmt.Sprintf("%s.string[0x%x,%d]", name, at, size), Type: "string",
		Text: strconv.Quote(string(b[:min(size, symbols.MaxText)])), Memory: &ref, MemoryAt: at,
		MemoryLen: size,
	}
	v.setText = func(s string) error {
		if len(s) > size {
			return fmt.Errorf("%d bytes do not fit where there are %d", len(s), size)
		}
		if copy(b, s); len(s) < size { // it ends there now
			b[len(s)] = 0
		}
		return nil
	}
	v.reread = func() string { return strconv.Quote(string(b[:symbols.TextLen(b[:min(size, symbols.MaxText)])])) }
	return v
}

// Memory returns a memory by its name. It must be called inside Do.
func (ip *Inspector) Memory(r watch.MemoryRef) *vm.Memory {
	for _, in := range ip.mach.Instances() {
		if in.ID() == r.Instance {
			return in.Memory(r.Index)
		}
	}
	return nil
}

// FirstMemory names the first memory of a frame's module. It must be called inside Do.
func (ip *Inspector) FirstMemory(f Frame) (watch.MemoryRef, bool) {
	if f.Module == nil || f.instance() == nil || len(f.Module.Mems) == 0 {
		return watch.MemoryRef{}, false
	}
	return watch.MemoryRef{Instance: f.instance().ID()}, true
}

func pagesText(pages uint64, bytes int) string {
	if pages == 1 {
		return fmt.Sprintf("1 page, %d bytes", bytes)
	}
	return fmt.Sprintf("%d pages, %d bytes", pages, bytes)
}

func isView(name string) bool {
	if name == "string" {
		return true
	}
	for _, w := range views() {
		if w.name == name {
			return true
		}
	}
	return false
}
