package symbols

import (
	"slices"

	"stackscope/analysis/debuginfo"
	"stackscope/vm/debugger/snapshot"
)

// views are how functions are shown: which in the text format, which folded.
type views struct {
	inWAT map[snapshot.FuncID]bool // see Code.SetView
	all   bool                     // functions are shown in the text format, unless inWAT says otherwise
	skip  *Skip

	withLines map[*Unit]bool           // see hasLines
	skipped   map[*debuginfo.File]bool // see skips
	anyText   map[*Unit]bool           // see hasTexts
}

func newViews() *views {
	return &views{
		skip: &Skip{runtime: true}, inWAT: map[snapshot.FuncID]bool{}, withLines: map[*Unit]bool{}, skipped: map[*debuginfo.File]bool{},
		anyText: map[*Unit]bool{},
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
func (v *views) skips(fi *Function, p debuginfo.Place) bool {
	skip, ok := v.skipped[p.File]
	if !ok {
		elsewhere := v.skip.Runtime() && !hasText(fi.Unit, p.File) && v.hasTexts(fi.Unit)
		skip = v.skip.Match(p.File.Ignored || elsewhere, fi.FileOf(p).Name, p.File.Path)
		v.skipped[p.File] = skip
	}
	return skip
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
}
