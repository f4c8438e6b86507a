package syntax

import "stackscope/analysis/source"

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
