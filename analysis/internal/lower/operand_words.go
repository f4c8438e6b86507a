package lower

import (
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// rest looks for tokens that no immediate has taken, and reports the first. It returns true if they
// stand where operands should be, such as the numbers of `(i32.add 1 2)`.
func (l *immReader) rest(p *cursor.Parts, n, kw uint32, in *wasm.Instr) bool {
	i, node, ok := p.Peek()
	if !ok || node {
		return false
	}
	switch k := l.Unit.TokKind(i); k {
	case syntax.TokRParen, syntax.TokBad, syntax.TokReserved, syntax.TokEOF:
		return false
	}
	if l.Unit.ErrorAt(i) {
		return true // the parser has reported it
	}
	info := in.Op.Info()
	msg := "unexpected token " + l.Unit.TokText(i) + ": " + info.Name + " takes "
	switch len(info.Imms) {
	case 0:
		msg += "no immediate"
	default:
		msg += immediateList(info)
	}
	var toks []uint32
	for {
		t, node, ok := p.Peek()
		if !ok || node {
			break
		}
		switch l.Unit.TokKind(t) {
		case syntax.TokID, syntax.TokNat, syntax.TokInt, syntax.TokFloat:
			toks = append(toks, t)
			p.Skip()
			continue
		}
		break
	}
	f := cursor.Finding{Code: diag.Immediate, At: l.Unit.TokPlace(i), Msg: msg}
	words, edits := l.asOperands(n, kw, in, toks)
	if words != "" {
		f.Msg += "; operands are instructions"
		f.Fixes = append(f.Fixes, cursor.Fix{Title: "Write " + words, Edits: edits, Preferred: true})
	}
	f.Fixes = append(
		f.Fixes,
		cursor.Fix{
			Title: "Remove " + l.Unit.TokText(i),
			Edits: []cursor.Edit{{At: l.Unit.TokPlace(i), New: ""}}, Preferred: false,
		},
	)
	l.Report(f)
	return words != ""
}

// asOperands writes tokens in the place of an instruction's operands as instructions; "" if one of
// them cannot be an operand.
func (l *immReader) asOperands(n, kw uint32, in *wasm.Instr, toks []uint32) (words string, edits []cursor.Edit) {
	if len(toks) == 0 || l.Silent {
		return "", nil
	}
	want := l.Body.OperandTypes(in)
	u := &l.Unit
	folded := u.Folded(n)
	var all []string
	for k, t := range toks {
		w := ""
		switch s := u.TokText(t); u.TokKind(t) {
		case syntax.TokID:
			name := u.Name(t)
			switch _, isLocal := l.localIndex(name); {
			case isLocal:
				w = "local.get " + s
			case l.Decls.Has(decl.SpaceGlobal, name):
				w = "global.get " + s
			case l.Decls.Has(decl.SpaceFunc, name):
				w = "ref.func " + s
			}
		default:
			ty := wasm.I32
			if u.TokKind(t) == syntax.TokFloat {
				ty = wasm.F64
			}
			if k < len(want) && !want[k].IsRef() && want[k] != wasm.V128 && want[k] != wasm.Unknown {
				ty = want[k]
			} else if k < len(want) && want[k].IsRef() {
				return "", nil
			}
			w = wasm.FormatTypes([]wasm.ValType{ty}, nil)
			w = strings.Trim(w, "[]") + ".const " + s
		}
		if w == "" {
			return "", nil
		}
		if folded {
			w = "(" + w + ")"
			edits = append(edits, cursor.Edit{At: u.TokPlace(t), New: w})
		} else {
			at := u.TokPlace(t)
			at.From = u.TokPlace(t - 1).To
			edits = append(edits, cursor.Edit{At: at, New: ""})
		}
		all = append(all, w)
	}
	words = strings.Join(all, " ")
	if !folded {
		at := u.TokPlace(kw)
		at.To = at.From
		edits = append([]cursor.Edit{{At: at, New: words + " "}}, edits...)
	}
	return words, edits
}

// bareAddress reports whether token t, which stands where an instruction may name a memory, can
// only be its address: no memory is called so, and there is no operand.
func (l *immReader) bareAddress(in *wasm.Instr, p *cursor.Parts, t uint32) bool {
	u := &l.Unit
	if p.Child < p.LastChild { // has operands
		return false
	}
	if n := len(l.Body.Instrs); n > 0 && PushesOne(l.Body.Instrs[n-1].Op) && !u.Folded(l.Body.Nodes[n-1]) {
		return false
	}
	switch u.TokKind(t) {
	case syntax.TokNat:
		i, err := syntax.ParseNat(u.TokText(t), 64)
		return err == nil && i >= uint64(max(1, len(l.Decls.Mod.Mems)))
	case syntax.TokID:
		_, isLocal := l.localIndex(u.Name(t))
		return !l.Decls.Has(decl.SpaceMemory, u.Name(t)) && (isLocal || l.Decls.Has(decl.SpaceGlobal, u.Name(t)))
	}
	return false
}
