package termdbg

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

func (sh *shell) commands() []cmd {
	return []cmd{
		{
			name: "help", aliases: []string{"h", "?"}, group: support, args: "[COMMAND | GROUP]",
			short: "explain a command, or list all commands", words: helpWords, run: sh.cmdHelp,
		},
		{
			name: "apropos", group: support, args: "WORD", short: "list the commands whose help contains a word",
			run: sh.cmdApropos,
		},
		{name: "source", group: support, args: "FILE", short: "execute the commands in a file",
			long: "The first error ends the file. Lines that start with # or ;; are comments. " +
				"`wasm-dap debug -x FILE`\ndoes the same at the start.",
			words: fileWords, run: sh.cmdSource},
		{
			name:  "echo",
			group: support,
			args:  "TEXT",
			short: "print text; \\n is a line break",
			run: func(a args) {
				sh.printf("%s", strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`).Replace(a.text))
			},
		},
		{
			name: "pwd", group: support, short: "print the working directory",
			run: func(args) { sh.printf("%s\n", sh.cwd) },
		},
		{
			name: "shell", aliases: []string{"!"}, group: support, args: "COMMAND",
			short: "run a shell command", once: true, run: sh.cmdShell,
		},
		{name: "quit", aliases: []string{"q", "exit"}, group: support, short: "end the program and the debugger",
			long: "A program that was attached to continues.", once: true,
			serves: []string{"disconnect"}, run: func(args) { sh.control.quit = true }},
	}
}

func (sh *shell) cmdHelp(a args) {
	if a.text == "" {
		for _, g := range groups() {
			sh.helpGroup(g.name)
		}
		sh.printf("\nhelp COMMAND explains a command. Commands can be abbreviated; an empty line repeats the last one.\n")
		sh.printf("Places are LINE, LINE:COL, FILE:LINE[:COL], +N, -N, a function and *ADDRESS; #3 is a stack.\n")
		return
	}
	for _, g := range groups() {
		if a.text == string(g.name) {
			sh.helpGroup(g.name)
			return
		}
	}
	word, rest, _ := strings.Cut(a.text, " ")
	c, err := sh.table.lookup(word)
	if err != nil {
		sh.fail(err)
		return
	}
	format := ""
	if c.slash {
		format = "[/FMT]"
	}
	sh.printf("%s\n  %s\n", strings.TrimSpace(c.name+format+" "+c.args), c.short)
	if c.long != "" {
		for l := range strings.SplitSeq(strings.TrimSpace(c.long), "\n") {
			sh.printf("  %s\n", l)
		}
	}
	if len(c.aliases) > 0 {
		sh.printf("  also: %s\n", strings.Join(c.aliases, ", "))
	}
	if c.name == "info" {
		for _, t := range sh.topics {
			if strings.HasPrefix(t.name, strings.TrimSpace(rest)) {
				sh.printf("    %-12s %s\n", t.name, t.short)
			}
		}
	}
}

func (sh *shell) helpGroup(g group) {
	for _, x := range groups() {
		if x.name == g {
			sh.printf("%s (help %s)\n", sh.paint("1", x.title), g)
		}
	}
	for i := range sh.table {
		if sh.table[i].group == g {
			sh.printf("  %s\n", sh.summary(&sh.table[i]))
		}
	}
}

func (sh *shell) summary(c *cmd) string {
	name, alias := c.name, ""
	if len(c.aliases) > 0 {
		alias = " (" + c.aliases[0] + ")"
	}
	return fmt.Sprintf(
		"%s%s%s %s", sh.paint("1", name), alias, strings.Repeat(" ", max(0, 18-len(name)-len(alias))), c.short,
	)
}

func (sh *shell) cmdApropos(a args) {
	if a.text == "" {
		sh.failf("apropos needs a word")
		return
	}
	found := false
	word := strings.ToLower(a.text)
	for i := range sh.table {
		c := &sh.table[i]
		if strings.Contains(
			strings.ToLower(c.name+" "+strings.Join(c.aliases, " ")+" "+c.args+" "+c.short+" "+c.long), word,
		) {
			found = true
			sh.printf("  %s\n", sh.summary(c))
		}
	}
	for _, t := range sh.topics {
		if strings.Contains(strings.ToLower("info "+t.name+" "+t.short), word) {
			found = true
			sh.printf("  %s%s %s\n", sh.paint("1", "info "+t.name), strings.Repeat(" ", max(0, 13-len(t.name))),
				t.short)
		}
	}
	if !found {
		sh.printf("no help mentions %q\n", a.text)
	}
}

func (sh *shell) cmdShell(a args) {
	if a.text == "" {
		sh.failf("shell needs a command")
		return
	}
	c := exec.CommandContext(sh.ctx, "sh", "-c", a.text)
	if runtime.GOOS == "windows" {
		c = exec.CommandContext(sh.ctx, "cmd", "/C", a.text)
	}
	c.Stdout, c.Stderr, c.Dir = sh.out, sh.out, sh.cwd
	if sh.input.interactive() {
		c.Stdin = os.Stdin
	}
	if err := c.Run(); err != nil {
		sh.fail(err)
	}
}

// Markdown returns the reference of the commands: a table for each group, with the requests of the
// adapter that each command covers, and one of the topics of info.
func Markdown() string {
	d := newDebugger(context.Background(), Options{})
	cell := strings.NewReplacer("|", `\|`, "\n", " ")
	code := func(words []string) string {
		if len(words) == 0 {
			return ""
		}
		return "`" + strings.Join(words, "`, `") + "`"
	}
	var b strings.Builder
	for _, g := range groups() {
		fmt.Fprintf(&b, "### %s\n\n| command | also | | requests |\n|---|---|---|---|\n", g.title)
		for _, c := range d.shell.table {
			if c.group != g.name {
				continue
			}
			name := c.name
			if c.slash {
				name += "[/FMT]"
			}
			text := c.short
			if c.long != "" {
				text += ". " + strings.TrimSuffix(strings.TrimSpace(c.long), ".")
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", cell.Replace(strings.TrimSpace(name+" "+c.args)),
				cell.Replace(code(c.aliases)), cell.Replace(text), code(c.serves))
		}
		b.WriteString("\n")
	}
	b.WriteString("### Topics of info\n\n| topic | also | | requests |\n|---|---|---|---|\n")
	for _, t := range d.info.topics {
		fmt.Fprintf(&b, "| `info %s` | %s | %s | %s |\n", t.name, code(t.other), t.short, code(t.serves))
	}
	return b.String()
}
