package vsix

import (
	"archive/zip"
	"bytes"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Platforms are VS Code's names of the platforms that there is a package for.
var Platforms = []string{
	"linux-x64", "linux-arm64", "alpine-x64", "darwin-x64", "darwin-arm64", "win32-x64", "win32-arm64",
}

// maxEntry bounds what is read of one file of a package.
const maxEntry = 256 << 20

// needed are the files that every package has, besides the programs.
var needed = []string{
	"extension/package.json", "extension/readme.md", "extension/changelog.md", "extension/license.txt",
	"extension/dist/extension.js", "extension/syntaxes/wat.tmlanguage.json", "extension/examples/generator.wat",
	"extension/examples/generator.wast", "extension/walkthrough/open.md", "extension/icons/wat-dark.svg",
}

// Check checks a package and returns the platform that it names.
func Check(r io.ReaderAt, size int64) (platform string, err error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return "", err
	}
	files := map[string]*zip.File{}
	for _, f := range z.File {
		files[strings.ToLower(f.Name)] = f
	}
	b, err := content(files, "extension.vsixmanifest")
	if err != nil {
		return "", err
	}
	var m struct {
		Metadata struct {
			Identity struct {
				TargetPlatform string `xml:",attr"`
			}
		}
	}
	if err := xml.Unmarshal(b, &m); err != nil {
		return "", fmt.Errorf("extension.vsixmanifest: %w", err)
	}
	platform = m.Metadata.Identity.TargetPlatform
	if !slices.Contains(Platforms, platform) {
		return platform, fmt.Errorf(
			"the platform in the manifest is %q: must be one of %s", platform, strings.Join(Platforms, ", "),
		)
	}
	for _, name := range needed {
		if files[name] == nil {
			return platform, fmt.Errorf("%s is missing", name)
		}
	}
	exe := ""
	if strings.HasPrefix(platform, "win32-") {
		exe = ".exe"
	}
	programs := 0
	for name := range files {
		if strings.HasPrefix(name, "extension/bin/") {
			programs++
		}
	}
	if programs != 2 {
		return platform, fmt.Errorf("%d programs, want 2", programs)
	}
	for _, p := range []string{"wasm-ls", "wasm-dap"} {
		name := "extension/bin/" + p + exe
		b, err := content(files, name)
		if err != nil {
			return platform, err
		}
		got, err := format(b)
		if err != nil {
			return platform, fmt.Errorf("%s: %w", name, err)
		}
		if want := strings.Replace(platform, "alpine-", "linux-", 1); got != want {
			return platform, fmt.Errorf("%s is a program for %s", name, got)
		}
		if mode := files[name].Mode(); exe == "" && mode&0o111 == 0 {
			return platform, fmt.Errorf("%s is not executable: its mode is %v", name, mode)
		}
	}
	return platform, nil
}

func content(files map[string]*zip.File, name string) ([]byte, error) {
	f := files[name]
	if f == nil {
		return nil, fmt.Errorf("%s is missing", name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, maxEntry))
}

// format returns the platform that a program is for: linux (statically linked), darwin or win32,
// and the processor.
func format(b []byte) (string, error) {
	r := bytes.NewReader(b)
	if f, err := elf.NewFile(r); err == nil {
		for _, p := range f.Progs {
			if p.Type == elf.PT_INTERP {
				return "", fmt.Errorf("dynamically linked")
			}
		}
		return processor("linux", f.Machine == elf.EM_X86_64, f.Machine == elf.EM_AARCH64)
	}
	if f, err := macho.NewFile(r); err == nil {
		return processor("darwin", f.Cpu == macho.CpuAmd64, f.Cpu == macho.CpuArm64)
	}
	if f, err := pe.NewFile(r); err == nil {
		return processor("win32", f.Machine == pe.IMAGE_FILE_MACHINE_AMD64, f.Machine == pe.IMAGE_FILE_MACHINE_ARM64)
	}
	return "", fmt.Errorf("unknown executable format")
}

func processor(system string, x64, arm64 bool) (string, error) {
	switch {
	case x64:
		return system + "-x64", nil
	case arm64:
		return system + "-arm64", nil
	}
	return "", fmt.Errorf("built for another processor")
}
