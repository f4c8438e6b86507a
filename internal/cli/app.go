package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"golang.org/x/term"
)

// The exit codes.
const (
	OK    = 0 // fine
	Bad   = 1 // the input has errors, an assertion failed, or the program trapped
	Usage = 2 // wrong usage, or a file that cannot be read
)

// App is a program with commands.
type App struct {
	Name     string
	Summary  string // one line, without a full stop
	Commands []*Command
	Default  string // the command without any argument
}

// Command is a command of an App.
type Command struct {
	Name  string
	Args  string // what follows the flags, as in `FILE [ARG…]`
	Short string // one line, without a full stop
	Long  string // paragraphs of help; may be empty
	// New returns the table of flags for one run of the command, and the function that runs it
	// after the flags were set.
	New func() ([]Flag, Run)
}

// Run runs a command and returns its exit code.
type Run func(ctx context.Context, e *Env) int

// Env is the environment of a command.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	App, Command   string
	Args           []string // without flags
	Rest           []string // what follows `--`
	Color          bool     // of Stderr and, if it is a terminal, of Stdout
	colors         bool     // wanted on terminals: NO_COLOR is not set
	Terminal       bool     // Stderr is one
}

// Main runs the program with the arguments of the process and exits.
func (a *App) Main(ctx context.Context) {
	os.Exit(a.Run(ctx, os.Args[1:], &Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Color: terminal(os.Stderr) &&
			os.Getenv("NO_COLOR") == "", colors: os.Getenv("NO_COLOR") == "", Terminal: terminal(os.Stderr)}))
}

// IsTerminal reports whether a writer is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && terminal(f)
}

// terminal reports whether a file is a terminal that understands escape sequences.
func terminal(f *os.File) bool {
	return term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// columns returns the width of a terminal, 0 for anything else.
func columns(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil {
			return n
		}
	}
	return 0
}

// ColorOn reports whether a writer, standard output or error, gets colour.
func (e *Env) ColorOn(w io.Writer) bool { return e.colors && IsTerminal(w) }

// Run runs the program and returns its exit code.
func (a *App) Run(ctx context.Context, args []string, e *Env) int {
	e.App = a.Name
	name := a.Default
	if len(args) > 0 {
		switch args[0] {
		case "--help", "-h", "-help", "help":
			if len(args) == 2 && args[0] == "help" && args[1] == "--markdown" {
				fmt.Fprint(e.Stdout, a.Markdown()) // for docs/reference
				return OK
			}
			if len(args) > 1 && args[0] == "help" {
				if c := a.find(args[1]); c != nil {
					c.help(a, e.Stdout)
					return OK
				}
				return a.unknown(e, args[1])
			}
			a.help(e.Stdout)
			return OK
		case "--version", "-version", "version":
			fmt.Fprintf(e.Stdout, "%s %s\n", a.Name, Version())
			return OK
		}
		if !strings.HasPrefix(args[0], "-") {
			name, args = args[0], args[1:]
		}
	}
	c := a.find(name)
	if c == nil {
		return a.unknown(e, name)
	}
	e.Command = c.Name
	flags, run := c.New()
	setDefaults(flags)
	var err error
	e.Args, e.Rest, err = parse(flags, args)
	switch {
	case err == errHelp:
		c.help(a, e.Stdout)
		return OK
	case err == errVersion:
		fmt.Fprintf(e.Stdout, "%s %s\n", a.Name, Version())
		return OK
	case err != nil:
		return e.UsageError("%v", err)
	}
	return run(ctx, e)
}

func (a *App) find(name string) *Command {
	for _, c := range a.Commands {
		if c.Name == name {
			return c
		}
	}
	return nil
}

func (a *App) unknown(e *Env, name string) int {
	if name == "" {
		fmt.Fprintf(e.Stderr, "%s: missing command\nsee %s --help\n", a.Name, a.Name)
	} else {
		fmt.Fprintf(e.Stderr, "%s: unknown command %q\nsee %s --help\n", a.Name, name, a.Name)
	}
	return Usage
}

// UsageError reports wrong usage and returns the exit code for it.
func (e *Env) UsageError(format string, args ...any) int {
	fmt.Fprintf(
		e.Stderr, "%s %s: %s\nsee %s %s --help\n", e.App, e.Command, fmt.Sprintf(format, args...), e.App,
		e.Command,
	)
	return Usage
}

// Fail reports what cannot be done, such as reading a file, and returns the exit code for it.
func (e *Env) Fail(err error) int {
	fmt.Fprintf(e.Stderr, "%s: %v\n", e.App, err)
	return Usage
}

// Version returns the version of the program from what Go's linker recorded.
func Version() string {
	v, rev, dirty := "devel", "", ""
	if bi, ok := debug.ReadBuildInfo(); ok {
		if bi.Main.Version != "" && bi.Main.Version != "(devel)" {
			v = bi.Main.Version
		}
		for _, s := range bi.Settings {
			switch s.Key {
			case "vcs.revision":
				rev = s.Value[:min(12, len(s.Value))]
			case "vcs.modified":
				if s.Value == "true" {
					dirty = "+changes"
				}
			}
		}
		v += " (" + strings.TrimSpace(rev+dirty+" "+bi.GoVersion) + ")"
	}
	return v
}
