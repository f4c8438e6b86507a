package js

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"stackscope/wasm"
)

// Options are the surroundings of a host.
type Options struct {
	Glue string // the path of the JavaScript that the compiler has emitted
	Path string // the path of the program's module
	Data []byte // the bytes of the program's module, which the glue fetches
	// Modules are files of JavaScript by the module of imports that each is: what it exports is what
	// the program imports, unless the glue offers that.
	Modules map[string]string
	// Read reads a file; nil: os.ReadFile. JavaScript reads modules in its own directory, and nothing
	// else.
	Read           func(path string) ([]byte, error)
	Stdout, Stderr io.Writer
	// Compile reads another module than the program's; nil: it is refused.
	Compile func(data []byte) (*wasm.Module, error)
	Memory  uint64 // bytes that JavaScript may use; 0: 1 GiB
	// Start is the time of Date when the virtual clock is at 0; the zero Time: that of the Unix epoch
	// 1,000,000,000 seconds later. A tick of the event loop is a millisecond.
	Start time.Time
	Seed  uint64 // of Math.random
}

func (o Options) defaults() Options {
	if o.Read == nil {
		o.Read = os.ReadFile
	}
	if o.Stdout == nil {
		o.Stdout = io.Discard
	}
	if o.Stderr == nil {
		o.Stderr = io.Discard
	}
	if o.Memory == 0 {
		o.Memory = 1 << 30
	}
	if o.Start.IsZero() {
		o.Start = time.Unix(1e9, 0)
	}
	return o
}

// root is the start of the paths of what is in the directory of one of Modules.
const root = "/@"

// dir returns the directory that the paths of a module are in, and the rest of its path.
func (o *Options) dir(name string) (dir, rest string) {
	if after, ok := strings.CutPrefix(name, root); ok {
		module, rest, _ := strings.Cut(after, "/")
		return filepath.Dir(o.Modules[module]), rest
	}
	return filepath.Dir(o.Glue), strings.TrimPrefix(name, "/")
}

// file returns the path of a module of JavaScript on this machine, and the one that JavaScript sees:
// that in its directory.
func (o *Options) file(base, name string) (path, shown string, err error) {
	shown, err = o.resolve(base, name)
	if err != nil {
		return "", "", err
	}
	dir, rest := o.dir(shown)
	if !filepath.IsLocal(filepath.FromSlash(rest)) {
		return "", "", fmt.Errorf("the module %q is not in the directory of the JavaScript that imports it", name)
	}
	return filepath.Join(dir, filepath.FromSlash(rest)), shown, nil
}

func (o *Options) resolve(base, name string) (string, error) {
	name = strings.TrimPrefix(name, "file://")
	switch {
	case strings.HasPrefix(name, "/"):
		name = path.Clean(name)
	case strings.HasPrefix(name, "./"), strings.HasPrefix(name, "../"):
		name = path.Join(path.Dir(base), name)
		r := strings.SplitAfterN(base, "/", 3)
		if strings.HasPrefix(base, root) && !strings.HasPrefix(name, r[0]+r[1]) {
			return "", fmt.Errorf("the module %q is not in the directory of the JavaScript that imports it", name)
		}
	default:
		return "", fmt.Errorf(
			"there is no module %q: a host without files and network has those in the directory of the glue only",
			name,
		)
	}
	return name, nil
}

// errNoFile is the error of fetching anything but the program's module.
var errNoFile = errors.New("a host without files and network has the program's module only")

// Find returns the path of the glue that a compiler has emitted beside a module, "" if there is
// none: NAME.mjs or NAME.js that load it, else NAME.import-object.mjs. Of wasm-bindgen's NAME_bg.wasm
// it is NAME.js.
func Find(module string) string {
	base := strings.TrimSuffix(module, filepath.Ext(module))
	names := []string{base + ".mjs", base + ".js", base + ".import-object.mjs"}
	if b, ok := strings.CutSuffix(base, "_bg"); ok {
		names = append([]string{b + ".js", b + ".mjs"}, names...)
	}
	for _, name := range names {
		b, err := readHead(name)
		if err == nil && (strings.HasSuffix(name, ".mjs") || isModule(b)) {
			return name
		}
	}
	return ""
}

// readHead reads a file of JavaScript, at most 16 MiB of it.
func readHead(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("no regular file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 16<<20))
}

// isModule reports whether a script has import or export declarations.
func isModule(b []byte) bool {
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		for _, w := range []string{"export ", "export{", "export*", "import ", "import{", "import*"} {
			if strings.HasPrefix(line, w) {
				return true
			}
		}
	}
	return false
}
