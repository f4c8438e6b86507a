package ide

import (
	"errors"
	"fmt"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

var errNothing = errors.New("nothing to rename here: place the cursor on a name or an index")

// PrepareRename reports what would be renamed at an offset: the span, and the name as written.
func PrepareRename(s *analysis.Snapshot, off int) (source.Span, string, error) {
	p := query.At(s, off)
	y, r, ok := p.Symbol()
	if !ok {
		if p.Module != nil && p.HasTok && p.Tok.Kind() == syntax.TokID {
			return source.Span{}, "", fmt.Errorf("%s is not defined", p.Tok.Text())
		}
		return source.Span{}, "", errNothing
	}
	if y.Name == "" {
		if _, err := nameSpot(y); err != nil {
			return source.Span{}, "", err
		}
	}
	return r.Span, s.File().Text[r.Span.Start:r.Span.End], nil
}

// Rename returns the edits that give what stands at an offset another name, at its declaration and
// wherever an identifier names it. An item without a name gets one, and its indices become the
// name. The name may be written with or without `$`.
func Rename(s *analysis.Snapshot, off int, newName string) ([]source.Edit, error) {
	p := query.At(s, off)
	y, _, ok := p.Symbol()
	if !ok {
		return nil, errNothing
	}
	name, err := parseName(newName)
	if err != nil {
		return nil, err
	}
	if name == y.Name {
		return nil, nil
	}
	if err := collision(p, y, name); err != nil {
		return nil, err
	}
	id := query.Identifier(name)
	var edits []source.Edit
	if y.Name == "" {
		e, err := nameSpot(y)
		if err != nil {
			return nil, err
		}
		e.New += id
		edits = append(edits, e)
	}
	text := s.File().Text
	for _, r := range p.Module.References(y.Sym, true) {
		if y.Name != "" && text[r.Span.Start] != '$' {
			continue // an index stays right
		}
		edits = append(edits, source.Edit{Span: r.Span, New: id})
	}
	return edits, nil
}

// parseName takes a name as a person types it: `x`, `$x` or `$"…"`.
func parseName(s string) (string, error) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, `$"`) {
		name, err := syntax.DecodeID(s)
		if err != nil || name == "" {
			return "", fmt.Errorf("%s is not a valid name", s)
		}
		return name, nil
	}
	name := strings.TrimPrefix(s, "$")
	switch {
	case name == "":
		return "", errors.New("a name needs at least one character after the $")
	case !query.PlainID(name):
		return "", fmt.Errorf(
			"%q is not a valid name: letters, digits and !#$%%&'*+-./:<=>?@\\^_`|~ are allowed (others in quotes: $\"…\")",
			s,
		)
	}
	return name, nil
}

// collision reports why a name cannot be given to an item: another of its space has it where it
// would be seen.
func collision(p query.Place, y analysis.Symbol, name string) error {
	taken := func(o analysis.Symbol) error {
		ln, col := p.Snap.File().LineCol(target(o).Name.Start)
		return fmt.Errorf("the %s %s is already defined at %d:%d", o.Space, query.Identifier(name), ln, col)
	}
	var all []analysis.Symbol
	switch y.Space {
	case analysis.SpaceLocal:
		all = p.Module.Locals(y.Owner)
	case analysis.SpaceField:
		all = p.Module.Fields(y.Owner)
	case analysis.SpaceLabel:
		// Labels may share a name; only one inside the other would change what a branch means.
		for _, o := range p.Module.Labels(y.Owner) {
			if o.Sym != y.Sym && o.Name == name &&
				(query.Inside(o.DeclSpan, y.DeclSpan) || query.Inside(y.DeclSpan, o.DeclSpan)) {
				return taken(o)
			}
		}
		return nil
	default:
		if sym, ok := p.Module.Lookup(y.Space, name); ok && sym != y.Sym {
			if o, ok := p.Module.Symbol(sym); ok {
				return taken(o)
			}
			return fmt.Errorf("the %s %s is already defined", y.Space, query.Identifier(name))
		}
		return nil
	}
	for _, o := range all {
		if o.Sym != y.Sym && o.Name == name {
			return taken(o)
		}
	}
	return nil
}

// nameSpot returns the insertion that would name a declaration without a name; its New is what
// goes before the identifier.
func nameSpot(y analysis.Symbol) (source.Edit, error) {
	refuse := fmt.Errorf("%s %d has no name, and its declaration cannot hold one", y.Space, y.Index)
	n := y.N
	if n.IsZero() || y.Index == wasm.BadIndex {
		return source.Edit{}, refuse
	}
	switch n.Kind() {
	case syntax.KImport:
		if n = n.First(syntax.KExternType); n.IsZero() {
			return source.Edit{}, refuse
		}
	case syntax.KParam, syntax.KLocal, syntax.KField:
		// A group of several types has no place for the name of one.
		types := 0
		for c := range n.Children() {
			switch c.Kind() {
			case syntax.KNumType, syntax.KRefType, syntax.KMut:
				types++
			}
		}
		if types != 1 {
			return source.Edit{}, fmt.Errorf(
				"%s %d is declared in a group: split the group to name it", y.Space, y.Index,
			)
		}
	case syntax.KImportItem:
		return source.Edit{}, fmt.Errorf(
			"%s %d shares the type of its import group: copy the type into each item to name it",
			y.Space, y.Index,
		)
	case syntax.KTypeUse, syntax.KOffset, syntax.KItem, syntax.KElemList, syntax.KDataList:
		return source.Edit{}, refuse
	}
	k := n.Keyword()
	if k.T == nil {
		return source.Edit{}, refuse
	}
	end := k.Span().End
	return source.Edit{Span: source.Span{Start: end, End: end}, New: " "}, nil
}
