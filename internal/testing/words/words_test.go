package words

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

const root = "../../.."

// place is a text of the tree with its position.
type place struct {
	file string
	line int
	text string
}

// tree is what the checks read.
type tree struct {
	docs     []place // doc comments of Go declarations
	comments []place // all Go comments
	strings  []place // Go strings
	names    []place // declared Go identifiers
	prose    []place // lines of Markdown, of package.json and of the extension's TypeScript
	golines  []place // lines of Go that people write
}

// TestWords looks for the words that docs/glossary.md replaces. Each check reports its count.
func TestWords(t *testing.T) {
	tr := read(t)
	verbs := regexp.MustCompile(`^(\w+|It|This)( also)? (knows|tells|hears|notes|informs|says)\b`)
	private := regexp.MustCompile(`\b(tells|hears|informs|knows)\b`)
	checks := []struct {
		name  string
		where [][]place
		bad   func(s string) bool
	}{
		{"doc comments with X gives Y", [][]place{tr.docs}, matches(`^\w+ gives\b|(\band|[.;] [Ii]t|, which) gives (?:a|an|the|its|no|nil|true|false|what|where|how|all|them)\b`)},
		{"tells whether", [][]place{tr.comments, tr.strings, tr.prose}, matches(`\btells? whether\b`)},
		{
			"plain, hooked, fast and register form", [][]place{tr.comments, tr.strings, tr.prose},
			matches(`(?i)\b(plain (form|loop|code)|hooked|fast form|register form|register code)\b`),
		},
		{"private verbs", [][]place{tr.docs}, func(s string) bool {
			return verbs.MatchString(s) || private.MatchString(s)
		}},
		{
			"private words", [][]place{tr.comments, tr.strings, tr.prose},
			matches(`(?i)\b(law of stepping|survey(s|ed)?|hush(ed)?|anew|behind|in front of)\b`),
		},
		{"private identifiers", [][]place{tr.names}, func(s string) bool { return slices.Contains(identifiers, s) }},
	}
	for _, c := range checks {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			found := 0
			for _, list := range c.where {
				for _, p := range list {
					if !c.bad(p.text) {
						continue
					}
					found++
					if allowed(p.file) {
						continue
					}
					t.Errorf("%s:%d: %s", p.file, p.line, shorten(p.text))
				}
			}
			t.Logf("%s: %d", c.name, found)
		})
	}
}

// identifiers are names that say nothing to a reader who does not know the code.
var identifiers = []string{
	"settle", "hurry", "hurried", "linger", "halt", "goOn", "still", "fallen", "hush", "hushed", "survey", "moribund",
	"knows", "tells", "hears", "informs", "tellWhether", "hooked", "plainForm", "registerForm",
}

// allowed reports whether a file quotes the words themselves.
func allowed(file string) bool {
	return strings.HasPrefix(file, "internal/testing/words/") || file == "docs/glossary.md"
}

// TestLines checks that prose has at most 100 columns and Go lines at most 120. Tables, code and
// lines with a long link or string are excepted.
func TestLines(t *testing.T) {
	tr := read(t)
	for _, p := range tr.golines {
		if allowed(p.file) {
			continue
		}
		t.Errorf("%s:%d: %d columns", p.file, p.line, width(p.text))
	}
	for _, name := range files(t, "*.md") {
		if allowed(name) {
			continue
		}
		fenced := false
		for i, l := range strings.Split(text(t, name), "\n") {
			trimmed := strings.TrimSpace(l)
			if strings.HasPrefix(trimmed, "```") {
				fenced = !fenced
			}
			if fenced || utf8.RuneCountInString(l) <= 100 || strings.HasPrefix(trimmed, "|") || strings.HasPrefix(l, "    ") ||
				!strings.Contains(strings.TrimLeft(trimmed, "*- "), " ") || strings.HasPrefix(trimmed, "![") {
				continue
			}
			t.Errorf("%s:%d: %d columns", name, i+1, utf8.RuneCountInString(l))
		}
	}
}

// TestPaths checks that the links of the pages lead to files, and that the files and functions
// which CONTRIBUTING.md and the design pages name exist.
func TestPaths(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)]*)?\)`)
	function := regexp.MustCompile("`([a-z][\\w/]*\\.go):(\\w+)`")
	named := regexp.MustCompile("`([a-z.][\\w.-]*/[\\w./-]*)`")
	for _, name := range files(t, "*.md") {
		page := text(t, name)
		for _, m := range link.FindAllStringSubmatch(page, -1) {
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", name, m[1])
			}
		}
		if name != "CONTRIBUTING.md" && !strings.HasPrefix(name, "docs/design/") ||
			name == "docs/design/dependencies.md" { // it names files of other modules
			continue
		}
		for _, m := range function.FindAllStringSubmatch(page, -1) {
			declared := regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + m[2] + `[\[(]`)
			if b, err := os.ReadFile(filepath.Join(root, m[1])); err != nil || !declared.Match(b) {
				t.Errorf("%s: there is no function %s in %s", name, m[2], m[1])
			}
		}
		for _, m := range named.FindAllStringSubmatch(page, -1) {
			p, wanted := m[1], filepath.Ext(m[1]) != "" || strings.HasSuffix(m[1], "/")
			if !wanted || strings.Contains(p, "NAME") || strings.Contains(p, "..") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, p)); err != nil {
				t.Errorf("%s: there is no %s", name, p)
			}
		}
	}
}

// TestPackagesNamed checks that docs/design/architecture.md names every package.
func TestPackagesNamed(t *testing.T) {
	page, seen := text(t, "docs/design/architecture.md"), map[string]bool{}
	for _, name := range files(t, "*.go") {
		dir := filepath.ToSlash(filepath.Dir(name))
		if !seen[dir] && !strings.Contains(dir, "testdata") && !strings.Contains(page, "`"+dir+"`") {
			t.Errorf("docs/design/architecture.md does not name %s", dir)
		}
		seen[dir] = true
	}
}

func matches(pattern string) func(string) bool { return regexp.MustCompile(pattern).MatchString }

func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 160 {
		return string(r[:160]) + "…"
	}
	return s
}

// read reads the tree.
func read(t *testing.T) *tree {
	t.Helper()
	tr := &tree{}
	for _, name := range files(t, "*.go") {
		if strings.Contains(name, "/testdata/") {
			continue
		}
		readGo(t, tr, name)
	}
	for _, pattern := range []string{"*.md", "editors/vscode/package.json", "editors/vscode/src/*.ts"} {
		for _, name := range files(t, pattern) {
			for i, l := range strings.Split(text(t, name), "\n") {
				tr.prose = append(tr.prose, place{name, i + 1, l})
			}
		}
	}
	return tr
}

// readGo adds a Go file.
func readGo(t *testing.T, tr *tree, name string) {
	t.Helper()
	src := text(t, name)
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	at := func(n ast.Node) int { return fset.Position(n.Pos()).Line }
	if !ast.IsGenerated(f) {
		quoted := literals(fset, f)
		rows := strings.HasSuffix(name, "_test.go") // tables of texts: a row is easier to read on a line
		for i, l := range strings.Split(src, "\n") {
			if strings.HasPrefix(l, "//go:") || rows && quoted[i+1] {
				continue
			}
			if width(l) > 120 && !longString(l) {
				tr.golines = append(tr.golines, place{name, i + 1, l})
			}
		}
	}
	for _, g := range f.Comments {
		for _, c := range g.List {
			if !strings.HasPrefix(c.Text, "//go:") {
				tr.comments = append(tr.comments, place{name, at(c), c.Text})
			}
		}
	}
	doc := func(g *ast.CommentGroup) {
		if g != nil {
			tr.docs = append(tr.docs, place{name, at(g), g.Text()})
		}
	}
	named := func(ids ...*ast.Ident) {
		for _, id := range ids {
			tr.names = append(tr.names, place{name, at(id), id.Name})
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			doc(n.Doc)
			named(n.Name)
		case *ast.GenDecl:
			doc(n.Doc)
		case *ast.TypeSpec:
			doc(n.Doc)
			named(n.Name)
		case *ast.ValueSpec:
			doc(n.Doc)
			named(n.Names...)
		case *ast.Field:
			doc(n.Doc)
			named(n.Names...)
		case *ast.BasicLit:
			if s, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				tr.strings = append(tr.strings, place{name, at(n), s})
			}
		}
		return true
	})
}

// literals returns the lines that string literals are on.
func literals(fset *token.FileSet, f *ast.File) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if n, ok := n.(*ast.BasicLit); ok && n.Kind == token.STRING {
			for i := fset.Position(n.Pos()).Line; i <= fset.Position(n.End()).Line; i++ {
				lines[i] = true
			}
		}
		return true
	})
	return lines
}

// width returns the columns of a line, with tabs of four.
func width(l string) int {
	return utf8.RuneCountInString(l) + 3*strings.Count(l, "\t")
}

// longString reports whether a line is long because of a string literal, or is inside one.
func longString(l string) bool {
	for _, q := range []string{"`", `"`} {
		first, last := strings.Index(l, q), strings.LastIndex(l, q)
		if first >= 0 && (first == last || last-first > 60) {
			return true
		}
	}
	return !strings.ContainsFunc(l, unicode.IsLetter)
}

// files returns the files of the tree that a pattern of git names.
func files(t *testing.T, pattern string) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z", "--", pattern)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Skip("not a git checkout")
	}
	var names []string
	for _, n := range bytes.Split(out, []byte{0}) {
		if _, err := os.Stat(filepath.Join(root, string(n))); err == nil && len(n) > 0 {
			names = append(names, string(n))
		}
	}
	return names
}

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
