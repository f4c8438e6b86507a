package syntax

import (
	"sync/atomic"

	"stackscope/analysis/source"
	"stackscope/wasm"
)

// TokenKind is the kind of a token. White space and comments are not tokens: they are the gaps.
type TokenKind uint8

// The kinds.
const (
	TokEOF      TokenKind = iota
	TokLParen             // (
	TokRParen             // )
	TokKeyword            // starts with a lower-case letter: mnemonics, `offset=8`, `i32` …
	TokID                 // $name or $"name"
	TokNat                // unsigned integer
	TokInt                // signed integer
	TokFloat              // floating-point number, inf and nan included
	TokString             // "…"
	TokAnnot              // (@id or (@"id": opens an annotation, closed by a TokRParen
	TokReserved           // an idchar sequence, or string mixture, that is none of the above: malformed
	TokBad                // a character that cannot be in a text, an unclosed string or comment: malformed
)

// Token is a token of a Unit. Off is relative to the unit's start.
type Token struct {
	Off  uint32
	Len  uint32
	Kind TokenKind
}

// Kind is the kind of a node.
type Kind uint8

// The kinds of nodes. A node spans tokens, the parentheses included; tokens that no child spans are
// its own (keyword, names, indices, numbers).
const (
	KError Kind = iota // what could not be understood; an Error says why
	KAnnot             // (@id …), a child wherever it stands; walks skip it unless they ask

	// Module fields, each the root of a Unit (KRec's types are its children).
	KType   // (type $x …)
	KRec    // (rec (type …)*)
	KImport // (import "m" "n" (func …)), or a group: (import "m" (item …)*), (import "m" (item …)* (func …))
	KFunc
	KTable
	KMemory
	KGlobal
	KTag
	KExport
	KStart
	KElem
	KData

	// Parts of fields.
	KSub          // (sub final? $super* comptype)
	KFuncType     // (func (param …)* (result …)*) in a type, or the whole of a `func` extern type
	KStructType   // (struct …)
	KArrayType    // (array …)
	KContType     // (cont $ft)
	KStackType    // (stack …), dialect stacks
	KFiberType    // (fiber (result …)), dialect fibers-handle
	KField        // (field $x? …)
	KParam        // (param $x? …)
	KResult       // (result …)
	KLocal        // (local $x? …)
	KTypeUse      // (type $x) as a use
	KRefType      // (ref null? ht)
	KNumType      // a value type, or a storage type, written as one keyword
	KMut          // (mut t)
	KInlineImport // (import "m" "n")
	KInlineExport // (export "n")
	KImportItem   // (item "n" (func …)) in a group of imports, or (item "n") if the group shares a type
	KExternType   // (func $x …), (table …) … in an import, or in an item of one
	KExportDesc   // (func $x) … in an export
	KTableUse     // (table $t)
	KMemoryUse    // (memory $m)
	KOffset       // (offset …) or the folded instruction that stands for it
	KItem         // (item …) or the folded instruction that stands for it
	KElemList     // (elem …) inside a table
	KDataList     // (data …) inside a memory
	KPageSize     // (pagesize n)

	// Instructions.
	KInstr // plain; folded if its first token is `(`: operands are child nodes, before nothing but `)`
	KBlock // block, loop, if, try_table, try, barrier, handle: header, body, `end` if flat
	KThen  // (then …) of a folded if
	KElse  // (else …) of a folded if, or from the flat `else` to before `end`
	KDo    // (do …) of a folded legacy try
	// legacy (catch $t …), (catch_all …), or flat from the keyword on; fibers-handle's event
	// clauses are KEvent
	KCatchBlock
	KEvent    // (event …) or flat from the keyword on
	KOn       // (on $tag $label) or (on $tag switch)
	KCatch    // (catch …), (catch_ref …), (catch_all …), (catch_all_ref …) of try_table
	KClause   // ($tag $target) of fibers-mount and tasks
	KEventArg // ($tag operand*), last in a folded instruction of tasks (malformed elsewhere)

	// Scripts.
	// of UnitOpen: (module $x? … up to the first field; of UnitCommand: a whole (module binary …),
	// (module quote …), (module instance …)
	KModule
	KCommand // (assert_return …), (register …), (invoke …) …
	KAction  // (invoke …), (get …) inside a command
	KConst   // (i32.const 1), (ref.null …), (either …) … as argument or expected result
	numKinds
)

var kindNames = [numKinds]string{
	"error", "annot", "type", "rec", "import", "func", "table", "memory", "global", "tag", "export", "start",
	"elem", "data", "sub", "functype", "structtype", "arraytype", "conttype", "stacktype", "fibertype", "field",
	"param", "result", "local", "typeuse", "reftype", "numtype", "mut", "inlineimport", "inlineexport",
	"importitem", "externtype", "exportdesc", "tableuse", "memoryuse", "offset", "item", "elemlist", "datalist",
	"pagesize", "instr", "block", "then", "else", "do", "catchblock", "event", "on", "catch", "clause",
	"eventarg", "module", "command", "action", "const",
}

// String returns a word for the kind, for tests and messages of our own.
func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return "unknown"
}

// Node is a node of a Unit, in preorder. Its tokens are [Tok, TokEnd); its subtree is the nodes
// from itself up to Next, so its first child, if any, is the node after it.
type Node struct {
	Kind   Kind
	Op     wasm.Op // KInstr, KBlock: the first row with the mnemonic (use Op.In for the dialect); OpInvalid if unknown
	Tok    uint32
	TokEnd uint32
	Next   uint32
}

// Error is a syntax error. Off and Len are relative to its unit.
type Error struct {
	Off, Len uint32
	Message  string // begins with the wording of the specification's suite where that has one
	Insert   string // text that would put it right at Off, if there is an obvious one
	Replace  bool   // Insert takes the place of the text at Off
	Delete   bool   // taking out the text at Off would put it right
	Safe     bool   // nothing else can be meant: all safe fixes of a text have it among them
	Related  string // what to say of the place at RelOff, if anything
	RelOff   uint32
	RelLen   uint32
}

// UnitKind is the kind of a unit.
type UnitKind uint8

// The kinds of units.
const (
	UnitField   UnitKind = iota // a module field
	UnitOpen                    // `(module $x`, or `(assert_invalid (module $x` …: what stands before the first field
	UnitClose                   // the closing parentheses, with the message string of an assert_…
	UnitCommand                 // a whole command of a script without text fields in it
	UnitStray                   // text that belongs nowhere
	UnitEnd                     // the trivia at the end of the file; always the last, always there
)

// Unit is a piece of a text: the grain of incremental parsing. Leading trivia is part of it. It
// has no absolute offset, so an edit elsewhere leaves it as it is. It is immutable.
type Unit struct {
	Kind   UnitKind
	Len    uint32 // in bytes
	Tokens []Token
	Nodes  []Node // Nodes[0] is the root, if there are tokens
	Errors []Error

	Annotated bool // there is an annotation among the tokens
	Deep      bool // forms nest deeper than the parser follows: only that is reported from there on

	dirty bool  // there is an error in it, or it would have one if there were none right before it
	entry state // of the parser before the unit
	look  int   // how many bytes after the unit the parser looked at

	up atomic.Pointer[[]int32] // by node: its parent; made when it is first asked for
}

// parents returns the parent of each node, -1 for the root.
func (u *Unit) parents() []int32 {
	if p := u.up.Load(); p != nil {
		return *p
	}
	up := make([]int32, len(u.Nodes))
	at := int32(-1) // the innermost node that is not over
	for i := range u.Nodes {
		for at >= 0 && int(u.Nodes[at].Next) <= i {
			at = up[at]
		}
		up[i], at = at, int32(i)
	}
	u.up.Store(&up)
	return up
}

// Tree is the tree of one text: units that cover every byte. It is immutable.
type Tree struct {
	Src   *source.File
	Units []Placed
}

// Placed is a unit at its place in a text.
type Placed struct {
	Off int
	*Unit
}

// N is a node at its place: what walks hand around. The zero N is no node.
type N struct {
	T *Tree
	U int32 // unit
	I int32 // node in the unit
}
