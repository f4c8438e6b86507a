package lang

import (
	"strings"

	"stackscope/analysis/debuginfo"
)

// variantsOf returns the variants of an enum with data; nil: it is none.
func variantsOf(t *debuginfo.Type) *debuginfo.VariantPart {
	if t.Variants == nil {
		return nil
	}
	p := t.Variants()
	if p == nil || len(p.Variants) == 0 {
		return nil
	}
	return p
}

// variantAt returns the variant that is there.
func variantAt(v Value, p *debuginfo.VariantPart) (x *debuginfo.Variant, err error) {
	if p.Discr == nil {
		return &p.Variants[0], nil
	}
	d := fieldOf(v, *p.Discr, 0)
	n, err := d.word()
	if err != nil {
		return nil, err
	}
	mask := ^uint64(0)
	if w := widthOf(d); w > 0 && w < 64 {
		mask = 1<<w - 1
	}
	for i := range p.Variants {
		for _, want := range p.Variants[i].Values {
			if want&mask == n&mask {
				return &p.Variants[i], nil
			}
		}
	}
	for i := range p.Variants {
		if len(p.Variants[i].Values) == 0 {
			return &p.Variants[i], nil
		}
	}
	return nil, errNoVariant
}

var errNoVariant = errString("no variant has this discriminant")

type errString string

func (e errString) Error() string { return string(e) }

// variantName returns the name of a variant.
func variantName(x *debuginfo.Variant) string {
	if x.Field.Name != "" {
		return x.Field.Name
	}
	if x.Field.Type != nil {
		return shortName(x.Field.Type.Name)
	}
	return "?"
}

// variantBody returns the data of a variant.
func variantBody(v Value, x *debuginfo.Variant) Value {
	out := v.sub(x.Field.Type, x.Field.Offset)
	out.lang = v.lang
	return out
}

// variant writes an enum with data: `Rect { w: 2, h: 3 }`.
func (w *writer) variant(v Value, t *debuginfo.Type, p *debuginfo.VariantPart, depth int) {
	x, err := variantAt(v, p)
	if err != nil {
		w.WriteString(noted(err))
		return
	}
	w.WriteString(variantName(x))
	b := variantBody(v, x)
	if bt := debuginfo.Strip(b.typ); bt != nil && bt.Kind == debuginfo.KindStruct {
		w.fields(v.lang, b.members(bt, false), depth)
	}
}

// variantNamed lists the fields of the variant that is there.
func variantNamed(v Value, t *debuginfo.Type, p *debuginfo.VariantPart) []Child {
	x, err := variantAt(v, p)
	if err != nil {
		return nil
	}
	b := variantBody(v, x)
	bt := debuginfo.Strip(b.typ)
	if bt == nil {
		return nil
	}
	return b.members(bt, false)
}

// variantMember returns a field of the variant that is there, or the data of a variant by its name.
func variantMember(v Value, t *debuginfo.Type, p *debuginfo.VariantPart, name string) (Value, bool) {
	if v.unknown {
		return Value{env: v.env, lang: v.lang, unknown: true}, true
	}
	x, err := variantAt(v, p)
	if err != nil {
		return v, false
	}
	b := variantBody(v, x)
	if variantName(x) == name {
		return b, true
	}
	return findIn(b, debuginfo.Strip(b.typ), strings.TrimPrefix(name, "__"), 0, 1)
}

// VariantName returns the name of the variant of an enum with data that is there; "" if it is none.
func (v Value) VariantName() string {
	t := debuginfo.Strip(v.typ)
	if v.form == formObject || t == nil {
		return ""
	}
	p := variantsOf(t)
	if p == nil {
		return ""
	}
	if x, err := variantAt(v, p); err == nil {
		return variantName(x)
	}
	return ""
}
