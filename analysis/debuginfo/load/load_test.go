package load_test

import (
	"bytes"
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stackscope/analysis/debuginfo"
	"stackscope/analysis/debuginfo/load"
	"stackscope/wasm"
	"stackscope/wasm/binary"
)

const programs = "../../../testdata/programs/"

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(programs + path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// open opens a module with some files beside it, by name.
func open(t *testing.T, b []byte, beside map[string][]byte) *debuginfo.Info {
	t.Helper()
	m, err := binary.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	return load.Open(m, b, load.Options{
		Path: filepath.Join("dir", "prog.wasm"),
		Read: func(p string, max int64) ([]byte, error) {
			name, err := filepath.Rel("dir", p)
			if err != nil {
				return nil, err
			}
			if b, ok := beside[filepath.ToSlash(name)]; ok {
				return b, nil
			}
			return nil, &fs.PathError{Op: "open", Path: p, Err: fs.ErrNotExist}
		},
	})
}

// with returns a module without the custom sections that begin with some prefixes, and with others.
func with(b []byte, without []string, add ...[2]string) []byte {
	out := slices.Clone(b[:8])
	for pos := 8; pos < len(b); {
		size, n := leb(b[pos+1:])
		end := pos + 1 + n + size
		keep := true
		if b[pos] == wasm.SectionCustom {
			length, k := leb(b[pos+1+n:])
			name := string(b[pos+1+n+k:][:length])
			keep = !slices.ContainsFunc(without, func(p string) bool { return strings.HasPrefix(name, p) })
		}
		if keep {
			out = append(out, b[pos:end]...)
		}
		pos = end
	}
	for _, s := range add {
		body := append(append(uleb(len(s[0])), s[0]...), s[1]...)
		out = append(append(append(out, 0), uleb(len(body))...), body...)
	}
	return out
}

func leb(b []byte) (x, n int) {
	for ; ; n++ {
		x |= int(b[n]&0x7f) << (7 * n)
		if b[n] < 0x80 {
			return x, n + 1
		}
	}
}

func uleb(x int) (b []byte) {
	for ; x >= 0x80; x >>= 7 {
		b = append(b, byte(x)|0x80)
	}
	return append(b, byte(x))
}

// url returns the contents of a custom section that names a file.
func url(s string) string { return string(uleb(len(s))) + s }

// What a module names, or has beside it, is found; what cannot be used is one warning, and what is
// there besides is used.
func TestOpen(t *testing.T) {
	c := read(t, "c/stock.wasm")
	stripped := with(c, []string{".debug_"})
	kt, ktMap := read(t, "kotlin/parcels.wasm"), read(t, "kotlin/parcels.wasm.map")
	bare := with(kt, []string{"sourceMappingURL"})
	other := read(t, "rust/tasks.wasm")
	type files = map[string][]byte
	id := func(s string) [2]string { return [2]string{"build_id", url(s)} }
	for _, x := range []struct {
		name    string
		module  []byte
		beside  files
		formats string
		warning string // a part of the only one; "": there is none
	}{
		{"DWARF", c, nil, "DWARF 4", ""},
		{"nothing", stripped, nil, "", ""},
		{"beside", stripped, files{"prog.debug.wasm": c}, "DWARF 4", ""},
		{"beside, name with ending", stripped, files{"prog.wasm.debug.wasm": c}, "DWARF 4", ""},
		{"beside, other build", stripped, files{"prog.debug.wasm": other}, "", "another build"},
		{"beside, not a module", stripped, files{"prog.debug.wasm": []byte("hello")}, "", "not a module"},
		{"beside, cut off", stripped, files{"prog.debug.wasm": c[:len(c)/2]}, "", "cut off"},
		{"named", with(stripped, nil, [2]string{"external_debug_info", url("sub/d%20.wasm")}),
			files{"sub/d .wasm": c}, "DWARF 4", ""},
		{"named, not there", with(stripped, nil, [2]string{"external_debug_info", url("d.wasm")}), nil, "",
			"d.wasm cannot be read: file does not exist"},
		{"named, network", with(stripped, nil, [2]string{"external_debug_info", url("https://x/d.wasm")}), nil, "",
			"nothing is read from a network"},
		{"named, malformed", with(stripped, nil, [2]string{"external_debug_info", "\xff"}), nil, "", "malformed"},
		{"build ids", with(stripped, nil, id("a")), files{"prog.debug.wasm": with(c, nil, id("a"))}, "DWARF 4", ""},
		{"other build ids", with(stripped, nil, id("a")), files{"prog.debug.wasm": with(c, nil, id("b"))}, "",
			"another build"},
		{"package cut off", c, files{"prog.dwp": []byte("\x7fELF")}, "DWARF 4", "prog.dwp cannot be used"},
		{"Kotlin", kt, files{"parcels.wasm.map": ktMap}, "source map", ""},
		{"Kotlin, no map", kt, nil, "names", "parcels.wasm.map cannot be read: file does not exist"},
		{"Kotlin, map of another kind", kt, files{"parcels.wasm.map": []byte("<html>")}, "names", "not a source map"},
		{"map beside", bare, files{"prog.wasm.map": ktMap}, "source map", ""},
		{"data: URL", with(bare, nil, [2]string{"sourceMappingURL",
			url("data:application/json;base64," + base64.StdEncoding.EncodeToString(ktMap))}), nil, "source map", ""},
		{"bad data: URL", with(bare, nil, [2]string{"sourceMappingURL", url("data:;base64,%%")}), nil, "names",
			"cannot be read: a data: URL"},
		{"DWARF and map", with(c, nil, [2]string{"sourceMappingURL", url("m")}),
			files{"m": []byte(`{"version":3,"sources":["a.c"],"mappings":"AAAA"}`)}, "DWARF 4, source map", ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			in := open(t, x.module, x.beside)
			var formats, warnings []string
			if in != nil {
				formats, warnings = in.Formats(), in.Warnings()
			}
			if got := strings.Join(formats, ", "); got != x.formats {
				t.Errorf("formats: %s, want %s", got, x.formats)
			}
			if x.warning == "" && len(warnings) > 0 || x.warning != "" &&
				(len(warnings) != 1 || !strings.Contains(warnings[0], x.warning)) {
				t.Errorf("warnings: %q, want %q", warnings, x.warning)
			}
		})
	}
}

// A module that is not in a file has what is in it.
func TestNoFile(t *testing.T) {
	b := read(t, "kotlin/parcels.wasm")
	m, err := binary.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	in := load.Open(m, b, load.Options{})
	if got := strings.Join(in.Formats(), ", "); got != "names" || len(in.Warnings()) > 0 {
		t.Errorf("%s, %q", got, in.Warnings())
	}
	if b := bytes.Clone(b[:8]); load.Open(&wasm.Module{Names: wasm.NewNames()}, b, load.Options{}) != nil {
		t.Error("an empty module has information")
	}
}
