package debug

import (
	"errors"
	"fmt"

	"stackscope/vm"
	"stackscope/wasm"
)

// Evaluate evaluates a name, a number or an expression in a frame. It must be called inside Do.
func (e *Engine) Evaluate(f Frame, text string) ([]Var, error) {
	if f.vf == nil {
		return nil, errors.New("there is no frame to evaluate in")
	}
	vs, err := e.evaluate(f.vf, text)
	if err != nil {
		return nil, err
	}
	out := make([]Var, len(vs))
	for i, v := range vs {
		out[i] = e.value(Var{Name: text, Value: v.Value, ValType: v.Type}, v.In)
	}
	return out, nil
}

// Assign sets a variable to what a text means in a frame: a number of its type, `null`, or an
// expression. It must be called inside Do.
func (e *Engine) Assign(f Frame, v Var, text string) (Var, error) {
	if v.Set == nil {
		return v, fmt.Errorf("%s cannot be set", v.Name)
	}
	val, err := e.convert(f, v, text)
	if err != nil {
		return v, err
	}
	if err := v.Set(val); err != nil {
		return v, err
	}
	if v.reread != nil {
		v.Text = v.reread()
		return v, nil
	}
	v.Value = val
	v.Value.Type = v.ValType
	v.Children, v.Page, v.Indexed = nil, nil, 0
	e.expand(&v)
	return v, nil
}

// convert gives what a text means where a value of a variable's type is wanted.
func (e *Engine) convert(f Frame, v Var, text string) (vm.Value, error) {
	val, err := ParseValue(v.ValType, text)
	if err == nil || f.vf == nil {
		return val, err
	}
	var x Typed
	y, err2 := e.Path(f, text)
	if err2 == nil && y.HasValue {
		x = Typed{y.Value, y.ValType, y.In}
	} else {
		x, err2 = e.one(f.vf, text)
	}
	switch {
	case err2 != nil && isCode(text):
		return val, err2
	case err2 != nil:
		return val, err
	case x.Type != v.ValType && !(x.Type.IsRef() && v.ValType.IsRef() && e.refFits(x, v)):
		return val, fmt.Errorf("%s is %s, not %s", text, x.text(), v.Type)
	}
	val = x.Value
	val.Type = v.ValType
	return val, nil
}

// refFits tells whether a reference may be stored in a variable: null, one whose static type is the
// variable's, or one that is of the variable's type as it stands.
func (e *Engine) refFits(x Typed, v Var) bool {
	if x.Value.Ref.IsNull() {
		return v.ValType.Nullable()
	}
	if x.In != nil && x.In == v.In && x.Type.NonNull() == v.ValType.NonNull() {
		return true
	}
	t := v.ValType
	switch h := t.Heap(); {
	case v.canon.IsRef():
		t = v.canon
	case h >= 0 && v.In != nil:
		t = wasm.Ref(t.Nullable(), wasm.HeapType(v.In.Canon(uint32(h))))
	}
	return e.mach.Fits(x.Value, t)
}
