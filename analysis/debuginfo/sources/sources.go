// Package sources finds the files that debugging information names on this machine.
//
// A compiler records the paths of the machine that it ran on: absolute ones, relative ones, those of
// Windows. Rules replace how they begin. Then a file is looked for at the path, in the directories
// of the Finder, in the directories around the first of them, and at last by the end of its path.
package sources

import (
	"context"
	"crypto/md5"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"stackscope/analysis/debuginfo"
	"stackscope/internal/files"
)

// MaxSize is the size in bytes of the largest source that is read.
const MaxSize = 32 << 20

// Rule replaces the start of a path that was recorded, From, by To.
type Rule struct{ From, To string }

// Finder finds files. It may be used by many goroutines, and must not change then.
type Finder struct {
	// Rules are tried first, in order; the first whose From matches whole elements of the path counts.
	// Slashes of both kinds match.
	Rules []Rule
	// Dirs are directories that relative paths, and the last elements of those that do not exist
	// here, are looked for in: the directory of the module first.
	Dirs []string
	// Built is when the module was made; zero: not known.
	Built time.Time

	paths *sync.Map // by *debuginfo.File: string, "" of one that is not there; nil: not remembered
}

// Found is the text of a file.
type Found struct {
	Path    string // on this machine; "": the text comes with the information
	Text    string
	Changed bool   // it is not what was compiled, or probably not
	Note    string // why, for people; "" if it has not changed
}

// For returns a Finder with the same rules for a module, by its path ("": none) and the time at
// which it was made. The directory of the module comes before the Dirs.
func (fd *Finder) For(module string, built time.Time) *Finder {
	x := &Finder{Rules: fd.Rules, Built: built, paths: &sync.Map{}}
	if module != "" {
		dir := filepath.Dir(module)
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
		x.Dirs = append(x.Dirs, dir)
	}
	x.Dirs = append(x.Dirs, fd.Dirs...)
	return x
}

// Path returns where a file is on this machine; ok is false if it is not there.
func (fd *Finder) Path(f *debuginfo.File) (p string, ok bool) {
	if fd.paths == nil {
		p = fd.find(f)
		return p, p != ""
	}
	if got, ok := fd.paths.Load(f); ok {
		p = got.(string)
		return p, p != ""
	}
	p = fd.find(f)
	fd.paths.Store(f, p)
	return p, p != ""
}

// find looks for a file; "": it is not there.
func (fd *Finder) find(f *debuginfo.File) string {
	recorded := Slashes(f.Path)
	if recorded == "" || recorded == "." {
		return ""
	}
	p, ok := fd.Apply(recorded)
	if !ok && !Absolute(recorded) && len(fd.Dirs) > 0 { // a rule may be about where the module was built
		p, ok = fd.Apply(path.Join(filepath.ToSlash(fd.Dirs[0]), recorded))
	}
	if ok {
		if !Absolute(p) && len(fd.Dirs) > 0 {
			p = path.Join(filepath.ToSlash(fd.Dirs[0]), p)
		}
		if p = filepath.FromSlash(p); isFile(p) {
			return p
		}
	}
	if strings.Contains(recorded, "://") { // of a URL: what stands after the host
		_, rest, _ := strings.Cut(recorded, "://")
		_, recorded, _ = strings.Cut(rest, "/")
		recorded = path.Clean("/" + recorded)[1:]
	} else if Absolute(recorded) {
		if p := filepath.FromSlash(recorded); filepath.IsAbs(p) && isFile(p) {
			return p
		}
	} else {
		for _, d := range fd.Dirs {
			if p := filepath.Join(d, filepath.FromSlash(recorded)); isFile(p) {
				return p
			}
		}
		if len(fd.Dirs) > 0 { // relative to where the compiler was called
			for d, i := filepath.Dir(fd.Dirs[0]), 0; i < maxUp; d, i = filepath.Dir(d), i+1 {
				if p := filepath.Join(d, filepath.FromSlash(recorded)); fits(f, p) {
					return p
				}
			}
		}
	}
	return fd.byEnd(f, recorded)
}

// maxUp is how many directories around that of the module are looked in, and how many elements of a
// path are left off.
const (
	maxUp   = 4
	maxEnds = 64
)

// byEnd looks for the last elements of a path in the directories, most elements first.
func (fd *Finder) byEnd(f *debuginfo.File, recorded string) string {
	if library(recorded) {
		return ""
	}
	var parts []string
	for _, e := range strings.Split(recorded, "/") {
		if e != "" && e != "." && e != ".." && !strings.HasSuffix(e, ":") {
			parts = append(parts, e)
		}
	}
	parts = parts[max(0, len(parts)-maxEnds):]
	for i := range parts {
		for _, d := range fd.Dirs {
			if p := filepath.Join(append([]string{d}, parts[i:]...)...); fits(f, p) {
				return p
			}
		}
	}
	return ""
}

// library reports whether a path is one in the library of a compiler, whose files have names such
// as `mod.rs` that a program has too.
func library(p string) bool {
	return strings.HasPrefix(p, "/rustc/") || strings.HasPrefix(p, "~lib/") || strings.Contains(p, "/.cargo/registry/")
}

// fits reports whether a file is there and, if its checksum was recorded, is the one.
func fits(f *debuginfo.File, p string) bool {
	if !isFile(p) {
		return false
	}
	if len(f.MD5) != md5.Size {
		return true
	}
	b, err := files.Read(context.Background(), p, MaxSize)
	return err == nil && md5.Sum(b) == [md5.Size]byte(f.MD5)
}

func isFile(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.Mode().IsRegular()
}

// Apply applies the rules to a path; ok is false if none matches.
func (fd *Finder) Apply(p string) (out string, ok bool) {
	p = Slashes(p)
	for _, r := range fd.Rules {
		if rest, ok := within(p, Slashes(r.From)); ok {
			to := Slashes(r.To)
			if rest == "" {
				return to, true
			}
			return strings.TrimSuffix(to, "/") + "/" + rest, true
		}
	}
	return "", false
}

// within returns what follows the whole elements of a path that another one is. The case of letters
// does not matter to a path of Windows.
func within(p, from string) (rest string, ok bool) {
	from = strings.TrimSuffix(from, "/")
	if len(p) < len(from) {
		return "", false
	}
	head, rest := p[:len(from)], p[len(from):]
	if head != from && !(drive(p) && strings.EqualFold(head, from)) {
		return "", false
	}
	if rest != "" && rest[0] != '/' && from != "" {
		return "", false
	}
	return strings.TrimPrefix(rest, "/"), from != "" || strings.HasPrefix(p, "/")
}

// Slashes returns a path with slashes; the backslashes of a path of Windows become such.
func Slashes(p string) string {
	if strings.Contains(p, `\`) && (drive(p) || strings.HasPrefix(p, `\\`) || !strings.HasPrefix(p, "/")) {
		p = strings.ReplaceAll(p, `\`, "/")
	}
	return p
}

// Absolute reports whether a path with slashes is absolute, on any system.
func Absolute(p string) bool { return strings.HasPrefix(p, "/") || drive(p) }

func drive(p string) bool {
	return len(p) >= 2 && p[1] == ':' && (p[0]|0x20 >= 'a' && p[0]|0x20 <= 'z')
}

// Find returns the text of a file: that on this machine, else the one that comes with the
// information. The error is for people.
func (fd *Finder) Find(f *debuginfo.File) (Found, error) {
	if p, ok := fd.Path(f); ok {
		b, err := files.Read(context.Background(), p, MaxSize)
		if err == nil {
			out := Found{Path: p, Text: string(b)}
			out.Note = fd.changed(f, p, b)
			out.Changed = out.Note != ""
			return out, nil
		}
		if f.Text == nil {
			return Found{}, err
		}
	}
	if f.Text != nil {
		text, err := f.Text()
		if err != nil {
			return Found{}, fmt.Errorf("the text of %s that comes with the module cannot be read: %w", f.Path, err)
		}
		return Found{Text: text}, nil
	}
	return Found{}, &NotFound{f.Path}
}

// NotFound is the error of a file that is not on this machine.
type NotFound struct{ Path string }

// Error returns the path, and how to say where the file is.
func (e *NotFound) Error() string {
	return e.Path + ": the source is not on this machine at this path; a rule of \"sourceMap\" says where it is"
}

// Is reports that a NotFound is an fs.ErrNotExist.
func (e *NotFound) Is(target error) bool { return target == fs.ErrNotExist }

// together is how far apart the times of files may be that were written by one checkout or copy.
const together = time.Minute

// unix returns a text with line ends of one byte.
func unix(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// changed returns why a file is not what was compiled, or probably not; "" if it is.
func (fd *Finder) changed(f *debuginfo.File, p string, b []byte) string {
	if len(f.MD5) == md5.Size {
		if md5.Sum(b) != [md5.Size]byte(f.MD5) {
			return p + " is not the file that was compiled: its checksum is another one"
		}
		return ""
	}
	if f.Text != nil {
		if text, err := f.Text(); err == nil {
			if unix(text) != unix(string(b)) {
				return p + " is not the file that was compiled: it differs from the text that comes with the module"
			}
			return ""
		}
	}
	if info, err := os.Stat(p); err == nil && !fd.Built.IsZero() && info.ModTime().After(fd.Built.Add(together)) {
		return p + " is newer than the module: lines may not be those that were compiled"
	}
	return ""
}
