package paths

import (
	"crypto/md5"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/analysis/debuginfo/sources"
)

// file makes a file with a path; `path text` has the checksum of a text.
func file(name string, rules []sources.Rule) File {
	p, text, sum := strings.Cut(name, " ")
	f := File{Recorded: p, Here: p, Rules: rules}
	if sum {
		x := md5.Sum([]byte(text))
		f.MD5 = x[:]
	}
	for _, r := range rules {
		if rest, ok := strings.CutPrefix(p, r.From+"/"); ok {
			f.Here = filepath.Join(r.To, rest)
		}
	}
	return f
}

// TestFind looks for files that clients name.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"src/main.c": "main", "other/main.c": "other", "src/Case.c": "case", "lib/util.c": "util",
	} {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "src"), filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	rule := []sources.Rule{{From: "/build", To: dir}, {From: "C:/work", To: filepath.Join(dir, "lib")}}
	for _, x := range []struct {
		known []string
		rules []sources.Rule
		ask   string
		want  string // recorded path, or part of the error; "": none
	}{
		{[]string{"/build/src/main.c"}, rule, "src/main.c", "/build/src/main.c"},
		{[]string{"/build/src/main.c", "/build/other/main.c"}, rule, "other/main.c", "/build/other/main.c"},
		{[]string{"/build/src/main.c"}, rule, "link/main.c", "/build/src/main.c"},
		{[]string{`C:\work\util.c`}, rule, "lib/util.c", `C:\work\util.c`},
		{[]string{"/nowhere/main.c"}, nil, "src/main.c", "/nowhere/main.c"}, // the only one
		{[]string{"/a/src/main.c", "/b/other/main.c"}, nil, "src/main.c", "/a/src/main.c"},
		{[]string{"/a/main.c", "/b/main.c"}, nil, "src/main.c", `several sources are called main.c (/a/main.c, /b/main.c)`},
		{[]string{"/a/main.c main", "/b/main.c other"}, nil, "src/main.c", "/a/main.c"}, // by contents
		{[]string{"/a/main.c new"}, nil, "src/main.c", "this is not the main.c that the program was compiled from"},
		{[]string{"/a/case.c"}, nil, "src/Case.c", "/a/case.c"},
		{[]string{"/a/util.c"}, nil, "src/main.c", ""},
		{nil, rule, "src/main.c", ""},
		{[]string{"/a/main.c"}, nil, "none/main.c", "/a/main.c"}, // the client may have files that are not here
	} {
		ix := New()
		for _, k := range x.known {
			ix.Add(file(k, x.rules))
		}
		n, ok, err := ix.Find(filepath.Join(dir, x.ask))
		switch {
		case err != nil:
			if x.want == "" || !strings.Contains(err.Error(), x.want) {
				t.Errorf("%v, %s: %v; want %s", x.known, x.ask, err, x.want)
			}
		case !ok:
			if x.want != "" {
				t.Errorf("%v, %s: nothing; want %s", x.known, x.ask, x.want)
			}
		case ix.files[n].Recorded != x.want:
			t.Errorf("%v, %s: %v; want %s", x.known, x.ask, ix.files[n], x.want)
		}
	}
}
