package inspect

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/arith"
	"stackscope/vm/debugger/expr"
	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
)

// Assign sets a variable to what a text means in a frame: a number of its type, `null`, or an
// expression. A variable of the source is set to an expression of the source. It must be called
// inside Do.
func (ev *Evaluator) Assign(f Frame, v Var, text string) (Var, error) {
	if v.src != nil {
		return ev.insp.src.assignSource(v, text)
	}
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
		return v, fmt.Errorf("%s is a string: enter it in quotes", v.Name)
	case v.Set == nil:
		return v, fmt.Errorf("%s cannot be set", v.Name)
	}
	defer ev.caller.bounded()()
	val, err := ev.convert(f, v, text)
	if err != nil {
		return v, Brief(err)
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
	v.Children, v.Page, v.Indexed, v.At, v.File = nil, nil, 0, snapshot.Site{}, nil
	ev.insp.expand(&v)
	return v, nil
}

// convert returns what a text means where a value of a variable's type is wanted.
func (ev *Evaluator) convert(f Frame, v Var, text string) (vm.Value, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return vm.Value{}, errors.New("the value is empty")
	}
	val, err := arith.ParseValue(v.ValType, text)
	if err == nil {
		return val, nil
	}
	if val, ok, err := ev.parseShown(f, v, text); ok {
		val.Type = v.ValType
		return val, err
	}
	switch {
	case v.ValType.IsRef() && text != "null":
		err = fmt.Errorf("%q is not a value of type %s", text, v.Type)
	case v.ValType.IsRef():
		err = fmt.Errorf("a %s cannot be null", v.Type)
	}
	if _, number := arith.Literal(text); f.instance() == nil || number ||
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
	case (y.Lit || y.View) && (arith.IsInt(y.Type) || arith.IsFloat(v.ValType)) && (arith.IsInt(v.ValType) ||
		arith.IsFloat(v.ValType)):
		if y, err = y.Adapt(v.ValType); err != nil {
			return val, err
		}
	}
	if y.Type != v.ValType && !(y.Type.IsRef() && v.ValType.IsRef()) || y.Type.IsRef() && !ev.refFits(y.Typed, v) {
		return val, fmt.Errorf("%s is %s, not %s", expr.Brief(text), typeOf(y.Typed), v.Type)
	}
	val = y.Value
	val.Type = v.ValType
	return val, nil
}

// refFits reports whether a reference may be stored in a variable: null, one whose static type is
// the variable's, or one that is of the variable's type as it stands.
func (ev *Evaluator) refFits(x arith.Typed, v Var) bool {
	if x.Value.Ref.IsNull() {
		return v.ValType.Nullable()
	}
	t, ok := canonical(v.ValType, v.canon, v.In)
	if !ok {
		return false
	}
	if is, ok := canonical(x.Type, x.Canon, x.In); ok && ev.mach.Types().MatchVal(is.NonNull(), t.NonNull()) {
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

// parseShown reads a reference or a vector as it is shown: `func $f`, `i31 5`, `i32x4 1 2 3 4`, or
// the text of the value that is there, which changes nothing. ok is false if the text is none of
// these.
func (ev *Evaluator) parseShown(f Frame, v Var, text string) (val vm.Value, ok bool, err error) {
	if v.HasValue && (text == ev.insp.Show(v, false) || text == ev.insp.Show(v, true)) {
		return v.Value, true, nil
	}
	if v.ValType == wasm.V128 && !strings.HasPrefix(text, "(") && isShape(text) && f.VM != nil {
		code := "(v128.const " + strings.NewReplacer("(", " ", ")", " ").Replace(text) + ")"
		vs, err := ev.runCode(f.VM, code)
		x, err := oneResult(code, vs, err)
		if err != nil {
			err = fmt.Errorf("%q is not a value of type v128", text)
		}
		return x.Value, true, err
	}
	if !v.ValType.IsRef() {
		return val, false, nil
	}
	if n, is := strings.CutPrefix(text, "i31 "); is || v.ValType.Heap() == wasm.HeapI31 {
		n, err := arith.ParseInt(strings.TrimSpace(n), 64)
		switch {
		case err != nil:
			return val, false, nil
		case int64(n) < -1<<30 || int64(n) >= 1<<31:
			return val, true, fmt.Errorf("%s does not fit into 31 bits", text)
		}
		return ev.fitting(v, text, vm.RefValue(vm.I31Ref(uint32(n))))
	}
	name, is := strings.CutPrefix(text, "func ")
	if (is || strings.HasPrefix(text, "$")) && f.instance() != nil && f.Module != nil {
		if fn := ev.callee(f, strings.TrimSpace(name)); fn != nil {
			return ev.fitting(v, text, vm.RefValue(vm.FuncRef(fn)))
		}
	}
	return val, false, nil
}

// fitting returns a value if a variable can hold it.
func (ev *Evaluator) fitting(v Var, text string, val vm.Value) (vm.Value, bool, error) {
	if !ev.refFits(arith.Typed{Value: val, Type: val.Type}, v) {
		return val, true, fmt.Errorf("%s does not fit: %s is of type %s", text, v.Name, v.Type)
	}
	return val, true, nil
}

// isShape reports whether a text begins with the shape of a vector.
func isShape(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	switch word {
	case "i8x16", "i16x8", "i32x4", "i64x2", "f32x4", "f64x2":
		return true
	}
	return false
}

// quoted reads a text in quotes, also as an array is shown: `array of 3 "Hi!"`.
func quoted(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if i := strings.IndexByte(text, '"'); i > 0 && strings.HasPrefix(text, "array of ") {
		text = text[i:]
	}
	if !strings.HasPrefix(text, "\"") {
		return "", false
	}
	s, err := strconv.Unquote(text)
	return s, err == nil
}
