package debuginfo

import (
	"slices"
	"sync"
)

// Reader reads information of one format. Its methods may be called from many goroutines.
type Reader interface {
	// Format names the format for people: "DWARF 5", "source map", "names".
	Format() string
	// Files lists the files of source that are known, in no order.
	Files() []*File
	// Func returns what is known of a function; nil: nothing.
	Func(fn uint32) *Func
	// Lines returns the rows with code of a file, ascending by line: those of inlined copies and of
	// instances of templates included.
	Lines(f *File) []Location
	// Globals returns the variables outside of functions that the source of a function sees, those of
	// its own file first.
	Globals(fn uint32) []*Variable
	// Type returns the type of a name as the source writes it; nil: there is none.
	Type(name string) *Type
}

// Info is the debugging information of a module. A nil Info has none.
type Info struct {
	readers []Reader

	mu       sync.Mutex
	warnings []string
}

// New returns the information that some readers have. Of several that know a function, the first
// counts.
func New(readers ...Reader) *Info { return &Info{readers: readers} }

// Add adds a reader, which counts after those that are there. It must not be called while another
// goroutine uses the information.
func (in *Info) Add(r Reader) { in.readers = append(in.readers, r) }

// maxWarnings is how many warnings are kept.
const maxWarnings = 20

// Warn records a problem, for people: once, whatever the number of times.
func (in *Info) Warn(text string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.warnings) < maxWarnings && !slices.Contains(in.warnings, text) {
		in.warnings = append(in.warnings, text)
	}
}

// Warnings returns the problems that were found so far. It grows as the information is read.
func (in *Info) Warnings() []string {
	if in == nil {
		return nil
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	return slices.Clone(in.warnings)
}

// Formats names the formats of the information.
func (in *Info) Formats() (out []string) {
	if in == nil {
		return nil
	}
	for _, r := range in.readers {
		out = append(out, r.Format())
	}
	return out
}

// Files lists the files of source.
func (in *Info) Files() (out []*File) {
	if in == nil {
		return nil
	}
	for _, r := range in.readers {
		out = append(out, r.Files()...)
	}
	return out
}

// Func returns what is known of a function; nil: nothing.
func (in *Info) Func(fn uint32) *Func {
	if in == nil {
		return nil
	}
	for _, r := range in.readers {
		if f := r.Func(fn); f != nil {
			return f
		}
	}
	return nil
}

// Lines returns the rows with code of a file, ascending by line.
func (in *Info) Lines(f *File) []Location {
	if in == nil {
		return nil
	}
	for _, r := range in.readers {
		if ls := r.Lines(f); len(ls) > 0 {
			return ls
		}
	}
	return nil
}

// Globals returns the variables outside of functions that the source of a function sees.
func (in *Info) Globals(fn uint32) []*Variable {
	if in == nil {
		return nil
	}
	for _, r := range in.readers {
		if r.Func(fn) != nil {
			return r.Globals(fn)
		}
	}
	return nil
}

// Type returns the type of a name; nil: there is none.
func (in *Info) Type(name string) *Type {
	if in == nil {
		return nil
	}
	for _, r := range in.readers {
		if t := r.Type(name); t != nil {
			return t
		}
	}
	return nil
}
