package debuginfo

// Kind is a kind of type.
type Kind uint8

// The kinds.
const (
	KindUnknown Kind = iota // a type that cannot be read
	KindVoid
	KindBool
	KindChar // a character: Size tells how wide
	KindInt
	KindUint
	KindFloat
	KindComplex
	KindEnum
	KindPointer
	KindReference // C++ `T&` and `T&&`, Rust `&T` where DWARF says so
	KindArray
	KindStruct // structs, classes, tuples, closures; see Type.Variants for enums with data
	KindUnion
	KindFunc
	KindAlias     // typedef; Elem is what it stands for
	KindQualified // const, volatile, restrict, atomic; Elem is what it qualifies
	KindMember    // a C++ pointer to a member
)

// Type is a type of the source. Types may be cyclic: what they consist of is read when Fields, or
// Target, is called. It does not change.
type Type struct {
	Kind     Kind
	Language Language
	Name     string // as the source writes it, with namespaces; "" if it has none
	Word     string // "struct", "class", "union", "enum" …; "const" … of KindQualified; "" of others
	Size     int64  // bytes; -1: not known
	Unsigned bool   // of KindChar: the character is a number without a sign
	Count    int64  // of KindArray: elements; -1: not known
	Stride   int64  // of KindArray: bytes from an element to the next; 0: the size of an element
	Decl     Place
	// Bound computes Count at an instruction of a function where that is not known before the program
	// runs, as of an array of variable length; nil: it cannot be computed.
	Bound  func(fn uint32, pc int, c Context) (int64, error)
	Values []Enumerator // of KindEnum
	Args   []TypeArg    // template arguments, in order

	// Target returns the type of what a pointer or reference refers to, of the elements of an array,
	// or what an alias, a qualified type or an enum stands for; nil if there is none, or that is void.
	Target func() *Type
	// Members returns the fields of a struct or union, those of base classes with Base set.
	Members func() []Field
	// Variants returns the parts of an enum with data, as Rust has; nil: it is none.
	Variants func() *VariantPart
	// Signature returns the parameters and the result of a function type; nil elsewhere.
	Signature func() (params []*Type, result *Type)
}

// TypeArg is an argument of a template: a type or a value.
type TypeArg struct {
	Name  string
	Type  *Type
	Value *int64 // nil: it is a type
}

// Enumerator is a name of an enum.
type Enumerator struct {
	Name  string
	Value int64
}

// Field is a field of a struct or union.
type Field struct {
	Name       string // "" of an anonymous struct or union
	Type       *Type
	Offset     int64 // bytes from the start
	BitSize    int64 // of a bit-field; 0: it is none
	BitOffset  int64 // of a bit-field: bits from the least significant bit at the start of the struct
	Base       bool  // a base class
	Artificial bool  // made by the compiler, such as a pointer to virtual functions
}

// VariantPart is what an enum with data consists of besides its fields.
type VariantPart struct {
	Discr    *Field // tells which variant is there; nil: there is but one
	Variants []Variant
}

// Variant is a variant of an enum with data.
type Variant struct {
	Values []uint64 // of the discriminant; empty: of all other values
	Field  Field    // the data
}

// Strip returns the type without qualifiers and aliases; nil if t is nil, or that is malformed.
func Strip(t *Type) *Type {
	for range 100 {
		if t == nil || t.Kind != KindAlias && t.Kind != KindQualified {
			return t
		}
		if t.Target == nil {
			return nil
		}
		t = t.Target()
	}
	return nil
}
