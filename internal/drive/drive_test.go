package drive_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/internal/drive"
	"stackscope/internal/loader"
	"stackscope/internal/wast"
	"stackscope/vm"
	"stackscope/vm/host"
)

// run runs a program with a drive script, and returns what it prints, why commands fail, and the
// digest of the history of the stacks.
func run(t *testing.T, c drive.Config) (printed, failed []string, digest string) {
	t.Helper()
	var out bytes.Buffer
	c.Print = &out
	p, err := drive.Load(c)
	if err != nil {
		t.Fatal(err)
	}
	m, l := vm.New(vm.Options{Fuel: 4_000_000}), &host.Loop{}
	hosts, sys, err := p.Host(m, l)
	if err != nil {
		t.Fatal(err)
	}
	defer sys.Close()
	rec := vm.NewRecorder(10_000)
	m.SetRecorder(rec)
	r := p.NewRun(m, l, nil, drive.Hooks{
		Failed: func(res *wast.Result) { failed = append(failed, res.Message) },
		Print:  func(text string) { printed = append(printed, text) },
	})
	ctx := context.Background()
	in, err := r.Link(ctx, hosts)
	if err == nil {
		_, err = r.Drive(ctx, in)
	}
	if err != nil {
		failed = append(failed, "error: "+err.Error())
	}
	h := sha256.New()
	for n, e := range rec.All() {
		fmt.Fprintln(h, n, e.Kind, e.Stack, e.Other, e.Site.Func, e.Site.PC, e.Tag)
	}
	if text := strings.TrimSpace(out.String()); text != "" {
		printed = append(printed, strings.Split(text, "\n")...)
	}
	return printed, failed, fmt.Sprintf("%d %x", rec.Count(), h.Sum(nil))
}

// files writes a program and a script, and returns the configuration that runs them.
func files(t *testing.T, text, script string) drive.Config {
	t.Helper()
	dir := t.TempDir()
	c := drive.Config{Config: loader.Config{Path: filepath.Join(dir, "p.wat")}, Script: filepath.Join(dir, "p.drive")}
	for name, s := range map[string]string{c.Path: text, c.Script: script} {
		if err := os.WriteFile(name, []byte(s), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

const promises = `
	(import "promise" "after" (func $after (param i32 i32) (result externref)))
	(import "promise" "fail_after" (func $fail (param i32 i32) (result externref)))
	(import "promise" "new" (func $new (result externref)))
	(import "promise" "resolve" (func $resolve (param externref externref)))
	(import "promise" "await" (func $await (param externref) (result i32)))
	(import "promise" "await" (func $await_list (param externref) (result externref)))
	(import "promise" "state" (func $state (param externref) (result i32)))
	(import "promise" "value" (func $value (param externref) (result i32)))
	(import "promise" "all" (func $all (param externref externref) (result externref)))
	(import "promise" "all_settled" (func $all_settled (param externref externref) (result externref)))
	(import "promise" "any" (func $any (param externref externref) (result externref)))
	(import "promise" "race" (func $race (param externref externref) (result externref)))
	(import "promise" "race_index" (func $race_index (param externref) (result externref)))
	(import "promise" "list" (func $list (result externref)))
	(import "promise" "push" (func $push (param externref externref)))
	(import "promise" "length" (func $length (param externref) (result i32)))
	(import "promise" "item" (func $item (param externref i32) (result i32)))
	(import "promise" "item" (func $item_ref (param externref i32) (result externref)))
	(import "promise" "then" (func $then (param externref funcref i32) (result externref)))
	(import "promise" "catch" (func $catch (param externref funcref) (result externref)))
	(import "promise" "finally" (func $finally (param externref funcref)))
	(import "promise" "now" (func $now (result i64)))
	(import "promise" "sleep" (func $sleep (param i32)))
	(import "promise" "error" (tag $error (param i32)))
	(import "spectest" "print_i32" (func $print (param i32)))
	(elem declare func $add $seven $note)
	(func $add (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))
	(func $seven (result i32) (i32.const 7))
	(func $note (call $print (i32.const 1000)))
`

// TestPromises calls every function of the module promise.
func TestPromises(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"all", `(local $l externref)
			(local.set $l (call $await_list
				(call $all (call $after (i32.const 5) (i32.const 1)) (call $after (i32.const 2) (i32.const 2)))))
			(i32.add (i32.mul (i32.const 100) (call $length (local.get $l)))
				(i32.add (i32.mul (i32.const 10) (call $item (local.get $l) (i32.const 0)))
					(call $item (local.get $l) (i32.const 1))))`, "212 at 5"},
		{"all, one rejected", `(block $h (result i32) (try_table (catch $error $h) (drop (call $await_list
			(call $all (call $after (i32.const 5) (i32.const 1)) (call $fail (i32.const 2) (i32.const 9))))))
			(i32.const 0))`, "9 at 5"},
		{"all settled", `(local $l externref)
			(local.set $l (call $await_list
				(call $all_settled (call $after (i32.const 5) (i32.const 1)) (call $fail (i32.const 2) (i32.const 9)))))
			(i32.add (i32.mul (i32.const 10) (call $state (call $item_ref (local.get $l) (i32.const 0))))
				(call $state (call $item_ref (local.get $l) (i32.const 1))))`, "12 at 5"},
		{"any", `(call $await
			(call $any (call $fail (i32.const 1) (i32.const 9)) (call $after (i32.const 4) (i32.const 3))))`, "3 at 4"},
		{"any, none", `(block $h (try_table (catch_all $h) (drop (call $await
			(call $any (call $fail (i32.const 1) (i32.const 9)) (call $fail (i32.const 4) (i32.const 3))))))
			(unreachable)) (i32.const 77)`, "77 at 4"},
		{"race", `(call $await
			(call $race (call $after (i32.const 9) (i32.const 9)) (call $after (i32.const 4) (i32.const 3))))`, "3 at 9"},
		{"race, a list", `(local $l externref) (local.set $l (call $list))
			(call $push (local.get $l) (call $after (i32.const 9) (i32.const 9)))
			(call $push (local.get $l) (call $after (i32.const 8) (i32.const 9)))
			(call $push (local.get $l) (call $fail (i32.const 7) (i32.const 9)))
			(call $await (call $race_index (local.get $l)))`, "2 at 9"},
		{"then and catch", `(call $await (call $then
			(call $catch (call $fail (i32.const 3) (i32.const 9)) (ref.func $seven)) (ref.func $add) (i32.const 30)))`,
			"37 at 3"},
		{"finally", `(call $finally (call $after (i32.const 3) (i32.const 9)) (ref.func $note)) (i32.const 1)`, "1 at 3"},
		{"new, resolved with a promise", `(local $p externref) (local.set $p (call $new))
			(call $resolve (local.get $p) (call $after (i32.const 6) (i32.const 5)))
			(drop (call $await (local.get $p)))
			(i32.add (i32.mul (i32.const 10) (call $state (local.get $p))) (call $value (local.get $p)))`, "15 at 6"},
		{"sleep", `(call $sleep (i32.const 12)) (i32.wrap_i64 (call $now))`, "12 at 12"},
	} {
		t.Run(c.name, func(t *testing.T) {
			conf := files(t, `(module `+promises+`
				(func (export "main") (result i32) `+c.body+`)
				(func (export "now") (result i64) (call $now)))`, `(promise $p (invoke "main")) (await $p) (run) (invoke "now")`)
			printed, failed, _ := run(t, conf)
			var at, v int64
			for _, s := range printed {
				fmt.Sscanf(s, "p: (i32.const %d)", &v)
				fmt.Sscanf(s, "now: (i64.const %d)", &at)
			}
			if got := fmt.Sprint(v, " at ", at); got != c.want || len(failed) > 0 {
				t.Errorf("%s, want %s (%q, %q)", got, c.want, printed, failed)
			}
			if c.name == "finally" && !strings.Contains(strings.Join(printed, " "), "1000 : i32") {
				t.Error(printed)
			}
		})
	}
	for _, name := range host.PromiseFuncs() {
		if text := promises + `"resolved" "rejected" "reject"`; !strings.Contains(text, `"`+name+`"`) {
			t.Errorf("no test calls %s", name)
		}
	}
}

// TestMistakes makes mistakes with promises: each has a clear error, and ends only the call.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`(drop (call $await (call $new)))`, "1 call waits for promises, and nothing is left that settles one"},
		{`(drop (call $state (ref.null extern)))`, "null is no promise"},
		{`(drop (call $length (call $new)))`, "the reference is no list"},
		{`(drop (call $value (call $new)))`, "is pending: it has no value yet"},
		{`(drop (call $item (call $list) (i32.const 0)))`, "item 0 of a list with 0 items"},
		{`(drop (call $then (call $new) (ref.null func) (i32.const 1)))`, "the callback is null"},
		{`(drop (call $then (call $new) (ref.func $note) (i32.const 1)))`, "the callback $note takes 0 values; it gets 1"},
		{`(drop (call $await_list (call $after (i32.const 1) (i32.const 1))))`,
			"the value of the promise is of type i32, but the program expects type externref"},
		{`(drop (call $fail (i32.const 1) (i32.const 5)))`,
			"unhandled rejection of promise 2 (fail_after, due at 1): (i32.const 5)"},
		{`(loop $l (drop (call $new)) (br $l))`, "more than 1,048,576 promises and timers are pending"},
		{`(local $p externref) (local.set $p (call $new)) (call $resolve (local.get $p) (local.get $p))
			(drop (call $await (local.get $p)))`, "uncaught exception $promise.error"},
	} {
		conf := files(t, `(module `+promises+`(func (export "main") `+c.body+`))`, `(promising "main") (invoke "main")`)
		_, failed, _ := run(t, conf)
		if got := strings.Join(failed, "\n"); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.body, got, c.want)
		}
	}
}

// TestDeterministic runs programs twice: the histories are the same. With another order of events
// they are others.
func TestDeterministic(t *testing.T) {
	program := func(a, b int) drive.Config {
		return files(t, `(module
			(import "env" "fetch" (func $fetch (param i32) (result i32)))
			`+promises+`
			(type $f (func (param i32) (result i32))) (type $c (cont $f))
			(elem declare func $fetch)
			(func $get (param i32) (result i32)
				(resume $c (local.get 0) (cont.new $c (ref.func $fetch))))
			(func (export "main") (param i32) (result i32)
				(i32.add (call $get (local.get 0)) (call $get (local.get 0)))))`, fmt.Sprintf(`
			(promising "main") (suspending "env" "fetch")
			(on "env" "fetch" (after (arg 0) (resolve (i32.const 1))))
			(assert_return (invoke "main" (i32.const %d)) (i32.const 2))
			(assert_return (invoke "main" (i32.const %d)) (i32.const 2))`, a, b))
	}
	digests := map[string]bool{}
	for range 3 {
		_, failed, digest := run(t, program(3, 4))
		if len(failed) > 0 {
			t.Fatal(failed)
		}
		digests[digest] = true
	}
	if len(digests) != 1 {
		t.Error(digests)
	}
	if _, _, digest := run(t, program(4, 3)); digests[digest] {
		t.Error("another order has the same history")
	}
}

// TestNotWaiting calls an import in vain before a call waits for it: the script settles the promise
// of the one that waits.
func TestNotWaiting(t *testing.T) {
	conf := files(t, `(module
		(import "env" "fetch" (func $fetch (result i32)))
		(func (export "plain") (drop (call $fetch)))
		(func (export "main") (result i32) (call $fetch)))`, `
		(suspending "env" "fetch")
		(assert_trap (invoke "plain") "suspension outside a promising call")
		(promise $p (invoke "main"))
		(resolve "env" "fetch" (i32.const 5))
		(assert_return (await $p) (i32.const 5))`)
	if _, failed, _ := run(t, conf); len(failed) > 0 {
		t.Error(failed)
	}
}

// TestLinked marks imports of a linked module as suspending.
func TestLinked(t *testing.T) {
	conf := files(t, `(module
		(import "lib" "get" (func $get (param i32) (result i32)))
		(func (export "main") (result i32) (call $get (i32.const 4))))`,
		`(promising "main") (suspending "lib" "get") (assert_return (invoke "main") (i32.const 8))`)
	lib := filepath.Join(filepath.Dir(conf.Path), "lib.wat")
	text := `(module (import "promise" "after" (func $after (param i32 i32) (result externref)))
		(func (export "get") (param i32) (result externref) (call $after (local.get 0) (i32.const 8))))`
	if err := os.WriteFile(lib, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	conf.Imports = []loader.Import{{Name: "lib", Path: lib}}
	if _, failed, _ := run(t, conf); len(failed) > 0 {
		t.Error(failed)
	}
}

// TestExamples runs the drive scripts of the examples.
func TestExamples(t *testing.T) {
	scripts, err := filepath.Glob("../../testdata/examples/*/*.drive")
	if err != nil {
		t.Fatal(err)
	}
	if len(scripts) == 0 {
		t.Fatal("no example has a drive script")
	}
	for _, s := range scripts {
		conf := drive.Config{Config: loader.Config{Path: strings.TrimSuffix(s, ".drive") + ".wat"}, Script: s}
		_, failed, first := run(t, conf)
		if len(failed) > 0 {
			t.Errorf("%s: %s", s, failed)
		}
		if _, _, again := run(t, conf); again != first {
			t.Errorf("%s: the second run has another history", s)
		}
	}
}
