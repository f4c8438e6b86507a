package termdbg

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

func supportCommands() []cmd {
	return []cmd{
		{
			name: "help", aliases: []string{"h", "?"}, group: support, args: "[COMMAND | GROUP]",
			short: "explain a command, or list them", run: (*debugger).cmdHelp,
		},
		{
			name: "apropos", group: support, args: "WORD", short: "list the commands whose help has a word",
			run: (*debugger).cmdApropos,
		},
		{name: "source", group: support, args: "FILE", short: "execute the commands in a file",
			long: "The first error ends the file. Lines that begin with # or ;; are comments. `wasm-dap debug -x FILE` does the same at the start.",
			run:  (*debugger).cmdSource},
		{
			name:  "echo",
			group: support,
			args:  "TEXT",
			short: "print a text; \\n is a line break",
			run: func(d *debugger, a args) {
				d.printf("%s", strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`).Replace(a.text))
			},
		},
		{
			name: "pwd", group: support, short: "print the working directory",
			run: func(d *debugger, _ args) { d.printf("%s\n", d.cwd) },
		},
		{
			name: "shell", aliases: []string{"!"}, group: support, args: "COMMAND",
			short: "run a command of the system", once: true, run: (*debugger).cmdShell,
		},
		{name: "quit", aliases: []string{"q", "exit"}, group: support, short: "end the program and the debugger",
			long: "A program that was attached to goes on.", once: true,
			serves: []string{"disconnect"}, run: func(d *debugger, _ args) { d.quit = true }},
	}
}

func (d *debugger) cmdHelp(a args) {
	if a.text == "" {
		for _, g := range groups() {
			d.helpGroup(g.name)
		}
		d.printf("\nhelp COMMAND explains one. Commands can be abbreviated; an empty line repeats the last one.\n")
		d.printf("Places are LINE, LINE:COL, FILE:LINE[:COL], +N, -N, $FUNC, EXPORT and *ADDRESS; #3 is a stack.\n")
		return
	}
	for _, g := range groups() {
		if a.text == string(g.name) {
			d.helpGroup(g.name)
			return
		}
	}
	word, rest, _ := strings.Cut(a.text, " ")
	c, err := lookup(word)
	if err != nil {
		d.fail(err)
		return
	}
	format := ""
	if c.slash {
		format = "[/FMT]"
	}
	d.printf("%s\n  %s\n", strings.TrimSpace(c.name+format+" "+c.args), c.short)
	if c.long != "" {
		for l := range strings.SplitSeq(strings.TrimSpace(c.long), "\n") {
			d.printf("  %s\n", l)
		}
	}
	if len(c.aliases) > 0 {
		d.printf("  also: %s\n", strings.Join(c.aliases, ", "))
	}
	if c.name == "info" {
		for _, t := range infoTopics() {
			if strings.HasPrefix(t.name, strings.TrimSpace(rest)) {
				d.printf("    %-12s %s\n", t.name, t.short)
			}
		}
	}
}

func (d *debugger) helpGroup(g group) {
	for _, x := range groups() {
		if x.name == g {
			d.printf("%s (help %s)\n", d.paint("1", x.title), g)
		}
	}
	cs := commands()
	for i := range cs {
		if cs[i].group == g {
			d.printf("  %s\n", d.summary(&cs[i]))
		}
	}
}

func (d *debugger) summary(c *cmd) string {
	name, alias := c.name, ""
	if len(c.aliases) > 0 {
		alias = " (" + c.aliases[0] + ")"
	}
	return fmt.Sprintf(
		"%s%s%s %s", d.paint("1", name), alias, strings.Repeat(" ", max(0, 18-len(name)-len(alias))), c.short,
	)
}

func (d *debugger) cmdApropos(a args) {
	if a.text == "" {
		d.failf("apropos needs a word")
		return
	}
	found := false
	word := strings.ToLower(a.text)
	cs := commands()
	for i := range cs {
		c := &cs[i]
		if strings.Contains(
			strings.ToLower(c.name+" "+strings.Join(c.aliases, " ")+" "+c.args+" "+c.short+" "+c.long), word,
		) {
			found = true
			d.printf("  %s\n", d.summary(c))
		}
	}
	for _, t := range infoTopics() {
		if strings.Contains(strings.ToLower("info "+t.name+" "+t.short), word) {
			found = true
			d.printf("  %s%s %s\n", d.paint("1", "info "+t.name), strings.Repeat(" ", max(0, 13-len(t.name))), t.short)
		}
	}
	if !found {
		d.printf("nothing is about %q\n", a.text)
	}
}

func (d *debugger) cmdShell(a args) {
	if a.text == "" {
		d.failf("shell needs a command")
		return
	}
	c := exec.CommandContext(d.ctx, "sh", "-c", a.text)
	if runtime.GOOS == "windows" {
		c = exec.CommandContext(d.ctx, "cmd", "/C", a.text)
	}
	c.Stdout, c.Stderr, c.Dir = d.o.Out, d.o.Out, d.cwd
	if d.input.interactive() {
		c.Stdin = os.Stdin
	}
	if err := c.Run(); err != nil {
		d.fail(err)
	}
}
