package host

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"stackscope/vm"
)

// WASI configures what a program can access through wasi_snapshot_preview1.
type WASI struct {
	Args   []string  // the first is the program's name
	Env    []string  // each NAME=VALUE
	Stdin  io.Reader // nil: empty
	Stdout io.Writer // nil: nowhere
	Stderr io.Writer // nil: nowhere
	Dirs   []Dir
	// Now returns the time of both clocks; nil: the machine's. The monotonic clock is the time
	// since the system was made.
	Now func() time.Time
	// Sleep waits; it returns early when the channel is closed. nil: wait in real time.
	Sleep func(d time.Duration, done <-chan struct{})
	// Random fills in random_get's bytes; nil: the operating system's.
	Random io.Reader
}

// Dir is a directory that the program may use, with everything below it and nothing else.
type Dir struct {
	Guest string // the name in the program
	Host  string // the directory of the host
}

// ParseDir parses HOST or HOST::GUEST.
func ParseDir(s string) Dir {
	host, guest, ok := strings.Cut(s, "::")
	if !ok {
		guest = host
	}
	return Dir{Guest: guest, Host: host}
}

// System is the state that a program has through WASI: its open files.
type System struct {
	conf  WASI
	start time.Time
	mu    sync.Mutex
	fds   []*descriptor // nil where none is open
}

// defaults fills in what is not set.
func (w WASI) defaults() WASI {
	if w.Stdin == nil {
		w.Stdin = strings.NewReader("")
	}
	if w.Stdout == nil {
		w.Stdout = io.Discard
	}
	if w.Stderr == nil {
		w.Stderr = io.Discard
	}
	if w.Now == nil {
		w.Now = time.Now
	}
	if w.Sleep == nil {
		w.Sleep = func(d time.Duration, done <-chan struct{}) {
			t := time.NewTimer(d)
			defer t.Stop()
			select {
			case <-t.C:
			case <-done:
			}
		}
	}
	if w.Random == nil {
		w.Random = rand.Reader
	}
	return w
}

// System opens the directories.
func (w WASI) System() (*System, error) {
	w = w.defaults()
	for _, s := range append(append([]string(nil), w.Args...), w.Env...) {
		if strings.ContainsRune(s, 0) {
			return nil, fmt.Errorf("argument or environment variable %q has a zero byte", s)
		}
	}
	s := &System{conf: w, start: w.Now(), fds: []*descriptor{{in: w.Stdin}, {out: w.Stdout}, {out: w.Stderr}}}
	for _, d := range w.Dirs {
		root, err := os.OpenRoot(d.Host)
		if err != nil {
			s.Close()
			return nil, err
		}
		s.fds = append(s.fds, &descriptor{root: root, preopen: d.Guest, isPreopen: true, base: root, rel: "."})
	}
	return s, nil
}

// Close closes every file and directory. Standard input and output stay open.
func (s *System) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for i, d := range s.fds {
		if d != nil {
			errs = append(errs, d.close())
			s.fds[i] = nil
		}
	}
	return errors.Join(errs...)
}

// call is a call of a WASI function: its arguments and the caller's memory.
type call struct {
	*vm.Call
	mem []byte
	old bool // of snapshot 0
}

// bytes returns n bytes of memory at an address, to work on.
func (c *call) bytes(at, n uint32) ([]byte, error) {
	if uint64(at)+uint64(n) > uint64(len(c.mem)) {
		return nil, errFault
	}
	if err := c.Work(uint64(n)); err != nil {
		return nil, err
	}
	return c.mem[at : uint64(at)+uint64(n)], nil
}

// path returns the string in two arguments, address and length, from argument i on.
func (c *call) path(i int) (string, error) {
	b, err := c.bytes(c.U32(i), c.U32(i+1))
	if err != nil {
		return "", err
	}
	if !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
		return "", errIlseq
	}
	return string(b), nil
}

func (c *call) putU32(at, x uint32) error {
	b, err := c.bytes(at, 4)
	if err == nil {
		binary.LittleEndian.PutUint32(b, x)
	}
	return err
}

func (c *call) putU64(at uint32, x uint64) error {
	b, err := c.bytes(at, 8)
	if err == nil {
		binary.LittleEndian.PutUint64(b, x)
	}
	return err
}

// buffers returns the slices of an array of (address, length) pairs: argument i is its address,
// argument i+1 its length.
func (c *call) buffers(i int) ([][]byte, error) {
	at, n := c.U32(i), c.U32(i+1)
	if uint64(n)*8 > uint64(len(c.mem)) {
		return nil, errFault
	}
	table, err := c.bytes(at, n*8)
	if err != nil {
		return nil, err
	}
	out := make([][]byte, n)
	for k := range out {
		p := table[8*k:]
		if out[k], err = c.bytes(binary.LittleEndian.Uint32(p), binary.LittleEndian.Uint32(p[4:])); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// function is a function of the module: its parameters as letters (see types) and what it does. An
// error that is a *vm.Exit or *vm.Trap ends the program; any other is its result as a number.
type function struct {
	params string
	do     func(*System, *call) error
}

// functions are all functions of preview 1.
var functions = map[string]function{
	"args_get":                {"ii", func(s *System, c *call) error { return putStrings(c, s.conf.Args) }},
	"args_sizes_get":          {"ii", func(s *System, c *call) error { return putSizes(c, s.conf.Args) }},
	"environ_get":             {"ii", func(s *System, c *call) error { return putStrings(c, s.conf.Env) }},
	"environ_sizes_get":       {"ii", func(s *System, c *call) error { return putSizes(c, s.conf.Env) }},
	"clock_res_get":           {"ii", clockRes},
	"clock_time_get":          {"iIi", clockTime},
	"random_get":              {"ii", random},
	"sched_yield":             {"", func(*System, *call) error { return nil }},
	"poll_oneoff":             {"iiii", pollOneoff},
	"proc_raise":              {"i", func(*System, *call) error { return errNotsup }},
	"fd_advise":               {"iIIi", fdAdvise},
	"fd_allocate":             {"iII", fdAllocate},
	"fd_close":                {"i", fdClose},
	"fd_datasync":             {"i", fdSync},
	"fd_fdstat_get":           {"ii", fdStatGet},
	"fd_fdstat_set_flags":     {"ii", fdStatSetFlags},
	"fd_fdstat_set_rights":    {"iII", fdStatSetRights},
	"fd_filestat_get":         {"ii", fdFilestatGet},
	"fd_filestat_set_size":    {"iI", fdFilestatSetSize},
	"fd_filestat_set_times":   {"iIIi", fdFilestatSetTimes},
	"fd_pread":                {"iiiIi", fdPread},
	"fd_prestat_get":          {"ii", fdPrestatGet},
	"fd_prestat_dir_name":     {"iii", fdPrestatDirName},
	"fd_pwrite":               {"iiiIi", fdPwrite},
	"fd_read":                 {"iiii", fdRead},
	"fd_readdir":              {"iiiIi", fdReaddir},
	"fd_renumber":             {"ii", fdRenumber},
	"fd_seek":                 {"iIii", fdSeek},
	"fd_sync":                 {"i", fdSync},
	"fd_tell":                 {"ii", fdTell},
	"fd_write":                {"iiii", fdWrite},
	"path_create_directory":   {"iii", pathCreateDirectory},
	"path_filestat_get":       {"iiiii", pathFilestatGet},
	"path_filestat_set_times": {"iiiiIIi", pathFilestatSetTimes},
	"path_link":               {"iiiiiii", pathLink},
	"path_open":               {"iiiiiIIii", pathOpen},
	"path_readlink":           {"iiiiii", pathReadlink},
	"path_remove_directory":   {"iii", pathRemoveDirectory},
	"path_rename":             {"iiiiii", pathRename},
	"path_symlink":            {"iiiii", pathSymlink},
	"path_unlink_file":        {"iii", pathUnlinkFile},
	"sock_accept":             {"iii", notSocket},
	"sock_recv":               {"iiiiii", notSocket},
	"sock_send":               {"iiiii", notSocket},
	"sock_shutdown":           {"ii", notSocket},
}

// Module makes the module wasi_snapshot_preview1 for a machine. A pointer out of the bounds of the
// caller's memory results in the error number EFAULT, and nothing is written.
func (s *System) Module(m *vm.Machine) Module { return s.module(m, false) }

// Unstable makes the module wasi_unstable, which is snapshot 0 of WASI: as preview 1, but the order
// of fd_seek's starting points and the layout of filestats and subscriptions differ, and there is no
// sock_accept.
func (s *System) Unstable(m *vm.Machine) Module {
	mod := s.module(m, true)
	delete(mod, "sock_accept")
	return mod
}

func (s *System) module(m *vm.Machine, old bool) Module {
	mod := Module{
		"proc_exit": m.NewFunc("proc_exit", types("i"), nil,
			func(c *vm.Call) error { return &vm.Exit{Code: c.U32(0)} }),
	}
	for name, f := range functions {
		mod[name] = m.NewFunc(name, types(f.params), types("i"), func(c *vm.Call) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			wc := &call{Call: c, old: old}
			if mem := c.Memory(); mem != nil {
				wc.mem = mem.Bytes()
			}
			err := s.permitted(name, wc)
			if err == nil {
				err = f.do(s, wc)
			}
			var exit *vm.Exit
			var trap *vm.Trap
			switch {
			case err == nil:
				c.ReturnI32(0, 0)
			case errors.As(err, &exit), errors.As(err, &trap):
				return err
			default:
				c.ReturnI32(0, int32(errnoOf(err)))
			}
			return nil
		})
	}
	return mod
}

// putStrings writes the addresses of strings and the strings, each with a zero byte at its end.
func putStrings(c *call, ss []string) error {
	at, to := c.U32(0), c.U32(1)
	for _, s := range ss {
		b, err := c.bytes(to, uint32(len(s)+1))
		if err != nil {
			return err
		}
		if err := c.putU32(at, to); err != nil {
			return err
		}
		copy(b, s)
		b[len(s)] = 0
		at, to = at+4, to+uint32(len(b))
	}
	return nil
}

// putSizes writes how many strings there are, and how many bytes they take with their zero bytes.
func putSizes(c *call, ss []string) error {
	n := 0
	for _, s := range ss {
		n += len(s) + 1
	}
	if err := c.putU32(c.U32(0), uint32(len(ss))); err != nil {
		return err
	}
	return c.putU32(c.U32(1), uint32(n))
}
