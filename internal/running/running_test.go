package running

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// TestList: programs that run are listed, the latest first; what has ended is removed; what could
// be of somebody else, or is no program, is left out.
func TestList(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	t.Setenv("STACKSCOPE_RUN", dir)
	if ps, err := List(); err != nil || len(ps) != 0 {
		t.Fatal(ps, err)
	}
	now := time.Now()
	me, parent := os.Getpid(), os.Getppid()
	remove, err := Add(Program{PID: me, Address: "127.0.0.1:4711", Program: "/a.wat", Started: now})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Add(Program{PID: parent, Address: "[::1]:4712", Program: "/b.wat", Args: []string{"1"},
		Started: now.Add(time.Second)}); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		for name, want := range map[string]os.FileMode{dir: 0o700,
			filepath.Join(dir, strconv.Itoa(me)+".json"): 0o600} {
			if i, err := os.Stat(name); err != nil || i.Mode().Perm() != want {
				t.Errorf("%s: %v %v, want %v", name, i.Mode(), err, want)
			}
		}
	}
	write := func(name, text string, mode os.FileMode) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(p, mode); err != nil {
			t.Fatal(err)
		}
		return p
	}
	const gone = 1<<31 - 2 // no system has so many processes
	dead := write(strconv.Itoa(gone)+".json", `{"pid":2147483646,"address":"127.0.0.1:1","program":"/c.wat"}`, 0o600)
	write("1.json", `{"pid":1,"address":"10.0.0.1:99","program":"/d.wat"}`, 0o600)
	write("2.json", `{"pid":3,"address":"127.0.0.1:99","program":"/e.wat"}`, 0o600)
	write("3.json", `{`, 0o600)
	write("notes.txt", ``, 0o600)
	ps, err := List()
	if err != nil || len(ps) != 2 || ps[0].PID != parent || ps[1].PID != me || ps[1].Address != "127.0.0.1:4711" ||
		ps[0].Args[0] != "1" {
		t.Fatalf("%+v %v", ps, err)
	}
	if _, err := os.Stat(dead); !os.IsNotExist(err) {
		t.Error("the file of a program that has ended is still there")
	}
	remove()
	if ps, _ := List(); len(ps) != 1 || ps[0].PID != parent {
		t.Errorf("%+v", ps)
	}
	if runtime.GOOS != "windows" {
		if err := os.Chmod(filepath.Join(dir, strconv.Itoa(parent)+".json"), 0o666); err != nil {
			t.Fatal(err)
		}
		if ps, _ := List(); len(ps) != 0 {
			t.Errorf("a file that others can write counts: %+v", ps)
		}
	}
}
