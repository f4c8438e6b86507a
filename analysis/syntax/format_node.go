package syntax

import "stackscope/wasm"

// node places a node whose line is indented by indent levels.
func (f *formatter) node(n int, k gapKind, indent int) {
	d := &f.u.Nodes[n]
	f.put(int(d.Tok), k, indent)
	col := f.col - f.tokWidth(f.u.Tokens[d.Tok])
	folded := f.u.Tokens[d.Tok].Kind == TokLParen
	switch d.Kind {
	case KAnnot:
		f.flat(int(d.Tok)+1, int(d.TokEnd), indent)
	case KFunc, KRec, KBlock, KThen, KElse, KDo, KCatchBlock, KEvent:
		switch {
		case !folded:
			f.flatBlock(n, indent)
		case f.fits(n, col) && (f.wasFlat(n) || !f.hasBody(n)):
			f.flat(int(d.Tok)+1, int(d.TokEnd), indent)
		default:
			f.structured(n, indent)
		}
	case KInstr:
		if !folded || f.fits(n, col) && !f.expanded(n) {
			f.flat(int(d.Tok)+1, int(d.TokEnd), indent+1)
			return
		}
		f.broken(n, indent)
	default:
		if f.fits(n, col) && !f.expanded(n) {
			f.flat(int(d.Tok)+1, int(d.TokEnd), indent)
			return
		}
		f.broken(n, indent)
	}
}

// parts calls tok for a node's own tokens after the first, and child for its children, in order.
func (f *formatter) parts(n int, tok func(j int), child func(c int)) {
	nodes := f.u.Nodes
	d := nodes[n]
	c := n + 1
	j := int(d.Tok) + 1
	if c < int(d.Next) && nodes[c].Tok == d.Tok { // a child stands for the node: an offset, say
		j = int(d.Tok)
	}
	for j < int(d.TokEnd) {
		if c < int(d.Next) && int(nodes[c].Tok) <= j {
			child(c)
			j = max(j, int(nodes[c].TokEnd))
			c = int(nodes[c].Next)
			continue
		}
		tok(j)
		j++
	}
}

// isHead reports whether a child belongs to the first line of a function, block or instruction.
func isHead(k Kind) bool {
	switch k {
	case KInlineImport, KInlineExport, KTypeUse, KParam, KResult, KRefType, KNumType, KCatch, KOn, KClause:
		return true
	}
	return false
}

// takesOperands reports whether the children of a node that is put on several lines get one each.
func takesOperands(k Kind) bool {
	switch k {
	case KInstr, KAction, KConst, KEventArg, KOffset, KItem:
		return true
	}
	return false
}

// hasBody reports whether a node has children that are not of its first line.
func (f *formatter) hasBody(n int) bool {
	for c := n + 1; c < int(f.u.Nodes[n].Next); c = int(f.u.Nodes[c].Next) {
		if k := f.u.Nodes[c].Kind; !isHead(k) && k != KAnnot {
			return true
		}
	}
	return false
}

// head places a child of the first line: on it if it fits, else on a line two levels in.
func (f *formatter) head(c, indent int) {
	if f.fits(c, f.col+1) {
		f.node(c, gapSpace, indent+1)
		return
	}
	f.node(c, gapFirst, indent+2)
}

// structured places a function, a folded block or a part of one, over several lines.
func (f *formatter) structured(n, indent int) {
	d := &f.u.Nodes[n]
	body := false
	local := false
	next := func(c int) gapKind {
		if body {
			return gapLine
		}
		body = true
		return gapFirst
	}
	f.parts(n, func(j int) {
		switch {
		case j == int(d.TokEnd)-1 && f.u.Tokens[j].Kind == TokRParen:
			f.shut(j, body, indent)
		case body:
			f.put(j, gapLine, indent+1)
		default:
			f.put(j, f.flatKind(j), indent+1)
		}
	}, func(c int) {
		k := f.u.Nodes[c].Kind
		switch {
		case !body && isHead(k):
			f.head(c, indent)
		case !body && k == KAnnot && !f.newlineBefore(int(f.u.Nodes[c].Tok)):
			f.node(c, gapSpace, indent+1)
		case k == KLocal:
			if local && !f.newlineBefore(int(f.u.Nodes[c].Tok)) && f.fits(c, f.col+1) {
				f.node(c, gapSpace, indent+1)
			} else {
				f.node(c, next(c), indent+1)
			}
			local = true
		case !body && d.Op == wasm.OpIf && k == KInstr && f.fits(c, f.col+1):
			f.node(c, gapSpace, indent+1) // the condition
		default:
			f.node(c, next(c), indent+1)
		}
	})
}

// shut places the parenthesis that closes a form over several lines: on a line of its own if it
// was.
func (f *formatter) shut(j int, body bool, indent int) {
	if body && f.newlineBefore(j) {
		f.put(j, gapFirst, indent)
	} else {
		f.put(j, gapNone, indent)
	}
}

// flatBlock places a flat block, or a part of one, whose first token is placed.
func (f *formatter) flatBlock(n, indent int) {
	body := false
	ended := false
	f.parts(n, func(j int) {
		switch {
		case ended || !body && !f.closes(j):
			f.put(j, f.flatKind(j), indent+1)
		case f.closes(j):
			ended = true
			f.put(j, gapLine, indent)
		default:
			f.put(j, gapSpace, indent+1)
		}
	}, func(c int) {
		d := &f.u.Nodes[c]
		arm := f.u.Tokens[d.Tok].Kind != TokLParen && (d.Kind == KElse || d.Kind == KCatchBlock || d.Kind == KEvent)
		switch {
		case arm:
			body = true
			f.node(c, gapLine, indent)
		case !body && isHead(d.Kind):
			f.head(c, indent)
		case !body && d.Kind == KAnnot && !f.newlineBefore(int(d.Tok)) && f.isWord(d.Tok, "(@name"): // of the label
			f.node(c, gapSpace, indent+1)
		case !body:
			body = true
			f.node(c, gapFirst, indent+1)
		default:
			f.node(c, gapLine, indent+1)
		}
	})
}

// expanded reports whether a node, though it would fit on a line, was given several on purpose: its
// first operand or item stands on a new one, or that of an operand.
func (f *formatter) expanded(n int) bool { return f.exp[n] }

// isExpanded computes expanded of a node from that of its children.
func (f *formatter) isExpanded(n int) bool {
	d := &f.u.Nodes[n]
	if f.wasFlat(n) {
		return false
	}
	switch d.Kind {
	case KInstr, KAction, KConst, KEventArg, KOffset, KItem:
		first := true
		for c := n + 1; c < int(d.Next); c = int(f.u.Nodes[c].Next) {
			k := f.u.Nodes[c].Kind
			if isHead(k) || k == KAnnot {
				continue
			}
			if first && f.newlineBefore(int(f.u.Nodes[c].Tok)) && f.u.Nodes[c].Tok != d.Tok || f.expanded(c) {
				return true
			}
			first = false
		}
	case KBlock, KThen, KElse, KDo, KCatchBlock, KEvent:
		return f.hasBody(n)
	case KStructType, KElem, KElemList, KData, KDataList, KModule:
		for j := int(d.Tok) + 1; j < int(d.TokEnd); j++ {
			switch f.u.Tokens[j].Kind {
			case TokString, TokID, TokNat:
				if d.Kind != KStructType && f.newlineBefore(j) {
					return true
				}
			case TokLParen:
				if f.newlineBefore(j) {
					return true
				}
			}
		}
	case KImport:
		return f.importGroup(n) && f.newlineBefore(int(f.u.Nodes[f.firstItem(n)].Tok))
	case KType, KSub, KTable, KMemory, KGlobal, KCommand:
		for c := n + 1; c < int(d.Next); c = int(f.u.Nodes[c].Next) {
			if f.expanded(c) {
				return true
			}
		}
	}
	return false
}

// importGroup reports whether an import is a group of items.
func (f *formatter) importGroup(n int) bool { return f.firstItem(n) > 0 }

// firstItem returns the first item of a group of imports, or 0.
func (f *formatter) firstItem(n int) int {
	for c := n + 1; c < int(f.u.Nodes[n].Next); c = int(f.u.Nodes[c].Next) {
		if f.u.Nodes[c].Kind == KImportItem {
			return c
		}
	}
	return 0
}

// broken places a node over several lines.
func (f *formatter) broken(n, indent int) {
	d := &f.u.Nodes[n]
	down := false // the parts stand below the first line
	f.parts(n, func(j int) {
		list := f.u.Tokens[j].Kind == TokString || f.u.Tokens[j].Kind == TokID || f.u.Tokens[j].Kind == TokNat
		switch {
		case f.u.Tokens[j].Kind == TokRParen && j == int(d.TokEnd)-1:
			f.shut(j, down, indent)
		case list && d.Kind != KInstr && f.newlineBefore(j):
			down = true
			f.put(j, gapFirst, indent+1)
		case list && down && d.Kind == KInstr:
			f.put(j, gapLine, indent+1)
		default:
			f.put(j, f.flatKind(j), indent+1)
		}
	}, func(c int) {
		k := f.u.Nodes[c].Kind
		same := f.fits(c, f.col+1) && !f.expanded(c)
		first := int(f.u.Nodes[c].Tok) == int(d.Tok)
		switch {
		case first:
			f.node(c, gapKeep, indent)
			return
		case d.Kind == KType || d.Kind == KSub:
			f.node(c, gapSpace, indent)
			return
		case takesOperands(d.Kind):
			if !down && isHead(k) {
				f.head(c, indent)
				return
			}
			same = false
		case d.Kind == KStructType, d.Kind == KCommand && c != n+1, d.Kind == KImport && f.importGroup(n):
			same = false
		case d.Kind == KCommand && k == KModule:
			same = true
		case d.Kind == KElem || d.Kind == KElemList:
			same = same && !f.newlineBefore(int(f.u.Nodes[c].Tok))
		}
		if same {
			f.node(c, gapSpace, indent+1)
			return
		}
		g := gapLine
		if !down {
			g = gapFirst
		}
		down = true
		f.node(c, g, indent+1)
	})
}
