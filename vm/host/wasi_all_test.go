package host

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"stackscope/vm"
	"stackscope/wasm"
)

// wild is an address outside of the memory of a program.
const wild = 65535

// calls lists all functions of preview 1: arguments with a descriptor that is not open, which leads
// to EBADF, and with addresses that are wild, which leads to EFAULT. nil: the function has neither.
// Descriptor 4 is a file, 3 a directory.
var calls = map[string]struct{ closed, wild []any }{
	"args_get":                {nil, []any{wild, wild}},
	"args_sizes_get":          {nil, []any{wild, 0}},
	"environ_get":             {nil, []any{wild, wild}},
	"environ_sizes_get":       {nil, []any{0, wild}},
	"clock_res_get":           {nil, []any{0, wild}},
	"clock_time_get":          {nil, []any{0, int64(0), wild}},
	"random_get":              {nil, []any{wild, 8}},
	"sched_yield":             {nil, nil},
	"poll_oneoff":             {nil, []any{wild, 0, 1, 0}},
	"proc_raise":              {nil, nil},
	"fd_advise":               {[]any{99, int64(0), int64(0), 0}, nil},
	"fd_allocate":             {[]any{99, int64(0), int64(1)}, nil},
	"fd_close":                {[]any{99}, nil},
	"fd_datasync":             {[]any{99}, nil},
	"fd_fdstat_get":           {[]any{99, 0}, []any{4, wild}},
	"fd_fdstat_set_flags":     {[]any{99, 0}, nil},
	"fd_fdstat_set_rights":    {[]any{99, int64(0), int64(0)}, nil},
	"fd_filestat_get":         {[]any{99, 0}, []any{4, wild}},
	"fd_filestat_set_size":    {[]any{99, int64(0)}, nil},
	"fd_filestat_set_times":   {[]any{99, int64(0), int64(0), 0}, nil},
	"fd_pread":                {[]any{99, 0, 0, int64(0), 0}, []any{4, wild, 1, int64(0), 0}},
	"fd_prestat_get":          {[]any{99, 0}, []any{3, wild}},
	"fd_prestat_dir_name":     {[]any{99, 0, 9}, []any{3, wild, 9}},
	"fd_pwrite":               {[]any{99, 0, 0, int64(0), 0}, []any{4, wild, 1, int64(0), 0}},
	"fd_read":                 {[]any{99, 0, 0, 0}, []any{4, wild, 1, 0}},
	"fd_readdir":              {[]any{99, 0, 9, int64(0), 0}, []any{3, wild, 9, int64(0), 0}},
	"fd_renumber":             {[]any{99, 4}, nil},
	"fd_seek":                 {[]any{99, int64(0), 0, 0}, []any{4, int64(0), 0, wild}},
	"fd_sync":                 {[]any{99}, nil},
	"fd_tell":                 {[]any{99, 0}, []any{4, wild}},
	"fd_write":                {[]any{99, 0, 0, 0}, []any{4, wild, 1, 0}},
	"path_create_directory":   {[]any{99, 1024, 1}, []any{3, wild, 9}},
	"path_filestat_get":       {[]any{99, 0, 1024, 1, 0}, []any{3, 0, 1024, 1, wild}},
	"path_filestat_set_times": {[]any{99, 0, 1024, 1, int64(0), int64(0), 0}, []any{3, 0, wild, 9, int64(0), int64(0), 0}},
	"path_link":               {[]any{3, 0, 1024, 1, 99, 1024, 1}, []any{3, 0, 1024, 1, 3, wild, 9}},
	"path_open": {
		[]any{99, 0, 1024, 1, 0, int64(0), int64(0), 0, 0}, []any{3, 0, 1024, 1, 0, int64(0), int64(0), 0, wild},
	},
	"path_readlink":         {[]any{99, 1024, 1, 0, 9, 0}, []any{3, 1024, 1, wild, 9, 0}},
	"path_remove_directory": {[]any{99, 1024, 1}, []any{3, wild, 9}},
	"path_rename":           {[]any{3, 1024, 1, 99, 1024, 1}, []any{3, 1024, 1, 3, wild, 9}},
	"path_symlink":          {[]any{1024, 1, 99, 1024, 1}, []any{wild, 9, 3, 1024, 1}},
	"path_unlink_file":      {[]any{99, 1024, 1}, []any{3, wild, 9}},
	"sock_accept":           {[]any{99, 0, 0}, nil},
	"sock_recv":             {[]any{99, 0, 0, 0, 0, 0}, nil},
	"sock_send":             {[]any{99, 0, 0, 0, 0}, nil},
	"sock_shutdown":         {[]any{99, 0}, nil},
}

func TestEveryFunction(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	p := newWASI(t, WASI{Args: []string{"prog"}, Env: []string{"A=B"}, Dirs: []Dir{{"/d", dir}}})
	if fd := p.open("f", 0, rw, 0); fd != 4 {
		t.Fatal(fd)
	}
	p.str(0, "f")
	for name, c := range calls {
		if c.closed != nil {
			p.want(errBadf, name, c.closed...)
		}
		if c.wild != nil {
			p.want(errFault, name, c.wild...)
		}
	}
	p.want(0, "sched_yield")
	p.want(errNotsup, "proc_raise", 6)
	for name, args := range map[string][]any{
		"sock_accept": {4, 0, 0}, "sock_recv": {4, 0, 0, 0, 0, 0}, "sock_send": {4, 0, 0, 0, 0}, "sock_shutdown": {4, 0},
	} {
		p.want(errNotsock, name, args...)
	}
	m := vm.New(vm.Options{})
	if mod := p.sys.Module(m); len(mod) != 46 || len(calls)+1 != len(mod) { // and proc_exit
		t.Errorf("%d functions, %d in the table", len(mod), len(calls))
	}
	if mod := p.sys.Unstable(m); len(mod) != 45 || mod["sock_accept"] != nil {
		t.Errorf("snapshot 0 has %d functions", len(mod))
	}
}

// rightsOf returns the rights of a descriptor.
func (p *wasiProgram) rightsOf(fd int) (base, inheriting uint64) {
	p.want(0, "fd_fdstat_get", fd, 64)
	return p.u64(72), p.u64(80)
}

func TestRights(t *testing.T) {
	p := newWASI(t, WASI{Dirs: []Dir{{"/", t.TempDir()}}})
	for _, c := range []struct {
		name string
		fd   int
		want uint64
	}{
		{"standard input", 0, rightRead | rightsAny&^rightSetTimes},
		{"standard output", 1, rightWrite | rightDatasync | rightsAny&^rightSetTimes},
		{"directory", 3, rightsDir},
		{"file to read", p.open("r", openCreate, rightRead, 0), rightsFile &^ rightsWrite},
		{"file to write", p.open("w", openCreate, rightWrite, 0), rightsFile &^ rightRead},
		{"file", p.open("rw", openCreate, rw, 0), rightsFile},
	} {
		// fd_allocate and fd_filestat_set_size are rights of streams nowhere.
		if got, _ := p.rightsOf(c.fd); got != c.want {
			t.Errorf("%s: rights %b, want %b", c.name, got, c.want)
		}
	}
	at, n := p.iov(4096, 4)
	p.want(errBadf, "fd_write", 4, at, n, 0)
	p.want(errBadf, "fd_read", 5, at, n, 0)

	// Rights can be dropped, never gained. What is dropped cannot be done.
	base, inside := p.rightsOf(6)
	p.want(errNotcapable, "fd_fdstat_set_rights", 6, int64(base|rightOpen), int64(inside))
	p.want(0, "fd_fdstat_set_rights", 6, int64(base&^(rightSeek|rightWrite)), int64(0))
	if got, _ := p.rightsOf(6); got != base&^(rightSeek|rightWrite) {
		t.Errorf("%b", got)
	}
	p.want(errNotcapable, "fd_seek", 6, int64(0), 0, 0)
	p.want(errNotcapable, "fd_write", 6, at, n, 0)
	p.want(errNotcapable, "fd_pread", 6, at, n, int64(0), 0)
	p.want(0, "fd_read", 6, at, n, 0)
	p.want(errNotcapable, "fd_fdstat_set_rights", 6, int64(base), int64(0))

	// What a directory does not pass on, nothing that is opened through it has.
	base, inside = p.rightsOf(3)
	p.want(0, "fd_fdstat_set_rights", 3, int64(base&^uint64(rightCreateFile|rightUnlink)), int64(inside&^rightsWrite))
	path, n := p.str(0, "r")
	p.want(errNotcapable, "path_unlink_file", 3, path, n)
	p.want(errNotcapable, "path_open", 3, 0, path, n, 0, rw, rw, 0, 0)
	if got, _ := p.rightsOf(p.open("rw", 0, rightRead, 0)); got&rightsWrite != 0 {
		t.Errorf("%b", got)
	}
	path, n = p.str(0, "new")
	p.want(errNotcapable, "path_open", 3, 0, path, n, openCreate, int64(rightRead), int64(0), 0, 0)
}

func TestDescriptorFlags(t *testing.T) {
	p := newWASI(t, WASI{Dirs: []Dir{{"/", t.TempDir()}}})
	fd := p.open("f", openCreate, rw, fdAppend)
	p.write(fd, "one")
	p.want(0, "fd_fdstat_set_flags", fd, fdAppend|fdNonblock)
	p.want(errNotsup, "fd_fdstat_set_flags", fd, 2)
	p.want(errInval, "fd_fdstat_set_flags", fd, 64)
	p.want(0, "fd_fdstat_get", fd, 64)
	if f := binary.LittleEndian.Uint16(p.mem[66:]); f != fdAppend|fdNonblock {
		t.Error(f)
	}
	fd = p.open("f", 0, rw, fdSyncs)
	p.write(fd, "ONE")
	p.want(0, "fd_datasync", fd)
	// A directory is no file, whatever is asked of it.
	p.str(0, "f")
	for name, args := range map[string][]any{
		"fd_read": {3, 512, 0, 0}, "fd_write": {3, 512, 0, 0}, "fd_pread": {3, 512, 0, int64(0), 0},
		"fd_pwrite": {3, 512, 0, int64(0), 0}, "fd_seek": {3, int64(0), 0, 0}, "fd_tell": {3, 0},
		"fd_advise": {3, int64(0), int64(0), 0}, "fd_allocate": {3, int64(0), int64(1)},
		"fd_filestat_set_size": {3, int64(1)},
	} {
		p.want(errBadf, name, args...)
	}
	for name, args := range map[string][]any{"fd_pread": {0, 512, 0, int64(0), 0}, "fd_tell": {1, 0}} {
		p.want(errSpipe, name, args...)
	}
}

// Paths as programs write them.
func TestPaths(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "dir", "nested"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "dir", "nested", "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	p := newWASI(t, WASI{Dirs: []Dir{{"/", dir}}})
	for path, want := range map[string]errno{
		"dir/nested/file": 0,
		"dir/.//nested/../../dir/nested/../nested///./file": 0,
		"./dir/nested/file":  0,
		"dir/nested":         0,
		"dir/nested/":        0,
		"dir/nested/.":       0,
		".":                  0,
		"./":                 0,
		"/dir/nested/file":   errNotcapable,
		"/":                  errNotcapable,
		"..":                 errNotcapable,
		"dir/../..":          errNotcapable,
		"dir/nested/file/":   errNotdir,
		"dir/nested/file/x":  errNotdir,
		"dir/nested/file/..": errNotdir,
		"dir/none/../nested": errNoent,
		"":                   errNoent,
		"dir/\x00nested":     errIlseq,
		"dir/\xff":           errIlseq,
	} {
		at, n := p.str(0, path)
		p.want(want, "path_filestat_get", 3, followLinks, at, n, 0)
		p.want(want, "path_open", 3, followLinks, at, n, 0, int64(rightRead), int64(0), 0, 0)
	}
	for _, c := range []struct {
		path           string
		unlink, remove errno
	}{
		{"dir/nested/file/", errNotdir, errNotdir},
		{"dir/", errIsdir, errNotempty},
		{"dir/nested/file", 0, errNoent},
		{"dir/nested/", errIsdir, 0},
	} {
		at, n := p.str(0, c.path)
		p.want(c.unlink, "path_unlink_file", 3, at, n)
		p.want(c.remove, "path_remove_directory", 3, at, n)
	}
}

// Directories below one that was given at the start are of one tree; others are not.
func TestRenameBetween(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	for _, d := range []string{"a", "b/c"} {
		if err := os.MkdirAll(filepath.Join(one, d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(one, "a", "f"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	p := newWASI(t, WASI{Dirs: []Dir{{"/one", one}, {"/two", two}}})
	a, c := p.open("a", openDir, rightsRead, 0), p.open("b/c", openDir, rightsRead, 0)
	f, fn := p.str(1, "f")
	g, gn := p.str(2, "g")
	p.want(0, "path_rename", a, f, fn, c, g, gn)
	p.want(0, "path_link", c, 0, g, gn, a, f, fn)
	for path, want := range map[string]errno{"a/f": 0, "b/c/g": 0, "a/g": errNoent} {
		at, n := p.str(0, path)
		p.want(want, "path_filestat_get", 3, 0, at, n, 0)
	}
	// No path leads out of its own directory, even if it stays in the tree.
	out, on := p.str(3, "../b/c/h")
	p.want(errNotcapable, "path_rename", a, f, fn, c, out, on)
	p.want(errNotcapable, "path_link", a, 0, f, fn, c, out, on)
	p.want(errXdev, "path_rename", a, f, fn, 4, f, fn)
	p.want(errXdev, "path_link", a, 0, f, fn, 4, f, fn)
	// A directory that was moved is not where it was.
	old, oldN := p.str(4, "b/c")
	moved, movedN := p.str(5, "moved")
	p.want(0, "path_rename", 3, old, oldN, 3, moved, movedN)
	p.want(errXdev, "path_rename", a, f, fn, c, f, fn)
	p.want(0, "path_rename", c, g, gn, c, f, fn)
}

func TestReaddirInodes(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("numbers of files are known on Linux only")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	p := newWASI(t, WASI{Dirs: []Dir{{"/", dir}}})
	p.want(0, "fd_readdir", 3, 4096, 1000, int64(0), 0)
	self, file := p.u64(4096+8), p.u64(4096+25+26+8)
	at, n := p.str(0, "f")
	p.want(0, "path_filestat_get", 3, 0, at, n, 0)
	if p.u64(8) != file || file == 0 {
		t.Error(p.u64(8), file)
	}
	p.want(0, "fd_filestat_get", 3, 0)
	if p.u64(8) != self || self == 0 {
		t.Error(p.u64(8), self)
	}
}

// A pipe that nothing was written to is not ready; a clock beside it is.
func TestPollInput(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("whether input is there is known on Linux only")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p := newWASI(t, WASI{Stdin: r})
	subs := func() {
		b := p.mem[1024:]
		clear(b[:96])
		b[0], b[8] = 1, eventRead
		b[48], b[56] = 2, eventClock
		binary.LittleEndian.PutUint32(b[64:], clockMonotonic)
		binary.LittleEndian.PutUint64(b[72:], 5_000_000)
	}
	subs()
	p.want(0, "poll_oneoff", 1024, 2048, 2, 0)
	if p.u32(0) != 1 || p.u64(2048) != 2 {
		t.Errorf("%d events, the first of %d", p.u32(0), p.u64(2048))
	}
	if _, err := w.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	p.want(0, "poll_oneoff", 1024, 2048, 2, 0)
	if p.u32(0) != 1 || p.u64(2048) != 1 {
		t.Errorf("%d events, the first of %d", p.u32(0), p.u64(2048))
	}
	if s := p.read(0, 9); s != "x" {
		t.Error(s)
	}
	w.Close() // the end is something to read, too
	p.want(0, "poll_oneoff", 1024, 2048, 1, 0)
	if p.u32(0) != 1 || p.u64(2048) != 1 {
		t.Errorf("%d events, the first of %d", p.u32(0), p.u64(2048))
	}
}

// Snapshot 0 has other starting points of seeks, and other layouts.
func TestUnstable(t *testing.T) {
	p := newWASI(t, WASI{Dirs: []Dir{{"/", t.TempDir()}}})
	fd := p.open("f", openCreate, rw, 0)
	p.write(fd, "hello")
	m := vm.New(vm.Options{})
	sigs := map[string]wasm.SubType{"proc_exit": {Params: types("i")}}
	for name, f := range functions {
		if name != "sock_accept" {
			sigs[name] = wasm.SubType{Params: types(f.params), Results: types("i")}
		}
	}
	p.program = newProgram(t, m, sigs, p.sys.Unstable(m))
	for _, c := range []struct {
		offset int64
		whence int
		want   uint64
	}{{2, 2, 2}, {1, 0, 3}, {-1, 1, 4}} { // start, current, end
		p.want(0, "fd_seek", fd, c.offset, c.whence, 0)
		if p.u64(0) != c.want {
			t.Errorf("seek %d %d: %d, want %d", c.offset, c.whence, p.u64(0), c.want)
		}
	}
	p.mem[56] = 0xaa
	p.want(0, "fd_filestat_get", fd, 0)
	if p.u64(24) != 5 || p.mem[16] != typeRegular || p.mem[56] != 0xaa || runtime.GOOS == "linux" && p.u32(20) != 1 {
		t.Errorf("% x", p.mem[:57])
	}
	b := p.mem[1024:]
	b[0], b[8] = 7, eventClock
	binary.LittleEndian.PutUint32(b[24:], clockMonotonic)
	binary.LittleEndian.PutUint64(b[32:], 5_000_000)
	before := p.slept
	p.want(0, "poll_oneoff", 1024, 2048, 1, 0)
	if p.u64(2048) != 7 || p.slept-before != 5_000_000 {
		t.Error(p.u64(2048), p.slept-before)
	}
}
