// Stripobj removes the debug information of a library of WebAssembly objects, so that a program that
// is linked with it has its own alone. llvm-objcopy drops the sections, which changes the numbers of
// the others, and the linker then refuses the object.
//
//	go run ./internal/gen/stripobj IN.a OUT.a
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: stripobj IN OUT")
	}
	in, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	out, err := strip(in)
	if err != nil {
		log.Fatalf("%s: %v", os.Args[1], err)
	}
	if err := os.WriteFile(os.Args[2], out, 0o644); err != nil {
		log.Fatal(err)
	}
}

const (
	archiveMagic = "!<arch>\n"
	objectMagic  = "\x00asm\x01\x00\x00\x00"
	headerSize   = 60 // of a member of an archive
)

// strip returns an archive or an object without debug information. An archive loses its table of
// symbols: ranlib makes another one.
func strip(in []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(in, []byte(objectMagic)):
		return object(in)
	case bytes.HasPrefix(in, []byte(archiveMagic)):
		return archive(in)
	}
	return nil, fmt.Errorf("neither an archive nor a WebAssembly object")
}

func archive(in []byte) ([]byte, error) {
	out := []byte(archiveMagic)
	for at := len(archiveMagic); at < len(in); {
		if at+headerSize > len(in) {
			return nil, fmt.Errorf("offset %d: truncated header", at)
		}
		header := in[at : at+headerSize]
		size, err := strconv.Atoi(strings.TrimSpace(string(header[48:58])))
		if err != nil || size < 0 || at+headerSize+size > len(in) {
			return nil, fmt.Errorf("offset %d: the size of a member is wrong", at)
		}
		data := in[at+headerSize : at+headerSize+size]
		at += headerSize + size + size%2
		if strings.TrimSpace(string(header[:16])) == "/" {
			continue // the table of symbols
		}
		if bytes.HasPrefix(data, []byte(objectMagic)) {
			if data, err = object(data); err != nil {
				return nil, fmt.Errorf("%s: %v", bytes.TrimSpace(header[:16]), err)
			}
		}
		out = append(out, header[:48]...)
		out = append(out, fmt.Sprintf("%-10d", len(data))...)
		out = append(out, header[58:]...)
		out = append(out, data...)
		if len(data)%2 == 1 {
			out = append(out, '\n')
		}
	}
	return out, nil
}

// object empties the sections named .debug_* and drops their relocations. The sections stay,
// because symbols name sections by number.
func object(in []byte) ([]byte, error) {
	out := []byte(objectMagic)
	for at := len(objectMagic); at < len(in); {
		id := in[at]
		size, n := binary.Uvarint(in[at+1:])
		start := at + 1 + n
		if n <= 0 || size > uint64(len(in)-start) {
			return nil, fmt.Errorf("offset %d: the size of a section is wrong", at)
		}
		whole, body := in[at:start+int(size)], in[start:start+int(size)]
		at = start + int(size)
		if id == 0 {
			length, n := binary.Uvarint(body)
			if n <= 0 || length > uint64(len(body)-n) {
				return nil, fmt.Errorf("offset %d: the name of a section is wrong", start)
			}
			name := body[:n+int(length)]
			switch text := string(name[n:]); {
			case strings.HasPrefix(text, "reloc..debug_"):
				continue
			case strings.HasPrefix(text, ".debug_"):
				whole = append(binary.AppendUvarint([]byte{0}, uint64(len(name))), name...)
			}
		}
		out = append(out, whole...)
	}
	return out, nil
}
