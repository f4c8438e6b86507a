package wasm

// HeapType is a type index if it is not negative, else one of the abstract heap types.
type HeapType int32

// The abstract heap types. HeapBad stands for an unresolved type: what is known of a reference
// to it is only that it is one, and it matches every reference.
const (
	HeapFunc     HeapType = -1
	HeapNoFunc   HeapType = -2
	HeapExtern   HeapType = -3
	HeapNoExtern HeapType = -4
	HeapAny      HeapType = -5
	HeapEq       HeapType = -6
	HeapI31      HeapType = -7
	HeapStruct   HeapType = -8
	HeapArray    HeapType = -9
	HeapNone     HeapType = -10
	HeapExn      HeapType = -11
	HeapNoExn    HeapType = -12
	HeapCont     HeapType = -13 // cont: top of the continuation types
	HeapNoCont   HeapType = -14
	HeapStack    HeapType = -15 // stacks: top of the stack types
	HeapNoStack  HeapType = -16
	HeapFiber    HeapType = -17 // fibers-mount: the one, abstract fiber type
	HeapTask     HeapType = -18 // tasks
	HeapBad      HeapType = -19
)

// heapRow is a row of the table of abstract heap types.
type heapRow struct {
	name    string   // the keyword
	ref     string   // the abbreviation of its nullable reference type; "" if there is none
	top     HeapType // the top of its hierarchy
	bottom  bool     // it matches every type of its hierarchy
	alone   bool     // no other type matches it: the types with its name belong to another dialect
	dialect Dialect  // computed from the rows of the dialects
}

// heapRows is the table, by the negated type.
var heapRows = [...]heapRow{
	-HeapFunc:     {name: "func", ref: "funcref", top: HeapFunc},
	-HeapNoFunc:   {name: "nofunc", ref: "nullfuncref", top: HeapFunc, bottom: true},
	-HeapExtern:   {name: "extern", ref: "externref", top: HeapExtern},
	-HeapNoExtern: {name: "noextern", ref: "nullexternref", top: HeapExtern, bottom: true},
	-HeapAny:      {name: "any", ref: "anyref", top: HeapAny},
	-HeapEq:       {name: "eq", ref: "eqref", top: HeapAny},
	-HeapI31:      {name: "i31", ref: "i31ref", top: HeapAny},
	-HeapStruct:   {name: "struct", ref: "structref", top: HeapAny},
	-HeapArray:    {name: "array", ref: "arrayref", top: HeapAny},
	-HeapNone:     {name: "none", ref: "nullref", top: HeapAny, bottom: true},
	-HeapExn:      {name: "exn", ref: "exnref", top: HeapExn},
	-HeapNoExn:    {name: "noexn", ref: "nullexnref", top: HeapExn, bottom: true},
	-HeapCont:     {name: "cont", ref: "contref", top: HeapCont},
	-HeapNoCont:   {name: "nocont", ref: "nullcontref", top: HeapCont, bottom: true},
	-HeapStack:    {name: "stack", top: HeapStack},
	-HeapNoStack:  {name: "nostack", top: HeapStack, bottom: true},
	-HeapFiber:    {name: "fiber", ref: "fiberref", top: HeapFiber, alone: true},
	-HeapTask:     {name: "task", ref: "taskref", top: HeapTask},
	-HeapBad:      {name: "unknown", top: HeapBad},
}

// row returns the row of an abstract heap type, or nil.
func (h HeapType) row() *heapRow {
	if h >= 0 || int64(-h) >= int64(len(heapRows)) {
		return nil
	}
	return &heapRows[-h]
}

// heapWords, heapByName and refByName are computed once from the table.
var heapWords, heapByName, refByName = func() (words []HeapType, byName map[string]HeapType, refs map[string]ValType) {
	byName, refs = map[string]HeapType{}, map[string]ValType{}
	for i, r := range heapRows {
		h := HeapType(-i)
		if r.name == "" || h == HeapBad {
			continue
		}
		words = append(words, h)
		byName[r.name] = h
		if r.ref != "" {
			refs[r.ref] = Ref(true, h)
		}
	}
	for _, d := range designs {
		for _, h := range dialects[d].Heaps {
			heapRows[-h].dialect = d
		}
	}
	return
}()

// AbstractHeapTypes lists the abstract heap types, those of the dialects last. The result must not
// be changed.
func AbstractHeapTypes() []HeapType { return heapWords }

// AbstractHeapType returns the abstract heap type of a keyword (`func`, `cont` …), and whether
// there is one.
func AbstractHeapType(name string) (HeapType, bool) {
	h, ok := heapByName[name]
	return h, ok
}

// AbbreviatedRef returns the reference type of a keyword such as `funcref`, and whether there is
// one.
func AbbreviatedRef(name string) (ValType, bool) {
	t, ok := refByName[name]
	return t, ok
}

// Abbreviation returns the keyword of the nullable reference type to an abstract heap type, such
// as `funcref`, or "" if there is none.
func (h HeapType) Abbreviation() string {
	if r := h.row(); r != nil {
		return r.ref
	}
	return ""
}

// Dialect returns the dialect that alone has the abstract heap type, DialectNone for those of Wasm
// 3.0 and for type indices. The word `fiber` also begins the inline types of another dialect.
func (h HeapType) Dialect() Dialect {
	if r := h.row(); r != nil {
		return r.dialect
	}
	return DialectNone
}

// Format returns the heap type in the text format; name returns what stands for a type index.
func (h HeapType) Format(name func(uint32) string) string {
	if h >= 0 {
		return name(uint32(h))
	}
	if r := h.row(); r != nil && r.name != "" {
		return r.name
	}
	return "unknown"
}
