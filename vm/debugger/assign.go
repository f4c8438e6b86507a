package debugger

import (
	"errors"
	"fmt"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/expr"
	"stackscope/wasm"
)

// Assign sets a variable to what a text means in a frame: a number of its type, `null`, or an
// expression. It must be called inside Do.
func (ev *Evaluator) Assign(f Frame, v Var, text string) (Var, error) {
	if s, ok := quoted(text); ok && v.setText != nil {
		if err := v.setText(s); err != nil {
			return v, err
		}
		if v.reread != nil {
			v.Text = v.reread()
		}
		return v, nil
	}
	switch {
	case len(text) > expr.MaxBytes:
		return v, expr.ErrLong
	case v.Set == nil && v.setText != nil:
		return v, fmt.Errorf("%s is a text: want one in quotes", v.Name)
	case v.Set == nil:
		return v, fmt.Errorf("%s cannot be set", v.Name)
	}
	defer ev.caller.bounded()()
	val, err := ev.convert(f, v, text)
	if err != nil {
		return v, brief(err)
	}
	if err := v.Set(val); err != nil {
		return v, err
	}
	if v.reread != nil {
		v.Text, v.Value = v.reread(), v.again()
		return v, nil
	}
	if v.again != nil { // it may keep less than it was given
		val = v.again()
	}
	v.Value = val
	v.Value.Type = v.ValType
	v.Children, v.Page, v.Indexed, v.At, v.File = nil, nil, 0, Site{}, nil
	ev.insp.expand(&v)
	return v, nil
}

// convert returns what a text means where a value of a variable's type is wanted.
func (ev *Evaluator) convert(f Frame, v Var, text string) (vm.Value, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return vm.Value{}, errors.New("the value is empty")
	}
	val, err := ParseValue(v.ValType, text)
	if err == nil {
		return val, nil
	}
	if val, ok, err := ev.parseShown(f, v, text); ok {
		val.Type = v.ValType
		return val, err
	}
	switch {
	case v.ValType.IsRef() && text != "null":
		err = fmt.Errorf("%q is no %s", text, v.Type)
	case v.ValType.IsRef():
		err = fmt.Errorf("a %s cannot be null", v.Type)
	}
	if _, number := literal(text); f.instance() == nil || number ||
		text == "null" { // it has been read as a number already, and does not fit
		return val, err
	}
	x, err2 := ev.parseIn(f, text)
	if err2 != nil {
		if strings.ContainsAny(text, " (") {
			err = err2
		}
		return val, err
	}
	y, err2 := ev.evalExpr(f, x)
	switch {
	case err2 != nil && x.Kind != expr.Path:
		return val, err2
	case err2 != nil:
		return val, err
	case (y.lit || y.view) && (isInt(y.Type) || isFloat(v.ValType)) && (isInt(v.ValType) || isFloat(v.ValType)):
		if y, err = y.adapt(v.ValType); err != nil {
			return val, err
		}
	}
	if y.Type != v.ValType && !(y.Type.IsRef() && v.ValType.IsRef()) || y.Type.IsRef() && !ev.refFits(y.Typed, v) {
		return val, fmt.Errorf("%s is %s, not %s", expr.Brief(text), y.text(), v.Type)
	}
	val = y.Value
	val.Type = v.ValType
	return val, nil
}

// refFits reports whether a reference may be stored in a variable: null, one whose static type is
// the variable's, or one that is of the variable's type as it stands.
func (ev *Evaluator) refFits(x Typed, v Var) bool {
	if x.Value.Ref.IsNull() {
		return v.ValType.Nullable()
	}
	t, ok := canonical(v.ValType, v.canon, v.In)
	if !ok {
		return false
	}
	if is, ok := canonical(x.Type, x.canon, x.In); ok && ev.mach.Types().MatchVal(is.NonNull(), t.NonNull()) {
		return true
	}
	return ev.mach.Fits(x.Value, t)
}

// canonical returns a type with canonical ids: canon, if it is known, else that of the type's index
// in an instance. ok is false if it has an index that means nothing.
func canonical(t, canon wasm.ValType, in *vm.Instance) (out wasm.ValType, ok bool) {
	h := t.Heap()
	switch {
	case canon.IsRef():
		return canon, true
	case h == wasm.HeapBad:
		return t, false
	case h < 0:
		return t, true
	case in == nil:
		return t, false
	}
	c := in.Canon(uint32(h))
	return wasm.Ref(t.Nullable(), wasm.HeapType(c)), c != wasm.BadCanon
}
