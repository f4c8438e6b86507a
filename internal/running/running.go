package running

import (
	"cmp"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Program is a program that accepts debuggers.
type Program struct {
	PID     int       `json:"pid"`
	Address string    `json:"address"` // loopback, host:port
	Program string    `json:"program"` // absolute path
	Args    []string  `json:"args,omitempty"`
	Started time.Time `json:"started"`
}

// maxFile is the largest file of a program in bytes; maxPrograms is how many are listed.
const (
	maxFile     = 64 << 10
	maxPrograms = 1000
)

// Dir returns the directory of the list: $STACKSCOPE_RUN, else stackscope in $XDG_RUNTIME_DIR, else
// stackscope/run in the user's cache directory.
func Dir() (string, error) {
	if d := os.Getenv("STACKSCOPE_RUN"); d != "" {
		return d, nil
	}
	if d := os.Getenv("XDG_RUNTIME_DIR"); d != "" && filepath.IsAbs(d) {
		return filepath.Join(d, "stackscope"), nil
	}
	d, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(d, "stackscope", "run"), nil
}

// Add adds a program to the list; remove removes it.
func Add(p Program) (remove func(), err error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	b, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, "new-*") // with mode 0600
	if err != nil {
		return nil, err
	}
	_, err = f.Write(b)
	if e := f.Close(); err == nil {
		err = e
	}
	name := filepath.Join(dir, strconv.Itoa(p.PID)+".json")
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return nil, err
	}
	return func() { _ = os.Remove(name) }, nil
}

// List returns the programs that run, the latest first. Files of programs that ended without
// removing them are removed; other files are kept.
func List() ([]Program, error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	es, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Program
	for _, e := range es {
		pid, err := strconv.Atoi(strings.TrimSuffix(e.Name(), ".json"))
		if err != nil || !strings.HasSuffix(e.Name(), ".json") || !e.Type().IsRegular() || len(out) == maxPrograms {
			continue
		}
		name := filepath.Join(dir, e.Name())
		info, err := e.Info()
		if err != nil || info.Size() > maxFile || runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
			continue // others could have written it
		}
		b, err := os.ReadFile(name)
		var p Program
		if err != nil || json.Unmarshal(b, &p) != nil || p.PID != pid || !loopback(p.Address) {
			continue
		}
		if !alive(pid) {
			_ = os.Remove(name)
			continue
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Program) int {
		return cmp.Or(b.Started.Compare(a.Started), b.PID-a.PID)
	})
	return out, nil
}

// loopback reports whether an address is a port of this machine.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && ip != nil && ip.IsLoopback()
}
