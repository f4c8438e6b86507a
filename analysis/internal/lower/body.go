package lower

import (
	"slices"
	"strings"

	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// Body is the body of a function, or a constant expression: flat instructions, with the way
// back to the text. Passes read it and nothing changes it, but its lowerer may use its room for the
// next one.
type Body struct {
	Text    cursor.Text
	Decls   *decl.Decls
	Unit    cursor.Unit
	Fn      uint32 // wasm.BadIndex: an expression
	Instrs  []wasm.Instr
	Nodes   []uint32 // by instruction: the node it came from
	Stmts   []Stmt   // if they were asked for
	Blocks  []Block  // by ordinal
	Implied []uint32 // keywords of the instructions that mean table or memory 0 without saying so

	Locals     []wasm.ValType // parameters first
	LocalNames []string       // without `$`; "" for one without a name
	LocalItems []decl.Item
}

// Block is a block of a body.
type Block struct {
	Node  uint32
	Instr uint32
	Label int32 // token of the label, or -1
	Used  bool  // a branch or clause goes there
}

// Stmt is a statement with tokens for its places.
type Stmt struct {
	At       uint32
	From, To uint32 // tokens, to exclusive
}

// NumParams returns how many of the locals are parameters.
func (b *Body) NumParams() int {
	if b.Fn == wasm.BadIndex {
		return 0
	}
	if ft := b.Decls.Mod.FuncType(b.Decls.Mod.Funcs[b.Fn].Type); ft != nil {
		return len(ft.Params)
	}
	return 0
}

// Statements returns the statements lowered last, by PC.
func (b *Body) Statements() []wasm.Stmt {
	out := make([]wasm.Stmt, len(b.Stmts))
	for i, s := range b.Stmts {
		from, to := b.Unit.Tokens[s.From], b.Unit.Tokens[s.To-1]
		out[i] = wasm.Stmt{
			PC: s.At, From: wasm.Pos(b.Unit.Off) + wasm.Pos(from.Off),
			To: wasm.Pos(b.Unit.Off) + wasm.Pos(to.Off+to.Len), Flat: from.Kind != syntax.TokLParen,
		}
	}
	slices.SortStableFunc(out, func(a, b wasm.Stmt) int { return int(a.PC) - int(b.PC) })
	return out
}

// OwnPlace returns keyword and immediates of an instruction, or a block's header.
func (b *Body) OwnPlace(n uint32) cursor.Place {
	u := &b.Unit
	if int(n) >= len(u.Nodes) {
		return u.TokPlace(0)
	}
	kw := u.Keyword(n)
	p := cursor.Parts{U: u, Tok: kw + 1, End: u.Nodes[n].TokEnd, Child: n + 1, LastChild: u.Nodes[n].Next}
	end := kw + 1
	for {
		i, node, ok := p.Peek()
		if !ok {
			break
		}
		if node {
			switch u.Nodes[i].Kind {
			case syntax.KTypeUse, syntax.KParam, syntax.KResult, syntax.KOn, syntax.KClause, syntax.KCatch,
				syntax.KRefType, syntax.KNumType:
				end = u.Nodes[i].TokEnd
				p.Skip()
				continue
			}
			break
		}
		if k := u.TokKind(i); k == syntax.TokRParen || k == syntax.TokLParen {
			break
		}
		if u.Nodes[n].Kind == syntax.KBlock &&
			(i > kw+1 || u.TokKind(i) != syntax.TokID) { // only a label belongs to the head
			break
		}
		end = i + 1
		p.Skip()
	}
	return u.Place(kw, end)
}

// EndPlace returns the place of an instruction that divides or ends a block.
func (b *Body) EndPlace(i int) cursor.Place {
	u := &b.Unit
	off := uint32(b.Instrs[i].At) - uint32(u.Off)
	lo, hi := 0, len(u.Tokens)
	for lo < hi {
		if h := (lo + hi) / 2; u.Tokens[h].Off < off {
			lo = h + 1
		} else {
			hi = h
		}
	}
	if lo < len(u.Tokens) {
		return u.TokPlace(uint32(lo))
	}
	return u.TokPlace(uint32(len(u.Tokens) - 1))
}

// Header returns the place of the type of a function or block: from its first part to the last.
func (b *Body) Header(n uint32) cursor.Place {
	u := &b.Unit
	first, last := uint32(0), uint32(0)
	for c := n + 1; c < u.Nodes[n].Next; c = u.Nodes[c].Next {
		switch u.Nodes[c].Kind {
		case syntax.KTypeUse, syntax.KParam, syntax.KResult:
			if first == 0 {
				first = u.Nodes[c].Tok
			}
			last = u.Nodes[c].TokEnd
		case syntax.KInlineExport, syntax.KInlineImport, syntax.KAnnot:
		default:
			if first == 0 {
				return u.TokPlace(u.Keyword(n))
			}
			return u.Place(first, last)
		}
	}
	if first == 0 {
		return u.TokPlace(u.Keyword(n))
	}
	return u.Place(first, last)
}

// ClausePlace returns the place of the `($tag …)` clause at a position.
func (b *Body) ClausePlace(at wasm.Pos) cursor.Place {
	u := &b.Unit
	for n := range u.Nodes {
		if k := u.Nodes[n].Kind; (k == syntax.KClause || k == syntax.KOn) &&
			u.Off+int(u.Tokens[u.Nodes[n].Tok].Off) == int(at) {
			return u.NodePlace(uint32(n))
		}
	}
	return u.TokPlace(0)
}

// CatchPlace returns the place of the catch clause that stands at a position.
func (b *Body) CatchPlace(at wasm.Pos) cursor.Place {
	u := &b.Unit
	for n := range u.Nodes {
		if u.Nodes[n].Kind == syntax.KCatch && u.Off+int(u.Tokens[u.Nodes[n].Tok].Off) == int(at) {
			return u.NodePlace(uint32(n))
		}
	}
	return u.TokPlace(0)
}

// RelateItem points at the declaration of an item.
func (b *Body) RelateItem(sp decl.Space, i uint32, msg string, f *cursor.Finding) {
	b.Decls.Relate(b.Text, sp, i, msg, f)
}

// OperandTypes returns the types of the operands of an instruction where its immediates settle
// them.
func (b *Body) OperandTypes(in *wasm.Instr) []wasm.ValType {
	info := in.Op.Info()
	if len(info.Imms) > 0 && info.Imms[0] == wasm.ImmMemArg {
		addr := wasm.I32
		if int64(in.A) < int64(len(b.Decls.Mod.Mems)) && b.Decls.Mod.Mems[in.A].Limits.Is64 {
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
		if int64(in.A) < int64(len(b.Decls.Mod.Funcs)) {
			if ft := b.Decls.Mod.FuncType(b.Decls.Mod.Funcs[in.A].Type); ft != nil {
				return ft.Params
			}
		}
	case wasm.OpLocalSet, wasm.OpLocalTee:
		if int64(in.A) < int64(len(b.Locals)) {
			return b.Locals[in.A : in.A+1]
		}
	case wasm.OpGlobalSet:
		if int64(in.A) < int64(len(b.Decls.Mod.Globals)) {
			return []wasm.ValType{b.Decls.Mod.Globals[in.A].Type}
		}
	case wasm.OpSuspend, wasm.OpThrow:
		if int64(in.A) < int64(len(b.Decls.Mod.Tags)) {
			if ft := b.Decls.Mod.FuncType(b.Decls.Mod.Tags[in.A].Type); ft != nil {
				return ft.Params
			}
		}
	}
	return nil
}

// PushesOne reports whether an instruction surely gives one value.
func PushesOne(op wasm.Op) bool {
	switch op {
	case wasm.OpLocalGet, wasm.OpLocalTee, wasm.OpGlobalGet, wasm.OpRefFunc, wasm.OpRefNull, wasm.OpContNew:
		return true
	case wasm.OpInvalid:
		return false
	}
	return op.Info().Fixed && len(op.Info().Results) == 1
}

// HandlerClauses returns the handler clauses of an instruction.
func HandlerClauses(in *wasm.Instr) []wasm.HandlerClause {
	if in.Ext == nil {
		return nil
	}
	return in.Ext.HandlerClauses
}
