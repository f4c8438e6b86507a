package dwarf

import (
	std "debug/dwarf"

	"stackscope/analysis/debuginfo"
)

// dimension is a dimension of an array.
type dimension struct {
	count int64 // -1: not known
	off   uint32
}

// maxDimensions is how many dimensions an array may have.
const maxDimensions = 64

// dimensions returns the dimensions of an array type, the outermost first.
func dimensions(d *die) (stride int64, out []dimension) {
	if n, ok := d.num(std.AttrStrideSize); ok && n >= 0 && n%8 == 0 {
		stride = n / 8
	}
	if n, ok := d.num(attrByteStride); ok && n >= 0 {
		stride = n
	}
	d.u.children(d, func(c *die) bool {
		if c.tag == std.TagSubrangeType || c.tag == std.TagEnumerationType {
			out = append(out, dimension{count(c), c.off})
		}
		return len(out) < maxDimensions
	})
	return stride, out
}

const attrByteStride std.Attr = 0x51

// count returns how many elements a dimension has; -1: it is not known before the program runs.
func count(c *die) int64 {
	if n, ok := c.num(std.AttrCount); ok {
		return max(n, -1)
	}
	if c.has(std.AttrCount) {
		return -1
	}
	upper, ok := c.num(std.AttrUpperBound)
	if !ok {
		return -1
	}
	v, _ := c.get(std.AttrUpperBound)
	switch {
	case v.form == formData4 && upper == 0xffffffff, v.form == formData8 && upper == -1:
		upper = -1
	}
	lower, _ := c.num(std.AttrLowerBound)
	if n := upper - lower + 1; n >= 0 {
		return n
	}
	return -1
}

// array makes the type of an array from a dimension on.
func (b *typeBuilder) array(dim int) {
	t, d, r := b.t, b.d, b.r
	t.Kind, t.Count = debuginfo.KindArray, -1
	stride, dims := dimensions(d)
	self, u := d.off, b.u
	if d.tag == std.TagStringType {
		t.Count = t.Size
		t.Target = func() *debuginfo.Type { return charType }
		return
	}
	if dim < len(dims) {
		t.Count = dims[dim].count
		if t.Count < 0 {
			t.Bound = u.bound(dims[dim].off)
		}
	}
	if d.flag(attrGNUVector) {
		t.Word = "vector"
	}
	x, _ := d.refer(std.AttrType)
	if dim+1 < len(dims) {
		key := typeKey{u.ref(self), dim + 1}
		t.Target = func() *debuginfo.Type { return r.inner(key) }
	} else {
		t.Target = func() *debuginfo.Type { return r.completeOr(x) }
		t.Stride = stride
	}
	if t.Size < 0 || dim > 0 {
		t.Size = -1
		if n := r.sizeRef(x, 0); n >= 0 {
			if stride > 0 {
				n = stride
			}
			for _, c := range dims[min(dim, len(dims)):] {
				if c.count < 0 || c.count > 0 && n > 1<<40/c.count {
					return
				}
				n *= c.count
			}
			t.Size = n
		}
	}
}

// charType is what a DW_TAG_string_type consists of.
var charType = &debuginfo.Type{Kind: debuginfo.KindChar, Name: "char", Size: 1}

// inner returns the type of the elements of an array of several dimensions: an array of those from
// one on.
func (r *Reader) inner(key typeKey) *debuginfo.Type {
	r.typesMu.Lock()
	defer r.typesMu.Unlock()
	if t, ok := r.types[key]; ok {
		return t
	}
	var d die
	if !r.open(key.ref, &d) {
		return nil
	}
	t := &debuginfo.Type{Language: d.u.lang, Size: -1}
	b := typeBuilder{r: r, u: d.u, d: &d, t: t}
	b.array(key.dim)
	r.types[key] = t
	return t
}

// bound returns what computes the number of elements of a dimension; nil: it is not known.
func (u *unit) bound(off uint32) func(fn uint32, pc int, c debuginfo.Context) (int64, error) {
	var d die
	if !d.read(u, off) {
		return nil
	}
	v, ok := d.get(std.AttrCount)
	upper := int64(0)
	if !ok {
		if v, ok = d.get(std.AttrUpperBound); !ok {
			return nil
		}
		lower, _ := d.num(std.AttrLowerBound)
		upper = 1 - lower
	}
	if _, isNum := v.number(); isNum {
		return nil
	}
	return func(fn uint32, pc int, c debuginfo.Context) (int64, error) {
		n, err := u.dynamic(v, fn, pc, c)
		if err != nil {
			return 0, err
		}
		if n += upper; n < 0 {
			return 0, malformed("an array of %d elements", n)
		}
		return n, nil
	}
}

// dynamic computes the value of an attribute that is an expression, or names a variable.
func (u *unit) dynamic(v val, fn uint32, pc int, c debuginfo.Context) (int64, error) {
	f := u.s.r.frameOf(fn)
	if v.b != nil {
		m := machine{u: u, f: f, pc: pc, c: c, size: -1}
		x, err := m.number(v.b)
		return int64(x.x), err
	}
	x, ok := u.refer(v)
	var d die
	if !ok || !u.s.r.open(x, &d) {
		return 0, malformed("an array whose length is nowhere")
	}
	info := d.describe()
	size := u.s.r.sizeRef(info.typ, 0)
	if size < 1 || size > 8 {
		return 0, malformed("a length of %d bytes", size)
	}
	w, err := d.u.locator(f, &d, size)(pc, c)
	if err != nil {
		return 0, err
	}
	return number(w, size, c)
}

// number reads a number of at most 8 bytes.
func number(w debuginfo.Where, size int64, c debuginfo.Context) (int64, error) {
	if len(w) != 1 {
		return 0, debuginfo.ErrOptimizedOut
	}
	var x uint64
	ok := true
	switch p := w[0]; p.Kind {
	case debuginfo.InMemory:
		b := make([]byte, size)
		if ok = c.Read(p.Addr, b); ok {
			r := buf{b: b}
			x = r.fixed(int(size))
		}
	case debuginfo.InLocal, debuginfo.InGlobal, debuginfo.InOperand:
		x, ok = p.Word(c)
	case debuginfo.Constant:
		r := buf{b: p.Bytes}
		x = r.fixed(min(len(p.Bytes), 8))
	default:
		return 0, debuginfo.ErrOptimizedOut
	}
	if !ok {
		return 0, malformed("a length that cannot be read")
	}
	return int64(truncate(x, uint8(size))), nil
}
