package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// client speaks the framing of the protocol to a server's standard input and output.
type client struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	id    int
	limit time.Duration
}

// errLimit reports that an answer took longer than the limit; the server has been killed.
var errLimit = errors.New("the answer took longer than the limit")

func start(cmd *exec.Cmd, limit time.Duration) (*client, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &client{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20), limit: limit}, nil
}

// stop ends the server: politely within a second, else by force.
func (c *client) stop() {
	c.limit = time.Second
	if _, err := c.call("shutdown", nil); err == nil {
		_ = c.notify("exit", nil)
	}
	_ = c.in.Close()
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

func (c *client) send(m dict) error {
	m["jsonrpc"] = "2.0"
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n", b.Len()); err != nil {
		return err
	}
	_, err := c.in.Write(b.Bytes())
	return err
}

func (c *client) notify(method string, params any) error {
	m := dict{"method": method}
	if params != nil {
		m["params"] = params
	}
	return c.send(m)
}

// call sends a request and returns the bytes of its answer. Requests of the server are answered
// with null.
func (c *client) call(method string, params any) ([]byte, error) {
	c.id++
	m := dict{"id": c.id, "method": method}
	if params != nil {
		m["params"] = params
	}
	var late atomic.Bool
	timer := time.AfterFunc(c.limit, func() {
		late.Store(true)
		_ = c.cmd.Process.Kill()
	})
	defer timer.Stop()
	fail := func(err error) ([]byte, error) {
		if late.Load() {
			err = errLimit
		}
		return nil, err
	}
	if err := c.send(m); err != nil {
		return fail(err)
	}
	for {
		b, err := c.read()
		if err != nil {
			return fail(err)
		}
		// the head is enough to tell messages apart without decoding megabytes
		head := string(b[:min(len(b), 200)])
		if strings.Contains(head, `"method"`) {
			var req struct {
				ID any `json:"id"`
			}
			if json.Unmarshal(b, &req) == nil && req.ID != nil {
				if err := c.send(dict{"id": req.ID, "result": nil}); err != nil {
					return fail(err)
				}
			}
			continue
		}
		if strings.Contains(head, `"error"`) && !strings.Contains(head, `"result"`) {
			return nil, errors.New(head)
		}
		return b, nil
	}
}

func (c *client) read() ([]byte, error) {
	n := -1
	for {
		line, err := c.out.ReadString('\n')
		if err != nil {
			return nil, err
		}
		line = strings.TrimSpace(line)
		if line == "" {
			break
		}
		if v, ok := strings.CutPrefix(line, "Content-Length:"); ok {
			if n, err = strconv.Atoi(strings.TrimSpace(v)); err != nil {
				return nil, err
			}
		}
	}
	if n < 0 {
		return nil, errors.New("a message without length")
	}
	b := make([]byte, n)
	_, err := io.ReadFull(c.out, b)
	return b, err
}

// rss returns the resident memory of a process in bytes, 0 where the system does not tell.
func rss(pid int) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for _, l := range strings.Split(string(b), "\n") {
		if v, ok := strings.CutPrefix(l, "VmRSS:"); ok {
			kb, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(v), " kB"))
			return kb * 1024
		}
	}
	return 0
}

// cpuTime returns the seconds that a process has spent on processors, all its threads together; 0
// where the system does not tell. Threads that have ended are not counted.
func cpuTime(pid int) float64 {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	var ns int64
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		first, _, _ := strings.Cut(string(b), " ")
		n, _ := strconv.ParseInt(first, 10, 64)
		ns += n
	}
	return float64(ns) / 1e9
}
