package analysis

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/internal/suite"
)

// linearCodes gives the codes of flow warnings in a text, by line.
func linearCodes(t *testing.T, name, text string) []string {
	t.Helper()
	s := Open(source.NewFile(name, text), Options{})
	var out []string
	for _, d := range s.Diagnostics() {
		switch d.Code {
		case diag.ConsumedContinuation, diag.NullContinuation, diag.ShadowedHandler:
			line, _ := s.File().LineCol(d.Span.Start)
			out = append(out, itoa(uint32(line))+" "+string(d.Code)+": "+d.Message)
		default:
			if d.Severity == diag.Error && !strings.HasSuffix(name, ".wast") {
				t.Errorf("%s: %s", name, d.Message)
			}
		}
	}
	return out
}

func TestLinear(t *testing.T) {
	const head = `(module (type $f (func)) (type $c (cont $f)) (tag $t) (func $g) (elem declare func $g) (func $f (param $p (ref $c)) (param $i i32) (local $k (ref null $c)) `
	for _, c := range []struct{ name, body, want string }{
		{"twice", "(resume $c (local.get $p)) (resume $c (local.get $p))", "used again"},
		{"alias", "(local.set $k (local.get $p)) (resume $c (local.get $p)) (resume $c (local.get $k))", "used again"},
		{"tee", "(resume $c (local.tee $k (cont.new $c (ref.func $g)))) (resume $c (local.get $k))", "used again"},
		{"one arm", "(if (local.get $i) (then (resume $c (local.get $p)))) (resume $c (local.get $p))", ""},
		{"both arms", "(if (local.get $i) (then (resume $c (local.get $p))) (else (resume $c (local.get $p)))) (resume $c (local.get $p))", "used again"},
		{"arm that leaves", "(if (local.get $i) (then (resume $c (local.get $p)) (return))) (resume $c (local.get $p))", ""},
		{"loop", "(loop $l (resume $c (local.get $p)) (br_if $l (local.get $i)))", "next turn"},
		{"loop sometimes", "(loop $l (if (local.get $i) (then (resume $c (local.get $p)))) (br_if $l (local.get $i)))", ""},
		{"loop without a second turn", "(loop $l (resume $c (local.get $p)))", ""},
		{"loop sets", "(local.set $k (local.get $p)) (loop $l (block $h (result (ref $c)) (resume $c (on $t $h) (local.get $k)) (return)) (local.set $k) (br $l))", ""},
		{"loop forgets", "(local.set $k (local.get $p)) (loop $l (block $h (result (ref $c)) (resume $c (on $t $h) (local.get $k)) (return)) (drop) (br $l))", "next turn"},
		{"null", "(resume $c (local.get $k))", "is null here"},
		{"null asked", "(if (ref.is_null (local.get $k)) (then (return))) (resume $c (local.get $k))", ""},
		{"set to null", "(local.set $k (local.get $p)) (local.set $k (ref.null $c)) (resume $c (local.get $k))", "is null here"},
		{"renewed", "(resume $c (local.get $p)) (local.set $p (cont.new $c (ref.func $g))) (resume $c (local.get $p))", ""},
		{"in a handler", "(block $h (result (ref $c)) (resume $c (on $t $h) (local.get $p)) (return)) (drop) (resume $c (local.get $p))", "used again"},
		{"old stays", "(local $d (ref null $c)) (local.set $k (local.get $p)) (loop $l (local.set $d (local.get $k)) (local.set $k (cont.new $c (ref.func $g))) (resume $c (local.get $d)) (br_if $l (local.get $i)))", ""},
		{"made anew", "(loop $l (resume $c (local.tee $k (cont.new $c (ref.func $g)))) (br $l))", ""},
		{"caught", "(block $h (try_table (catch_all $h) (call $g) (resume $c (local.get $p)) (return))) (resume $c (local.get $p))", ""},
	} {
		got := strings.Join(linearCodes(t, c.name+".wat", head+c.body+"))"), "; ")
		if c.want == "" && got != "" || c.want != "" && !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// Valid programs get no warning, but for those whose assertions expect the trap.
func TestLinearOnSuite(t *testing.T) {
	var got []string
	for _, f := range suite.Files(t) {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range linearCodes(t, f, string(text)) {
			got = append(got, filepath.Base(f)+":"+w)
		}
	}
	slices.Sort(got)
	if want := readLines(t, filepath.Join("testdata", "linear.txt")); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
