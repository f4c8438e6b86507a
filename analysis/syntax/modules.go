package syntax

// ModuleRange is a module in a text: its fields and what stands around them.
type ModuleRange struct {
	Open       N   // KModule, or KCommand with a KModule as its child; zero in an implicit module
	Close      N   // the root of the closing unit: KModule or KCommand; zero if implicit or missing
	Module     N   // the KModule; zero in an implicit module
	Name       Tok // its identifier, or zero
	First, End int // the range of its units, Open and Close included

	Definition bool // (module definition …): not instantiated
	Instance   bool // (module instance …): no fields; the names are its own tokens
	Quote      bool // (module quote "…"): no fields
	Binary     bool // (module binary "…"): no fields

	t      *Tree
	fields bool // there is one
}

// Fields returns the module's fields in order, without annotations and without what could not be
// understood.
func (m ModuleRange) Fields() (out []N) {
	for i := m.First; i < m.End; i++ {
		if r := m.t.Root(i); m.t.Units[i].Kind == UnitField && r.Kind() != KAnnot {
			out = append(out, r)
		}
	}
	return out
}

// Modules returns the modules of the text in order. A text without any command has exactly one.
func (t *Tree) Modules() []ModuleRange {
	var out []ModuleRange
	cur := -1
	implicit := true
	for i := range t.Units {
		u := t.Units[i].Unit
		switch u.Kind {
		case UnitOpen:
			out = append(out, t.moduleOf(i))
			cur = len(out) - 1
			implicit = false
		case UnitCommand:
			implicit = false
			cur = -1
			if m := t.moduleOf(i); !m.Module.IsZero() {
				out = append(out, m)
			}
		case UnitField:
			r := t.Root(i)
			if cur < 0 {
				if u.entry.place != atTop || r.Kind() == KAnnot && u.entry.mode == modeScript {
					continue
				}
				out = append(out, ModuleRange{t: t, First: i})
				cur = len(out) - 1
			}
			m := &out[cur]
			m.fields = m.fields || r.Kind() != KAnnot
			m.End = i + 1
		case UnitClose:
			if cur >= 0 {
				out[cur].Close = t.Root(i)
				out[cur].End = i + 1
			}
			cur = -1
		case UnitStray:
			if cur >= 0 {
				out[cur].End = i + 1
			}
		}
	}
	// Annotations before a script are no module.
	if !implicit && len(out) > 0 && out[0].Open.IsZero() && out[0].Module.IsZero() && !out[0].fields {
		out = out[1:]
	}
	if implicit && len(out) == 0 {
		out = append(out, ModuleRange{t: t, End: len(t.Units) - 1})
	}
	return out
}

// moduleOf describes the module that begins in, or is, a unit.
func (t *Tree) moduleOf(i int) ModuleRange {
	m := ModuleRange{t: t, First: i, End: i + 1}
	r := t.Root(i)
	mod := r
	if r.Kind() == KCommand {
		mod = r.First(KModule)
	}
	if mod.Kind() != KModule {
		return ModuleRange{}
	}
	m.Module = mod
	if t.Units[i].Kind == UnitOpen {
		m.Open = r
	}
	for k := range mod.Own() {
		switch k.Kind() {
		case TokID:
			if m.Name.IsZero() {
				m.Name = k
			}
		case TokKeyword:
			switch k.Text() {
			case "definition":
				m.Definition = true
			case "instance":
				m.Instance = true
			case "quote":
				m.Quote = true
			case "binary":
				m.Binary = true
			}
		}
	}
	return m
}

// Commands returns the commands of a script in order, modules among them: the roots of UnitOpen and
// UnitCommand. The rest of a UnitOpen's command is in the ModuleRange whose Open it is.
func (t *Tree) Commands() []N {
	var out []N
	for i := range t.Units {
		if k := t.Units[i].Kind; k == UnitOpen || k == UnitCommand {
			out = append(out, t.Root(i))
		}
	}
	return out
}
