package analysis

import (
	"strconv"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// rest looks for tokens that no immediate has taken, and reports the first. It returns true if they
// stand where operands should be, such as the numbers of `(i32.add 1 2)`.
func (l *lowerer) rest(p *cursor.Parts, n, kw uint32, in *wasm.Instr) bool {
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
	f.Fixes = append(f.Fixes, cursor.Fix{Title: "Remove " + l.Unit.TokText(i), Edits: []cursor.Edit{{At: l.Unit.TokPlace(i), New: ""}}, Preferred: false})
	l.Report(f)
	return words != ""
}

// asOperands writes tokens in the place of an instruction's operands as instructions; "" if one of
// them cannot be an operand.
func (l *lowerer) asOperands(n, kw uint32, in *wasm.Instr, toks []uint32) (words string, edits []cursor.Edit) {
	if len(toks) == 0 || l.Silent {
		return "", nil
	}
	want := l.operandTypes(in)
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
func (l *lowerer) bareAddress(in *wasm.Instr, p *cursor.Parts, t uint32) bool {
	u := &l.Unit
	if p.Child < p.LastChild { // has operands
		return false
	}
	if n := len(l.instrs); n > 0 && l.givesOne(l.instrs[n-1].Op) && !u.Folded(l.nodes[n-1]) {
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

// localIndex returns the local of a name.
func (l *lowerer) localIndex(name string) (int, bool) {
	for i, n := range l.localNames {
		if n == name && n != "" {
			return i, true
		}
	}
	return 0, false
}

// operandTypes returns the types of the operands of an instruction where its immediates settle
// them.
func (b *loweredBody) operandTypes(in *wasm.Instr) []wasm.ValType {
	info := in.Op.Info()
	if len(info.Imms) > 0 && info.Imms[0] == wasm.ImmMemArg {
		addr := wasm.I32
		if int64(in.A) < int64(len(b.d.Mod.Mems)) && b.d.Mod.Mems[in.A].Limits.Is64 {
			addr = wasm.I64
		}
		ty, rest, _ := strings.Cut(info.Name, ".")
		if strings.HasPrefix(rest, "store") {
			for _, t := range []wasm.ValType{wasm.I32, wasm.I64, wasm.F32, wasm.F64} {
				if t.Format(nil) == ty {
					return []wasm.ValType{addr, t}
				}
			}
		}
		if strings.HasPrefix(rest, "load") {
			return []wasm.ValType{addr}
		}
	}
	if info.Fixed {
		return info.Params
	}
	switch in.Op {
	case wasm.OpCall, wasm.OpReturnCall:
		if int64(in.A) < int64(len(b.d.Mod.Funcs)) {
			if ft := b.d.Mod.FuncType(b.d.Mod.Funcs[in.A].Type); ft != nil {
				return ft.Params
			}
		}
	case wasm.OpLocalSet, wasm.OpLocalTee:
		if int64(in.A) < int64(len(b.locals)) {
			return b.locals[in.A : in.A+1]
		}
	case wasm.OpGlobalSet:
		if int64(in.A) < int64(len(b.d.Mod.Globals)) {
			return []wasm.ValType{b.d.Mod.Globals[in.A].Type}
		}
	case wasm.OpSuspend, wasm.OpThrow:
		if int64(in.A) < int64(len(b.d.Mod.Tags)) {
			if ft := b.d.Mod.FuncType(b.d.Mod.Tags[in.A].Type); ft != nil {
				return ft.Params
			}
		}
	}
	return nil
}

// superfluous moves the report of values that are left at the end of a block to the operand that
// left them, if a single folded instruction of the block has just as many operands too many.
func (b *loweredBody) superfluous(e *valid.Error, f *cursor.Finding) bool {
	over := len(e.Got) - len(e.Want)
	if over != 1 {
		return false
	}
	u := &b.u
	found, excess := uint32(0), 0
	var last uint32
	block := b.nodes[e.Instr]
	for i := e.Instr - 1; i >= 0; i-- {
		n := b.nodes[i]
		if n == block && n > 0 {
			break
		}
		if u.Nodes[n].Kind != syntax.KInstr || !u.Folded(n) {
			continue
		}
		takes, ok := b.operandCount(&b.instrs[i])
		if !ok {
			continue
		}
		kids, end := 0, uint32(0)
		plain := true
		for c := n + 1; c < u.Nodes[n].Next; c = u.Nodes[c].Next {
			if cursor.IsInstr(u.Nodes[c].Kind) {
				kids++
				end = c
				plain = plain && u.Nodes[c].Kind == syntax.KInstr && b.givesOne(u.Nodes[c].Op)
			}
		}
		if plain && kids > takes {
			found, last = n, end
			excess += kids - takes
		}
	}
	if excess != over || found == 0 {
		return false
	}
	info := u.Nodes[found].Op.Info()
	takes := "no operands"
	if i, _ := b.operandCount(b.instrOf(found)); i == 1 {
		takes = "1 operand"
	} else if i > 1 {
		takes = strconv.Itoa(int(i)) + " operands"
	}
	f.At = u.NodePlace(last)
	f.Msg += ": " + info.Name + " takes " + takes + ", and this one is left over"
	cut := f.At
	cut.From = u.TokPlace(u.Nodes[last].Tok - 1).To
	f.Fixes = append(f.Fixes, cursor.Fix{Title: "Remove the operand", Edits: []cursor.Edit{{At: cut, New: ""}}, Preferred: true})
	return true
}

// instrOf returns the instruction of a node.
func (b *loweredBody) instrOf(n uint32) *wasm.Instr {
	for i := range b.instrs {
		if b.nodes[i] == n {
			return &b.instrs[i]
		}
	}
	return &wasm.Instr{}
}

// operandCount returns how many operands an instruction takes, if its immediates settle that.
func (b *loweredBody) operandCount(in *wasm.Instr) (int, bool) {
	if in.Op == wasm.OpInvalid {
		return 0, false
	}
	if ts := b.operandTypes(in); ts != nil || in.Op.Info().Fixed {
		return len(ts), true
	}
	switch in.Op {
	case wasm.OpCall, wasm.OpSuspend, wasm.OpLocalGet, wasm.OpGlobalGet:
		return 0, true
	case wasm.OpDrop:
		return 1, true
	case wasm.OpResume:
		if ft := b.d.Mod.ContFunc(in.A); ft != nil {
			return len(ft.Params) + 1, true
		}
	case wasm.OpContNew:
		return 1, true
	}
	return 0, false
}

// givesOne reports whether an instruction surely gives one value.
func (b *loweredBody) givesOne(op wasm.Op) bool {
	switch op {
	case wasm.OpLocalGet, wasm.OpLocalTee, wasm.OpGlobalGet, wasm.OpRefFunc, wasm.OpRefNull, wasm.OpContNew:
		return true
	case wasm.OpInvalid:
		return false
	}
	return op.Info().Fixed && len(op.Info().Results) == 1
}
