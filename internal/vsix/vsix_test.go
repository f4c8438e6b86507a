package vsix

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// program returns the head of a program: enough to detect its format.
func program(platform string) []byte {
	var b bytes.Buffer
	put := func(xs ...any) {
		for _, x := range xs {
			_ = binary.Write(&b, binary.LittleEndian, x)
		}
	}
	arm := strings.HasSuffix(platform, "arm64")
	pick := func(x, y uint32) uint32 {
		if arm {
			return y
		}
		return x
	}
	switch system, _, _ := strings.Cut(platform, "-"); system {
	case "linux", "alpine":
		put(
			[]byte("\x7fELF\x02\x01\x01"), make([]byte, 9), uint16(2), uint16(pick(62, 183)), uint32(1),
			uint64(0), uint64(0), uint64(0), uint32(0), uint16(64), uint16(56), uint16(0), uint16(0), uint16(0),
			uint16(0),
		)
	case "darwin":
		put(
			uint32(0xfeedfacf), pick(0x01000007, 0x0100000c), uint32(0), uint32(2), uint32(0), uint32(0),
			uint32(0), uint32(0),
		)
	case "win32":
		head := make([]byte, 128)
		copy(head, "MZ")
		head[0x3c] = 128
		put(
			head, []byte("PE\x00\x00"), uint16(pick(0x8664, 0xaa64)), uint16(0), uint32(0), uint32(0),
			uint32(0), uint16(0), uint16(0), make([]byte, 64),
		)
	}
	return b.Bytes()
}

// pack makes a package.
func pack(t *testing.T, platform string, change func(files map[string][]byte), mode fs.FileMode) *bytes.Reader {
	t.Helper()
	exe := ""
	if strings.HasPrefix(platform, "win32") {
		exe = ".exe"
	}
	files := map[string][]byte{
		"extension.vsixmanifest": []byte(
			`<PackageManifest><Metadata><Identity Id="stackscope" TargetPlatform="` + platform +
				`"/></Metadata></PackageManifest>`,
		),
		"extension/bin/wasm-ls" + exe:  program(platform),
		"extension/bin/wasm-dap" + exe: program(platform),
	}
	for _, n := range needed {
		files[n] = nil
	}
	if change != nil {
		change(files)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		h := &zip.FileHeader{Name: name}
		h.SetMode(mode)
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(b.Bytes())
}

// TestCheck: a package passes with the programs of its platform, and with no others.
func TestCheck(t *testing.T) {
	for _, p := range Platforms {
		r := pack(t, p, nil, 0o755)
		if got, err := Check(r, r.Size()); got != p || err != nil {
			t.Errorf("%s: %q %v", p, got, err)
		}
		for _, other := range Platforms {
			if other == p || strings.Replace(other, "alpine", "linux", 1) == strings.Replace(p, "alpine", "linux", 1) {
				continue
			}
			r := pack(t, p, func(fs map[string][]byte) {
				for n := range fs {
					if strings.HasPrefix(n, "extension/bin/wasm-dap") {
						fs[n] = program(other)
					}
				}
			}, 0o755)
			if _, err := Check(r, r.Size()); err == nil {
				t.Errorf("a package for %s with a program for %s passes", p, other)
			}
		}
	}
	for want, change := range map[string]func(map[string][]byte){
		"changelog.md is missing":   func(fs map[string][]byte) { delete(fs, "extension/changelog.md") },
		"the platform in the":       func(fs map[string][]byte) { fs["extension.vsixmanifest"] = []byte(`<PackageManifest/>`) },
		"vsixmanifest is missing":   func(fs map[string][]byte) { delete(fs, "extension.vsixmanifest") },
		"1 programs":                func(fs map[string][]byte) { delete(fs, "extension/bin/wasm-ls") },
		"unknown executable format": func(fs map[string][]byte) { fs["extension/bin/wasm-ls"] = []byte("#!/bin/sh") },
	} {
		r := pack(t, "linux-x64", change, 0o755)
		if _, err := Check(r, r.Size()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	r := pack(t, "linux-x64", nil, 0o644)
	if _, err := Check(r, r.Size()); err == nil || !strings.Contains(err.Error(), "executable") {
		t.Error(err)
	}
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := format(self); err != nil && !strings.Contains(err.Error(), "dynamically") {
		t.Error(err)
	}
}
