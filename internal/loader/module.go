package loader

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/vm/debugger"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
	"stackscope/wasm/binary"
	"stackscope/wasm/text"
	"stackscope/wasm/valid"
)

// Unit is a module with its source and its analysis.
type Unit struct {
	*debugger.Unit
	// Analysis is what Module was lowered from; nil for a binary module.
	Analysis *analysis.Module

	path string // of a binary module: the file
	data []byte // of a binary module
}

// NewUnit returns a unit of a text module. name is the name it is imported under, "" if unknown.
func NewUnit(name string, m *wasm.Module, f *debugger.Source, a *analysis.Module) *Unit {
	return &Unit{Unit: &debugger.Unit{Name: name, Module: m, File: f}, Analysis: a}
}

// Errors are the diagnostics that keep a module from being run, at least one of which is an error.
type Errors struct {
	File  *source.File
	Diags []diag.Diagnostic
}

// Error returns the first error, with the path of the file.
func (e *Errors) Error() string { return e.first(e.File.Name) }

// Short returns the first error, with the base name of the file.
func (e *Errors) Short() string { return e.first(filepath.Base(e.File.Name)) }

func (e *Errors) first(file string) string {
	for _, d := range e.Diags {
		if d.Severity == diag.Error {
			line, col := e.File.LineCol(d.Span.Start)
			return fmt.Sprintf("%s:%d:%d: %s", file, line, col, d.Message)
		}
	}
	return file + ": the module has errors"
}

// HasErrors reports whether there is an error among the diagnostics.
func HasErrors(ds []diag.Diagnostic) bool {
	for _, d := range ds {
		if d.Severity == diag.Error {
			return true
		}
	}
	return false
}

// Text reads a file of the text format with one module. The error is an *Errors.
func Text(f *source.File, o analysis.Options) (*Unit, error) {
	s := analysis.Open(f, o)
	ms := s.Modules()
	if len(ms) == 1 {
		if m, ok := ms[0].Lower(); ok && !HasErrors(s.Diagnostics()) {
			return NewUnit(ms[0].Name(), m, symbols.NewSource(f), ms[0]), nil
		}
	}
	ds := s.Diagnostics()
	if !HasErrors(ds) {
		msg := "unexpected token: the file has no module"
		if len(ms) > 0 {
			msg = "the module cannot be run"
		}
		if len(ms) > 1 {
			msg = "unexpected token: the file has more than one module"
		}
		ds = append(ds, diag.Diagnostic{Code: diag.Syntax, Severity: diag.Error, Message: msg})
	}
	return nil, &Errors{f, ds}
}

// Binary reads a binary module and returns it with its text as source, which is printed only when
// somebody wants all of it. The error is a *binary.Error if the module is malformed, an *Errors
// with places in the printed text if it is invalid.
func Binary(name string, b []byte, o analysis.Options) (*Unit, error) {
	m, err := binary.Decode(b)
	if err != nil {
		return nil, err
	}
	if o.Dialect == wasm.DialectOff {
		m.Dialect = o.Dialect
	}
	if len(Validate(m)) > 0 {
		src, mp := text.Print(m, text.Options{})
		mp.Place(m)
		return nil, &Errors{source.NewFile(name, src), Validate(m)} // again: now the places are those of the text
	}
	return &Unit{Unit: &debugger.Unit{Name: m.Names.Module, Module: m, File: symbols.PrintedSource(name, m)}}, nil
}

// Validate returns the errors of a module that does not come from analysis, at the places that its
// parts have.
func Validate(m *wasm.Module) []diag.Diagnostic {
	var ds []diag.Diagnostic
	valid.New(m).Module(func(e valid.Error) {
		at := int(place(m, e.Place))
		ds = append(
			ds,
			diag.Diagnostic{
				Code: diag.Code(e.Code), Severity: diag.Error, Span: source.Span{Start: at, End: at},
				Message: e.Msg,
			},
		)
	})
	return ds
}

// place returns the position of a place of a module, 0 if it has none.
func place(m *wasm.Module, p valid.Place) wasm.Pos {
	i := int64(p.Index)
	at := func(n int, pos func() wasm.Pos) wasm.Pos {
		if i < int64(n) {
			return pos()
		}
		return 0
	}
	part := p.Part
	switch part {
	case valid.PartInit, valid.PartOffset, valid.PartItem:
		part = p.Of
		if p.Part == valid.PartItem {
			part = valid.PartElem
		}
	}
	switch part {
	case valid.PartType:
		return at(len(m.Types), func() wasm.Pos { return m.Types[i].At })
	case valid.PartImport:
		return at(len(m.Imports), func() wasm.Pos { return m.Imports[i].At })
	case valid.PartFunc:
		return at(len(m.Funcs), func() wasm.Pos { return m.Funcs[i].At })
	case valid.PartBody:
		return at(len(m.Funcs), func() wasm.Pos {
			if f := &m.Funcs[i]; p.Instr >= 0 && p.Instr < len(f.Body) {
				return f.Body[p.Instr].At
			}
			return m.Funcs[i].At
		})
	case valid.PartTable:
		return at(len(m.Tables), func() wasm.Pos { return m.Tables[i].At })
	case valid.PartMemory:
		return at(len(m.Mems), func() wasm.Pos { return m.Mems[i].At })
	case valid.PartGlobal:
		return at(len(m.Globals), func() wasm.Pos { return m.Globals[i].At })
	case valid.PartTag:
		return at(len(m.Tags), func() wasm.Pos { return m.Tags[i].At })
	case valid.PartExport:
		return at(len(m.Exports), func() wasm.Pos { return m.Exports[i].At })
	case valid.PartStart:
		return m.StartAt
	case valid.PartElem:
		return at(len(m.Elems), func() wasm.Pos { return m.Elems[i].At })
	case valid.PartData:
		return at(len(m.Datas), func() wasm.Pos { return m.Datas[i].At })
	}
	return 0
}

// Message returns the first error in an error of Text or Binary, as the specification's suite words
// it, and all of them.
func Message(err error) (first string, all []string) {
	var ds *Errors
	var be *binary.Error
	switch {
	case errors.As(err, &ds):
		for _, d := range ds.Diags {
			if d.Severity == diag.Error {
				all = append(all, d.Message)
			}
		}
	case errors.As(err, &be):
		all = []string{be.Msg}
	case err != nil:
		all = []string{err.Error()}
	}
	return strings.Join(all[:min(1, len(all))], ""), all
}
