package termdbg

import (
	"errors"
	"io"
	"strings"
)

// shell reads and executes command lines, of the input, of command files and of breakpoints.
type shell struct {
	*target
	control    *control
	completion *completion
	table      table
	topics     []topic

	first []Script    // executed before anything is read
	batch bool        // the session ends then
	calls chan func() // calls from the input's goroutine to the main one
	code  int         // the exit code

	repeat    string    // the command that an empty line repeats
	scripts   []*script // those that are being executed, the outermost first
	following bool      // the commands of breakpoints are being executed
}

// run starts the program and executes commands.
func (sh *shell) run() int {
	if !sh.control.begin() {
		return bad
	}
	for _, s := range sh.first {
		if sh.control.quit {
			break
		}
		var err error
		if s.File != "" {
			err = sh.runFile(s.File)
		} else {
			before := sh.failures
			sh.printf("%s%s\n", prompt, s.Line)
			if sh.execute(s.Line); sh.failures > before {
				err = errReported
			}
		}
		if err != nil {
			if !errors.Is(err, errReported) {
				sh.fail(err)
			}
			sh.code = bad
			break
		}
	}
	for !sh.control.quit && !sh.batch {
		line, err := sh.readLine(prompt)
		switch {
		case errors.Is(err, errInterrupted):
			continue
		case errors.Is(err, io.EOF):
			return sh.code
		case err != nil:
			sh.fail(err)
			return bad
		}
		line = strings.TrimSpace(line)
		if line == "" && sh.input.interactive() {
			line = sh.repeat
		}
		sh.execute(line)
	}
	return sh.code
}

const prompt = "(wasm) "

// execute executes a line.
func (sh *shell) execute(line string) {
	line = strings.TrimSpace(line)
	if line == "" || strings.HasPrefix(line, ";;") || strings.HasPrefix(line, "#!") ||
		line[0] == '#' && (len(line) == 1 || line[1] == ' ' || line[1] == '#') {
		return
	}
	c, a, err := sh.table.parseLine(line)
	if err != nil {
		sh.fail(err)
		return
	}
	sh.repeat = line
	if c.once {
		sh.repeat = ""
	}
	if c.again {
		sh.repeat = c.name + a.slash()
	}
	if a.format != "" && !c.slash {
		sh.failf("%s takes no format", c.name)
		return
	}
	if len(sh.scripts) == 0 {
		sh.interrupted = false
	}
	c.run(a)
	if !sh.following {
		sh.following = true
		sh.afterStop()
		sh.following = false
	}
}

// readLine reads a line, from the command file that is being read or from the input. Meanwhile
// events of a program that runs are shown.
func (sh *shell) readLine(prompt string) (string, error) {
	type result struct {
		s   string
		err error
	}
	ch := make(chan result, 1)
	go func() {
		s, err := sh.input.line(prompt)
		ch <- result{s, err}
	}()
	for {
		for len(sh.pending) > 0 && !sh.control.quit {
			sh.control.atPrompt(sh.next(nil))
		}
		if sh.control.quit {
			return "", io.EOF
		}
		select {
		case r := <-ch:
			return r.s, r.err
		case f := <-sh.calls:
			f()
		case m := <-sh.events:
			sh.keep(m)
		case <-sh.intr:
			if !sh.input.interactive() {
				sh.code = interruptedCode
				return "", io.EOF
			}
		}
	}
}

// interruptedCode is the exit code of a session that an interrupt ended while it waited for a
// command.
const interruptedCode = 130

// onMain calls a function on the main goroutine, which waits for a line, and waits for it.
func (sh *shell) onMain(f func()) {
	done := make(chan struct{})
	select {
	case sh.calls <- func() { defer close(done); f() }:
		<-done
	case <-sh.closed:
	}
}

// completeFromInput completes a line on behalf of the input's goroutine.
func (sh *shell) completeFromInput(line string, pos int) (out string, at int, list []string) {
	out, at = line, pos
	sh.onMain(func() { out, at, list = sh.completion.completeLine(line, pos) })
	return out, at, list
}
