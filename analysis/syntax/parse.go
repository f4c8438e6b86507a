package syntax

import (
	"math"

	"stackscope/analysis/source"
	"stackscope/wasm"
)

// Parse makes the tree of a text. It never fails: what is wrong is in Tree.Errors. A text whose
// first form is a module field is one module without `(module`, else it is a script.
func Parse(f *source.File) *Tree { return parse(f, chunksOf(f.Text)) }

// mode reports what the text turned out to be.
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
	inModule        // after `(module`
	inCommand       // after `(assert_… (module`
)

// state is what the parser has between two units.
type state struct {
	mode  mode
	place place
	lost  bool // the last field lost its `)`, and the module with it: that was reported
}

// maxDepth is how deep forms may nest.
const maxDepth = 10_000

// builder is the ground of the parser: it reads the tokens of a unit, builds the nodes of its tree
// and records its errors. The layers above it are embedded in one another, each with the grammar of
// its part, and call only their own methods and those of the layers below: names and types, then
// instructions, then module fields, then units and scripts.
type builder struct {
	lexer
	start int // offset of the current unit
	base  int // its first token in toks
	i     int // current token in toks
	cut   int // token at which the unit has to end, or maxInt
	hi    int // offset up to which tokens were looked at, after the current one
	depth int // nesting
	nodes []Node
	errs  []Error
	last  int  // token of the last error, or -1
	gap   bool // the last error is of something missing there

	tooDeep bool // forms nest too deep in this unit, which was reported
	dirty   bool // there is an error in the unit before

	loose     map[int]bool // annotations never closed, by offset
	looseFrom int          // loose is complete from here on; maxInt: nothing is recorded
}

// typeParser parses names, types and type uses.
type typeParser struct{ builder }

// instrParser parses instructions.
type instrParser struct {
	typeParser
	late    bool // a local or parameter after instructions was reported
	pattern bool // NaN patterns may stand here
}

// fieldParser parses module fields.
type fieldParser struct{ instrParser }

// parser parses a text unit by unit: module fields and commands of scripts.
type parser struct {
	fieldParser
	st state
}

func newParser(text string, off int, st state) *parser {
	const n = 512
	p := &parser{}
	p.reset(lexer{src: text, pos: off, toks: make([]Token, 0, n), info: make([]uint16, 0, n)}, make([]Node, 0, n), st)
	return p
}

// reset begins where the lexer is, with the memory of nodes.
func (p *parser) reset(lx lexer, nodes []Node, st state) {
	*p = parser{st: st}
	p.builder = builder{
		lexer: lx, start: lx.pos, cut: math.MaxInt, last: -1, looseFrom: math.MaxInt, nodes: nodes,
	}
}

// restart begins again at another place of the text, with the same scratch memory.
func (p *parser) restart(off int, st state) {
	p.reset(lexer{src: p.src, pos: off, toks: p.toks[:0], info: p.info[:0]}, p.nodes[:0], st)
}

// tok returns a token by index, TokEOF after the last.
func (p *builder) tok(i int) Token {
	if i >= p.cut {
		return Token{Off: uint32(p.endOff())}
	}
	return p.raw(i)
}

func (p *builder) raw(i int) Token {
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

// endOff is the offset after the last token before the current one, in the unit or before it.
func (p *builder) endOff() int {
	if p.i > p.base {
		t := p.toks[p.i-1]
		return int(t.Off + t.Len)
	}
	return p.start
}

// kind returns the kind of the current token. Annotations on the way become nodes.
func (p *builder) kind() TokenKind {
	if p.i < len(p.toks) && p.i < p.cut {
		if k := p.toks[p.i].Kind; k != TokAnnot && k != TokReserved {
			return k
		}
	}
	for {
		switch k := p.tok(p.i).Kind; {
		case k == TokAnnot:
			p.annot()
		case k == TokReserved && p.foreign():
		default:
			return k
		}
	}
}

// next returns the index of the next token after i that is in no annotation.
func (p *builder) next(i int) int {
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

// word returns what the keyword at a token is; the unknown word if it is no keyword.
func (p *builder) word(i int) *word {
	if i < len(p.toks) && i < p.cut {
		return &words.list[p.info[i]] // 0 of other tokens: the unknown word
	}
	if p.tok(i).Kind != TokKeyword {
		return &words.list[wordUnknown]
	}
	return &words.list[p.info[i]]
}

// kw is word(i).kw.
func (p *builder) kw(i int) kw { return p.word(i).kw }

// head returns the index of the token after the current `(`.
func (p *builder) head() int {
	if p.i+1 < len(p.toks) && p.i+1 < p.cut && p.toks[p.i+1].Kind != TokAnnot {
		return p.i + 1
	}
	return p.next(p.i)
}

// headKw reports what keyword follows the current `(`.
func (p *builder) headKw() kw { return p.kw(p.head()) }

// text returns the text of a token.
func (p *builder) text(i int) string {
	t := p.tok(i)
	return p.src[t.Off : t.Off+t.Len]
}

func (p *builder) open(k Kind) int {
	p.nodes = append(p.nodes, Node{Kind: k, Tok: uint32(p.i - p.base)})
	return len(p.nodes) - 1
}

func (p *builder) openOp(k Kind, op wasm.Op) int {
	p.nodes = append(p.nodes, Node{Kind: k, Op: op, Tok: uint32(p.i - p.base)})
	return len(p.nodes) - 1
}

func (p *builder) close(n int) {
	p.nodes[n].TokEnd = uint32(p.i - p.base)
	p.nodes[n].Next = uint32(len(p.nodes))
}

// openHead opens a node at the current `(` and goes past the keyword that follows.
func (p *builder) openHead(k Kind) int {
	n := p.open(k)
	p.i++
	p.kind()
	p.i++
	return n
}

// finish makes the unit of the tokens so far.
func (p *parser) finish(k UnitKind, entry state) *Unit {
	end := p.endOff()
	if k == UnitEnd {
		end = len(p.src)
	}
	u := &Unit{Kind: k, Len: uint32(end - p.start), entry: entry, Deep: p.tooDeep}
	u.dirty = len(p.errs) > 0 || p.dirty && k == UnitStray
	p.dirty = u.dirty
	if n := p.i - p.base; n > 0 {
		u.Tokens = make([]Token, n)
		d := uint32(p.start)
		for j, t := range p.toks[p.base:p.i] {
			t.Off -= d
			u.Annotated = u.Annotated || t.Kind == TokAnnot
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
	p.cut, p.hi, p.depth, p.last, p.late, p.tooDeep = math.MaxInt, 0, 0, -1, false, false
	p.base = p.i
	if p.i == len(p.toks) || p.i > 1<<16 {
		p.toks = p.toks[:copy(p.toks, p.toks[p.i:])]
		p.info = p.info[:copy(p.info, p.info[p.i:])]
		p.base, p.i = 0, 0
	}
	return u
}
