package sourcemap_test

import (
	"fmt"
	"os"
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
		`{"version":3,"mappings":"","ignoreList":{}}`: "not a source map",
	} {
		if _, err := sourcemap.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %s", text, err, want)
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

// A list of a few bytes for each element is bounded: elements take more in memory.
func TestLongLists(t *testing.T) {
	text := `{"version":3,"mappings":"","sections":[` + strings.Repeat("{},", 1<<17) + `{}]}`
	if _, err := sourcemap.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), "more than 65536 sections") {
		t.Error(err)
	}
	if os.Getenv("STACKSCOPE_LONG") == "" {
		return
	}
	text = `{"version":3,"mappings":"","names":[` + strings.Repeat("1,", 1<<20) + `1]}`
	if _, err := sourcemap.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), "more than 1048576") {
		t.Error(err)
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

// Statements begin at other lines, where loops begin again, and where a branch from another line
// leads; not where a line only stores what was computed.
func TestStatements(t *testing.T) {
	const (
		block, loop, br, brIf, end, call, get, set, tee = wasm.OpBlock, wasm.OpLoop, wasm.OpBr, wasm.OpBrIf, wasm.OpEnd,
			wasm.OpCall, wasm.OpLocalGet, wasm.OpLocalSet, wasm.OpLocalTee
	)
	at := func(pc, line, col int) [4]int { return [4]int{100 + 2*pc, 0, line - 1, col - 1} }
	for _, c := range []struct {
		name string
		body []wasm.Instr
		maps [][4]int
		want string
		held string // lines that hold breakpoints, as pc:line
	}{
		{
			"the end of a block", op(block, get, brIf, call, end, call, end),
			[][4]int{at(0, 1, 1), at(3, 2, 1), at(4, 3, 1)}, "0:1 3:2 5:3", "0:1 3:2 5:3",
		},
		{
			"finally, twice in a row", op(block, call, br, call, wasm.OpReturn, end, call, call, end),
			[][4]int{at(0, 1, 1), at(3, 9, 1), at(7, 9, 5)}, "0:1 3:9 6:9", "0:1 3:9 6:9",
		},
		{
			"for: the condition is on the line before the loop", op(call, loop, call, get, call, br, end, end),
			[][4]int{at(0, 1, 1), at(4, 2, 1), at(5, 1, 9)}, "0:1 2:1 4:2", "0:1 4:2",
		},
		{
			"while: the loop begins in the row of the line before", op(call, set, loop, block, call, brIf, br, end, end, end),
			[][4]int{at(0, 1, 1), at(4, 2, 1)}, "0:1 3:2", "0:1 3:2",
		},
		{
			"what was computed is stored", op(call, tee, call, set, call, end),
			[][4]int{at(0, 1, 1), at(1, 2, 1), at(3, 1, 1), at(4, 3, 1)}, "0:1 2:2 4:3", "0:1 2:2 4:3",
		},
	} {
		m := module([]string{"f"}, c.body)
		mp := parse(t, `{"version":3,"sources":["a.c"],"mappings":"`+mappings(c.maps...)+`"}`)
		r := sourcemap.New(m, mp)
		var got, held []string
		for _, row := range r.Func(0).Rows {
			if row.Stmt {
				got = append(got, fmt.Sprintf("%d:%d", row.PC, row.Line))
			}
		}
		for _, l := range r.Lines(r.Files()[0]) {
			held = append(held, fmt.Sprintf("%d:%d", l.Row.PC, l.Row.Line))
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s: %s, want %s", c.name, g, c.want)
		}
		if g := strings.Join(held, " "); g != c.held {
			t.Errorf("%s: breakpoints at %s, want %s", c.name, g, c.held)
		}
	}
}

// A local is there from where all ways have set it, in the block that has all its uses; of two of one
// name the first ends where the second begins.
func TestVariables(t *testing.T) {
	at := func(op wasm.Op, local uint32) wasm.Instr { return wasm.Instr{Op: op, A: local} }
	get, set := wasm.OpLocalGet, wasm.OpLocalSet
	one := wasm.Instr{Op: wasm.OpI32Const}
	i := func(op wasm.Op) wasm.Instr { return wasm.Instr{Op: op} }
	m := module([]string{"kotlin.wasm.internal.x"}, []wasm.Instr{
		one, i(wasm.OpIf), // 0
		one, at(set, 0), i(wasm.OpElse), // 2: a, in both parts
		one, at(set, 0), one, at(set, 1), at(get, 1), i(wasm.OpDrop), i(wasm.OpEnd), // 5: b, in one
		at(get, 0), i(wasm.OpDrop), // 12
		i(wasm.OpLoop), one, at(set, 2), at(get, 2), one, at(wasm.OpBrIf, 0), i(wasm.OpDrop), i(wasm.OpEnd), // 14: c
		one, at(set, 3), at(get, 3), i(wasm.OpDrop), // 22: d
		one, at(set, 4), at(get, 4), i(wasm.OpDrop), // 26: d again
		one, i(wasm.OpIf), one, at(set, 5), i(wasm.OpEnd), at(get, 5), i(wasm.OpEnd), // 30: e, not on all ways
	})
	m.Names.Locals[0] = map[uint32]string{0: "a", 1: "b", 2: "c", 3: "d", 4: "~d", 5: "e", 6: "never"}
	f := sourcemap.New(m, nil).Func(0)
	var got []string
	last := "?"
	for pc := range m.Funcs[0].Body {
		var names []string
		for _, s := range f.Chain(pc) {
			for _, v := range s.Vars {
				if w, err := v.Locate(pc, nil); err == nil {
					names = append(names, fmt.Sprintf("%s%d", v.Name, w[0].Index))
				}
			}
		}
		slices.Sort(names)
		if s := strings.Join(names, ","); s != last {
			got = append(got, fmt.Sprintf("%d:%s", pc, s))
			last = s
		}
	}
	const want = "0: 7:a0 9:a0,b1 12:a0 17:a0,c2 22:a0 24:a0,d3 27:a0 28:a0,d4 34:a0,d4,e5 35:a0,d4"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("%s\nwant %s", s, want)
	}
}

// Names of functions as developers of their language know them.
func TestFunctionNames(t *testing.T) {
	kotlin := map[string]string{
		"Point.<init>": "Point.<init>", "a.b.Point.<get-name>": "a.b.Point.name.get",
		"kotlin.Int__rem-impl": "kotlin.Int.rem", "kotlin.<Result__<get-value>-impl>": "kotlin.Result.value.get",
		"main$lambda.invoke": "main.<lambda>", "main$slambda.invoke": "main.<suspend lambda>",
		"a.main$slambda$slambda.invoke": "a.main.<lambda>.<suspend lambda>", "Loop$start$lambda-0.invoke": "Loop.start.<lambda>",
		"<no name provided>.resumeWith": "<anonymous>.resumeWith", "outer$inner": "outer.inner",
		"itoa32_$external_fun": "itoa32_$external_fun", "my__fun": "my__fun",
	}
	assembly := map[string]string{
		"assembly/index/run": "run", "assembly/index/Point#constructor": "Point.constructor",
		"assembly/index/Point#get:x": "Point.get x", "~lib/array/Array<assembly/index/P>#push": "Array<P>.push",
		"assembly/index/run~anonymous|0": "run.<anonymous>", "start:assembly/index": "<top level of assembly/index>",
		"start:assembly/index~anonymous|1": "<anonymous>", "~lib/map/Map<~lib/string/String,i32>#set": "Map<String,i32>.set",
		"../x/a/f|2": "f", "~start": "~start",
	}
	for lang, names := range map[string]map[string]string{"kotlin.wasm.internal.x": kotlin, "~lib/x": assembly} {
		for linkage, want := range names {
			m := module([]string{lang, linkage}, op(wasm.OpEnd), op(wasm.OpEnd))
			if got := sourcemap.New(m, nil).Func(1).Name; got != want {
				t.Errorf("%s: %s, want %s", linkage, got, want)
			}
		}
	}
}
