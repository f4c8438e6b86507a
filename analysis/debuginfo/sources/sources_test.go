package sources_test

import (
	"crypto/md5"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stackscope/analysis/debuginfo"
	"stackscope/analysis/debuginfo/sources"
)

// tree makes files, with their paths as contents.
func tree(t *testing.T, paths ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, p := range paths {
		p = filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(filepath.Base(p)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Rules replace whole elements, the first that matches counts, with slashes of both kinds.
func TestApply(t *testing.T) {
	fd := sources.Finder{Rules: []sources.Rule{
		{"/src/lib", "/L"}, {"/src", "/S"}, {`C:\build`, "/B"}, {"gen/", "g"}, {"webpack:///", "/w"},
	}}
	for p, want := range map[string]string{
		"/src/a.c": "/S/a.c", "/src/lib/a.c": "/L/a.c", "/src/libx/a.c": "/S/libx/a.c", "/srcx/a.c": "", "/src": "/S",
		`C:\build\x\a.c`: "/B/x/a.c", `c:/BUILD/a.c`: "/B/a.c", `C:\builds\a.c`: "", "gen/a.c": "g/a.c",
		"general/a.c": "", "webpack:///a.ts": "/w/a.ts", "/SRC/a.c": "",
	} {
		if got, ok := fd.Apply(p); got != want || ok != (want != "") {
			t.Errorf("%s: %q, want %q", p, got, want)
		}
	}
	all := sources.Finder{Rules: []sources.Rule{{"/", "/root"}}}
	if got, _ := all.Apply("/a/b.c"); got != "/root/a/b.c" {
		t.Errorf("/: %q", got)
	}
}

// A file is found by the path that was recorded, relative to directories, and by the end of its
// path.
func TestPath(t *testing.T) {
	dir := tree(t, "p/build/prog.wasm", "p/gen.kt", "p/assembly/index.ts", "p/build/near.c", "other/lib/util.c",
		"p/build/sub/deep.c", "p/build/mod.rs")
	at := func(p string) string { return filepath.Join(dir, filepath.FromSlash(p)) }
	fd := (&sources.Finder{Dirs: []string{at("other")}, Rules: []sources.Rule{{"/gone", at("p")}, {"/bad", "/nowhere"}}}).
		For(at("p/build/prog.wasm"), time.Time{})
	for p, want := range map[string]string{
		"near.c":                              "p/build/near.c",
		"../gen.kt":                           "p/gen.kt",
		"assembly/index.ts":                   "p/assembly/index.ts", // relative to where the compiler was called
		"lib/util.c":                          "other/lib/util.c",
		"/x/y/lib/util.c":                     "other/lib/util.c",
		`D:\work\sub\deep.c`:                  "p/build/sub/deep.c",
		`src\sub\deep.c`:                      "p/build/sub/deep.c",
		"/gone/gen.kt":                        "p/gen.kt",
		"/bad/near.c":                         "p/build/near.c", // the rule leads nowhere
		at("p/gen.kt"):                        "p/gen.kt",
		"https://h/a/sub/deep.c":              "p/build/sub/deep.c",
		"/rustc/abc/core/src/mod.rs":          "", // of a compiler, not the one here
		"~lib/mod.rs":                         "",
		"/x/none.c":                           "",
		"":                                    "",
		"sub":                                 "", // a directory
		strings.Repeat("a/", 1000) + "near.c": "p/build/near.c",
	} {
		got, ok := fd.Path(&debuginfo.File{Path: p})
		if want != "" {
			want = at(want)
		}
		if got != want || ok != (want != "") {
			t.Errorf("%.60s: %q, want %q", p, got, want)
		}
	}
}

// Of files with the same end of the path the one with the checksum counts. A file that is found by
// its path and has another one has changed; so has one that differs from the text that comes along,
// or, with neither, is newer than the module.
func TestFind(t *testing.T) {
	dir := tree(t, "a/x.c", "b/x.c")
	at := func(p string) string { return filepath.Join(dir, filepath.FromSlash(p)) }
	if err := os.WriteFile(at("a/x.c"), []byte("other"), 0o666); err != nil {
		t.Fatal(err)
	}
	sum := md5.Sum([]byte("x.c"))
	fd := &sources.Finder{Dirs: []string{at("a"), at("b")}}
	if got, err := fd.Find(&debuginfo.File{Path: "/far/x.c", MD5: sum[:]}); err != nil || got.Path != at("b/x.c") ||
		got.Changed {
		t.Errorf("by checksum: %+v, %v", got, err)
	}
	text := func(s string) func() (string, error) { return func() (string, error) { return s, nil } }
	old, later := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	for _, c := range []struct {
		name    string
		file    debuginfo.File
		built   time.Time
		changed string
	}{
		{"same checksum", debuginfo.File{Path: "x.c", MD5: sum[:]}, old, ""},
		{"other checksum", debuginfo.File{Path: "x.c", MD5: make([]byte, 16)}, later, "its checksum is another one"},
		{"same text", debuginfo.File{Path: "x.c", Text: text("x.c")}, old, ""},
		{"other text", debuginfo.File{Path: "x.c", Text: text("y")}, later, "differs from the text"},
		{"newer", debuginfo.File{Path: "x.c"}, old, "is newer than the module"},
		{"older", debuginfo.File{Path: "x.c"}, later, ""},
		{"not known", debuginfo.File{Path: "x.c"}, time.Time{}, ""},
	} {
		fd := &sources.Finder{Dirs: []string{at("b")}, Built: c.built}
		got, err := fd.Find(&c.file)
		if err != nil || got.Text != "x.c" || got.Changed != (c.changed != "") || !strings.Contains(got.Note, c.changed) {
			t.Errorf("%s: %+v, %v, want %q", c.name, got, err, c.changed)
		}
	}
	if got, err := fd.Find(&debuginfo.File{Path: "none.c", Text: text("embedded")}); err != nil || got.Text != "embedded" ||
		got.Path != "" {
		t.Errorf("embedded: %+v, %v", got, err)
	}
	if _, err := fd.Find(&debuginfo.File{Path: "none.c"}); !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), "none.c: the source is not on this machine") {
		t.Error(err)
	}
}
