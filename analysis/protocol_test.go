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

// protocolCodes are the codes of what is reported because of protocols.
var protocolCodes = []diag.Code{diag.EventNotTaken, diag.EndedUse, diag.StateWithoutCancel}

// protocolFindings returns what is reported of a text because of protocols, with the words it stands
// at.
func protocolFindings(t *testing.T, name, text string) []string {
	t.Helper()
	s := Open(source.NewFile(name, text), Options{})
	var out []string
	for _, d := range s.Diagnostics() {
		switch {
		case slices.Contains(protocolCodes, d.Code):
			line, _ := s.File().LineCol(d.Span.Start)
			out = append(out, string(d.Code)+" "+strconv.Itoa(line)+" "+text[d.Span.Start:d.Span.End]+": "+d.Message)
		case d.Severity == diag.Error && !strings.HasSuffix(name, ".wast"):
			t.Errorf("%s: %s: %s", name, text[d.Span.Start:d.Span.End], d.Message)
		}
	}
	return out
}

// Nothing is reported of the official suites, the suites of the dialects, the examples and the
// sources' own programs but what is meant to be wrong.
func TestProtocolsOnSuites(t *testing.T) {
	files := append(suite.Files(t), suite.Own(t, "examples/*/*.wa[st]*", "dialects/*/*.wast")...)
	for _, f := range files {
		for _, w := range protocolFindings(t, filepath.Base(f)+".wast", suite.Text(t, f)) {
			t.Errorf("%s/%s: %s", filepath.Base(filepath.Dir(f)), filepath.Base(f), w)
		}
	}
}

// What is certain is reported, in each design whose events go to a named stack; what another holder
// of the reference, a peer, or a tag that is imported twice may change is not.
func TestProtocolVerdicts(t *testing.T) {
	const tags = `(tag $go (export "go")) (tag $it (export "it")) (tag $no (export "no")) (tag $done (export "done")) `
	tasks := func(child, body string) string {
		return `(@stack-switching "tasks") ` + tags + `(table $ts (export "ts") 2 taskref) (global $g (export "g") (mut i32) (i32.const 0)) (global $k (export "k") (mut taskref) (ref.null task))
(func $wait (param $me taskref) (block $l (task.suspend $it (local.get $me)) (event.switch ($go $l))))
(func $f (param $me taskref) (block $s (event.switch ($go $s))) ` + child + ` (task.retire $done (local.get $me)))
(func (export "run") (local $t taskref) (local.set $t (task.new $f)) ` + body + `)`
	}
	const own = `(call $wait (local.get $me))`
	ask := func(event, clauses string) string {
		return `(block $l (task.resume ` + event + ` (local.get $t)) (event.switch ` + clauses + `))`
	}
	handle := func(child, body string) string {
		return `(@stack-switching "fibers-handle") ` + tags + `(type $ft (fiber)) (global $g (export "g") (mut i32) (i32.const 0))
(func $f (param $me (ref $ft)) (event $go ` + child + `))
(func (export "run") (local $t (ref null $ft)) (local.set $t (fiber.new $f)) ` + body + `)`
	}
	const pause = `(handle (fiber.suspend $it (local.get $me)) (event $no))`
	mount := func(child, body string) string {
		return `(@stack-switching "fibers-mount") ` + tags + `
(func $f (param $me (ref fiber)) ` + child + `)
(func (export "run") (local $t (ref null fiber)) (local.set $t (fiber.new $done ($go $f))) ` + body + `)`
	}
	const dismount = `(block $l (fiber.dismount $it ($go $l) (local.get $me)) (unreachable))`
	for _, c := range []struct{ name, text, want string }{
		{"right", tasks(own, ask("$go", "($it $l)")+ask("$go", "($done $l)")), ""},
		{"new does not take it", tasks(own, ask("$no", "($it $l)")), "event-not-taken task.resume $no"},
		{"a state of a callee does not take it", tasks(own, ask("$go", "($it $l)")+ask("$no", "($it $l)")), "event-not-taken task.resume $no"},
		{"no clause for the answer", tasks(own, ask("$go", "($done $l)")), "event-not-taken task.resume $go"},
		{"after the end", tasks("", ask("$go", "($done $l)")+ask("$go", "($done $l)")), "use-after-end task.resume $go"},
		{"release after the end", tasks("", ask("$go", "($done $l)")+"(task.release (local.get $t))"), "use-after-end task.release"},
		{"made again", tasks("", ask("$go", "($done $l)")+"(local.set $t (task.new $f))"+ask("$go", "($done $l)")), ""},
		{"ended on one way", tasks("(if (global.get $g) (then "+own+"))", ask("$go", "($done $l) ($it $l)")+ask("$go", "($done $l) ($it $l)")), ""},
		{"the answer decides", tasks("(if (global.get $g) (then "+own+"))", "(block $d (block $i (task.resume $go (local.get $t)) (event.switch ($it $i) ($done $d)))"+ask("$go", "($done $l)")+"(return))"+ask("$go", "($done $l)")), "use-after-end task.resume $go"},
		{"in a loop", tasks(own, "(loop $again "+ask("$go", "($it $l) ($done $l)")+"(br_if $again (global.get $g)))"), ""},
		{"in a table", tasks("", "(table.set $ts (i32.const 0) (local.get $t))"+ask("$go", "($done $l)")+ask("$go", "($done $l)")), ""},
		{"to a function", tasks("", "(call $wait (local.get $t))"+ask("$no", "($done $l)")), ""},
		{"the task hands on its reference", tasks("(table.set $ts (i32.const 0) (local.get $me)) "+own, ask("$go", "($it $l)")+ask("$no", "($done $l)")), ""},
		{"in a global", tasks("", "(global.set $k (local.get $t))"+ask("$go", "($done $l)")+ask("$go", "($done $l)")), ""},
		{"a peer takes its place", tasks("(block $l (task.switchto $it (local.get $me) (table.get $ts (i32.const 0))) (event.switch ($go $l)))", ask("$go", "($it $l) ($done $l)")+ask("$no", "($done $l)")), ""},
		{"handle, right", handle(pause, "(handle (fiber.resume $go (local.get $t)) (event $it)) (handle (fiber.resume $no (local.get $t)))"), ""},
		{"handle, not taken", handle(pause, "(handle (fiber.resume $go (local.get $t)) (event $it)) (handle (fiber.resume $it (local.get $t)))"), "event-not-taken fiber.resume $it"},
		{"handle, an outer clause takes it", handle(pause, "(handle (fiber.resume $go (local.get $t)) (event $it)) (handle (fiber.resume $go (local.get $t)) (event $it))"), ""},
		{"handle, returned", handle("", "(fiber.resume $go (local.get $t)) (fiber.resume $go (local.get $t))"), "use-after-end fiber.resume $go"},
		{"mount, right", mount(dismount, "(block $l (fiber.mount $go ($it $l) (local.get $t)) (unreachable)) (block $l (fiber.mount $go ($done $l) (local.get $t)) (unreachable))"), ""},
		{"mount, falls through to a trap", mount(dismount, "(block $l (fiber.mount $no ($it $l) (local.get $t)) (unreachable))"), "event-not-taken fiber.mount $no ($it $l)"},
		{"mount, tries another", mount(dismount, "(block $l (fiber.mount $no ($it $l) (local.get $t)) (fiber.mount $go ($it $l) (local.get $t)) (unreachable))"), ""},
		{"mount, after the end", mount("", "(block $l (fiber.mount $go ($done $l) (local.get $t)) (unreachable)) (block $l (fiber.mount $go ($done $l) (local.get $t)))"), "use-after-end fiber.mount $go ($done $l)"},
		{"an import twice", `(@stack-switching "tasks") (import "e" "a" (tag $go)) (import "e" "b" (tag $no)) (tag $done (export "d"))
(func $f (param $me taskref) (block $s (event.switch ($go $s))) (task.retire $done (local.get $me)))
(func (export "run") (local $t taskref) (local.set $t (task.new $f)) ` + ask("$no", "($done $l)") + `)`, ""},
	} {
		text := "(module " + c.text + ")"
		var got []string
		for _, w := range protocolFindings(t, c.name+".wat", text) {
			head, _, _ := strings.Cut(w, ": ")
			code, rest, _ := strings.Cut(head, " ")
			_, at, _ := strings.Cut(rest, " ")
			got = append(got, code+" "+at)
		}
		if g := strings.Join(got, "; "); g != c.want {
			t.Errorf("%s: got %q, want %q", c.name, g, c.want)
		}
	}
}
