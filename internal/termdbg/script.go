package termdbg

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// script is a list of commands that is being executed.
type script struct {
	name  string
	lines []string
	at    int
}

// maxScripts is how deep command files may include each other.
const maxScripts = 20

// maxScriptSize is the largest command file, in bytes.
const maxScriptSize = 16 << 20

func (sh *shell) cmdSource(a args) {
	if a.text == "" {
		sh.failf("source needs a file")
		return
	}
	if err := sh.runFile(strings.Trim(a.text, `"`)); err != nil && !errors.Is(err, errReported) {
		sh.fail(err)
	}
}

// runFile executes a command file. The first error ends it. It returns errReported if the error was
// printed.
func (sh *shell) runFile(path string) error {
	if !filepath.IsAbs(path) {
		path = filepath.Join(sh.cwd, path)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", path)
	case info.Size() > maxScriptSize:
		return fmt.Errorf("%s has more than %d bytes", path, maxScriptSize)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s := &script{name: sh.relative(path)}
	for r := bufio.NewReader(f); ; {
		l, err := readLimited(r)
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %v", s.name, err)
		}
		s.lines = append(s.lines, l)
	}
	return sh.runScript(s)
}

// runScript executes a list of commands up to the first error.
func (sh *shell) runScript(s *script) error {
	if len(sh.scripts) >= maxScripts {
		return fmt.Errorf("%s: %d command files are already open", s.name, len(sh.scripts))
	}
	sh.scripts = append(sh.scripts, s)
	depth := len(sh.scripts)
	defer func() { sh.scripts = sh.scripts[:depth-1] }()
	repeat := sh.repeat
	defer func() { sh.repeat = repeat }()
	for s.at < len(s.lines) && !sh.control.quit {
		line := s.lines[s.at]
		s.at++
		if strings.TrimSpace(line) != "" {
			sh.printf("%s%s\n", prompt, strings.TrimSpace(line))
		}
		at, before := s.at, sh.failures
		sh.execute(line)
		switch {
		case sh.failures > before:
			sh.printf("%s:%d: stopped here\n", s.name, at)
			return errReported
		case sh.interrupted:
			sh.printf("%s:%d: interrupted\n", s.name, at)
			return errReported
		}
	}
	return nil
}

// afterStop executes the commands of the breakpoints that stopped the program.
func (sh *shell) afterStop() {
	for n := 0; ; n++ {
		if len(sh.control.queued) == 0 || sh.control.quit {
			break
		}
		s := sh.control.queued[0]
		sh.control.queued = sh.control.queued[1:]
		if n == maxQueued {
			sh.control.queued = nil
			sh.failf("the commands of breakpoints ran %d times in a row: the rest are skipped", n)
			return
		}
		if err := sh.runScript(s); err != nil {
			if !errors.Is(err, errReported) {
				sh.fail(err)
			}
			sh.control.queued = nil
		}
	}
}

// maxQueued is how many lists of commands of breakpoints one command may lead to.
const maxQueued = 100_000

// body reads the lines up to `end`, for commands.
func (sh *shell) body() ([]string, error) {
	var out []string
	for {
		var line string
		if n := len(sh.scripts); n > 0 {
			s := sh.scripts[n-1]
			if s.at == len(s.lines) {
				return nil, errors.New("missing end")
			}
			line = s.lines[s.at]
			s.at++
			sh.printf("> %s\n", line)
		} else {
			var err error
			if line, err = sh.readLine("> "); err != nil {
				return nil, errors.New("missing end")
			}
		}
		line = strings.TrimSpace(line)
		if line == "end" {
			return out, nil
		}
		if len(out) == maxBody {
			return nil, fmt.Errorf("more than %d commands", maxBody)
		}
		out = append(out, line)
	}
}

// maxBody is how many commands a breakpoint can have.
const maxBody = 1000
