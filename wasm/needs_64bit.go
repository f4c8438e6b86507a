//go:build 386 || amd64p32 || arm || armbe || mips || mipsle || mips64p32 || mips64p32le || ppc || riscv || s390 || sparc

package wasm

// An int has 64 bits in all of this module, and the VM's references and ops have the layout of
// 64-bit pointers. On other platforms the next line does not compile, which is its purpose.
var _ = stackscope_needs_a_64_bit_platform
