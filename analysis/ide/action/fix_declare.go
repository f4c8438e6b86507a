package action

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// declare declares what a name stands for that nothing declares: as its use wants it, as far as
// that can be seen. The declaration goes after all others, where it moves no index; what must
// stand before its use goes there.
func declare(p query.Place, d *diag.Diagnostic) []diag.Fix {
	if !p.HasTok || p.Tok.Kind() != syntax.TokID {
		return nil
	}
	id := p.Tok.Text()
	name, err := syntax.DecodeID(id)
	root := p.Field()
	if err != nil || root.IsZero() || root.Kind() == syntax.KAnnot {
		return nil
	}
	t := query.NewTypes(p.Module)
	args := arguments(p)
	text, first := "", false
	space := analysis.SpaceNone
	switch valid.Code(d.Code) {
	case valid.CodeUnknownFunc:
		space = analysis.SpaceFunc
		text = "(func " + id + t.Sig(args, nil) + " (unreachable))"
	case valid.CodeUnknownTag:
		space = analysis.SpaceTag
		text = "(tag " + id + ")"
		for _, use := range tagUsesAt(p) {
			if use.known && use.tok.Span() == p.Tok.Span() {
				text = "(tag " + id + t.Sig(use.params, use.results) + ")"
			}
		}
	case valid.CodeUnknownTable:
		space = analysis.SpaceTable
		text = "(table " + id + " 1 funcref)"
	case valid.CodeUnknownMemory:
		space = analysis.SpaceMemory
		text = "(memory " + id + " 1)"
	case valid.CodeUnknownElem:
		space = analysis.SpaceElem
		text = "(elem " + id + " func)"
	case valid.CodeUnknownData:
		space = analysis.SpaceData
		text = "(data " + id + ` "")`
	case valid.CodeUnknownGlobal:
		space = analysis.SpaceGlobal
		ty := wasm.I32
		if len(args) == 1 {
			ty = args[0]
		}
		init, ok := zeroOf(ty, t)
		if !ok {
			return nil
		}
		written := t.Val(ty)
		if p.Node.Op() == wasm.OpGlobalSet {
			written = "(mut " + written + ")"
		}
		text = "(global " + id + " " + written + " " + init + ")"
		first = root.Kind() != syntax.KFunc
	case valid.CodeUnknownType:
		space = analysis.SpaceType
		if text = typeStub(p); text == "" {
			return nil
		}
		text = "(type " + id + " " + text + ")"
		first = root.Kind() == syntax.KType || root.Kind() == syntax.KRec
	}
	if space == analysis.SpaceNone {
		return nil
	}
	if _, known := p.Module.Lookup(space, name); known {
		return nil // it is there, and not in scope
	}
	if first {
		return addField(p, "Declare "+id, text)
	}
	var last syntax.N
	for i := int(root.U); i < len(p.Snap.Tree().Units) && p.Snap.Tree().Units[i].Kind == syntax.UnitField; i++ {
		if r := p.Snap.Tree().Root(i); !r.IsZero() && balanced(r) {
			last = r
		}
	}
	if last.IsZero() {
		return nil
	}
	at := last.Span().End
	nl := "\n" + indentOf(p.Snap.File(), last.Span().Start)
	return []diag.Fix{
		{
			Title: "Declare " + id + ": " + text,
			Edits: []source.Edit{{Span: source.Span{Start: at, End: at}, New: nl + text}},
		},
	}
}

// balanced reports whether no parenthesis of a field is missing, so that another field can follow
// it.
func balanced(field syntax.N) bool {
	depth := 0
	for _, t := range field.Unit().Tokens {
		switch t.Kind {
		case syntax.TokLParen, syntax.TokAnnot:
			depth++
		case syntax.TokRParen:
			depth--
		}
	}
	return depth == 0
}

// arguments returns the types of the folded operands of the instruction around the cursor; nil if
// one of them is not known.
func arguments(p query.Place) []wasm.ValType {
	ops := query.FoldedOperands(p.Node)
	b, i := p.Instr()
	if b == nil || i < 0 || len(ops) == 0 || p.Node.Kind() != syntax.KInstr {
		return nil
	}
	n := ops[0]
	for n.Kind() == syntax.KInstr && len(query.FoldedOperands(n)) > 0 {
		n = query.FoldedOperands(n)[0]
	}
	k, ok := b.Index(n)
	if !ok {
		return nil
	}
	given := b.HeightBefore(i) - b.HeightBefore(k)
	if given < 0 {
		return nil
	}
	args, _ := b.TopBefore(i, given)
	if !query.NewTypes(p.Module).Named(args) {
		return nil
	}
	return args
}

// zeroOf writes the default value of a type as a constant expression; false if it has none.
func zeroOf(v wasm.ValType, t query.Types) (string, bool) {
	switch s := t.Val(v); s {
	case "i32", "i64", "f32", "f64":
		return "(" + s + ".const 0)", true
	case "v128":
		return "(v128.const i64x2 0 0)", true
	}
	if v.Kind() != wasm.KindRef || !v.Nullable() {
		return "", false
	}
	return "(ref.null " + v.Heap().Format(t.Name) + ")", true
}

// typeStub writes the least type that fits where the cursor names one; "" if there is none.
func typeStub(p query.Place) string {
	switch p.Node.Kind() {
	case syntax.KTypeUse, syntax.KContType, syntax.KStackType:
		return "(func)"
	case syntax.KRefType:
		return "(struct)"
	case syntax.KSub: // a type is its own supertype
		for c := range p.Node.Children() {
			return "(sub " + c.Text() + ")"
		}
	case syntax.KInstr:
		name := p.Node.Keyword().Text()
		switch {
		case strings.HasPrefix(name, "struct."):
			return "(struct)"
		case name == "array.get_s", name == "array.get_u":
			return "(array (mut i8))"
		case strings.HasPrefix(name, "array."):
			return "(array (mut i32))"
		case name == "call_ref", name == "return_call_ref":
			return "(func" + strings.TrimRight(query.NewTypes(p.Module).Sig(calleeParams(p), nil), " ") + ")"
		}
	}
	return ""
}

// calleeParams returns the types of the operands of a folded call_ref but for the callee.
func calleeParams(p query.Place) []wasm.ValType {
	if a := arguments(p); len(a) > 0 {
		return a[:len(a)-1]
	}
	return nil
}

// declareLocal declares the local that an instruction sets, with the type of what it is set to.
func declareLocal(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	if p.Tok.Kind() != syntax.TokID || p.Node.Op() != wasm.OpLocalSet && p.Node.Op() != wasm.OpLocalTee {
		return nil
	}
	b, _ := p.Instr()
	root := p.Field()
	if b == nil || root.Kind() != syntax.KFunc {
		return nil
	}
	i := b.Next(p.Node.Span().End - 1)
	if ops := query.FoldedOperands(p.Node); len(ops) > 0 {
		if k, ok := b.Index(ops[len(ops)-1]); ok {
			i = b.End(k) + 1
			if ops[len(ops)-1].Kind() == syntax.KInstr {
				i = k + 1
			}
		}
	}
	st, _ := b.TopBefore(i, 1)
	if len(st) == 0 || !query.NewTypes(p.Module).Named(st[len(st)-1:]) {
		return nil
	}
	at := root.Keyword().Span().End
	if id, ok := root.ID(); ok {
		at = id.Span().End
	}
	for c := range root.Children() {
		switch c.Kind() {
		case syntax.KParam, syntax.KResult, syntax.KLocal, syntax.KTypeUse, syntax.KInlineExport:
			at = c.Span().End
		}
	}
	decl := "(local " + p.Tok.Text() + " " + query.NewTypes(p.Module).Val(st[len(st)-1]) + ")"
	return []diag.Fix{
		{Title: "Declare " + decl, Edits: []source.Edit{{Span: source.Span{Start: at, End: at}, New: " " + decl}}},
	}
}

// addField adds a field before the one around the cursor.
func addField(p query.Place, title, text string) []diag.Fix {
	n := p.Field()
	if n.IsZero() {
		return nil
	}
	at := n.Span().Start
	return []diag.Fix{
		{
			Title: title + ": " + text,
			Edits: []source.Edit{
				{Span: source.Span{Start: at, End: at}, New: text + "\n" + indentOf(p.Snap.File(), at)},
			},
		},
	}
}
