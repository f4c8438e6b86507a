package vm

import (
	"unsafe"

	"stackscope/wasm"
)

// Bulk instructions (memory.fill, array.new and the like) may take much longer than what lies
// between two safe points. Therefore they are safe points, and they pay for their work: each
// workUnit bytes cost as much of the slice, and of the fuel, as one more safe point. Bounds and
// fuel are checked before anything is done. A long instruction is done in chunks; terminating the
// call, or its timeout, ends it between two of them, and then part of it has been done. A pause
// waits for the end of the instruction. All forms of code do the same.

const (
	workUnit  = 256     // bytes that cost as much as a safe point
	workChunk = 1 << 20 // bytes between two looks at the flags
)

// charge pays for the work of an instruction before it is done. What is not left in the slice is
// owed until the next safe point.
func (m *Machine) charge(bytes uint64) wasm.TrapKind {
	units := bytes / workUnit
	if units == 0 {
		return 0
	}
	left := uint64(max(m.budget, 0))
	if units <= left {
		m.budget -= int64(units)
		return 0
	}
	if m.opt.Fuel > 0 {
		units -= left
		if m.fuel < units {
			m.fuel, m.budget = 0, 0
			return wasm.TrapOutOfFuel
		}
		m.fuel -= units
	}
	m.budget = 0
	if interrupted(m) {
		return wasm.TrapInterrupted
	}
	return 0
}

// Charge pays for work that the host does for the program, as Call.Work does. The error is a trap,
// also if the running host calls are to end.
func (h *hosting) Charge(bytes uint64) error {
	if interrupted(h.m) {
		return NewTrap(wasm.TrapInterrupted, "")
	}
	if tk := h.m.charge(bytes); tk != 0 {
		return NewTrap(tk, "")
	}
	return nil
}

// pay is charge for work that nobody may be waiting for: then m is nil.
func pay(m *Machine, bytes uint64) wasm.TrapKind {
	if m == nil {
		return 0
	}
	return m.charge(bytes)
}

// interrupted reports whether the call is to end.
func interrupted(m *Machine) bool {
	return m != nil && m.flags.Load()&(flagTerminate|flagCancel) != 0
}

// copyWork is copy(dst, src), in chunks. If both are of the same memory, table or array, back
// reports whether dst lies above src.
func copyWork[T any](m *Machine, dst, src []T, back bool) wasm.TrapKind {
	step := workChunk / int(unsafe.Sizeof(*new(T)))
	n := len(src)
	for done := 0; done < n; {
		k := min(step, n-done)
		at := done
		if back {
			at = n - done - k
		}
		copy(dst[at:at+k], src[at:at+k])
		if done += k; done < n && interrupted(m) {
			return wasm.TrapInterrupted
		}
	}
	return 0
}

// spread fills p with what its first elements are, up to done: a power of two, at least 1.
func spread[T any](m *Machine, p []T, done int) wasm.TrapKind {
	step := workChunk / int(unsafe.Sizeof(*new(T)))
	for done < len(p) {
		done += copy(p[done:], p[:min(done, step)])
		if done > step && done < len(p) && interrupted(m) {
			return wasm.TrapInterrupted
		}
	}
	return 0
}

// fillBytes fills p with x.
func fillBytes(m *Machine, p []byte, x byte) wasm.TrapKind {
	if len(p) == 0 {
		return 0
	}
	if x != 0 {
		p[0] = x
		return spread(m, p, 1)
	}
	for len(p) > workChunk {
		clear(p[:workChunk])
		if p = p[workChunk:]; interrupted(m) {
			return wasm.TrapInterrupted
		}
	}
	clear(p)
	return 0
}

// fillRefs fills p with r.
func fillRefs(m *Machine, p []Ref, r Ref) wasm.TrapKind {
	if len(p) == 0 {
		return 0
	}
	p[0] = r
	return spread(m, p, 1)
}
