package syntax

import (
	"unicode/utf8"

	"stackscope/wasm"
)

var fieldKinds = [...]Kind{kwType: KType, kwRec: KRec, kwImport: KImport, kwFunc: KFunc, kwTable: KTable, kwMemory: KMemory,
	kwGlobal: KGlobal, kwTag: KTag, kwExport: KExport, kwStart: KStart, kwElem: KElem, kwData: KData}

// field parses the module field at the current `(`, which the keyword k follows.
func (p *parser) field(k kw) {
	p.depth = 1
	at := p.i
	n := p.openHead(fieldKinds[k])
	switch k {
	case kwType:
		p.id()
		p.subType()
	case kwRec:
		for p.kind() == TokLParen && p.headKw() == kwType && !p.typeAsUse() {
			p.depth++
			a := p.i
			m := p.openHead(KType)
			p.id()
			p.subType()
			p.shut(m, a)
			p.depth--
		}
	case kwImport:
		p.name()
		p.name()
		p.externType()
	case kwFunc:
		p.id()
		imported := p.inline()
		p.funcHeader(!imported)
		if !imported {
			p.body(at)
		}
	case kwTable:
		p.id()
		p.tableType(p.inline())
	case kwMemory:
		p.id()
		p.memoryType(p.inline())
	case kwGlobal:
		p.id()
		imported := p.inline()
		p.globalType()
		if !imported {
			p.seq(false)
		}
	case kwTag:
		p.id()
		p.inline()
		p.typeUse(true)
	case kwExport:
		p.name()
		p.exportDesc()
	case kwStart:
		p.index("a function index")
	case kwElem:
		p.elem()
	case kwData:
		p.data()
	}
	p.shut(n, at)
}

// id goes over an identifier, if there is one.
func (p *parser) id() bool {
	if p.kind() == TokID {
		p.checkID(p.i)
		p.i++
		return true
	}
	return false
}

func (p *parser) checkID(i int) {
	if s := p.text(i); len(s) > 1 && s[1] == '"' {
		p.checkName(i, s[1:])
	}
}

// checkName reports a quoted name that is no UTF-8.
func (p *parser) checkName(i int, lit string) {
	if lit == "" || lit[0] != '"' {
		return
	}
	if isPlain(lit) {
		return
	}
	if b, err := DecodeString(lit); err == nil && !utf8.Valid(b) {
		p.err(i, "malformed UTF-8 encoding in a name")
	}
}

func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			return false
		}
	}
	return true
}

// index goes over an index.
func (p *parser) index(want string) bool {
	switch p.kind() {
	case TokID:
		p.checkID(p.i)
		p.i++
		return true
	case TokNat:
		p.i++
		return true
	}
	p.bad(want)
	return false
}

// bad reports the current token, or that something is missing before a `)`.
func (p *parser) bad(want string) {
	if k := p.kind(); k == TokRParen || k == TokEOF {
		p.err(p.i, p.unexpectedMsg(want))
		return
	}
	p.unexpected(want)
}

// name goes over a string that is a name.
func (p *parser) name() {
	if p.kind() != TokString {
		p.bad("a name in quotes")
		return
	}
	p.checkName(p.i, p.text(p.i))
	p.i++
}

// inline parses inline exports and an inline import, and tells whether there was an import.
func (p *parser) inline() (imported bool) {
	for p.kind() == TokLParen {
		a := p.i
		h := p.head()
		k := p.kw(h)
		switch {
		case k == kwExport && !imported && (!p.atLineStart(a) || p.quotesThen(h, 1)):
			n := p.openHead(KInlineExport)
			p.name()
			p.depth++
			p.shutLeaf(n, a)
			p.depth--
		case k == kwImport && !imported && (!p.atLineStart(a) || p.quotesThen(h, 2)):
			n := p.openHead(KInlineImport)
			p.name()
			p.name()
			p.depth++
			p.shutLeaf(n, a)
			p.depth--
			imported = true
		default:
			return
		}
	}
	return
}

// quotesThen tells whether no `(` stands behind the up to n strings behind token i, so that it is
// not an export or import field.
func (p *parser) quotesThen(i, n int) bool {
	i = p.next(i)
	for ; n > 0 && p.tok(i).Kind == TokString; n-- {
		i = p.next(i)
	}
	return p.tok(i).Kind != TokLParen
}

// typeAsUse tells whether the current `(type` is a use of a type, not a definition.
func (p *parser) typeAsUse() bool {
	i := p.next(p.head())
	switch p.tok(i).Kind {
	case TokNat:
		return true
	case TokID:
		i = p.next(i)
		return p.tok(i).Kind != TokLParen && p.kw(i) != kwRef
	}
	return p.tok(i).Kind != TokLParen
}

// order is how far a header got: types, parameters, results and locals stand in this order.
type order uint8

const (
	orderType order = iota
	orderParam
	orderResult
	orderLocal

	orderSaid order = 0x80 // the error was reported
)

func (p *parser) inOrder(have *order, now order) {
	if now < *have&^orderSaid {
		if *have&orderSaid == 0 {
			p.unexpected("parameters, then results, then locals")
		}
		*have |= orderSaid
		return
	}
	*have = now | *have&orderSaid
}

// typeUse parses (type …), (param …)* and (result …)*. named tells whether parameters may have names.
func (p *parser) typeUse(named bool) { p.header(named, false) }

func (p *parser) funcHeader(locals bool) { p.header(true, locals) }

func (p *parser) header(named, locals bool) {
	var o order
	for first := true; p.kind() == TokLParen; first = false {
		switch p.headKw() {
		case kwType:
			if !p.typeAsUse() {
				return
			}
			if !first && o&orderSaid == 0 {
				p.unexpected("the type before parameters and results")
				o |= orderSaid
			}
			p.useType()
		case kwParam:
			p.inOrder(&o, orderParam)
			p.types(KParam, named)
		case kwResult:
			p.inOrder(&o, orderResult)
			p.types(KResult, false)
		case kwLocal:
			if !locals {
				return
			}
			p.inOrder(&o, orderLocal)
			p.types(KLocal, true)
		default:
			return
		}
	}
}

// useType parses (type x).
func (p *parser) useType() {
	a := p.i
	n := p.openHead(KTypeUse)
	p.index("a type index")
	p.depth++
	p.shutLeaf(n, a)
	p.depth--
}

// types parses (param …), (result …) or (local …).
func (p *parser) types(k Kind, named bool) {
	a := p.i
	n := p.openHead(k)
	p.depth++
	if p.kind() == TokID {
		name := p.i
		p.id()
		if p.kind() == TokID {
			p.id() // fibers-handle: a type defined as a reference, by name
		} else if c := p.valTypes(); c > 1 {
			p.err(name, "unexpected token `"+clip(p.text(name))+"`: only one type can follow a name")
		} else if c > 0 && !named {
			p.err(name, "unexpected token `"+clip(p.text(name))+"`: no name can stand here")
		}
	} else {
		p.valTypes()
	}
	p.shutLeaf(n, a)
	p.depth--
}

// valTypes parses value types and tells how many there are.
func (p *parser) valTypes() (c int) {
	for p.valType() {
		c++
	}
	return
}

// valType parses one value or storage type, if there is one here.
func (p *parser) valType() bool {
	switch p.kind() {
	case TokKeyword:
		w := p.word(p.i)
		if w.kw == kwRef {
			p.unexpected("a type; references are written `(ref …)`")
			n := p.open(KRefType)
			p.i++
			p.heapType()
			p.close(n)
			return true
		}
		if w.kw != kwValType {
			if w.op != wasm.OpInvalid || w.kw != kwNone {
				p.unexpected("a type")
			} else {
				p.err(p.i, "unknown operator "+clip(p.text(p.i))+": expected a type")
			}
		}
		n := p.open(KNumType)
		p.i++
		p.close(n)
		return true
	case TokReserved, TokBad:
		p.unexpected("")
		n := p.open(KError)
		p.i++
		p.close(n)
		return true
	case TokLParen:
		if p.headKw() == kwRef {
			p.refType()
			return true
		}
	}
	return false
}

// refType parses (ref null? ht).
func (p *parser) refType() {
	a := p.i
	n := p.openHead(KRefType)
	p.depth++
	p.heapType()
	p.shutLeaf(n, a)
	p.depth--
}

// heapType parses null? ht, and behind `fiber` its result types.
func (p *parser) heapType() {
	if p.kind() == TokKeyword && p.kw(p.i) == kwNull {
		p.i++
	}
	switch p.kind() {
	case TokID, TokNat:
		p.index("")
	case TokKeyword:
		k := p.kw(p.i)
		if !k.isHeapType() {
			p.unexpected("a heap type")
		}
		p.i++
		if k == kwFiber {
			p.valTypes()
		}
	default:
		p.bad("a heap type")
	}
}

// subType parses (sub final? x* comptype) or a composite type.
func (p *parser) subType() {
	if p.kind() == TokKeyword && p.kw(p.i) == kwRef {
		// fibers-handle: (type $t ref fiber …)
		n := p.open(KRefType)
		p.i++
		p.heapType()
		p.close(n)
		return
	}
	if p.kind() != TokLParen {
		p.bad("a type definition")
		return
	}
	if p.headKw() != kwSub {
		p.compType()
		return
	}
	a := p.i
	n := p.openHead(KSub)
	p.depth++
	if p.kind() == TokKeyword && p.kw(p.i) == kwFinal {
		p.i++
	}
	for p.kind() == TokID || p.kind() == TokNat {
		p.index("")
	}
	if p.kind() == TokLParen {
		p.compType()
	} else {
		p.bad("a type definition")
	}
	p.shut(n, a)
	p.depth--
}

func (p *parser) compType() {
	a := p.i
	p.depth++
	defer func() { p.depth-- }()
	var n int
	switch p.headKw() {
	case kwFunc:
		n = p.openHead(KFuncType)
		p.noTypeUse()
		p.typeUse(true)
	case kwStruct:
		n = p.openHead(KStructType)
		for p.kind() == TokLParen && p.headKw() == kwField {
			b := p.i
			f := p.openHead(KField)
			p.depth++
			named := p.id()
			name := p.i - 1
			c := 0
			for p.storageType() {
				c++
			}
			if named && c != 1 && p.last != p.i {
				p.err(name, "unexpected token `"+clip(p.text(name))+"`: exactly one type must follow a name")
			}
			p.shut(f, b)
			p.depth--
		}
	case kwArray:
		n = p.openHead(KArrayType)
		if !p.storageType() {
			p.bad("the type of the elements")
		}
	case kwCont:
		n = p.openHead(KContType)
		if k := p.kind(); k == TokID || k == TokNat {
			p.index("")
		} else if k == TokLParen {
			p.typeUse(true)
		} else {
			p.bad("a function type index")
		}
	case kwStack:
		n = p.openHead(KStackType)
		for {
			if p.kind() == TokLParen {
				if k := p.headKw(); k == kwParam {
					p.types(KParam, true)
					continue
				} else if k == kwResult {
					p.types(KResult, false)
					continue
				}
			}
			if !p.valType() {
				break
			}
		}
	case kwFiber:
		n = p.openHead(KFiberType)
		for p.kind() == TokLParen && p.headKw() == kwResult {
			p.types(KResult, false)
		}
	case kwRef:
		p.refType() // fibers-handle: (type $t (ref fiber …))
		return
	default:
		p.junk("a type definition")
		return
	}
	p.shut(n, a)
}

func (p *parser) noTypeUse() {
	if p.kind() == TokLParen && p.headKw() == kwType && p.typeAsUse() {
		p.unexpected("parameters and results")
	}
}

// storageType parses a value type, a packed type or (mut t).
func (p *parser) storageType() bool {
	if p.kind() == TokLParen && p.headKw() == kwMut {
		p.mut()
		return true
	}
	return p.valType()
}

func (p *parser) mut() {
	a := p.i
	n := p.openHead(KMut)
	p.depth++
	if !p.valType() {
		p.bad("a type")
	}
	p.shut(n, a)
	p.depth--
}

// externType parses the description in an import.
func (p *parser) externType() {
	if p.kind() != TokLParen {
		p.bad("what is imported, `(func …)` say")
		return
	}
	a := p.i
	k := p.headKw()
	switch k {
	case kwFunc, kwTable, kwMemory, kwGlobal, kwTag:
	default:
		p.junk("`(func`, `(table`, `(memory`, `(global` or `(tag`")
		return
	}
	n := p.openHead(KExternType)
	p.depth++
	p.id()
	switch k {
	case kwFunc, kwTag:
		p.typeUse(true)
	case kwTable:
		p.tableType(true)
	case kwMemory:
		p.memoryType(true)
	case kwGlobal:
		p.globalType()
	}
	p.shut(n, a)
	p.depth--
}

func (p *parser) exportDesc() {
	if p.kind() != TokLParen {
		p.bad("what is exported, `(func $f)` say")
		return
	}
	a := p.i
	switch p.headKw() {
	case kwFunc, kwTable, kwMemory, kwGlobal, kwTag:
	default:
		p.junk("`(func`, `(table`, `(memory`, `(global` or `(tag`")
		return
	}
	n := p.openHead(KExportDesc)
	p.depth++
	p.index("an index")
	p.shut(n, a)
	p.depth--
}

func (p *parser) globalType() {
	if !p.storageType() {
		p.bad("the type of the global")
	}
}

// limits parses the address type and numbers, and gives how many numbers there were.
func (p *parser) limits() (c int) {
	if p.kind() == TokKeyword && p.kw(p.i) == kwValType {
		if s := p.text(p.i); s == "i32" || s == "i64" {
			p.i++
		}
	}
	for c < 2 && p.kind() == TokNat {
		p.i++
		c++
	}
	return
}

func (p *parser) tableType(imported bool) {
	c := p.limits()
	if c == 0 && imported {
		p.bad("the size of the table")
	}
	if !p.valType() {
		p.bad("the type of the elements")
		return
	}
	if imported {
		return
	}
	if c == 0 {
		if p.kind() == TokLParen && p.headKw() == kwElem {
			a := p.i
			n := p.openHead(KElemList)
			p.depth++
			p.elemItems(false)
			p.shut(n, a)
			p.depth--
			return
		}
		p.bad("the elements, or the size of the table")
		return
	}
	p.seq(false)
}

func (p *parser) memoryType(imported bool) {
	c := p.limits()
	if c > 0 && p.kind() == TokKeyword && p.kw(p.i) == kwShared {
		p.i++
	}
	if p.kind() == TokLParen && p.headKw() == kwPageSize {
		a := p.i
		n := p.openHead(KPageSize)
		p.depth++
		if p.kind() == TokNat {
			p.i++
		} else {
			p.bad("a page size")
		}
		p.shut(n, a)
		p.depth--
	}
	if c > 0 {
		return
	}
	if !imported && p.kind() == TokLParen && p.headKw() == kwData {
		a := p.i
		n := p.openHead(KDataList)
		p.depth++
		for p.kind() == TokString {
			p.i++
		}
		p.shut(n, a)
		p.depth--
		return
	}
	p.bad("the size of the memory")
}

// elem parses what follows `(elem`.
func (p *parser) elem() {
	p.id()
	declared := false
	if p.kind() == TokKeyword && p.kw(p.i) == kwDeclare {
		p.i++
		declared = true
	}
	abbr := false // the list may be indices alone
	if !declared {
		use := p.tableUse(kwTable, KTableUse)
		abbr = !use && p.kind() != TokLParen
		if off := p.offset(); off {
			abbr = !use
		} else if use {
			p.bad("the offset, `(i32.const 0)` say")
		}
	}
	switch p.kind() {
	case TokKeyword:
		if p.kw(p.i) == kwFunc {
			p.i++
			for p.kind() == TokID || p.kind() == TokNat {
				p.index("")
			}
			return
		}
		p.valType()
		p.elemItems(true)
	case TokLParen:
		if p.headKw() == kwRef {
			p.refType()
			p.elemItems(true)
		}
	case TokID, TokNat:
		if !abbr {
			p.unexpected("`func` or a reference type")
		}
		for p.kind() == TokID || p.kind() == TokNat {
			p.index("")
		}
	default:
		if !abbr {
			p.bad("`func` or a reference type")
		}
	}
}

// tableUse parses (table x) or (memory x).
func (p *parser) tableUse(k kw, node Kind) bool {
	if p.kind() != TokLParen || p.headKw() != k {
		return false
	}
	a := p.i
	n := p.openHead(node)
	p.depth++
	p.index("an index")
	p.shut(n, a)
	p.depth--
	return true
}

// offset parses (offset …) or the folded instruction that stands for it.
func (p *parser) offset() bool {
	if p.kind() != TokLParen {
		return false
	}
	return p.expr(kwOffset, KOffset)
}

// expr parses an expression in a form with the keyword, or a folded instruction that stands for it.
func (p *parser) expr(k kw, node Kind) bool {
	h := p.head()
	a := p.i
	w := p.word(h)
	switch {
	case w.kw == k:
		n := p.openHead(node)
		p.depth++
		p.seq(false)
		p.shut(n, a)
		p.depth--
		return true
	case w.op != wasm.OpInvalid, p.tok(h).Kind == TokKeyword && w.kw == kwNone:
		n := p.open(node)
		p.folded()
		p.close(n)
		return true
	}
	return false
}

// elemItems parses (item …)*, or indices unless only items may stand here.
func (p *parser) elemItems(items bool) {
	if !items {
		for p.kind() == TokID || p.kind() == TokNat {
			p.index("")
		}
	}
	for p.kind() == TokLParen && p.expr(kwItem, KItem) {
	}
}

// data parses what follows `(data`.
func (p *parser) data() {
	p.id()
	use := p.tableUse(kwMemory, KMemoryUse)
	if !p.offset() && use {
		p.bad("the offset, `(i32.const 0)` say")
	}
	for p.kind() == TokString {
		p.i++
	}
}
