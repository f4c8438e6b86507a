package syntax

import (
	"math"
	"strings"

	"stackscope/analysis/source"
	"stackscope/wasm"
)

// Parse makes the tree of a text. It never fails: what is wrong is in Tree.Errors. A text whose
// first form is a module field is one module without `(module`, else it is a script.
func Parse(f *source.File) *Tree { return parse(f, chunksOf(f.Text)) }

// mode tells what the text turned out to be.
type mode uint8

const (
	modeOpen   mode = iota // nothing but annotations so far
	modeFields             // a module without `(module`
	modeScript
)

// place is where the parser is between two units.
type place uint8

const (
	atTop     place = iota
	inModule        // behind `(module`
	inCommand       // behind `(assert_… (module`
)

// state is what the parser knows between two units.
type state struct {
	mode  mode
	place place
	lost  bool // the last field lost its `)`, and the module with it: that was reported
}

// maxDepth is how deep forms may nest.
const maxDepth = 10_000

type parser struct {
	lexer
	st    state
	start int // offset of the current unit
	base  int // its first token in toks
	i     int // current token in toks
	cut   int // token at which the unit has to end, or maxInt
	hi    int // offset up to which tokens were looked at, behind the current one
	depth int // nesting
	nodes []Node
	errs  []Error
	last  int  // token of the last error, or -1
	gap   bool // the last error is of something missing there

	late    bool // a local or parameter behind instructions was reported
	dirty   bool // there is an error in the unit before
	pattern bool // NaN patterns may stand here

	loose     map[int]bool // annotations never closed, by offset
	looseFrom int          // loose is complete from here on; maxInt: nothing known
}

func newParser(text string, off int, st state) *parser {
	p := &parser{lexer: lexer{src: text, pos: off}, st: st, start: off, cut: math.MaxInt, last: -1, looseFrom: math.MaxInt}
	const n = 512
	p.toks = make([]Token, 0, n)
	p.info = make([]uint16, 0, n)
	p.nodes = make([]Node, 0, n)
	return p
}

// tok gives a token by index, TokEOF behind the last.
func (p *parser) tok(i int) Token {
	if i >= p.cut {
		return Token{Off: uint32(p.endOff())}
	}
	return p.raw(i)
}

func (p *parser) raw(i int) Token {
	if i >= len(p.toks) {
		if !p.eof {
			p.run(i - len(p.toks) + 128)
		}
		if i >= len(p.toks) {
			p.hi = endless
			return Token{Off: uint32(len(p.src))}
		}
	}
	return p.toks[i]
}

// endOff is the offset behind the last token before the current one, in the unit or before it.
func (p *parser) endOff() int {
	if p.i > p.base {
		t := p.toks[p.i-1]
		return int(t.Off + t.Len)
	}
	return p.start
}

// kind gives the kind of the current token. Annotations on the way become nodes.
func (p *parser) kind() TokenKind {
	if p.i < len(p.toks) && p.i < p.cut {
		if k := p.toks[p.i].Kind; k != TokAnnot {
			return k
		}
	}
	for {
		k := p.tok(p.i).Kind
		if k != TokAnnot {
			return k
		}
		p.annot()
	}
}

// next gives the index of the next token behind i that is in no annotation.
func (p *parser) next(i int) int {
	i++
	for p.tok(i).Kind == TokAnnot {
		if p.isLoose(i) {
			for o := p.lineEnd(i); p.tok(i).Kind != TokEOF && int(p.tok(i).Off) < o; i++ {
			}
			continue
		}
		for d := 0; ; i++ {
			switch p.tok(i).Kind {
			case TokAnnot, TokLParen:
				d++
			case TokRParen:
				d--
			case TokEOF:
				return i
			}
			if d == 0 {
				i++
				break
			}
		}
	}
	t := p.tok(i)
	p.hi = max(p.hi, int(t.Off+t.Len))
	return i
}

// word gives what the keyword at a token is; the unknown word if it is no keyword.
func (p *parser) word(i int) *word {
	if i < len(p.toks) && i < p.cut {
		return &words.list[p.info[i]] // 0 of other tokens: the unknown word
	}
	if p.tok(i).Kind != TokKeyword {
		return &words.list[wordUnknown]
	}
	return &words.list[p.info[i]]
}

// kw is word(i).kw.
func (p *parser) kw(i int) kw { return p.word(i).kw }

// head gives the index of the token behind the current `(`.
func (p *parser) head() int {
	if p.i+1 < len(p.toks) && p.i+1 < p.cut && p.toks[p.i+1].Kind != TokAnnot {
		return p.i + 1
	}
	return p.next(p.i)
}

// headKw tells what keyword follows the current `(`.
func (p *parser) headKw() kw { return p.kw(p.head()) }

// text gives the text of a token.
func (p *parser) text(i int) string {
	t := p.tok(i)
	return p.src[t.Off : t.Off+t.Len]
}

func (p *parser) open(k Kind) int {
	p.nodes = append(p.nodes, Node{Kind: k, Tok: uint32(p.i - p.base)})
	return len(p.nodes) - 1
}

func (p *parser) openOp(k Kind, op wasm.Op) int {
	p.nodes = append(p.nodes, Node{Kind: k, Op: op, Tok: uint32(p.i - p.base)})
	return len(p.nodes) - 1
}

func (p *parser) close(n int) {
	p.nodes[n].TokEnd = uint32(p.i - p.base)
	p.nodes[n].Next = uint32(len(p.nodes))
}

// openHead opens a node at the current `(` and goes behind the keyword that follows.
func (p *parser) openHead(k Kind) int {
	n := p.open(k)
	p.i++
	p.kind()
	p.i++
	return n
}

// rel gives an offset relative to the unit.
func (p *parser) rel(off int) uint32 { return uint32(off - p.start) }

// follows tells whether a place is so near to the last error, on the same line, that an error there
// would be about the same mistake.
func (p *parser) follows(off int) bool {
	if len(p.errs) == 0 {
		return false
	}
	const near = 160
	last := p.start + int(p.errs[len(p.errs)-1].Off)
	return off-last <= near && (off <= last || !strings.ContainsAny(p.src[last:off], "\r\n"))
}

// err reports an error at a token, unless it follows from the last one.
func (p *parser) err(i int, msg string) *Error {
	if p.last == i {
		return nil
	}
	t := p.tok(i)
	off, n := int(t.Off), t.Len
	if t.Kind == TokEOF {
		off, n = p.endOff(), 0
	}
	p.last, p.gap = i, false
	if p.follows(off) {
		return nil
	}
	p.errs = append(p.errs, Error{Off: p.rel(off), Len: n, Message: msg})
	return &p.errs[len(p.errs)-1]
}

// unexpected reports the current token.
func (p *parser) unexpected(want string) *Error {
	return p.err(p.i, p.unexpectedMsg(want))
}

func (p *parser) unexpectedMsg(want string) string {
	k := p.tok(p.i).Kind
	if k == TokReserved || k == TokBad {
		return p.badMsg(p.i)
	}
	s := "unexpected token"
	if k != TokEOF {
		s += " `" + clip(p.text(p.i)) + "`"
		if k == TokLParen {
			j := p.head()
			switch {
			case p.emptyAnnot():
				return "empty annotation id"
			case p.tok(j).Kind == TokKeyword:
				s = "unexpected token `(" + clip(p.text(j)) + "`"
			case p.tok(j).Kind == TokReserved || p.tok(j).Kind == TokBad:
				return p.badMsg(j)
			}
		}
	}
	if want != "" {
		s += ": expected " + want
	}
	return s
}

// emptyAnnot tells whether the current `(` was meant to begin an annotation.
func (p *parser) emptyAnnot() bool {
	t := p.tok(p.i)
	return int(t.Off)+1 < len(p.src) && t.Kind == TokLParen && p.src[t.Off+1] == '@'
}

func (p *parser) badMsg(i int) string {
	return badMessage(p.tok(i).Kind, p.text(i))
}

// missing reports that something is missing before the current token. Several things missing at
// the same place are one error, with one text to insert.
func (p *parser) missing(what, insert string, opener int) {
	if p.last == p.i {
		if p.gap && len(p.errs) > 0 {
			e := &p.errs[len(p.errs)-1]
			if e.Insert != "" && insert != "" {
				if insert != ")" {
					insert = " " + insert
				}
				e.Insert += insert
			}
		}
		return
	}
	p.last, p.gap = p.i, true
	if p.follows(p.endOff()) {
		p.gap = false
		return
	}
	msg := "unexpected token"
	if t := p.tok(p.i); t.Kind != TokEOF {
		msg = p.unexpectedMsg("")
	} else if p.i >= p.cut {
		j := p.i
		p.cut = math.MaxInt
		msg = p.unexpectedMsg("")
		p.cut = j
	} else {
		msg = "unexpected token: the text ends"
	}
	e := Error{Off: p.rel(p.endOff()), Message: msg + ": " + what + " is missing", Insert: insert}
	if insert != "" && insert != ")" {
		e.Insert = " " + insert
	}
	if opener >= p.base && opener < p.i {
		t := p.toks[opener]
		e.RelOff, e.RelLen, e.Related = p.rel(int(t.Off)), t.Len, "to match this"
	}
	p.errs = append(p.errs, e)
}

// atLineStart tells whether only white space stands before a token on its line.
func (p *parser) atLineStart(i int) bool {
	for o := int(p.tok(i).Off) - 1; o >= 0; o-- {
		switch p.src[o] {
		case ' ', '\t':
		case '\n', '\r':
			return true
		default:
			return false
		}
	}
	return true
}

// fieldAhead tells whether the current `(` begins a module field or a command, as seen from inside
// a field, so that the field must have lost its closing parentheses. It then ends the unit here.
func (p *parser) fieldAhead() bool {
	if p.tok(p.i).Kind != TokLParen || p.i == p.base {
		return false
	}
	h := p.head()
	k := p.kw(h)
	if !k.isField() && !k.isCommand() {
		return false
	}
	if (p.depth > 1 || k.isCommand()) && !p.atLineStart(p.i) {
		return false
	}
	j := p.next(h)
	id := p.tok(j).Kind == TokID
	if id {
		j = p.next(j)
	}
	nk := p.tok(j).Kind
	switch k {
	case kwType:
		if nk != TokLParen && p.kw(j) != kwRef {
			return false
		}
	case kwExport, kwImport:
		if nk != TokString {
			return false
		}
		if j = p.next(j); p.tok(j).Kind == TokString {
			j = p.next(j)
		}
		if p.tok(j).Kind != TokLParen {
			return false
		}
	case kwFunc, kwTable, kwMemory, kwGlobal, kwTag:
		if (nk == TokRParen && k != kwFunc) || nk == TokKeyword && k == kwFunc {
			return false
		}
	}
	p.cut = p.i
	return true
}

// shut expects the `)` of a form whose `(` is token opener. What stands before it is one error.
func (p *parser) shut(n, opener int) {
	if p.kind() == TokRParen {
		p.i++
		p.close(n)
		return
	}
	p.junk("`)`")
	if p.kind() == TokRParen {
		p.i++
	} else {
		p.missing("`)`", ")", opener)
	}
	p.close(n)
}

// shutLeaf is shut for a form that holds no instructions. If the next line, or a sibling of the
// form, begins where its `)` should be, the `)` is missing and nothing is skipped.
func (p *parser) shutLeaf(n, opener int) {
	if p.kind() == TokLParen {
		sibling := p.atLineStart(p.i)
		switch p.headKw() {
		case kwParam, kwResult, kwLocal, kwType, kwExport, kwImport, kwMut:
			sibling = true
		}
		if sibling {
			p.missing("`)`", ")", opener)
			p.close(n)
			return
		}
	}
	p.shut(n, opener)
}

// junk makes an error node of everything up to the `)` of the current form, or to where the field
// must end.
func (p *parser) junk(want string) {
	if k := p.kind(); k == TokRParen || k == TokEOF || p.fieldAhead() {
		return
	}
	p.unexpected(want)
	n := p.open(KError)
	p.skipTo()
	p.close(n)
}

// skipTo goes over balanced tokens to the next `)` that closes the current form, or to where the
// field must end.
func (p *parser) skipTo() {
	d := 0
	p.depth++
	for {
		k := p.tok(p.i).Kind
		switch k {
		case TokEOF:
			p.depth--
			return
		case TokLParen, TokAnnot:
			if p.fieldAhead() {
				p.depth--
				return
			}
			d++
		case TokRParen:
			if d == 0 {
				p.depth--
				return
			}
			d--
		}
		p.i++
	}
}

// skipForm makes an error node of the current form or token.
func (p *parser) skipForm() {
	n := p.open(KError)
	if p.kind() == TokLParen {
		p.i++
		p.skipTo()
		if p.tok(p.i).Kind == TokRParen {
			p.i++
		}
	} else if p.kind() != TokEOF {
		p.i++
	}
	p.close(n)
}

// nest counts the nesting of forms; false if it is too deep, the form is then skipped.
func (p *parser) nest() bool {
	p.depth++
	if p.depth <= maxDepth {
		return true
	}
	p.err(p.i, "unexpected token: nested too deep")
	p.skipForm()
	p.depth--
	return false
}

// annot parses the annotation at the current token.
func (p *parser) annot() {
	n := p.open(KAnnot)
	at := p.i
	p.checkName(at, p.text(at)[2:])
	if p.isLoose(at) {
		o := p.lineEnd(at)
		for p.i++; p.i < p.cut && p.raw(p.i).Kind != TokEOF && int(p.raw(p.i).Off) < o; p.i++ {
			if p.raw(p.i).Kind == TokBad {
				p.err(p.i, p.badMsg(p.i))
				at = p.i
			}
		}
		if p.last != at {
			p.err(at, "unclosed annotation")
		}
		p.close(n)
		return
	}
	for d := 0; ; {
		switch p.raw(p.i).Kind {
		case TokAnnot, TokLParen:
			d++
		case TokRParen:
			d--
		case TokBad:
			p.err(p.i, p.badMsg(p.i))
		case TokEOF:
			p.close(n)
			return
		}
		p.i++
		if d == 0 {
			break
		}
	}
	p.close(n)
}

// lineEnd gives the offset of the end of a token's line.
func (p *parser) lineEnd(i int) int {
	o := int(p.raw(i).Off)
	if n := strings.IndexAny(p.src[o:], "\r\n"); n >= 0 {
		return o + n
	}
	return len(p.src)
}

// isLoose tells whether the annotation at a token is never closed.
func (p *parser) isLoose(at int) bool {
	off := int(p.raw(at).Off)
	if off >= p.looseFrom {
		if p.loose[off] {
			p.hi = endless
		}
		return p.loose[off]
	}
	d := 0
	for i := at; ; i++ {
		switch p.raw(i).Kind {
		case TokAnnot, TokLParen:
			d++
		case TokRParen:
			if d--; d == 0 {
				return false
			}
		case TokEOF:
			p.findLoose(at)
			p.hi = endless
			return true
		}
	}
}

// findLoose finds all annotations from a token on that are never closed.
func (p *parser) findLoose(at int) {
	p.looseFrom = int(p.raw(at).Off)
	p.loose = map[int]bool{}
	var stack []int
	for i := at; ; i++ {
		switch p.raw(i).Kind {
		case TokAnnot, TokLParen:
			stack = append(stack, i)
		case TokRParen:
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		case TokEOF:
			for _, i := range stack {
				if p.toks[i].Kind == TokAnnot {
					p.loose[int(p.toks[i].Off)] = true
				}
			}
			return
		}
	}
}

// finish makes the unit of the tokens so far.
func (p *parser) finish(k UnitKind, entry state) *Unit {
	end := p.endOff()
	if k == UnitEnd {
		end = len(p.src)
	}
	u := &Unit{Kind: k, Len: uint32(end - p.start), entry: entry}
	u.dirty = len(p.errs) > 0 || p.dirty && k == UnitStray
	p.dirty = u.dirty
	if n := p.i - p.base; n > 0 {
		u.Tokens = make([]Token, n)
		d := uint32(p.start)
		for j, t := range p.toks[p.base:p.i] {
			t.Off -= d
			u.Tokens[j] = t
		}
	}
	if len(p.nodes) > 0 {
		u.Nodes = make([]Node, len(p.nodes))
		copy(u.Nodes, p.nodes)
	}
	if len(p.errs) > 0 {
		u.Errors = append([]Error(nil), p.errs...)
	}
	hi := p.hi
	for j := len(p.deep) - 1; j >= 0 && p.deep[j].off >= p.start; j-- {
		if p.deep[j].off <= max(hi, end) {
			hi = max(hi, p.deep[j].end)
		}
	}
	u.look = max(0, hi-end)
	// Ready for the next unit.
	p.start, p.nodes, p.errs = end, p.nodes[:0], p.errs[:0]
	p.cut, p.hi, p.depth, p.last, p.late = math.MaxInt, 0, 0, -1, false
	p.base = p.i
	if p.i == len(p.toks) || p.i > 1<<16 {
		p.toks = p.toks[:copy(p.toks, p.toks[p.i:])]
		p.info = p.info[:copy(p.info, p.info[p.i:])]
		p.base, p.i = 0, 0
	}
	return u
}
