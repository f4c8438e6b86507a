package analysis

import (
	"strings"
	"sync"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/lower"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// lowerer turns the instruction sequences of a unit into flat code. It is used again and again by
// one goroutine: its slices are scratch.
type lowerer struct {
	decl.TypeReader
	body       *lower.Body
	want       bool // collect statements
	labels     []label
	unknownOps int    // of the function, so far
	kw         uint32 // keyword of the instruction whose immediates are being read

	taken, arg uint32 // of the instruction at hand: a tag behind operands, a KEventArg with the event
	doubt      bool   // its operands are in another order than it takes them

	byName map[string]uint32
	use    decl.TypeUse
}

// label is an open label, innermost last.
type label struct {
	name  string
	block uint32 // ordinal of the block; noBlock: the function or expression itself
}

const noBlock = ^uint32(0)

// begin makes the lowerer ready for a sequence of the unit.
func (l *lowerer) begin(fn uint32) {
	l.body.Fn, l.body.Text, l.body.Unit, l.body.Decls = fn, l.Text, l.Unit, l.Decls
	l.body.Instrs, l.body.Nodes, l.body.Stmts = l.body.Instrs[:0], l.body.Nodes[:0], l.body.Stmts[:0]
	l.labels, l.body.Blocks = append(l.labels[:0], label{block: noBlock}), l.body.Blocks[:0]
	l.body.Locals, l.body.LocalNames, l.body.LocalItems = l.body.Locals[:0], l.body.LocalNames[:0], l.body.LocalItems[:0]
	l.body.Implied = l.body.Implied[:0]
	l.unknownOps = 0
}

// emit appends an instruction that node n wrote; t is the token it stands at.
func (l *lowerer) emit(in wasm.Instr, n, t uint32) {
	in.At = wasm.Pos(l.Unit.Off) + wasm.Pos(l.Unit.Tokens[t].Off)
	l.body.Instrs = append(l.body.Instrs, in)
	l.body.Nodes = append(l.body.Nodes, n)
}

// function lowers the body of the function declared by the unit's root. The body is the lowerer's
// until it lowers the next one.
func (l *lowerer) function(fn uint32) *lower.Body {
	l.begin(fn)
	root := &l.Unit.Nodes[0]
	first := l.params(0)
	if ft := l.Decls.Mod.FuncType(l.Decls.Mod.Funcs[fn].Type); ft != nil {
		if len(l.body.Locals) != len(ft.Params) { // parameters come from the type alone, or do not match it
			l.body.Locals = append(l.body.Locals[:0], ft.Params...)
			for len(l.body.LocalNames) < len(l.body.Locals) {
				l.body.LocalNames = append(l.body.LocalNames, "")
				l.body.LocalItems = append(l.body.LocalItems, decl.Item{Unit: l.Unit.Index, Node: 0, Id: -1, Part: 0})
			}
			l.body.LocalNames, l.body.LocalItems = l.body.LocalNames[:len(l.body.Locals)], l.body.LocalItems[:len(l.body.Locals)]
		}
	}
	for c := uint32(1); c < root.Next; c = l.Unit.Nodes[c].Next {
		if l.Unit.Nodes[c].Kind == syntax.KLocal {
			l.localGroup(c)
		}
	}
	l.indexLocals()
	l.sequence(first, root.Next)
	l.events(first, root.Next)
	l.emit(wasm.Instr{Op: wasm.OpEnd}, 0, root.TokEnd-1)
	return l.body
}

// params enters the parameters among the children of a function or import, and gives the node
// behind the header.
func (l *lowerer) params(n uint32) uint32 {
	c, end := n+1, l.Unit.Nodes[n].Next
	hush := l.Silent
	for ; c < end; c = l.Unit.Nodes[c].Next {
		switch l.Unit.Nodes[c].Kind {
		case syntax.KParam:
			l.Silent = true // what is wrong with its type was said when the function was declared
			l.localGroup(c)
			l.Silent = hush
			continue
		case syntax.KLocal, syntax.KTypeUse, syntax.KResult, syntax.KInlineExport, syntax.KInlineImport, syntax.KAnnot:
			continue
		}
		break
	}
	return c
}

// localGroup enters the parameters or locals of a group.
func (l *lowerer) localGroup(c uint32) {
	had := len(l.body.Locals)
	var id int32
	l.body.Locals, id = l.AppendTypes(c, l.body.Locals)
	if len(l.body.Locals) == had && id >= 0 && l.Unit.Nodes[c].Kind == syntax.KLocal {
		l.body.Locals = append(l.body.Locals, wasm.Unknown) // the type is malformed: that was said
	}
	for i := had; i < len(l.body.Locals); i++ {
		name := ""
		if id >= 0 {
			name = l.Unit.Name(uint32(id))
			if l.OnRef != nil {
				l.OnRef(decl.Sym{Space: decl.SpaceLocal, Owner: l.body.Fn, Index: uint32(i)}, uint32(id), decl.RefDef)
			}
		}
		l.body.LocalNames = append(l.body.LocalNames, name)
		l.body.LocalItems = append(l.body.LocalItems, decl.Item{Unit: l.Unit.Index, Node: c, Id: id, Part: 0})
	}
}

const fewLocals = 12

// indexLocals looks for duplicates, and makes names quick to find where there are many.
func (l *lowerer) indexLocals() {
	if len(l.body.LocalNames) > fewLocals {
		if l.byName == nil {
			l.byName = map[string]uint32{}
		}
		clear(l.byName)
		for i, s := range l.body.LocalNames {
			if s == "" {
				continue
			}
			if j, ok := l.byName[s]; ok {
				l.duplicateLocal(i, int(j))
				continue
			}
			l.byName[s] = uint32(i)
		}
		return
	}
	for i, s := range l.body.LocalNames {
		if s == "" {
			continue
		}
		for j := range i {
			if l.body.LocalNames[j] == s {
				l.duplicateLocal(i, j)
				break
			}
		}
	}
}

func (l *lowerer) duplicateLocal(i, j int) {
	t := uint32(l.body.LocalItems[i].Id)
	l.Report(cursor.Finding{Code: diag.DuplicateName, At: l.Unit.TokPlace(t), Msg: "duplicate local " + l.Unit.TokText(t),
		Related: []cursor.Related{{At: l.Unit.TokPlace(uint32(l.body.LocalItems[j].Id)), Msg: "first declared here"}}})
}

// local resolves a local.
func (l *lowerer) local(t uint32, kind decl.RefKind) uint32 {
	i := wasm.BadIndex
	switch l.Unit.TokKind(t) {
	case syntax.TokNat:
		i = l.Number(decl.SpaceLocal, t)
	case syntax.TokID:
		name := l.Unit.Name(t)
		if len(l.body.LocalNames) > fewLocals {
			if j, ok := l.byName[name]; ok {
				i = j
			}
		} else {
			for j, s := range l.body.LocalNames {
				if s == name {
					i = uint32(j)
					break
				}
			}
		}
		if i == wasm.BadIndex {
			l.UnknownName(decl.SpaceLocal, t, l.localMap())
		}
	}
	if l.OnRef != nil {
		l.OnRef(decl.Sym{Space: decl.SpaceLocal, Owner: l.body.Fn, Index: i}, t, kind)
	}
	return i
}

func (l *lowerer) localMap() map[string]uint32 {
	m := map[string]uint32{}
	for i, s := range l.body.LocalNames {
		if s != "" {
			m[s] = uint32(i)
		}
	}
	return m
}

// label resolves a label to a relative depth.
func (l *lowerer) label(t uint32) uint32 {
	d := wasm.BadIndex
	switch l.Unit.TokKind(t) {
	case syntax.TokNat:
		d = l.Number(decl.SpaceLabel, t)
	case syntax.TokID:
		name := l.Unit.Name(t)
		for i := len(l.labels) - 1; i > 0; i-- {
			if l.labels[i].name == name {
				d = uint32(len(l.labels) - 1 - i)
				break
			}
		}
		if d == wasm.BadIndex {
			m := map[string]uint32{}
			for _, x := range l.labels {
				if x.name != "" {
					m[x.name] = 0
				}
			}
			l.UnknownName(decl.SpaceLabel, t, m)
		}
	}
	i := wasm.BadIndex
	if int64(d) < int64(len(l.labels)) {
		i = l.labels[len(l.labels)-1-int(d)].block
	}
	if int64(i) < int64(len(l.body.Blocks)) {
		l.body.Blocks[i].Used = true
	}
	if l.OnRef != nil {
		l.OnRef(decl.Sym{Space: decl.SpaceLabel, Owner: l.body.Fn, Index: i}, t, decl.RefRead)
	}
	return d
}

// sequence lowers the instructions among the siblings [c, end).
func (l *lowerer) sequence(c, end uint32) {
	for ; c < end; c = l.Unit.Nodes[c].Next {
		switch l.Unit.Nodes[c].Kind {
		case syntax.KInstr:
			pc := uint32(len(l.body.Instrs))
			l.instr(c)
			if l.want && uint32(len(l.body.Instrs)) > pc {
				l.body.Stmts = append(l.body.Stmts, lower.Stmt{At: pc, From: l.Unit.Nodes[c].Tok, To: l.Unit.Nodes[c].TokEnd})
			}
		case syntax.KBlock:
			l.block(c)
		}
	}
}

// operands lowers the folded operands among the siblings [c, end). arg is the one among them that
// carries the event, 0 if there is none.
func (l *lowerer) operands(c, end, arg uint32) {
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
			if x := l.Unit.Nodes[c].Next; x < end && cursor.IsInstr(l.Unit.Nodes[x].Kind) && l.Decls.Dialect.Info().EventOperand {
				l.ReportAt(diag.Immediate, l.Unit.NodePlace(x), "unexpected token: the event with its values is the last operand")
			}
		case syntax.KOn, syntax.KClause, syntax.KTypeUse, syntax.KParam, syntax.KResult, syntax.KRefType:
			l.strayImmediate(c)
		}
	}
}

// operandsOnly lowers the folded operands of an instruction whose immediates were in error, and
// says nothing of what else stands there.
func (l *lowerer) operandsOnly(c, end uint32) {
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
func (l *lowerer) strayImmediate(c uint32) {
	if len(l.Unit.Errors) > 0 {
		return // the parser may have reported it
	}
	l.ReportAt(diag.Immediate, l.Unit.NodePlace(c), "unexpected token "+l.Unit.Words(c)+": the instruction takes no such immediate")
}

// instr lowers a plain instruction with its folded operands.
func (l *lowerer) instr(n uint32) {
	u := &l.Unit
	nd := &u.Nodes[n]
	kw := u.Keyword(n)
	in := wasm.Instr{Op: nd.Op}
	if in.Op == wasm.OpInvalid {
		l.operandsOnly(n+1, nd.Next)
		l.unknownOp(kw)
		l.emit(in, n, kw)
		return
	}
	info := in.Op.Info()
	if info.Dialect != wasm.DialectNone {
		op, ok := l.inDialect(n, in.Op)
		if !ok {
			l.operandsOnly(n+1, nd.Next)
			l.emit(wasm.Instr{}, n, kw)
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
	l.emit(in, n, kw)
}

// mostNear is for how many unknown words of a function something is suggested.
const mostNear = 100

// unknownOp reports a mnemonic that is not in the table.
func (l *lowerer) unknownOp(t uint32) {
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
		f.Fixes = append(f.Fixes, cursor.Fix{Title: "Change to " + c, Edits: []cursor.Edit{{At: f.At, New: c}}, Preferred: i == 0 && !strings.HasSuffix(c, "_s")})
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

// blockHeader reads label and type of a block whose keyword is kw, and gives its block type. The
// walk stands behind it then.
func (l *lowerer) blockHeader(n, kw uint32, p *cursor.Parts) (bt wasm.BlockType, id int32, ok bool) {
	id = -1
	if t, has := p.Token(syntax.TokID); has {
		id = int32(t)
	}
	bt, ok = l.blockType(p.Child, p.LastChild)
	l.skipUse(p)
	return
}

// blockType reads the block type among the siblings [c, end).
func (l *lowerer) blockType(c, end uint32) (wasm.BlockType, bool) {
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
	x := &l.use
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
func (l *lowerer) block(n uint32) {
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
	ord := uint32(len(l.body.Blocks))
	if id >= 0 {
		name = u.Name(uint32(id))
		if l.OnRef != nil {
			l.OnRef(decl.Sym{Space: decl.SpaceLabel, Owner: l.body.Fn, Index: ord}, uint32(id), decl.RefDef)
		}
	}
	handle := op == wasm.OpHandle && !bad
	if op == wasm.OpTryTable {
		l.catches(&in, &p)
	}
	header := l.headerEnd(&p, kw)
	pc := uint32(len(l.body.Instrs))
	at := len(l.body.Stmts)
	if l.want {
		l.body.Stmts = append(l.body.Stmts, lower.Stmt{At: pc, From: nd.Tok, To: header})
	}
	if folded && op == wasm.OpIf {
		for { // the condition comes first
			i, node, more := p.Peek()
			if !more || !node || u.Nodes[i].Kind != syntax.KInstr && u.Nodes[i].Kind != syntax.KBlock {
				break
			}
			l.operands(i, u.Nodes[i].Next, 0)
			if l.want {
				l.body.Stmts[at].To = u.Nodes[i].TokEnd
			}
			p.Skip()
		}
	}
	if bad {
		in = wasm.Instr{Op: wasm.OpBlock, Imm: uint64(wasm.BlockIndex(wasm.BadIndex))}
		op = wasm.OpBlock
	}
	l.body.Blocks = append(l.body.Blocks, lower.Block{Node: n, Instr: uint32(len(l.body.Instrs)), Label: id, Used: false})
	l.emit(in, n, kw)
	l.labels = append(l.labels, label{name, ord})
	closed := l.blockBody(n, &p, op)
	if handle {
		l.events(n+1, nd.Next)
	} else if bad {
		l.foreignEvents(n+1, nd.Next)
	}
	l.labels = l.labels[:len(l.labels)-1]
	if !closed {
		l.emit(wasm.Instr{Op: wasm.OpEnd}, n, l.endToken(n, id))
	}
}

// headerEnd returns the token behind a block's header.
func (l *lowerer) headerEnd(p *cursor.Parts, kw uint32) uint32 {
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
func (l *lowerer) blockBody(n uint32, p *cursor.Parts, op wasm.Op) (closed bool) {
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
			l.sequence(i, nd.Next)
		case syntax.KThen, syntax.KDo:
			l.sequence(i+1, nd.Next)
		case syntax.KElse:
			kw := u.Keyword(i)
			l.checkLabel(n, kw+1, nd.TokEnd)
			l.emit(wasm.Instr{Op: wasm.OpElse}, n, kw)
			l.sequence(i+1, nd.Next)
		case syntax.KCatchBlock:
			closed = l.catchBlock(n, i) || closed
		}
		p.Skip()
	}
}

// delegate lowers `delegate $l`, which ends its block; its label is counted outside the block.
func (l *lowerer) delegate(n, kw uint32, p *cursor.Parts) bool {
	top := l.labels[len(l.labels)-1]
	l.labels = l.labels[:len(l.labels)-1]
	in := wasm.Instr{Op: wasm.OpDelegate, A: wasm.BadIndex}
	if t, ok := p.IndexToken(); ok {
		in.A = l.label(t)
	}
	l.labels = append(l.labels, top)
	l.emit(in, n, kw)
	return true
}

// catchBlock lowers a clause of a legacy try.
func (l *lowerer) catchBlock(n, i uint32) (closed bool) {
	u := &l.Unit
	kw := u.Keyword(i)
	q := cursor.Parts{U: u, Tok: kw + 1, End: u.Nodes[i].TokEnd, Child: i + 1, LastChild: u.Nodes[i].Next}
	switch u.TokText(kw) {
	case "catch":
		in := wasm.Instr{Op: wasm.OpCatch, A: wasm.BadIndex}
		if t, ok := q.IndexToken(); ok {
			in.A = l.Index(decl.SpaceTag, t, decl.RefRead)
		}
		l.emit(in, n, kw)
	case "catch_all":
		l.emit(wasm.Instr{Op: wasm.OpCatchAll}, n, kw)
	case "delegate":
		return l.delegate(n, kw, &q)
	}
	l.sequence(i+1, u.Nodes[i].Next)
	return false
}

// endToken returns the token that ends a block: its `end`, else its closing parenthesis.
func (l *lowerer) endToken(n uint32, id int32) uint32 {
	u := &l.Unit
	nd := &u.Nodes[n]
	if u.Folded(n) {
		return nd.TokEnd - 1
	}
	// The own tokens at the end of a flat block are `end` and maybe an identifier.
	last := nd.TokEnd - 1
	if last > nd.Tok && u.TokKind(last) == syntax.TokID && u.TokKind(last-1) == syntax.TokKeyword && u.TokText(last-1) == "end" {
		l.sameLabel(n, last)
		return last - 1
	}
	return last
}

// checkLabel records the use of the block's label behind `else`; the parser compares them.
func (l *lowerer) checkLabel(n, t, end uint32) {
	if t < end && l.Unit.TokKind(t) == syntax.TokID {
		l.sameLabel(n, t)
	}
}

func (l *lowerer) sameLabel(n, t uint32) {
	for i := len(l.body.Blocks) - 1; i >= 0; i-- {
		if l.body.Blocks[i].Node == n {
			if l.OnRef != nil {
				l.OnRef(decl.Sym{Space: decl.SpaceLabel, Owner: l.body.Fn, Index: uint32(i)}, t, decl.RefRead)
			}
			break
		}
	}
}
