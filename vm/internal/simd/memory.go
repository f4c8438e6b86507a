package simd

import (
	"encoding/binary"

	"stackscope/wasm"
)

// Width returns how many bytes of memory a vector load or store touches, 0 for other instructions.
func Width(op wasm.Op) int {
	switch op {
	case wasm.OpV128Load, wasm.OpV128Store:
		return 16
	case wasm.OpV128Load8x8S, wasm.OpV128Load8x8U, wasm.OpV128Load16x4S, wasm.OpV128Load16x4U,
		wasm.OpV128Load32x2S, wasm.OpV128Load32x2U, wasm.OpV128Load64Splat, wasm.OpV128Load64Zero,
		wasm.OpV128Load64Lane, wasm.OpV128Store64Lane:
		return 8
	case wasm.OpV128Load32Splat, wasm.OpV128Load32Zero, wasm.OpV128Load32Lane, wasm.OpV128Store32Lane:
		return 4
	case wasm.OpV128Load16Splat, wasm.OpV128Load16Lane, wasm.OpV128Store16Lane:
		return 2
	case wasm.OpV128Load8Splat, wasm.OpV128Load8Lane, wasm.OpV128Store8Lane:
		return 1
	}
	return 0
}

// window returns n bytes of memory at addr+off, which must not wrap around; nil if out of bounds.
func window(mem []byte, addr, off uint64, n int) []byte {
	ea := addr + off
	if ea < addr || ea > uint64(len(mem)) || uint64(len(mem))-ea < uint64(n) {
		return nil
	}
	return mem[ea : ea+uint64(n)]
}

// scalar reads 1, 2, 4 or 8 bytes.
func scalar(p []byte) uint64 {
	switch len(p) {
	case 1:
		return uint64(p[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(p))
	case 4:
		return uint64(binary.LittleEndian.Uint32(p))
	}
	return binary.LittleEndian.Uint64(p)
}

// Load executes a vector load at addr+off. v is the vector operand of the loads of one lane. ok is
// false if the access is out of bounds; op must be a load.
func Load(op wasm.Op, lane uint8, mem []byte, addr, off uint64, v V) (r V, ok bool) {
	p := window(mem, addr, off, Width(op))
	if p == nil {
		return V{}, false
	}
	if op == wasm.OpV128Load {
		return V{binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:])}, true
	}
	s := V{Lo: scalar(p)}
	switch op {
	case wasm.OpV128Load8x8S:
		s = extendLow[int8, int16](s)
	case wasm.OpV128Load8x8U:
		s = extendLow[uint8, uint16](s)
	case wasm.OpV128Load16x4S:
		s = extendLow[int16, int32](s)
	case wasm.OpV128Load16x4U:
		s = extendLow[uint16, uint32](s)
	case wasm.OpV128Load32x2S:
		s = extendLow[int32, int64](s)
	case wasm.OpV128Load32x2U:
		s = extendLow[uint32, uint64](s)
	case wasm.OpV128Load8Splat:
		s = splat[uint8](s)
	case wasm.OpV128Load16Splat:
		s = splat[uint16](s)
	case wasm.OpV128Load32Splat:
		s = splat[uint32](s)
	case wasm.OpV128Load64Splat:
		s = splat[uint64](s)
	case wasm.OpV128Load8Lane:
		s = replace[uint8](v, s, lane)
	case wasm.OpV128Load16Lane:
		s = replace[uint16](v, s, lane)
	case wasm.OpV128Load32Lane:
		s = replace[uint32](v, s, lane)
	case wasm.OpV128Load64Lane:
		s = replace[uint64](v, s, lane)
	}
	return s, true // load32_zero and load64_zero: as read
}

// Store executes a vector store of v, or of one lane of it, at addr+off. ok is false if the access
// is out of bounds, and then nothing is written; op must be a store.
func Store(op wasm.Op, lane uint8, mem []byte, addr, off uint64, v V) (ok bool) {
	p := window(mem, addr, off, Width(op))
	if p == nil {
		return false
	}
	switch op {
	case wasm.OpV128Store:
		binary.LittleEndian.PutUint64(p, v.Lo)
		binary.LittleEndian.PutUint64(p[8:], v.Hi)
	case wasm.OpV128Store8Lane:
		p[0] = lanes[uint8](&v)[lane&15]
	case wasm.OpV128Store16Lane:
		binary.LittleEndian.PutUint16(p, lanes[uint16](&v)[lane&7])
	case wasm.OpV128Store32Lane:
		binary.LittleEndian.PutUint32(p, lanes[uint32](&v)[lane&3])
	case wasm.OpV128Store64Lane:
		binary.LittleEndian.PutUint64(p, lanes[uint64](&v)[lane&1])
	}
	return true
}
