package termdbg

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// input is where command lines come from, and where all output goes: what is written while a line
// is edited must not tear it.
type input interface {
	io.Writer
	line(prompt string) (string, error) // io.EOF at the end, errInterrupted if the line was given up
	interactive() bool
	close()
}

// errInterrupted is that the user gave up the line with an interrupt.
var errInterrupted = errors.New("interrupted")

// completer returns the line and the cursor after completion, and what to list if there are several
// candidates.
type completer func(line string, pos int) (string, int, []string)

// newInput reads from a terminal with editing, history and completion, or from anything else line
// by line.
func newInput(in io.Reader, out io.Writer, h *history, complete completer) input {
	f, ok := in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &lines{r: bufio.NewReader(in), out: out}
	}
	t := &terminal{fd: int(f.Fd()), in: f, out: out, history: h}
	t.t = term.NewTerminal(t.raw(), "")
	t.t.History = h
	t.t.AutoCompleteCallback = func(line string, pos int, key rune) (string, int, bool) {
		if key != '\t' {
			return "", 0, false
		}
		l, p, list := complete(line, pos)
		if len(list) > 0 {
			t.list(list)
		}
		return l, p, true
	}
	return t
}

// terminal is an interactive terminal. It is in raw mode only while a line is read, so that an
// interrupt from the keyboard reaches a running program's debugger as a signal.
type terminal struct {
	fd      int
	in      *os.File
	out     io.Writer
	t       *term.Terminal
	history *history
	width   int

	mu   sync.Mutex
	old  *term.State // of the terminal before raw mode; nil: it is not in raw mode
	gave bool        // the line was given up
}

// raw is the terminal as the line editor sees it.
func (t *terminal) raw() io.ReadWriter {
	return struct {
		io.Reader
		io.Writer
	}{readerFunc(t.read), t.out}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// read turns an interrupt into the end of an emptied line, as shells do: the line editor would
// treat it as the end of the input.
func (t *terminal) read(b []byte) (int, error) {
	const (
		interrupt = 3
		killLine  = "\x05\x15\r" // end of line, erase to its beginning, enter
	)
	n, err := t.in.Read(b)
	i := bytes.IndexByte(b[:n], interrupt)
	if i < 0 {
		return n, err
	}
	t.mu.Lock()
	t.gave = true
	t.mu.Unlock()
	return copy(b, killLine), err
}

func (t *terminal) interactive() bool { return true }

// close leaves raw mode if a line is still being read.
func (t *terminal) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.old != nil {
		_ = term.Restore(t.fd, t.old)
		t.old = nil
		fmt.Fprintln(t.out)
	}
	t.history.save()
}

// Write prints above the line that is edited.
func (t *terminal) Write(b []byte) (int, error) {
	t.mu.Lock()
	editing := t.old != nil
	t.mu.Unlock()
	if editing {
		return t.t.Write(b)
	}
	return t.out.Write(b)
}

func (t *terminal) line(prompt string) (string, error) {
	old, err := term.MakeRaw(t.fd)
	if err != nil {
		return "", err
	}
	t.mu.Lock()
	t.old, t.gave = old, false
	t.mu.Unlock()
	t.width = 80
	if w, h, err := term.GetSize(t.fd); err == nil && w > 0 {
		_ = t.t.SetSize(w, h)
		t.width = w
	}
	t.t.SetPrompt(prompt)
	s, err := t.t.ReadLine()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.old != nil {
		_ = term.Restore(t.fd, old)
		t.old = nil
	}
	if err == term.ErrPasteIndicator {
		err = nil
	}
	switch {
	case t.gave:
		return "", errInterrupted
	case err == io.EOF:
		fmt.Fprintln(t.out) // the prompt is alone on its line
	}
	return s, err
}

// list shows candidates in columns.
func (t *terminal) list(words []string) {
	const most = 100
	var b strings.Builder
	width := 0
	for _, w := range words {
		width = max(width, len([]rune(w)))
	}
	cols := max(1, t.width/(width+2))
	for i, w := range words {
		if i == most {
			fmt.Fprintf(&b, "… %d more", len(words)-most)
			break
		}
		if i%cols == cols-1 || i == len(words)-1 || i == most-1 {
			b.WriteString(w + "\n")
		} else {
			fmt.Fprintf(&b, "%-*s  ", width, w)
		}
	}
	fmt.Fprintf(t.t, "%s\n", strings.TrimRight(b.String(), "\n"))
}

// lines is input that is not a terminal: the commands are echoed as if they were typed.
type lines struct {
	r   *bufio.Reader
	out io.Writer
}

func (l *lines) interactive() bool { return false }

func (l *lines) close() {}

func (l *lines) Write(b []byte) (n int, err error) { return l.out.Write(b) }

// maxLine bounds a line of a command file.
const maxLine = 1 << 20

func (l *lines) line(prompt string) (string, error) {
	s, err := readLimited(l.r)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(l.out, "%s%s\n", prompt, s)
	return s, nil
}

// readLimited reads a line without its end. io.EOF is returned once nothing is left.
func readLimited(r *bufio.Reader) (string, error) {
	var b []byte
	for {
		part, err := r.ReadSlice('\n')
		if b = append(b, part...); len(b) > maxLine {
			return "", fmt.Errorf("line longer than %d bytes", maxLine)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil && len(b) == 0 {
			return "", err
		}
		return strings.ToValidUTF8(strings.TrimRight(string(b), "\r\n"), "\ufffd"), nil
	}
}
