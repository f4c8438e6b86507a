package ide

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/internal/testing/suite"
)

// scriptText has a use of every kind of name that a script has. A mark is `«n»` before a name:
// names with the same number stand for the same.
const scriptText = `
(module «1»$lib
  (func «2»$f (export «2»"f") (param i32) (result i32) (local.get 0))
  (global (export «3»"g") i32 (i32.const 1))
  (func (export "own") (result i32) (call «2»$f (i32.const 1))))
(register «4»"lib")
(register «5»"again" «1»$lib)
(assert_return (invoke «2»"f" (i32.const 7)) (i32.const 7))
(assert_return (get «1»$lib «3»"g") (i32.const 1))
(module «6»$user
  (import «4»"lib" "f" (func «2»$h (param i32) (result i32)))
  (import «5»"again" "g" (global i32))
  (export «2»"twice" (func «2»$h)))
(invoke «2»"twice" (i32.const 1))
(invoke «1»$lib «2»"f" (i32.const 1))
(module definition «7»$D (func «8»$k (export "k")))
(module instance «9»$I «7»$D)
(invoke «8»"k")
(invoke «9»$I «8»"k")
(module «10»$b binary "\00asm\01\00\00\00")
(register "bin" «10»$b)
(module «11»$q quote "(func (export \"z\"))")
(invoke «11»$q «12»"z")
(get «6»$user "nothing")
`

// marked returns a text without its marks, and the offsets of the names by their numbers.
func marked(t *testing.T, text string) (string, map[string][]int) {
	at := map[string][]int{}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "«")
		b.WriteString(before)
		if !ok {
			return b.String(), at
		}
		n, after, ok := strings.Cut(rest, "»")
		if !ok {
			t.Fatal("a mark is not closed")
		}
		at[n] = append(at[n], b.Len())
		text = after
	}
}

// TestScriptNames: at each place that names a thing of a script, references finds all the others.
func TestScriptNames(t *testing.T) {
	text, at := marked(t, scriptText)
	s := analysis.Open(source.NewFile("s.wast", text), analysis.Options{})
	for n, want := range at {
		for _, off := range want {
			got := starts(ReferencesIn(nil, s, off, true))
			// The strings of exports and imports are names of the item, and no references of it.
			all := slices.DeleteFunc(slices.Clone(want), func(o int) bool {
				return !slices.Contains(got, o) && strings.HasPrefix(text[o:], `"`) && s.ModuleAt(o) != nil
			})
			if !slices.Equal(got, all) {
				t.Errorf("references of %s at %s: %s, want %s", n, lineOf(s, off), lines(s, got), lines(s, all))
			}
			if _, ok := HoverIn(nil, s, off); !ok {
				t.Errorf("no hover at %s", lineOf(s, off))
			}
			if ms := Highlight(s, off); !slices.ContainsFunc(ms, func(m Mark) bool { return m.Span.Start == off }) {
				t.Errorf("the highlights at %s do not have the place itself", lineOf(s, off))
			}
			d := DefinitionIn(nil, s, off)
			if len(d) != 1 {
				t.Errorf("%d definitions at %s", len(d), lineOf(s, off))
			}
		}
	}
	var got []string
	for _, d := range s.Diagnostics() {
		got = append(got, string(d.Code)+": "+d.Message)
	}
	if want := []string{`unknown-export: unknown export: $user exports no "nothing"`}; !slices.Equal(got, want) {
		t.Errorf("diagnostics %q, want %q", got, want)
	}
}

// TestScriptRename: renaming at any place of a name gives the same text.
func TestScriptRename(t *testing.T) {
	text, at := marked(t, scriptText)
	s := analysis.Open(source.NewFile("s.wast", text), analysis.Options{})
	for n, want := range map[string]string{"1": "$x", "4": "x", "5": "x", "6": "$x", "7": "$x", "9": "$x", "10": "$x", "11": "$x"} {
		for _, off := range at[n] {
			got := renamed(t, nil, s, off, want)
			if a, b := strings.Count(got, quoted(want)), len(at[n]); a != b {
				t.Errorf("%s at %s: %d places renamed, want %d", n, lineOf(s, off), a, b)
			}
		}
	}
	off := strings.Index(text, `(invoke "f"`) + 8
	got := renamed(t, nil, s, off, "x")
	for _, w := range []string{`(export "x")`, `(invoke "x" (i32.const 7))`, `(import "lib" "x"`, `(invoke $lib "x"`} {
		if !strings.Contains(got, w) {
			t.Errorf("after renaming an export there is no %s", w)
		}
	}
	for _, bad := range []struct{ At, name string }{{`$lib "f"`, "user"}, {`"lib")`, "again"}, {`"f" (i32`, "g"}, {`"z")`, "y"}, {`"nothing"`, "y"}} {
		if _, err := RenameIn(nil, s, strings.LastIndex(text, bad.At)+1, bad.name); err == nil {
			t.Errorf("renaming %s to %s is accepted", bad.At, bad.name)
		}
	}
}

func quoted(s string) string {
	if strings.HasPrefix(s, "$") {
		return s
	}
	return strconv.Quote(s)
}

func starts(sites []Site) []int {
	var out []int
	for _, x := range sites {
		out = append(out, x.Span.Start)
	}
	slices.Sort(out)
	return out
}

func lineOf(s *analysis.Snapshot, off int) string {
	l, c := s.File().LineCol(off)
	return strconv.Itoa(l) + ":" + strconv.Itoa(c)
}

func lines(s *analysis.Snapshot, offs []int) string {
	var out []string
	for _, o := range offs {
		out = append(out, lineOf(s, o))
	}
	return strings.Join(out, " ")
}

// renamed returns the text of s after a rename.
func renamed(t *testing.T, w *World, s *analysis.Snapshot, off int, name string) string {
	t.Helper()
	es, err := RenameIn(w, s, off, name)
	if err != nil {
		t.Errorf("%s:%s: %v", filepath.Base(s.File().Name), lineOf(s, off), err)
		return s.File().Text
	}
	edits := es[s]
	slices.SortFunc(edits, func(a, b source.Edit) int { return a.Span.Start - b.Span.Start })
	var b strings.Builder
	last := 0
	for _, e := range edits {
		if e.Span.Start < last {
			t.Errorf("%s:%s: two edits at one place", filepath.Base(s.File().Name), lineOf(s, off))
			continue
		}
		b.WriteString(s.File().Text[last:e.Span.Start] + e.New)
		last = e.Span.End
	}
	return b.String() + s.File().Text[last:]
}

// TestScriptNamesOfSuite: at the places of names in every script of the suite, the definition has
// one place, every reference leads back to it and to the same references, and renaming there and
// back returns the same text without a new diagnostic. It looks at a few names of each script;
// STACKSCOPE_LONG is how many times as many.
func TestScriptNamesOfSuite(t *testing.T) {
	scale, _ := strconv.Atoi(os.Getenv("STACKSCOPE_LONG"))
	each := 2 * max(1, scale)
	rng := rand.New(rand.NewPCG(1, 2))
	places := 0
	for i, f := range suite.Files(t) {
		if scale == 0 && i%4 != 0 {
			continue
		}
		s := analysis.Open(source.NewFile(f, suite.Text(t, f)), analysis.Options{})
		names := s.ScriptNames()
		for range min(each, len(names)) {
			n := names[rng.IntN(len(names))]
			places++
			checkScriptName(t, s, n)
		}
	}
	t.Logf("%d names", places)
}

func checkScriptName(t *testing.T, s *analysis.Snapshot, n analysis.ScriptName) {
	off := n.Span.Start
	where := filepath.Base(s.File().Name) + ":" + lineOf(s, off)
	def := DefinitionIn(nil, s, off)
	if len(def) != 1 {
		t.Errorf("%s: %d definitions", where, len(def))
		return
	}
	refs := ReferencesIn(nil, s, off, true)
	all := starts(refs)
	if !slices.Contains(all, off) {
		t.Errorf("%s: the references do not have the place itself", where)
	}
	for _, r := range refs[:min(len(refs), 20)] {
		if d := DefinitionIn(nil, s, r.Span.Start); len(d) != 1 || d[0].Span != def[0].Span {
			t.Errorf("%s: the reference at %s leads to another definition", where, lineOf(s, r.Span.Start))
		}
		if !slices.Equal(starts(ReferencesIn(nil, s, r.Span.Start, true)), all) {
			t.Errorf("%s: the reference at %s has other references", where, lineOf(s, r.Span.Start))
		}
	}
	if _, ok := HoverIn(nil, s, off); !ok {
		t.Errorf("%s: no hover", where)
	}
	if _, sound := n.Module.Declared(); !n.Decl && (sound || n.Kind == analysis.ScriptNamesModule) {
		wrong := `"no.such.name"`
		if n.Kind == analysis.ScriptNamesModule {
			wrong = "$no.such.name"
		}
		text := s.File().Text
		x := analysis.Open(source.NewFile(s.File().Name, text[:off]+wrong+text[n.Span.End:]), analysis.Options{})
		if !slices.ContainsFunc(x.Diagnostics(), func(d diag.Diagnostic) bool {
			return d.Span.Start == off && (d.Code == diag.UnknownExport || d.Code == diag.UnknownModule)
		}) && errorsOf(s) == 0 {
			t.Errorf("%s: nothing is reported of a name that does not exist", where)
		}
	}
	_, old, err := PrepareRenameIn(nil, s, off)
	if err != nil {
		if n.Module != nil && n.Module.Text == nil {
			return // an export of a binary or quoted module
		}
		t.Errorf("%s: %v", where, err)
		return
	}
	if written := s.File().Text[off:n.Span.End]; written[0] == '"' && written != analysis.QuoteName(n.Name) ||
		n.Kind == analysis.ScriptNamesLink && rebound(s, n) {
		return // written in one of several ways
	}
	name := "renamed.by.the.test"
	if n.Kind == analysis.ScriptNamesModule {
		if name = "$" + name; reused(s, n) {
			return
		}
	}
	there := analysis.Open(source.NewFile(s.File().Name, renamed(t, nil, s, off, name)), analysis.Options{})
	if a, b := errorsOf(s), errorsOf(there); a != b {
		t.Errorf("%s: %d errors, after renaming %d", where, a, b)
	}
	at := -1
	for i, x := range there.ScriptNames() {
		if s.ScriptNames()[i].Span.Start == off {
			at = x.Span.Start
		}
	}
	back := renamed(t, nil, there, at, old)
	if back != s.File().Text {
		t.Errorf("%s: renaming there and back gives another text", where)
	}
}

// rebound reports whether the name of a registration is registered, or imported from elsewhere,
// more than once: there is no way back to such a name.
func rebound(s *analysis.Snapshot, n analysis.ScriptName) bool {
	count := 0
	for _, x := range s.ScriptNames() {
		if x.Kind == analysis.ScriptNamesLink && x.Name == n.Name {
			count++
		}
	}
	imports := 0
	for _, m := range s.Modules() {
		for _, im := range m.Declared().Imports {
			if im.Module == n.Name {
				imports++
			}
		}
	}
	return count > 1 || imports > len(s.LinkNames(n))-1
}

// reused reports whether several modules of a script have the name.
func reused(s *analysis.Snapshot, n analysis.ScriptName) bool {
	count := 0
	for _, x := range s.ScriptNames() {
		if x.Kind == analysis.ScriptNamesModule && x.Name == n.Name && x.Decl {
			count++
		}
	}
	return count > 1
}

func errorsOf(s *analysis.Snapshot) int {
	n := 0
	for _, d := range s.Diagnostics() {
		if d.Severity == diag.Error {
			n++
		}
	}
	return n
}
