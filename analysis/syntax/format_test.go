package syntax

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"stackscope/analysis/source"
	"stackscope/internal/testing/genwat"
)

// tokens returns the tokens of a text.
func tokens(tr *Tree) (out []string) {
	for i := range tr.Units {
		u := tr.Units[i]
		for _, k := range u.Tokens {
			out = append(out, tr.Src.Text[u.Off+int(k.Off):u.Off+int(k.Off+k.Len)])
		}
	}
	return
}

// commentsOf returns the comments of a text.
func commentsOf(tr *Tree) (out []string) {
	for i := range tr.Units {
		u := tr.Units[i]
		at := uint32(0)
		for j := range len(u.Tokens) + 1 {
			end := u.Len
			if j < len(u.Tokens) {
				end = u.Tokens[j].Off
			}
			cs, _ := comments(tr.Src.Text[u.Off+int(at) : u.Off+int(end)])
			for _, c := range cs {
				out = append(out, c.text)
			}
			if j < len(u.Tokens) {
				at = end + u.Tokens[j].Len
			}
		}
	}
	return
}

// checkFormat formats a text and checks what holds of every result.
func checkFormat(t testing.TB, tr *Tree, opt FormatOptions) string {
	t.Helper()
	out, ok := source.ApplyAll(tr.Src.Text, FormatAll(tr, opt))
	if !ok {
		t.Fatalf("%s: the edits overlap", tr.Src.Name)
	}
	re := Parse(source.NewFile(tr.Src.Name, out))
	if !slices.Equal(tokens(tr), tokens(re)) {
		a, b := tokens(tr), tokens(re)
		for i := range a {
			if i >= len(b) || a[i] != b[i] {
				t.Fatalf(
					"%s: tokens changed at %d: %q\n%s", tr.Src.Name, i, a[max(0, i-5):min(len(a), i+5)],
					clipText(out),
				)
			}
		}
		t.Fatalf("%s: tokens changed", tr.Src.Name)
	}
	if !slices.Equal(commentsOf(tr), commentsOf(re)) {
		t.Fatalf("%s: comments changed\n%s", tr.Src.Name, clipText(out))
	}
	if es := FormatAll(re, opt); len(es) > 0 {
		e := es[0]
		t.Fatalf(
			"%s: not stable: [%d,%d) %q -> %q in\n%s", tr.Src.Name, e.Start, e.End, out[e.Start:e.End], e.New,
			out[max(0, e.Start-200):min(len(out), e.End+100)],
		)
	}
	return out
}

func clipText(s string) string { return s[:min(len(s), 3000)] }

func TestFormatSuite(t *testing.T) {
	for name, text := range texts(t) {
		tr := Parse(source.NewFile(name, text))
		checkFormat(t, tr, FormatOptions{})
		checkFormat(t, tr, FormatOptions{Width: 40, Indent: 4})
		checkFormat(t, tr, FormatOptions{Width: 80, Indent: 4, Tabs: true})
	}
}

func TestFormatGenerated(t *testing.T) {
	for _, stacks := range []bool{false, true} {
		tr := Parse(source.NewFile("gen", genwat.Text(genwat.Options{Bytes: 100_000, Stacks: stacks})))
		checkFormat(t, tr, FormatOptions{})
		checkFormat(t, tr, FormatOptions{Width: 60})
	}
}

func FuzzFormat(f *testing.F) {
	for _, s := range editSeeds {
		f.Add(s, 40)
	}
	f.Add(
		"(module ;; a\n\n\n  (func (; x ;)\n\n nop (i32.add ;; y\n (nop) (nop)) ;; z\n block end\n\n ;; w\n )\n (@a (b  c)\n ) )",
		20,
	)
	f.Fuzz(func(t *testing.T, text string, width int) {
		checkFormat(t, Parse(source.NewFile("f", text)), FormatOptions{Width: width % 100})
	})
}

var leading = regexp.MustCompile("(?m)^ +")

// TestFormatLayout shows the layout.
func TestFormatLayout(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"flat", "(module (func $f (param i32) (result i32)\nlocal.get 0 if (result i32) i32.const 1 else i32.const 2 end))",
			"(module\n  (func $f (param i32) (result i32)\n    local.get 0\n    if (result i32)\n      i32.const 1\n    else\n      i32.const 2\n    end))\n"},
		{"folded", "(func $f\n(local $i i32) (local.set $i (i32.add (local.get $i)\n(i32.const 1))) (loop $l\n(br $l)))",
			"(func $f\n  (local $i i32)\n  (local.set $i (i32.add (local.get $i) (i32.const 1)))\n  (loop $l\n    (br $l)))\n"},
		{"wide", "(func (call $f (i32.add (i32.const 1000000) (i32.const 2000000)) (i32.const 3)))",
			"(func\n  (call $f\n    (i32.add (i32.const 1000000) (i32.const 2000000))\n    (i32.const 3)))\n"},
		{"comments", "(module ;; m\n\n\n\n;; f\n(func ;; g\nnop (; h ;)\n\n\n;; i\n) ;; j\n)\n;; k",
			"(module ;; m\n\n  ;; f\n  (func ;; g\n    nop (; h ;)\n\n    ;; i\n  ) ;; j\n)\n;; k\n"},
		{"one line", "(module (func (nop)))   (assert_return  (invoke \"f\")   )", "(module (func (nop)))\n(assert_return (invoke \"f\"))\n"},
		{"assertion", "(assert_invalid (module\n(func (nop))) \"x\")", "(assert_invalid (module\n  (func (nop))) \"x\")\n"},
		{"assertion over lines", "(assert_invalid\n(module\n(func (nop))\n) \n\"x\"\n)", "(assert_invalid\n  (module\n    (func (nop))\n  )\n  \"x\"\n)\n"},
		{"own line", "(func\n(block\n(drop\n(i32.const 1))\n)\n)", "(func\n  (block\n    (drop\n      (i32.const 1))\n  )\n)\n"},
		{"aligned", "(global i32 (i32.const 1))   ;; one\n(global i64 (i64.const 10))  ;; two", "(global i32 (i32.const 1))   ;; one\n(global i64 (i64.const 10))  ;; two\n"},
		{"imports", "(import \"m\" (item \"a\")    (item \"b\")(func (type 0))) (import \"m\"\n(item \"a\" (func (type 0)))\n(item \"b\"\n(memory 1)))",
			"(import \"m\" (item \"a\") (item \"b\") (func (type 0)))\n(import \"m\"\n  (item \"a\" (func (type 0)))\n  (item \"b\" (memory 1)))\n"},
		{"errors stay", "(module\n(func   (i32.const 1)\n\n(func   (nop)))", "(module\n(func   (i32.const 1)\n\n  (func (nop)))\n"},
	} {
		width := 0
		if c.name == "wide" {
			width = 60
		}
		got := checkFormat(t, Parse(source.NewFile(c.name, c.in)), FormatOptions{Width: width})
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
		// With tabs as wide as two spaces the lines break at the same places.
		tabs := checkFormat(t, Parse(source.NewFile(c.name, c.in)), FormatOptions{Width: width, Tabs: true})
		if want := leading.ReplaceAllStringFunc(c.want, func(s string) string { return strings.Repeat("\t", len(s)/2) }); tabs != want {
			t.Errorf("%s with tabs:\n%q\nwant\n%q", c.name, tabs, want)
		}
	}
}
