package vm

import (
	"math"
	"math/bits"
	"strconv"
	"unsafe"

	"stackscope/wasm"
)

// vars are the loop's variables that most ops do not use. They are too many for the compiler to
// keep in registers, so they stay in memory and cost nothing where they are not used.
type vars struct {
	s      *Stack
	cd     *code
	base   unsafe.Pointer
	r      rslots
	inst   *Instance
	mem    *Memory
	mb     unsafe.Pointer // its bytes, and how many, as the loop of the fused form has them
	ml     uint64
	budget int64
	fused  bool          // the frame goes on in the fused form
	tk     wasm.TrapKind // of exitTrap
	o      *op           // o and f while something is called, so that they need not survive calls in registers
	f      nslots
	callee *Func

	// of the fused form
	fr             *frame         // the innermost frame
	depth, cap     int            // of s.frames; its len is set where somebody looks (frames)
	numCap, refCap uint32         // of the stack's slots
	num0, ref0     unsafe.Pointer // the first of them
}

// run executes from the running stack's innermost frame until the rooted stack returns (nil) or the
// chain ends with an error. The variables that the loop keeps:
//
//	s     the running stack          cd    its innermost frame's code
//	f, r  the frame's slots          base  the ops, baseline or instrumented
//	o     the op                     mem   the instance's memory 0
//
// frame.pc is only right while something outside the loop looks: `sync` stores it.
func (m *Machine) run() (err error) {
	var (
		v      vars
		o      *op
		f      nslots
		fr     *frame
		code   uint16
		tk     wasm.TrapKind
		p      unsafe.Pointer
		ok     bool
		callee *Func
		na, ra uint32 // call: argument bases; return: result sources
		nn, nr uint32 // return: counts
		i, old uint32
		x      uint64
		br     *branch
		next   *Stack
		exn    *Exn
		tail   bool
	)
	v.s = m.cur
	v.budget = m.budget
	goto load

next:
	if checked {
		(&v).verifyBaseline(o, f.p)
	}
	code = o.code
again:
	switch code {
	case uint16(wasm.OpI32Eqz):
		x = 0
		if f.u32(o.b) == 0 {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI32Eq):
		x = 0
		if f.u32(o.b) == f.u32(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI32Ne):
		x = 0
		if f.u32(o.b) != f.u32(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI32LtS):
		x = 0
		if int32(f.u32(o.b)) < int32(f.u32(o.c)) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI32LtU):
		x = 0
		if f.u32(o.b) < f.u32(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI32GtS):
		x = 0
		if int32(f.u32(o.b)) > int32(f.u32(o.c)) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI32GtU):
		x = 0
		if f.u32(o.b) > f.u32(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI32LeS):
		x = 0
		if int32(f.u32(o.b)) <= int32(f.u32(o.c)) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI32LeU):
		x = 0
		if f.u32(o.b) <= f.u32(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI32GeS):
		x = 0
		if int32(f.u32(o.b)) >= int32(f.u32(o.c)) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI32GeU):
		x = 0
		if f.u32(o.b) >= f.u32(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI32Clz):
		f.set32(o.a, uint32(bits.LeadingZeros32(f.u32(o.b))))
	case uint16(wasm.OpI32Ctz):
		f.set32(o.a, uint32(bits.TrailingZeros32(f.u32(o.b))))
	case uint16(wasm.OpI32Add):
		f.set32(o.a, f.u32(o.b)+f.u32(o.c))
	case uint16(wasm.OpI32Sub):
		f.set32(o.a, f.u32(o.b)-f.u32(o.c))
	case uint16(wasm.OpI32Mul):
		f.set32(o.a, f.u32(o.b)*f.u32(o.c))
	case uint16(wasm.OpI32And):
		f.set32(o.a, f.u32(o.b)&f.u32(o.c))
	case uint16(wasm.OpI32Or):
		f.set32(o.a, f.u32(o.b)|f.u32(o.c))
	case uint16(wasm.OpI32Xor):
		f.set32(o.a, f.u32(o.b)^f.u32(o.c))
	case uint16(wasm.OpI32DivS):
		if f.u32(o.c) == 0 {
			tk = wasm.TrapIntegerDivideByZero
			goto trap
		}
		if f.u32(o.b) == 1<<31 && int32(f.u32(o.c)) == -1 {
			tk = wasm.TrapIntegerOverflow
			goto trap
		}
		f.set32(o.a, uint32(int32(f.u32(o.b))/int32(f.u32(o.c))))
	case uint16(wasm.OpI32DivU):
		if f.u32(o.c) == 0 {
			tk = wasm.TrapIntegerDivideByZero
			goto trap
		}
		f.set32(o.a, f.u32(o.b)/f.u32(o.c))
	case uint16(wasm.OpI32RemS):
		if f.u32(o.c) == 0 {
			tk = wasm.TrapIntegerDivideByZero
			goto trap
		}
		f.set32(o.a, uint32(int32(f.u32(o.b))%int32(f.u32(o.c))))
	case uint16(wasm.OpI32RemU):
		if f.u32(o.c) == 0 {
			tk = wasm.TrapIntegerDivideByZero
			goto trap
		}
		f.set32(o.a, f.u32(o.b)%f.u32(o.c))
	case uint16(wasm.OpI32Shl):
		f.set32(o.a, f.u32(o.b)<<(f.u32(o.c)&31))
	case uint16(wasm.OpI32ShrS):
		f.set32(o.a, uint32(int32(f.u32(o.b))>>(f.u32(o.c)&31)))
	case uint16(wasm.OpI32ShrU):
		f.set32(o.a, f.u32(o.b)>>(f.u32(o.c)&31))
	case uint16(wasm.OpI32Rotl):
		f.set32(o.a, bits.RotateLeft32(f.u32(o.b), int(f.u32(o.c)&31)))
	case uint16(wasm.OpI32Rotr):
		f.set32(o.a, bits.RotateLeft32(f.u32(o.b), -int(f.u32(o.c)&31)))
	case uint16(wasm.OpI64Eqz):
		x = 0
		if f.u64(o.b) == 0 {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI64Eq):
		x = 0
		if f.u64(o.b) == f.u64(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI64Ne):
		x = 0
		if f.u64(o.b) != f.u64(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI64LtS):
		x = 0
		if int64(f.u64(o.b)) < int64(f.u64(o.c)) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI64LtU):
		x = 0
		if f.u64(o.b) < f.u64(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI64GtS):
		x = 0
		if int64(f.u64(o.b)) > int64(f.u64(o.c)) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI64GtU):
		x = 0
		if f.u64(o.b) > f.u64(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI64LeS):
		x = 0
		if int64(f.u64(o.b)) <= int64(f.u64(o.c)) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI64LeU):
		x = 0
		if f.u64(o.b) <= f.u64(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI64GeS):
		x = 0
		if int64(f.u64(o.b)) >= int64(f.u64(o.c)) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI64GeU):
		x = 0
		if f.u64(o.b) >= f.u64(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpI64Clz):
		f.set(o.a, uint64(bits.LeadingZeros64(f.u64(o.b))))
	case uint16(wasm.OpI64Ctz):
		f.set(o.a, uint64(bits.TrailingZeros64(f.u64(o.b))))
	case uint16(wasm.OpI64Add):
		f.set(o.a, f.u64(o.b)+f.u64(o.c))
	case uint16(wasm.OpI64Sub):
		f.set(o.a, f.u64(o.b)-f.u64(o.c))
	case uint16(wasm.OpI64Mul):
		f.set(o.a, f.u64(o.b)*f.u64(o.c))
	case uint16(wasm.OpI64And):
		f.set(o.a, f.u64(o.b)&f.u64(o.c))
	case uint16(wasm.OpI64Or):
		f.set(o.a, f.u64(o.b)|f.u64(o.c))
	case uint16(wasm.OpI64Xor):
		f.set(o.a, f.u64(o.b)^f.u64(o.c))
	case uint16(wasm.OpI64DivS):
		if f.u64(o.c) == 0 {
			tk = wasm.TrapIntegerDivideByZero
			goto trap
		}
		if f.u64(o.b) == 1<<63 && int64(f.u64(o.c)) == -1 {
			tk = wasm.TrapIntegerOverflow
			goto trap
		}
		f.set(o.a, uint64(int64(f.u64(o.b))/int64(f.u64(o.c))))
	case uint16(wasm.OpI64DivU):
		if f.u64(o.c) == 0 {
			tk = wasm.TrapIntegerDivideByZero
			goto trap
		}
		f.set(o.a, f.u64(o.b)/f.u64(o.c))
	case uint16(wasm.OpI64RemS):
		if f.u64(o.c) == 0 {
			tk = wasm.TrapIntegerDivideByZero
			goto trap
		}
		f.set(o.a, uint64(int64(f.u64(o.b))%int64(f.u64(o.c))))
	case uint16(wasm.OpI64RemU):
		if f.u64(o.c) == 0 {
			tk = wasm.TrapIntegerDivideByZero
			goto trap
		}
		f.set(o.a, f.u64(o.b)%f.u64(o.c))
	case uint16(wasm.OpI64Shl):
		f.set(o.a, f.u64(o.b)<<(f.u64(o.c)&63))
	case uint16(wasm.OpI64ShrS):
		f.set(o.a, uint64(int64(f.u64(o.b))>>(f.u64(o.c)&63)))
	case uint16(wasm.OpI64ShrU):
		f.set(o.a, f.u64(o.b)>>(f.u64(o.c)&63))
	case uint16(wasm.OpI64Rotl):
		f.set(o.a, bits.RotateLeft64(f.u64(o.b), int(f.u64(o.c)&63)))
	case uint16(wasm.OpI64Rotr):
		f.set(o.a, bits.RotateLeft64(f.u64(o.b), -int(f.u64(o.c)&63)))
	case uint16(wasm.OpF32Eq):
		x = 0
		if f.f32(o.b) == f.f32(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpF32Ne):
		x = 0
		if f.f32(o.b) != f.f32(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpF32Lt):
		x = 0
		if f.f32(o.b) < f.f32(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpF32Gt):
		x = 0
		if f.f32(o.b) > f.f32(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpF32Le):
		x = 0
		if f.f32(o.b) <= f.f32(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpF32Ge):
		x = 0
		if f.f32(o.b) >= f.f32(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpF32Add):
		f.setF32(o.a, f.f32(o.b)+f.f32(o.c))
	case uint16(wasm.OpF32Sub):
		f.setF32(o.a, f.f32(o.b)-f.f32(o.c))
	case uint16(wasm.OpF32Mul):
		f.setF32(o.a, f.f32(o.b)*f.f32(o.c))
	case uint16(wasm.OpF32Div):
		f.setF32(o.a, f.f32(o.b)/f.f32(o.c))
	case uint16(wasm.OpF32Abs):
		f.set32(o.a, f.u32(o.b)&^(1<<31))
	case uint16(wasm.OpF32Neg):
		f.set32(o.a, f.u32(o.b)^1<<31)
	case uint16(wasm.OpF32Sqrt):
		f.setF32(o.a, float32(math.Sqrt(float64(f.f32(o.b)))))
	case uint16(wasm.OpF64Eq):
		x = 0
		if f.f64(o.b) == f.f64(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpF64Ne):
		x = 0
		if f.f64(o.b) != f.f64(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpF64Lt):
		x = 0
		if f.f64(o.b) < f.f64(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpF64Gt):
		x = 0
		if f.f64(o.b) > f.f64(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpF64Le):
		x = 0
		if f.f64(o.b) <= f.f64(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpF64Ge):
		x = 0
		if f.f64(o.b) >= f.f64(o.c) {
			x = 1
		}
		f.set(o.a, x)
	case uint16(wasm.OpF64Add):
		f.setF64(o.a, f.f64(o.b)+f.f64(o.c))
	case uint16(wasm.OpF64Sub):
		f.setF64(o.a, f.f64(o.b)-f.f64(o.c))
	case uint16(wasm.OpF64Mul):
		f.setF64(o.a, f.f64(o.b)*f.f64(o.c))
	case uint16(wasm.OpF64Div):
		f.setF64(o.a, f.f64(o.b)/f.f64(o.c))
	case uint16(wasm.OpF64Abs):
		f.set(o.a, f.u64(o.b)&^(1<<63))
	case uint16(wasm.OpF64Neg):
		f.set(o.a, f.u64(o.b)^1<<63)
	case uint16(wasm.OpF64Sqrt):
		f.setF64(o.a, math.Sqrt(f.f64(o.b)))
	case uint16(wasm.OpI32WrapI64):
		f.set32(o.a, f.u32(o.b))
	case uint16(wasm.OpI64ExtendI32S):
		f.set(o.a, uint64(int64(int32(f.u32(o.b)))))
	case uint16(wasm.OpI64ExtendI32U):
		f.set(o.a, uint64(f.u32(o.b)))
	case uint16(wasm.OpF32ConvertI32S):
		f.setF32(o.a, float32(int32(f.u32(o.b))))
	case uint16(wasm.OpF64ConvertI32S):
		f.setF64(o.a, float64(int32(f.u32(o.b))))
	case uint16(wasm.OpF64ConvertI32U):
		f.setF64(o.a, float64(f.u32(o.b)))
	case uint16(wasm.OpF64ConvertI64S):
		f.setF64(o.a, float64(int64(f.u64(o.b))))
	case uint16(wasm.OpI32ReinterpretF32), uint16(wasm.OpI64ReinterpretF64), uint16(wasm.OpF32ReinterpretI32), uint16(wasm.OpF64ReinterpretI64):
		f.set(o.a, f.u64(o.b))
	case uint16(wasm.OpI32Extend8S):
		f.set32(o.a, uint32(int8(f.u32(o.b))))
	case uint16(wasm.OpI32Extend16S):
		f.set32(o.a, uint32(int16(f.u32(o.b))))
	case uint16(wasm.OpI64Extend8S):
		f.set(o.a, uint64(int8(f.u64(o.b))))
	case uint16(wasm.OpI64Extend16S):
		f.set(o.a, uint64(int16(f.u64(o.b))))
	case uint16(wasm.OpI64Extend32S):
		f.set(o.a, uint64(int32(f.u64(o.b))))
	case uint16(wasm.OpI32Load):
		x = f.u64(o.b) + o.imm
		if x+4 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 4)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		f.set(o.a, uint64(load32(p)))
	case uint16(wasm.OpI64Load):
		x = f.u64(o.b) + o.imm
		if x+8 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 8)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		f.set(o.a, load64(p))
	case uint16(wasm.OpF32Load):
		x = f.u64(o.b) + o.imm
		if x+4 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 4)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		f.set(o.a, uint64(load32(p)))
	case uint16(wasm.OpF64Load):
		x = f.u64(o.b) + o.imm
		if x+8 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 8)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		f.set(o.a, load64(p))
	case uint16(wasm.OpI32Load8S):
		x = f.u64(o.b) + o.imm
		if x+1 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 1)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		f.set(o.a, uint64(uint32(int8(*(*uint8)(p)))))
	case uint16(wasm.OpI32Load8U):
		x = f.u64(o.b) + o.imm
		if x+1 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 1)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		f.set(o.a, uint64(*(*uint8)(p)))
	case uint16(wasm.OpI32Load16S):
		x = f.u64(o.b) + o.imm
		if x+2 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 2)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		f.set(o.a, uint64(uint32(int16(load16(p)))))
	case uint16(wasm.OpI32Load16U):
		x = f.u64(o.b) + o.imm
		if x+2 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 2)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		f.set(o.a, uint64(load16(p)))
	case uint16(wasm.OpI64Load8S):
		x = f.u64(o.b) + o.imm
		if x+1 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 1)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		f.set(o.a, uint64(int8(*(*uint8)(p))))
	case uint16(wasm.OpI64Load8U):
		x = f.u64(o.b) + o.imm
		if x+1 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 1)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		f.set(o.a, uint64(*(*uint8)(p)))
	case uint16(wasm.OpI64Load16S):
		x = f.u64(o.b) + o.imm
		if x+2 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 2)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		f.set(o.a, uint64(int16(load16(p))))
	case uint16(wasm.OpI64Load16U):
		x = f.u64(o.b) + o.imm
		if x+2 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 2)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		f.set(o.a, uint64(load16(p)))
	case uint16(wasm.OpI64Load32S):
		x = f.u64(o.b) + o.imm
		if x+4 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 4)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		f.set(o.a, uint64(int32(load32(p))))
	case uint16(wasm.OpI64Load32U):
		x = f.u64(o.b) + o.imm
		if x+4 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 4)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		f.set(o.a, uint64(load32(p)))
	case uint16(wasm.OpI32Store):
		x = f.u64(o.a) + o.imm
		if x+4 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 4)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		store32(p, f.u32(o.b))
	case uint16(wasm.OpI64Store):
		x = f.u64(o.a) + o.imm
		if x+8 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 8)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		store64(p, f.u64(o.b))
	case uint16(wasm.OpF32Store):
		x = f.u64(o.a) + o.imm
		if x+4 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 4)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		store32(p, f.u32(o.b))
	case uint16(wasm.OpF64Store):
		x = f.u64(o.a) + o.imm
		if x+8 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 8)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		store64(p, f.u64(o.b))
	case uint16(wasm.OpI32Store8):
		x = f.u64(o.a) + o.imm
		if x+1 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 1)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		*(*uint8)(p) = uint8(f.u64(o.b))
	case uint16(wasm.OpI32Store16):
		x = f.u64(o.a) + o.imm
		if x+2 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 2)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		store16(p, uint16(f.u64(o.b)))
	case uint16(wasm.OpI64Store8):
		x = f.u64(o.a) + o.imm
		if x+1 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 1)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		*(*uint8)(p) = uint8(f.u64(o.b))
	case uint16(wasm.OpI64Store16):
		x = f.u64(o.a) + o.imm
		if x+2 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 2)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		store16(p, uint16(f.u64(o.b)))
	case uint16(wasm.OpI64Store32):
		x = f.u64(o.a) + o.imm
		if x+4 > uint64(len(v.mem.bytes)) {
			goto outOfBounds
		}
		if checked {
			checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, 4)
		}
		p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)
		store32(p, f.u32(o.b))
	case opMovN:
		f.set(o.a, f.u64(o.b))
	case opMovV:
		f.set(o.a, f.u64(o.b))
		f.set(o.a+1, f.u64(o.b+1))
	case opMovR:
		*v.r.at(o.a) = *v.r.at(o.b)
	case opTakeR:
		*v.r.at(o.a) = *v.r.at(o.b)
		*v.r.at(o.b) = Ref{}
	case opClearR:
		*v.r.at(o.a) = Ref{}
	case opConst:
		f.set(o.a, o.imm)
	case opConstV:
		f.set(o.a, o.imm)
		f.set(o.a+1, v.cd.vectorHighs[o.c])
	case opEnd:
	case uint16(wasm.OpLoop):
		if m.mode == formFused && v.cd.fusedBase != nil {
			v.s.frames[len(v.s.frames)-1].pc = pcOf(v.base, o)
			goto load
		}
		if v.budget--; v.budget < 0 {
			goto pause
		}
	case opJump:
		o = jumpOp(o)
		goto next
	case opJumpMove:
		br = &v.cd.branches[o.imm]
		goto move
	case opBrIf:
		if f.u32(o.a) != 0 {
			o = jumpOp(o)
			goto next
		}
	case opBrUnless:
		if f.u32(o.a) == 0 {
			o = jumpOp(o)
			goto next
		}
	case opBrIfMove:
		if f.u32(o.a) != 0 {
			br = &v.cd.branches[o.imm]
			goto move
		}
	case opTable:
		i = min(f.u32(o.a), uint32(o.imm)-1)
		br = &v.cd.branches[o.imm>>32+uint64(i)]
		goto move
	case opBrNull:
		if v.r.at(o.a).obj == nil {
			br = &v.cd.branches[o.imm]
			goto move
		}
	case opBrNonNull:
		if v.r.at(o.a).obj != nil {
			br = &v.cd.branches[o.imm]
			goto move
		}
	case opBrCast:
		v.o, v.f = o, f
		ok = m.matches(*v.r.at(o.a), v.cd.casts[o.c])
		o, f = v.o, v.f
		if ok {
			br = &v.cd.branches[o.imm]
			goto move
		}
		goto behind
	case opBrCastFail:
		v.o, v.f = o, f
		ok = m.matches(*v.r.at(o.a), v.cd.casts[o.c])
		o, f = v.o, v.f
		if !ok {
			br = &v.cd.branches[o.imm]
			goto move
		}
		goto behind
	case opSelN:
		if f.u32(o.c) == 0 {
			f.set(o.a, f.u64(o.b))
		}
	case opSelV:
		if f.u32(o.c) == 0 {
			f.set(o.a, f.u64(o.b))
			f.set(o.a+1, f.u64(o.b+1))
		}
	case opSelR:
		if f.u32(o.c) == 0 {
			*v.r.at(o.a) = *v.r.at(o.b)
		}
		*v.r.at(o.b) = Ref{}
	case opGlobalGetN:
		f.set(o.a, v.inst.globals[o.imm].lo)
	case opGlobalGetV:
		f.set(o.a, v.inst.globals[o.imm].lo)
		f.set(o.a+1, v.inst.globals[o.imm].hi)
	case opGlobalGetR:
		*v.r.at(o.a) = v.inst.globals[o.imm].ref
	case opGlobalSetN:
		v.inst.globals[o.imm].lo = f.u64(o.a)
	case opGlobalSetV:
		v.inst.globals[o.imm].lo = f.u64(o.a)
		v.inst.globals[o.imm].hi = f.u64(o.a + 1)
	case opGlobalSetR:
		v.inst.globals[o.imm].ref = *v.r.at(o.a)
		*v.r.at(o.a) = Ref{}
	case uint16(wasm.OpTableGet):
		if t := v.inst.tables[o.imm]; f.u64(o.a) < uint64(len(t.elems)) {
			*v.r.at(o.b) = t.elems[f.u64(o.a)]
		} else {
			tk = wasm.TrapTableOutOfBounds
			goto trap
		}
	case uint16(wasm.OpTableSet):
		if t := v.inst.tables[o.imm]; f.u64(o.a) < uint64(len(t.elems)) {
			t.elems[f.u64(o.a)] = *v.r.at(o.b)
			*v.r.at(o.b) = Ref{}
		} else {
			tk = wasm.TrapTableOutOfBounds
			goto trap
		}
	case uint16(wasm.OpRefIsNull):
		x = 0
		if v.r.at(o.b).obj == nil {
			x = 1
		}
		f.set(o.a, x)
		*v.r.at(o.b) = Ref{}
	case uint16(wasm.OpRefFunc):
		*v.r.at(o.a) = Ref{obj: &v.inst.funcs[o.imm].object}
	case uint16(wasm.OpRefEq):
		x = 0
		if *v.r.at(o.b) == *v.r.at(o.c) {
			x = 1
		}
		f.set(o.a, x)
		*v.r.at(o.b), *v.r.at(o.c) = Ref{}, Ref{}
	case uint16(wasm.OpRefAsNonNull):
		if v.r.at(o.a).obj == nil {
			tk = wasm.TrapNullReference
			goto trap
		}

	case uint16(wasm.OpCall):
		callee = v.inst.funcs[o.imm]
		goto enter
	case uint16(wasm.OpReturnCall):
		callee = v.inst.funcs[o.imm]
		goto enterTail
	case uint16(wasm.OpCallIndirect):
		v.o, v.f = o, f
		callee, tk = m.indirect(v.inst, o, f)
		o, f = v.o, v.f
		if tk != 0 {
			goto trap
		}
		goto enter
	case uint16(wasm.OpReturnCallIndirect):
		v.o, v.f = o, f
		callee, tk = m.indirect(v.inst, o, f)
		o, f = v.o, v.f
		if tk != 0 {
			goto trap
		}
		goto enterTail
	case uint16(wasm.OpCallRef):
		if v.r.at(o.c).obj == nil {
			tk = wasm.TrapNullFunction
			goto trap
		}
		if v.budget <= 0 { // the pause must come while the operand is there
			goto pause
		}
		callee = v.r.at(o.c).asFunc()
		*v.r.at(o.c) = Ref{}
		goto enter
	case uint16(wasm.OpReturnCallRef):
		if v.r.at(o.c).obj == nil {
			tk = wasm.TrapNullFunction
			goto trap
		}
		callee = v.r.at(o.c).asFunc()
		goto enterTail
	case opReturn:
		na, ra, nn, nr = uint32(o.a), uint32(o.b), uint32(o.c), uint32(o.imm)
		goto leave

	case opNumeric:
		v.o, v.f = o, f
		x, tk = numeric(wasm.Op(o.imm), f.u64(o.b), f.u64(o.c))
		o, f = v.o, v.f
		if tk != 0 {
			goto trap
		}
		f.set(o.a, x)
		goto behind
	case opSIMD:
		v.o, v.f = o, f
		fr = v.sync()
		tk = m.vector(v.s, v.cd, v.inst, v.o, fr.pc)
		o, f = v.o, v.f
		if tk != 0 {
			goto trap
		}
		goto behind
	case opObject:
		v.o, v.f = o, f
		fr = v.sync()
		tk = m.object(v.inst, &v.cd.body[fr.pc], v.s.nums[fr.numBase+uint32(v.o.a):], v.s.refs[fr.refBase+uint32(v.o.b):])
		o, f = v.o, v.f
		if tk != 0 {
			goto trap
		}
		goto behind
	case opBulk:
		if v.budget--; v.budget < 0 {
			goto pause
		}
		m.budget = v.budget
		v.o, v.f = o, f
		fr = v.sync()
		tk = m.bulk(v.inst, &v.cd.body[fr.pc], v.s.nums[fr.numBase+uint32(v.o.a):], v.s.refs[fr.refBase+uint32(v.o.b):])
		o, f, v.budget = v.o, v.f, m.budget
		if tk != 0 {
			goto trap
		}
		goto behind
	case uint16(wasm.OpContNew):
		v.o, v.f = o, f
		v.sync()
		tk = m.contNew(v.s, v.r.at(v.o.b))
		o, f = v.o, v.f
		if tk != 0 {
			goto trap
		}
		goto behind
	case uint16(wasm.OpContBind):
		v.o, v.f = o, f
		v.sync()
		tk = m.contBind(v.s, v.o)
		o, f = v.o, v.f
		if tk != 0 {
			goto trap
		}
		goto behind
	case uint16(wasm.OpResume):
		if v.budget--; v.budget < 0 {
			goto pause
		}
		v.o, v.f = o, f
		v.sync()
		next, tk = m.resume(v.s, v.cd, v.o)
		if tk != 0 {
			o = v.o
			goto trap
		}
		v.s = next
		goto load
	case uint16(wasm.OpSuspend):
		if v.budget--; v.budget < 0 {
			goto pause
		}
		v.o, v.f = o, f
		v.sync()
		next, tk = m.suspend(v.s, v.o)
		if tk != 0 {
			o = v.o
			if tk == wasm.TrapUnhandledTag {
				m.budget = v.budget
				err = m.unhandled(v.s, v.inst.tags[o.imm], o)
				goto fault
			}
			goto trap
		}
		v.s = next
		goto load
	case uint16(wasm.OpSwitch):
		if v.budget--; v.budget < 0 {
			goto pause
		}
		v.o, v.f = o, f
		v.sync()
		next, tk = m.switchTo(v.s, v.cd, v.o)
		if tk != 0 {
			o = v.o
			if tk == wasm.TrapUnhandledTag {
				m.budget = v.budget
				err = m.unhandled(v.s, v.inst.tags[o.imm], o)
				goto fault
			}
			goto trap
		}
		v.s = next
		goto load
	case uint16(wasm.OpResumeThrow), uint16(wasm.OpResumeThrowRef):
		v.o, v.f = o, f
		v.sync()
		next, exn, tk = m.resumeThrow(v.s, v.cd, v.o)
		if tk != 0 {
			o = v.o
			goto trap
		}
		v.s = next
		goto throw
	case uint16(wasm.OpThrow):
		v.o = o
		v.sync()
		if !m.alloc(v.inst.tags[v.o.imm].exnBytes) {
			o = v.o
			tk = wasm.TrapOutOfMemory
			goto trap
		}
		exn = m.newExn(v.s, v.inst.tags[v.o.imm], v.o.a, v.o.b)
		goto throw
	case uint16(wasm.OpThrowRef):
		if v.r.at(o.b).obj == nil {
			tk = wasm.TrapNullException
			goto trap
		}
		exn = v.r.at(o.b).asExn()
		v.o = o
		v.sync()
		goto throw
	case opRethrow:
		exn = v.r.at(o.a).asExn()
		v.o = o
		v.sync()
		goto throw

	case opControl:
		if v.budget--; v.budget < 0 {
			goto pause
		}
		v.o, v.f = o, f
		v.sync()
		next, tk = m.control(v.s, v.cd, v.o)
		if tk != 0 {
			o = v.o
			if next != nil { // it happened behind the switch
				m.budget = v.budget
				m.lateFault = true
				err = m.trap(next, tk)
				m.lateFault = false
				goto fault
			}
			goto trap
		}
		v.s = next
		goto load
	case opEvents:
		if v.s.pending <= 0 {
			v.o = o
			tk = v.s.noEvent()
			o = v.o
			goto trap
		}
		br = &v.cd.branches[o.imm+uint64(v.s.pending)-1]
		v.s.pending = 0
		goto move

	case opHook, opBreak:
		m.budget = v.budget
		v.o, v.f = o, f
		v.sync()
		tk = m.hook(v.s)
		v.budget = m.budget
		if tk != 0 {
			err = m.trap(m.cur, tk)
			goto fault
		}
		goto resync
	case opThunk:
		v.s.frames[0].pc = pcOf(v.base, o)
		m.budget = v.budget
		v.o = o
		exn, err = m.callHost(v.s, v.s.base.thunk, 0, 0)
		o = v.o
		v.budget = m.budget
		if err != nil {
			return err
		}
		if exn != nil {
			goto throw
		}
		f, v.r = v.s.numsAt(0), v.s.refsAt(0)
	case uint16(wasm.OpUnreachable):
		tk = wasm.TrapUnreachable
		goto trap
	default:
		if code >= opWide && code <= opWideEnd {
			v.o, v.f = o, f
			tk = wideAccess(wasm.Op(code-opWide)+wasm.OpI32Load, v.inst.mems[o.c], o, f)
			o, f = v.o, v.f
			if tk != 0 {
				goto trap
			}
			goto behind
		}
		panic("op code " + strconv.Itoa(int(code)) + " in " + v.cd.where(v.pc(o)))
	}
	o = nextOp(o)
	goto next

behind: // go on behind o, which is one that may have been left to the baseline form
	if m.mode == formFused {
		v.s.frames[len(v.s.frames)-1].pc = pcOf(v.base, o) + 1
		goto load
	}
	o = nextOp(o)
	goto next

move: // take the branch br
	for i = 0; i < uint32(br.numN); i++ {
		f.set(br.dstN+uint16(i), f.u64(br.srcN+uint16(i)))
	}
	o = opAt(v.base, br.pc)
	if br.numR > 0 {
		v.o, v.f = o, f
		moveRefs(v.r, br)
		o, f = v.o, v.f
	}
	if m.mode == formFused {
		v.s.frames[len(v.s.frames)-1].pc = pcOf(v.base, o)
		goto load
	}
	goto next

enterTail: // call callee in place of the running function
	if callee.code == nil {
		tail = true
		goto enterHost
	}
	if v.budget--; v.budget < 0 {
		goto pause
	}
	fr = &v.s.frames[len(v.s.frames)-1]
	na, ra = uint32(o.a), uint32(o.b)
	old = v.cd.refs
	v.cd = callee.code
	if fr.numBase+v.cd.nums > uint32(len(v.s.nums)) || fr.refBase+v.cd.refs > uint32(len(v.s.refs)) {
		v.o = o
		ok = m.grow(v.s, fr.numBase+v.cd.nums, fr.refBase+v.cd.refs)
		o = v.o
		fr = v.s.top()
		if !ok {
			v.cd = fr.fn.code
			tk = m.exhausted()
			goto trap
		}
		f, v.r = v.s.numsAt(fr.numBase), v.s.refsAt(fr.refBase)
	}
	for nn = 0; nn < v.cd.parNums; nn++ {
		f.set(uint16(nn), f.u64(uint16(na+nn)))
	}
	for i = v.cd.parNums; i < v.cd.locNums; i++ {
		f.set(uint16(i), 0)
	}
	v.inst = callee.inst
	v.mem = v.inst.mem0
	fr.fn = callee
	if old|v.cd.refs != 0 {
		m.tailRefs(v.s, fr.refBase, ra, v.cd, old)
	}
	fr.pc, fr.mark = 0, 0
	goto load

enter: // call callee with its arguments at o.a, o.b
	if callee.code == nil {
		tail = false
		goto enterHost
	}
	if v.budget--; v.budget < 0 {
		goto pause
	}
	i = uint32(len(v.s.frames))
	fr = &v.s.frames[i-1]
	fr.pc = pcOf(v.base, o)
	na, ra = fr.numBase+uint32(o.a), fr.refBase+uint32(o.b)
	v.cd = callee.code
	if i == uint32(cap(v.s.frames)) || na+v.cd.nums > uint32(len(v.s.nums)) || ra+v.cd.refs > uint32(len(v.s.refs)) {
		v.o = o
		ok = m.grow(v.s, na+v.cd.nums, ra+v.cd.refs)
		o = v.o
		if !ok {
			v.cd = v.s.top().fn.code
			tk = m.exhausted()
			goto trap
		}
		i = uint32(len(v.s.frames))
	}
	v.base = v.cd.baselineBase
	if m.mode == formInstrumented {
		v.base = v.cd.instrumentedOps()
	}
	fr = &v.s.frames[i-1] // not where it was if the stack has grown
	if fr.at != nil {
		fr.at = nil
	}
	v.s.frames = v.s.frames[:i+1]
	fr = &v.s.frames[i]
	fr.fn, fr.pc, fr.mark, fr.numBase, fr.refBase = callee, 0, 0, na, ra
	f, v.r = v.s.numsAt(na), v.s.refsAt(ra)
	for i = v.cd.parNums; i < v.cd.locNums; i++ {
		f.set(uint16(i), 0)
	}
	for i = v.cd.parRefs; i < v.cd.locRefs; i++ {
		*v.r.at(uint16(i)) = Ref{}
	}
	if callee.inst != v.inst {
		v.inst = callee.inst
		v.mem = v.inst.mem0
	}
	if m.mode == formFused && v.cd.fusedBase != nil {
		goto load
	}
	o = (*op)(v.base)
	goto next

enterHost:
	if v.budget--; v.budget < 0 {
		goto pause
	}
	m.budget = v.budget
	v.o, v.f = o, f
	v.callee = callee
	fr = v.sync()
	exn, err = m.callHost(v.s, v.callee, fr.numBase+uint32(v.o.a), fr.refBase+uint32(v.o.b))
	o, f = v.o, v.f
	v.budget = m.budget
	if err != nil {
		return err
	}
	if exn != nil {
		goto throw
	}
	if tail {
		na, ra, nn, nr = uint32(o.a), uint32(o.b), v.cd.resNums, v.cd.resRefs
		goto leave
	}
	v.s.top().pc++
	goto load // the host may have changed the form

leave: // return nn numbers from na on, nr references from ra on
	if len(v.s.frames) == 1 && !v.s.rooted {
		v.o, v.f = o, f
		v.sync()
		tk = m.returns(v.s)
		o, f = v.o, v.f
		if tk != 0 {
			goto trap
		}
	}
	for i = 0; i < nn; i++ {
		f.set(uint16(i), f.u64(uint16(na+i)))
	}
	if v.cd.refs != 0 {
		returnRefs(v.r, ra, nr, v.cd.refs) // o and f are set anew below
	}
	i = uint32(len(v.s.frames)) - 1
	v.s.frames = v.s.frames[:i]
	if i == 0 {
		if v.s.rooted {
			m.budget = v.budget
			return nil
		}
		v.s = m.finish(v.s)
		goto load
	}
	fr = &v.s.frames[i-1]
	v.cd = fr.fn.code
	if m.mode == formFused {
		fr.pc++
		goto load
	}
	v.base = v.cd.baselineBase
	if m.mode == formInstrumented {
		v.base = v.cd.instrumentedOps()
	}
	o = nextOp(opAt(v.base, fr.pc))
	f, v.r = v.s.numsAt(fr.numBase), v.s.refsAt(fr.refBase)
	if fr.fn.inst != v.inst {
		v.inst = fr.fn.inst
		v.mem = v.inst.mem0
	}
	goto next

throw: // exn is thrown on s, whose innermost frame.pc is right
	m.budget = v.budget
	if next, err = m.throw(v.s, exn); err != nil {
		return err
	}
	v.s = next

load: // go on at frame.pc of s's innermost frame
	v.load(m.mode)
	if v.fused {
		goto fused
	}
	o, f = v.o, v.f
	goto next

fused: // in the fused form
	switch m.fused(&v) {
	case exitLoad:
		goto load
	case exitBaseline: // only the op
		m.baselineOps.add()
		fr = v.syncFused()
		v.base = v.cd.baselineBase
		v.o = opAt(v.base, fr.pc)
		code = v.cd.original(fr.pc)
		o, f = v.o, v.f
		goto again
	case exitPause:
		v.syncFused()
		goto attend
	default:
		v.syncFused()
		m.budget = v.budget
		if m.probe != nil {
			v.rematerialize()
		}
		err = m.trap(v.s, v.tk)
		goto fault
	}

pause: // a safe point at o wants attention before o is executed
	v.o, v.f = o, f
	v.sync()

attend: // frame.pc is right
	tk = m.safePoint(v.s)
	v.budget = m.budget
	if tk != 0 {
		err = m.trap(m.cur, tk)
		goto fault
	}

resync: // execute the op at frame.pc, instrumented or not, after something outside looked
	v.s = m.cur // a debugger may have left stacks
	v.load(m.mode)
	if v.fused {
		goto fused
	}
	code = v.cd.original(v.s.top().pc)
	o, f = v.o, v.f
	goto again

outOfBounds: // of the memory, at o
	tk = wasm.TrapMemoryOutOfBounds

trap: // tk happened at o
	v.o = o
	v.sync()
	m.budget = v.budget
	err = m.trap(v.s, tk)

fault: // the host call ends, unless a debugger has averted it
	if err != nil {
		return err
	}
	v.s = m.cur
	v.budget = m.budget
	goto resync
}
