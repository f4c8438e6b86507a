package load_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stackscope/analysis/debuginfo"
	"stackscope/analysis/debuginfo/load"
	"stackscope/internal/files"
	"stackscope/wasm"
	"stackscope/wasm/binary"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// program opens a program of testdata/programs.
func program(t *testing.T, path string) (*wasm.Module, *debuginfo.Info) {
	t.Helper()
	b := read(t, path)
	m, err := binary.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	in := load.Open(m, b, load.Options{Path: programs + path, Read: func(p string, max int64) ([]byte, error) {
		return files.Read(t.Context(), p, max)
	}})
	if in == nil {
		t.Fatal("no information")
	}
	return m, in
}

// notCode matches the lines of Kotlin that nothing runs on: declarations, and what closes blocks.
var notCode = regexp.MustCompile(`^\s*(` +
	`//.*|import .*|package .*|@.*|` + // no code at all
	`((sealed|data|abstract|inner|enum|inline|suspend|private|override|companion|open) )*(class|fun|object|interface)\b.*\{|` +
	`[})\]]*|` + // but a `}` that ends a function
	`(} )?(else|try|finally|do|init|catch .*)( \{)?|` +
	`(abstract fun|(lateinit )?va[lr] \w+: \w+\??$|private set).*` + // declarations without a value
	`)$`)

// Every line of the Kotlin programs that has a statement can hold a breakpoint, and so can the `}` of
// the functions.
func TestKotlinLines(t *testing.T) {
	for _, name := range []string{"parcels", "weather"} {
		_, in := program(t, "kotlin/"+name+".wasm")
		held := map[int]bool{}
		for _, f := range in.Files() {
			if f.Path != name+".kt" || f.Language != debuginfo.Kotlin {
				t.Errorf("file %s, language %d", f.Path, f.Language)
			}
			for _, l := range in.Lines(f) {
				held[l.Row.Line] = true
			}
		}
		src := strings.Split(string(read(t, "kotlin/"+name+".kt")), "\n")
		statements := 0
		for i, line := range src {
			if notCode.MatchString(line) {
				if line == "}" && strings.HasPrefix(strings.TrimLeft(src[i-1], " "), "println") && !held[i+1] {
					t.Errorf("%s.kt:%d: a } that ends a function holds no breakpoint", name, i+1)
				}
				continue
			}
			statements++
			if !held[i+1] {
				t.Errorf("%s.kt:%d holds no breakpoint: %s", name, i+1, line)
			}
		}
		t.Logf("%s.kt: %d lines with statements, all hold a breakpoint", name, statements)
	}
}

// What the functions of the user are called, where their statements begin, and what variables are
// there.
func TestPrograms(t *testing.T) {
	for _, path := range []string{"kotlin/parcels", "kotlin/weather", "assemblyscript/words"} {
		m, in := program(t, path+".wasm")
		var b strings.Builder
		for i := range m.Funcs {
			f := in.Func(uint32(i))
			if f == nil || f.Runtime {
				continue
			}
			fmt.Fprintf(&b, "%s (%s)\n", f.Name, f.Linkage)
			for _, r := range f.Rows {
				if !r.Stmt {
					continue
				}
				fmt.Fprintf(&b, "  %d: %s", r.Line, variables(t, f, r.PC))
				if r.PC == f.Body {
					b.WriteString(" — body")
				}
				b.WriteString("\n")
			}
		}
		golden := filepath.Join("testdata", filepath.Base(path)+".txt")
		if *update {
			if err := os.MkdirAll("testdata", 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if string(want) != b.String() {
			t.Errorf("%s differs from %s; see the difference with -update:\n%s", path, golden, b.String())
		}
	}
}

// variables lists the variables that are there at an instruction, outermost scope first.
func variables(t *testing.T, f *debuginfo.Func, pc int) string {
	t.Helper()
	var out []string
	chain := f.Chain(pc)
	for i := len(chain) - 1; i >= 0; i-- {
		for _, v := range chain[i].Vars {
			w, err := v.Locate(pc, nil)
			switch {
			case v.Artificial || errors.Is(err, debuginfo.ErrUnset):
			case err != nil || len(w) != 1 || w[0].Kind != debuginfo.InLocal:
				t.Errorf("%s: %s at %d: %v, %v", f.Name, v.Name, pc, w, err)
			default:
				out = append(out, v.Name)
			}
		}
	}
	return strings.Join(out, " ")
}

// Control comes back to the start of a loop: a statement begins there. In `numbers` of parcels.kt it
// is that of `while`, not what is before it.
func TestLoops(t *testing.T) {
	loops := 0
	for _, path := range []string{"kotlin/parcels", "kotlin/weather", "assemblyscript/words"} {
		m, in := program(t, path+".wasm")
		for fn := range m.Funcs {
			f := in.Func(uint32(fn))
			if f == nil || f.Runtime || len(f.Rows) == 0 {
				continue
			}
			body := m.Funcs[fn].Body
			for pc := range body {
				if body[pc].Op != wasm.OpLoop || pc < f.Rows[0].PC {
					continue
				}
				loops++
				r, ok := f.Row(pc + 1)
				if !ok || r.PC != pc+1 || !r.Stmt {
					t.Errorf("%s, %s: no statement at the loop %d, but %v", path, f.Name, pc, r)
				}
				if f.Name == "numbers.<sequence lambda>" && r.Line != 16 {
					t.Errorf("the loop of numbers is on line %d", r.Line)
				}
			}
		}
	}
	if loops < 10 {
		t.Errorf("%d loops", loops)
	}
}
