package action

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/internal/testing/mutate"
	"stackscope/internal/testing/suite"
	"stackscope/wasm"
	"stackscope/wasm/binary"
	"stackscope/wasm/text"
	"stackscope/wasm/valid"
)

// claim is what a refactoring keeps.
type claim uint8

const (
	sameBinary  claim = iota + 1 // it encodes to the same bytes
	sameExports                  // it encodes to the same bytes but for the order of the exports
	sameMeaning                  // other instructions or declarations do the same, and are valid
	addsPart                     // a declaration or clause is added, and the module is valid
)

// claims has the claim of every refactoring, by what its title begins with. The longest entry
// counts. TestRandomActions fails at a title that is not here.
var claims = map[string]claim{
	"Use the name ":                       sameBinary,
	"Use the index ":                      sameBinary,
	"Use the depth ":                      sameBinary,
	"Write the implicit memory ":          sameBinary,
	"Write the implicit table ":           sameBinary,
	"Write as (ref null ":                 sameBinary,
	"Write as ":                           sameBinary, // funcref and the other short names
	"Split into one (":                    sameBinary,
	"Merge the (":                         sameBinary,
	"Remove the empty (":                  sameBinary,
	"Write out parameters and results":    sameBinary,
	"Use the type ":                       sameBinary,
	"Write folded":                        sameBinary,
	"Write flat":                          sameBinary,
	"Write the function folded":           sameBinary,
	"Write the function flat":             sameBinary,
	"Copy the shared type into each item": sameBinary,
	"Split into single imports":           sameBinary,

	"Move the export to a separate field": sameExports,
	"Move the export into the ":           sameExports,

	"Convert to if and br":      sameMeaning,
	"Convert to br_if":          sameMeaning,
	"Merge into return_call":    sameMeaning,
	"Inline the call":           sameMeaning,
	"Extract into a function":   sameMeaning,
	"Make the global immutable": sameMeaning,

	"Export as ":              addsPart,
	"Add the handler clause ": addsPart,
	"Handle ":                 addsPart,
}

// claimOf returns the entry of a title in claims, and what it claims.
func claimOf(title string) (entry string, c claim) {
	for e, x := range claims {
		if strings.HasPrefix(title, e) && len(e) > len(entry) {
			entry, c = e, x
		}
	}
	return entry, c
}

// moduleText is a text module of a script or example, by itself.
type moduleText struct {
	where   string
	text    string
	options analysis.Options
}

// allModuleTexts returns the text modules of the suites, the examples and the dialects' scripts.
// Those that must be wrong are among them.
func allModuleTexts(t *testing.T) []moduleText {
	own := suite.Own(t, "examples/*/*.wa[st]*", "examples/cont/*/*.wa[st]*", "dialects/*/*.wast")
	var out []moduleText
	for _, name := range append(suite.Files(t), own...) {
		raw := suite.Text(t, name)
		tree := syntax.Parse(source.NewFile(name, raw))
		dialect := wasm.DialectNone
		if strings.Contains(name, "testdata/dialects") {
			dialect, _ = wasm.ParseDialect(filepath.Base(filepath.Dir(name)))
		}
		for _, r := range tree.Modules() {
			if r.Quote || r.Binary || r.Instance || r.Definition {
				continue
			}
			text := raw
			line := 1
			if !r.Module.IsZero() {
				text = wholeModule(tree, r)
				line, _ = tree.Src.LineCol(r.Module.Span().Start)
			} else if strings.HasSuffix(name, ".wast") {
				continue // fields among commands
			}
			out = append(
				out,
				moduleText{fmt.Sprintf("%s:%d", filepath.Base(name), line), text, analysis.Options{Dialect: dialect}},
			)
		}
	}
	return out
}

// wholeModule returns the text of a module from its parenthesis to the one that closes it.
func wholeModule(tree *syntax.Tree, r syntax.ModuleRange) string {
	depth, from := 0, r.Module.Span().Start
	for _, u := range tree.Units[r.First:r.End] {
		for _, k := range u.Tokens {
			off := u.Off + int(k.Off)
			if off < from {
				continue
			}
			switch k.Kind {
			case syntax.TokLParen, syntax.TokAnnot:
				depth++
			case syntax.TokRParen:
				if depth--; depth == 0 {
					return tree.Src.Text[from : off+1]
				}
			}
		}
	}
	return tree.Src.Text[from:]
}

// encoded returns what a text encodes to, nil if it does not. Exports are in the order of their
// names if sorted is set. A dialect without an encoding is printed.
func encoded(s *analysis.Snapshot, sorted bool) []byte {
	ms := s.Modules()
	if len(ms) != 1 {
		return nil
	}
	mod, ok := ms[0].Lower()
	if !ok {
		return nil
	}
	bare := *mod
	bare.Names = wasm.NewNames()
	if sorted {
		bare.Exports = slices.Clone(bare.Exports)
		slices.SortStableFunc(bare.Exports, func(a, b wasm.Export) int { return strings.Compare(a.Name, b.Name) })
	}
	b, err := binary.Encode(&bare)
	if err != nil {
		src, _ := text.Print(&bare, text.Options{})
		return []byte(src)
	}
	return b
}

// actionRun counts what TestRandomActions applies.
type actionRun struct {
	t       *testing.T
	applied map[string]int
	fixes   map[string]int
	failed  map[string]int // by what failed
}

// fail reports a failure: three of each kind are enough to look at.
func (r *actionRun) fail(entry, where, title, why, before, after string) {
	r.t.Helper()
	kind, _, _ := strings.Cut(why, ":")
	kind = entry + ": " + kind
	if r.failed[kind]++; r.failed[kind] > 3 {
		return
	}
	if len(before) > 3000 {
		from := 0
		for from < len(after) && before[from] == after[from] {
			from++
		}
		from = max(0, from-600)
		before, after = before[from:min(len(before), from+1500)], after[from:min(len(after), from+1500)]
	}
	r.t.Errorf("%s: %q: %s\n%s\n--- becomes\n%s", where, title, why, before, after)
}

// malformed returns the number of errors that say that a text does not follow the grammar.
func malformed(ds []diag.Diagnostic) (n int) {
	for i := range ds {
		if diag.IsMalformed(ds[i].Code) {
			n++
		}
	}
	return n
}

// refactor applies a refactoring and compares.
func (r *actionRun) refactor(x moduleText, s *analysis.Snapshot, off int, a Refactor) {
	where := x.where
	line, col := s.File().LineCol(off)
	where += fmt.Sprintf("+%d:%d", line, col)
	entry, c := claimOf(a.Title)
	if c == 0 {
		r.t.Fatalf("%s: %q is not in the table of this test", where, a.Title)
	}
	if !inTable(a.Kind.String(), a.Title) {
		r.t.Fatalf("%s: the table of code actions has no %s %q", where, a.Kind, a.Title)
	}
	r.applied[entry]++
	edits := a.Make()
	next, ok := source.ApplyAll(x.text, edits)
	if !ok {
		r.fail(entry, where, a.Title, "the edits overlap or lie outside", x.text, fmt.Sprint(edits))
		return
	}
	if next == x.text {
		r.fail(entry, where, a.Title, "it changes nothing", x.text, next)
		return
	}
	after := analysis.Open(source.NewFile("a.wat", next), x.options)
	ds, was := after.Diagnostics(), s.Diagnostics()
	switch {
	case malformed(ds) > malformed(was):
		r.fail(entry, where, a.Title, "a syntax error: "+newError(was, ds), x.text, next)
	case countErrors(ds) > countErrors(was):
		r.fail(entry, where, a.Title, "an error: "+newError(was, ds), x.text, next)
	case c == sameBinary || c == sameExports:
		want := encoded(s, c == sameExports)
		if got := encoded(after, c == sameExports); !bytes.Equal(got, want) {
			r.fail(entry, where, a.Title, "another binary", x.text, next)
		}
	}
}

// inHead reports whether there is a new error in the function or block whose head an edit changed.
func inHead(after *analysis.Snapshot, was []diag.Diagnostic, e source.Edit) bool {
	n := query.At(after, e.Start+1).Up(syntax.KBlock, syntax.KFunc)
	ds := after.Diagnostics()
	return slices.ContainsFunc(ds, func(x diag.Diagnostic) bool {
		return x.Severity == diag.Error && same(ds, &x) > same(was, &x) && query.Inside(x.Span, n.Span())
	})
}

// readsOn reports whether a fix makes something readable that no error but its own was looked for
// in.
func readsOn(d *diag.Diagnostic, f diag.Fix) bool {
	switch {
	case d.Code == diag.Immediate:
		return true
	case diag.IsMalformed(d.Code):
		return strings.HasPrefix(f.Title, "Change to ") || strings.HasPrefix(f.Title, "Insert ")
	}
	return false
}

// hidesOthers reports whether further errors can come to light where an error is fixed: code
// that cannot be read, or that uses what does not exist, is not checked.
func hidesOthers(d *diag.Diagnostic) bool {
	return diag.IsMalformed(d.Code) || d.Code == diag.Code(valid.CodeSelectArity) ||
		strings.HasPrefix(string(d.Code), "unknown-")
}

// same returns how many diagnostics say the same as one.
func same(ds []diag.Diagnostic, d *diag.Diagnostic) (n int) {
	for i := range ds {
		if ds[i].Code == d.Code && ds[i].Message == d.Message {
			n++
		}
	}
	return n
}

// remains reports whether a diagnostic is still there after edits.
func remains(ds []diag.Diagnostic, d *diag.Diagnostic, edits []source.Edit) bool {
	at := d.Span.Start
	for _, e := range edits {
		if e.Start < d.Span.Start {
			at += len(e.New) - (min(e.End, d.Span.Start) - e.Start)
		}
	}
	return slices.ContainsFunc(ds, func(x diag.Diagnostic) bool {
		return x.Code == d.Code && x.Message == d.Message && x.Span.Start == at
	})
}

// newError returns the first error of a text that another did not have.
func newError(was, ds []diag.Diagnostic) string {
	for i := range ds {
		if ds[i].Severity == diag.Error && same(ds, &ds[i]) > same(was, &ds[i]) {
			return ds[i].Message
		}
	}
	return ""
}

// fix applies a quick fix and compares.
func (r *actionRun) fix(x moduleText, s *analysis.Snapshot, d *diag.Diagnostic, f diag.Fix) {
	r.fixes[string(d.Code)]++
	line, col := s.File().LineCol(d.Span.Start)
	where := fmt.Sprintf("%s+%d:%d: %s (%s)", x.where, line, col, d.Code, d.Message)
	entry := string(d.Code) + " " + strings.Fields(f.Title + " ")[0]
	next, ok := source.ApplyAll(x.text, f.Edits)
	if !ok || next == x.text {
		r.fail(entry, where, f.Title, "the edits are no good", x.text, fmt.Sprint(f.Edits))
		return
	}
	was := s.Diagnostics()
	after := analysis.Open(source.NewFile("a.wat", next), x.options)
	ds := after.Diagnostics()
	if d.Code == diag.Code(valid.CodeUnknownType) && strings.HasPrefix(f.Title, "Declare ") &&
		x.options.Dialect == wasm.DialectFibersHandle {
		return // the name can be used as a reference elsewhere
	}
	bad, others := malformed(was), malformed(was)
	if diag.IsMalformed(d.Code) {
		others--
	}
	switch {
	case f.Safe && countErrors(ds) > countErrors(was):
		r.fail(entry, where, f.Title, "it is safe, and an error more: "+newError(was, ds), x.text, next)
	case others > 0:
		// Where a text that cannot be read goes on is a guess.
	case malformed(ds) > bad && !readsOn(d, f):
		r.fail(entry, where, f.Title, "a syntax error: "+newError(was, ds), x.text, next)
	case countErrors(ds) > countErrors(was) && strings.HasPrefix(f.Title, "Add (result ") &&
		!inHead(after, was, f.Edits[0]):
		// What is around it, or uses it, was written for another type.
	case countErrors(ds) > countErrors(was) && !hidesOthers(d):
		r.fail(entry, where, f.Title, "an error more: "+newError(was, ds), x.text, next)
	case d.Code != diag.Code(valid.CodeAlignment) && same(ds, d) >= same(was, d) && remains(ds, d, f.Edits):
		r.fail(entry, where, f.Title, "it does not fix", x.text, next)
	}
}

// TestRandomActions applies every refactoring at random places of all text modules of the suites,
// examples and dialects, and every quick fix of them and of texts with mistakes made on purpose. A
// refactoring keeps what claims says. A fix leads to no further errors but those that its mistake
// hid. With STACKSCOPE_LONG it takes all modules, all places of the smaller ones, and ten times the
// number of mistakes.
func TestRandomActions(t *testing.T) {
	long, _ := strconv.Atoi(os.Getenv("STACKSCOPE_LONG"))
	texts := allModuleTexts(t)
	rng := rand.New(rand.NewPCG(12, uint64(long)))
	run := &actionRun{t: t, applied: map[string]int{}, fixes: map[string]int{}, failed: map[string]int{}}
	seeds := make([]string, len(texts))
	for i := range texts {
		seeds[i] = texts[i].text
	}
	pool := mutate.NewPool(seeds[:min(len(seeds), 400)])
	places := 0
	for i, x := range texts {
		if long == 0 && i%8 != 0 && !strings.Contains(x.where, ".wat:") {
			continue
		}
		s := analysis.Open(source.NewFile("a.wat", x.text), x.options)
		if len(s.Modules()) != 1 {
			continue
		}
		var offs []int
		for _, u := range s.Tree().Units {
			for _, k := range u.Tokens {
				if k.Kind != syntax.TokLParen && k.Kind != syntax.TokRParen && k.Kind != syntax.TokEOF {
					offs = append(offs, u.Off+int(k.Off))
				}
			}
		}
		rng.Shuffle(len(offs), func(a, b int) { offs[a], offs[b] = offs[b], offs[a] })
		most := 5
		if long > 0 {
			most = 2000
			if len(x.text) > 20000 {
				most = 300
			}
		}
		for _, off := range offs[:min(len(offs), most)] {
			places++
			for _, a := range Refactors(s, off) {
				run.refactor(x, s, off, a)
			}
			if sel := selection(s, rng, off); sel.End > sel.Start {
				for _, a := range Selected(s, sel) {
					run.refactor(x, s, sel.Start, a)
				}
			}
		}
		run.allFixes(x, s)
		rounds := 1
		if long > 0 {
			rounds = 10 * long
		}
		for range rounds {
			if len(x.text) > 20000 {
				break
			}
			y := x
			y.text = pool.Mutate(rng, x.text)
			y.where += " with a mistake"
			run.allFixes(y, analysis.Open(source.NewFile("a.wat", y.text), y.options))
		}
	}
	t.Logf("%d modules, %d places", len(texts), places)
	for _, m := range []map[string]int{run.applied, run.fixes} {
		all := 0
		var names []string
		for k, n := range m {
			all += n
			names = append(names, fmt.Sprintf("%s: %d", k, n))
		}
		slices.Sort(names)
		t.Logf("%d applied\n%s", all, strings.Join(names, "\n"))
	}
	for why, n := range run.failed {
		t.Logf("%d times: %s", n, why)
	}
	if len(run.applied) < 15 || places < 1000 {
		t.Error("too few")
	}
}

// selection returns a selection that begins at a place: empty, or to the end of an instruction
// there or of one after it.
func selection(s *analysis.Snapshot, r *rand.Rand, off int) source.Span {
	n, _ := s.Tree().At(off)
	if n.Kind() != syntax.KInstr && n.Kind() != syntax.KBlock {
		return source.Span{Start: off, End: off}
	}
	sp := n.Span()
	if sp.Start != off && sp.Start != off-1 {
		return source.Span{Start: off, End: off}
	}
	ends := []int{off, sp.End}
	for c := range n.Parent().Children() {
		if c.Span().Start > sp.Start {
			ends = append(ends, c.Span().End)
		}
	}
	return source.Span{Start: sp.Start, End: max(sp.Start, ends[r.IntN(len(ends))])}
}

// allFixes applies the quick fixes of a text, some of them if there are many.
func (r *actionRun) allFixes(x moduleText, s *analysis.Snapshot) {
	ds := s.Diagnostics()
	for i := range ds[:min(len(ds), 20)] {
		for _, f := range Fixes(s, &ds[i]) {
			r.fix(x, s, &ds[i], f)
		}
	}
}
