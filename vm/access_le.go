//go:build !(armbe || arm64be || m68k || mips || mips64 || mips64p32 || ppc || ppc64 || s390 || s390x || shbe || sparc || sparc64)

package vm

import "unsafe"

// Loads and stores of linear memory, whose byte order is this machine's.

func load16(p unsafe.Pointer) uint16 { return *(*uint16)(p) }
func load32(p unsafe.Pointer) uint32 { return *(*uint32)(p) }
func load64(p unsafe.Pointer) uint64 { return *(*uint64)(p) }

func store16(p unsafe.Pointer, x uint16) { *(*uint16)(p) = x }
func store32(p unsafe.Pointer, x uint32) { *(*uint32)(p) = x }
func store64(p unsafe.Pointer, x uint64) { *(*uint64)(p) = x }
