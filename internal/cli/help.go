package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// helpWidth is how many columns help takes at most.
const helpWidth = 100

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
			note = " (the default command)"
		}
		fmt.Fprintf(w, "  %-*s  %s%s\n", width, c.Name, c.Short, note)
	}
	fmt.Fprintf(w, "\nRun '%s COMMAND --help' for a command and '%s --version' for the version.\n", a.Name, a.Name)
	fmt.Fprintln(w, strings.Join(wrap(exitCodes, helpWidth), "\n"))
}

const exitCodes = "Exit codes: 0 success; 1 errors in the input, a failed assertion or a trap; " +
	"2 wrong usage or unreadable file."

// help prints what a command does, with its flags.
func (c *Command) help(a *App, w io.Writer) {
	flags := c.Table()
	fmt.Fprintf(w, "%s %s: %s\n\nusage: %s\n", a.Name, c.Name, c.Short, c.usage(a))
	if c.Long != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(c.Long))
	}
	if len(flags) == 0 {
		return
	}
	fmt.Fprint(w, "\nflags:\n")
	width := 0
	for _, f := range flags {
		width = max(width, len(f.Spelling()))
	}
	for _, f := range flags {
		lines := wrap(f.Usage+f.notes(), helpWidth-width-4)
		fmt.Fprintf(w, "  %-*s  %s\n", width, f.Spelling(), lines[0])
		for _, l := range lines[1:] {
			fmt.Fprintf(w, "  %*s  %s\n", width, "", l)
		}
	}
}

// usage returns how a command is called.
func (c *Command) usage(a *App) string {
	words := []string{a.Name, c.Name}
	if len(c.Table()) > 0 {
		words = append(words, "[flags]")
	}
	if c.Args != "" {
		words = append(words, c.Args)
	}
	return strings.Join(words, " ")
}

// Table returns the flags of a command, sorted by name.
func (c *Command) Table() []Flag {
	flags, _ := c.New()
	slices.SortFunc(flags, func(a, b Flag) int { return cmp.Compare(a.Name, b.Name) })
	return flags
}

// Spelling returns the flag as it is typed, with the name of its value: `--log FILE`, `-v`.
func (f *Flag) Spelling() string {
	s := "--" + f.Name
	if len(f.Name) == 1 {
		s = "-" + f.Name
	}
	if f.Arg != "" {
		s += " " + f.Arg
	}
	return s
}

// notes returns what help adds to the usage: whether the flag may be repeated, and its default.
func (f *Flag) notes() string {
	s := ""
	if f.Many {
		s += " (repeatable)"
	}
	if f.Default != "" && f.Default != "0" && f.Default != "0s" {
		s += " (default " + f.Default + ")"
	}
	return s
}

// wrap breaks a text into lines of at most so many columns, at least one.
func wrap(s string, columns int) []string {
	var lines []string
	line := ""
	for _, w := range strings.Fields(s) {
		if line != "" && len([]rune(line))+1+len([]rune(w)) > columns {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	return append(lines, line)
}

// Markdown returns the reference of the program: each command with its usage and a table of its
// flags.
func (a *App) Markdown() string {
	var b strings.Builder
	cell := strings.NewReplacer("|", `\|`)
	for _, c := range a.Commands {
		note := ""
		if c.Name == a.Default {
			note = " (the default command)"
		}
		fmt.Fprintf(&b, "### `%s %s`\n\n%s%s.\n\n    %s\n", a.Name, c.Name, title(c.Short), note, c.usage(a))
		if c.Long != "" {
			fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(c.Long))
		}
		if flags := c.Table(); len(flags) > 0 {
			b.WriteString("\n| flag | default | |\n|---|---|---|\n")
			for _, f := range flags {
				usage, def := f.Usage, ""
				if f.Many {
					usage += " (repeatable)"
				}
				if f.Default != "" {
					def = "`" + f.Default + "`"
				}
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", cell.Replace(f.Spelling()), def, cell.Replace(usage))
			}
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// title returns a text with its first letter in upper case.
func title(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
