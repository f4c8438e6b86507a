package syntax

import "stackscope/wasm"

var fieldKinds = [...]Kind{
	kwType: KType, kwRec: KRec, kwImport: KImport, kwFunc: KFunc, kwTable: KTable, kwMemory: KMemory,
	kwGlobal: KGlobal, kwTag: KTag, kwExport: KExport, kwStart: KStart, kwElem: KElem, kwData: KData,
}

// field parses the module field at the current `(`, which the keyword k follows.
func (p *fieldParser) field(k kw) {
	p.depth = 1
	at := p.i
	n := p.openHead(fieldKinds[k])
	switch k {
	case kwType:
		p.declaredName(k)
		p.subType()
	case kwRec:
		for p.kind() == TokLParen && p.headKw() == kwType && !p.typeAsUse() {
			p.depth++
			a := p.i
			m := p.openHead(KType)
			p.declaredName(k)
			p.subType()
			p.shut(m, a)
			p.depth--
		}
	case kwImport:
		p.name()
		if p.kind() == TokLParen || p.kind() == TokRParen {
			p.importItems()
			break
		}
		p.name()
		p.externType()
	case kwFunc:
		p.declaredName(k)
		imported := p.inline()
		p.funcHeader(!imported)
		if !imported {
			p.body()
		}
	case kwTable:
		p.declaredName(k)
		p.tableType(p.inline())
	case kwMemory:
		p.declaredName(k)
		p.memoryType(p.inline())
	case kwGlobal:
		p.declaredName(k)
		imported := p.inline()
		p.globalType()
		if !imported {
			p.seq(false)
		}
	case kwTag:
		p.declaredName(k)
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

const (
	orderType order = iota
	orderParam
	orderResult
	orderLocal

	orderSaid order = 0x80 // the error was reported
)

func (p *fieldParser) exportDesc() {
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

// limits parses the address type and numbers, and returns how many numbers there were.
func (p *fieldParser) limits() (c int) {
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

func (p *fieldParser) tableType(imported bool) {
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

func (p *fieldParser) memoryType(imported bool) {
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
func (p *fieldParser) elem() {
	p.id()
	declared := false
	if p.kind() == TokKeyword && p.kw(p.i) == kwDeclare {
		p.i++
		declared = true
	}
	abbr := false // the list may be indices alone: after an offset, without a table
	if !declared {
		use := p.tableUse(kwTable, KTableUse)
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
			if e := p.unexpected("`func` or a reference type"); e != nil {
				e.Insert = "func "
			}
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
func (p *fieldParser) tableUse(k kw, node Kind) bool {
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
func (p *fieldParser) offset() bool {
	if p.kind() != TokLParen {
		return false
	}
	return p.expr(kwOffset, KOffset)
}

// expr parses an expression in a form with the keyword, or a folded instruction that stands for it.
func (p *fieldParser) expr(k kw, node Kind) bool {
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
func (p *fieldParser) elemItems(items bool) {
	if !items {
		for p.kind() == TokID || p.kind() == TokNat {
			p.index("")
		}
	}
	for p.kind() == TokLParen && p.expr(kwItem, KItem) {
	}
}

// data parses what follows `(data`.
func (p *fieldParser) data() {
	p.id()
	use := p.tableUse(kwMemory, KMemoryUse)
	if !p.offset() && use {
		p.bad("the offset, `(i32.const 0)` say")
	}
	for p.kind() == TokString {
		p.i++
	}
}

// importItems parses what follows the module's name in a group of imports (proposal
// compact-import-section): items that have a type each, or items without one and the type that they
// share. A group may be empty, and a type without items is shared by none.
func (p *fieldParser) importItems() {
	first, typed := -1, false // the first item, and whether it has a type
	for p.kind() == TokLParen && p.headKw() == kwItem {
		a := p.i
		n := p.openHead(KImportItem)
		p.depth++
		p.name()
		switch has := p.kind() == TokLParen; {
		case first < 0:
			first, typed = a, has
			fallthrough
		case has == typed:
			if has {
				p.externType()
			}
		case has:
			p.unexpected("`)`: the items of this group share a type, as the first one has none")
			p.skipForm()
		default:
			p.bad("what is imported, `(func …)` say, as the items before it have")
		}
		p.shut(n, a)
		p.depth--
	}
	switch {
	case p.kind() == TokLParen && p.named() && p.atLineStart(p.i) && p.fieldAhead(): // the group has lost its `)`
	case p.kind() == TokLParen && !typed:
		if p.headKw() == kwItem {
			return
		}
		if i := p.next(p.head()); p.tok(i).Kind == TokID {
			p.err(i, "identifier not allowed: the items of a group share this type, none of them can be called so")
		}
		p.externType()
	case first >= 0 && !typed:
		p.bad("the type that the items share, `(func …)` say")
	}
}

// named reports whether an identifier stands after the keyword of the current form.
func (p *fieldParser) named() bool { return p.tok(p.next(p.head())).Kind == TokID }

// externType parses the description in an import.
func (p *fieldParser) externType() {
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
