package analysis

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
)

// peerCases are texts that get each code of wasm-language-tools: docs/reference/diagnostics.md says
// what ours for them are.
var peerCases = map[string][]string{
	"syntax": {`(module (func`},
	"type-check": {
		`(func (result i32) (i64.const 1))`,
		`(func (select (result i32 i32) (i32.const 1) (i32.const 1) (i32.const 1)))`,
	},
	"type-misuse": {
		`(type $f (func)) (func (drop (struct.new $f)))`,
		`(type $f (func)) (type $c (cont $f)) (func (param $k (ref $c)) (drop (ref.cast (ref $c) (local.get $k))))`,
	},
	"undef": {
		`(func (call $f))`, `(func (local.get $x))`, `(func (br $l))`, `(func (global.get $g))`,
		`(func (throw $t))`, `(func (param (ref $t)))`, `(func (data.drop $d))`, `(func (elem.drop $e))`,
		`(type $s (struct)) (func (param (ref $s)) (drop (struct.get $s $f (local.get 0))))`,
	},
	"duplicated-names": {`(func $f) (func $f)`, `(func (export "a")) (func (export "a"))`},
	"plain-instr":      {`(func (nopp))`, `(func (local i32) (drop (local.get)))`},
	"const-expr":       {`(func $f (result i32) (i32.const 1)) (global i32 (call $f))`},
	"uninit":           {`(type $s (struct)) (func (local $x (ref $s)) (drop (local.get $x)))`},
	"unread":           {`(func (local $x i32) (local.set $x (i32.const 1)))`},
	"unused":           {`(func (local $x i32))`, `(func (block $l))`},
	"unreachable":      {`(func (return) (call 0))`},
	"shadow":           {`(func (block $a (block $a (br $a))))`},
	"deprecated":       {`(@deprecated) (func $f) (func (call $f))`},
	"needless-mut":     {`(global $g (mut i32) (i32.const 0)) (func (export "g") (drop (global.get $g)))`},
	"mutated-immutable": {
		`(global $g i32 (i32.const 0)) (func (global.set $g (i32.const 1)))`,
		`(type $s (struct (field $f i32))) (func (param (ref $s)) (struct.set $s $f (local.get 0) (i32.const 1)))`,
	},
	"needless-try-table":   {`(func (try_table))`},
	"useless-catch":        {`(tag $e) (func (block $a (try_table (catch_all $a) (catch $e $a))))`},
	"omitted-idx-in-instr": {`(memory 1) (func (drop (memory.size)))`},
	"implicit-module":      {`(func)`},
	"multiple-modules":     {`(module) (module)`},
	"multiple-starts":      {`(func $f) (start $f) (start $f)`},
	"subtyping":            {`(type $a (func)) (type $b (sub $a (func)))`},
	"packing": {
		`(type $s (struct (field $f i8))) (func (param (ref $s)) (drop (struct.get $s $f (local.get 0))))`,
	},
	"new-non-defaultable": {`(type $s (struct (field (ref $s)))) (func (drop (struct.new_default $s)))`},
	"cont-type":           {`(type $s (struct)) (type $c (cont $s))`},
	"tag-type":            {`(type $s (struct)) (tag (type $s))`},
	"block-type":          {`(type $s (struct)) (func (block (type $s)))`},
	"br-table-branches":   {`(func (block (result i32) (block (br_table 0 1 (i32.const 1) (i32.const 0)))) (drop))`},
	"catch-type":          {`(tag $e (param i32)) (func (block $a (try_table (catch $e $a))))`},
	"elem-type":           {`(table $t 1 externref) (func $f) (elem (table $t) (i32.const 0) func $f)`},
	"table-type":          {`(table 2 1 funcref)`},
	"mem-type":            {`(memory 2 1)`, `(memory 65537)`, `(memory 1 shared)`, `(memory 1 (pagesize 3))`},
	"mem-arg": {
		`(memory 1) (func (drop (i32.load align=3 (i32.const 0))))`,
		`(memory 1) (func (drop (i32.load align=8 (i32.const 0))))`,
		`(memory 1) (func (drop (i32.load offset=4294967296 (i32.const 0))))`,
	},
	"lane":              {`(func (param v128) (drop (i8x16.extract_lane_s 16 (local.get 0))))`},
	"start":             {`(func $f (param i32)) (start $f)`},
	"import-occurrence": {`(func) (import "a" "b" (func))`},
	"import-with-def":   {`(func (import "a" "b") (nop))`},
}

// TestPeerCodes holds the table in docs/reference/diagnostics.md to what happens: every code of the
// peer has a text that gets one of ours for it.
func TestPeerCodes(t *testing.T) {
	doc, err := os.ReadFile("../docs/reference/diagnostics.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| ([a-z-]+) \\| (`.*) \\|$").FindAllStringSubmatch(string(doc), -1)
	if len(rows) != 37 {
		t.Fatalf("%d rows, want 37", len(rows))
	}
	on := Options{Severity: map[diag.Code]diag.Severity{diag.OmittedIndex: diag.Hint, diag.ImplicitModule: diag.Hint}}
	for _, row := range rows {
		ours := strings.Split(strings.ReplaceAll(row[2], "`", ""), ", ")
		for _, c := range ours {
			if diag.Lookup(diag.Code(c)) == nil {
				t.Errorf("%s: we have no code %s", row[1], c)
			}
		}
		if len(peerCases[row[1]]) == 0 {
			t.Errorf("%s has no case", row[1])
		}
		for _, text := range peerCases[row[1]] {
			found := false
			var got []string
			for _, d := range Open(source.NewFile("a.wat", text), on).Diagnostics() {
				found = found || slices.Contains(ours, string(d.Code))
				got = append(got, string(d.Code)+": "+d.Message)
			}
			if !found {
				t.Errorf("%s: %s\ngot %q", row[1], text, got)
			}
		}
	}
}

// TestPeerMistakes has what the peer accepts and should not, and what it rejects and should not.
func TestPeerMistakes(t *testing.T) {
	const types = `(type $f (func)) (type $c (cont $f)) (tag $e) `
	const num = `(type $f (func (result i32))) (type $c (cont $f)) `
	for _, c := range []struct{ text, want string }{
		// valid
		{types + `(func (param $k (ref $c)) (local.get $k) (loop $l (param (ref $c)) (resume $c (on $e $l))))`, ""},
		// the function returns what $g does not
		{`(func $g) (func (result i32) (block (return_call $g)) (i32.const 1))`, "type-mismatch"},
		{`(func $g (result i32) (i32.const 1)) (func (result i32) (block (result f32) (return_call $g)) (drop) (i32.const 1))`, ""},
		{`(memory i64 1) (func (param i64) (i64.store (local.get 0) (i64.load (local.get 0))))`, ""},
		{`(func (result i32) (unreachable) (select))`, ""},
		{`(func (unreachable) (select) (drop))`, ""},
		{`(func (result i64) (unreachable) (select (i64.const 1)))`, "type-mismatch"}, // an i64 is no condition
		// invalid
		{types + `(func (param $k (ref $c)) (loop $l (result (ref $c)) (resume $c (on $e $l) (local.get $k)) (local.get $k)) (drop))`, "handler-label"},
		{num + `(tag $e (result i64)) (func (param $k (ref $c)) (result i32) (resume $c (on $e switch) (local.get $k)))`, "switch-tag"},
		// the reference interpreter ignores the results of a tag that is thrown or caught
		{types + `(tag $r (result i32)) (func (param $k (ref $c)) (resume_throw $c $r (local.get $k)))`, ""},
		{`(tag $r (result i32)) (func (block $l (try_table (catch $r $l))))`, ""},
		{`(type $c (cont $f)) (type $f (func))`, "unknown-type"},
		{`(type $f (func)) (type $c (cont $f)) (func $g) (func (drop (cont.new $c (ref.func $g))))`, "undeclared-func"},
	} {
		var got []string
		for _, d := range Open(source.NewFile("a.wat", c.text), Options{}).Diagnostics() {
			if d.Severity == diag.Error {
				got = append(got, string(d.Code))
			}
		}
		if c.want == "" && len(got) > 0 || c.want != "" && !slices.Contains(got, c.want) {
			t.Errorf("%s\ngot %v, want %q", c.text, got, c.want)
		}
	}
}
