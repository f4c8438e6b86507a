// Package annotated makes debugging information from comments in a module's text, so that tests of
// the debugger need no compiler:
//
//	(func $sum (param i32)   ;;! fn sum 3
//	  local.get 0            ;;! 4 body
//	  i32.const 1            ;;! lib.h:2 < sq 5
//	  i32.add                ;;! 5~
//	  call $log              ;;! -
//	  drop                   ;;! 6:9
//
// A function with `fn NAME LINE` is known; `runtime` after it says that the user has not written it,
// and `lines=no` that it has no lines. The instructions that begin on a line with a place have it, and
// so have those after them, up to the next. The place is `[FILE:]LINE[:COLUMN]`; `~` after it says that
// no statement begins there, `body` that the prologue ends; `-` is no place. `< NAME LINE` says that
// the code is a call of a function that was inlined, and where the call is; several of them follow
// each other from the innermost to the outermost.
package annotated

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stackscope/analysis/debuginfo"
	"stackscope/wasm"
)

// File is the file of places without one.
const File = "main.c"

// reader is the information of a module.
type reader struct {
	files map[string]*debuginfo.File
	funcs map[uint32]*debuginfo.Func
}

// Info reads the comments of a text that a module was made of; nil: it has none.
func Info(m *wasm.Module, text string) (*debuginfo.Info, error) {
	r := &reader{files: map[string]*debuginfo.File{}, funcs: map[uint32]*debuginfo.Func{}}
	starts := []int{0}
	for i, c := range text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	lineOf := func(off int) int {
		i, ok := slices.BinarySearch(starts, off)
		if !ok {
			i--
		}
		return i
	}
	notes := map[int]string{}
	for i, l := range strings.Split(text, "\n") {
		if _, note, ok := strings.Cut(l, ";;!"); ok {
			notes[i] = strings.TrimSpace(note)
		}
	}
	for fn := range m.Funcs {
		f := &m.Funcs[fn]
		head := strings.Fields(notes[lineOf(int(f.At))])
		if len(f.Body) == 0 || len(head) == 0 || head[0] != "fn" {
			continue
		}
		d, err := r.function(head, f, func(pc int) (string, bool) {
			line := lineOf(int(f.Body[pc].At))
			if pc > 0 && lineOf(int(f.Body[pc-1].At)) == line {
				return "", false
			}
			note, ok := notes[line]
			return note, ok && !strings.HasPrefix(note, "fn ")
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.FuncTitle(uint32(fn)), err)
		}
		r.funcs[uint32(fn)] = d
	}
	if len(r.funcs) == 0 {
		return nil, nil
	}
	return debuginfo.New(r), nil
}

func (r *reader) function(head []string, f *wasm.Func, note func(pc int) (string, bool)) (*debuginfo.Func, error) {
	if len(head) < 3 {
		return nil, fmt.Errorf("want `fn NAME LINE`")
	}
	decl, err := r.place(head[2])
	if err != nil {
		return nil, err
	}
	d := &debuginfo.Func{
		Name: head[1], Decl: decl, Language: debuginfo.C,
		Root: &debuginfo.Scope{Name: head[1], Decl: decl, Ranges: []debuginfo.Range{{To: len(f.Body)}}},
	}
	d.Runtime = slices.Contains(head, "runtime")
	if slices.Contains(head, "lines=no") {
		return d, nil
	}
	inlined := map[string]*debuginfo.Scope{}
	var in []*debuginfo.Scope
	for pc := range f.Body {
		if text, ok := note(pc); ok {
			parts := strings.Split(text, "<")
			words := strings.Fields(parts[0])
			if len(words) == 0 {
				return nil, fmt.Errorf("%q: no place", text)
			}
			row := debuginfo.Row{PC: pc}
			at, plain := strings.CutSuffix(words[0], "~")
			if row.Stmt = !plain; at != "-" {
				if row.Place, err = r.place(at); err != nil {
					return nil, err
				}
			}
			if slices.Contains(words, "body") {
				d.Body, row.PrologueEnd = pc, true
			}
			d.Rows = append(d.Rows, row)
			scope, path := d.Root, ""
			in = in[:0]
			for _, call := range slices.Backward(parts[1:]) {
				w := strings.Fields(call)
				if len(w) != 2 {
					return nil, fmt.Errorf("%q: want `< NAME LINE`", text)
				}
				path += "<" + w[0] + " " + w[1]
				s := inlined[path]
				if s == nil {
					s = &debuginfo.Scope{Kind: debuginfo.ScopeInline, Name: w[0]}
					if s.Call, err = r.place(w[1]); err != nil {
						return nil, err
					}
					inlined[path], scope.Inner = s, append(scope.Inner, s)
				}
				scope, in = s, append(in, s)
			}
		}
		for _, s := range in {
			if n := len(s.Ranges); n > 0 && s.Ranges[n-1].To == pc {
				s.Ranges[n-1].To++
			} else {
				s.Ranges = append(s.Ranges, debuginfo.Range{From: pc, To: pc + 1})
			}
		}
	}
	return d, nil
}

// place reads `[FILE:]LINE[:COLUMN]`.
func (r *reader) place(s string) (debuginfo.Place, error) {
	parts := strings.Split(s, ":")
	name := File
	if _, err := strconv.Atoi(parts[0]); err != nil {
		name, parts = parts[0], parts[1:]
	}
	p := debuginfo.Place{File: r.files[name]}
	if p.File == nil {
		p.File = &debuginfo.File{Path: name, Language: debuginfo.C, Bytes: true}
		r.files[name] = p.File
	}
	for i, to := range []*int{&p.Line, &p.Col} {
		if i < len(parts) {
			n, err := strconv.Atoi(parts[i])
			if err != nil {
				return p, fmt.Errorf("%q: want a place", s)
			}
			*to = n
		}
	}
	return p, nil
}

func (r *reader) Format() string                       { return "annotations" }
func (r *reader) Func(fn uint32) *debuginfo.Func       { return r.funcs[fn] }
func (r *reader) Globals(uint32) []*debuginfo.Variable { return nil }
func (r *reader) Type(string) *debuginfo.Type          { return nil }

// Files lists the files, by path.
func (r *reader) Files() (out []*debuginfo.File) {
	for _, f := range r.files {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b *debuginfo.File) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// Lines lists the rows of a file.
func (r *reader) Lines(f *debuginfo.File) (out []debuginfo.Location) {
	for fn, d := range r.funcs {
		for _, row := range d.Rows {
			if row.File == f {
				out = append(out, debuginfo.Location{Func: fn, Row: row})
			}
		}
	}
	slices.SortFunc(out, func(a, b debuginfo.Location) int {
		return cmp.Or(cmp.Compare(a.Row.Line, b.Row.Line), cmp.Compare(a.Func, b.Func), cmp.Compare(a.Row.PC, b.Row.PC))
	})
	return out
}
