package ide

import (
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/ide/internal/words"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// TokenType is an index into TokenTypes.
type TokenType uint8

// The token types.
const (
	TypeKeyword TokenType = iota
	TypeInstr
	TypeType
	TypeStruct
	TypeFunc
	TypeParam
	TypeVar
	TypeField
	TypeTag
	TypeLabel
	TypeModule
	TypeNumber
	TypeString
	TypeComment
	TypeAnnot
)

// TokenTypes returns LSP's names of the token types.
func TokenTypes() []string {
	return []string{
		"keyword", "operator", "type", "struct", "function", "parameter", "variable", "property", "event",
		"label", "namespace", "number", "string", "comment", "decorator",
	}
}

// The modifiers of tokens, bits of Token.Mods in the order of TokenModifiers.
const (
	ModDecl     uint8 = 1 << iota // where it is declared
	ModWrite                      // where it is written
	ModReadonly                   // immutable
	ModStatic                     // of the module, not of a function
	ModAsync                      // switches stacks
)

// TokenModifiers returns LSP's names of the modifiers.
func TokenModifiers() []string {
	return []string{"declaration", "modification", "readonly", "static", "async"}
}

// Token is a classified piece of text.
type Token struct {
	Span source.Span
	Type TokenType
	Mods uint8
}

// Tokens classifies the text of a span in order, until yield returns false.
func Tokens(s *analysis.Snapshot, sp source.Span, yield func(Token) bool) {
	t := s.Tree()
	first, _ := slices.BinarySearchFunc(t.Units, sp.Start, func(u syntax.Placed, off int) int {
		if u.Off+int(u.Len) <= off {
			return -1
		}
		return 1
	})
	w := tokenWalk{s: s, sp: sp, yield: yield}
	for i := first; i < len(t.Units) && t.Units[i].Off < sp.End; i++ {
		if !w.unit(&t.Units[i]) {
			return
		}
	}
}

type tokenWalk struct {
	s     *analysis.Snapshot
	sp    source.Span
	yield func(Token) bool
	m     *analysis.Module
	t     query.Types
}

func (w *tokenWalk) put(t Token) bool {
	if t.Span.End <= w.sp.Start {
		return true
	}
	return t.Span.Start < w.sp.End && w.yield(t)
}

// unit classifies a unit: its comments, names by what they refer to, words by what they mean.
func (w *tokenWalk) unit(u *syntax.Placed) bool {
	text := w.s.File().Text
	at := u.Off
	var refs []analysis.Ref
	if len(u.Tokens) > 0 {
		start := u.Off + int(u.Tokens[0].Off)
		if w.m == nil || !w.m.Span().Contains(start) {
			if w.m = w.s.ModuleAt(start); w.m != nil {
				w.t = query.NewTypes(w.m)
			}
		}
		if w.m != nil {
			refs = w.m.RefsIn(start)
		}
	}
	paren := false // the token before is `(`
	for i := range u.Tokens {
		k := &u.Tokens[i]
		sp := source.Span{Start: u.Off + int(k.Off), End: u.Off + int(k.Off) + int(k.Len)}
		if sp.Start > at && !w.gap(text, at, sp.Start) {
			return false
		}
		at = sp.End
		if sp.Start >= w.sp.End {
			return false
		}
		for len(refs) > 0 && refs[0].Span.Start < sp.Start {
			refs = refs[1:]
		}
		tok := Token{Span: sp}
		ok := true
		switch k.Kind {
		case syntax.TokKeyword:
			word := text[sp.Start:sp.End]
			tok.Type, tok.Mods = w.word(word, paren)
			if eq := strings.IndexByte(word, '='); eq >= 0 {
				if !w.put(Token{source.Span{Start: sp.Start, End: sp.Start + eq}, TypeField, 0}) {
					return false
				}
				tok = Token{source.Span{Start: sp.Start + eq + 1, End: sp.End}, TypeNumber, 0}
			}
		case syntax.TokID, syntax.TokNat:
			if len(refs) > 0 && refs[0].Span.Start == sp.Start {
				tok.Type, tok.Mods = w.ref(refs[0])
			} else if k.Kind == syntax.TokID {
				tok.Type = TypeVar
				if i > 0 && tokenText(u, text, i-1) == "module" {
					tok.Type = TypeModule
				}
			} else {
				tok.Type = TypeNumber
			}
		case syntax.TokInt, syntax.TokFloat:
			tok.Type = TypeNumber
		case syntax.TokString:
			tok.Type = TypeString
		case syntax.TokAnnot:
			tok.Type = TypeAnnot
		default:
			ok = false
		}
		paren = k.Kind == syntax.TokLParen
		if ok && !w.put(tok) {
			return false
		}
	}
	end := u.Off + int(u.Len)
	return end <= at || w.gap(text, at, end)
}

func tokenText(u *syntax.Placed, text string, i int) string {
	a := u.Off + int(u.Tokens[i].Off)
	return text[a : a+int(u.Tokens[i].Len)]
}

// gap classifies the comments between two tokens.
func (w *tokenWalk) gap(text string, from, to int) bool {
	for i := from; i < to; {
		switch {
		case strings.HasPrefix(text[i:to], ";;"):
			j := strings.IndexAny(text[i:to], "\r\n")
			if j < 0 {
				j = to - i
			}
			if !w.put(Token{source.Span{Start: i, End: i + j}, TypeComment, 0}) {
				return false
			}
			i += j
		case strings.HasPrefix(text[i:to], "(;"):
			j := query.BlockComment(text[i:to])
			if !w.put(Token{source.Span{Start: i, End: i + j}, TypeComment, 0}) {
				return false
			}
			i += j
		default:
			i++
		}
	}
	return true
}

// word classifies a keyword.
func (w *tokenWalk) word(word string, paren bool) (TokenType, uint8) {
	if _, ok := words.Type(word, paren); ok {
		return TypeType, 0
	}
	ops := wasm.Lookup(word)
	if len(ops) == 0 {
		return TypeKeyword, 0
	}
	switch ops[0].Info().Effect {
	case wasm.EffectNew, wasm.EffectBind, wasm.EffectRelease, wasm.EffectResume, wasm.EffectSuspend,
		wasm.EffectSwitch, wasm.EffectRetire:
		return TypeKeyword, ModAsync
	case wasm.EffectNone:
		return TypeInstr, 0
	}
	return TypeKeyword, 0
}

// ref classifies a name or index by what it refers to.
func (w *tokenWalk) ref(r analysis.Ref) (TokenType, uint8) {
	var mods uint8
	switch r.Kind {
	case analysis.RefDef:
		mods = ModDecl
	case analysis.RefWrite:
		mods = ModWrite
	}
	switch r.Space {
	case analysis.SpaceFunc:
		return TypeFunc, mods
	case analysis.SpaceType:
		if ty := w.t.Sub(r.Index); ty != nil && (ty.Kind == wasm.CompStruct || ty.Kind == wasm.CompArray) {
			return TypeStruct, mods
		}
		return TypeType, mods
	case analysis.SpaceTag:
		return TypeTag, mods
	case analysis.SpaceLabel:
		return TypeLabel, mods
	case analysis.SpaceField:
		return TypeField, mods
	case analysis.SpaceLocal:
		if ft := w.t.FuncType(r.Owner); ft != nil && int64(r.Index) < int64(len(ft.Params)) {
			return TypeParam, mods
		}
		return TypeVar, mods
	case analysis.SpaceGlobal:
		mods |= ModStatic
		if w.t.Declared != nil && int64(r.Index) < int64(len(w.t.Declared.Globals)) &&
			!w.t.Declared.Globals[r.Index].Mut {
			mods |= ModReadonly
		}
		return TypeVar, mods
	}
	return TypeVar, mods | ModStatic
}
