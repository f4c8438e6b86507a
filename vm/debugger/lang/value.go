package lang

import (
	"encoding/binary"
	"errors"
	"fmt"

	"stackscope/analysis/debuginfo"
	"stackscope/vm"
	"stackscope/wasm"
)

// Memory is the memory that values are in.
type Memory interface {
	// Read reads bytes; it reports whether all of them exist.
	Read(addr uint64, p []byte) bool
	// Write writes bytes; it reports whether all of them exist.
	Write(addr uint64, p []byte) bool
	// Size returns how many bytes there are.
	Size() uint64
}

// Env is what values are read from: what one instance of a module has.
type Env struct {
	Memory Memory
	// Function names the function at an index of the first table; ok is false if there is none.
	Function func(index uint64) (name string, ok bool)
	// Type finds a type by its name in the source; nil: there is none.
	Type func(name string) *debuginfo.Type
	// Objects describes the objects of the collector; nil: there are none.
	Objects Objects
	// Printers show values of library types.
	Printers *Printers
	// Managed describes the objects that AssemblyScript's runtime keeps in the memory; nil: there are
	// none.
	Managed  *Managed
	fields   map[*debuginfo.Type][]debuginfo.Field
	matches  map[*debuginfo.Type][]*printer
	classes  map[classKey][]*printer
	parsed   map[parsedKey]*Expr
	printing int // how many printers are being tried
}

// form is how a value is there.
type form uint8

const (
	formNone   form = iota // not at all; err says why
	formMemory             // in the memory, at addr
	formBytes              // as data
	formObject             // as a reference to an object of the collector
	formList               // as items that were picked
)

// Value is a value in the terms of the source. It is good until the program resumes.
type Value struct {
	env      *Env
	lang     debuginfo.Language
	typ      *debuginfo.Type // of a value in memory or bytes
	form     form
	addr     uint64
	data     []byte
	absent   []debuginfo.Range // of data: bytes that are not there
	bits     int64             // of a bit-field: how many, and from which bit of the first byte on
	bitFrom  int64
	put      func(data []byte) error // writes data back; nil: it cannot be set
	ref      vm.Value                // of an object
	static   string                  // the type that an object is declared with, in the source's words
	want     wasm.ValType            // of an object: the type of what holds it, with canonical ids
	setRef   func(vm.Value) error
	home     Home
	ofFrame  bool // in memory as long as a function runs
	err      error
	declared *declared                 // of an object that is not known yet: its class
	literal  bool                      // a number that was typed: its type adapts
	entry    bool                      // the name, as data, of an entry of an enum of the other operand
	held     bool                      // an object that only one variable has
	unknown  bool                      // its value is not known: an expression is only being checked
	items    func(from, n int) []Child // of a list
	count    int
	raw      bool // shown without a printer
	textual  bool // an array of bytes that is text as a whole
}

// HomeKind is a kind of Home.
type HomeKind uint8

// The kinds of Home.
const (
	Nowhere  HomeKind = iota
	AtMemory          // Addr, Size
	AtLocal           // Index
	AtGlobal          // Index
	AtField           // of the object Ref, field or element Index
)

// Home is where a value is stored, for data breakpoints.
type Home struct {
	Kind  HomeKind
	Addr  uint64
	Size  int
	Index int
	Ref   vm.Ref
	Frame bool // of AtMemory: it is good as long as the function runs
}

// Home returns where the value is stored as a whole.
func (v Value) Home() Home {
	if v.form == formMemory {
		size := max(v.size(), 1)
		if v.bits > 0 {
			size = (v.bitFrom + v.bits + 7) / 8
		}
		return Home{Kind: AtMemory, Addr: v.addr, Size: int(min(size, 1<<30)), Frame: v.ofFrame}
	}
	return v.home
}

// OfFrame returns the value as one that is in memory as long as a function runs.
func (v Value) OfFrame() Value {
	v.ofFrame = true
	return v
}

// From returns what the value would be with another content: bytes of the memory, or a value of the
// machine.
func (v Value) From(x vm.Value, b []byte) Value {
	out := v
	switch {
	case v.form == formMemory:
		out.form, out.data = formBytes, b
	case v.form == formBytes:
		out.data = make([]byte, len(v.data))
		putLE(out.data[:min(8, len(out.data))], x.Lo)
	case v.form == formObject:
		out.ref = x
	}
	return out
}

// Type returns the type of the value; nil if it is an object.
func (v Value) Type() *debuginfo.Type { return v.typ }

// Err returns why there is no value; nil if there is one. It is debuginfo.ErrOptimizedOut of one
// that the compiler did not keep.
func (v Value) Err() error { return v.err }

// Raw returns the value to be shown without a printer.
func (v Value) Raw() Value {
	v.raw = true
	return v
}

// Ref returns the reference that the value is; ok is false if it is none.
func (v Value) Ref() (vm.Value, bool) { return v.ref, v.form == formObject }

// Missing returns a value that is not there.
func Missing(env *Env, t *debuginfo.Type, l debuginfo.Language, err error) Value {
	return Value{env: env, typ: t, lang: l, err: err}
}

// InMemory returns the value of a type at an address.
func InMemory(env *Env, t *debuginfo.Type, addr uint64) Value {
	return Value{env: env, typ: t, lang: langOf(t), form: formMemory, addr: addr}
}

// OfBytes returns the value of a type that some bytes are; put writes it, nil: it cannot be set.
func OfBytes(env *Env, t *debuginfo.Type, data []byte, put func([]byte) error) Value {
	return Value{env: env, typ: t, lang: langOf(t), form: formBytes, data: data, put: put}
}

func langOf(t *debuginfo.Type) debuginfo.Language {
	if t == nil {
		return debuginfo.Other
	}
	return t.Language
}

// Setter is a debuginfo.Context that can be written to.
type Setter interface {
	SetLocal(i uint32, bits uint64) bool
	SetGlobal(i uint32, bits uint64) bool
	SetOperand(i uint32, bits uint64) bool
}

// At returns the value of a type where a variable is.
func At(env *Env, t *debuginfo.Type, w debuginfo.Where, c debuginfo.Context) Value {
	v := Value{env: env, typ: t, lang: langOf(t)}
	if addr, ok := w.Address(); ok {
		v.form, v.addr = formMemory, addr
		return v
	}
	size := sizeOf(t)
	if size < 0 || size > maxValue {
		v.err = fmt.Errorf("its size is not known")
		return v
	}
	if len(w) == 1 {
		switch w[0].Kind {
		case debuginfo.Absent:
			v.err = debuginfo.ErrOptimizedOut
			return v
		case debuginfo.InLocal:
			v.home = Home{Kind: AtLocal, Index: int(w[0].Index)}
		case debuginfo.InGlobal:
			v.home = Home{Kind: AtGlobal, Index: int(w[0].Index)}
		}
	}
	if len(w) == 0 {
		v.err = debuginfo.ErrOptimizedOut
		return v
	}
	v.form, v.data = formBytes, make([]byte, size)
	v.assemble(w, c)
	if v.form == formBytes {
		v.put = putter(t, w, c)
	}
	return v
}

// maxValue bounds a value that is not in memory, in bytes.
const maxValue = 1 << 16

// assemble reads the pieces of a value.
func (v *Value) assemble(w debuginfo.Where, c debuginfo.Context) {
	at := int64(0) // bits
	all := int64(len(v.data)) * 8
	gone := int64(0)
	for _, p := range w {
		n := p.Size
		if n == 0 {
			n = all - at
		}
		n = min(n, all-at)
		if n <= 0 {
			break
		}
		src, ok := piece(p, n, c)
		if !ok {
			v.absent = append(v.absent, debuginfo.Range{From: int(at / 8), To: int((at + n + 7) / 8)})
			gone += n
		} else {
			copyBits(v.data, at, src, p.Offset, n)
		}
		at += n
	}
	if at < all {
		v.absent = append(v.absent, debuginfo.Range{From: int(at / 8), To: int(all / 8)})
		gone += all - at
	}
	if gone >= all && all > 0 {
		v.form, v.err = formNone, debuginfo.ErrOptimizedOut
	}
}

// piece reads at least n bits, and those before them, of a piece.
func piece(p debuginfo.Piece, n int64, c debuginfo.Context) ([]byte, bool) {
	var word uint64
	ok := false
	switch p.Kind {
	case debuginfo.InMemory:
		b := make([]byte, (p.Offset+n+7)/8)
		return b, c.Read(p.Addr, b)
	case debuginfo.InLocal, debuginfo.InGlobal, debuginfo.InOperand:
		word, ok = p.Word(c)
	case debuginfo.Constant:
		b := append([]byte(nil), p.Bytes...)
		for int64(len(b))*8 < p.Offset+n { // the value is as wide as its type
			b = append(b, 0)
		}
		return b, true
	}
	b := make([]byte, max(16, (p.Offset+n+7)/8))
	binary.LittleEndian.PutUint64(b, word)
	return b, ok && p.Offset+n <= 64
}

// copyBits copies n bits.
func copyBits(dst []byte, at int64, src []byte, from, n int64) {
	if at%8 == 0 && from%8 == 0 && n%8 == 0 {
		copy(dst[at/8:(at+n)/8], src[from/8:])
		return
	}
	for i := range n {
		d, s := at+i, from+i
		if s/8 >= int64(len(src)) || d/8 >= int64(len(dst)) {
			return
		}
		bit := src[s/8] >> (s % 8) & 1
		dst[d/8] = dst[d/8]&^(1<<(d%8)) | bit<<(d%8)
	}
}

// putter returns what writes a value to its pieces; nil: it cannot be written.
func putter(t *debuginfo.Type, w debuginfo.Where, c debuginfo.Context) func([]byte) error {
	s, ok := c.(Setter)
	if !ok {
		return nil
	}
	for _, p := range w {
		if p.Kind != debuginfo.InLocal && p.Kind != debuginfo.InGlobal || p.Offset != 0 || p.Size%8 != 0 {
			return nil
		}
	}
	return func(data []byte) error {
		at := 0
		for _, p := range w {
			n := int(p.Size / 8)
			if n == 0 {
				n = len(data) - at
			}
			n = min(n, len(data)-at, 8)
			var word [8]byte
			copy(word[:], data[at:at+n])
			bits := binary.LittleEndian.Uint64(word[:])
			if len(w) == 1 && n < 8 && signed(t) {
				bits = uint64(int64(bits<<(64-8*n)) >> (64 - 8*n))
			}
			done := false
			if p.Kind == debuginfo.InLocal {
				done = s.SetLocal(p.Index, bits)
			} else {
				done = s.SetGlobal(p.Index, bits)
			}
			if !done {
				return errors.New("it cannot be set here")
			}
			at += n
		}
		return nil
	}
}

// sizeOf returns the size of a type in bytes; -1: it is not known.
func sizeOf(t *debuginfo.Type) int64 { return sizeIn(t, 0) }

func sizeIn(t *debuginfo.Type, depth int) int64 {
	s := debuginfo.Strip(t)
	if s == nil || depth > 100 {
		return -1
	}
	switch {
	case s.Size > 0, s.Size == 0 && s.Kind != debuginfo.KindArray:
		return s.Size
	case s.Kind == debuginfo.KindArray && s.Count >= 0 && s.Target != nil:
		n := s.Stride
		if n <= 0 {
			n = sizeIn(s.Target(), depth+1)
		}
		if n < 0 || n > 0 && s.Count > (1<<62)/n {
			return -1
		}
		return n * s.Count
	case s.Size == 0:
		return 0
	case s.Kind == debuginfo.KindPointer || s.Kind == debuginfo.KindReference:
		return 4
	case s.Kind == debuginfo.KindEnum && s.Target != nil:
		return sizeIn(s.Target(), depth+1)
	}
	return -1
}

func (v Value) size() int64 {
	if v.typ == nil {
		return -1
	}
	return sizeOf(v.typ)
}

// signed reports whether a type has a sign.
func signed(t *debuginfo.Type) bool {
	s := debuginfo.Strip(t)
	if s == nil {
		return false
	}
	switch s.Kind {
	case debuginfo.KindInt:
		return true
	case debuginfo.KindChar:
		l := s.Language
		return !s.Unsigned && (l == debuginfo.C || l == debuginfo.CPlusPlus || l == debuginfo.Other)
	case debuginfo.KindEnum:
		if s.Target != nil {
			if e := s.Target(); e != nil && e != s {
				return signed(e)
			}
		}
		for _, e := range s.Values {
			if e.Value < 0 {
				return true
			}
		}
	}
	return false
}

// read returns n bytes of the value from an offset on.
func (v Value) read(from, n int64) ([]byte, error) {
	switch {
	case v.unknown:
		if n < 0 || n > maxValue {
			return nil, errUnreadable
		}
		return make([]byte, n), nil
	case v.form == formMemory:
		if n < 0 || n > maxValue {
			return nil, errUnreadable
		}
		b := make([]byte, n)
		wraps := v.addr+uint64(from) < v.addr && from > 0
		if v.env.Memory == nil || wraps || !v.env.Memory.Read(v.addr+uint64(from), b) {
			return nil, fmt.Errorf("0x%x is out of memory", v.addr+uint64(from))
		}
		return b, nil
	case v.form == formBytes:
		if from < 0 || n < 0 || from > int64(len(v.data)) || n > int64(len(v.data))-from {
			return nil, errUnreadable
		}
		for _, a := range v.absent {
			if int64(a.From) < from+n && from < int64(a.To) {
				return nil, debuginfo.ErrOptimizedOut
			}
		}
		return v.data[from : from+n], nil
	case v.err != nil:
		return nil, v.err
	}
	return nil, errUnreadable
}

var errUnreadable = errors.New("it cannot be read")

// word returns the bits of a scalar of at most 8 bytes, not sign-extended.
func (v Value) word() (uint64, error) {
	n := v.size()
	if n < 0 || n > 8 {
		return 0, fmt.Errorf("a value of %d bytes is no scalar", n)
	}
	if v.bits > 0 {
		from := v.bitFrom / 8
		shift := v.bitFrom % 8
		b, err := v.read(from, (shift+v.bits+7)/8)
		if err != nil {
			return 0, err
		}
		var out uint64
		for i := range v.bits {
			j := shift + i
			out |= uint64(b[j/8]>>(j%8)&1) << i
		}
		return out, nil
	}
	b, err := v.read(0, n)
	if err != nil {
		return 0, err
	}
	var w [8]byte
	copy(w[:], b)
	return binary.LittleEndian.Uint64(w[:]), nil
}

// widthOf returns how many bits a scalar has.
func widthOf(v Value) int64 {
	if v.bits > 0 {
		return v.bits
	}
	return min(max(v.size(), 0), 8) * 8
}

// integer returns the value of an integer, extended by its sign.
func (v Value) integer() (int64, error) {
	n, err := v.word()
	if w := widthOf(v); err == nil && w > 0 && w < 64 && signed(v.typ) {
		return int64(n<<(64-w)) >> (64 - w), nil
	}
	return int64(n), err
}

// Settable reports whether the value can be set.
func (v Value) Settable() bool {
	if v.form == formObject {
		return v.setRef != nil
	}
	return (v.form == formMemory || v.form == formBytes && v.put != nil && len(v.absent) == 0) && isScalar(v.typ)
}

// isScalar reports whether values of a type are numbers, characters, enums or pointers.
func isScalar(t *debuginfo.Type) bool {
	s := debuginfo.Strip(t)
	if s == nil {
		return false
	}
	switch s.Kind {
	case debuginfo.KindBool, debuginfo.KindChar, debuginfo.KindInt, debuginfo.KindUint, debuginfo.KindFloat,
		debuginfo.KindEnum, debuginfo.KindPointer:
		n := sizeOf(s)
		return n > 0 && n <= 8
	}
	return false
}

// setWord writes the bits of a scalar.
func (v Value) setWord(n uint64) error {
	if !v.Settable() {
		return errors.New("it cannot be set")
	}
	size := v.size()
	if v.bits > 0 {
		from, shift := v.bitFrom/8, v.bitFrom%8
		old, err := v.read(from, (shift+v.bits+7)/8)
		if err != nil {
			return err
		}
		b := append([]byte(nil), old...)
		var w [8]byte
		binary.LittleEndian.PutUint64(w[:], n)
		copyBits(b, shift, w[:], 0, v.bits)
		return v.write(from, b)
	}
	var w [8]byte
	binary.LittleEndian.PutUint64(w[:], n)
	return v.write(0, w[:size])
}

// write writes bytes of the value.
func (v Value) write(from int64, b []byte) error {
	switch {
	case v.form == formMemory:
		if v.env.Memory == nil || !v.env.Memory.Write(v.addr+uint64(from), b) {
			return fmt.Errorf("0x%x is out of memory", v.addr+uint64(from))
		}
		return nil
	case v.form == formBytes && v.put != nil:
		data := append([]byte(nil), v.data...)
		if from < 0 || from+int64(len(b)) > int64(len(data)) {
			return errUnreadable
		}
		copy(data[from:], b)
		if err := v.put(data); err != nil {
			return err
		}
		copy(v.data, data)
		return nil
	}
	return errors.New("it cannot be set")
}

// sub returns a part of the value.
func (v Value) sub(t *debuginfo.Type, from int64) Value {
	out := Value{
		env: v.env, lang: langOf(t), typ: t, form: v.form, err: v.err, unknown: v.unknown, ofFrame: v.ofFrame,
	}
	if out.lang == debuginfo.Other {
		out.lang = v.lang
	}
	n := sizeOf(t)
	switch v.form {
	case formMemory:
		out.addr = v.addr + uint64(from)
	case formBytes:
		if from < 0 || n < 0 || from > int64(len(v.data)) || n > int64(len(v.data))-from {
			return Missing(v.env, t, out.lang, errUnreadable)
		}
		out.data = v.data[from : from+n]
		for _, a := range v.absent {
			if int64(a.From) < from+n && from < int64(a.To) {
				out.absent = append(out.absent, debuginfo.Range{
					From: int(max(int64(a.From)-from, 0)), To: int(min(int64(a.To)-from, n)),
				})
			}
		}
		if len(out.absent) == 1 && out.absent[0].From == 0 && int64(out.absent[0].To) >= n && n > 0 {
			return Missing(v.env, t, out.lang, debuginfo.ErrOptimizedOut)
		}
		if v.put != nil {
			whole, put := v.data, v.put
			out.put = func(b []byte) error {
				data := append([]byte(nil), whole...)
				copy(data[from:], b)
				return put(data)
			}
			if len(v.absent) > 0 {
				out.put = nil
			}
		}
	}
	return out
}
