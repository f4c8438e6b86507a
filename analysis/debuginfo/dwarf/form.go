package dwarf

import std "debug/dwarf"

// form is how the value of an attribute is encoded.
type form uint16

const (
	formAddr          form = 0x01
	formBlock2        form = 0x03
	formBlock4        form = 0x04
	formData2         form = 0x05
	formData4         form = 0x06
	formData8         form = 0x07
	formString        form = 0x08
	formBlock         form = 0x09
	formBlock1        form = 0x0a
	formData1         form = 0x0b
	formFlag          form = 0x0c
	formSdata         form = 0x0d
	formStrp          form = 0x0e
	formUdata         form = 0x0f
	formRefAddr       form = 0x10
	formRef1          form = 0x11
	formRef2          form = 0x12
	formRef4          form = 0x13
	formRef8          form = 0x14
	formRefUdata      form = 0x15
	formIndirect      form = 0x16
	formSecOffset     form = 0x17
	formExprloc       form = 0x18
	formFlagPresent   form = 0x19
	formStrx          form = 0x1a
	formAddrx         form = 0x1b
	formRefSup4       form = 0x1c
	formStrpSup       form = 0x1d
	formData16        form = 0x1e
	formLineStrp      form = 0x1f
	formRefSig8       form = 0x20
	formImplicitConst form = 0x21
	formLoclistx      form = 0x22
	formRnglistx      form = 0x23
	formRefSup8       form = 0x24
	formStrx1         form = 0x25
	formStrx2         form = 0x26
	formStrx3         form = 0x27
	formStrx4         form = 0x28
	formAddrx1        form = 0x29
	formAddrx2        form = 0x2a
	formAddrx3        form = 0x2b
	formAddrx4        form = 0x2c
	formGNUAddrIndex  form = 0x1f01
	formGNUStrIndex   form = 0x1f02
	formGNURefAlt     form = 0x1f20
	formGNUStrpAlt    form = 0x1f21
)

// Attributes that debug/dwarf does not name.
const (
	attrGNUDwoName     std.Attr = 0x2130
	attrGNUDwoID       std.Attr = 0x2131
	attrGNURangesBase  std.Attr = 0x2132
	attrGNUAddrBase    std.Attr = 0x2133
	attrMIPSLinkage    std.Attr = 0x2007
	attrGNUVector      std.Attr = 0x2107
	attrMainSubprogram std.Attr = 0x6a
)

// val is the value of an attribute: u, or b of a string, a block or an expression in the entry.
type val struct {
	attr std.Attr
	form form
	u    uint64
	b    []byte
}

// size returns how many bytes a form has; -1: it depends on the bytes, -2: it is unknown.
func (f form) size(asize uint8, wide bool) int {
	switch f {
	case formFlagPresent, formImplicitConst:
		return 0
	case formData1, formFlag, formRef1, formStrx1, formAddrx1:
		return 1
	case formData2, formRef2, formStrx2, formAddrx2:
		return 2
	case formStrx3, formAddrx3:
		return 3
	case formData4, formRef4, formRefSup4, formStrx4, formAddrx4:
		return 4
	case formData8, formRef8, formRefSig8, formRefSup8:
		return 8
	case formData16:
		return 16
	case formAddr:
		return int(asize)
	case formStrp, formRefAddr, formSecOffset, formStrpSup, formLineStrp, formGNURefAlt, formGNUStrpAlt:
		if wide {
			return 8
		}
		return 4
	case formBlock, formBlock1, formBlock2, formBlock4, formString, formSdata, formUdata, formRefUdata,
		formIndirect, formExprloc, formStrx, formAddrx, formLoclistx, formRnglistx, formGNUAddrIndex,
		formGNUStrIndex:
		return -1
	}
	return -2
}

// value reads the value of a form.
func (r *buf) value(f form, implicit int64) (v val) {
	for range 4 {
		if f != formIndirect {
			break
		}
		f = form(r.uleb())
	}
	v.form = f
	switch f {
	case formFlagPresent:
		v.u = 1
	case formImplicitConst:
		v.u = uint64(implicit)
	case formData16:
		v.b = r.bytes(16)
	case formBlock1:
		v.b = r.bytes(uint64(r.u8()))
	case formBlock2:
		v.b = r.bytes(uint64(r.u16()))
	case formBlock4:
		v.b = r.bytes(uint64(r.u32()))
	case formBlock, formExprloc:
		v.b = r.bytes(r.uleb())
	case formString:
		v.b = r.cstr()
	case formSdata:
		v.u = uint64(r.sleb())
	case formUdata, formRefUdata, formStrx, formAddrx, formLoclistx, formRnglistx, formGNUAddrIndex,
		formGNUStrIndex:
		v.u = r.uleb()
	default:
		n := f.size(r.asize, r.wide)
		if n < 0 {
			r.fail()
			return v
		}
		v.u = r.fixed(n)
	}
	return v
}

// skip passes a value by.
func (r *buf) skip(f form) {
	switch f {
	case formString:
		r.cstr()
	case formBlock, formExprloc:
		r.bytes(r.uleb())
	case formSdata, formUdata, formRefUdata, formStrx, formAddrx, formLoclistx, formRnglistx,
		formGNUAddrIndex, formGNUStrIndex:
		r.uleb()
	default:
		if n := f.size(r.asize, r.wide); n >= 0 {
			r.bytes(uint64(n))
		} else {
			r.value(f, 0)
		}
	}
}
