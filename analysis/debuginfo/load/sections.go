package load

import (
	"bytes"
	"debug/elf"
	"errors"

	"stackscope/wasm"
	"stackscope/wasm/binary"
)

// section is a section of a binary module: its contents, for a custom section without its name.
type section struct {
	id   uint8
	name string // of a custom section
	at   int    // offset of the contents in the file
	body []byte
}

// maxSections bounds the sections of a file.
const maxSections = 100_000

// sections lists the sections of a binary module without reading what is in them. ok is false if
// the module is cut off, or no module; the sections before are listed.
func sections(b []byte) (out []section, ok bool) {
	if !binary.IsBinary(b) {
		return nil, false
	}
	for pos := 8; pos < len(b) && len(out) < maxSections; {
		id := b[pos]
		size, n := uleb(b[pos+1:])
		pos += 1 + n
		if n == 0 || size > uint64(len(b)-pos) {
			return out, false
		}
		s := section{id: id, at: pos, body: b[pos : pos+int(size)]}
		pos += int(size)
		if id == wasm.SectionCustom {
			size, n := uleb(s.body)
			if n == 0 || size > uint64(len(s.body)-n) {
				return out, false
			}
			head := n + int(size)
			s.name, s.at, s.body = string(s.body[n:head]), s.at+head, s.body[head:]
		}
		out = append(out, s)
	}
	return out, true
}

// uleb reads a number of at most 32 bits; n is the bytes that it has, 0 if it is malformed.
func uleb(b []byte) (x uint64, n int) {
	for i := 0; i < len(b) && i < 5; i++ {
		x |= uint64(b[i]&0x7f) << (7 * i)
		if b[i]&0x80 == 0 {
			return x, i + 1
		}
	}
	return 0, 0
}

// custom returns the custom sections of DWARF by name. Those of one name follow each other.
func custom(ss []section) map[string][]byte {
	out := map[string][]byte{}
	for _, s := range ss {
		if s.id != wasm.SectionCustom || !bytes.HasPrefix([]byte(s.name), []byte(".debug_")) {
			continue
		}
		if old := out[s.name]; old != nil {
			out[s.name] = append(old[:len(old):len(old)], s.body...)
		} else {
			out[s.name] = s.body
		}
	}
	return out
}

// code returns the code section.
func code(ss []section) (section, bool) {
	for _, s := range ss {
		if s.id == wasm.SectionCode {
			return s, true
		}
	}
	return section{}, false
}

// buildID returns the build id of a module; nil: it has none.
func buildID(ss []section) []byte {
	for _, s := range ss {
		if s.id == wasm.SectionCustom && s.name == "build_id" {
			if size, n := uleb(s.body); n > 0 && size == uint64(len(s.body)-n) {
				return s.body[n:]
			}
			return s.body
		}
	}
	return nil
}

// object returns the sections of DWARF in an object file, or a package of them: a module, or ELF.
func object(b []byte) (map[string][]byte, error) {
	if ss, ok := sections(b); ok {
		return custom(ss), nil
	}
	if !bytes.HasPrefix(b, []byte(elf.ELFMAG)) {
		return nil, errors.New("it is neither a module nor an ELF file")
	}
	f, err := elf.NewFile(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	total := 0
	for _, s := range f.Sections {
		if len(s.Name) < 7 || s.Name[:7] != ".debug_" || s.Size > uint64(MaxDebugFile-total) {
			continue
		}
		if d, err := s.Data(); err == nil {
			out[s.Name] = d
			total += len(d)
		}
	}
	return out, nil
}
