package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/internal/cli"
)

func explainCommand() *cli.Command {
	return &cli.Command{
		Name:  "explain",
		Args:  "[CODE]",
		Short: "explain a diagnostic code, with an example",
		Long:  "Without CODE, list all codes with their severities.",
		New: func() ([]cli.Flag, cli.Run) {
			return nil, func(_ context.Context, e *cli.Env) int { return explain(e) }
		},
	}
}

func explain(e *cli.Env) int {
	switch len(e.Args) {
	case 0:
		width := 0
		for _, i := range diag.Table {
			width = max(width, len(i.Code))
		}
		for _, i := range diag.Table {
			fmt.Fprintf(e.Stdout, "%-*s  %-7s  %s\n", width, i.Code, i.Severity, i.Title)
		}
		return cli.OK
	case 1:
	default:
		return e.UsageError("need one code, got %d", len(e.Args))
	}
	name := strings.Trim(e.Args[0], "[]")
	i := diag.Lookup(diag.Code(name))
	if i == nil {
		var near []string
		for _, r := range diag.Table {
			if strings.Contains(string(r.Code), name) || strings.Contains(name, string(r.Code)) {
				near = append(near, string(r.Code))
			}
		}
		if len(near) > 0 {
			return e.UsageError("unknown code %q; did you mean %s?", name, strings.Join(near, " or "))
		}
		return e.UsageError("unknown code %q; 'wasm-ls explain' lists all codes", name)
	}
	fmt.Fprintf(e.Stdout, "%s (%s): %s\n\n%s\n", i.Code, i.Severity, i.Title, strings.TrimSpace(i.Doc))
	example(e.Stdout, "Wrong", i.Wrong)
	example(e.Stdout, "Right", i.Right)
	if link := diag.SpecLink(i.Code); link != "" {
		fmt.Fprintf(e.Stdout, "\nThe rule: %s\n", link)
	}
	return cli.OK
}

func example(w io.Writer, title, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(w, "\n%s:\n\n    %s\n", title, strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    "))
}
