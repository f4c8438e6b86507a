package syntax

import "stackscope/wasm"

var fieldKinds = [...]Kind{
	kwType: KType, kwRec: KRec, kwImport: KImport, kwFunc: KFunc, kwTable: KTable, kwMemory: KMemory,
	kwGlobal: KGlobal, kwTag: KTag, kwExport: KExport, kwStart: KStart, kwElem: KElem, kwData: KData,
}

// field parses the module field at the current `(`, which the keyword k follows.
func (p *parser) field(k kw) {
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
	abbr := false // the list may be indices alone: behind an offset, without a table
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
