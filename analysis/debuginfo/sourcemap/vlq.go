package sourcemap

// vlqReader reads numbers in base 64, of which several stand together up to a comma.
type vlqReader struct {
	s   string
	pos int
	err bool
}

// digits has the value of each character; 0xff: it is no digit.
var digits = func() (d [256]byte) {
	for i := range d {
		d[i] = 0xff
	}
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		d[c] = byte(i)
	}
	return d
}()

func (r *vlqReader) eof() bool { return r.pos >= len(r.s) }

// more reports whether another number follows before the comma.
func (r *vlqReader) more() bool { return !r.err && !r.eof() && r.s[r.pos] != ',' }

// skip passes a character if it is next.
func (r *vlqReader) skip(c byte) bool {
	if !r.eof() && r.s[r.pos] == c {
		r.pos++
		return true
	}
	return false
}

func (r *vlqReader) toComma() {
	for !r.eof() && r.s[r.pos] != ',' {
		r.pos++
	}
}

// unsigned reads a number below 2³³; more, or what is no number, is an error.
func (r *vlqReader) unsigned() int64 {
	var x int64
	for shift := 0; !r.eof() && shift < 35; shift += 5 {
		d := digits[r.s[r.pos]]
		if d == 0xff {
			break
		}
		r.pos++
		x |= int64(d&31) << shift
		if d&32 == 0 {
			return x
		}
	}
	r.err = true
	return 0
}

// signed reads a number whose lowest bit is its sign.
func (r *vlqReader) signed() int64 {
	x := r.unsigned()
	if x&1 != 0 {
		return -(x >> 1)
	}
	return x >> 1
}
