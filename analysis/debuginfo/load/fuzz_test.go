package load_test

import (
	"io/fs"
	"os"
	"testing"

	"stackscope/analysis/debuginfo"
	"stackscope/analysis/debuginfo/load"
	"stackscope/analysis/debuginfo/sourcemap"
	"stackscope/wasm"
	"stackscope/wasm/binary"
)

// walk asks for all that is known of a module.
func walk(t *testing.T, m *wasm.Module, in debuginfo.Reader) {
	for _, f := range in.Files() {
		in.Lines(f)
	}
	for fn := range m.Funcs {
		f := in.Func(uint32(fn))
		if f == nil {
			continue
		}
		body := len(m.Funcs[fn].Body)
		last := -1
		for _, r := range f.Rows {
			if r.PC <= last || r.PC >= body {
				t.Fatalf("function %d: row at %d after %d, of %d", fn, r.PC, last, body)
			}
			last = r.PC
		}
		for pc := 0; pc < body; pc += 1 + body/50 {
			for _, s := range f.Chain(pc) {
				for _, v := range s.Vars {
					where, err := v.Locate(pc, nil)
					if err == nil && len(where) == 0 {
						t.Fatalf("function %d, %s: nowhere without an error", fn, v.Name)
					}
				}
			}
		}
	}
}

// FuzzMap reads any bytes as the map of a program: it never panics, and keeps no more than what is
// there.
func FuzzMap(f *testing.F) {
	b, err := os.ReadFile(programs + "assemblyscript/words.wasm")
	if err != nil {
		f.Fatal(err)
	}
	m, err := binary.Decode(b)
	if err != nil {
		f.Fatal(err)
	}
	m.Funcs = m.Funcs[:min(len(m.Funcs), 60)]
	whole, err := os.ReadFile(programs + "assemblyscript/words.wasm.map")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	for _, text := range []string{
		`{"version":3,"sources":["a.ts"],"names":["x"],"mappings":"4gBAAA,EACA,CAAE","scopes":"BEAAA,DC,CAA,EGA,GB,FA"}`,
		`{"version":3,"sections":[{"offset":{"line":0,"column":9},"map":{"version":3,"sources":["a"],"mappings":"AAAA"}}]}`,
		`{"version":3,"sources":[null,"~lib/a.ts"],"sourceRoot":"x","ignoreList":[1],"sourcesContent":["a"],"mappings":"AACA"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		mp, err := sourcemap.Parse(text)
		if err != nil {
			return
		}
		if len(mp.Mappings) > len(text) || len(mp.Warnings) > 20 {
			t.Fatalf("%d mappings, %d warnings from %d bytes", len(mp.Mappings), len(mp.Warnings), len(text))
		}
		r := sourcemap.New(m, mp)
		walk(t, m, r)
	})
}

// FuzzModule reads any bytes as a module, with its names, and with a map in it or beside it.
func FuzzModule(f *testing.F) {
	kotlin := "\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x0a\x0e\x01\x0c\x01\x02\x7f\x41\x01\x21\x00" +
		"\x20\x00\x21\x01\x0b\x00\x1d\x04name\x01\x10\x01\x00\x0dkotlin.wasm.i\x02\x07\x01\x00\x01\x00\x02~a"
	f.Add([]byte(kotlin), []byte(`{"version":3,"sources":["a.kt"],"mappings":"AAAA"}`))
	f.Add([]byte(kotlin+"\x00\x14\x10sourceMappingURL\x02m."), []byte("x"))
	f.Add([]byte(kotlin+"\x00\x17\x13external_debug_info\x02m."), []byte(kotlin))
	f.Fuzz(func(t *testing.T, b, beside []byte) {
		m, err := binary.Decode(b)
		if err != nil {
			return
		}
		read := func(string, int64) ([]byte, error) { return beside, nil }
		if len(beside) == 0 {
			read = func(string, int64) ([]byte, error) { return nil, fs.ErrNotExist }
		}
		in := load.Open(m, b, load.Options{Path: "p.wasm", Read: read})
		if in == nil {
			return
		}
		for fn := range m.Funcs {
			if fn > 200 {
				break
			}
			in.Func(uint32(fn))
		}
		for _, file := range in.Files() {
			in.Lines(file)
		}
		if n := len(in.Warnings()); n > 20 {
			t.Fatalf("%d warnings", n)
		}
	})
}
