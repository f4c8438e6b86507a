package syntax

import "strings"

// group looks at the module that begins with a UnitOpen.
func (f *formatter) group(i int) {
	f.groupEnd, f.flatMod, f.flatCmd, f.sameLine = i+1, false, false, false
	if o := f.t.Units[i]; o.entry.place == atTop && len(o.Nodes) > 0 && o.Nodes[0].Kind == KCommand {
		f.load(i)
		for x := 1; x < len(o.Nodes); x = int(o.Nodes[x].Next) {
			if o.Nodes[x].Kind == KModule {
				f.sameLine = !f.newlineBefore(int(o.Nodes[x].Tok))
			}
		}
	}
	w, ok := 0, true
	clean := true
	j := i
	for ; j < len(f.t.Units); j++ {
		u := f.t.Units[j]
		if j > i && (u.Kind == UnitOpen || u.Kind == UnitEnd || u.Kind == UnitCommand) {
			return // the module is not closed
		}
		clean = clean && len(u.Errors) == 0
		if len(u.Tokens) > 0 && ok && w <= f.opt.Width {
			f.load(j)
			fw, can := f.flatWidth(0, len(u.Tokens))
			w += fw + 1
			ok = ok && can
			if j > i && f.brk[1] > 0 {
				ok = false
			}
			if j > i && !isBlank(f.gapText(0)) {
				ok = false
			}
		} else if len(u.Tokens) == 0 {
			ok = false
		}
		if u.Kind == UnitClose {
			break
		}
	}
	if j >= len(f.t.Units) {
		return
	}
	f.groupEnd = j + 1
	if !ok || !clean {
		return
	}
	text := f.t.Src.Text
	o, c := f.t.Units[i], f.t.Units[j]
	start := o.Off + int(o.Tokens[0].Off)
	end := c.Off + int(c.Len)
	f.flatCmd = w-1 <= f.opt.Width && !strings.ContainsAny(text[start:end], "\r\n")
	f.flatMod = f.flatCmd
	if o.Nodes[0].Kind == KCommand && !f.flatCmd {
		m := o.Nodes[1]
		for x := 1; x < len(o.Nodes) && o.Nodes[x].Kind != KModule; x = int(o.Nodes[x].Next) {
			m = o.Nodes[x]
		}
		start = o.Off + int(o.Tokens[m.Tok].Off)
		end = c.Off + int(c.Tokens[0].Off) + 1
		f.flatMod = w <= f.opt.Width && !strings.ContainsAny(text[start:end], "\r\n")
	}
}

// unit places the tokens of a unit.
func (f *formatter) unit(i int) {
	f.load(i)
	u := f.u
	f.col = 0
	base := 0
	switch u.entry.place {
	case inModule:
		base = 1
	case inCommand:
		base = 2
		if f.sameLine {
			base = 1
		}
	}
	inGroup := i < f.groupEnd
	switch u.Kind {
	case UnitEnd:
		if s := f.t.Src.Text; s != "" && (u.Off > 0 || !isBlank(s)) {
			f.put(0, gapFirst, 0)
		} else {
			f.put(0, gapNone, 0)
		}
	case UnitOpen:
		f.put(0, gapLine, 0)
		m := 0
		for x := 1; x < len(u.Nodes); x = int(u.Nodes[x].Next) {
			if u.Nodes[x].Kind == KModule {
				m = x
			}
		}
		if m == 0 || inGroup && f.flatCmd {
			f.flat(1, len(u.Tokens), 0)
			return
		}
		at := int(u.Nodes[m].Tok)
		f.flat(1, at, 1)
		if f.newlineBefore(at) {
			f.put(at, gapFirst, 1)
		} else {
			f.put(at, gapSpace, 1)
		}
		f.flat(at+1, len(u.Tokens), 1)
	case UnitClose:
		if len(u.Tokens) == 0 {
			return
		}
		if inGroup && f.flatMod || f.t.Units[i-1].Kind == UnitOpen {
			f.put(0, gapNone, base)
		} else {
			f.shut(0, true, base-1)
		}
		for j := 1; j < len(u.Tokens); j++ {
			switch u.Tokens[j].Kind {
			case TokString:
				if f.newlineBefore(j) {
					f.put(j, gapFirst, 1)
				} else {
					f.put(j, gapSpace, 1)
				}
			case TokRParen:
				f.shut(j, true, 0)
			default:
				f.put(j, f.flatKind(j), 1)
			}
		}
	default:
		if len(u.Nodes) == 0 {
			return
		}
		switch {
		case inGroup && f.flatMod:
			f.put(0, gapSpace, base)
			f.flat(1, len(u.Tokens), base)
		case i > 0 && f.t.Units[i-1].Kind == UnitOpen:
			f.node(0, gapFirst, base)
		default:
			f.node(0, gapLine, base)
		}
	}
}
