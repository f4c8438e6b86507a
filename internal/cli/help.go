package cli

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

// help prints what the program does, with its commands.
func (a *App) help(w io.Writer) {
	fmt.Fprintf(w, "%s: %s\n\nusage: %s COMMAND [flags] [arguments]\n\ncommands:\n", a.Name, a.Summary, a.Name)
	width := 0
	for _, c := range a.Commands {
		width = max(width, len(c.Name))
	}
	for _, c := range a.Commands {
		note := ""
		if c.Name == a.Default {
			note = " (without a command, too)"
		}
		fmt.Fprintf(w, "  %-*s  %s%s\n", width, c.Name, c.Short, note)
	}
	fmt.Fprintf(w, "\n%s COMMAND --help tells more; %s --version gives the version.\n", a.Name, a.Name)
	fmt.Fprint(w, "Exit codes: 0 fine, 1 the input has errors, 2 wrong usage or unreadable file.\n")
}

// help prints what a command does, with its flags.
func (c *Command) help(a *App, w io.Writer) {
	f := newFlags()
	c.Flags(f)
	fmt.Fprintf(w, "%s %s: %s\n\nusage: %s %s", a.Name, c.Name, c.Short, a.Name, c.Name)
	hasFlags := false
	f.VisitAll(func(*flag.Flag) { hasFlags = true })
	if hasFlags {
		fmt.Fprint(w, " [flags]")
	}
	if c.Args != "" {
		fmt.Fprint(w, " ", c.Args)
	}
	fmt.Fprintln(w)
	if c.Long != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(c.Long))
	}
	if !hasFlags {
		return
	}
	fmt.Fprint(w, "\nflags:\n")
	var lines [][2]string
	width := 0
	f.VisitAll(func(g *flag.Flag) {
		value, usage := flag.UnquoteUsage(g)
		name := "--" + g.Name
		if len(g.Name) == 1 {
			name = "-" + g.Name
		}
		if value != "" {
			name += " " + strings.ToUpper(value)
		}
		lines = append(lines, [2]string{name, usage})
		width = max(width, len(name))
	})
	for _, l := range lines {
		fmt.Fprintf(w, "  %-*s  %s\n", width, l[0], l[1])
	}
}
