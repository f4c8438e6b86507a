package bind

import (
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// detectDialect finds the module's dialect: annotation, option, first construct.
func (l *Binder) detectDialect(n int, dialect wasm.Dialect) {
	d := l.Decls
	if l.annotated(n) {
		d.DialectFixed = true
		return
	}
	if dialect != wasm.DialectNone {
		d.Dialect, d.Mod.Dialect = dialect, dialect
		d.DialectWord, d.DialectFixed = "the setting", true
		return
	}
	weak := -1
	for i := range n {
		l.Unit = l.Text.Unit(int32(i))
		if l.Unit.Kind != syntax.UnitField {
			continue
		}
		f := &d.Units[i]
		f.Dialect, f.Word, f.Tok, f.Weak = decl.FirstDialect(&l.Unit, d)
		f.Word = strings.Clone(f.Word)
		if f.Weak {
			if weak < 0 {
				weak = i
			}
		} else if f.Dialect != wasm.DialectNone && !d.DialectPlaced {
			l.fixDialect(f)
		}
	}
	if weak >= 0 && !d.DialectPlaced {
		l.Unit = l.Text.Unit(int32(weak))
		l.fixDialect(&d.Units[weak])
	}
}

// fixDialect settles the module's dialect on that of the current unit.
func (l *Binder) fixDialect(f *decl.UnitFacts) {
	d := l.Decls
	d.Dialect, d.Mod.Dialect = f.Dialect, f.Dialect
	d.DialectWord, d.DialectBy, d.DialectPlaced = "`"+f.Word+"`", l.Unit.TokPlace(f.Tok), true
}

// annotated looks for `(@stack-switching "cont")` as the first item of the module.
func (l *Binder) annotated(n int) bool {
	for i := range n {
		l.Unit = l.Text.Unit(int32(i))
		for k := range l.Unit.Nodes {
			nd := &l.Unit.Nodes[k]
			if nd.Kind != syntax.KAnnot || l.Unit.TokText(nd.Tok) != "(@stack-switching" {
				continue
			}
			t := nd.Tok + 1
			if t >= nd.TokEnd || l.Unit.TokKind(t) != syntax.TokString {
				l.ReportAt(
					diag.DialectName, l.Unit.NodePlace(uint32(k)),
					"unexpected token: (@stack-switching …) needs the name of a dialect, such as \"cont\"",
				)
				return false
			}
			s, _ := syntax.DecodeString(l.Unit.TokText(t))
			x, ok := wasm.ParseDialect(string(s))
			if !ok {
				f := cursor.Finding{
					Code: diag.DialectName, At: l.Unit.TokPlace(t),
					Msg: "unknown dialect " + l.Unit.TokText(t) + ": " + dialectList() + " are known",
				}
				names := map[string]uint32{}
				for _, d := range wasm.Dialects() {
					names[d.String()] = 0
				}
				for j, near := range decl.NearNames(string(s), names) {
					f.Fixes = append(
						f.Fixes,
						cursor.Fix{
							Title: "Change to \"" + near + "\"",
							Edits: []cursor.Edit{{At: f.At, New: `"` + near + `"`}}, Preferred: j == 0,
						},
					)
				}
				l.Report(f)
				return false
			}
			l.Decls.Dialect, l.Decls.Mod.Dialect = x, x
			l.Decls.DialectWord, l.Decls.DialectBy, l.Decls.DialectPlaced = "the annotation", l.Unit.NodePlace(
				uint32(k),
			), true
			return true
		}
		if l.Unit.Kind == syntax.UnitField && len(l.Unit.Nodes) > 0 && l.Unit.Nodes[0].Kind != syntax.KAnnot {
			return false
		}
	}
	return false
}

// dialectList lists the dialects, for people.
func dialectList() string {
	var names []string
	for _, d := range wasm.Dialects() {
		names = append(names, d.String())
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// ready has, for designs that ask for it, whether the function of the current unit has what its
// creation as a stack asks for, which its type does not show. The files of the designs fill it in.
var ready [wasm.NumDialects]func(*Binder) bool

// ready reports whether the function of the current unit has what its creation as a stack asks for.
func (l *Binder) ready() bool {
	f := ready[l.Decls.Dialect]
	return f != nil && f(l)
}
