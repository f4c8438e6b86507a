package dwarf

import "bytes"

// buf reads the bytes of a section. What does not exist reads as 0 and sets bad.
type buf struct {
	b     []byte
	p     int
	bad   bool
	wide  bool // offsets have 8 bytes
	asize uint8
}

func (r *buf) fail() { r.bad, r.p = true, len(r.b) }

func (r *buf) u8() uint8 {
	if r.p >= len(r.b) {
		r.bad = true
		return 0
	}
	r.p++
	return r.b[r.p-1]
}

// fixed reads n bytes, at most 8, little-endian.
func (r *buf) fixed(n int) (x uint64) {
	if n > len(r.b)-r.p {
		r.fail()
		return 0
	}
	for i := n - 1; i >= 0; i-- {
		x = x<<8 | uint64(r.b[r.p+i])
	}
	r.p += n
	return x
}

func (r *buf) u16() uint16 { return uint16(r.fixed(2)) }
func (r *buf) u32() uint32 { return uint32(r.fixed(4)) }
func (r *buf) u64() uint64 { return r.fixed(8) }

func (r *buf) addr() uint64 { return r.fixed(int(r.asize)) }

// offset reads the offset in a section.
func (r *buf) offset() uint64 {
	if r.wide {
		return r.u64()
	}
	return r.fixed(4)
}

// length reads the length of a unit and sets wide.
func (r *buf) length() uint64 {
	r.wide = false
	n := r.fixed(4)
	if n == 0xffffffff {
		r.wide = true
		n = r.u64()
	} else if n >= 0xfffffff0 {
		r.fail()
	}
	return n
}

func (r *buf) uleb() (x uint64) {
	for s := 0; ; s += 7 {
		if r.p >= len(r.b) || s > 70 {
			r.fail()
			return 0
		}
		c := r.b[r.p]
		r.p++
		if s < 64 {
			x |= uint64(c&0x7f) << s
		}
		if c < 0x80 {
			return x
		}
	}
}

func (r *buf) sleb() (x int64) {
	for s := 0; ; {
		if r.p >= len(r.b) || s > 70 {
			r.fail()
			return 0
		}
		c := r.b[r.p]
		r.p++
		if s < 64 {
			x |= int64(c&0x7f) << s
		}
		s += 7
		if c < 0x80 {
			if s < 64 && c&0x40 != 0 {
				x |= -1 << s
			}
			return x
		}
	}
}

func (r *buf) bytes(n uint64) []byte {
	if n > uint64(len(r.b)-r.p) {
		r.fail()
		return nil
	}
	r.p += int(n)
	return r.b[r.p-int(n) : r.p : r.p]
}

// cstr reads the bytes up to a zero byte, and that.
func (r *buf) cstr() []byte {
	if r.p > len(r.b) {
		r.fail()
		return nil
	}
	i := bytes.IndexByte(r.b[r.p:], 0)
	if i < 0 {
		r.fail()
		return nil
	}
	r.p += i + 1
	return r.b[r.p-i-1 : r.p-1 : r.p-1]
}

// at returns a reader of a section from an offset on.
func at(b []byte, off uint64) buf {
	if off > uint64(len(b)) {
		return buf{bad: true}
	}
	return buf{b: b, p: int(off)}
}
