package load

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"stackscope/analysis/debuginfo"
	"stackscope/analysis/debuginfo/dwarf"
)

// dwarf opens the DWARF of the module, or of the separate file that has it; nil: there is none.
func (op *opener) dwarf() debuginfo.Reader {
	ss, _ := sections(op.data)
	text, ok := code(ss)
	if !ok {
		return nil
	}
	in := dwarf.Input{
		Module: op.m, Code: uint64(text.at), Sections: custom(ss), Object: op.object, Warn: op.info.Warn,
	}
	if len(in.Sections[".debug_info"]) == 0 {
		separate := op.separate(ss, text)
		if separate == nil {
			return nil
		}
		in.Sections = separate
	}
	for name, b := range op.split() {
		if in.Sections[name] == nil {
			in.Sections[name] = b
		}
	}
	r, err := dwarf.Open(in)
	if errors.Is(err, dwarf.ErrNone) {
		return nil
	}
	if err != nil {
		op.warn("the DWARF of the module cannot be used: %v; places are those of the WebAssembly text", err)
		return nil
	}
	return r
}

// stem returns the name of the module's file without `.wasm`, and whether it has one.
func (op *opener) stem() (string, bool) {
	if op.o.Path == "" || op.o.Read == nil {
		return "", false
	}
	base := filepath.Base(op.o.Path)
	return strings.TrimSuffix(base, filepath.Ext(base)), true
}

// separate returns the sections of the file that has the DWARF of a module without: the one that it
// names, else one beside it. The code of that file has to be that of the module.
func (op *opener) separate(ss []section, text section) map[string][]byte {
	target, named := op.named(sectionDebug)
	var b []byte
	var err error
	if named {
		b, _, err = op.beside(target, MaxDebugFile)
	} else if stem, ok := op.stem(); ok {
		for _, target = range []string{stem + ".debug.wasm", path.Base(filepath.ToSlash(op.o.Path)) + ".debug.wasm"} {
			if b, err = op.read(target, MaxDebugFile); err == nil || !errors.Is(err, fs.ErrNotExist) {
				break
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	} else {
		return nil
	}
	if errors.Is(err, errNotRead) {
		return nil // nobody wants it: the module is not in a file
	}
	if err != nil {
		op.warn("the file with debugging information %.200s cannot be read: %v; "+
			"places are those of the WebAssembly text", target, err)
		return nil
	}
	other, ok := sections(b)
	if !ok {
		op.warn("the file with debugging information %.200s is not a module, or it is cut off; "+
			"places are those of the WebAssembly text", target)
		return nil
	}
	mine, its := buildID(ss), buildID(other)
	theirs, has := code(other)
	switch {
	case mine != nil && its != nil && !bytes.Equal(mine, its),
		(mine == nil || its == nil) && has && !bytes.Equal(theirs.body, text.body):
		op.warn("the file with debugging information %.200s is of another build of the module; "+
			"places are those of the WebAssembly text", target)
		return nil
	}
	return custom(other)
}

// split returns the sections of the package of split units beside the module; nil: there is none.
func (op *opener) split() map[string][]byte {
	stem, ok := op.stem()
	if !ok {
		return nil
	}
	for _, target := range []string{stem + ".dwp", path.Base(filepath.ToSlash(op.o.Path)) + ".dwp"} {
		b, err := op.read(target, MaxDebugFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var out map[string][]byte
		if err == nil {
			out, err = object(b)
		}
		if err != nil {
			op.warn("the file with debugging information %.200s cannot be used: %v", target, err)
			return nil
		}
		return out
	}
	return nil
}

// object returns the sections of the object file with split units that a module names, with the
// directory that it was compiled in; nil: it is not there.
func (op *opener) object(name, dir string) map[string][]byte {
	if op.o.Read == nil || op.o.Path == "" {
		return nil
	}
	name, dir = filepath.ToSlash(name), filepath.ToSlash(dir)
	for _, p := range []string{path.Join(dir, name), name, path.Base(name)} {
		b, err := op.read(p, MaxDebugFile)
		if err != nil {
			continue
		}
		if out, err := object(b); err == nil {
			return out
		}
	}
	return nil
}
