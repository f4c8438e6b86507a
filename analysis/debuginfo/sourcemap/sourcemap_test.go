package sourcemap_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"stackscope/analysis/debuginfo"
	"stackscope/analysis/debuginfo/sourcemap"
	"stackscope/wasm"
)

// module returns a module of which each function takes two bytes for an instruction, the first of
// them at byte 100, with types [] -> [] and some locals.
func module(names []string, bodies ...[]wasm.Instr) *wasm.Module {
	m := &wasm.Module{Start: wasm.BadIndex, Names: wasm.NewNames()}
	m.Types = []wasm.SubType{{Kind: wasm.CompFunc, Final: true}}
	at := wasm.Pos(98)
	for i, b := range bodies {
		f := wasm.Func{Import: -1, At: at, Locals: slices.Repeat([]wasm.ValType{wasm.I32}, 8)}
		at += 2
		for k := range b {
			b[k].At = at
			at += 2
		}
		f.Body, f.End = b, at
		m.Funcs = append(m.Funcs, f)
		m.Names.Funcs[uint32(i)] = names[i]
	}
	return m
}

func op(ops ...wasm.Op) (out []wasm.Instr) {
	for _, o := range ops {
		out = append(out, wasm.Instr{Op: o})
	}
	return out
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

func vlq(b *strings.Builder, x int) {
	u := x << 1
	if x < 0 {
		u = -x<<1 | 1
	}
	for {
		d := u & 31
		if u >>= 5; u != 0 {
			d |= 32
		}
		b.WriteByte(digits[d])
		if u == 0 {
			return
		}
	}
}

// mappings encodes (offset, source, line, column), each from 0; a source of -1 is none.
func mappings(ms ...[4]int) string {
	var b strings.Builder
	var last [4]int
	for i, m := range ms {
		if i > 0 {
			b.WriteByte(',')
		}
		vlq(&b, m[0]-last[0])
		last[0] = m[0]
		if m[1] >= 0 {
			for k := 1; k < 4; k++ {
				vlq(&b, m[k]-last[k])
				last[k] = m[k]
			}
		}
	}
	return b.String()
}

func parse(t *testing.T, text string) *sourcemap.Map {
	t.Helper()
	mp, err := sourcemap.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return mp
}

func rows(f *debuginfo.Func) string {
	var b strings.Builder
	for _, r := range f.Rows {
		mark := ""
		if r.Stmt {
			mark = " *"
		}
		fmt.Fprintf(&b, "%d %s%s\n", r.PC, r.Place, mark)
	}
	return b.String()
}

// Mappings become rows of their own function only; one inside of the declarations of locals leads to
// the first instruction, one inside of an instruction to the next.
func TestRows(t *testing.T) {
	n := wasm.OpNop
	m := module([]string{"f", "g"}, op(n, n, n, n, wasm.OpEnd), op(n, n, wasm.OpEnd))
	mp := parse(t, `{"version":3,"sources":["a.c","b.c"],"names":[],"mappings":"`+
		mappings([4]int{99, 0, 4, 2}, [4]int{102, 0, 4, 6}, [4]int{103, 0, 5, 2}, [4]int{106, -1}, [4]int{114, 1, 0, 0})+`"}`)
	r := sourcemap.New(m, mp)
	if got, want := rows(r.Func(0)), "0 a.c:5:3 *\n1 a.c:5:7\n2 a.c:6:3 *\n3 ?\n"; got != want {
		t.Errorf("f:\n%s, want\n%s", got, want)
	}
	if got, want := rows(r.Func(1)), "1 b.c:1:1 *\n"; got != want {
		t.Errorf("g:\n%s, want\n%s", got, want)
	}
	if r.Func(2) != nil {
		t.Error("a function that is not there")
	}
	var lines []string
	for _, l := range r.Lines(r.Files()[0]) {
		lines = append(lines, fmt.Sprint(l.Func, l.Row.PC, l.Row.Line))
	}
	if got := strings.Join(lines, ", "); got != "0 0 5, 0 2 6" {
		t.Errorf("lines: %s", got)
	}
}

// What is malformed is left out, with a warning, and the rest counts.
func TestMalformed(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                             "not a source map",
		`[]`:                            "not a source map",
		`{}`:                            "it has no version",
		`{"version":2}`:                 "only version 3 is supported",
		`{"version":3,"sources":["a"]}`: "no mappings",
		`{"version":"x","mappings":""}`: "only version 3",
	} {
		if _, err := sourcemap.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		`"mappings":"AAAA,!!!!,CAAA"`:   "1 malformed",
		`"mappings":"AAAA,CCAA,CDAA"`:   "1 malformed",
		`"mappings":"AAAA,CA,CAAA"`:     "1 malformed",
		`"mappings":"AAAA,C//////////"`: "1 malformed",
		`"mappings":"AAAA;AAAA"`:        "only the first line counts",
	} {
		mp := parse(t, `{"version":3,"sources":["a"],`+text+`}`)
		if len(mp.Mappings) == 0 || len(mp.Warnings) != 1 || !strings.Contains(mp.Warnings[0], want) {
			t.Errorf("%s: %d mappings, %q, want %s", text, len(mp.Mappings), mp.Warnings, want)
		}
	}
}

// Sections of an index map count from their offsets, and end where the next one begins.
func TestIndexMap(t *testing.T) {
	one := func(src string, ms string) string {
		return `{"version":3,"sources":["` + src + `"],"mappings":"` + ms + `"}`
	}
	mp := parse(t, `{"version":3,"sections":[`+
		`{"offset":{"line":0,"column":10},"map":`+one("a", mappings([4]int{0, 0, 0, 0}, [4]int{20, 0, 1, 0}))+`},`+
		`{"offset":{"line":0,"column":20},"map":`+one("b", mappings([4]int{2, 0, 7, 0}))+`},`+
		`{"offset":{"line":1,"column":0},"map":`+one("c", "AAAA")+`},`+
		`{"offset":{"line":0,"column":5},"map":`+one("d", "AAAA")+`},`+
		`{"offset":{"line":0,"column":50},"url":"x.map"}]}`)
	var got []string
	for _, m := range mp.Mappings {
		got = append(got, fmt.Sprint(m.Offset, mp.Sources[m.Source].Path, m.Line))
	}
	if want := "10a0 22b7"; strings.ReplaceAll(strings.Join(got, "_"), " ", "") != strings.ReplaceAll(want, " ", "_") {
		t.Errorf("%q", got)
	}
	if len(mp.Warnings) != 3 {
		t.Errorf("%q", mp.Warnings)
	}
}

// Paths of sources join with the root; lists of files to pass by count under both names.
func TestSources(t *testing.T) {
	for _, c := range [][3]string{
		{"", "a.c", "a.c"}, {"src", "a.c", "src/a.c"}, {"src/", "../a.c", "a.c"}, {"src", "/x/a.c", "/x/a.c"},
		{"", `C:\x\a.c`, "C:/x/a.c"}, {"", `src\a.c`, "src/a.c"}, {"/r", `C:\x\..\a.c`, "C:/a.c"},
		{"", "file:///x/a%20b.c", "/x/a b.c"}, {"", "file:///C:/x.c", "C:/x.c"},
		{"webpack://p", "./a.ts", "webpack://p/./a.ts"},
	} {
		if got := sourcemap.Join(c[0], c[1]); got != c[2] {
			t.Errorf("%q + %q: %q, want %q", c[0], c[1], got, c[2])
		}
	}
	for _, list := range []string{"ignoreList", "x_google_ignoreList"} {
		mp := parse(t, `)]}'`+"\n"+`{"version":3,"sources":["a",null,"b"],"`+list+`":[2,9,-1],"sourcesContent":["x"],"mappings":""}`)
		if s := mp.Sources; s[0].Ignored || !s[1].None || !s[2].Ignored || *s[0].Content != "x" || s[2].Content != nil {
			t.Errorf("%s: %+v", list, s)
		}
	}
}

func TestDataURL(t *testing.T) {
	for u, want := range map[string]string{
		"data:application/json;base64,eyJ9": "{\"}", "data:application/json;charset=utf-8,%7B%7D": "{}",
		"data:,{}": "{}", "data:;base64,!": "error", "data:x": "error", "x": "error",
	} {
		b, err := sourcemap.DataURL(u)
		if err != nil {
			b = []byte("error")
		}
		if string(b) != want {
			t.Errorf("%s: %q, want %q", u, b, want)
		}
	}
}
