package binary

import (
	"encoding/binary"
	"unicode/utf8"

	"stackscope/wasm"
)

// msgEnd is the reference interpreter's "unexpected end" in the longer wording of the suite.
const msgEnd = "unexpected end of section or function"

// reader reads bytes and remembers the first error. After one, it stands at the end and every read
// gives zero, so that loops over counts end by themselves.
type reader struct {
	b   []byte
	pos int
	err *Error
}

// fail sets the error, if it is the first.
func (r *reader) fail(off int, msg string) {
	if r.err == nil {
		r.err = &Error{off, msg}
	}
	r.pos = len(r.b)
}

// require fails unless ok.
func (r *reader) require(ok bool, off int, msg string) {
	if !ok {
		r.fail(off, msg)
	}
}

func (r *reader) eof() bool { return r.pos >= len(r.b) }

func (r *reader) byte() byte {
	if r.pos >= len(r.b) {
		r.fail(len(r.b), msgEnd)
		return 0
	}
	c := r.b[r.pos]
	r.pos++
	return c
}

// bytes returns the next n bytes, which alias the input; nil if there are fewer.
func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.b)-r.pos {
		r.fail(len(r.b), msgEnd)
		return nil
	}
	s := r.b[r.pos : r.pos+n]
	r.pos += n
	return s
}

// index is u32, quicker for what takes one byte.
func (r *reader) index() uint32 {
	if r.pos < len(r.b) && r.b[r.pos] < 0x80 {
		r.pos++
		return uint32(r.b[r.pos-1])
	}
	return r.u32()
}

func (r *reader) fixed32() uint32 {
	if s := r.bytes(4); s != nil {
		return binary.LittleEndian.Uint32(s)
	}
	return 0
}

func (r *reader) fixed64() uint64 {
	if s := r.bytes(8); s != nil {
		return binary.LittleEndian.Uint64(s)
	}
	return 0
}

// unsigned reads an LEB128 number of at most n bits.
func (r *reader) unsigned(n int) uint64 {
	var x uint64
	for shift := 0; ; shift, n = shift+7, n-7 {
		if n <= 0 {
			r.fail(r.pos, "integer representation too long")
			return 0
		}
		b := r.byte()
		if n < 7 && b&0x7f >= 1<<n {
			r.fail(r.pos-1, "integer too large")
			return 0
		}
		x |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return x
		}
	}
}

// signed reads a signed LEB128 number of at most n bits.
func (r *reader) signed(n int) int64 {
	var x int64
	for shift := 0; ; shift, n = shift+7, n-7 {
		if n <= 0 {
			r.fail(r.pos, "integer representation too long")
			return 0
		}
		b := r.byte()
		if n < 7 {
			mask := byte(0x7f) & (byte(0xff) << (n - 1))
			if m := b & mask; m != 0 && m != mask {
				r.fail(r.pos-1, "integer too large")
				return 0
			}
		}
		x |= int64(b&0x7f) << shift
		if b < 0x80 {
			if b&0x40 != 0 && shift+7 < 64 {
				x |= -1 << (shift + 7)
			}
			return x
		}
	}
}

// u32 reads an index or another unsigned 32-bit number. The largest one, which stands for what
// could not be resolved elsewhere, is read as the next smaller: no index space is that large.
func (r *reader) u32() uint32 {
	if r.pos < len(r.b) && r.b[r.pos] < 0x80 { // the usual case
		r.pos++
		return uint32(r.b[r.pos-1])
	}
	return min(uint32(r.unsigned(32)), wasm.BadIndex-1)
}

// count reads a length; what is left must be as many bytes at least, the length's own included as
// in the reference interpreter.
func (r *reader) count() int {
	at := r.pos
	n := r.u32()
	if r.err == nil && int64(n) > int64(len(r.b)-at) {
		r.fail(at, "length out of bounds")
		return 0
	}
	return int(n)
}

// name reads a string, which must be UTF-8.
func (r *reader) name() string { return string(r.nameBytes()) }

// nameBytes is name without a copy.
func (r *reader) nameBytes() []byte {
	n := r.count()
	at := r.pos
	s := r.bytes(n)
	r.require(utf8.Valid(s), at, "malformed UTF-8 encoding")
	return s
}

// sized runs read over what a leading size delimits.
func (r *reader) sized(read func(size int)) {
	size := r.count()
	start := r.pos
	if r.err != nil {
		return
	}
	read(size)
	if r.err == nil {
		r.require(r.pos == start+size, start, "section size mismatch")
	}
}

// list reads a count and that many items. Small inputs cannot make it reserve much: the slice
// grows as items are really there.
func list[T any](r *reader, item func() T) []T {
	n := r.count()
	if n == 0 {
		return nil
	}
	out := make([]T, 0, min(n, 256))
	for i := 0; i < n && r.err == nil; i++ {
		out = append(out, item())
	}
	return out
}
