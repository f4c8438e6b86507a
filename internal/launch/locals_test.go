package launch_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/vm/debugger"
	"stackscope/vm/debugger/inspect"
)

// The programs of testdata/programs/locals are built for WebAssembly at -O0 and -O2. What gdb shows
// of the same source, built natively at -O0, is recorded in the files *.gdb: build.sh says how.
const localsDir = "../../testdata/programs/locals"

// record is the variables of a place as gdb showed them, innermost scope first: `name=value`.
type record struct {
	pass  string
	place string // function:line
	vars  []string
}

// golden reads what gdb showed.
func golden(t *testing.T, path string) (rs []record) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		f := strings.Split(strings.TrimSuffix(string(line), "\n"), "\t")
		rs = append(rs, record{f[0], f[1], f[2:]})
	}
	return rs
}

// passesOf groups the records of a pass of a line, in the order in which the passes begin.
func passesOf(rs []record) (out [][]record) {
	number := map[string]int{}
	for _, r := range rs {
		i, ok := number[r.pass]
		if !ok {
			i = len(out)
			number[r.pass], out = i, append(out, nil)
		}
		out[i] = append(out[i], r)
	}
	return out
}

// stops runs a program with a breakpoint on every line of its source, and returns what is shown
// where it stops, and the lines that have code.
func stops(t *testing.T, path, source string) (rs []record, lines map[int]bool) {
	t.Helper()
	lines = map[int]bool{}
	p, err := launch.Load(&dap.Launch{Program: path, Invoke: "run", Args: []string{"1"}})
	if err != nil {
		t.Fatal(err)
	}
	f := follow(p, false)
	defer f.close()
	f.e.Start()
	if _, ended := f.wait(); ended {
		t.Fatal("the program does not stop on entry")
	}
	found := false
	for _, s := range f.e.Symbols.Sources() {
		if s.External() == nil || filepath.Base(s.Name) != source {
			continue
		}
		found = true
		for _, l := range f.e.Symbols.Units()[0].Info.Lines(s.External()) {
			lines[l.Row.Line] = lines[l.Row.Line] || l.Row.Stmt
		}
		var bs []*debugger.Breakpoint
		for line := range 100 {
			bs = append(bs, &debugger.Breakpoint{ID: line + 1, Line: line})
		}
		if err := f.e.Breakpoints.Set("locals", s, bs); err != nil {
			t.Fatal(err)
		}
	}
	if !found {
		t.Fatalf("no source %s", source)
	}
	for { // the stop on entry is at the first line
		_ = f.e.Do(func() {
			if r, ok := f.locals(t, source); ok {
				rs = append(rs, r)
			}
		})
		f.e.Resume()
		where, ended := f.wait()
		if ended {
			if !strings.HasPrefix(where, "end: [") {
				t.Error(where)
			}
			return rs, lines
		}
	}
}

// locals returns what is shown where the program has stopped; ok is false if that is elsewhere than
// in a file of source.
func (f *follower) locals(t *testing.T, source string) (r record, ok bool) {
	lines, _, _ := f.e.Inspector.Trace(f.stop.Stack, 0, 1)
	fr := lines[0].Frame
	if filepath.Base(fr.File.Name) != source {
		t.Logf("a stop in %s at %s", fr.Title, fr.Site.Full())
		return r, false
	}
	name := fr.Title
	if fr.Scope != nil {
		name = fr.Scope.Name
	}
	r.place = fmt.Sprintf("%s:%d", name[strings.LastIndex(name, ":")+1:], fr.Site.Line)
	for _, v := range f.e.Inspector.SourceLocals(fr) {
		name, _, _ := strings.Cut(v.Name, " (shadowed")
		value := shown(v, 0)
		if strings.HasSuffix(source, ".rs") { // gdb cannot tell references from pointers
			value = strings.ReplaceAll(value, "&", "")
		}
		r.vars = append(r.vars, name+"="+value)
	}
	return r, true
}

var charText = regexp.MustCompile(`^(-?\d+) '`)

const gone = "<optimized out>"

// shown returns a variable in the form of the recordings.
func shown(v inspect.Var, depth int) string {
	text := v.Text
	if text == gone {
		return gone
	}
	switch v.Type {
	case "float", "f32":
		x, err := strconv.ParseFloat(text, 32)
		if err == nil {
			return fmt.Sprintf("f%016x", math.Float64bits(x))
		}
	case "double", "f64":
		x, err := strconv.ParseFloat(text, 64)
		if err == nil {
			return fmt.Sprintf("f%016x", math.Float64bits(x))
		}
	}
	if m := charText.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	switch text[0] {
	case '\'': // of Rust
		r, _, _, _ := strconv.UnquoteChar(text[1:], '\'')
		return fmt.Sprintf("c%x", r)
	case '"':
		if !strings.HasSuffix(v.Type, "]") { // an array of C is recorded by its elements
			return text
		}
	}
	if _, rest, ok := strings.Cut(text, " "); strings.HasPrefix(text, "0x") {
		switch {
		case ok && rest[0] == '"':
			return rest
		case ok:
			return "fn " + strings.Trim(rest, "<>")
		case v.Children == nil:
			return "&"
		case depth >= 4:
			return "…"
		}
		cs := v.Children()
		if len(cs) == 1 && strings.HasPrefix(cs[0].Name, "*") {
			return "&" + shown(cs[0], depth+1)
		}
		return "&" + members(cs, depth+1)
	}
	if text == "[]" { // nothing but the parts of a Vec
		return text
	}
	word := word.FindString(text)
	if v.Children == nil {
		return strings.ReplaceAll(text, " | ", "|")
	}
	if v.Indexed > 0 {
		var items []string
		for _, c := range v.Page(0, v.Indexed) {
			items = append(items, shown(c, depth))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	if cs := v.Children(); len(cs) > 0 || word == "" {
		return word + members(cs, depth)
	}
	return word // a variant without data
}

var word = regexp.MustCompile(`^[A-Z]\w*`)

func members(cs []inspect.Var, depth int) string {
	var out []string
	for _, c := range cs {
		out = append(out, c.Name+"="+shown(c, depth))
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// matches reports whether a text is as recorded: `?` stands for any value, and what is optimized out
// for any that is recorded.
func matches(got, want string) bool {
	for want != "" {
		switch {
		case want[0] == '?', strings.HasPrefix(got, gone):
			got, want = afterValue(got), afterValue(want)
		case got == "" || got[0] != want[0]:
			return false
		default:
			got, want = got[1:], want[1:]
		}
	}
	return got == ""
}

// afterValue returns what follows the value that a text begins with.
func afterValue(s string) string {
	depth, i := 0, 0
	for ; i < len(s) && (depth > 0 || s[i] != ',' && s[i] != ']' && s[i] != '}'); i++ {
		switch s[i] {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
	}
	return s[i:]
}

// TestLocalsUnoptimized: at -O0, at a breakpoint on every line with code, the locals in scope and
// their values are those that gdb shows.
func TestLocalsUnoptimized(t *testing.T) {
	compared, unknown := 0, 0
	for _, path := range localPrograms(t, "O0") {
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		t.Run(name, func(t *testing.T) {
			want := passesOf(golden(t, strings.Replace(path, ".O0.wasm", ".gdb", 1)))
			at, row := 0, 0
			there, lines := stops(t, path, sourceOf(path))
			for _, p := range want {
				_, n, _ := strings.Cut(p[0].place[strings.LastIndex(p[0].place, ":"):], ":")
				if line, _ := strconv.Atoi(n); !lines[line] {
					continue // a jump of the native code
				}
				if !slices.ContainsFunc(there, func(s record) bool { return s.place == p[0].place }) {
					t.Errorf("no stop at %s", p[0].place)
				}
			}
			for _, s := range there {
				// The stop is at a later row of the pass of the stop before, or in the next pass of its line, or
				// in the one after that: some lines of native code end with a jump of their own.
				var passes []int
				for i := at; i < len(want) && len(passes) < 3; i++ {
					if want[i][0].place == s.place && (i > at || row < len(want[i])) {
						passes = append(passes, i)
					}
				}
				if len(passes) == 0 {
					t.Fatalf("a stop at %s, which gdb does not pass after %s", s.place, want[at][0].place)
				}
				found := false
				for _, i := range passes {
					from := 0
					if i == at {
						from = row
					}
					j := slices.IndexFunc(want[i][from:], func(r record) bool { return same(s.vars, r.vars) })
					if j >= 0 {
						at, row, found = i, from+j+1, true
						break
					}
				}
				if !found {
					at, row = passes[0], 0
					t.Errorf("%s shows\n %s\ngdb\n %s", s.place, strings.Join(s.vars, "\n "),
						strings.Join(want[at][0].vars, "\n "))
				}
				compared, unknown = count(compared, unknown, want[at][0])
			}
		})
	}
	t.Logf("%d locals compared, %d of them not initialised", compared, unknown)
	if compared < 2000 {
		t.Error("too few")
	}
}

// count counts the variables of a record, and those whose value is not known.
func count(all, unknown int, r record) (int, int) {
	for _, v := range r.vars {
		all++
		if strings.HasSuffix(v, "=?") {
			unknown++
		}
	}
	return all, unknown
}

func same(got, want []string) bool { return slices.EqualFunc(got, want, matches) }

// untrue lists variables of which LLVM says something at -O2 that is not so, by program, function and
// name: in the debugging information there is one constant, or one place, for all of their scope, but
// the source assigns to them, and the assignment is folded or its store is dead.
var untrue = map[string]string{
	"matches run found": "LLVM 14 computes the discriminant of an enum and says 1, the number of the variant",
}

// TestLocalsOptimized: at -O2, each value that is shown is right.
//
// gdb's recording of the build at -O0 says what is right. The optimizer moves what a line does, so
// that a variable may have the value already that it has after the line, or still the one before it:
// a value is right if the variable has it somewhere in that function. It is counted how many are those
// of the same pass of the line, where both programs pass it equally often.
func TestLocalsOptimized(t *testing.T) {
	all, exact, hidden, wrong := 0, 0, 0, 0
	for _, path := range localPrograms(t, "O2") {
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		t.Run(name, func(t *testing.T) {
			recorded := golden(t, strings.Replace(path, ".O2.wasm", ".gdb", 1))
			there, _ := stops(t, path, sourceOf(path))
			times, passed := map[string]int{}, map[string]int{}
			for _, s := range there {
				times[s.place]++
			}
			byPlace := map[string][][]record{}
			for _, p := range passesOf(recorded) {
				byPlace[p[0].place] = append(byPlace[p[0].place], p)
			}
			for _, s := range there {
				n, ps := passed[s.place], byPlace[s.place]
				passed[s.place]++
				fn := s.place[:strings.LastIndex(s.place, ":")]
				inFunction := slices.DeleteFunc(slices.Clone(recorded), func(r record) bool {
					return !strings.HasPrefix(r.place, fn+":")
				})
				for _, v := range s.vars {
					x, text, _ := strings.Cut(v, "=")
					switch {
					case text == gone, strings.Contains(text, "ptr="+gone), strings.Contains(text, "ptr: "+gone):
						// also of a slice, a str or a Vec without its pointer: there is nothing to compare
						hidden++
						continue
					case len(ps) == times[s.place] && shows(ps[n], v):
						exact++
					case shows(inFunction, v):
					case untrue[name+" "+fn+" "+x] != "":
						wrong++
					default:
						t.Errorf("%s, pass %d of %d, shows %s, gdb in %d passes", s.place, n+1, times[s.place], v, len(ps))
					}
					all++
				}
			}
		})
	}
	t.Logf("%d values shown, %d of them in the same pass of a line; %d optimized out; %d as the compiler says, "+
		"which is not so", all, exact, hidden, wrong)
	if all < 500 {
		t.Error("too few")
	}
}

// A condition in the terms of the source is checked before there is a frame, and computed in each.
func TestConditionOfSource(t *testing.T) {
	p, err := launch.Load(&dap.Launch{
		Program: filepath.Join(localsDir, "c", "arrays.O0.wasm"), Invoke: "run", Args: []string{"1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	f := follow(p, false)
	defer f.close()
	f.e.Start()
	f.wait()
	b := &debugger.Breakpoint{ID: 1, Line: 8, Condition: "i == 2 && values[i] == 3"}
	if err := f.e.Breakpoints.Set("locals", f.source("arrays.c"), []*debugger.Breakpoint{b}); err != nil || !b.Verified {
		t.Fatal(err, b.Message)
	}
	f.e.Resume()
	if where, ended := f.wait(); ended {
		t.Fatal(where)
	}
	_ = f.e.Do(func() {
		if r, _ := f.locals(t, "arrays.c"); r.place != "total:9" || !slices.Contains(r.vars, "i=2") {
			t.Error(r)
		}
	})
	f.e.Resume()
	if where, ended := f.wait(); !ended {
		t.Error("a second stop:", where)
	}
}

// shows reports whether one of some records has a variable with a value.
func shows(rs []record, v string) bool {
	return slices.ContainsFunc(rs, func(r record) bool {
		return slices.ContainsFunc(r.vars, func(w string) bool { return matches(v, w) })
	})
}

func sourceOf(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return name + map[string]string{"c": ".c", "rust": ".rs"}[filepath.Base(filepath.Dir(path))]
}

func localPrograms(t *testing.T, level string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(localsDir, "*", "*."+level+".wasm"))
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	return files
}
