package termdbg

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"
)

// place is a place as the user names it.
type place struct {
	src       *godap.Source // of a line
	line, col int
	fn        string // a function or tag
	code      string // an address of code
}

// sourceKey names a source.
func sourceKey(s *godap.Source) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%d %s", s.SourceReference, s.Path)
}

// current returns the source that lines without a file are about.
func (d *debugger) current() *godap.Source {
	if f := d.frame(); f != nil && f.Source != nil {
		return f.Source
	}
	if d.source != nil {
		return d.source
	}
	path := d.o.Launch.Program
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return &godap.Source{Path: path}
}

// currentLine returns the line that +N and -N count from.
func (d *debugger) currentLine() int {
	if f := d.frame(); f != nil {
		return f.Line
	}
	return d.listed.first
}

// place reads LINE, LINE:COL, FILE:LINE[:COL], +N, -N, *ADDRESS or the name of a function. Numbers
// alone are of the current file; "" is where the program stands.
func (d *debugger) place(s string) (place, error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "" || s == ".":
		f := d.frame()
		if f == nil || f.Source == nil {
			return place{}, errors.New("there is no current place: name a line, FILE:LINE or $FUNC")
		}
		return place{src: f.Source, line: f.Line, col: f.Column}, nil
	case s[0] == '*':
		code, err := d.codeAddress(s[1:])
		return place{code: code}, err
	case s[0] == '+' || s[0] == '-':
		n, err := strconv.Atoi(s)
		line := d.currentLine() + n
		if err != nil || line < 1 {
			return place{}, fmt.Errorf("%q is not a line of the current file", s)
		}
		return place{src: d.current(), line: line}, nil
	}
	file, nums := trailingNumbers(s)
	switch {
	case len(nums) == 0:
		if strings.ContainsAny(s, " \t") || strings.Contains(s, ":") {
			return place{}, fmt.Errorf("%q is not a place: use LINE, LINE:COL, FILE:LINE[:COL], $FUNC or *ADDRESS", s)
		}
		return place{fn: strings.Trim(s, `"`)}, nil
	case nums[0] < 1 || len(nums) > 1 && nums[1] < 1:
		return place{}, errors.New("lines and columns count from 1")
	}
	p := place{src: d.current(), line: nums[0]}
	if len(nums) > 1 {
		p.col = nums[1]
	}
	if file != "" {
		p.src = d.sourceNamed(file)
	}
	return p, nil
}

// trailingNumbers takes up to two numbers off the end of FILE:LINE:COL.
func trailingNumbers(s string) (file string, nums []int) {
	parts := strings.Split(s, ":")
	for len(parts) > 0 && len(nums) < 2 {
		n, err := strconv.Atoi(parts[len(parts)-1])
		if err != nil {
			break
		}
		nums = append([]int{n}, nums...)
		parts = parts[:len(parts)-1]
	}
	return strings.Join(parts, ":"), nums
}

// sourceNamed returns the source of the program with a path, the end of a path, or a name; else the
// file with that path, which may become part of the program.
func (d *debugger) sourceNamed(file string) *godap.Source {
	abs := file
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(d.cwd, file)
	}
	var b godap.LoadedSourcesResponseBody
	_ = d.ask("loadedSources", godap.LoadedSourcesArguments{}, &b)
	tail := "/" + strings.TrimPrefix(filepath.ToSlash(filepath.Clean(file)), "./")
	for _, same := range []func(s *godap.Source) bool{
		func(s *godap.Source) bool { return s.Path == abs },
		func(s *godap.Source) bool { return strings.HasSuffix(filepath.ToSlash(s.Path), tail) },
		func(s *godap.Source) bool {
			name := strings.TrimSuffix(s.Name, " (text)")
			return s.Path == "" && (name == filepath.Base(file) || s.Name == file)
		},
	} {
		for i := range b.Sources {
			if s := &b.Sources[i]; same(s) {
				s.Checksums = nil
				return s
			}
		}
	}
	return &godap.Source{Path: abs}
}

// codeAddress reads an address of code: a number, or $pc.
func (d *debugger) codeAddress(s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "$pc" || s == "pc" {
		f := d.frame()
		if f == nil || f.InstructionPointerReference == "" {
			return "", errors.New("this frame has no address of code")
		}
		return f.InstructionPointerReference, nil
	}
	n, err := strconv.ParseUint(s, 0, 64)
	if err != nil || n>>32 == 0 {
		return "", fmt.Errorf("%q is not an address of code: disassemble shows them, $pc is the current one", s)
	}
	return fmt.Sprintf("0x%x", n), nil
}

// resolve returns the source, line and column where a function begins, or where a line has code.
// Functions are found as breakpoints are: a breakpoint is set for a moment, while nothing runs.
func (d *debugger) resolve(p place) (place, error) {
	if p.src != nil {
		return p, nil
	}
	probe := &brk{kind: bpFunc, at: p, probe: true}
	if p.code != "" {
		probe.kind = bpCode
	}
	d.breaks = append(d.breaks, probe)
	err := d.sendGroup(probe.group())
	d.breaks = d.breaks[:len(d.breaks)-1]
	if again := d.sendGroup(probe.group()); err == nil {
		err = again
	}
	switch {
	case err != nil:
		return p, err
	case probe.failed:
		return p, errors.New(probe.message)
	}
	return place{src: probe.found.src, line: probe.found.line, col: probe.found.col}, nil
}
