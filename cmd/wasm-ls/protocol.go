package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/ide"
	"stackscope/analysis/source"
	"stackscope/internal/cli"
	"stackscope/internal/loader"
	"stackscope/wasm/binary"
	"stackscope/wasm/text"
)

func protocolCommand() *cli.Command {
	return &cli.Command{
		Name:  "protocol",
		Args:  "FILE",
		Short: "show the states of fibers, tasks and coroutines",
		Long: `
For each function that a fiber, task, stack or continuation begins with: the states that it stands
in while others run, which events it takes in each, and where these lead. With --func, of that
function alone, which any other function may be as well. FILE is a text or binary module, or a
script.`,
		New: func() ([]cli.Flag, cli.Run) {
			var c protocolFlags
			return c.table(), c.run
		},
	}
}

type protocolFlags struct{ fn, format, dialect string }

func (c *protocolFlags) table() []cli.Flag {
	return []cli.Flag{
		{
			Name: "func", Arg: "NAME", Value: cli.String(&c.fn),
			Usage: "only of this function: its name, the name of its export, or its number",
		},
		{
			Name: "format", Arg: "FORMAT", Default: "text",
			Value: cli.Choice(&c.format, "text", "mermaid", "dot", "svg", "json"),
			Usage: "output format: text, mermaid, dot, svg or json",
		},
		cli.DialectFlag(&c.dialect),
	}
}

func (c *protocolFlags) run(_ context.Context, e *cli.Env) int {
	d, err := cli.ParseDialect(c.dialect)
	if err != nil {
		return e.UsageError("%v", err)
	}
	if len(e.Args) != 1 {
		return e.UsageError("need one file, got %d", len(e.Args))
	}
	f, err := loader.Read(e.Args[0], e.Stdin)
	if err != nil {
		return e.Fail(err)
	}
	src := f.Source()
	if f.Kind == loader.KindBinary {
		m, err := binary.Decode(f.Data)
		if err != nil {
			return loadError(e, f, err)
		}
		printed, _ := text.Print(m, text.Options{})
		src = source.NewFile(f.Name(), printed)
	}
	s := analysis.Open(src, analysis.Options{Dialect: d})
	var found []ide.ProtocolInfo
	known := c.fn == ""
	for _, m := range s.Modules() {
		if word, _ := m.Assertion(); word == "assert_invalid" || word == "assert_malformed" {
			continue
		}
		if m.HasErrors() {
			var errs []diag.Diagnostic
			for _, x := range s.Diagnostics() {
				if x.Severity == diag.Error {
					errs = append(errs, x)
				}
			}
			e.Report(e.Stderr, s.File(), errs)
			return cli.Bad
		}
		fns := analysis.ProtocolsOf(m).Funcs()
		if c.fn != "" {
			fn, ok := ide.FuncNamed(m, c.fn)
			known = known || ok
			if fns = nil; ok {
				fns = []uint32{fn}
			}
		}
		for _, fn := range fns {
			if info, ok := ide.ProtocolOf(m, fn); ok {
				found = append(found, info)
			}
		}
	}
	if !known {
		return e.Fail(fmt.Errorf("%s: no function %s", f.Name(), c.fn))
	}
	if len(found) == 0 && c.format != "json" {
		what := "no function begins a stack"
		if c.fn != "" {
			what = c.fn + " never gives up control to another stack"
		}
		fmt.Fprintf(e.Stderr, "%s: %s\n", f.Name(), what)
		return cli.OK
	}
	if c.format == "svg" && len(found) > 1 {
		return e.UsageError("%d functions have a protocol; choose one with --func", len(found))
	}
	if err := c.write(e, s.File(), found); err != nil {
		return e.Fail(err)
	}
	return cli.OK
}

// write writes the protocols in the chosen format.
func (c *protocolFlags) write(e *cli.Env, f *source.File, found []ide.ProtocolInfo) error {
	if c.format == "json" {
		machines := []ide.ProtocolMachine{}
		for i := range found {
			machines = append(machines, found[i].Machine(f))
		}
		w := json.NewEncoder(e.Stdout)
		w.SetEscapeHTML(false)
		w.SetIndent("", "  ")
		return w.Encode(machines)
	}
	for i := range found {
		d := &found[i].Diagram
		out := ""
		switch c.format {
		case "mermaid":
			out = d.Mermaid()
			if len(found) > 1 { // each is a diagram of its own in Markdown
				out = "```mermaid\n" + out + "```\n"
			}
		case "dot":
			out = d.DOT()
		case "svg":
			out = d.SVG()
		default:
			out = d.Title + "\n  " + strings.ReplaceAll(strings.TrimSuffix(d.Text(0), "\n"), "\n", "\n  ") + "\n"
		}
		if i > 0 {
			out = "\n" + out
		}
		if _, err := fmt.Fprint(e.Stdout, out); err != nil {
			return err
		}
	}
	return nil
}
