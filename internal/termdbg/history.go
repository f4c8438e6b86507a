package termdbg

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// maxHistory is how many lines are kept, in memory and in the file.
const maxHistory = 1000

// maxHistoryFile bounds what is read of a history file, in bytes.
const maxHistoryFile = 1 << 20

// history is the lines that were typed, the oldest first.
type history struct {
	path string // "": they are not kept

	mu    sync.Mutex
	lines []string
	fresh []string // those of this session
}

// HistoryFile returns where the lines typed are kept: below $XDG_STATE_HOME (by default
// ~/.local/state), on Windows below %LocalAppData%. It is "" if there is no such place.
func HistoryFile() string {
	dir := os.Getenv("XDG_STATE_HOME")
	switch {
	case filepath.IsAbs(dir):
	case runtime.GOOS == "windows":
		d, err := os.UserCacheDir() // %LocalAppData%
		if err != nil {
			return ""
		}
		dir = d
	default:
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "stackscope", "debug_history")
}

// openHistory reads the lines of a history file.
func openHistory(path string) *history {
	return &history{path: path, lines: readHistory(path)}
}

func readHistory(path string) []string {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxHistoryFile {
		return nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var out []string
	for l := range bytes.Lines(b) {
		if s := strings.ToValidUTF8(strings.TrimRight(string(l), "\r\n"), ""); s != "" {
			out = append(out, s)
		}
	}
	return last(out, maxHistory)
}

func last(s []string, n int) []string { return s[max(0, len(s)-n):] }

// Add records a line, unless it repeats the last one or starts with a space.
func (h *history) Add(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if strings.TrimSpace(line) == "" || line[0] == ' ' || len(line) > maxLine/1024 ||
		len(h.lines) > 0 && h.lines[len(h.lines)-1] == line {
		return
	}
	h.lines = last(append(h.lines, line), maxHistory)
	h.fresh = last(append(h.fresh, line), maxHistory)
}

// Len returns the number of lines.
func (h *history) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.lines)
}

// At returns a line; 0 is the newest.
func (h *history) At(i int) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lines[len(h.lines)-1-i]
}

// save adds the lines of this session to the file and keeps what other sessions wrote meanwhile. A
// file that cannot be written is ignored: the debugger works without it.
func (h *history) save() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.path == "" || len(h.fresh) == 0 {
		return
	}
	lines := last(append(readHistory(h.path), h.fresh...), maxHistory)
	h.fresh = nil
	dir := filepath.Dir(h.path)
	if os.MkdirAll(dir, 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(dir, "debug_history.*") // with mode 0600
	if err != nil {
		return
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(strings.Join(lines, "\n") + "\n")
	if f.Close() == nil && err == nil {
		_ = os.Rename(f.Name(), h.path)
	}
}
