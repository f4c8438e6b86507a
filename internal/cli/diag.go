package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
)

// severityColors are the terminal colours by severity.
var severityColors = map[diag.Severity]string{
	diag.Error: "31;1", diag.Warning: "33;1", diag.Information: "36", diag.Hint: "2",
}

// Paint returns the text in a terminal colour, if standard error has colour.
func (e *Env) Paint(code, text string) string { return paint(e.Color, code, text) }

func paint(color bool, code, text string) string {
	if !color || text == "" || code == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Report prints the diagnostics of a file: with source lines on a terminal, else
// one per line.
func (e *Env) Report(w io.Writer, f *source.File, ds []diag.Diagnostic) {
	if IsTerminal(w) {
		e.Snippets(w).Print(f, ds)
		return
	}
	e.ReportLines(w, f, ds)
}

// Snippets returns a printer of diagnostics for standard output or error.
func (e *Env) Snippets(w io.Writer) *Snippets {
	return &Snippets{W: w, Color: e.ColorOn(w), Columns: columns(w)}
}

// ReportLines prints diagnostics, one per line, with their related places below.
func (e *Env) ReportLines(w io.Writer, f *source.File, ds []diag.Diagnostic) {
	color := e.ColorOn(w)
	for i := range ds {
		d := &ds[i]
		fmt.Fprintf(
			w, "%s: %s: %s%s\n", Place(f, d.Span.Start),
			paint(color, severityColors[d.Severity], d.Severity.String()), oneLine(d.Message),
			paint(color, "2", code(d.Code)),
		)
		for _, r := range d.Related {
			at := Place(f, r.Span.Start)
			if r.File != "" && r.File != f.Name {
				at = Relative(r.File)
			}
			fmt.Fprintf(w, "%s: note: %s\n", at, oneLine(r.Message))
		}
	}
}

func code(c diag.Code) string {
	if c == "" {
		return ""
	}
	return " [" + string(c) + "]"
}

func oneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }

// Place returns `file:line:col` of an offset.
func Place(f *source.File, off int) string {
	line, col := f.LineCol(off)
	return fmt.Sprintf("%s:%d:%d", Relative(f.Name), line, col)
}

// Relative returns a path as people type it: relative to the working directory if it is below it.
func Relative(path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	if wd, err := filepath.Abs("."); err == nil {
		if rel, err := filepath.Rel(wd, path); err == nil && !strings.HasPrefix(rel, "..") {
			return rel
		}
	}
	return path
}
