//go:build armbe || arm64be || m68k || mips || mips64 || mips64p32 || ppc || ppc64 || s390 || s390x || shbe || sparc || sparc64

package vm

import (
	"encoding/binary"
	"unsafe"
)

// Loads and stores of linear memory, whose byte order is not this machine's.

func load16(p unsafe.Pointer) uint16 { return binary.LittleEndian.Uint16((*[2]byte)(p)[:]) }
func load32(p unsafe.Pointer) uint32 { return binary.LittleEndian.Uint32((*[4]byte)(p)[:]) }
func load64(p unsafe.Pointer) uint64 { return binary.LittleEndian.Uint64((*[8]byte)(p)[:]) }

func store16(p unsafe.Pointer, x uint16) { binary.LittleEndian.PutUint16((*[2]byte)(p)[:], x) }
func store32(p unsafe.Pointer, x uint32) { binary.LittleEndian.PutUint32((*[4]byte)(p)[:], x) }
func store64(p unsafe.Pointer, x uint64) { binary.LittleEndian.PutUint64((*[8]byte)(p)[:], x) }
