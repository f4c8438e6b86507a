package js

import (
	"errors"
	"fmt"
	"unicode/utf16"

	"stackscope/vm"
	"stackscope/wasm"
)

// StringsName is the module of the JS String Builtins.
const StringsName = "wasm:js-string"

// ConstantsName is the module of string constants, where the program does not name another one: its
// imports are immutable globals, whose values are their names.
const ConstantsName = "'"

// stringFunc is one of the JS String Builtins. In the types of its parameters and of its result: s
// is an externref, S a (ref extern), i an i32, a a (ref null (array (mut i16))).
type stringFunc struct {
	params string
	result byte
	do     func(*stringCall) error
}

var stringFuncs = map[string]stringFunc{
	"cast":              {"s", 'S', func(c *stringCall) error { return c.give(c.string(0)) }},
	"test":              {"s", 'i', func(c *stringCall) error { return c.number(truth(stringOf(c.Ref(0)) != nil)) }},
	"fromCharCodeArray": {"aii", 'S', fromCharCodeArray},
	"intoCharCodeArray": {"sai", 'i', intoCharCodeArray},
	"fromCharCode": {"i", 'S', func(c *stringCall) error {
		return c.give(FromUTF16([]uint16{uint16(c.U32(0))}), nil)
	}},
	"fromCodePoint": {"i", 'S', fromCodePoint},
	"charCodeAt": {"si", 'i', func(c *stringCall) error {
		s, i, err := c.at()
		if err != nil {
			return err
		}
		return c.number(int32(s.at(i)))
	}},
	"codePointAt": {"si", 'i', func(c *stringCall) error {
		s, i, err := c.at()
		if err != nil {
			return err
		}
		return c.number(s.codePoint(i))
	}},
	"length": {"s", 'i', func(c *stringCall) error {
		s, err := c.string(0)
		if err != nil {
			return err
		}
		return c.number(int32(s.n))
	}},
	"concat":    {"ss", 'S', concatStrings},
	"substring": {"sii", 'S', substring},
	"equals":    {"ss", 'i', equalStrings},
	"compare":   {"ss", 'i', compareStrings},
}

// stringCall is a call of a builtin.
type stringCall struct{ *vm.Call }

// stringOf returns the string that a reference is to; nil if it is none.
func stringOf(r vm.Ref) *String {
	x, _ := r.Host()
	s, _ := x.(*String)
	return s
}

// string returns a parameter that must be a string, by its position among the references.
func (c *stringCall) string(i int) (*String, error) {
	r := c.Ref(i)
	if s := stringOf(r); s != nil {
		return s, nil
	}
	if r.IsNull() {
		return nil, vm.NewTrap(wasm.TrapCastFailure, "(null is no string)")
	}
	return nil, vm.NewTrap(wasm.TrapCastFailure, fmt.Sprintf("(a value of type %s is no string)", TypeOf(r)))
}

// at returns the parameters of charCodeAt and codePointAt.
func (c *stringCall) at() (*String, int, error) {
	s, err := c.string(0)
	if err != nil {
		return nil, 0, err
	}
	i := c.U32(0)
	if uint64(i) >= uint64(s.n) {
		return nil, 0, fmt.Errorf("position %d is beyond the end of a string of length %d", i, s.n)
	}
	return s, int(i), c.pay(s)
}

// pay pays for the flattening of strings.
func (c *stringCall) pay(ss ...*String) error {
	n := uint64(0)
	for _, s := range ss {
		n += s.flatCost()
	}
	if n == 0 {
		return nil
	}
	if err := c.Machine().Take(2 * n); err != nil {
		return err
	}
	return c.Work(2 * n)
}

func (c *stringCall) give(s *String, err error) error {
	if err == nil {
		err = c.Machine().Take(stringHead + uint64(len(s.ascii)+2*len(s.wide)))
	}
	if err != nil {
		return err
	}
	c.Return(vm.HostValue(s))
	return nil
}

func (c *stringCall) number(x int32) error {
	c.ReturnI32(0, x)
	return nil
}

func truth(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// array returns the parameter that is an array.
func (c *stringCall) array(i int) (*vm.Array, error) {
	if a := c.Ref(i).Array(); a != nil {
		return a, nil
	}
	return nil, vm.NewTrap(wasm.TrapNullArray, "")
}

func fromCharCodeArray(c *stringCall) error {
	a, err := c.array(0)
	if err != nil {
		return err
	}
	from, to := c.U32(0), c.U32(1)
	if from > to || uint64(to) > uint64(a.Len()) {
		return vm.NewTrap(wasm.TrapArrayOutOfBounds, "")
	}
	if to-from > MaxLength {
		return errLength
	}
	if err := c.Work(2 * uint64(to-from)); err != nil {
		return err
	}
	units := make([]uint16, to-from)
	for i := range units {
		units[i] = uint16(a.Elem(int(from) + i).Lo)
	}
	return c.give(FromUTF16(units), nil)
}

func intoCharCodeArray(c *stringCall) error {
	s, err := c.string(0)
	if err != nil {
		return err
	}
	a, err := c.array(1)
	if err != nil {
		return err
	}
	at := c.U32(0)
	if uint64(at)+uint64(s.n) > uint64(a.Len()) {
		return vm.NewTrap(wasm.TrapArrayOutOfBounds, "")
	}
	if err := c.Work(2 * uint64(s.n)); err != nil {
		return err
	}
	for i, u := range s.UTF16(0, s.n) {
		a.SetElem(int(at)+i, vm.I32(int32(u)))
	}
	return c.number(int32(s.n))
}

func fromCodePoint(c *stringCall) error {
	x := c.U32(0)
	if x > 0x10FFFF {
		return fmt.Errorf("%d is no code point", x)
	}
	if x < 0x10000 {
		return c.give(FromUTF16([]uint16{uint16(x)}), nil)
	}
	hi, lo := utf16.EncodeRune(rune(x))
	return c.give(FromUTF16([]uint16{uint16(hi), uint16(lo)}), nil)
}

func concatStrings(c *stringCall) error {
	a, err := c.string(0)
	if err != nil {
		return err
	}
	b, err := c.string(1)
	if err != nil {
		return err
	}
	return c.give(concat(a, b))
}

// substring clamps its positions, which count as unsigned.
func substring(c *stringCall) error {
	s, err := c.string(0)
	if err != nil {
		return err
	}
	from, to := c.U32(0), c.U32(1)
	if uint64(from) > uint64(s.n) || from > to {
		return c.give(empty, nil)
	}
	end := int(min(uint64(to), uint64(s.n)))
	if err := c.pay(s); err != nil {
		return err
	}
	if err := c.Work(2 * uint64(end-int(from))); err != nil {
		return err
	}
	return c.give(s.substring(int(from), end), nil)
}

// equalStrings compares two strings, or null with what else is null.
func equalStrings(c *stringCall) error {
	if c.Ref(0).IsNull() || c.Ref(1).IsNull() {
		for i := range 2 {
			if _, err := c.string(i); err != nil && !c.Ref(i).IsNull() {
				return err
			}
		}
		return c.number(truth(c.Ref(0).IsNull() && c.Ref(1).IsNull()))
	}
	a, b, err := c.two()
	if err != nil {
		return err
	}
	return c.number(truth(equal(a, b)))
}

func compareStrings(c *stringCall) error {
	a, b, err := c.two()
	if err != nil {
		return err
	}
	return c.number(int32(compare(a, b)))
}

// two returns two strings that are to be compared.
func (c *stringCall) two() (a, b *String, err error) {
	if a, err = c.string(0); err != nil {
		return nil, nil, err
	}
	if b, err = c.string(1); err != nil {
		return nil, nil, err
	}
	if err := c.pay(a, b); err != nil {
		return nil, nil, err
	}
	return a, b, c.Work(2 * uint64(min(a.n, b.n)))
}

// stringImport returns a builtin as an import; nil if there is none of the name.
func stringImport(m *vm.Machine, name string) vm.Extern {
	f, ok := stringFuncs[name]
	if !ok {
		return nil
	}
	return &vm.Generic{Kind: wasm.ExternFunc, Make: func(t vm.Declared) (vm.Extern, error) {
		if t.Type != f.canon(m) {
			return nil, errors.New("its type is " + f.text())
		}
		return m.NewFuncAs(StringsName+"."+name, t, func(c *vm.Call) error { return f.do(&stringCall{c}) }), nil
	}}
}

// canon returns the canonical type of a builtin.
func (f stringFunc) canon(m *vm.Machine) wasm.Canon {
	of := map[byte]wasm.ValType{
		's': wasm.ExternRef, 'S': wasm.Ref(false, wasm.HeapExtern), 'i': wasm.I32, 'a': wasm.Ref(true, 0),
	}
	fn := wasm.SubType{Kind: wasm.CompFunc, Final: true, Results: []wasm.ValType{of[f.result]}}
	for i := range len(f.params) {
		fn.Params = append(fn.Params, of[f.params[i]])
	}
	array := wasm.SubType{
		Kind: wasm.CompArray, Final: true, Fields: []wasm.FieldType{{Type: wasm.I16, Mut: true}},
	}
	return m.Types().Add(&wasm.Module{
		Types: []wasm.SubType{array, fn}, Recs: []wasm.RecGroup{{Start: 0, Len: 1}, {Start: 1, Len: 1}},
	})[1]
}

// text returns the type of a builtin in the text format.
func (f stringFunc) text() string {
	of := map[byte]string{'s': "externref", 'S': "(ref extern)", 'i': "i32", 'a': "(ref null (array (mut i16)))"}
	s := "(func (param"
	for i := range len(f.params) {
		s += " " + of[f.params[i]]
	}
	return s + ") (result " + of[f.result] + "))"
}

// constantImport returns a string constant: an immutable global of a type that a string is of.
func constantImport(m *vm.Machine, text string) vm.Extern {
	return &vm.Generic{Kind: wasm.ExternGlobal, Make: func(t vm.Declared) (vm.Extern, error) {
		if t.Mut || !t.Value.IsRef() || t.Value.Heap() != wasm.HeapExtern {
			return nil, errors.New("a string constant is an immutable global of type externref or (ref extern)")
		}
		return m.NewGlobal(t.Value, false, vm.HostValue(NewString(text))), nil
	}}
}

// Imports returns what a module can import without an engine: the JS String Builtins, and string
// constants; else what rest has.
func Imports(m *vm.Machine, mod *wasm.Module, rest vm.Imports) vm.Imports {
	constants := constantsModule(mod)
	return vm.ImportFunc(func(module, name string, kind wasm.ExternKind) vm.Extern {
		var x vm.Extern
		if rest != nil {
			x = rest.Import(module, name, kind)
		}
		switch {
		case x != nil:
		case module == StringsName && kind == wasm.ExternFunc:
			x = stringImport(m, name)
		case module == constants && kind == wasm.ExternGlobal:
			x = constantImport(m, name)
		}
		return x
	})
}

// constantsModule returns the module that string constants are imported from: the one whose imports
// in a module are immutable globals of type (ref extern) alone, if the module imports the builtins
// and there is one such; else ConstantsName.
func constantsModule(mod *wasm.Module) string {
	if mod == nil {
		return ConstantsName
	}
	only := map[string]bool{}
	builtins := false
	for _, im := range mod.Imports {
		builtins = builtins || im.Module == StringsName
		fits := false
		if im.Kind == wasm.ExternGlobal {
			g := mod.Globals[im.Index]
			fits = !g.Mut && g.Type == wasm.Ref(false, wasm.HeapExtern)
		}
		if was, ok := only[im.Module]; ok {
			fits = fits && was
		}
		only[im.Module] = fits
	}
	if only[ConstantsName] || !builtins {
		return ConstantsName
	}
	found := ""
	for name, fits := range only {
		if !fits {
			continue
		}
		if found != "" {
			return ConstantsName
		}
		found = name
	}
	if found == "" {
		return ConstantsName
	}
	return found
}
