package host

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"stackscope/vm"
	"stackscope/wasm"
)

// wasiProgram is a program with WASI around it. Addresses from 1024 on are scratch for strings.
type wasiProgram struct {
	*program
	sys      *System
	out, err bytes.Buffer
	slept    time.Duration
	now      time.Time
}

func newWASI(t *testing.T, w WASI) *wasiProgram {
	t.Helper()
	p := &wasiProgram{now: time.Unix(1000, 5)}
	w.Stdout, w.Stderr = &p.out, &p.err
	w.Now = func() time.Time { return p.now }
	w.Sleep = func(d time.Duration, _ <-chan struct{}) { p.slept += d; p.now = p.now.Add(d) }
	sys, err := w.System()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sys.Close() })
	m := vm.New(vm.Options{})
	sigs := map[string]wasm.SubType{"proc_exit": {Params: types("i")}}
	for name, f := range functions {
		sigs[name] = wasm.SubType{Params: types(f.params), Results: types("i")}
	}
	p.sys, p.program = sys, newProgram(t, m, sigs, sys.Module(m))
	return p
}

// want calls a function and checks the error number.
func (p *wasiProgram) want(e errno, name string, args ...any) {
	p.t.Helper()
	rs, err := p.call(context.Background(), name, args...)
	if err != nil {
		p.t.Fatalf("%s: %v", name, err)
	}
	if got := errno(rs[0].Lo); got != e {
		p.t.Errorf("%s%v: error number %d, want %d", name, args, got, e)
	}
}

// str puts a string into memory and returns address and length.
func (p *wasiProgram) str(slot int, s string) (at, n int) {
	at = 1024 + 256*slot
	return at, copy(p.mem[at:], s)
}

func (p *wasiProgram) u32(at int) uint32 { return binary.LittleEndian.Uint32(p.mem[at:]) }
func (p *wasiProgram) u64(at int) uint64 { return binary.LittleEndian.Uint64(p.mem[at:]) }

// iov puts one buffer's descriptor at address 512 and returns its address and the number 1.
func (p *wasiProgram) iov(at, n int) (int, int) {
	binary.LittleEndian.PutUint32(p.mem[512:], uint32(at))
	binary.LittleEndian.PutUint32(p.mem[516:], uint32(n))
	return 512, 1
}

// open opens a path below descriptor 3 and returns the new descriptor.
func (p *wasiProgram) open(path string, flags int, rights int64, fdFlags int) int {
	p.t.Helper()
	at, n := p.str(0, path)
	p.want(0, "path_open", 3, followLinks, at, n, flags, rights, rights, fdFlags, 0)
	return int(p.u32(0))
}

func (p *wasiProgram) write(fd int, s string) {
	p.t.Helper()
	at, n := p.iov(p.str(3, s))
	p.want(0, "fd_write", fd, at, n, 0)
	if int(p.u32(0)) != len(s) {
		p.t.Errorf("wrote %d bytes of %q", p.u32(0), s)
	}
}

func (p *wasiProgram) read(fd, max int) string {
	p.t.Helper()
	at, n := p.iov(4096, max)
	p.want(0, "fd_read", fd, at, n, 0)
	return string(p.mem[4096 : 4096+p.u32(0)])
}

const rw = int64(rightsRead | rightsWrite)

func TestArgsAndEnvironment(t *testing.T) {
	p := newWASI(t, WASI{Args: []string{"prog", "a b", ""}, Env: []string{"X=1"}})
	p.want(0, "args_sizes_get", 0, 4)
	if p.u32(0) != 3 || p.u32(4) != 10 {
		t.Error(p.u32(0), p.u32(4))
	}
	p.want(0, "args_get", 0, 100)
	if p.u32(0) != 100 || p.u32(4) != 105 || p.u32(8) != 109 || string(p.mem[100:110]) != "prog\x00a b\x00\x00" {
		t.Errorf("%q", p.mem[100:110])
	}
	p.want(0, "environ_sizes_get", 0, 4)
	if p.u32(0) != 1 || p.u32(4) != 4 {
		t.Error(p.u32(0), p.u32(4))
	}
	p.want(0, "environ_get", 0, 100)
	if string(p.mem[100:104]) != "X=1\x00" {
		t.Errorf("%q", p.mem[100:104])
	}
	p.want(errFault, "args_get", 0, 65530)
	p.want(errFault, "args_get", 65533, 0)
	p.want(errFault, "args_sizes_get", -1, 0)
}

func TestClocksAndRandom(t *testing.T) {
	p := newWASI(t, WASI{Random: strings.NewReader("abcdef")})
	p.want(0, "clock_time_get", 0, int64(0), 0)
	if p.u64(0) != 1000_000_000_005 {
		t.Error(p.u64(0))
	}
	p.now = p.now.Add(7)
	p.want(0, "clock_time_get", 1, int64(0), 0)
	if p.u64(0) != 7 {
		t.Error(p.u64(0))
	}
	p.want(0, "clock_res_get", 0, 0)
	p.want(errInval, "clock_time_get", 9, int64(0), 0)
	p.want(errFault, "clock_time_get", 0, int64(0), 65530)
	p.want(0, "random_get", 8, 3)
	if string(p.mem[8:11]) != "abc" {
		t.Errorf("%q", p.mem[8:11])
	}
	p.want(errFault, "random_get", 65535, 2)
	p.want(0, "sched_yield")
}

func TestPoll(t *testing.T) {
	p := newWASI(t, WASI{})
	clock := func(i int, user, timeout uint64, id uint32, flags uint16) {
		s := p.mem[1024+i*subscriptionSize:]
		clear(s[:subscriptionSize])
		binary.LittleEndian.PutUint64(s, user)
		binary.LittleEndian.PutUint32(s[16:], id)
		binary.LittleEndian.PutUint64(s[24:], timeout)
		binary.LittleEndian.PutUint16(s[40:], flags)
	}
	clock(0, 11, 500, clockMonotonic, 0)
	clock(1, 12, 1000_000_000_005+200, clockRealtime, clockAbsolute)
	p.want(0, "poll_oneoff", 1024, 2048, 2, 0)
	if p.slept != 200 || p.u32(0) != 1 || p.u64(2048) != 12 || p.mem[2058] != eventClock {
		t.Errorf("slept %d, %d events, first %d", p.slept, p.u32(0), p.u64(2048))
	}
	clock(0, 13, 500, clockMonotonic, 0)
	clock(1, 14, 0, 0, 0)
	p.mem[1024+subscriptionSize+8] = eventWrite
	binary.LittleEndian.PutUint32(p.mem[1024+subscriptionSize+16:], 1)
	p.want(0, "poll_oneoff", 1024, 2048, 2, 0)
	if p.slept != 200 || p.u32(0) != 1 || p.u64(2048) != 14 || p.mem[2058] != eventWrite {
		t.Errorf("slept %d, %d events, first %d", p.slept, p.u32(0), p.u64(2048))
	}
	p.want(errInval, "poll_oneoff", 1024, 2048, 0, 0)
	p.want(errFault, "poll_oneoff", 1024, 2048, -1, 0)
	p.want(errFault, "poll_oneoff", 65535, 2048, 1, 0)
	p.want(errFault, "poll_oneoff", 1024, 65535, 1, 0)

	// A call that is cancelled while it sleeps ends.
	ctx, cancel := context.WithCancel(context.Background())
	p.sys.conf.Sleep = func(_ time.Duration, done <-chan struct{}) {
		cancel()
		<-done
	}
	_, err := p.call(ctx, "poll_oneoff", 1024, 2048, 1, 0)
	var trap *vm.Trap
	if !errors.As(err, &trap) || trap.Kind != wasm.TrapInterrupted {
		t.Error(err)
	}
}

func TestExit(t *testing.T) {
	p := newWASI(t, WASI{})
	_, err := p.call(context.Background(), "proc_exit", 42)
	var exit *vm.Exit
	if !errors.As(err, &exit) || exit.Code != 42 {
		t.Error(err)
	}
}

func TestStdio(t *testing.T) {
	p := newWASI(t, WASI{Stdin: strings.NewReader("hello")})
	p.write(1, "out")
	p.write(2, "err")
	if p.out.String() != "out" || p.err.String() != "err" {
		t.Error(p.out.String(), p.err.String())
	}
	if s := p.read(0, 4) + "|" + p.read(0, 4) + "|" + p.read(0, 4); s != "hell|o|" {
		t.Error(s)
	}
	p.want(errBadf, "fd_write", 0, 512, 1, 0)
	p.want(errBadf, "fd_read", 1, 512, 1, 0)
	p.want(errBadf, "fd_read", 99, 512, 1, 0)
	p.want(errSpipe, "fd_seek", 1, int64(0), 1, 0)
	p.want(errFault, "fd_write", 1, 65535, 1, 0)
	p.want(errFault, "fd_write", 1, 0, 1<<29, 0)
	p.iov(65000, 1000)
	p.want(errFault, "fd_write", 1, 512, 1, 0)
	p.iov(0, 10)
	p.want(errFault, "fd_write", 1, 512, 1, 65534)
	if p.out.String() != "out" {
		t.Error("a write that failed has written")
	}
	p.want(0, "fd_fdstat_get", 1, 64)
	if p.u64(72)&(rightSeek|rightTell) != 0 {
		t.Error("a stream can be sought in")
	}
	p.want(errNotsock, "sock_shutdown", 1, 0)
	p.want(errBadf, "sock_shutdown", 9, 0)
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	p := newWASI(t, WASI{Dirs: []Dir{{"/data", dir}}})
	p.want(0, "fd_prestat_get", 3, 0)
	if p.u32(0) != 0 || p.u32(4) != 5 {
		t.Error(p.u32(0), p.u32(4))
	}
	p.want(0, "fd_prestat_dir_name", 3, 0, 5)
	if string(p.mem[:5]) != "/data" {
		t.Errorf("%q", p.mem[:5])
	}
	p.want(errNametoolong, "fd_prestat_dir_name", 3, 0, 4)
	p.want(errBadf, "fd_prestat_get", 4, 0)
	p.want(errBadf, "fd_prestat_get", 1, 0)

	fd := p.open("a.txt", openCreate, rw, 0)
	if fd != 4 {
		t.Error("not the lowest free number", fd)
	}
	p.write(fd, "hello world")
	p.want(0, "fd_seek", fd, int64(-5), 2, 0)
	if p.u64(0) != 6 {
		t.Error(p.u64(0))
	}
	if s := p.read(fd, 100); s != "world" {
		t.Error(s)
	}
	p.want(0, "fd_tell", fd, 0)
	if p.u64(0) != 11 {
		t.Error(p.u64(0))
	}
	at, n := p.iov(4096, 4)
	p.want(0, "fd_pread", fd, at, n, int64(1), 0)
	if string(p.mem[4096:4100]) != "ello" {
		t.Errorf("%q", p.mem[4096:4100])
	}
	at, n = p.iov(p.str(3, "J"))
	p.want(0, "fd_pwrite", fd, at, n, int64(0), 0)
	p.want(errInval, "fd_pread", fd, at, n, int64(-1), 0)
	p.want(errInval, "fd_seek", fd, int64(0), 3, 0)
	p.want(errInval, "fd_seek", fd, int64(-1), 0, 0)
	p.want(0, "fd_filestat_get", fd, 0)
	if p.u64(32) != 11 || p.mem[16] != typeRegular {
		t.Error(p.u64(32), p.mem[16])
	}
	p.want(0, "fd_filestat_set_times", fd, int64(1_000_000_000), int64(2_000_000_000), setAtime|setMtime)
	p.want(0, "fd_filestat_get", fd, 0)
	if runtime.GOOS == "linux" && (p.u64(40) != 1_000_000_000 || p.u64(48) != 2_000_000_000) {
		t.Error(p.u64(40), p.u64(48))
	}
	p.want(errInval, "fd_filestat_set_times", fd, int64(0), int64(0), setMtime|setMtimeNow)
	p.want(0, "fd_filestat_set_size", fd, int64(3))
	p.want(0, "fd_allocate", fd, int64(0), int64(2))
	p.want(0, "fd_allocate", fd, int64(2), int64(3))
	p.want(errInval, "fd_allocate", fd, int64(2), int64(0))
	p.want(errFbig, "fd_allocate", fd, int64(-1), int64(3))
	p.want(0, "fd_advise", fd, int64(0), int64(0), 1)
	p.want(errInval, "fd_advise", fd, int64(0), int64(0), 9)
	p.want(0, "fd_sync", fd)
	p.want(0, "fd_fdstat_set_flags", fd, fdAppend)
	p.want(0, "fd_seek", fd, int64(0), 0, 0)
	p.write(fd, "!")
	p.want(0, "fd_renumber", fd, fd) // onto itself
	p.want(errBadf, "fd_renumber", fd, 9)
	p.want(0, "fd_close", fd)
	p.want(errBadf, "fd_close", fd)
	if b, err := os.ReadFile(filepath.Join(dir, "a.txt")); string(b) != "Jel\x00\x00!" || err != nil {
		t.Errorf("%q %v", b, err)
	}

	a, n := p.str(0, "a.txt")
	p.want(errExist, "path_open", 3, 1, a, n, openCreate|openExclude, rw, rw, 0, 0)
	p.want(errNotdir, "path_open", 3, 1, a, n, openDir, rw, rw, 0, 0)
	p.want(errInval, "path_open", 3, 1, a, n, 16, rw, rw, 0, 0)
	p.want(errFault, "path_open", 3, 1, a, n, 0, rw, rw, 0, 65534)
	p.want(errFault, "path_open", 3, 1, 65535, 2, 0, rw, rw, 0, 0)
	p.want(errBadf, "path_open", 77, 1, a, n, 0, rw, rw, 0, 0)
	p.want(errNotdir, "path_open", 1, 1, a, n, 0, rw, rw, 0, 0)
	p.want(errNoent, "path_open", 3, 1, a, 0, 0, rw, rw, 0, 0)
	b, n := p.str(0, "none")
	p.want(errNoent, "path_open", 3, 1, b, n, 0, rw, rw, 0, 0)
	b, n = p.str(0, "a\x00b")
	p.want(errIlseq, "path_open", 3, 1, b, n, 0, rw, rw, 0, 0)

	ro := p.open("a.txt", 0, rightsRead, 0)
	at, n = p.iov(p.str(3, "x"))
	p.want(errBadf, "fd_write", ro, at, n, 0)
	tr := p.open("a.txt", openTruncate, rw, 0)
	if s := p.read(tr, 10); s != "" {
		t.Error(s)
	}
	p.want(0, "fd_renumber", tr, ro)
	p.want(errBadf, "fd_tell", tr, 0)
	p.want(0, "fd_tell", ro, 0)
}

func TestDirectories(t *testing.T) {
	dir := t.TempDir()
	p := newWASI(t, WASI{Dirs: []Dir{{".", dir}}})
	path := func(slot int, s string) (int, int) { return p.str(slot, s) }
	sub, subN := path(1, "sub")
	p.want(0, "path_create_directory", 3, sub, subN)
	p.want(errExist, "path_create_directory", 3, sub, subN)
	p.want(0, "fd_close", p.open("sub/f", openCreate, rw, 0))
	p.want(0, "fd_close", p.open("sub/g", openCreate, rw, 0))
	p.want(errNotempty, "path_remove_directory", 3, sub, subN)
	p.want(errIsdir, "path_unlink_file", 3, sub, subN)
	p.want(errIsdir, "path_open", 3, 1, sub, subN, openTruncate, rw, rw, 0, 0)

	d := p.open("sub", openDir, rightsRead, 0)
	p.want(errBadf, "fd_read", d, 512, 0, 0)
	p.want(errBadf, "fd_seek", d, int64(0), 0, 0)
	p.want(0, "fd_filestat_get", d, 0)
	if p.mem[16] != typeDirectory {
		t.Error(p.mem[16])
	}
	p.want(0, "fd_readdir", d, 4096, 1000, int64(0), 0)
	type entry struct {
		name string
		kind byte
	}
	parse := func(n uint32) (es []entry) {
		for b := p.mem[4096 : 4096+n]; len(b) >= 24; {
			l := binary.LittleEndian.Uint32(b[16:])
			if uint32(len(b)-24) < l {
				break
			}
			es = append(es, entry{string(b[24 : 24+l]), b[20]})
			b = b[24+l:]
		}
		return es
	}
	all := []entry{{".", typeDirectory}, {"..", typeDirectory}, {"f", typeRegular}, {"g", typeRegular}}
	if es := parse(p.u32(0)); len(es) != 4 || es[0] != all[0] || es[1] != all[1] || es[2] != all[2] || es[3] != all[3] {
		t.Errorf("%v", es)
	}
	p.want(0, "fd_readdir", d, 4096, 30, int64(2), 0) // one entry and a part of the next
	if es := parse(p.u32(0)); p.u32(0) != 30 || len(es) != 1 || es[0] != all[2] {
		t.Errorf("%d %v", p.u32(0), es)
	}
	p.want(0, "fd_readdir", d, 4096, 1000, int64(4), 0)
	if p.u32(0) != 0 {
		t.Error("entries after the last")
	}
	p.want(errNotdir, "fd_readdir", 1, 4096, 1000, int64(0), 0)

	f, fN := path(1, "f")
	h, hN := path(2, "h")
	p.want(0, "path_rename", d, f, fN, d, h, hN)
	p.want(errNoent, "path_unlink_file", d, f, fN)
	p.want(0, "path_link", d, 0, h, hN, d, f, fN)
	p.want(0, "path_filestat_get", d, 0, f, fN, 0)
	if runtime.GOOS == "linux" && p.u64(24) != 2 {
		t.Error("links", p.u64(24))
	}
	p.want(0, "path_filestat_set_times", d, 1, f, fN, int64(0), int64(5_000_000_000), setMtime)
	p.want(0, "path_filestat_get", d, 1, f, fN, 0)
	if p.u64(48) != 5_000_000_000 {
		t.Error(p.u64(48))
	}
	p.want(0, "path_unlink_file", d, f, fN)
	p.want(errNotdir, "path_remove_directory", d, h, hN)

	// Symbolic links.
	p.want(0, "path_symlink", h, hN, d, f, fN)
	p.want(0, "path_readlink", d, f, fN, 4096, 100, 0)
	if string(p.mem[4096:4096+p.u32(0)]) != "h" {
		t.Errorf("%q", p.mem[4096:4096+p.u32(0)])
	}
	p.want(errLoop, "path_open", d, 0, f, fN, 0, rw, rw, 0, 0)
	p.want(0, "path_open", d, followLinks, f, fN, 0, rw, rw, 0, 0)
	p.want(0, "path_filestat_get", d, 0, f, fN, 0)
	if p.mem[16] != typeSymlink {
		t.Error(p.mem[16])
	}
	p.want(0, "path_filestat_get", d, followLinks, f, fN, 0)
	if p.mem[16] != typeRegular {
		t.Error(p.mem[16])
	}
}

// Nothing outside a directory is reached.
func TestConfined(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "in")
	for _, d := range []string{dir, filepath.Join(dir, "sub")} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(base, "secret"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"out": "../secret", "up": "..", "abs": base} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Skip(err)
		}
	}
	p := newWASI(t, WASI{Dirs: []Dir{{"/", dir}}})
	for _, path := range []string{"../secret", "out", "up/secret", "abs/secret", "sub/../../secret",
		filepath.Join(base, "secret")} {
		at, n := p.str(0, path)
		p.want(errNotcapable, "path_open", 3, followLinks, at, n, 0, rw, rw, 0, 0)
		p.want(errNotcapable, "path_filestat_get", 3, followLinks, at, n, 0)
	}
	for _, path := range []string{"../new", "up/new", filepath.Join(base, "new")} {
		at, n := p.str(0, path)
		p.want(errNotcapable, "path_open", 3, followLinks, at, n, openCreate, rw, rw, 0, 0)
		p.want(errNotcapable, "path_create_directory", 3, at, n)
		p.want(errNotcapable, "path_rename", 3, at, n, 3, at, n)
		p.want(errNotcapable, "path_unlink_file", 3, at, n)
	}
	at, n := p.str(0, "/etc")
	to, toN := p.str(1, "link")
	p.want(errNotcapable, "path_symlink", at, n, 3, to, toN)
	// A descriptor of a subdirectory does not lead out of it.
	sub := p.open("sub", openDir, rightsRead, 0)
	at, n = p.str(0, "../out")
	p.want(errNotcapable, "path_open", sub, followLinks, at, n, 0, rw, rw, 0, 0)
	if _, err := os.Stat(filepath.Join(base, "new")); err == nil {
		t.Error("a file was made outside")
	}
}

func TestParseDir(t *testing.T) {
	if d := ParseDir("/a/b"); d != (Dir{"/a/b", "/a/b"}) {
		t.Error(d)
	}
	if d := ParseDir("/a/b::/x"); d != (Dir{"/x", "/a/b"}) {
		t.Error(d)
	}
}
