package syntax

import (
	"unicode/utf8"

	"stackscope/analysis/source"
)

// The classes of bytes.
const (
	cBad    uint8 = iota // control characters and what is not ASCII
	cSpace               // white space
	cOpen                // (
	cClose               // )
	cSemi                // ;
	cQuote               // "
	cLower               // a-z
	cDollar              // $
	cDigit               // 0-9
	cSign                // + -
	cSym                 // any other idchar
	cPunct               // , [ ] { }: in annotations only
)

var class = func() (t [256]uint8) {
	for _, c := range " \t\n\r" {
		t[c] = cSpace
	}
	for c := byte('0'); c <= '9'; c++ {
		t[c] = cDigit
	}
	for c := byte('a'); c <= 'z'; c++ {
		t[c] = cLower
	}
	for c := byte('A'); c <= 'Z'; c++ {
		t[c] = cSym
	}
	for _, c := range "!#%&'*./:<=>?@\\^_`|~" {
		t[c] = cSym
	}
	for _, c := range ",[]{}" {
		t[c] = cPunct
	}
	t['('], t[')'], t[';'], t['"'], t['$'], t['+'], t['-'] = cOpen, cClose, cSemi, cQuote, cDollar, cSign, cSign
	return
}()

func isIDChar(c byte) bool { k := class[c]; return k >= cLower && k <= cSym }

// lexer makes tokens. Offsets in toks are of the text.
type lexer struct {
	src   string
	pos   int
	toks  []Token
	info  []uint16 // for a keyword its word
	bad   []int    // offsets of block comments not closed, in order; complete once scanned
	known bool     // bad is known from bad[0] on
	deep  []reach  // tokens that depend on text far after them, in order
	eof   bool
}

// endless is a reach to the end of the text, however it grows.
const endless = 1 << 40

// reach reports that the token at or around off was made knowing the text up to end.
type reach struct{ off, end int }

func (l *lexer) put(kind TokenKind, from, to int, info uint16) {
	l.toks = append(l.toks, Token{uint32(from), uint32(to - from), kind})
	l.info = append(l.info, info)
}

// run makes at least n more tokens, fewer only at the end of the text.
func (l *lexer) run(n int) {
	src := l.src
	want := len(l.toks) + n
	i := l.pos
	for len(l.toks) < want {
		if i >= len(src) {
			l.eof = true
			break
		}
		c := src[i]
		switch class[c] {
		case cSpace:
			i++
		case cOpen:
			if i+1 < len(src) {
				if d := src[i+1]; d == ';' {
					i = l.blockComment(i)
					continue
				} else if d == '@' {
					if e, ok := l.annotEnd(i + 2); ok {
						l.put(TokAnnot, i, e, 0)
						i = e
						continue
					}
				}
			}
			l.put(TokLParen, i, i+1, 0)
			i++
		case cClose:
			l.put(TokRParen, i, i+1, 0)
			i++
		case cLower:
			j := i
			h := uint32(0)
			for j < len(src) {
				b := src[j]
				if k := class[b]; k < cLower || k > cSym {
					break
				}
				h = h*31 + uint32(b)
				j++
			}
			if j < len(src) && src[j] == '"' {
				i = l.reserved(i, j)
				continue
			}
			s := src[i:j]
			if (c == 'n' || c == 'i') && isFloatWord(s) {
				l.put(TokFloat, i, j, 0)
			} else {
				l.put(TokKeyword, i, j, words.lookup(s, h))
			}
			i = j
		case cDigit, cSign:
			j := i + 1
			for j < len(src) && class[src[j]] == cDigit {
				j++
			}
			k := TokNat
			if class[c] == cSign {
				k = TokInt
			}
			if j < len(src) && (isIDChar(src[j]) || src[j] == '"') || j == i+1 && k == TokInt {
				for j < len(src) && isIDChar(src[j]) {
					j++
				}
				if j < len(src) && src[j] == '"' {
					i = l.reserved(i, j)
					continue
				}
				k = numberKind(src[i:j])
			}
			l.put(k, i, j, 0)
			i = j
		case cDollar:
			j := i + 1
			for j < len(src) && isIDChar(src[j]) {
				j++
			}
			switch {
			case j < len(src) && src[j] == '"':
				if j == i+1 {
					if e, ok := l.str(j); ok && (e >= len(src) || !isIDChar(src[e]) && src[e] != '"') {
						k := TokID
						if e == j+2 {
							k = TokReserved
						}
						l.put(k, i, e, 0)
						i = e
						continue
					}
				}
				i = l.reserved(i, j)
				continue
			case j == i+1:
				l.put(TokReserved, i, j, 0)
			default:
				l.put(TokID, i, j, 0)
			}
			i = j
		case cQuote:
			e, ok := l.str(i)
			if !ok || e < len(src) && (isIDChar(src[e]) || src[e] == '"') {
				i = l.reserved(i, i)
				continue
			}
			l.put(TokString, i, e, 0)
			i = e
		case cSym:
			j := i + 1
			for j < len(src) && isIDChar(src[j]) {
				j++
			}
			if j < len(src) && src[j] == '"' {
				i = l.reserved(i, j)
				continue
			}
			l.put(TokReserved, i, j, 0)
			i = j
		case cSemi:
			if i+1 < len(src) && src[i+1] == ';' {
				i = l.lineComment(i + 2)
				continue
			}
			l.put(TokReserved, i, i+1, 0)
			i++
		case cPunct:
			l.put(TokReserved, i, i+1, 0)
			i++
		default:
			j := i
			for j < len(src) && class[src[j]] == cBad {
				_, w := utf8.DecodeRuneInString(src[j:])
				j += w
			}
			l.put(TokBad, i, j, 0)
			i = j
		}
	}
	l.pos = i
}

// Tok is a token at its place. The zero Tok is no token.
type Tok struct {
	T *Tree
	U int32 // unit
	I int32 // token in the unit
}

// IsZero reports whether there is no token.
func (k Tok) IsZero() bool { return k.T == nil }

func (k Tok) token() Token {
	if k.T == nil {
		return Token{}
	}
	return k.T.Units[k.U].Tokens[k.I]
}

// Kind returns the kind; TokEOF of the zero Tok.
func (k Tok) Kind() TokenKind { return k.token().Kind }

// Span returns where it stands.
func (k Tok) Span() source.Span {
	if k.T == nil {
		return source.Span{}
	}
	t, o := k.token(), k.T.Units[k.U].Off
	return source.Span{Start: o + int(t.Off), End: o + int(t.Off+t.Len)}
}

// Text returns it as written.
func (k Tok) Text() string {
	if k.T == nil {
		return ""
	}
	s := k.Span()
	return k.T.Src.Text[s.Start:s.End]
}

// Bytes decodes a string token; nil if it is none.
func (k Tok) Bytes() []byte {
	b, _ := DecodeString(k.Text())
	return b
}

// Name returns the name of an identifier without the `$`, or what a string token says; "" else.
func (k Tok) Name() string {
	s := k.Text()
	if hasPrefix(s, "$") {
		n, _ := DecodeID(s)
		return n
	}
	b, _ := DecodeString(s)
	return string(b)
}
