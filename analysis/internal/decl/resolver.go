package decl

import (
	"strings"
	"unicode/utf8"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// Resolver walks units with the declarations at hand. With rec set it reports every reference.
type Resolver struct {
	Text    cursor.Text
	Decls   *Decls
	Unit    cursor.Unit
	Out     *[]cursor.Finding
	OnRef   func(sym Sym, tok uint32, kind RefKind)
	Uses    *UseSet         // what is named; nil: not asked for
	Fragile bool            // a type was named by a number that only implicit types have
	Silent  bool            // report nothing: a walk for another purpose
	bare    map[string]bool // names that lack their `$`; nil: not asked for yet
}

func (b *Resolver) Report(f cursor.Finding) {
	if !b.Silent && b.Out != nil {
		*b.Out = append(*b.Out, f)
	}
}

func (b *Resolver) ReportAt(code diag.Code, p cursor.Place, msg string) {
	b.Report(cursor.Finding{Code: code, At: p, Msg: msg})
}

// Declare enters a name into a space; what it reports is a duplicate.
func (b *Resolver) Declare(sp Space, it Item) uint32 {
	s := &b.Decls.Spaces[sp]
	i := uint32(len(s.Items))
	s.Items = append(s.Items, it)
	if it.ID < 0 {
		return i
	}
	t := uint32(it.ID)
	name := strings.Clone(b.Unit.Name(t))
	if s.Names == nil {
		s.Names = map[string]uint32{}
	}
	if j, ok := s.Names[name]; ok {
		o := s.Items[j]
		f := cursor.Finding{
			Code: diag.DuplicateName, At: b.Unit.TokPlace(t),
			Msg: "duplicate " + sp.shortName() + " " + b.Unit.TokText(t),
		}
		f.Related = append(f.Related, cursor.Related{At: o.Place(b.Text), Msg: "first declared here"})
		b.Report(f)
		return i
	}
	s.Names[name] = i
	return i
}

// Pos returns the position of a token in the file.
func (b *Resolver) Pos(t uint32) wasm.Pos {
	return wasm.Pos(b.Unit.Off) + wasm.Pos(b.Unit.Tokens[t].Off)
}

// Name decodes a string token that must be UTF-8.
func (b *Resolver) Name(t uint32) string {
	s, err := syntax.DecodeString(b.Unit.TokText(t))
	if err != nil {
		return "" // the parser has said it
	}
	if !utf8.Valid(s) {
		b.ReportAt(diag.Syntax, b.Unit.TokPlace(t), "malformed UTF-8 encoding: names must be UTF-8")
	}
	return string(s)
}

// Index resolves an index token in a module-level space. What it returns may be out of range: a
// number is for the validator to judge.
func (b *Resolver) Index(sp Space, t uint32, kind RefKind) uint32 {
	i := b.resolve(sp, 0, b.Decls.Spaces[sp].Names, t)
	if sp == SpaceType && i >= b.Decls.Explicit && i != wasm.BadIndex {
		b.Fragile = true
	}
	if b.OnRef != nil {
		b.OnRef(Sym{sp, 0, i}, t, kind)
	}
	b.Uses.Add(sp, 0, i, kind)
	if b.Decls.Deprecated != nil {
		b.useDeprecated(sp, i, t)
	}
	return i
}

func (b *Resolver) resolve(sp Space, owner uint32, names map[string]uint32, t uint32) uint32 {
	switch b.Unit.TokKind(t) {
	case syntax.TokID:
		if i, ok := names[b.Unit.Name(t)]; ok {
			return i
		}
		b.UnknownName(sp, t, names)
		return wasm.BadIndex
	case syntax.TokNat:
		return b.Number(sp, t)
	}
	return wasm.BadIndex
}

// Number reads a numeric index.
func (b *Resolver) Number(sp Space, t uint32) uint32 {
	s := b.Unit.TokText(t)
	if len(s) <= 9 {
		n := uint32(0)
		for i := 0; i < len(s); i++ {
			c := s[i] - '0'
			if c > 9 {
				n = wasm.BadIndex
				break
			}
			n = n*10 + uint32(c)
		}
		if n != wasm.BadIndex {
			return n
		}
	}
	n, err := syntax.ParseNat(s, 32)
	if err != nil {
		b.ReportAt(diag.Number, b.Unit.TokPlace(t), "i32 constant out of range: "+s)
		return wasm.BadIndex
	}
	if uint32(n) == wasm.BadIndex {
		b.ReportAt(sp.unknownCode(), b.Unit.TokPlace(t), "unknown "+sp.String()+" "+s)
	}
	return uint32(n)
}

// near is nearNames; what there is to compare with is made once for the spaces of a module.
func (b *Resolver) near(sp Space, name string, names map[string]uint32) []string {
	if sp > SpaceData || len(names) < 32 || len(names) > manyNames {
		return NearNames(name, names)
	}
	p := &b.Decls.nearLists[sp]
	list := p.Load()
	if list == nil || len(*list) != len(names) {
		l := nearList(names)
		list = &l
		p.Store(list)
	}
	return Nearest(name, *list)
}

// UnknownName reports an identifier that stands for nothing, with the names that are near.
func (b *Resolver) UnknownName(sp Space, t uint32, names map[string]uint32) {
	if b.Silent || b.Out == nil {
		return
	}
	if b.bareName(b.Unit.TokText(t)) {
		b.Fragile = true // it depends on other units
		return           // its declaration lacks the `$`, which is reported there
	}
	f := cursor.Finding{
		Code: sp.unknownCode(), At: b.Unit.TokPlace(t), Msg: "unknown " + sp.String() + " " + b.Unit.TokText(t),
	}
	for i, near := range b.near(sp, b.Unit.Name(t), names) {
		f.Fixes = append(f.Fixes, cursor.Fix{Title: "Change to " + cursor.WriteID(near), Preferred: i == 0,
			Edits: []cursor.Edit{{At: b.Unit.TokPlace(t), New: cursor.WriteID(near)}}})
	}
	if len(f.Fixes) > 0 {
		f.Msg += "; did you mean " + strings.TrimPrefix(f.Fixes[0].Title, "Change to ") + "?"
	}
	b.Report(f)
}

// bareName reports whether a name stands somewhere in the module without its `$`, which is reported
// there.
func (b *Resolver) bareName(name string) bool {
	if b.bare == nil {
		b.bare = map[string]bool{}
		tree, first := b.Text.Tree, b.Text.First
		for i := first; i < min(first+len(b.Decls.Units), len(tree.Units)); i++ {
			u := &tree.Units[i]
			for k := range u.Errors {
				if e := &u.Errors[k]; e.Insert == "$" && !e.Replace {
					from := u.Off + int(e.Off)
					b.bare["$"+tree.Src.Text[from:min(from+int(e.Len), len(tree.Src.Text))]] = true
				}
			}
		}
	}
	return b.bare[name]
}

// useDeprecated reports the use of a deprecated item. To export one is no use.
func (b *Resolver) useDeprecated(sp Space, i, t uint32) {
	words, ok := b.Decls.Deprecated[Sym{sp, 0, i}]
	if !ok || b.Unit.Nodes[0].Kind == syntax.KExport {
		return
	}
	f := cursor.Finding{
		Code: diag.DeprecatedItem, At: b.Unit.TokPlace(t),
		Msg: "the " + sp.String() + " " + b.Unit.TokText(t) + " is deprecated",
	}
	if words != "" {
		f.Msg += ": " + words
	}
	f.Related = append(f.Related, cursor.Related{At: b.Decls.Spaces[sp].Items[i].Place(b.Text), Msg: "declared here"})
	b.Report(f)
}

// TypeReader reads types and type uses.
type TypeReader struct {
	Resolver
	Add   bool   // implicit types may be added to the module: it is being bound
	Added []byte // the implicit types added since bodyFacts looked, as records of keys
	Limit uint32 // inline fiber types may stand for explicit types below it
}
