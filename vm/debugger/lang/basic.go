package lang

import (
	"strings"

	"stackscope/analysis/debuginfo"
	"stackscope/wasm"
)

// basicTypes makes the number types of a language, by name.
func basicTypes(l debuginfo.Language) map[string]*debuginfo.Type {
	out := map[string]*debuginfo.Type{}
	add := func(k debuginfo.Kind, size int64, names ...string) {
		t := &debuginfo.Type{Kind: k, Language: l, Name: names[0], Size: size}
		for _, n := range names {
			out[n] = t
		}
	}
	const (
		i, u, f = debuginfo.KindInt, debuginfo.KindUint, debuginfo.KindFloat
		c, b    = debuginfo.KindChar, debuginfo.KindBool
	)
	switch l {
	case debuginfo.Rust, debuginfo.Zig, debuginfo.AssemblyScript:
		for _, n := range []struct {
			k    debuginfo.Kind
			size int64
			name string
		}{
			{i, 1, "i8"}, {i, 2, "i16"}, {i, 4, "i32"}, {i, 8, "i64"}, {i, 16, "i128"}, {i, 4, "isize"},
			{u, 1, "u8"}, {u, 2, "u16"}, {u, 4, "u32"}, {u, 8, "u64"}, {u, 16, "u128"}, {u, 4, "usize"},
			{f, 4, "f32"}, {f, 8, "f64"}, {b, 1, "bool"}, {c, 4, "char"},
		} {
			add(n.k, n.size, n.name)
		}
	case debuginfo.Kotlin:
		add(i, 4, "Int")
		add(i, 8, "Long")
		add(i, 2, "Short")
		add(i, 1, "Byte")
		add(u, 4, "UInt")
		add(u, 8, "ULong")
		add(u, 2, "UShort")
		add(u, 1, "UByte")
		add(f, 4, "Float")
		add(f, 8, "Double")
		add(b, 1, "Boolean")
		add(c, 2, "Char")
	default:
		add(c, 1, "char", "signed char")
		add(debuginfo.KindUint, 1, "unsigned char", "uint8_t")
		add(i, 1, "int8_t")
		add(i, 2, "short", "short int", "signed short", "int16_t")
		add(u, 2, "unsigned short", "unsigned short int", "uint16_t")
		add(i, 4, "int", "signed", "signed int", "int32_t")
		add(u, 4, "unsigned int", "unsigned", "uint32_t")
		add(i, 4, "long", "long int", "signed long", "ptrdiff_t", "ssize_t", "intptr_t")
		add(u, 4, "unsigned long", "unsigned long int", "size_t", "uintptr_t")
		add(i, 8, "long long", "long long int", "signed long long", "int64_t")
		add(u, 8, "unsigned long long", "unsigned long long int", "uint64_t")
		add(f, 4, "float")
		add(f, 8, "double")
		add(f, 16, "long double")
		add(b, 1, "bool", "_Bool")
	}
	return out
}

// The number types of all languages. They are never changed.
var basics = func() map[debuginfo.Language]map[string]*debuginfo.Type {
	out := map[debuginfo.Language]map[string]*debuginfo.Type{}
	for _, l := range []debuginfo.Language{
		debuginfo.Other, debuginfo.C, debuginfo.CPlusPlus, debuginfo.Rust, debuginfo.Zig, debuginfo.Kotlin,
		debuginfo.AssemblyScript, debuginfo.OCaml, debuginfo.Go, debuginfo.Dart,
	} {
		out[l] = basicTypes(l)
	}
	return out
}()

// basic returns a number type of a language by name; nil: it has none.
func basic(l debuginfo.Language, name string) *debuginfo.Type { return basics[l][name] }

// family is the way in which a language writes its number types.
func family(l debuginfo.Language) debuginfo.Language {
	switch l {
	case debuginfo.Rust, debuginfo.Zig, debuginfo.Kotlin, debuginfo.AssemblyScript:
		return l
	}
	return debuginfo.C
}

// intType returns the integer type of a size.
func intType(l debuginfo.Language, size int64, isSigned bool) *debuginfo.Type {
	var names [2]string // unsigned, signed
	i := map[int64]int{1: 0, 2: 1, 4: 2, 8: 3}[size]
	switch family(l) {
	case debuginfo.Kotlin:
		names = [2]string{
			[]string{"UByte", "UShort", "UInt", "ULong"}[i], []string{"Byte", "Short", "Int", "Long"}[i],
		}
	case debuginfo.C:
		names = [2]string{
			[]string{"unsigned char", "unsigned short", "unsigned int", "unsigned long long"}[i],
			[]string{"int8_t", "short", "int", "long long"}[i],
		}
	default:
		names = [2]string{[]string{"u8", "u16", "u32", "u64"}[i], []string{"i8", "i16", "i32", "i64"}[i]}
	}
	if isSigned {
		return basic(l, names[1])
	}
	return basic(l, names[0])
}

// floatType returns the floating-point type of a size.
func floatType(l debuginfo.Language, size int64) *debuginfo.Type {
	names := [2]string{"float", "double"}
	switch family(l) {
	case debuginfo.Kotlin:
		names = [2]string{"Float", "Double"}
	case debuginfo.C:
	default:
		names = [2]string{"f32", "f64"}
	}
	if size == 4 {
		return basic(l, names[0])
	}
	return basic(l, names[1])
}

// boolType returns what comparisons return.
func boolType(l debuginfo.Language) *debuginfo.Type {
	switch l {
	case debuginfo.Kotlin:
		return basic(l, "Boolean")
	case debuginfo.C:
		return basic(l, "int")
	}
	return basic(l, "bool")
}

// numberType returns the type of a number of the machine in a language; nil: it is none.
func numberType(l debuginfo.Language, t wasm.ValType, isUnsigned bool) *debuginfo.Type {
	switch t {
	case wasm.I32:
		return intType(l, 4, !isUnsigned)
	case wasm.I64:
		return intType(l, 8, !isUnsigned)
	case wasm.F32:
		return floatType(l, 4)
	case wasm.F64:
		return floatType(l, 8)
	case wasm.I8:
		if l == debuginfo.Kotlin && isUnsigned {
			return basic(l, "Boolean")
		}
		return intType(l, 1, !isUnsigned)
	case wasm.I16:
		if l == debuginfo.Kotlin && isUnsigned {
			return basic(l, "Char")
		}
		return intType(l, 2, !isUnsigned)
	}
	return nil
}

// NumberType returns the type that a number of the machine has in a language; nil if it is none.
func NumberType(l debuginfo.Language, t wasm.ValType) *debuginfo.Type { return numberType(l, t, false) }

// lookupType finds a type by the words of an expression, without `*` and `&` after it.
func (e *Env) lookupType(l debuginfo.Language, name string) *debuginfo.Type {
	name = strings.Join(strings.Fields(name), " ")
	for _, p := range []string{"const ", "volatile "} {
		name = strings.TrimPrefix(name, p)
	}
	if t := basic(l, name); t != nil {
		return t
	}
	if e.Type != nil {
		if t := e.Type(name); t != nil {
			return t
		}
		for _, p := range []string{"struct ", "union ", "enum ", "class "} {
			if rest, ok := strings.CutPrefix(name, p); ok {
				return e.Type(rest)
			}
		}
	}
	return nil
}
