package analysis

import (
	"slices"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/bind"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
)

// Open parses and analyses a text. It never fails: what is wrong is in Diagnostics.
func Open(f *source.File, o Options) *Snapshot {
	s := &Snapshot{opts: o, tree: syntax.Parse(f)}
	s.findModules()
	return s
}

// findModules makes the modules, without looking into them.
func (s *Snapshot) findModules() {
	for _, r := range s.tree.Modules() {
		if r.Quote || r.Binary || r.Instance {
			switch {
			case r.Quote:
				s.quotes = append(s.quotes, r)
			case r.Binary:
				s.binaries = append(s.binaries, r)
			}
			continue
		}
		m := &Module{
			snap: s,
			rng:  moduleRange{open: -1, close: -1, first: r.First, end: r.End, definition: r.Definition},
		}
		if r.Open.IsZero() {
			m.rng.implicit = true
		} else {
			m.rng.open = r.First
			m.rng.first++
			if r.Open.Kind() == syntax.KCommand {
				m.rng.assert = r.Open.Keyword().Text()
			}
		}
		if !r.Close.IsZero() {
			m.rng.close = int(r.Close.U)
			m.rng.end = m.rng.close
			if m.rng.assert != "" {
				m.rng.expect = lastString(r.Close)
			}
		}
		m.first, m.units = m.rng.first, max(0, m.rng.end-m.rng.first)
		s.mods = append(s.mods, m)
	}
}

// lastString returns the decoded last string among a node's own tokens.
func lastString(n syntax.N) string {
	out := ""
	for t := range n.Own() {
		if t.Kind() == syntax.TokString {
			b, _ := syntax.DecodeString(t.Text())
			out = string(b)
		}
	}
	return out
}

// Edit returns the snapshot after an edit. It equals Open of the new text, and reuses what the edit
// leaves as it was.
func (s *Snapshot) Edit(e source.Edit) *Snapshot { return s.after(s.tree.Edit(e)) }

// EditAll returns the snapshot after several edits, which lie in the text of s in ascending order
// and do not overlap.
func (s *Snapshot) EditAll(es []source.Edit) *Snapshot { return s.after(s.tree.EditAll(es)) }

// after returns the snapshot of a tree that edits made of the tree of s.
func (s *Snapshot) after(t *syntax.Tree) *Snapshot {
	n := &Snapshot{opts: s.opts, tree: t}
	n.findModules()
	// The units that the edit left alone, at both ends.
	a, b := s.tree.Units, n.tree.Units
	head := 0
	for head < len(a) && head < len(b) && a[head].Unit == b[head].Unit {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail].Unit == b[len(b)-1-tail].Unit {
		tail++
	}
	for i, m := range n.mods {
		// The same module is at the same place counted from the start, or from the end.
		if i < len(s.mods) && s.mods[i].first == m.first && m.first <= head {
			m.inherit(s.mods[i], head, tail)
			continue
		}
		if j := len(s.mods) - (len(n.mods) - i); j >= 0 && len(b)-m.first-m.units <= tail {
			m.inherit(s.mods[j], head, tail)
		}
	}
	return n
}

// inherit takes over what an older version of the module has computed.
func (m *Module) inherit(o *Module, head, tail int) {
	od := o.decls()
	states := o.known()
	ou, nu := o.snap.tree.Units[o.first:o.first+o.units], m.snap.tree.Units[m.first:m.first+m.units]
	if len(ou) == len(nu) && o.rng.assert == m.rng.assert && o.options().Dialect == m.options().Dialect &&
		o.Name() == m.Name() {
		var changed []int
		for i := range nu {
			if ou[i].Unit != nu[i].Unit {
				changed = append(changed, i)
			}
		}
		if len(changed) == 0 {
			m.reuse = &reuse{d: od, states: states, facts: o.wholeFacts()}
			return
		}
		if !slices.ContainsFunc(changed, func(i int) bool { return !bind.Same(od, o.text(), m.text(), int32(i)) }) {
			r := &reuse{d: od, states: slices.Clone(states), facts: o.wholeFacts(), was: map[uint32]*bodyState{}}
			for _, i := range changed {
				if fn := od.Units[i].Fn; int64(fn) < int64(len(r.states)) {
					r.was[fn], r.states[fn] = r.states[fn], nil
				}
			}
			m.reuse = r
			return
		}
	}
	r := &reuse{hash: od.Hash, byUnit: make(map[*syntax.Unit]*bodyState, len(states))}
	for i := range ou {
		if fn := od.Units[i].Fn; int64(fn) < int64(len(states)) && states[fn] != nil {
			r.byUnit[ou[i].Unit] = states[fn]
		}
	}
	m.reuse = r
}

// known returns the states of the bodies as far as they are known.
func (m *Module) known() []*bodyState {
	m.checkAll()
	return m.states
}

// Diagnostics returns everything there is to say about the text, by place.
func (s *Snapshot) Diagnostics() []diag.Diagnostic {
	s.once.Do(func() {
		var out []diag.Diagnostic
		errs := s.tree.Errors() // in order, as the modules are
		var outside []diag.Diagnostic
		for _, m := range s.mods {
			if !mustFail(m.rng.assert) {
				out = m.diagnostics(out)
				continue
			}
			own := m.diagnostics(nil)
			sp := m.Span()
			for ; len(errs) > 0 && errs[0].Span.Start <= sp.End; errs = errs[1:] {
				if sp.Contains(errs[0].Span.Start) {
					own = append(own, errs[0])
				} else {
					outside = append(outside, errs[0])
				}
			}
			at := m.snap.tree.Root(m.rng.open).Keyword().Span()
			if d, bad := s.expectError(own, m.rng.assert, m.rng.expect, at); bad {
				out = append(out, d)
			}
		}
		for _, d := range append(outside, errs...) {
			d.Severity = s.severity(d.Code)
			if d.Severity != diag.Off {
				out = append(out, d)
			}
		}
		out = s.bidiDiagnostics(out)
		out = s.unknownNames(s.scriptLinks(s.severalModules(s.binaryDiagnostics(s.scriptDiagnostics(out)))))
		slices.SortStableFunc(out, func(a, b diag.Diagnostic) int {
			if a.Span.Start != b.Span.Start {
				return a.Span.Start - b.Span.Start
			}
			return a.Span.End - b.Span.End
		})
		s.diags = s.mergeProposals(s.mergeComponent(out))
	})
	return s.diags
}

// enabled reports whether a code is reported at all.
func (s *Snapshot) enabled(c diag.Code) bool { return s.severity(c) != diag.Off }

// severity returns the severity of a code under the options.
func (s *Snapshot) severity(c diag.Code) diag.Severity {
	if v, ok := s.opts.Severity[c]; ok {
		return v
	}
	if i := diag.Lookup(c); i != nil {
		return i.Severity
	}
	return diag.Error
}

// diagnostics appends the module's diagnostics, syntax errors left out.
func (m *Module) diagnostics(out []diag.Diagnostic) []diag.Diagnostic {
	m.checkAll()
	m.allow.Do(func() {
		if m.allows = m.hasAllow(); m.allows {
			m.allowedCodes = m.allowed()
		}
	})
	for _, f := range m.decls().Findings {
		out = m.diagnose(out, &f)
	}
	for _, f := range m.checkDecls() {
		out = m.diagnose(out, &f)
	}
	out = append(out, m.annotations().diags...)
	whole := m.wholeFacts()
	for i := range whole.findings {
		out = m.diagnose(out, &whole.findings[i])
	}
	for _, f := range m.lintStyle() {
		out = m.diagnose(out, &f)
	}
	for _, f := range m.placeVerdicts(whole) {
		out = m.diagnose(out, &f)
	}
	for _, s := range m.states {
		if s == nil {
			continue
		}
		for i := range s.findings {
			out = m.diagnose(out, &s.findings[i])
		}
	}
	return out
}

// maxHints bounds how many hints a file gets: nobody reads more, and an editor that draws them at
// every keystroke of a large file would be slow.
const maxHints = 500

// diagnose turns a finding into a diagnostic.
func (m *Module) diagnose(out []diag.Diagnostic, f *cursor.Finding) []diag.Diagnostic {
	sev := m.snap.severity(f.Code)
	if sev == diag.Off ||
		sev != diag.Error && m.allows && (slices.Contains(m.allowedCodes, string(f.Code)) || m.suppressed(f)) {
		return out
	}
	if sev == diag.Hint {
		if m.snap.hints++; m.snap.hints > maxHints {
			return out
		}
	}
	d := diag.Diagnostic{Code: f.Code, Severity: sev, Span: m.span(f.At), Message: f.Msg, Tags: lintTags(f.Code)}
	if f.At.Unit < 0 {
		d.Span = m.Span()
		d.Span.End = min(d.Span.End, d.Span.Start+1)
	}
	for _, r := range f.Related {
		d.Related = append(d.Related, diag.Related{Span: m.span(r.At), Message: r.Msg})
	}
	for _, x := range f.Fixes {
		fix := diag.Fix{Title: x.Title, Preferred: x.Preferred}
		for _, e := range x.Edits {
			at := m.span(e.At)
			text := e.New
			if e.Indent {
				text = strings.ReplaceAll(text, "\n", "\n"+indentation(m.snap.File(), at.Start))
			}
			fix.Edits = append(fix.Edits, source.Edit{Span: at, New: text})
		}
		d.Fixes = append(d.Fixes, fix)
	}
	return append(out, d)
}

// indentation returns the white space that the line of an offset begins with, up to the offset.
func indentation(f *source.File, off int) string {
	from := f.LineStart(f.LineOf(off))
	to := from
	for to < off && (f.Text[to] == ' ' || f.Text[to] == '\t') {
		to++
	}
	return f.Text[from:to]
}

// severalModules reports modules after the first in a file that by its name holds one module.
func (s *Snapshot) severalModules(out []diag.Diagnostic) []diag.Diagnostic {
	sev := s.severity(diag.MultipleModules)
	if len(s.mods) < 2 || !strings.HasSuffix(s.File().Name, ".wat") || sev == diag.Off {
		return out
	}
	for _, m := range s.mods {
		if m.rng.assert != "" {
			return out
		}
	}
	first := s.mods[0].Span()
	for _, m := range s.mods[1:] {
		d := diag.Diagnostic{Code: diag.MultipleModules, Severity: sev, Span: m.NameSpan(),
			Message: "a .wat file holds one module; put several modules in a .wast script"}
		if d.Span.End == 0 {
			d.Span = source.Span{Start: m.Span().Start, End: min(m.Span().Start+len("(module"), m.Span().End)}
		}
		d.Related = []diag.Related{
			{
				Span:    source.Span{Start: first.Start, End: min(first.Start+len("(module"), first.End)},
				Message: "the first module",
			},
		}
		out = append(out, d)
	}
	return out
}
