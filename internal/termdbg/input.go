package termdbg

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// input is where command lines come from.
type input interface {
	line(prompt string) (string, error) // io.EOF at the end
	interactive() bool
	close()
}

// newInput reads from a terminal with editing, history and completion, or from anything else line by line.
func newInput(in io.Reader, out io.Writer, complete func(line string) []string) input {
	if f, ok := in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		rw := struct {
			io.Reader
			io.Writer
		}{f, out}
		t := &terminal{fd: int(f.Fd()), t: term.NewTerminal(rw, "")}
		t.t.AutoCompleteCallback = func(line string, pos int, key rune) (string, int, bool) {
			if key != '\t' || pos != len(line) {
				return "", 0, false
			}
			return t.tab(line, complete(line))
		}
		return t
	}
	return &lines{r: bufio.NewReader(in), out: out}
}

// terminal is an interactive terminal. It is in raw mode only while a line is read, so that an
// interrupt from the keyboard reaches a running program's debugger as a signal.
type terminal struct {
	fd int
	t  *term.Terminal
}

func (t *terminal) interactive() bool { return true }
func (t *terminal) close()            {}

func (t *terminal) line(prompt string) (string, error) {
	old, err := term.MakeRaw(t.fd)
	if err != nil {
		return "", err
	}
	defer func() { _ = term.Restore(t.fd, old) }()
	if w, h, err := term.GetSize(t.fd); err == nil && w > 0 {
		_ = t.t.SetSize(w, h)
	}
	t.t.SetPrompt(prompt)
	s, err := t.t.ReadLine()
	if err == term.ErrPasteIndicator {
		err = nil
	}
	if err == io.EOF {
		fmt.Fprint(t.t, "\n")
	}
	return s, err
}

// tab completes as far as the candidates agree, and shows them if there are several.
func (t *terminal) tab(line string, cs []string) (string, int, bool) {
	if len(cs) == 0 {
		return line, len(line), true
	}
	p := cs[0]
	for _, c := range cs[1:] {
		for !strings.HasPrefix(c, p) {
			p = p[:len(p)-1]
		}
	}
	if len(p) < len(line) {
		p = line
	}
	if len(cs) > 1 && p == line {
		cut := strings.LastIndexAny(line, " (") + 1
		var words []string
		for i, c := range cs {
			if i == 40 {
				words = append(words, "…")
				break
			}
			words = append(words, strings.TrimSpace(c[min(cut, len(c)):]))
		}
		fmt.Fprintf(t.t, "%s\n", strings.Join(words, "  "))
	}
	return p, len(p), true
}

// lines is input that is no terminal: the commands are shown as if they were typed.
type lines struct {
	r   *bufio.Reader
	out io.Writer
}

func (l *lines) interactive() bool { return false }
func (l *lines) close()            {}

func (l *lines) line(prompt string) (string, error) {
	s, err := l.r.ReadString('\n')
	s = strings.TrimRight(s, "\r\n")
	if err != nil && s == "" {
		return "", io.EOF
	}
	fmt.Fprintf(l.out, "%s%s\n", prompt, s)
	return s, nil
}
