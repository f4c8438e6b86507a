package analysis

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/internal/testing/suite"
)

// linearCodes returns the codes of flow warnings in a text, by line.
func linearCodes(t *testing.T, name, text string) []string {
	t.Helper()
	s := Open(source.NewFile(name, text), Options{})
	var out []string
	for _, d := range s.Diagnostics() {
		switch d.Code {
		case diag.ConsumedContinuation, diag.NullContinuation, diag.ShadowedHandler, diag.MoribundUse,
			diag.AbandonedCont:
			line, _ := s.File().LineCol(d.Span.Start)
			out = append(out, strconv.Itoa(line)+" "+string(d.Code)+": "+d.Message)
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
		{"twice", "(resume $c (local.get $p)) (resume $c (local.get $p))", "used after"},
		{"alias", "(local.set $k (local.get $p)) (resume $c (local.get $p)) (resume $c (local.get $k))", "used after"},
		{"tee", "(resume $c (local.tee $k (cont.new $c (ref.func $g)))) (resume $c (local.get $k))", "used after"},
		{"one arm", "(if (local.get $i) (then (resume $c (local.get $p)))) (resume $c (local.get $p))", ""},
		{"both arms", "(if (local.get $i) (then (resume $c (local.get $p))) (else (resume $c (local.get $p)))) (resume $c (local.get $p))", "used after"},
		{"arm that leaves", "(if (local.get $i) (then (resume $c (local.get $p)) (return))) (resume $c (local.get $p))", ""},
		{"loop", "(loop $l (resume $c (local.get $p)) (br_if $l (local.get $i)))", "next iteration"},
		{"loop sometimes", "(loop $l (if (local.get $i) (then (resume $c (local.get $p)))) (br_if $l (local.get $i)))", ""},
		{"loop without a second turn", "(loop $l (resume $c (local.get $p)))", ""},
		{"loop sets", "(local.set $k (local.get $p)) (loop $l (block $h (result (ref $c)) (resume $c (on $t $h) (local.get $k)) (return)) (local.set $k) (br $l))", ""},
		{"loop forgets", "(local.set $k (local.get $p)) (loop $l (block $h (result (ref $c)) (resume $c (on $t $h) (local.get $k)) (return)) (drop) (br $l))", "next iteration"},
		{"null", "(resume $c (local.get $k))", "is null here"},
		{"null asked", "(if (ref.is_null (local.get $k)) (then (return))) (resume $c (local.get $k))", ""},
		{"set to null", "(local.set $k (local.get $p)) (local.set $k (ref.null $c)) (resume $c (local.get $k))", "is null here"},
		{"renewed", "(resume $c (local.get $p)) (local.set $p (cont.new $c (ref.func $g))) (resume $c (local.get $p))", ""},
		{"in a handler", "(block $h (result (ref $c)) (resume $c (on $t $h) (local.get $p)) (return)) (drop) (resume $c (local.get $p))", "used after"},
		{"old stays", "(local $d (ref null $c)) (local.set $k (local.get $p)) (loop $l (local.set $d (local.get $k)) (local.set $k (cont.new $c (ref.func $g))) (resume $c (local.get $d)) (br_if $l (local.get $i)))", ""},
		{"made again", "(loop $l (resume $c (local.tee $k (cont.new $c (ref.func $g)))) (br $l))", ""},
		{"caught", "(block $h (try_table (catch_all $h) (call $g) (resume $c (local.get $p)) (return))) (resume $c (local.get $p))", ""},
	} {
		got := strings.Join(linearCodes(t, c.name+".wat", head+c.body+"))"), "; ")
		if c.want == "" && got != "" || c.want != "" && !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// Valid programs get no warning, but for those whose assertions expect the trap; examples get
// nothing.
func TestLinearOnSuite(t *testing.T) {
	var got []string
	for _, f := range append(suite.Files(t), suite.Own(t, "examples/*/*.wa[st]*", "dialects/*/*.wast")...) {
		for _, w := range linearCodes(t, f, suite.Text(t, f)) {
			got = append(got, filepath.Base(filepath.Dir(f))+"/"+filepath.Base(f)+":"+w)
		}
	}
	slices.Sort(got)
	if want := readLines(t, filepath.Join("testdata", "linear.txt")); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The other dialects: one-shot stacks, and fibers and tasks that were released.
func TestLinearDialects(t *testing.T) {
	const stacks = `(module (@stack-switching "stacks") (rec (type $s (stack (param (ref null $s))))) (func $f (param $p (ref null $s)) (param $i i32) (local $k (ref null $s)) `
	const mount = `(module (@stack-switching "fibers-mount") (tag $go) (tag $v (param i32)) (func $f (param $p fiberref) (param $i i32) (local $k fiberref) `
	const handle = `(module (@stack-switching "fibers-handle") (type $ft (fiber)) (tag $go) (tag $v (param i32)) (func $f (param $p (ref null $ft)) (param $i i32) (local $k (ref null $ft)) `
	const tasks = `(module (@stack-switching "tasks") (tag $go) (func $f (param $p taskref) (param $i i32) (local $k taskref) `
	for _, c := range []struct{ name, text, want string }{
		{"stack twice", stacks + `(drop (switch $s (local.get $p))) (drop (switch $s (local.get $p)))`, "the stack in $p is used after"},
		{"stack kept", stacks + `(local.set $p (switch $s (local.get $p))) (drop (switch $s (local.get $p)))`, ""},
		{"stack, one arm", stacks + `(if (local.get $i) (then (drop (switch $s (local.get $p))) (return))) (drop (switch $s (local.get $p)))`, ""},
		{"stack, retired", stacks + `(switch_retire $s (local.get $p)) (drop (switch $s (local.get $p)))`, ""},
		{"stack, null", stacks + `(drop (switch $s (local.get $k)))`, "$k is null here"},
		{"fiber released", mount + `(fiber.release (local.get $p)) (fiber.mount $go (local.get $p))`, "was released"},
		{"fiber released twice", mount + `(fiber.release (local.get $p)) (fiber.release (local.get $p))`, ""},
		{"fiber mounted twice", mount + `(fiber.mount $go (local.get $p)) (fiber.mount $go (local.get $p))`, ""},
		{"fiber in a loop", mount + `(loop $l (fiber.mount $go (local.get $p)) (fiber.release (local.get $p)) (br_if $l (local.get $i)))`, "next iteration"},
		{"by a clause", mount + `(block $l (fiber.mount $go ($go $l) (local.get $p)) (fiber.release (local.get $p)) (return)) (fiber.mount $go (local.get $p))`, ""},
		{"fiber resumed", handle + `(fiber.release (local.get $p)) (fiber.resume $go (local.get $p))`, "was released"},
		{"payload above", handle + `(fiber.release (local.get $p)) (fiber.resume $v (local.get $p) (i32.const 1))`, ""},
		{"handle", handle + `(handle (fiber.release (local.get $p)) (event $go (fiber.resume $go (local.get $p))))`, ""},
		{"task released twice", tasks + `(task.release (local.get $p)) (task.release (local.get $p))`, "was released"},
		{"task, another arm", tasks + `(block $l (task.resume $go (local.get $p)) (event.switch ($go $l))) (task.release (local.get $p))`, ""},
	} {
		got := strings.Join(linearCodes(t, c.name+".wat", c.text+"))"), "; ")
		if c.want == "" && got != "" || c.want != "" && !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestLeaks(t *testing.T) {
	const head = `(module (type $f (func)) (type $c (cont $f)) (tag $t) (func $g) (elem declare func $g) (func $f (param $p (ref $c)) (param $i i32) `
	for _, c := range []struct{ body, want string }{
		{"(drop (cont.new $c (ref.func $g)))", "the continuation that cont.new creates"},
		{"(drop (cont.bind $c $c (local.get $p)))", "the continuation that cont.bind creates"},
		{"(block $h (result (ref $c)) (resume $c (on $t $h) (local.get $p)) (return)) (drop)", "the handler receives"},
		{"(drop (local.get $p))", ""},
		{"(block $h (result (ref $c)) (local.get $p)) (drop)", ""},
		{"(block $h (result (ref $c)) (br_if $h (local.get $p) (local.get $i)) (drop) (resume $c (on $t $h) (cont.new $c (ref.func $g))) (return)) (drop)", ""},
		{"(unreachable) (drop (cont.new $c (ref.func $g)))", ""},
	} {
		got := strings.Join(linearCodes(t, "a.wat", head+c.body+"))"), "; ")
		if c.want == "" && got != "" || c.want != "" && (!strings.Contains(got, c.want) || strings.Contains(got, ";")) {
			t.Errorf("%s: got %q, want %q", c.body, got, c.want)
		}
	}
}
