package vm

import (
	"bytes"
	"math"
	"testing"
	"unsafe"

	"stackscope/wasm"
)

func TestMemoryBulk(t *testing.T) {
	m := New(Options{})
	for _, is64 := range []bool{false, true} {
		mem, err := m.NewMemory(wasm.Limits{Min: 1, Max: 3, HasMax: true, Is64: is64})
		if err != nil {
			t.Fatal(err)
		}
		inst := testInstance(m)
		inst.mems = []*Memory{mem}
		inst.datas = [][]byte{{1, 2, 3, 4}}
		f := newFrame(m, inst)
		run := func(want wasm.TrapKind, op wasm.Op, ops ...any) uint64 {
			t.Helper()
			if k := f.do(wasm.Instr{Op: op}, ops...); k != want {
				t.Errorf("%s%v: %v, want %v", op, ops, k, want)
			}
			return f.nums[0]
		}
		const oob = wasm.TrapMemoryOutOfBounds
		run(0, wasm.OpMemoryInit, 10, 1, 3)
		run(0, wasm.OpMemoryCopy, 11, 10, 3)
		if got := mem.Bytes()[9:15]; !bytes.Equal(got, []byte{0, 2, 2, 3, 4, 0}) {
			t.Error(got)
		}
		run(0, wasm.OpMemoryFill, 9, 0x1ab, 5)
		if got := mem.Bytes()[8:15]; !bytes.Equal(got, []byte{0, 0xab, 0xab, 0xab, 0xab, 0xab, 0}) {
			t.Error(got)
		}
		run(0, wasm.OpMemoryFill, 65536, 1, 0)
		run(0, wasm.OpMemoryInit, 65536, 4, 0)
		run(0, wasm.OpMemoryCopy, 65536, 65536, 0)
		run(oob, wasm.OpMemoryFill, 65537, 1, 0)
		run(oob, wasm.OpMemoryFill, 65535, 1, 2)
		run(oob, wasm.OpMemoryInit, 0, 2, 3)
		run(oob, wasm.OpMemoryInit, 0, 5, 0)
		run(oob, wasm.OpMemoryInit, 65535, 0, 2)
		run(oob, wasm.OpMemoryCopy, 0, 65535, 2)
		run(oob, wasm.OpMemoryCopy, 65535, 0, 2)
		run(oob, wasm.OpMemoryCopy, 1, 0, uint64(math.MaxUint64))
		run(oob, wasm.OpMemoryFill, uint64(math.MaxUint64), 0, 2)
		run(0, wasm.OpDataDrop)
		run(0, wasm.OpMemoryInit, 0, 0, 0)
		run(oob, wasm.OpMemoryInit, 0, 0, 1)

		failed := uint64(math.MaxUint32)
		if is64 {
			failed = math.MaxUint64
		}
		if n := run(0, wasm.OpMemorySize); n != 1 {
			t.Error("size", n)
		}
		if n := run(0, wasm.OpMemoryGrow, 3); n != failed {
			t.Error("grow beyond the maximum", n)
		}
		if n := run(0, wasm.OpMemoryGrow, failed); n != failed {
			t.Error("grow by everything", n)
		}
		if n := run(0, wasm.OpMemoryGrow, 1); n != 1 {
			t.Error("grow", n)
		}
		if n := run(0, wasm.OpMemoryGrow, 1); n != 2 || len(mem.Bytes()) != 3*65536 || mem.Bytes()[9] != 0xab ||
			mem.Bytes()[3*65536-1] != 0 {
			t.Error("grow", n)
		}
		if n := run(0, wasm.OpMemoryGrow, 0); n != 3 {
			t.Error("grow by nothing", n)
		}
	}
}

func TestMemoryLimits(t *testing.T) {
	m := New(Options{MaxMemory: 4 * 65536})
	a, err := m.NewMemory(wasm.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if old, ok := a.Grow(2); !ok || old != 0 {
		t.Error(old, ok)
	}
	if _, err := m.NewMemory(wasm.Limits{Min: 5}); err == nil {
		t.Error("more than all memories may have")
	}
	if _, err := m.NewMemory(wasm.Limits{Min: math.MaxUint64, Is64: true}); err == nil {
		t.Error("more than there can be")
	}
	b, err := m.NewMemory(wasm.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if old, ok := b.Grow(2); !ok || old != 0 {
		t.Error(old, ok)
	}
	if old, ok := a.Grow(1); ok || old != 2 || a.Pages() != 2 {
		t.Error("grown beyond the limit", old)
	}
	c, err := New(Options{}).NewMemory(wasm.Limits{Min: 3, HasPage: true}) // pages of one byte
	if err != nil || c.Pages() != 3 || len(c.Bytes()) != 3 {
		t.Fatal(err)
	}
	if old, ok := c.Grow(10); !ok || old != 3 || len(c.Bytes()) != 13 {
		t.Error(old, ok)
	}
	if _, ok := c.Grow(1 << 32); ok {
		t.Error("a 32-bit memory of more than 4 GiB")
	}
}

func TestTableBulk(t *testing.T) {
	m := New(Options{MaxTable: 12})
	r := func(i uint32) Ref { return I31Ref(i) }
	for _, is64 := range []bool{false, true} {
		tab, err := m.NewTable(wasm.AnyRef, wasm.Limits{Min: 5, Is64: is64}, r(0))
		if err != nil {
			t.Fatal(err)
		}
		inst := testInstance(m)
		inst.tables = []*Table{tab, tab}
		inst.elems = [][]Ref{{r(1), r(2), r(3)}}
		f := newFrame(m, inst)
		run := func(want wasm.TrapKind, op wasm.Op, ops ...any) uint64 {
			t.Helper()
			if k := f.do(wasm.Instr{Op: op}, ops...); k != want || k == 0 && !f.clean(0) {
				t.Errorf("%s%v: %v, want %v", op, ops, k, want)
			}
			return f.nums[0]
		}
		all := func(want ...uint32) {
			t.Helper()
			if tab.Len() != uint64(len(want)) {
				t.Fatal(tab.Len(), len(want))
			}
			for i, x := range want {
				if tab.Get(uint64(i)) != r(x) {
					t.Errorf("element %d: %v, want %d", i, tab.Get(uint64(i)), x)
				}
			}
		}
		const oob = wasm.TrapTableOutOfBounds
		all(0, 0, 0, 0, 0)
		run(0, wasm.OpTableInit, 1, 0, 3)
		all(0, 1, 2, 3, 0)
		run(0, wasm.OpTableCopy, 2, 1, 3)
		all(0, 1, 1, 2, 3)
		run(0, wasm.OpTableFill, 0, r(9), 2)
		all(9, 9, 1, 2, 3)
		run(0, wasm.OpTableFill, 5, r(9), 0)
		run(0, wasm.OpTableCopy, 5, 5, 0)
		run(oob, wasm.OpTableFill, 6, r(9), 0)
		run(oob, wasm.OpTableFill, 4, r(9), 2)
		run(oob, wasm.OpTableInit, 3, 0, 3)
		run(oob, wasm.OpTableInit, 0, 1, 3)
		run(oob, wasm.OpTableCopy, 0, 3, 3)
		run(oob, wasm.OpTableCopy, 3, 0, 3)
		run(oob, wasm.OpTableCopy, 1, 0, uint64(math.MaxUint64))
		run(0, wasm.OpElemDrop)
		run(0, wasm.OpTableInit, 0, 0, 0)
		run(oob, wasm.OpTableInit, 0, 0, 1)
		if n := run(0, wasm.OpTableGrow, 2, r(4)); n != 5 {
			t.Error("grow", n)
		}
		all(9, 9, 1, 2, 3, 4, 4)
		failed := uint64(math.MaxUint32)
		if is64 {
			failed = math.MaxUint64
		}
		if n := run(0, wasm.OpTableGrow, 6, r(4)); n != failed {
			t.Error("grow beyond the machine's limit", n)
		}
		if n := run(0, wasm.OpTableGrow, failed, r(4)); n != failed {
			t.Error("grow by everything", n)
		}
		if n := run(0, wasm.OpTableSize); n != 7 {
			t.Error("size", n)
		}
	}
	if _, err := m.NewTable(wasm.AnyRef, wasm.Limits{Min: 13}, Ref{}); err == nil {
		t.Error("a table beyond the limit")
	}
	tab, _ := m.NewTable(wasm.AnyRef, wasm.Limits{Min: 1, Max: 2, HasMax: true}, Ref{})
	if _, ok := tab.Grow(2, Ref{}); ok {
		t.Error("grown beyond the maximum")
	}
	if old, ok := tab.Grow(1, r(1)); !ok || old != 1 || tab.Get(1) != r(1) {
		t.Error(old, ok)
	}
}

// By default a memory of 4 GiB is accepted, and no more, whatever the host has made. It is not made
// here: Go may have to clear it.
func TestDefaultMaxMemory(t *testing.T) {
	m := New(Options{})
	if _, err := m.NewMemory(wasm.Limits{Min: 1}); err != nil {
		t.Fatal(err)
	}
	memory := wasm.Memory{Limits: wasm.Limits{Min: 65536}}
	if _, _, err := m.claim(&wasm.Module{Mems: []wasm.Memory{memory}}, 0, 0); err != nil {
		t.Error(err)
	}
	if _, _, err := m.claim(&wasm.Module{Mems: []wasm.Memory{{Limits: wasm.Limits{Min: 1}}}}, 0, 0); err == nil {
		t.Error("more than 4 GiB is accepted")
	}
}

// A new stack with its first frames is one object of Go's size class of 256 bytes: the next one is
// slower, and larger a million times.
func TestBlockSize(t *testing.T) {
	if n := unsafe.Sizeof(block{}); n > 256 {
		t.Errorf("%d bytes", n)
	}
}
