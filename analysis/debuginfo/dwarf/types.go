package dwarf

import (
	std "debug/dwarf"

	"stackscope/analysis/debuginfo"
)

// typeKey names a type: an entry, and of an array of several dimensions which of them is the first.
type typeKey struct {
	ref ref
	dim int
}

// maxTypeArgs bounds how deep arguments of templates are read at once.
const maxTypeArgs = 50

// typeOf returns the type of an entry; nil: it is no type, or void.
func (r *Reader) typeOf(x ref) *debuginfo.Type {
	if x == noRef {
		return nil
	}
	r.typesMu.Lock()
	defer r.typesMu.Unlock()
	return r.typeLocked(x, 0)
}

func (r *Reader) typeLocked(x ref, depth int) *debuginfo.Type {
	if t, ok := r.types[typeKey{ref: x}]; ok {
		return t
	}
	var d die
	if depth > maxTypeArgs || !r.open(x, &d) {
		return nil
	}
	t := &debuginfo.Type{Language: d.u.lang, Size: -1}
	r.types[typeKey{ref: x}] = t
	b := typeBuilder{r: r, u: d.u, d: &d, t: t, depth: depth}
	if !b.build() {
		r.types[typeKey{ref: x}] = nil
		return nil
	}
	return t
}

// typeBuilder reads an entry of a type.
type typeBuilder struct {
	r     *Reader
	u     *unit
	d     *die
	t     *debuginfo.Type
	depth int
}

func (b *typeBuilder) build() bool {
	d, t, u := b.d, b.t, b.u
	t.Name = d.typeName()
	t.Decl = d.place(std.AttrDeclFile, std.AttrDeclLine, std.AttrDeclColumn)
	if n, ok := d.num(std.AttrByteSize); ok && n >= 0 {
		t.Size = n
	} else if n, ok := d.num(std.AttrBitSize); ok && n >= 0 {
		t.Size = (n + 7) / 8
	}
	switch d.tag {
	case std.TagBaseType:
		b.base()
	case std.TagUnspecifiedType:
		// `decltype(nullptr)`, Rust's `!` in old compilers
		t.Kind, t.Word = debuginfo.KindVoid, ""
		if t.Name == "decltype(nullptr)" || t.Name == "std::nullptr_t" || t.Name == "nullptr_t" {
			t.Kind, t.Size = debuginfo.KindPointer, int64(u.asize)
			t.Target = none
		}
	case std.TagPointerType:
		b.pointer(debuginfo.KindPointer)
	case std.TagReferenceType, std.TagRvalueReferenceType:
		b.pointer(debuginfo.KindReference)
		t.Word = "&"
		if d.tag == std.TagRvalueReferenceType {
			t.Word = "&&"
		}
	case std.TagPtrToMemberType:
		t.Kind, t.Target = debuginfo.KindMember, b.target()
		if t.Size < 0 {
			t.Size = b.memberSize()
		}
	case std.TagTypedef, std.TagTemplateAlias:
		t.Kind, t.Target = debuginfo.KindAlias, b.target()
		t.Size = b.r.sizeOf(d, 0)
	case std.TagConstType, std.TagVolatileType, std.TagRestrictType, std.TagAtomicType, std.TagPackedType,
		std.TagImmutableType, std.TagSharedType:
		t.Kind, t.Target = debuginfo.KindQualified, b.target()
		t.Word = qualifier(d.tag)
		t.Size = b.r.sizeOf(d, 0)
	case std.TagStructType, std.TagClassType, std.TagUnionType, std.TagInterfaceType:
		return b.structure()
	case std.TagEnumerationType:
		return b.enumeration()
	case std.TagArrayType, std.TagStringType:
		b.array(0)
	case std.TagSubroutineType, std.TagSubprogram:
		b.function()
	case std.TagSubrangeType:
		t.Kind, t.Target = debuginfo.KindAlias, b.target()
		t.Size = b.r.sizeOf(d, 0)
	default:
		return false
	}
	return true
}

func none() *debuginfo.Type { return nil }

// typeName returns the name of a type with namespaces.
func (d *die) typeName() string {
	name := d.str(std.AttrName)
	switch d.tag {
	case std.TagBaseType, std.TagUnspecifiedType, std.TagPointerType, std.TagReferenceType, std.TagSubprogram:
		return name
	}
	return d.u.qualified(d.off, name, false)
}

func qualifier(t std.Tag) string {
	switch t {
	case std.TagVolatileType:
		return "volatile"
	case std.TagRestrictType:
		return "restrict"
	case std.TagAtomicType:
		return "_Atomic"
	case std.TagPackedType:
		return "packed"
	case std.TagSharedType:
		return "shared"
	}
	return "const"
}

// target returns what reads the type that the entry names.
func (b *typeBuilder) target() func() *debuginfo.Type {
	x, ok := b.d.refer(std.AttrType)
	if !ok {
		return none
	}
	r := b.r
	return func() *debuginfo.Type { return r.complete(x) }
}

// complete returns the type of an entry: of a declaration, the definition, if there is one.
func (r *Reader) complete(x ref) *debuginfo.Type {
	var d die
	if !r.open(x, &d) {
		return nil
	}
	if !d.flag(std.AttrDeclaration) && !d.has(std.AttrSignature) {
		return r.typeOf(x)
	}
	if y, ok := r.definition(&d); ok {
		return r.typeOf(y)
	}
	return r.typeOf(x)
}

// definition returns the definition of a type that an entry declares.
func (r *Reader) definition(d *die) (ref, bool) {
	if x, ok := d.refer(std.AttrSignature); ok {
		return x, true
	}
	name := d.str(std.AttrName)
	if name == "" {
		return noRef, false
	}
	found := noRef
	tag := d.tag
	want := func(t std.Tag) bool {
		return t == tag || isClass(t) && isClass(tag)
	}
	r.lookup(d.u.qualified(d.off, name, false), want, func(u *unit, c *die) bool {
		found = u.ref(c.off)
		return false
	})
	return found, found != noRef
}

func isClass(t std.Tag) bool { return t == std.TagStructType || t == std.TagClassType }

// sizeOf returns the size of the type of an entry through aliases, qualifiers and arrays; -1: it is
// not known.
func (r *Reader) sizeOf(d *die, depth int) int64 {
	if n, ok := d.num(std.AttrByteSize); ok && n >= 0 {
		return n
	}
	switch d.tag {
	case std.TagPointerType, std.TagReferenceType, std.TagRvalueReferenceType:
		return int64(d.u.asize)
	case std.TagTypedef, std.TagConstType, std.TagVolatileType, std.TagRestrictType, std.TagAtomicType,
		std.TagPackedType, std.TagImmutableType, std.TagSharedType, std.TagTemplateAlias,
		std.TagEnumerationType, std.TagSubrangeType:
	case std.TagArrayType:
		_, dims := dimensions(d)
		x, ok := d.refer(std.AttrType)
		if !ok {
			return -1
		}
		n := r.sizeRef(x, depth)
		for _, c := range dims {
			if n < 0 || c.count < 0 || c.count > 0 && n > 1<<40/c.count {
				return -1
			}
			n *= c.count
		}
		return n
	default:
		if x, ok := d.refer(std.AttrSignature); ok {
			return r.sizeRef(x, depth)
		}
		return -1
	}
	x, ok := d.refer(std.AttrType)
	if !ok {
		return -1
	}
	return r.sizeRef(x, depth)
}

func (r *Reader) sizeRef(x ref, depth int) int64 {
	var d die
	if depth > 32 || !r.open(x, &d) {
		return -1
	}
	return r.sizeOf(&d, depth+1)
}

func (b *typeBuilder) pointer(kind debuginfo.Kind) {
	b.t.Kind, b.t.Target = kind, b.target()
	if b.t.Size < 0 {
		b.t.Size = int64(b.u.asize)
	}
}

// memberSize returns the size of a pointer to a member in the ABI of C++ for WebAssembly: of one to a
// function, two words.
func (b *typeBuilder) memberSize() int64 {
	var d die
	if x, ok := b.d.refer(std.AttrType); ok && b.r.open(x, &d) && d.tag == std.TagSubroutineType {
		return 2 * int64(b.u.asize)
	}
	return int64(b.u.asize)
}

func (b *typeBuilder) base() {
	enc, _ := b.d.num(std.AttrEncoding)
	t := b.t
	switch enc {
	case ateAddress:
		t.Kind = debuginfo.KindUint
	case ateBoolean:
		t.Kind = debuginfo.KindBool
	case ateComplex:
		t.Kind = debuginfo.KindComplex
	case ateFloat:
		t.Kind = debuginfo.KindFloat
	case ateSigned:
		t.Kind = debuginfo.KindInt
	case ateUnsigned:
		t.Kind = debuginfo.KindUint
		if t.Size == 0 { // `()`
			t.Kind = debuginfo.KindVoid
		}
	case ateSignedChar, ateUnsignedChar:
		t.Kind, t.Unsigned = debuginfo.KindChar, enc == ateUnsignedChar
		if b.u.lang == debuginfo.Rust || b.u.lang == debuginfo.Zig {
			if t.Kind = debuginfo.KindUint; enc == ateSignedChar {
				t.Kind = debuginfo.KindInt
			}
		}
	case ateUTF, ateASCII, 0x11: // DW_ATE_UCS
		t.Kind, t.Unsigned = debuginfo.KindChar, true
	}
}

func (b *typeBuilder) enumeration() bool {
	d, t := b.d, b.t
	t.Kind, t.Word = debuginfo.KindEnum, "enum"
	t.Target = b.target()
	if t.Size < 0 {
		t.Size = b.r.sizeOf(d, 0)
	}
	unsigned := b.unsigned()
	b.u.children(d, func(c *die) bool {
		if c.tag == std.TagEnumerator {
			v, _ := c.get(std.AttrConstValue)
			n, ok := v.number()
			if ok {
				if !unsigned && (v.form == formData1 || v.form == formData2 || v.form == formData4) && t.Size > 0 {
					n = int64(extend(v.u, uint8(min(t.Size, 8))))
				}
				t.Values = append(t.Values, debuginfo.Enumerator{Name: c.str(std.AttrName), Value: n})
			}
		}
		return true
	})
	return true
}

// unsigned reports whether the type that an enum is made of has no sign.
func (b *typeBuilder) unsigned() bool {
	d := *b.d
	for range 8 {
		x, ok := d.refer(std.AttrType)
		if d.vals = nil; !ok || !b.r.open(x, &d) {
			return false
		}
		if enc, ok := d.num(std.AttrEncoding); ok {
			return enc == ateUnsigned || enc == ateUnsignedChar || enc == ateBoolean || enc == ateUTF
		}
	}
	return false
}

func (b *typeBuilder) function() {
	t, d, r := b.t, b.d, b.r
	t.Kind = debuginfo.KindFunc
	result, _ := d.refer(std.AttrType)
	self, u := d.off, b.u
	t.Signature = func() (params []*debuginfo.Type, out *debuginfo.Type) {
		var d die
		if !d.read(u, self) {
			return nil, nil
		}
		u.children(&d, func(c *die) bool {
			if c.tag == std.TagFormalParameter {
				x, _ := c.refer(std.AttrType)
				params = append(params, r.completeOr(x))
			}
			return true
		})
		return params, r.completeOr(result)
	}
}

func (r *Reader) completeOr(x ref) *debuginfo.Type {
	if x == noRef || x == 0 {
		return nil
	}
	return r.complete(x)
}

// Type implements debuginfo.Reader.
func (r *Reader) Type(name string) *debuginfo.Type {
	found := noRef
	want := func(t std.Tag) bool {
		return t != std.TagVariable && t != std.TagConstant && t != std.TagSubprogram && t != std.TagNamespace
	}
	r.lookup(name, want, func(u *unit, d *die) bool {
		found = u.ref(d.off)
		return false
	})
	return r.typeOf(found)
}
