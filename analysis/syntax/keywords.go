package syntax

import "stackscope/wasm"

// kw reports what a keyword is to the parser, besides a mnemonic.
type kw uint8

const (
	kwNone kw = iota
	// Module fields.
	kwType
	kwRec
	kwImport
	kwFunc
	kwTable
	kwMemory
	kwGlobal
	kwTag
	kwExport
	kwStart
	kwElem
	kwData
	// Parts of types and fields.
	kwSub
	kwFinal
	kwStruct
	kwArray
	kwCont
	kwStack
	kwFiber
	kwField
	kwParam
	kwResult
	kwLocal
	kwRef
	kwNull
	kwMut
	kwOffset
	kwItem
	kwDeclare
	kwPageSize
	kwShared
	kwValType // i32, funcref …
	kwHeap    // any, extern …
	kwShape   // i8x16 …
	kwMemArg  // offset=…, align=…
	kwNaN     // nan:canonical, nan:arithmetic
	// Parts of instructions.
	kwThen
	kwElse
	kwDo
	kwCatch
	kwCatchAll
	kwCatchRef
	kwCatchAllRef
	kwDelegate
	kwEnd
	kwEvent
	kwOn
	kwSwitch
	// Scripts.
	kwModule
	kwDefinition
	kwInstance
	kwQuote
	kwBinary
	kwRegister
	kwInvoke
	kwGet
	kwAssert // assert_…
	kwEither
	kwScript // script, input, output
)

// word is an entry of the keyword table: what a keyword is.
type word struct {
	name string
	op   wasm.Op // OpInvalid if it is no mnemonic
	kw   kw
}

// words is the table of every keyword: open addressing over a hash that the lexer computes as it
// goes. It is computed once and never changes.
var words = newWordTable()

const wordSlots = 4096

type wordTable struct {
	list  []word // the first wordFirst stand for no single word
	slots [wordSlots]uint16
}

const (
	wordUnknown = iota
	wordMemArg  // offset=…, align=…
	wordNaN     // nan:…
	wordAssert  // assert_…
	wordFirst
)

func hashWord(s string) uint32 {
	h := uint32(0)
	for i := 0; i < len(s); i++ {
		h = h*31 + uint32(s[i])
	}
	return h
}

func (t *wordTable) slot(h uint32) uint32 { return (h ^ h>>12 ^ h>>20) & (wordSlots - 1) }

// lookup returns the index in list of a keyword with its hash.
func (t *wordTable) lookup(s string, h uint32) uint16 {
	for i := t.slot(h); ; i = (i + 1) & (wordSlots - 1) {
		w := t.slots[i]
		if w == 0 {
			break
		}
		if t.list[w].name == s {
			return w
		}
	}
	switch {
	case hasPrefix(s, "offset=") || hasPrefix(s, "align="):
		return wordMemArg
	case hasPrefix(s, "nan:"):
		return wordNaN
	case hasPrefix(s, "assert_"):
		return wordAssert
	}
	return wordUnknown
}

func hasPrefix(s, p string) bool { return len(s) >= len(p) && s[:len(p)] == p }

func (t *wordTable) add(name string, op wasm.Op, k kw) {
	h := hashWord(name)
	for i := t.slot(h); ; i = (i + 1) & (wordSlots - 1) {
		w := t.slots[i]
		if w == 0 {
			t.slots[i] = uint16(len(t.list))
			t.list = append(t.list, word{name, op, k})
			return
		}
		if t.list[w].name == name {
			if op != wasm.OpInvalid {
				t.list[w].op = op
			}
			if k != kwNone {
				t.list[w].kw = k
			}
			return
		}
	}
}

func newWordTable() *wordTable {
	t := &wordTable{list: make([]word, wordFirst, 1024)}
	t.list[wordMemArg].kw = kwMemArg
	t.list[wordNaN].kw = kwNaN
	t.list[wordAssert].kw = kwAssert
	for _, m := range wasm.Mnemonics() {
		t.add(m, wasm.Lookup(m)[0], kwNone)
	}
	for _, n := range []string{"i32", "i64", "f32", "f64", "v128", "i8", "i16"} {
		t.add(n, 0, kwValType)
	}
	for _, h := range wasm.AbstractHeapTypes() { // the words that also begin definitions get their own kw below
		t.add(h.Format(nil), 0, kwHeap)
		if r := h.Abbreviation(); r != "" {
			t.add(r, 0, kwValType)
		}
	}
	for _, n := range []string{"i8x16", "i16x8", "i32x4", "i64x2", "f32x4", "f64x2"} {
		t.add(n, 0, kwShape)
	}
	for k, ns := range map[kw][]string{
		kwType: {"type"}, kwRec: {"rec"}, kwImport: {"import"}, kwFunc: {"func"}, kwTable: {"table"}, kwMemory: {"memory"},
		kwGlobal: {"global"}, kwTag: {"tag"}, kwExport: {"export"}, kwStart: {"start"}, kwElem: {"elem"}, kwData: {"data"},
		kwSub: {"sub"}, kwFinal: {"final"}, kwStruct: {"struct"}, kwArray: {"array"}, kwCont: {"cont"}, kwStack: {"stack"},
		kwFiber: {"fiber"}, kwField: {"field"}, kwParam: {"param"}, kwResult: {"result"}, kwLocal: {"local"}, kwRef: {"ref"},
		kwNull: {"null"}, kwMut: {"mut"}, kwOffset: {"offset"}, kwItem: {"item"}, kwDeclare: {"declare"}, kwPageSize: {"pagesize"},
		kwShared: {"shared"}, kwThen: {"then"}, kwElse: {"else"}, kwDo: {"do"}, kwCatch: {"catch"}, kwCatchAll: {"catch_all"},
		kwCatchRef: {"catch_ref"}, kwCatchAllRef: {"catch_all_ref"}, kwDelegate: {"delegate"}, kwEnd: {"end"}, kwEvent: {"event"},
		kwOn: {"on"}, kwSwitch: {"switch"}, kwModule: {"module"}, kwDefinition: {"definition"}, kwInstance: {"instance"},
		kwQuote: {"quote"}, kwBinary: {"binary"}, kwRegister: {"register"}, kwInvoke: {"invoke"}, kwGet: {"get"}, kwEither: {"either"},
		kwScript: {"script", "input", "output"},
	} {
		for _, n := range ns {
			t.add(n, 0, k)
		}
	}
	return t
}

// isField reports whether `(` and the keyword begin a module field.
func (k kw) isField() bool { return k >= kwType && k <= kwData }

// isCommand reports whether `(` and the keyword begin a command of a script.
func (k kw) isCommand() bool {
	return k == kwModule || k == kwRegister || k == kwInvoke || k == kwGet || k == kwAssert || k == kwScript
}

// isImmediate reports whether a bare keyword after a mnemonic is an immediate of it, if it is no
// mnemonic.
func (k kw) isImmediate() bool {
	switch k {
	case kwValType, kwHeap, kwShape, kwMemArg, kwNaN, kwNull, kwFunc, kwStruct, kwArray, kwCont, kwStack, kwFiber:
		return true
	}
	return false
}

// isHeapType reports whether the keyword is an abstract heap type.
func (k kw) isHeapType() bool {
	switch k {
	case kwHeap, kwFunc, kwStruct, kwArray, kwCont, kwStack, kwFiber:
		return true
	}
	return false
}
