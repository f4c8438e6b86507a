package wasm

import "strings"

// BadIndex is an index that could not be resolved. Every layer takes it for "unknown" and stays
// silent about it: whoever made it has reported why.
const BadIndex = ^uint32(0)

// Module is a module, from text or binary. Index spaces hold imports first in a valid module; an
// invalid text may mix them, in the order of the text.
type Module struct {
	Dialect Dialect // DialectNone if it has no stack switching
	Types   []SubType
	// Recs are the recursion groups, in order and without gaps: they partition Types. Implicit
	// types of type uses and of inline fiber types stand at the end, each its own group.
	Recs    []RecGroup
	Imports []Import
	Exports []Export
	Funcs   []Func
	Tables  []Table
	Mems    []Memory
	Globals []Global
	Tags    []Tag
	Elems   []Elem
	Datas   []Data
	Start   uint32 // function index, or BadIndex if there is none
	StartAt Pos
	Customs []Custom
	Names   *Names // never nil
	// DataCount reports whether a binary had a data count section (text: always true).
	DataCount bool
}

// Pos is a byte offset in the source the module came from: the text, or the binary.
type Pos uint32

// RecGroup is a recursion group: Types[Start:Start+Len].
type RecGroup struct{ Start, Len uint32 }

// CompKind is the kind of a composite type.
type CompKind uint8

// The kinds of composite types. CompBad is a type that could not be understood: it is silently
// taken for whatever a use needs.
const (
	CompBad CompKind = iota
	CompFunc
	CompStruct
	CompArray
	CompCont  // cont: Func is the function type
	CompStack // stacks: Params, and in Results[0] the reference type `rt` at the end (none: invalid)
	CompFiber // fibers-handle: Results
)

var compNames = [...]string{"unknown", "func", "struct", "array", "cont", "stack", "fiber"}

// String returns the keyword.
func (k CompKind) String() string { return compNames[k] }

// SubType is a type definition: a composite type with what it declares about subtyping.
type SubType struct {
	Kind            CompKind
	Final           bool // true without `sub`, or with `sub final`
	Supers          []uint32
	Params, Results []ValType
	Fields          []FieldType // CompStruct; CompArray has one
	Func            uint32      // CompCont
	At              Pos
	Implicit        bool // added by a type use or an inline type, not written as a definition
}

// FieldType is the type of a structure's field or of an array's elements.
type FieldType struct {
	Type ValType // I8 and I16 included
	Mut  bool
}

// ExternKind is the kind of an import or export.
type ExternKind uint8

// The kinds, numbered as in the binary format.
const (
	ExternFunc ExternKind = iota
	ExternTable
	ExternMemory
	ExternGlobal
	ExternTag
)

var externNames = [...]string{"func", "table", "memory", "global", "tag"}

// String returns the keyword.
func (k ExternKind) String() string { return externNames[k] }

// Import is an import; the thing itself is in its index space at Index.
type Import struct {
	Module, Name string
	Kind         ExternKind
	Index        uint32
	At           Pos
}

// Export is an export.
type Export struct {
	Name  string
	Kind  ExternKind
	Index uint32
	At    Pos
}

// Func is a function, or a function import: then Import is not negative and there is no body.
type Func struct {
	Type   uint32
	Import int32     // index in Imports, or -1
	Locals []ValType // without the parameters
	Body   []Instr   // ends with OpEnd; nil until lowered
	Stmts  []Stmt    // places of statements, by PC; nil if unknown
	Hints  []Hint    // branch hints, by PC
	At     Pos
	End    Pos // after the last byte
}

// Stmt is a statement of a body: an instruction in a sequence, with its folded operands. PC is the
// index in Body of what it executes first. From and To delimit its text; of a block's, its header.
// Flat reports that it is written without parentheses: then what it takes may have been left by
// those before it.
type Stmt struct {
	PC       uint32
	From, To Pos
	Flat     bool
}

// Hint is a branch hint: whether the condition of the `if` or `br_if` at Body[PC] is likely true.
type Hint struct {
	PC     uint32
	Likely bool
}

// Hintable reports whether a branch hint may stand at an instruction.
func (op Op) Hintable() bool { return op == OpIf || op == OpBrIf }

// Limits are the limits of a table or memory. Max counts only if HasMax.
type Limits struct {
	Min, Max uint64
	HasMax   bool
	Is64     bool // address type i64
	Shared   bool
	PageBits uint8 // log2 of a memory's page size if HasPage, else 16 is meant
	HasPage  bool
}

// Table is a table. Init is nil where elements start as null.
type Table struct {
	Type   ValType
	Limits Limits
	Init   []Instr
	Import int32
	At     Pos
}

// Memory is a memory.
type Memory struct {
	Limits Limits
	Import int32
	At     Pos
}

// Global is a global.
type Global struct {
	Type   ValType
	Mut    bool
	Init   []Instr
	Import int32
	At     Pos
}

// Tag is a tag, of exceptions and of control events alike.
type Tag struct {
	Type   uint32
	Import int32
	At     Pos
}

// SegmentMode is what a segment does at instantiation.
type SegmentMode uint8

// The modes.
const (
	SegmentPassive SegmentMode = iota
	SegmentActive
	SegmentDeclarative // element segments only
)

// Elem is an element segment.
type Elem struct {
	Type   ValType
	Mode   SegmentMode
	Table  uint32
	Offset []Instr // SegmentActive
	Init   [][]Instr
	At     Pos
}

// Data is a data segment.
type Data struct {
	Bytes  []byte
	Mode   SegmentMode
	Memory uint32
	Offset []Instr // SegmentActive
	At     Pos
}

// Custom is a custom section. Place is the id of the section it stands after (0: first), see the
// binary format; Before reports that it stands before section Place instead.
type Custom struct {
	Name   string
	Bytes  []byte
	Place  uint8
	Before bool
	At     Pos
}

// BlockType is the type of a block, packed: the zero value is [] -> [].
type BlockType uint64

// Bits 16 and 17 are free in a ValType: they tell a result from an index.
const (
	blockResult  BlockType = 1 << 16
	blockIndexed BlockType = 1 << 17
)

// BlockResult returns the block type [] -> [t].
func BlockResult(t ValType) BlockType { return BlockType(t) | blockResult }

// BlockIndex returns the block type of a type index.
func BlockIndex(i uint32) BlockType { return blockIndexed | BlockType(i)<<32 }

// Index returns the type index, and whether there is one.
func (b BlockType) Index() (uint32, bool) { return uint32(b >> 32), b&blockIndexed != 0 }

// Result returns the single result type, and whether there is one.
func (b BlockType) Result() (ValType, bool) { return ValType(b &^ blockResult), b&blockResult != 0 }

// Instr is an instruction of a flat sequence; blocks end with OpEnd (or OpDelegate), and so does
// every body and constant expression (Init, Offset). See Imm for the use of the fields.
type Instr struct {
	Op    Op
	Align uint8 // log2 of the alignment; 0xff: the text gave none that is a power of two
	Lane  uint8
	At    Pos
	A, B  uint32
	Imm   uint64
	Ext   *Ext
}

// Index returns the kth of the immediates that are indices: the first and second are A and B; the
// third, which no instruction has that needs Imm for something else, is Imm.
func (in *Instr) Index(k int) uint32 {
	switch k {
	case 0:
		return in.A
	case 1:
		return in.B
	}
	return uint32(in.Imm)
}

// SetIndex sets the immediate that Index returns.
func (in *Instr) SetIndex(k int, x uint32) {
	switch k {
	case 0:
		in.A = x
	case 1:
		in.B = x
	default:
		in.Imm = uint64(x)
	}
}

// Block returns the block type of a block instruction.
func (in *Instr) Block() BlockType { return BlockType(in.Imm) }

// Ref returns the reference type of ref.null, ref.test, ref.cast and the first of br_on_cast.
func (in *Instr) Ref() ValType { return ValType(in.Imm) }

// Ext holds the immediates of instructions that have more than fit into an Instr.
type Ext struct {
	Labels         []uint32
	Types          []ValType
	Catches        []Catch
	HandlerClauses []HandlerClause
	Hi             uint64
}

// CatchKind is the kind of a catch clause, numbered as in the binary format.
type CatchKind uint8

// The kinds.
const (
	CatchTag CatchKind = iota
	CatchTagRef
	CatchAll
	CatchAllRef
)

// Catch is a clause of try_table.
type Catch struct {
	Kind  CatchKind
	Tag   uint32
	Label uint32
	At    Pos
}

// HandlerClause is a handler clause of cont, or a (tag target) clause of the other dialects. Switch
// reports an `(on $tag switch)`, which has no Label. In fiber.new of fibers-mount Label is a
// function index.
type HandlerClause struct {
	Tag    uint32
	Label  uint32
	Switch bool
	At     Pos
}

// NumImported returns how many leading items of an index space are imports.
func (m *Module) NumImported(k ExternKind) int {
	n := 0
	for _, im := range m.Imports {
		if im.Kind == k {
			n++
		}
	}
	return n
}

// FuncType returns the function type at a type index, or nil if there is none there.
func (m *Module) FuncType(i uint32) *SubType {
	if int64(i) >= int64(len(m.Types)) || m.Types[i].Kind != CompFunc {
		return nil
	}
	return &m.Types[i]
}

// maxInline bounds the implicit types, with their results, that Inline spells inside another one.
// Types that refer to earlier ones twice would take text without end.
const maxInline = 256

// Inline returns the spelling of an implicit fiber type inside a reference, `fiber i32`, and
// whether the type is one. name returns the names of other types, and of implicit types inside this
// one beyond a fixed number.
func (m *Module) Inline(i uint32, name func(uint32) string) (string, bool) {
	if !m.inlined(i) {
		return "", false
	}
	left := maxInline
	return m.inline(i, name, &left), true
}

// inlined reports whether a type is an implicit fiber type.
func (m *Module) inlined(i uint32) bool {
	return int64(i) < int64(len(m.Types)) && m.Types[i].Implicit && m.Types[i].Kind == CompFiber
}

// inline spells an implicit fiber type; left is what can still be spelled inside it.
func (m *Module) inline(i uint32, name func(uint32) string, left *int) string {
	var b strings.Builder
	b.WriteString("fiber")
	for _, t := range m.Types[i].Results {
		b.WriteByte(' ')
		b.WriteString(t.Format(func(k uint32) string {
			if k >= i || !m.inlined(k) || len(m.Types[k].Results) >= *left {
				return name(k)
			}
			*left -= 1 + len(m.Types[k].Results)
			return m.inline(k, name, left)
		}))
	}
	return b.String()
}

// ContFunc returns the function type of a continuation type, or nil.
func (m *Module) ContFunc(i uint32) *SubType {
	if int64(i) >= int64(len(m.Types)) || m.Types[i].Kind != CompCont {
		return nil
	}
	return m.FuncType(m.Types[i].Func)
}

// Export finds an export by name.
func (m *Module) Export(name string) (Export, bool) {
	for _, e := range m.Exports {
		if e.Name == name {
			return e, true
		}
	}
	return Export{}, false
}
