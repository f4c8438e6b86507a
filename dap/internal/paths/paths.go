// Package paths finds the files of source that a client names by their paths on this machine among
// those that the debugging information of a program names by the paths that compilers recorded.
package paths

import (
	"crypto/md5"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"stackscope/analysis/debuginfo/sources"
)

// Canonical makes paths of the same file equal.
func Canonical(p string) string {
	if abs, err := filepath.Abs(p); err == nil {
		p = abs
	}
	if real, err := filepath.EvalSymlinks(p); err == nil {
		p = real
	}
	if runtime.GOOS == "windows" {
		p = strings.ToLower(p)
	}
	return p
}

// File is a file of source that debugging information names.
type File struct {
	Recorded string // the path that the compiler recorded
	Here     string // the path at which it was found, or looked for
	MD5      []byte // of the contents that were compiled; nil: not recorded
	Rules    []sources.Rule
}

// Index is the files of a program, by number from 0. It may be used by many goroutines.
type Index struct {
	mu      sync.Mutex
	files   []File
	byBase  map[string][]int // by the last element of the path, in lower case
	clients map[int]string   // the path under which a client has a file that is not found
}

// New returns an index without files.
func New() *Index { return &Index{byBase: map[string][]int{}, clients: map[int]string{}} }

// Add makes a file known, and returns its number.
func (ix *Index) Add(f File) int {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	n := len(ix.files)
	ix.files = append(ix.files, f)
	bases := []string{base(f.Recorded)}
	if b := base(f.Here); b != bases[0] {
		bases = append(bases, b)
	}
	for _, b := range bases {
		ix.byBase[b] = append(ix.byBase[b], n)
	}
	return n
}

// Client returns the path under which a client has a file that is not found here, "" if it has named
// none.
func (ix *Index) Client(n int) string {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.clients[n]
}

// base returns the last element of a path, in lower case.
func base(p string) string { return strings.ToLower(path.Base(slashed(p))) }

// AmbiguousError is the error of a path whose file could be one of several that are known.
type AmbiguousError struct {
	Name  string
	Paths []string // as they were recorded
}

// Error names the files.
func (e *AmbiguousError) Error() string {
	list := e.Paths
	more := ""
	if len(list) > 3 {
		more, list = fmt.Sprintf(" and %d more", len(list)-3), list[:3]
	}
	return fmt.Sprintf(
		`several sources are called %s (%s%s): set "sourceMap" to say which one this is`, e.Name,
		strings.Join(list, ", "), more,
	)
}

// OtherError is the error of a path that ends like that of a source which is another file.
type OtherError struct {
	Name, Path string
	Built      bool // the contents were recorded, and differ
}

// Error names the file.
func (e *OtherError) Error() string {
	if e.Built {
		return fmt.Sprintf("this is not the %s that the program was compiled from (%s)", e.Name, e.Path)
	}
	return fmt.Sprintf("the %s of the program is another file: %s", e.Name, e.Path)
}

// Find returns the file that a path of a client names: the one that is found there, else the one
// whose recorded path it is, or that a rule makes into it. If there is none, a file counts whose path
// ends in the same elements, as far as only one does, it is not found elsewhere, and its contents are
// not known to be others; the client's path is remembered for it if there is a file.
// Without a match ok is false; the error describes a file that is nearly right.
func (ix *Index) Find(p string) (n int, ok bool, err error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	real := Canonical(p)
	want := slices.Clone(ix.byBase[base(p)])
	for _, i := range ix.byBase[base(real)] {
		if !slices.Contains(want, i) {
			want = append(want, i)
		}
	}
	info, statErr := os.Stat(p)
	for _, is := range []func(i int, f *File) bool{
		func(i int, f *File) bool {
			at, ok := ix.found(i)
			if !ok {
				return false
			}
			other, err := os.Stat(at)
			return Canonical(at) == real || err == nil && statErr == nil && os.SameFile(info, other)
		},
		func(_ int, f *File) bool { return same(slashed(f.Recorded), slashed(p)) },
		func(_ int, f *File) bool {
			return slices.ContainsFunc(f.Rules, func(r sources.Rule) bool {
				return same(reversed(r, p), slashed(f.Recorded)) || same(reversed(r, real), slashed(f.Recorded))
			})
		},
	} {
		for _, i := range want {
			if is(i, &ix.files[i]) {
				return i, true, nil
			}
		}
	}
	return ix.near(p, want)
}

// found returns where a file is on this machine, ok is false if it is not there.
func (ix *Index) found(i int) (at string, ok bool) {
	if c := ix.clients[i]; c != "" {
		return c, true
	}
	info, err := os.Stat(ix.files[i].Here)
	return ix.files[i].Here, err == nil && info.Mode().IsRegular()
}

// near is Find for a file that is none of those that are known by their paths.
func (ix *Index) near(p string, want []int) (n int, ok bool, err error) {
	name := path.Base(slashed(p))
	var best []int
	least := 0
	for _, i := range want {
		switch n := common(slashed(p), slashed(ix.files[i].Recorded)); {
		case n > least:
			best, least = []int{i}, n
		case n == least && n > 0:
			best = append(best, i)
		}
	}
	if len(best) == 0 {
		return 0, false, nil
	}
	var sum []byte // of the client's file, if it can be compared
	if slices.ContainsFunc(best, func(i int) bool { return ix.files[i].MD5 != nil }) {
		sum = checksum(p)
	}
	if len(best) > 1 {
		var paths []string
		for _, i := range best {
			paths = append(paths, ix.files[i].Recorded)
		}
		if sum != nil { // the contents tell them apart
			best = slices.DeleteFunc(best, func(i int) bool { return !slices.Equal(ix.files[i].MD5, sum) })
		}
		if len(best) != 1 {
			return 0, false, &AmbiguousError{name, paths}
		}
	}
	f := &ix.files[best[0]]
	compared := sum != nil && f.MD5 != nil
	if compared && !slices.Equal(sum, f.MD5) {
		return 0, false, &OtherError{name, f.Recorded, true}
	}
	if at, ok := ix.found(best[0]); ok && !compared && !slices.Equal(checksum(at), checksum(p)) {
		return 0, false, &OtherError{name, at, false}
	}
	if _, ok := ix.found(best[0]); !ok {
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
			ix.clients[best[0]] = p
		}
	}
	return best[0], true, nil
}

// common returns how many elements at the end two paths have in common.
func common(a, b string) (n int) {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	for n < len(x) && n < len(y) && strings.EqualFold(x[len(x)-1-n], y[len(y)-1-n]) {
		n++
	}
	return n
}

// reversed returns what a rule would have made a path from, "" if it is none.
func reversed(r sources.Rule, p string) string {
	p = slashed(p)
	to := slashed(r.To)
	if abs, err := filepath.Abs(r.To); err == nil && r.To != "" {
		to = slashed(abs)
	}
	if same(to, p) {
		return slashed(r.From)
	}
	if !strings.HasSuffix(to, "/") {
		to += "/"
	}
	if len(p) <= len(to) || !same(p[:len(to)], to) {
		return ""
	}
	return strings.TrimSuffix(slashed(r.From), "/") + "/" + p[len(to):]
}

// slashed returns a path with slashes, cleaned.
func slashed(p string) string {
	if runtime.GOOS == "windows" || len(p) > 1 && p[1] == ':' { // recorded on Windows, maybe
		p = strings.ReplaceAll(p, `\`, "/")
	}
	return path.Clean(p)
}

// same reports whether two paths are equal here.
func same(a, b string) bool {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.EqualFold(a, b)
	}
	return a == b
}

// maxSource bounds the files that are compared.
const maxSource = 64 << 20

// checksum returns the MD5 of a file, nil if it cannot be read.
func checksum(p string) []byte {
	info, err := os.Stat(p)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
		return nil
	}
	f, err := os.Open(p)
	if err != nil {
		return nil
	}
	defer f.Close()
	h := md5.New()
	if _, err := io.Copy(h, io.LimitReader(f, maxSource)); err != nil {
		return nil
	}
	return h.Sum(nil)
}
