package cursor

import (
	"strings"

	"stackscope/analysis/syntax"
)

// Text is the text of a module: the units of a tree from First on.
type Text struct {
	Tree  *syntax.Tree
	First int
}

// Unit returns a unit of the module by its number.
func (t Text) Unit(i int32) Unit {
	p := &t.Tree.Units[t.First+int(i)]
	return Unit{p.Unit, t.Tree.Src.Text[p.Off : p.Off+int(p.Len)], p.Off, i}
}

// Unit is a unit of the tree at its place in a module.
type Unit struct {
	*syntax.Unit
	Text  string // of the unit
	Off   int    // of the unit in the file
	Index int32  // of the unit in the module
}

// TokText returns the text of a token.
func (u *Unit) TokText(t uint32) string {
	k := &u.Tokens[t]
	return u.Text[k.Off : k.Off+k.Len]
}

// TokKind returns the kind of a token.
func (u *Unit) TokKind(t uint32) syntax.TokenKind { return u.Tokens[t].Kind }

// Base is the offset in the unit that places count from: its first token.
func (u *Unit) Base() uint32 {
	if len(u.Tokens) == 0 {
		return 0
	}
	return u.Tokens[0].Off
}

// Place returns the place of tokens [from, to).
func (u *Unit) Place(from, to uint32) Place {
	b := u.Base()
	if to <= from || int(to) > len(u.Tokens) {
		to = from + 1
	}
	if int(to) > len(u.Tokens) {
		return Place{Unit: u.Index}
	}
	l := &u.Tokens[to-1]
	return Place{u.Index, u.Tokens[from].Off - b, l.Off + l.Len - b}
}

// TokPlace returns the place of one token.
func (u *Unit) TokPlace(t uint32) Place { return u.Place(t, t+1) }

// After returns the empty place right after a token.
func (u *Unit) After(t uint32) Place {
	p := u.TokPlace(t)
	return Place{p.Unit, p.To, p.To}
}

// NodePlace returns the place of a node.
func (u *Unit) NodePlace(n uint32) Place { return u.Place(u.Nodes[n].Tok, u.Nodes[n].TokEnd) }

// Words returns the text of a node.
func (u *Unit) Words(n uint32) string {
	nd := &u.Nodes[n]
	if nd.TokEnd <= nd.Tok {
		return ""
	}
	last := &u.Tokens[nd.TokEnd-1]
	return u.Text[u.Tokens[nd.Tok].Off : last.Off+last.Len]
}

// Keyword returns the token that shows what a node is: its first one after an opening
// parenthesis.
func (u *Unit) Keyword(n uint32) uint32 {
	nd := &u.Nodes[n]
	t := nd.Tok
	if t+1 < nd.TokEnd && u.Tokens[t].Kind == syntax.TokLParen {
		t++
		if u.Tokens[t].Kind == syntax.TokAnnot {
			return u.afterAnnots(n, t)
		}
	}
	return t
}

// afterAnnots returns the first token of node n from t on that is in no annotation.
func (u *Unit) afterAnnots(n, t uint32) uint32 {
	nd := &u.Nodes[n]
	for c := n + 1; c < nd.Next; c = u.Nodes[c].Next {
		if u.Nodes[c].Kind != syntax.KAnnot || u.Nodes[c].Tok > t {
			break
		}
		t = max(t, u.Nodes[c].TokEnd)
	}
	return min(t, nd.TokEnd-1)
}

// IDToken returns the token of the identifier right after a node's keyword, or -1.
func (u *Unit) IDToken(n uint32) int32 {
	t := u.Keyword(n) + 1
	if t < u.Nodes[n].TokEnd && u.Tokens[t].Kind == syntax.TokAnnot {
		t = u.afterAnnots(n, t)
	}
	if t < u.Nodes[n].TokEnd && u.Tokens[t].Kind == syntax.TokID {
		return int32(t)
	}
	return -1
}

// Folded reports whether a node begins with a parenthesis.
func (u *Unit) Folded(n uint32) bool {
	return u.Nodes[n].Tok < u.Nodes[n].TokEnd && u.Tokens[u.Nodes[n].Tok].Kind == syntax.TokLParen
}

// Name returns the decoded name of an identifier token, without `$`.
func (u *Unit) Name(t uint32) string { return DecodeID(u.TokText(t)) }

// DecodeID decodes an identifier as written.
func DecodeID(s string) string {
	if strings.HasPrefix(s, `$"`) {
		if d, err := syntax.DecodeID(s); err == nil {
			return d
		}
	}
	return strings.TrimPrefix(s, "$")
}

// Child returns the first child of a kind, or 0.
func (u *Unit) Child(n uint32, k syntax.Kind) uint32 {
	for c := n + 1; c < u.Nodes[n].Next; c = u.Nodes[c].Next {
		if u.Nodes[c].Kind == k {
			return c
		}
	}
	return 0
}

// StringsBefore counts the strings among a node's tokens before its children.
func (u *Unit) StringsBefore(n uint32) int {
	p := u.Parts(n)
	c := 0
	for {
		i, node, ok := p.Peek()
		if !ok || node {
			return c
		}
		if u.TokKind(i) == syntax.TokString {
			c++
		}
		p.Skip()
	}
}

// ExternOf returns the KExternType of what a node declares: that of the group for an item without
// one.
func (u *Unit) ExternOf(node uint32) uint32 {
	if u.Nodes[node].Kind == syntax.KImportItem {
		return u.Child(0, syntax.KExternType)
	}
	return node
}

// ImportNames returns the strings of the import that node declares: the module's name and the
// item's; -1 where it is missing. The node of an inline import is 0.
func (u *Unit) ImportNames(node uint32) (module, name int32) {
	from := uint32(0)
	if c := u.Child(0, syntax.KInlineImport); c != 0 {
		from = c
	}
	module, name = -1, -1
	take := func(n uint32) {
		p := u.Parts(n)
		for {
			i, node, ok := p.Peek()
			if !ok {
				return
			}
			if !node && u.TokKind(i) == syntax.TokString {
				if module < 0 {
					module = int32(i)
				} else if name < 0 {
					name = int32(i)
				}
			}
			p.Skip()
		}
	}
	take(from)
	for c := uint32(1); c < u.Nodes[0].Next && from == 0; c = u.Nodes[c].Next {
		if u.Nodes[c].Kind == syntax.KImportItem && c <= node && node < u.Nodes[c].Next {
			take(c)
		}
	}
	return module, name
}

// IsField reports whether a unit declares something.
func (u *Unit) IsField() bool { return u.Kind == syntax.UnitField && len(u.Nodes) > 0 }

// HeapWord returns the keyword of the heap type of a KRefType node, and whether there is one.
func (u *Unit) HeapWord(n uint32) (uint32, bool) {
	nd := &u.Nodes[n]
	for t := nd.Tok; t < nd.TokEnd; t++ {
		if u.TokKind(t) == syntax.TokKeyword {
			if s := u.TokText(t); s != "ref" && s != "null" {
				return t, true
			}
		}
	}
	return 0, false
}

// HasKeyword reports whether a keyword is among the tokens of a node.
func (u *Unit) HasKeyword(n uint32, s string) bool {
	for t := u.Nodes[n].Tok; t < u.Nodes[n].TokEnd; t++ {
		if u.TokKind(t) == syntax.TokKeyword && u.TokText(t) == s {
			return true
		}
	}
	return false
}

// Nested reports whether an inline fiber type is among the nodes below n.
func (u *Unit) Nested(n uint32) bool {
	for c := n + 1; c < u.Nodes[n].Next; c++ {
		if u.Nodes[c].Kind == syntax.KRefType && u.HasKeyword(c, "fiber") {
			return true
		}
	}
	return false
}

// AllowedCodes returns the codes that an annotation allows.
func (u *Unit) AllowedCodes(n uint32) []string {
	nd := &u.Nodes[n]
	if u.TokText(nd.Tok) != AllowWord {
		return nil
	}
	var out []string
	for t := nd.Tok; t < nd.TokEnd; t++ {
		if u.TokKind(t) == syntax.TokString {
			if b, err := syntax.DecodeString(u.TokText(t)); err == nil {
				out = append(out, string(b))
			}
		}
	}
	return out
}

// Deprecated returns the words of an annotation that says so.
func (u *Unit) Deprecated(n uint32) (words string, ok bool) {
	nd := &u.Nodes[n]
	if u.TokText(nd.Tok) != deprecatedWord {
		return "", false
	}
	for t := nd.Tok; t < nd.TokEnd; t++ {
		if u.TokKind(t) == syntax.TokString {
			b, _ := syntax.DecodeString(u.TokText(t))
			words += string(b)
		}
	}
	return words, true
}

// ErrorAt reports whether the parser reported an error at a token.
func (u *Unit) ErrorAt(t uint32) bool {
	for i := range u.Errors {
		if u.Errors[i].Off == u.Tokens[t].Off {
			return true
		}
	}
	return false
}

// Unclear reports whether the parser reported an error in a node that leaves open what is meant: one
// that it has no text for that would put it right.
func (u *Unit) Unclear(n uint32) bool {
	from, to := u.Tokens[u.Nodes[n].Tok].Off, u.Tokens[u.Nodes[n].TokEnd-1].Off
	for i := range u.Errors {
		if e := &u.Errors[i]; e.Off >= from && e.Off <= to && e.Insert == "" && !e.Delete {
			return true
		}
	}
	return false
}

// IsGroup reports whether a unit is a group of imports. The names that annotations give to
// parameters in one are not taken: they are kept by unit, and a group may declare several
// functions.
func IsGroup(u *syntax.Unit) bool {
	v := Unit{Unit: u}
	return v.Child(0, syntax.KImportItem) != 0
}

func FirstToken(p *syntax.Placed) int {
	if len(p.Tokens) > 0 {
		return p.Off + int(p.Tokens[0].Off)
	}
	return p.Off
}

// IsType reports whether a node is a value type.
func IsType(k syntax.Kind) bool { return k == syntax.KNumType || k == syntax.KRefType }

func IsInstr(k syntax.Kind) bool { return k == syntax.KInstr || k == syntax.KBlock }

const AllowWord = "(@lint.allow"

const deprecatedWord = "(@deprecated"
