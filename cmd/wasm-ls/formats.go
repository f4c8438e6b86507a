package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/internal/cli"
)

// place is a range of a file, 1-based, columns in characters.
type place struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
}

func placeOf(f *source.File, name string, s source.Span) place {
	p := place{File: cli.Relative(f.Name)}
	if name != "" && name != f.Name {
		p.File = cli.Relative(name)
		p.Line, p.Column, p.EndLine, p.EndColumn = 1, 1, 1, 1
		return p
	}
	p.Line, p.Column = f.LineCol(s.Start)
	p.EndLine, p.EndColumn = f.LineCol(s.End)
	return p
}

type jsonRelated struct {
	place
	Message string `json:"message"`
}

type jsonDiagnostic struct {
	place
	Severity string        `json:"severity"`
	Code     string        `json:"code"`
	Message  string        `json:"message"`
	Related  []jsonRelated `json:"related,omitempty"`
	Fixes    []string      `json:"fixes,omitempty"`
}

// writeJSON writes an array of diagnostics.
func writeJSON(w io.Writer, all []checked) error {
	out := []jsonDiagnostic{}
	for _, c := range all {
		for _, d := range c.diags {
			j := jsonDiagnostic{
				place: placeOf(c.file, "", d.Span), Severity: d.Severity.String(), Code: string(d.Code),
				Message: d.Message,
			}
			for _, r := range d.Related {
				j.Related = append(j.Related, jsonRelated{placeOf(c.file, r.File, r.Span), r.Message})
			}
			for _, x := range c.fixes(&d) {
				j.Fixes = append(j.Fixes, x.Title)
			}
			out = append(out, j)
		}
	}
	return encode(w, out)
}

func encode(w io.Writer, x any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(x)
}

// writeGitHub writes workflow commands.
func writeGitHub(w io.Writer, all []checked) error {
	value := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, c := range all {
		for _, d := range c.diags {
			kind := map[diag.Severity]string{diag.Error: "error", diag.Warning: "warning"}[d.Severity]
			if kind == "" {
				kind = "notice"
			}
			p := placeOf(c.file, "", d.Span)
			end := ""
			if p.EndLine == p.Line {
				end = fmt.Sprintf(",endColumn=%d", p.EndColumn)
			}
			_, err := fmt.Fprintf(w, "::%s file=%s,line=%d,endLine=%d,col=%d%s,title=%s::%s\n",
				kind, property.Replace(filepath.ToSlash(p.File)), p.Line, p.EndLine, p.Column, end,
				property.Replace(string(d.Code)), value.Replace(d.Message))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// The part of SARIF 2.1.0 that is written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID   string    `json:"id"`
		Text sarifText `json:"shortDescription"`
		Help sarifText `json:"help"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		Rule      string          `json:"ruleId"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		Related   []sarifLocation `json:"relatedLocations,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
)

func sarifAt(p place, message string) sarifLocation {
	l := sarifLocation{
		Physical: sarifPhysical{
			sarifArtifact{filepath.ToSlash(p.File)}, sarifRegion{p.Line, p.Column, p.EndLine, p.EndColumn},
		},
	}
	if message != "" {
		l.Message = &sarifText{message}
	}
	return l
}

// writeSARIF writes a SARIF log with the rules that occur in it.
func writeSARIF(w io.Writer, all []checked) error {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "wasm-ls", Version: cli.Version(), Rules: []sarifRule{}}},
		ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
	}
	seen := map[diag.Code]bool{}
	for _, c := range all {
		for _, d := range c.diags {
			if info := diag.Lookup(d.Code); info != nil && !seen[d.Code] {
				seen[d.Code] = true
				run.Tool.Driver.Rules = append(
					run.Tool.Driver.Rules,
					sarifRule{string(d.Code), sarifText{info.Title}, sarifText{info.Doc}},
				)
			}
			level := map[diag.Severity]string{diag.Error: "error", diag.Warning: "warning"}[d.Severity]
			if level == "" {
				level = "note"
			}
			r := sarifResult{
				Rule: string(d.Code), Level: level, Message: sarifText{d.Message},
				Locations: []sarifLocation{sarifAt(placeOf(c.file, "", d.Span), "")},
			}
			for _, x := range d.Related {
				r.Related = append(r.Related, sarifAt(placeOf(c.file, x.File, x.Span), x.Message))
			}
			run.Results = append(run.Results, r)
		}
	}
	return encode(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}
