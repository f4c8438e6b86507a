package lower

import (
	"strings"
	"sync"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// Lowerer turns the instruction sequences of a unit into flat code. It is used again and again by
// one goroutine: its slices are scratch.
type Lowerer struct {
	immReader
	WantStmts  bool // collect statements
	unknownOps int  // of the function, so far
}

// NewLowerer returns a lowerer for a module that reports to out, which may be nil.
func NewLowerer(text cursor.Text, d *decl.Decls, out *[]cursor.Finding) *Lowerer {
	l := &Lowerer{}
	l.Init(text, d, out)
	return l
}

func (l *Lowerer) Init(text cursor.Text, d *decl.Decls, out *[]cursor.Finding) {
	l.Body = &Body{}
	l.Text, l.Decls, l.Out, l.Limit = text, d, out, wasm.BadIndex
}

// Begin makes the lowerer ready for a sequence of the unit.
func (l *Lowerer) Begin(fn uint32) {
	l.Body.Fn, l.Body.Text, l.Body.Unit, l.Body.Decls = fn, l.Text, l.Unit, l.Decls
	l.Body.Instrs, l.Body.Nodes, l.Body.Stmts = l.Body.Instrs[:0], l.Body.Nodes[:0], l.Body.Stmts[:0]
	l.labels, l.Body.Blocks = append(l.labels[:0], label{block: noBlock}), l.Body.Blocks[:0]
	l.Body.Locals, l.Body.LocalNames, l.Body.LocalItems = l.Body.Locals[:0], l.Body.LocalNames[:0],
		l.Body.LocalItems[:0]
	l.Body.Implied = l.Body.Implied[:0]
	l.unknownOps = 0
}

// Emit appends an instruction that node n wrote; t is the token it stands at.
func (l *Lowerer) Emit(in wasm.Instr, n, t uint32) {
	in.At = wasm.Pos(l.Unit.Off) + wasm.Pos(l.Unit.Tokens[t].Off)
	l.Body.Instrs = append(l.Body.Instrs, in)
	l.Body.Nodes = append(l.Body.Nodes, n)
}

// Function lowers the body of the function declared by the unit's root. The body is the lowerer's
// until it lowers the next one.
func (l *Lowerer) Function(fn uint32) *Body {
	l.Begin(fn)
	root := &l.Unit.Nodes[0]
	first := l.Params(0)
	if ft := l.Decls.Mod.FuncType(l.Decls.Mod.Funcs[fn].Type); ft != nil {
		if len(l.Body.Locals) != len(ft.Params) { // parameters come from the type alone, or do not match it
			l.Body.Locals = append(l.Body.Locals[:0], ft.Params...)
			for len(l.Body.LocalNames) < len(l.Body.Locals) {
				l.Body.LocalNames = append(l.Body.LocalNames, "")
				l.Body.LocalItems = append(l.Body.LocalItems, decl.Item{Unit: l.Unit.Index, Node: 0, ID: -1, Part: 0})
			}
			l.Body.LocalNames, l.Body.LocalItems = l.Body.LocalNames[:len(l.Body.Locals)],
				l.Body.LocalItems[:len(l.Body.Locals)]
		}
	}
	for c := uint32(1); c < root.Next; c = l.Unit.Nodes[c].Next {
		if l.Unit.Nodes[c].Kind == syntax.KLocal {
			l.localGroup(c)
		}
	}
	l.indexLocals()
	l.Sequence(first, root.Next)
	l.events(first, root.Next)
	l.Emit(wasm.Instr{Op: wasm.OpEnd}, 0, root.TokEnd-1)
	return l.Body
}

// Sequence lowers the instructions among the siblings [c, end).
func (l *Lowerer) Sequence(c, end uint32) {
	for ; c < end; c = l.Unit.Nodes[c].Next {
		switch l.Unit.Nodes[c].Kind {
		case syntax.KInstr:
			pc := uint32(len(l.Body.Instrs))
			l.instr(c)
			if l.WantStmts && uint32(len(l.Body.Instrs)) > pc {
				l.Body.Stmts = append(l.Body.Stmts, Stmt{At: pc, From: l.Unit.Nodes[c].Tok, To: l.Unit.Nodes[c].TokEnd})
			}
		case syntax.KBlock:
			l.block(c)
		}
	}
}

// operands lowers the folded operands among the siblings [c, end). arg is the one among them that
// carries the event, 0 if there is none.
func (l *Lowerer) operands(c, end, arg uint32) {
	for ; c < end; c = l.Unit.Nodes[c].Next {
		switch l.Unit.Nodes[c].Kind {
		case syntax.KInstr:
			l.instr(c)
		case syntax.KBlock:
			l.block(c)
		case syntax.KEventArg:
			if arg == 0 || c != arg {
				l.eventArg(c)
				continue
			}
			l.operands(c+1, l.Unit.Nodes[c].Next, 0)
			if x := l.Unit.Nodes[c].Next; x < end && cursor.IsInstr(l.Unit.Nodes[x].Kind) &&
				l.Decls.Dialect.Info().EventOperand {
				l.ReportAt(
					diag.Immediate, l.Unit.NodePlace(x),
					"unexpected token: the event with its values is the last operand",
				)
			}
		case syntax.KOn, syntax.KClause, syntax.KTypeUse, syntax.KParam, syntax.KResult, syntax.KRefType:
			l.strayImmediate(c)
		}
	}
}

// operandsOnly lowers the folded operands of an instruction whose immediates were in error, and
// says nothing of what else stands there.
func (l *Lowerer) operandsOnly(c, end uint32) {
	for ; c < end; c = l.Unit.Nodes[c].Next {
		switch l.Unit.Nodes[c].Kind {
		case syntax.KInstr, syntax.KBlock:
			l.operands(c, l.Unit.Nodes[c].Next, 0)
		case syntax.KEventArg:
			l.operandsOnly(c+1, l.Unit.Nodes[c].Next)
		}
	}
}

// strayImmediate reports a form that is an immediate of other instructions.
func (l *Lowerer) strayImmediate(c uint32) {
	if len(l.Unit.Errors) > 0 {
		return // the parser may have reported it
	}
	l.ReportAt(
		diag.Immediate, l.Unit.NodePlace(c),
		"unexpected token "+l.Unit.Words(c)+": the instruction takes no such immediate",
	)
}

// instr lowers a plain instruction with its folded operands.
func (l *Lowerer) instr(n uint32) {
	u := &l.Unit
	nd := &u.Nodes[n]
	kw := u.Keyword(n)
	in := wasm.Instr{Op: nd.Op}
	if in.Op == wasm.OpInvalid {
		l.operandsOnly(n+1, nd.Next)
		l.unknownOp(kw)
		l.Emit(in, n, kw)
		return
	}
	info := in.Op.Info()
	if info.Dialect != wasm.DialectNone {
		op, ok := l.inDialect(n, in.Op)
		if !ok {
			l.operandsOnly(n+1, nd.Next)
			l.Emit(wasm.Instr{}, n, kw)
			return
		}
		in.Op, info = op, op.Info()
	}
	p := cursor.Parts{U: u, Tok: kw + 1, End: nd.TokEnd, Child: n + 1, LastChild: nd.Next}
	ok := true
	if len(info.Imms) > 0 {
		ok = l.immediates(&in, info, &p, kw)
	}
	if l.rest(&p, n, kw, &in) {
		ok = false // its operands are not what they seem
	}
	arg := uint32(0)
	if info.Dialect != wasm.DialectNone {
		l.strayTags(&p, info)
		arg, ok = l.arg, ok && !l.doubt
		l.arg, l.taken, l.doubt = 0, 0, false
	}
	if ok {
		l.operands(p.Child, nd.Next, arg)
	} else {
		l.operandsOnly(p.Child, nd.Next)
	}
	if !ok {
		in = wasm.Instr{} // what it would do is unknown: the validator makes nothing of it
	}
	l.Emit(in, n, kw)
}

// mostNear is for how many unknown words of a function something is suggested.
const mostNear = 100

// unknownOp reports a mnemonic that is not in the table.
func (l *Lowerer) unknownOp(t uint32) {
	if l.Silent || l.Out == nil || l.Unit.TokKind(t) != syntax.TokKeyword {
		return
	}
	s := l.Unit.TokText(t)
	f := cursor.Finding{Code: diag.UnknownWord, At: l.Unit.TokPlace(t), Msg: "unknown operator " + s}
	var near []string
	if l.unknownOps++; l.unknownOps <= mostNear {
		near = nearOps(s)
	}
	for i, c := range near {
		f.Fixes = append(
			f.Fixes,
			cursor.Fix{
				Title: "Change to " + c, Edits: []cursor.Edit{{At: f.At, New: c}},
				Preferred: i == 0 && !strings.HasSuffix(c, "_s"),
			},
		)
	}
	switch len(near) {
	case 0:
	case 1:
		f.Msg += "; did you mean " + near[0] + "?"
	default:
		f.Msg += "; did you mean " + strings.Join(near[:len(near)-1], ", ") + " or " + near[len(near)-1] + "?"
	}
	l.Report(f)
}

// renamed are mnemonics of old drafts.
var renamed = map[string]string{
	"get_local": "local.get", "set_local": "local.set", "tee_local": "local.tee", "get_global": "global.get", "set_global": "global.set",
	"task.yield": "task.suspend", "task.switch": "task.switchto", "trap": "unreachable", "grow_memory": "memory.grow", "current_memory": "memory.size", "i32.wrap/i64": "i32.wrap_i64",
}

// nearOps returns mnemonics that somebody may have meant, the likeliest first.
func nearOps(s string) []string {
	if n := renamed[s]; n != "" {
		return []string{n}
	}
	var out []string
	for _, suffix := range []string{"_s", "_u"} {
		if wasm.Lookup(s+suffix) != nil {
			out = append(out, s+suffix)
		}
	}
	if out != nil {
		return out
	}
	return decl.Nearest(s, mnemonics())
}

// mnemonics returns the mnemonics to compare words with.
var mnemonics = sync.OnceValue(func() []decl.NearName {
	var out []decl.NearName
	for _, m := range wasm.Mnemonics() {
		out = append(out, decl.NearName{Text: m, Letters: decl.Letters(m)})
	}
	return out
})

// blockHeader reads label and type of a block whose keyword is kw, and returns its block type. The
// walk stands after it then.
func (l *Lowerer) blockHeader(n, kw uint32, p *cursor.Parts) (bt wasm.BlockType, id int32, ok bool) {
	id = -1
	if t, has := p.Token(syntax.TokID); has {
		id = int32(t)
	}
	bt, ok = l.blockType(p.Child, p.LastChild)
	l.skipUse(p)
	return
}

// blockType reads the block type among the siblings [c, end).
func (l *Lowerer) blockType(c, end uint32) (wasm.BlockType, bool) {
	u := &l.Unit
	for c < end && u.Nodes[c].Kind == syntax.KAnnot {
		c = u.Nodes[c].Next
	}
	if c >= end {
		return 0, true
	}
	switch u.Nodes[c].Kind {
	case syntax.KTypeUse, syntax.KParam, syntax.KResult:
	default:
		return 0, true
	}
	x := &l.Use
	l.ReadUse(c, end, x)
	if x.TypeNode == 0 && len(x.Params) == 0 && len(x.Results) < 2 {
		if len(x.Results) == 1 {
			return wasm.BlockResult(x.Results[0]), true
		}
		return 0, true
	}
	i := l.UseIndex(x, false)
	return wasm.BlockIndex(i), i != wasm.BadIndex
}

// block lowers a structured instruction.
func (l *Lowerer) block(n uint32) {
	u := &l.Unit
	nd := &u.Nodes[n]
	kw := u.Keyword(n)
	folded := u.Folded(n)
	op := nd.Op
	p := cursor.Parts{U: u, Tok: kw + 1, End: nd.TokEnd, Child: n + 1, LastChild: nd.Next}
	bad := false
	if op.Info().Dialect != wasm.DialectNone {
		o, ok := l.inDialect(n, op)
		op, bad = o, !ok
	}
	if op == wasm.OpTry {
		l.Report(
			cursor.Finding{
				Code: diag.Legacy, At: u.TokPlace(kw),
				Msg: "deprecated: try is of the first version of exception handling; use try_table",
			},
		)
	}
	in := wasm.Instr{Op: op}
	bt, id, ok := l.blockHeader(n, kw, &p)
	in.Imm = uint64(bt)
	if !ok {
		in.Imm = uint64(wasm.BlockIndex(wasm.BadIndex))
	}
	name := ""
	ord := uint32(len(l.Body.Blocks))
	if id >= 0 {
		name = u.Name(uint32(id))
		if l.OnRef != nil {
			l.OnRef(decl.Sym{Space: decl.SpaceLabel, Owner: l.Body.Fn, Index: ord}, uint32(id), decl.RefDef)
		}
	}
	handle := op == wasm.OpHandle && !bad
	if op == wasm.OpTryTable {
		l.catches(&in, &p)
	}
	header := l.headerEnd(&p, kw)
	pc := uint32(len(l.Body.Instrs))
	at := len(l.Body.Stmts)
	if l.WantStmts {
		l.Body.Stmts = append(l.Body.Stmts, Stmt{At: pc, From: nd.Tok, To: header})
	}
	if folded && op == wasm.OpIf {
		for { // the condition comes first
			i, node, more := p.Peek()
			if !more || !node || u.Nodes[i].Kind != syntax.KInstr && u.Nodes[i].Kind != syntax.KBlock {
				break
			}
			l.operands(i, u.Nodes[i].Next, 0)
			if l.WantStmts {
				l.Body.Stmts[at].To = u.Nodes[i].TokEnd
			}
			p.Skip()
		}
	}
	if bad {
		in = wasm.Instr{Op: wasm.OpBlock, Imm: uint64(wasm.BlockIndex(wasm.BadIndex))}
		op = wasm.OpBlock
	}
	l.Body.Blocks = append(l.Body.Blocks, Block{Node: n, Instr: uint32(len(l.Body.Instrs)), Label: id, Used: false})
	l.Emit(in, n, kw)
	l.labels = append(l.labels, label{name, ord})
	closed := l.blockBody(n, &p, op)
	if handle {
		l.events(n+1, nd.Next)
	} else if bad {
		l.foreignEvents(n+1, nd.Next)
	}
	l.labels = l.labels[:len(l.labels)-1]
	if !closed {
		l.Emit(wasm.Instr{Op: wasm.OpEnd}, n, l.endToken(n, id))
	}
}

// headerEnd returns the token after a block's header.
func (l *Lowerer) headerEnd(p *cursor.Parts, kw uint32) uint32 {
	i, node, ok := p.Peek()
	switch {
	case !ok:
		return p.End
	case node:
		return max(l.Unit.Nodes[i].Tok, kw+1)
	}
	return max(i, kw+1)
}

// blockBody lowers what stands between a block's header and its end. It reports whether it closed
// the block itself (delegate).
func (l *Lowerer) blockBody(n uint32, p *cursor.Parts, op wasm.Op) (closed bool) {
	u := &l.Unit
	for {
		i, node, ok := p.Peek()
		if !ok {
			return closed
		}
		if !node {
			p.Skip()
			if u.TokKind(i) == syntax.TokKeyword && u.TokText(i) == "delegate" {
				closed = l.delegate(n, i, p)
			}
			continue
		}
		nd := &u.Nodes[i]
		switch nd.Kind {
		case syntax.KInstr, syntax.KBlock:
			if nd.Kind == syntax.KInstr && nd.Op == wasm.OpDelegate {
				kw := u.Keyword(i)
				q := cursor.Parts{U: u, Tok: kw + 1, End: nd.TokEnd, Child: i + 1, LastChild: nd.Next}
				closed = l.delegate(i, kw, &q)
				break
			}
			l.Sequence(i, nd.Next)
		case syntax.KThen, syntax.KDo:
			l.Sequence(i+1, nd.Next)
		case syntax.KElse:
			kw := u.Keyword(i)
			l.checkLabel(n, kw+1, nd.TokEnd)
			l.Emit(wasm.Instr{Op: wasm.OpElse}, n, kw)
			l.Sequence(i+1, nd.Next)
		case syntax.KCatchBlock:
			closed = l.catchBlock(n, i) || closed
		}
		p.Skip()
	}
}

// delegate lowers `delegate $l`, which ends its block; its label is counted outside the block.
func (l *Lowerer) delegate(n, kw uint32, p *cursor.Parts) bool {
	top := l.labels[len(l.labels)-1]
	l.labels = l.labels[:len(l.labels)-1]
	in := wasm.Instr{Op: wasm.OpDelegate, A: wasm.BadIndex}
	if t, ok := p.IndexToken(); ok {
		in.A = l.label(t)
	}
	l.labels = append(l.labels, top)
	l.Emit(in, n, kw)
	return true
}

// catchBlock lowers a clause of a legacy try.
func (l *Lowerer) catchBlock(n, i uint32) (closed bool) {
	u := &l.Unit
	kw := u.Keyword(i)
	q := cursor.Parts{U: u, Tok: kw + 1, End: u.Nodes[i].TokEnd, Child: i + 1, LastChild: u.Nodes[i].Next}
	switch u.TokText(kw) {
	case "catch":
		in := wasm.Instr{Op: wasm.OpCatch, A: wasm.BadIndex}
		if t, ok := q.IndexToken(); ok {
			in.A = l.Index(decl.SpaceTag, t, decl.RefRead)
		}
		l.Emit(in, n, kw)
	case "catch_all":
		l.Emit(wasm.Instr{Op: wasm.OpCatchAll}, n, kw)
	case "delegate":
		return l.delegate(n, kw, &q)
	}
	l.Sequence(i+1, u.Nodes[i].Next)
	return false
}

// endToken returns the token that ends a block: its `end`, else its closing parenthesis.
func (l *Lowerer) endToken(n uint32, id int32) uint32 {
	u := &l.Unit
	nd := &u.Nodes[n]
	if u.Folded(n) {
		return nd.TokEnd - 1
	}
	// The own tokens at the end of a flat block are `end` and maybe an identifier.
	last := nd.TokEnd - 1
	if last > nd.Tok && u.TokKind(last) == syntax.TokID && u.TokKind(last-1) == syntax.TokKeyword &&
		u.TokText(last-1) == "end" {
		l.sameLabel(n, last)
		return last - 1
	}
	return last
}

// Expr lowers a constant expression: the instructions among the siblings [c, end).
func (l *Lowerer) Expr(c, end, endTok uint32) []wasm.Instr {
	l.Begin(wasm.BadIndex)
	l.Sequence(c, end)
	l.Emit(wasm.Instr{Op: wasm.OpEnd}, c, endTok)
	return append([]wasm.Instr(nil), l.Body.Instrs...)
}
