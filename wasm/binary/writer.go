package binary

import "encoding/binary"

// writer appends to a slice.
type writer struct{ b []byte }

func (w *writer) byte(c ...byte)   { w.b = append(w.b, c...) }
func (w *writer) fixed32(x uint32) { w.b = binary.LittleEndian.AppendUint32(w.b, x) }
func (w *writer) fixed64(x uint64) { w.b = binary.LittleEndian.AppendUint64(w.b, x) }
func (w *writer) u32(x uint32)     { w.unsigned(uint64(x)) }

func (w *writer) unsigned(x uint64) { w.b = binary.AppendUvarint(w.b, x) }

func (w *writer) signed(x int64) {
	for {
		c := byte(x & 0x7f)
		x >>= 7
		if x == 0 && c&0x40 == 0 || x == -1 && c&0x40 != 0 {
			w.byte(c)
			return
		}
		w.byte(c | 0x80)
	}
}

func (w *writer) name(s string) {
	w.u32(uint32(len(s)))
	w.b = append(w.b, s...)
}

// sized appends a length and the bytes.
func (w *writer) sized(b []byte) {
	w.u32(uint32(len(b)))
	w.b = append(w.b, b...)
}
