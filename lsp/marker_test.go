package lsp

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/source"
)

var update = flag.Bool("update", false, "rewrite the goldens of marker tests")

// TestMarkers runs the archives of testdata/lsp through the real server. An archive (txtar) holds
// source files with markers, and goldens in sections whose name begins with `@`.
//
// A marker is a comment `;;@kind(args)`; several may follow each other. The first argument is a
// regular expression for the place, matched against the text of the marker's line before the
// first marker; where it has a group, the group is the place.
//
//	diag("place", "message")      a diagnostic; all of them must be marked, and nothing else
//	anydiags("")                  any diagnostics will do in this file
//	hints("")                     hints of this file must be marked too; else they may be left out
//	loc(name, "place")            names a place
//	def("place", names…)          go to definition
//	typedef("place", names…)      go to type definition
//	impl("place", names…)         go to implementation
//	refs("place", names…)         references without the declaration
//	highlight("place", names…)    highlights, prefixed w: or r: where they have a kind
//	hover("place", @golden)       the text of a hover
//	rename("place", "new", @golden), renameerr("place", "new", "message"), prepare("place", "text")
//	complete("place", "label"…)   the completions at the end of the place, all of them
//	completes("place", "label"…)  completions that must be among them
//	first("place", "label"…)      the first completion, and others that follow in this order; none with ! before them
//	item("place", "label", @golden) what completing an item makes of the line
//	signature("place", "label", "active")
//	action("place", "title", @golden) the whole text after a code action
//	change("place", "title", @golden) the lines that a code action changes
//	noaction("place", "title")    a code action that must not be offered
//	extract("place", "title", @golden), noextract("place", "title")  the same with the place selected
//	select("place", @golden)
//	calls("place", @golden), called("place", @golden)  outgoing and incoming calls
//	types("place", @golden)       supertypes and subtypes
//	linked("place", names…)       ranges edited together
//	ontype("place", "ch", @golden) the lines that typing a character changes
//	fmtrange("place", @golden)    the lines that formatting a range changes
//	values("place", names…)       the names that show values when the debugger stops at the place
//
// The sections @symbols, @tokens, @folding, @inlay, @hints, @links, @lenses and @format are about
// the first file. The section settings.json holds the client's settings.
func TestMarkers(t *testing.T) {
	files, err := filepath.Glob("../testdata/lsp/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range files {
		base := strings.TrimSuffix(filepath.Base(name), ".txtar")
		for _, enc := range []protocol.PositionEncodingKind{"utf-16", "utf-8", "utf-32"} {
			t.Run(base+"/"+string(enc), func(t *testing.T) { runArchive(t, name, enc) })
			if *update {
				break
			}
		}
	}
}

type section struct{ name, text string }

// parseArchive splits a txtar archive: a comment, then sections.
func parseArchive(text string) (comment string, secs []section) {
	a := txtar.Parse([]byte(text))
	for _, f := range a.Files {
		secs = append(secs, section{f.Name, string(f.Data)})
	}
	return string(a.Comment), secs
}

type mark struct {
	kind string
	args []string // names and goldens bare, strings decoded
	file *markFile
	line int
	span source.Span // of the place
}

type markFile struct {
	uri   uri.URI
	src   *source.File
	marks []*mark
}

type archive struct {
	t       *testing.T
	c       *testClient
	enc     source.Encoding
	files   []*markFile
	golden  map[string]string
	order   []string
	changed bool
	locs    map[string]*mark
}

func runArchive(t *testing.T, path string, enc protocol.PositionEncodingKind) {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	comment, secs := parseArchive(string(raw))
	a := &archive{t: t, golden: map[string]string{}, locs: map[string]*mark{}}
	a.enc = map[protocol.PositionEncodingKind]source.Encoding{"utf-8": source.UTF8, "utf-16": source.UTF16,
		"utf-32": source.UTF32}[enc]
	o := clientOptions{encoding: enc, pull: true, init: `{"lenses":true}`}
	for _, s := range secs {
		switch {
		case strings.HasPrefix(s.name, "@"):
			a.golden[s.name] = s.text
			a.order = append(a.order, s.name)
		case s.name == "settings.json":
			o.settings = s.text
			o.init = `{"lenses":true,` + strings.TrimSpace(s.text)[1:]
		default:
			f := &markFile{uri: uri.URI("file:///ws/" + s.name), src: source.NewFile("/ws/"+s.name, s.text)}
			a.files = append(a.files, f)
			a.parseMarks(f)
		}
	}
	a.c = newClient(t, o)
	for _, f := range a.files {
		a.c.open(f.uri, f.src.Text)
	}
	for _, f := range a.files {
		a.diagnostics(f)
		for _, m := range f.marks {
			a.run(m)
		}
	}
	for _, name := range slices.Clone(a.order) {
		if f := fileGoldens[name]; f != nil {
			a.check(name, f(a, a.files[0]))
		}
	}
	a.c.close()
	if *update && a.changed {
		var b strings.Builder
		b.WriteString(comment)
		for _, s := range secs {
			if !strings.HasPrefix(s.name, "@") {
				fmt.Fprintf(&b, "-- %s --\n%s", s.name, s.text)
			}
		}
		for _, n := range a.order {
			fmt.Fprintf(&b, "-- %s --\n%s", n, a.golden[n])
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// parseMarks reads the markers of a file.
func (a *archive) parseMarks(f *markFile) {
	for ln := range f.src.NumLines() {
		sp := f.src.Line(ln)
		text := f.src.Text[sp.Start:sp.End]
		at := strings.Index(text, ";;@")
		if at < 0 {
			continue
		}
		for part := range strings.SplitSeq(text[at:], ";;@") {
			part = strings.TrimSpace(part)
			if part == "" {
				continue
			}
			kind, rest, ok := strings.Cut(part, "(")
			if !ok || !strings.HasSuffix(rest, ")") {
				a.t.Fatalf("%s:%d: malformed marker %q", f.uri, ln+1, part)
			}
			m := &mark{kind: kind, file: f, line: ln, args: splitArgs(a.t, strings.TrimSuffix(rest, ")"))}
			place := m.args[0]
			if kind == "loc" {
				place = m.args[1]
				a.locs[m.args[0]] = m
			}
			re, err := regexp.Compile(place)
			if err != nil {
				a.t.Fatalf("%s:%d: %v", f.uri, ln+1, err)
			}
			idx := re.FindStringSubmatchIndex(text[:at])
			if idx == nil {
				a.t.Fatalf("%s:%d: %q does not match", f.uri, ln+1, place)
			}
			g := 0
			if len(idx) > 2 {
				g = 2
			}
			m.span = source.Span{Start: sp.Start + idx[g], End: sp.Start + idx[g+1]}
			f.marks = append(f.marks, m)
		}
	}
}

// splitArgs splits `"a(b", c, @d`.
func splitArgs(t testing.TB, s string) []string {
	var out []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimLeft(s, ", ") {
		if s[0] == '"' || s[0] == '`' {
			q, err := strconv.QuotedPrefix(s)
			if err != nil {
				t.Fatalf("marker argument %q: %v", s, err)
			}
			v, _ := strconv.Unquote(q)
			out = append(out, v)
			s = s[len(q):]
			continue
		}
		end := strings.IndexAny(s, ", ")
		if end < 0 {
			end = len(s)
		}
		out = append(out, s[:end])
		s = s[end:]
	}
	return out
}

func (a *archive) pos(f *markFile, off int) protocol.Position {
	p := f.src.Position(off, a.enc)
	return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Col)}
}

func (a *archive) spanOf(f *markFile, r protocol.Range) source.Span {
	at := func(p protocol.Position) int {
		return f.src.Offset(source.Position{Line: int(p.Line), Col: int(p.Character)}, a.enc)
	}
	return source.Span{Start: at(r.Start), End: at(r.End)}
}

// at returns the position parameters of a marker's place.
func (a *archive) at(m *mark) protocol.TextDocumentPositionParams {
	return protocol.TextDocumentPositionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: m.file.uri},
		Position:     a.pos(m.file, m.span.Start),
	}
}

// show writes a span as line:col-line:col, 1-based, in characters.
func (a *archive) show(f *markFile, sp source.Span) string {
	l1, c1 := f.src.LineCol(sp.Start)
	l2, c2 := f.src.LineCol(sp.End)
	return fmt.Sprintf("%d:%d-%d:%d", l1, c1, l2, c2)
}

func (m *mark) errorf(a *archive, format string, args ...any) {
	a.t.Helper()
	a.t.Errorf("%s:%d: %s: %s", filepath.Base(string(m.file.uri)), m.line+1, m.kind, fmt.Sprintf(format, args...))
}

// check compares with a golden, or rewrites it.
func (a *archive) check(name, got string) {
	a.t.Helper()
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	want, ok := a.golden[name]
	if *update {
		if !ok {
			a.order = append(a.order, name)
		}
		a.changed = a.changed || want != got || !ok
		a.golden[name] = got
		return
	}
	if want != got {
		a.t.Errorf("%s:\n--- got\n%s--- want\n%s", name, got, want)
	}
}

// diagnostics compares the diagnostics of a file with its markers, one to one.
func (a *archive) diagnostics(f *markFile) {
	var want []*mark
	hints := false
	for _, m := range f.marks {
		hints = hints || m.kind == "hints"
		if m.kind == "anydiags" {
			a.c.pull(f.uri)
			return
		}
		if m.kind == "diag" {
			want = append(want, m)
		}
	}
	for _, d := range a.c.pull(f.uri) {
		sp := a.spanOf(f, d.Range)
		msg := fmt.Sprint(d.Message)
		i := slices.IndexFunc(want, func(m *mark) bool {
			re := regexp.MustCompile(m.args[1])
			return f.src.LineOf(sp.Start) == m.line && sp.Start == m.span.Start && re.MatchString(msg)
		})
		if i < 0 && d.Severity == protocol.DiagnosticSeverityHint && !hints {
			continue
		}
		if i < 0 {
			a.t.Errorf("%s:%s: unexpected diagnostic %v: %s", filepath.Base(string(f.uri)), a.show(f, sp), d.Code, msg)
			continue
		}
		want = slices.Delete(want, i, i+1)
	}
	for _, m := range want {
		m.errorf(a, "no diagnostic %q", m.args[1])
	}
}

func (a *archive) run(m *mark) {
	ctx := context.Background()
	switch m.kind {
	case "diag", "loc", "anydiags", "hints":
	case "def", "typedef", "impl":
		a.targets(ctx, m)
	case "refs":
		ls, err := a.c.References(ctx, &protocol.ReferenceParams{TextDocumentPositionParams: a.at(m)})
		if err != nil {
			m.errorf(a, "%v", err)
		}
		a.places(m, ls, m.args[1:])
	case "highlight":
		a.highlight(ctx, m)
	case "hover":
		h, err := a.c.Hover(ctx, &protocol.HoverParams{TextDocumentPositionParams: a.at(m)})
		switch {
		case err != nil:
			m.errorf(a, "%v", err)
		case h == nil || h.Contents == nil:
			a.check(m.args[1], "(nothing)")
		default:
			a.check(m.args[1], h.Contents.(*protocol.MarkupContent).Value)
		}
	case "prepare":
		r, err := a.c.PrepareRename(ctx, &protocol.PrepareRenameParams{TextDocumentPositionParams: a.at(m)})
		if err != nil {
			if !regexp.MustCompile(m.args[1]).MatchString(err.Error()) {
				m.errorf(a, "%v", err)
			}
		} else if p := r.(*protocol.PrepareRenamePlaceholder); p.Placeholder != m.args[1] {
			m.errorf(a, "got %q", p.Placeholder)
		}
	case "rename", "renameerr":
		e, err := a.c.Rename(ctx, &protocol.RenameParams{TextDocumentPositionParams: a.at(m), NewName: m.args[1]})
		switch {
		case m.kind == "rename" && err != nil:
			m.errorf(a, "%v", err)
		case m.kind == "rename":
			a.check(m.args[2], a.apply(m.file, e))
		case err == nil || !regexp.MustCompile(m.args[2]).MatchString(err.Error()):
			m.errorf(a, "error is %v, want %q", err, m.args[2])
		}
	case "complete", "completes", "item", "first":
		a.completion(ctx, m)
	case "signature":
		p := a.at(m)
		p.Position = a.pos(m.file, m.span.End)
		s, err := a.c.SignatureHelp(ctx, &protocol.SignatureHelpParams{TextDocumentPositionParams: p})
		if err != nil || s == nil || len(s.Signatures) == 0 {
			if m.args[1] != "" {
				m.errorf(a, "nothing (%v)", err)
			}
			return
		}
		active := "none"
		if v, ok := s.ActiveParameter.Get(); ok {
			active = strconv.Itoa(int(v))
		}
		if s.Signatures[0].Label != m.args[1] || active != m.args[2] {
			m.errorf(a, "got %q, %s", s.Signatures[0].Label, active)
		}
	case "action", "change", "noaction", "extract", "noextract":
		a.action(ctx, m)
	case "calls", "called":
		a.check(m.args[1], a.hierarchy(ctx, m))
	case "types":
		a.check(m.args[1], a.typeTree(ctx, m))
	case "linked":
		r, err := a.c.LinkedEditingRange(ctx, &protocol.LinkedEditingRangeParams{TextDocumentPositionParams: a.at(m)})
		if err != nil {
			m.errorf(a, "%v", err)
			return
		}
		var ls []protocol.Location
		if r != nil {
			for _, x := range r.Ranges {
				ls = append(ls, protocol.Location{URI: m.file.uri, Range: x})
			}
		}
		a.places(m, ls, m.args[1:])
	case "ontype":
		p := &protocol.DocumentOnTypeFormattingParams{
			TextDocument: ident(m.file), Position: a.pos(m.file, m.span.End), Ch: m.args[1],
		}
		p.Options.TabSize, p.Options.InsertSpaces = 2, true
		es, err := a.c.OnTypeFormatting(ctx, p)
		a.editsGolden(m, m.args[2], es, err)
	case "fmtrange":
		p := &protocol.DocumentRangeFormattingParams{
			TextDocument: ident(m.file),
			Range:        protocol.Range{Start: a.pos(m.file, m.span.Start), End: a.pos(m.file, m.span.End)},
		}
		p.Options.TabSize, p.Options.InsertSpaces = 2, true
		es, err := a.c.RangeFormatting(ctx, p)
		a.editsGolden(m, m.args[1], es, err)
	case "values":
		p := &protocol.InlineValueParams{
			TextDocument: ident(m.file), Range: protocol.Range{End: a.pos(m.file, len(m.file.src.Text))},
		}
		p.Context.StoppedLocation = protocol.Range{Start: a.pos(m.file, m.span.Start), End: a.pos(m.file, m.span.End)}
		vs, err := a.c.InlineValue(ctx, p)
		if err != nil {
			m.errorf(a, "%v", err)
			return
		}
		var ls []protocol.Location
		for _, v := range vs {
			x := v.(*protocol.InlineValueVariableLookup)
			sp := a.spanOf(m.file, x.Range)
			if x.VariableName == nil || *x.VariableName != m.file.src.Text[sp.Start:sp.End] {
				m.errorf(a, "the name is %v", x.VariableName)
			}
			ls = append(ls, protocol.Location{URI: m.file.uri, Range: x.Range})
		}
		a.places(m, ls, m.args[1:])
	case "select":
		r, err := a.c.SelectionRange(
			ctx,
			&protocol.SelectionRangeParams{
				TextDocument: protocol.TextDocumentIdentifier{URI: m.file.uri},
				Positions:    []protocol.Position{a.pos(m.file, m.span.Start)},
			},
		)
		if err != nil {
			m.errorf(a, "%v", err)
			return
		}
		var b strings.Builder
		for s := &r[0]; s != nil; s = s.Parent {
			sp := a.spanOf(m.file, s.Range)
			first, _, more := strings.Cut(m.file.src.Text[sp.Start:sp.End], "\n")
			if more {
				first += " …"
			}
			fmt.Fprintf(&b, "%s %s\n", a.show(m.file, sp), first)
		}
		a.check(m.args[1], b.String())
	default:
		a.t.Fatalf("no marker kind %q", m.kind)
	}
}

func (a *archive) targets(ctx context.Context, m *mark) {
	var r protocol.DefinitionResult
	var err error
	switch m.kind {
	case "def":
		r, err = a.c.Definition(ctx, &protocol.DefinitionParams{TextDocumentPositionParams: a.at(m)})
	case "impl":
		r, err = a.c.Implementation(ctx, &protocol.ImplementationParams{TextDocumentPositionParams: a.at(m)})
	default:
		r, err = a.c.TypeDefinition(ctx, &protocol.TypeDefinitionParams{TextDocumentPositionParams: a.at(m)})
	}
	if err != nil {
		m.errorf(a, "%v", err)
		return
	}
	var ls []protocol.Location
	switch r := r.(type) {
	case protocol.LocationSlice:
		ls = r
	case *protocol.Location:
		ls = append(ls, *r)
	}
	a.places(m, ls, m.args[1:])
}

// places compares locations with named places, in any order.
func (a *archive) places(m *mark, ls []protocol.Location, names []string) {
	var got, want []string
	for _, l := range ls {
		f := a.fileOf(l.URI)
		if f == nil {
			m.errorf(a, "a place in %s", l.URI)
			continue
		}
		got = append(got, string(l.URI)+":"+a.show(f, a.spanOf(f, l.Range)))
	}
	for _, n := range names {
		l := a.locs[n]
		if l == nil {
			a.t.Fatalf("no place %q", n)
		}
		want = append(want, string(l.file.uri)+":"+a.show(l.file, l.span))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		m.errorf(a, "got %v, want %v", got, want)
	}
}

func (a *archive) highlight(ctx context.Context, m *mark) {
	hs, err := a.c.DocumentHighlight(ctx, &protocol.DocumentHighlightParams{TextDocumentPositionParams: a.at(m)})
	if err != nil {
		m.errorf(a, "%v", err)
	}
	var got, want []string
	for _, h := range hs {
		k := map[protocol.DocumentHighlightKind]string{
			protocol.DocumentHighlightKindRead: "r:", protocol.DocumentHighlightKindWrite: "w:",
		}[h.Kind]
		got = append(got, k+a.show(m.file, a.spanOf(m.file, h.Range)))
	}
	for _, n := range m.args[1:] {
		k := ""
		if strings.HasPrefix(n, "r:") || strings.HasPrefix(n, "w:") {
			k, n = n[:2], n[2:]
		}
		l := a.locs[n]
		if l == nil {
			a.t.Fatalf("no place %q", n)
		}
		want = append(want, k+a.show(l.file, l.span))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		m.errorf(a, "got %v, want %v", got, want)
	}
}

// fileOf returns the file of a URI, or nil.
func (a *archive) fileOf(u uri.URI) *markFile {
	for _, f := range a.files {
		if f.uri == u {
			return f
		}
	}
	return nil
}

// apply returns the text of a file after a workspace edit; of other files that change too, with their
// names before it.
func (a *archive) apply(f *markFile, e *protocol.WorkspaceEdit) string {
	texts := map[uri.URI]string{}
	for _, dc := range e.DocumentChanges {
		te := dc.(*protocol.TextDocumentEdit)
		g := a.fileOf(te.TextDocument.URI)
		if g == nil {
			a.t.Errorf("an edit of %s", te.TextDocument.URI)
			continue
		}
		var edits []source.Edit
		for _, x := range te.Edits {
			t := x.(*protocol.TextEdit)
			edits = append(edits, source.Edit{Span: a.spanOf(g, t.Range), New: t.NewText})
		}
		out, ok := source.ApplyAll(g.src.Text, edits)
		if !ok {
			a.t.Errorf("%s: edits overlap", g.uri)
		}
		texts[g.uri] = out
	}
	out, ok := texts[f.uri]
	if !ok {
		out = f.src.Text
	}
	for _, g := range a.files {
		if t, ok := texts[g.uri]; ok && g != f {
			out += ";; " + filepath.Base(string(g.uri)) + "\n" + t
		}
	}
	return out
}

func (a *archive) completion(ctx context.Context, m *mark) {
	p := a.at(m)
	p.Position = a.pos(m.file, m.span.End)
	r, err := a.c.Completion(ctx, &protocol.CompletionParams{TextDocumentPositionParams: p})
	if err != nil {
		m.errorf(a, "%v", err)
		return
	}
	list := r.(*protocol.CompletionList)
	slices.SortStableFunc(list.Items, func(x, y protocol.CompletionItem) int {
		sx, _ := x.SortText.Get()
		sy, _ := y.SortText.Get()
		return cmp.Compare(sx, sy)
	})
	var got []string
	for _, it := range list.Items {
		got = append(got, it.Label)
	}
	switch m.kind {
	case "complete":
		if !slices.Equal(got, m.args[1:]) {
			m.errorf(a, "got %q", got)
		}
	case "first":
		at := -1
		for _, w := range m.args[1:] {
			not := strings.HasPrefix(w, "!")
			i := slices.Index(got, strings.TrimPrefix(w, "!"))
			if not && i >= 0 && i < at || !not && (i < at || i < 0) || !not && at < 0 && i != 0 {
				m.errorf(a, "%q: got %q", w, got)
				break
			}
			at = max(at, i)
		}
	case "completes":
		for _, w := range m.args[1:] {
			if not := strings.HasPrefix(w, "!"); slices.Contains(got, strings.TrimPrefix(w, "!")) == not {
				m.errorf(a, "%q: got %q", w, got)
			}
		}
	case "item":
		i := slices.Index(got, m.args[1])
		if i < 0 {
			m.errorf(a, "no %q in %q", m.args[1], got)
			return
		}
		it := list.Items[i]
		te := it.TextEdit.(*protocol.TextEdit)
		sp := a.spanOf(m.file, te.Range)
		ln := m.file.src.Line(m.file.src.LineOf(sp.Start))
		line := m.file.src.Text[ln.Start:sp.Start] + "«" + te.NewText + "»" + m.file.src.Text[sp.End:ln.End]
		if k := strings.Index(line, ";;@"); k > 0 {
			line = strings.TrimRight(line[:k], " ")
		}
		out := line + "\n"
		if d, ok := it.Detail.Get(); ok {
			out += "detail: " + d + "\n"
		}
		if res, err := a.c.CompletionResolve(ctx, &it); err == nil && res.Documentation != nil {
			out += res.Documentation.(*protocol.MarkupContent).Value + "\n"
		}
		a.check(m.args[2], out)
	}
}

func (a *archive) action(ctx context.Context, m *mark) {
	p := &protocol.CodeActionParams{TextDocument: protocol.TextDocumentIdentifier{URI: m.file.uri}}
	p.Range = protocol.Range{Start: a.pos(m.file, m.span.Start), End: a.pos(m.file, m.span.Start)}
	if strings.HasSuffix(m.kind, "extract") {
		p.Range.End = a.pos(m.file, m.span.End)
	}
	p.Context.Diagnostics = []protocol.Diagnostic{}
	as, err := a.c.CodeAction(ctx, p)
	if err != nil {
		m.errorf(a, "%v", err)
		return
	}
	var titles []string
	for _, x := range as {
		ca := x.(*protocol.CodeAction)
		titles = append(titles, ca.Title)
		if ca.Title != m.args[1] || strings.HasPrefix(m.kind, "no") {
			continue
		}
		if ca.Edit == nil {
			if ca, err = a.c.CodeActionResolve(ctx, ca); err != nil {
				m.errorf(a, "%v", err)
				return
			}
		}
		text := a.apply(m.file, ca.Edit)
		if m.kind == "change" {
			text = changedLines(m.file.src.Text, text)
		}
		a.check(m.args[2], text)
		return
	}
	if strings.HasPrefix(m.kind, "no") {
		if slices.Contains(titles, m.args[1]) {
			m.errorf(a, "it is offered")
		}
		return
	}
	m.errorf(a, "got %q", titles)
}

// changedLines shows the lines in which two texts differ, as a diff without the lines around and
// without the markers.
func changedLines(before, after string) string {
	clean := func(s string) []string {
		ls := strings.Split(s, "\n")
		for i, l := range ls {
			if k := strings.Index(l, ";;@"); k >= 0 {
				ls[i] = strings.TrimRight(l[:k], " ")
			}
		}
		return ls
	}
	a, b := clean(before), clean(after)
	// The longest common subsequence, on texts of tests.
	lcs := make([][]int, len(a)+1)
	for i := range lcs {
		lcs[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				lcs[i][j] = lcs[i+1][j+1] + 1
			} else {
				lcs[i][j] = max(lcs[i+1][j], lcs[i][j+1])
			}
		}
	}
	var out strings.Builder
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && lcs[i+1][j] >= lcs[i][j+1]:
			out.WriteString("- " + a[i] + "\n")
			i++
		default:
			out.WriteString("+ " + b[j] + "\n")
			j++
		}
	}
	return out.String()
}

// editsGolden compares the lines that edits change with a golden.
func (a *archive) editsGolden(m *mark, name string, es []protocol.TextEdit, err error) {
	a.t.Helper()
	if err != nil {
		m.errorf(a, "%v", err)
		return
	}
	var edits []source.Edit
	for _, e := range es {
		edits = append(edits, source.Edit{Span: a.spanOf(m.file, e.Range), New: e.NewText})
	}
	out, ok := source.ApplyAll(m.file.src.Text, edits)
	if !ok {
		m.errorf(a, "edits overlap")
	}
	a.check(name, changedLines(m.file.src.Text, out))
}
