package dwarf

import (
	std "debug/dwarf"

	"stackscope/analysis/debuginfo"
)

// structure makes the type of a struct, class or union.
func (b *typeBuilder) structure() bool {
	t, d, r, u := b.t, b.d, b.r, b.u
	t.Kind, t.Word = debuginfo.KindStruct, "struct"
	switch d.tag {
	case std.TagUnionType:
		t.Kind, t.Word = debuginfo.KindUnion, "union"
	case std.TagClassType:
		t.Word = "class"
	case std.TagInterfaceType:
		t.Word = "interface"
	}
	off := d.off
	x := u.ref(off)
	declared := d.flag(std.AttrDeclaration) || d.has(std.AttrSignature)
	t.Members = func() []debuginfo.Field {
		if declared {
			if def := r.complete(x); def != nil && def != t && def.Members != nil {
				return def.Members()
			}
		}
		return fields{u}.members(off)
	}
	part := false
	u.children(d, func(c *die) bool {
		switch c.tag {
		case std.TagVariantPart:
			part = true
		case std.TagTemplateTypeParameter, std.TagTemplateValueParameter:
			t.Args = append(t.Args, b.arg(c)...)
		case tagGNUTemplateParameterPack:
			u.children(c, func(c *die) bool {
				t.Args = append(t.Args, b.arg(c)...)
				return true
			})
		}
		return true
	})
	if part {
		t.Word = "enum"
		t.Variants = func() *debuginfo.VariantPart { return fields{u}.variants(off) }
	}
	return true
}

const tagGNUTemplateParameterPack std.Tag = 0x4107

// arg reads an argument of a template.
func (b *typeBuilder) arg(c *die) []debuginfo.TypeArg {
	a := debuginfo.TypeArg{Name: c.str(std.AttrName)}
	if c.tag != std.TagTemplateTypeParameter && c.tag != std.TagTemplateValueParameter {
		return nil
	}
	if x, ok := c.refer(std.AttrType); ok {
		a.Type = b.r.typeLocked(x, b.depth+1)
	}
	if n, ok := c.num(std.AttrConstValue); ok && c.tag == std.TagTemplateValueParameter {
		a.Value = &n
	}
	return []debuginfo.TypeArg{a}
}

// fields reads the members of types of a unit.
type fields struct{ *unit }

// members returns the fields of the struct or union of an entry.
func (u fields) members(off uint32) (out []debuginfo.Field) {
	var d die
	if !d.read(u.unit, off) {
		return nil
	}
	u.children(&d, func(c *die) bool {
		switch c.tag {
		case std.TagMember, std.TagInheritance:
			if f, ok := u.field(c); ok {
				out = append(out, f)
			}
		}
		return true
	})
	return out
}

// field reads a member; ok is false if it is in no object, such as a static one.
func (u fields) field(c *die) (f debuginfo.Field, ok bool) {
	if c.flag(std.AttrExternal) || c.flag(std.AttrDeclaration) {
		return f, false
	}
	f = debuginfo.Field{Name: c.str(std.AttrName), Base: c.tag == std.TagInheritance,
		Artificial: c.flag(std.AttrArtificial)}
	x, _ := c.refer(std.AttrType)
	f.Type = u.s.r.completeOr(x)
	if v, has := c.get(std.AttrDataMemberLoc); has {
		n, isNum := v.number()
		if !isNum {
			// `DW_OP_plus_uconst n`; what else there is, such as for virtual bases, needs the object.
			r := buf{b: v.b}
			if op := r.u8(); op != opPlusUconst && op != opConstu {
				return f, false
			}
			if n = int64(r.uleb()); r.bad || r.p != len(v.b) {
				return f, false
			}
		}
		f.Offset = n
	}
	if f.Offset < 0 {
		return f, false
	}
	return f, u.bits(c, x, &f)
}

// bits reads what makes a member a bit-field; false: it is malformed.
func (u fields) bits(c *die, typ ref, f *debuginfo.Field) bool {
	size, ok := c.num(std.AttrBitSize)
	if !ok {
		if n, has := c.num(std.AttrDataBitOffset); has && n >= 0 {
			f.Offset = n / 8
		}
		return true
	}
	if size < 0 || size > 1<<16 {
		return false
	}
	f.BitSize = size
	if n, has := c.num(std.AttrDataBitOffset); has {
		f.BitOffset = n + f.Offset*8
		f.Offset = f.BitOffset / 8
		return n >= 0
	}
	old, has := c.num(std.AttrBitOffset)
	if !has {
		f.BitOffset = f.Offset * 8
		return true
	}
	// From the most significant bit of a unit of storage at Offset.
	storage, ok := c.num(std.AttrByteSize)
	if !ok {
		storage = u.s.r.sizeRef(typ, 0)
	}
	f.BitOffset = f.Offset*8 + storage*8 - old - size
	f.Offset = f.BitOffset / 8
	return storage > 0 && f.BitOffset >= 0
}

// variants reads the variants of an enum with data.
func (u fields) variants(off uint32) *debuginfo.VariantPart {
	var d die
	if !d.read(u.unit, off) {
		return nil
	}
	var out *debuginfo.VariantPart
	u.children(&d, func(c *die) bool {
		if c.tag != std.TagVariantPart {
			return true
		}
		out = &debuginfo.VariantPart{}
		if x, ok := c.refer(std.AttrDiscr); ok {
			var m die
			if u.s.r.open(x, &m) && m.tag == std.TagMember {
				if f, ok := (fields{m.u}).field(&m); ok {
					out.Discr = &f
				}
			}
		}
		u.children(c, func(v *die) bool {
			if v.tag == std.TagVariant {
				if x, ok := u.variant(v, out.Discr); ok {
					out.Variants = append(out.Variants, x)
				}
			}
			return true
		})
		return false
	})
	return out
}

func (u fields) variant(v *die, discr *debuginfo.Field) (out debuginfo.Variant, ok bool) {
	size := uint8(8)
	if discr != nil && discr.Type != nil && discr.Type.Size > 0 && discr.Type.Size < 8 {
		size = uint8(discr.Type.Size)
	}
	if n, has := v.num(std.AttrDiscrValue); has {
		out.Values = append(out.Values, truncate(uint64(n), size))
	} else if l, has := v.get(std.AttrDiscrList); has {
		if out.Values, has = discriminants(l.b, size); !has {
			return out, false
		}
	}
	u.children(v, func(c *die) bool {
		if c.tag == std.TagMember {
			out.Field, ok = u.field(c)
			return false
		}
		return true
	})
	return out, ok
}

// discriminants reads a DW_AT_discr_list.
func discriminants(b []byte, size uint8) (out []uint64, ok bool) {
	r := buf{b: b}
	for r.p < len(b) {
		kind := r.u8()
		low := uint64(r.sleb())
		high := low
		if kind == 1 {
			high = uint64(r.sleb())
		}
		if r.bad || kind > 1 || high-low > 1000 || len(out) > 10_000 {
			return nil, false
		}
		for ; ; low++ {
			if out = append(out, truncate(low, size)); low == high {
				break
			}
		}
	}
	return out, true
}
