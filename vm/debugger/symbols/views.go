package symbols

import (
	"slices"

	"stackscope/analysis/debuginfo"
	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
)

// views are how functions are shown: which in the text format, which folded.
type views struct {
	inWAT map[snapshot.FuncID]bool // see Code.SetView
	all   bool                     // functions are shown in the text format, unless inWAT says otherwise
	skip  *Skip

	withLines map[*Unit]bool            // see hasLines
	skipped   map[*debuginfo.File]bool  // see skips
	anyText   map[*Unit]bool            // see hasTexts
	users     map[*Unit]map[uint32]bool // see Symbols.MayBeUser
}

func newViews() *views {
	return &views{
		skip: &Skip{runtime: true}, inWAT: map[snapshot.FuncID]bool{},
		withLines: map[*Unit]bool{}, skipped: map[*debuginfo.File]bool{},
		anyText: map[*Unit]bool{}, users: map[*Unit]map[uint32]bool{},
	}
}

// wat reports whether a function is shown in the text format although its source is known.
func (v *views) wat(id snapshot.FuncID) bool {
	if wat, ok := v.inWAT[id]; ok {
		return wat
	}
	return v.all
}

// hasLines reports whether the source of some code of a unit is known.
func (v *views) hasLines(u *Unit) bool {
	if u.Info == nil {
		return false
	}
	has, ok := v.withLines[u]
	if !ok {
		has = len(u.Info.Files()) > 0
		v.withLines[u] = has
	}
	return has
}

// skips reports whether the file of a place of a function is skipped. A file whose text is nowhere,
// while that of others is there, was compiled elsewhere: it belongs to a library.
func (v *views) skips(c *Code, unit int, f *debuginfo.File) bool {
	skip, ok := v.skipped[f]
	if !ok {
		u := c.list[unit]
		elsewhere := v.skip.Runtime() && !hasText(u, f) && v.hasTexts(u)
		skip = v.skip.Match(f.Ignored || elsewhere, c.externals.of(u.Sources, unit, f).Name, f.Path)
		v.skipped[f] = skip
	}
	return skip
}

// MayBeUser reports whether some instruction of a function of a module may be code of the user. It
// takes no look at the function itself.
func (c *Code) MayBeUser(m *wasm.Module, fn uint32) bool {
	i, ok := c.units[m]
	if !ok || !c.views.hasLines(c.list[i]) || !c.views.skip.Runtime() ||
		c.views.wat(snapshot.FuncID{Unit: i, Func: fn}) {
		return true
	}
	u := c.list[i]
	users := c.views.users[u]
	if users == nil {
		users = map[uint32]bool{}
		for _, f := range u.Info.Files() {
			if c.views.skips(c, i, f) {
				continue
			}
			for _, l := range u.Info.Lines(f) {
				users[l.Func] = true
			}
		}
		c.views.users[u] = users
	}
	return users[fn]
}

// hasText reports whether the text of a file can be had, without reading it.
func hasText(u *Unit, f *debuginfo.File) bool {
	if f.Text != nil {
		return true
	}
	if u.Sources == nil {
		return false
	}
	_, ok := u.Sources.Path(f)
	return ok
}

// hasTexts reports whether the text of some file of a unit can be had.
func (v *views) hasTexts(u *Unit) bool {
	has, ok := v.anyText[u]
	if !ok {
		has = slices.ContainsFunc(u.Info.Files(), func(f *debuginfo.File) bool { return hasText(u, f) })
		v.anyText[u] = has
	}
	return has
}

// ViewOf reports whether a function is shown in the text format although its source is known. It
// must be called inside Do.
func (c *Code) ViewOf(id snapshot.FuncID) (wat bool) { return c.views.wat(id) }

// SetView lets a function, or, of nil, all functions be shown in the text format, or in their source
// where that is known. It must be called inside Do.
func (c *Code) SetView(fn *snapshot.FuncID, wat bool) {
	if fn == nil {
		c.views.all = wat
		clear(c.views.inWAT)
	} else {
		c.views.inWAT[*fn] = wat
	}
	for id, fi := range c.infos {
		if fn == nil || id == *fn {
			fi.showSource()
		}
	}
}

// SetSkip sets which files, and functions, are folded. It must be called inside Do.
func (c *Code) SetSkip(s *Skip) {
	c.views.skip = s
	clear(c.views.skipped)
	clear(c.views.users)
}
