package analysis

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/internal/testing/suite"
)

// effectCodes are the codes of the analysis of effects.
var effectCodes = []diag.Code{
	diag.IdleHandler, diag.UnhandledTag, diag.SwitchOnlyHandler, diag.BarrierSuspension, diag.EventUntaken,
	diag.ReturnsUnretired,
}

func TestEffectVerdicts(t *testing.T) {
	const head = `(type $f (func)) (type $c (cont $f)) (tag $t) (tag $u) (elem declare func $g $k) `
	handle := func(tag, fn string) string {
		return `(block $h (result (ref $c)) (resume $c (on ` + tag + ` $h) (cont.new $c (ref.func ` + fn + `))) (return)) (drop)`
	}
	for _, c := range []struct{ name, text, want string }{
		{"handled", head + `(func $g (suspend $t)) (func $k) (func (export "r") ` + handle("$t", "$g") + `)`, ""},
		{"unhandled", head + `(func $g (suspend $t)) (func $k) (func (export "r") (call $g))`, "unhandled-tag suspend $t"},
		{"unhandled, the tag goes out", head + `(func $g (suspend $t)) (func $k) (func (export "r") (call $g)) (export "t" (tag $t))`, ""},
		{"unhandled, nobody comes there", head + `(func $g (suspend $t)) (func $k) (func (export "r"))`, ""},
		{"below a resume without clauses", head + `(func $g (suspend $t)) (func $k) (func (export "r") (resume $c (cont.new $c (ref.func $g))))`, "unhandled-tag suspend $t"},
		{"over a call", head + `(func $g (call $i)) (func $i (suspend $t)) (func $k) (func (export "r") ` + handle("$t", "$g") + `)`, ""},
		{"over two resumes", head + `(func $g (resume $c (cont.new $c (ref.func $k)))) (func $k (suspend $t)) (func (export "r") ` + handle("$t", "$g") + `)`, ""},
		{"handled on one of two ways", head + `(func $g (suspend $t)) (func $k) (func (export "a") (call $g)) (func (export "r") ` + handle("$t", "$g") + `)`, ""},
		{"by call_ref", head + `(func $g (call_ref $f (ref.func $k))) (func $k (suspend $t)) (func (export "r") ` + handle("$t", "$g") + `)`, ""},
		{"through an import", `(import "e" "call" (func $out (param funcref))) ` + head + `(func $g (call $out (ref.func $k))) (func $k (suspend $t)) (func (export "r") ` + handle("$t", "$g") + `)`, ""},
		{"through an import and an export", `(import "e" "call" (func $out)) ` + head + `(func $g (call $out)) (func $k) (func (export "s") (suspend $t)) (func (export "r") ` + handle("$t", "$g") + `)`, ""},
		{"idle", head + `(func $g (suspend $t)) (func $k (suspend $u)) (type $f2 (func (result i32))) (type $c2 (cont $f2)) (elem declare func $n) (func $n (result i32) (i32.const 1))
			(func (export "r") (result i32) (block $h (result (ref $c2)) (resume $c2 (on $t $h) (cont.new $c2 (ref.func $n))) (return)) (drop) (i32.const 0)) (func (export "s") ` + handle("$t", "$g") + handle("$u", "$k") + `)`, "idle-handler (on $t $h)"},
		{"idle, but from outside", head + `(func $g (suspend $t)) (func $k) (func (export "s") (call $g)) (func (export "r") (param $x (ref $c)) (block $h (result (ref $c)) (resume $c (on $t $h) (local.get $x)) (return)) (drop))`, ""},
		{"switch only", head + `(func $g (suspend $t)) (func $k) (func (export "r") (resume $c (on $t switch) (cont.new $c (ref.func $g))))`, "idle-handler (on $t switch); switch-only-handler suspend $t"},
		{"barrier", head + `(func $g (barrier (suspend $t))) (func $k (suspend $t)) (func (export "r") ` + handle("$t", "$g") + `)`, "barrier-suspension suspend $t; idle-handler (on $t $h)"},
		{"call in a barrier", head + `(func $g (barrier (call $k)) (suspend $t)) (func $k (suspend $t)) (func (export "r") ` + handle("$t", "$g") + `)`, "barrier-suspension call $k"},
		{"handled in a barrier", head + `(func $g (suspend $t)) (func $k) (func (export "r") (barrier ` + strings.ReplaceAll(handle("$t", "$g"), "(return)", "(unreachable)") + `))`, ""},
		{"start", head + `(func $g (suspend $t)) (func $k) (start $g) (func (export "r") ` + handle("$t", "$g") + `)`, "barrier-suspension $g"},
		{"piece", head + `(func $g (suspend $t)) (func $k)`, ""},
		{"no event clause", `(@stack-switching "fibers-handle") (type $ft (fiber)) (tag $go) (tag $x) (func $f (param (ref $ft)) (event $go)) (func (export "r") (fiber.resume $x (fiber.new $f)))`, "event-without-clause fiber.resume $x; idle-handler event $go"},
		{"imported tag", `(@stack-switching "fibers-handle") (type $ft (fiber)) (import "e" "go" (tag $go)) (func $f (param (ref $ft)) (event $go)) (func (export "r") (param (ref $ft)) (drop (fiber.new $f)))`, ""},
		{"return event", `(@stack-switching "fibers-mount") (tag $ret) (tag $go) (func $f (param (ref fiber))) (func (export "r") (block $l (fiber.mount $go ($go $l) (fiber.new $ret ($go $f)))))`, "event-without-clause fiber.new $ret ($go $f)"},
		{"task returns", `(@stack-switching "tasks") (tag $go) (func $f (param taskref) (block $l (event.switch ($go $l)))) (func (export "r") (param $t taskref) (drop (task.new $f)) (block $l (task.resume $go (local.get $t)) (event.switch ($go $l))))`, "returns-unretired $f"},
		{"stack returns", `(@stack-switching "stacks") (rec (type $s (stack (param (ref null $s))))) (func $f (param (ref null $s))) (func (export "r") (result (ref $s)) (stack.new $s $f))`, "returns-unretired $f"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "(module " + c.text + ")"
			var got []string
			for _, d := range Open(source.NewFile("a.wat", text), Options{}).Diagnostics() {
				if d.Severity == diag.Error {
					t.Errorf("%s: %s", text[d.Span.Start:d.Span.End], d.Message)
				}
				if slices.Contains(effectCodes, d.Code) {
					got = append(got, string(d.Code)+" "+text[d.Span.Start:d.Span.End])
				}
			}
			slices.Sort(got)
			if g := strings.Join(got, "; "); g != c.want {
				t.Errorf("got  %s\nwant %s", g, c.want)
			}
		})
	}
}

// The path from an export is told, and moves with the text.
func TestUnhandledPath(t *testing.T) {
	s := Open(
		source.NewFile(
			"a.wat",
			"(module (tag $t)\n(func $g (suspend $t))\n(func $m (call $g))\n(func (export \"run\") (call $m)))",
		),
		Options{},
	)
	for range 2 {
		var got []string
		for _, d := range s.Diagnostics() {
			if d.Code == diag.UnhandledTag {
				for _, r := range d.Related {
					got = append(got, r.Message+" "+s.File().Text[r.Span.Start:r.Span.End])
				}
			}
		}
		if want := `exported as "run" func; which calls or resumes $m $m; which calls or resumes $g $g`; strings.Join(
			got, "; ",
		) != want {
			t.Errorf("got %q", got)
		}
		s = s.Edit(
			source.Edit{
				Span: source.Span{
					Start: strings.Index(s.File().Text, "(suspend"),
					End:   strings.Index(s.File().Text, "(suspend"),
				},
				New: "(nop)\n",
			},
		)
	}
}

// What is said of the official suites, the examples and the texts of the dialects is known line by
// line, with the reason in the file.
func TestEffectsOnSuites(t *testing.T) {
	files := suite.Files(t)
	for _, glob := range []string{"../testdata/examples/*/*.wa[st]*", "../testdata/dialects/*/*.wast"} {
		more, _ := filepath.Glob(glob)
		files = append(files, more...)
	}
	var got []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		s := Open(source.NewFile(f, string(text)), Options{})
		for _, d := range s.Diagnostics() {
			if slices.Contains(effectCodes, d.Code) {
				line, _ := s.File().LineCol(d.Span.Start)
				got = append(
					got,
					filepath.Base(
						filepath.Dir(f),
					)+"/"+filepath.Base(
						f,
					)+":"+strconv.Itoa(
						line,
					)+" "+string(
						d.Code,
					)+": "+d.Message,
				)
			}
		}
	}
	slices.Sort(got)
	want := readLines(t, filepath.Join("testdata", "effects.txt"))
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// assertion is the command of a script that calls an export and expects a trap or a suspension.
var assertion = regexp.MustCompile(`\(assert_(?:trap|suspension)\s+\(invoke\s+"([^"]*)"[^"]*"([^"]*)"\)`)

// TestUnhandledReasons compares each warning that a suspension is unhandled with what the script
// says that a call of its function really does. Where something else is known to trap first, only
// that is reported. Where nothing is known of the continuation of a switch, the warning does not
// depend on it.
func TestUnhandledReasons(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(suite.Dir(t), "stack-switching", "*.wast"))
	own, _ := filepath.Glob("../testdata/dialects/*/*.wast")
	more, _ := filepath.Glob("../testdata/examples/*/*.wast")
	calls, compared := 0, 0
	for _, f := range slices.Concat(files, own, more) {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		s := Open(source.NewFile(f, string(text)), Options{})
		ds := s.Diagnostics()
		for _, a := range assertion.FindAllSubmatchIndex(text, -1) {
			name, trap := string(text[a[2]:a[3]]), string(text[a[4]:a[5]])
			var m *Module
			for _, x := range s.Modules() {
				if x.Span().Start < a[0] {
					m = x
				}
			}
			if m == nil {
				continue
			}
			x, ok := m.Declared().Export(name)
			if !ok {
				continue
			}
			calls++
			first := "" // what is reported of the function first
			for _, d := range ds {
				if fn, ok := m.FuncAt(d.Span.Start); !ok || fn != x.Index || !m.Span().Contains(d.Span.Start) {
					continue
				}
				line, _ := s.File().LineCol(d.Span.Start)
				at := filepath.Base(f) + ":" + strconv.Itoa(line)
				switch d.Code {
				case diag.NullContinuation, diag.ConsumedContinuation:
					if first == "" {
						first = d.Message
					}
				case diag.UnhandledTag, diag.SwitchOnlyHandler:
					compared++
					if strings.HasPrefix(trap, "unhandled") {
						break
					}
					if first != "" || !strings.Contains(trap, "continuation") ||
						!strings.Contains(d.Message, "even with a valid continuation") {
						t.Errorf(
							"%s: %s; the script says %q, and before it is reported: %q", at, d.Message, trap,
							first,
						)
					}
				}
			}
		}
	}
	if calls < 50 || compared < 6 {
		t.Errorf("%d calls, %d warnings compared", calls, compared)
	}
}
