package loopback

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// start serves until the test ends.
func start(t *testing.T, o Options) string {
	t.Helper()
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, l, o) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(20 * time.Second):
			t.Error("the server does not end")
		}
	})
	return l.Addr().String()
}

// echo answers each line, until the context ends.
func echo(ctx context.Context, _ int, c io.ReadWriteCloser) error {
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	r := bufio.NewReader(c)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return err
		}
		if strings.HasPrefix(line, "panic") {
			panic("as it was told")
		}
		if strings.HasPrefix(line, "initialize") {
			Established(c)
		}
		if _, err := io.WriteString(c, line); err != nil {
			return err
		}
	}
}

// talk sends a text and returns the first bytes of what comes back, "" if the connection ends.
func talk(t *testing.T, address, text string) string {
	t.Helper()
	c, err := Dial(address, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(c, text); err != nil {
		return ""
	}
	b := make([]byte, 4)
	n, err := io.ReadFull(c, b)
	if ne, ok := err.(net.Error); ok && ne.Timeout() {
		t.Errorf("%.40q: nothing happens", text)
	}
	return string(b[:n])
}

// TestAddresses accepts loopback addresses only.
func TestAddresses(t *testing.T) {
	for _, bad := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:80", "example.com:80", "localhost", "", "127.0.0.1"} {
		if l, err := Listen(bad); err == nil {
			l.Close()
			t.Errorf("listens at %q", bad)
		}
		if c, err := Dial(bad, time.Second); err == nil {
			c.Close()
			t.Errorf("connects to %q", bad)
		}
	}
}

// TestHTTP refuses whatever a web page can send to a port: it begins with a method, or names an
// origin.
func TestHTTP(t *testing.T) {
	address := start(t, Options{Session: echo})
	message := "Content-Length: 2\r\n\r\n{}\r\n"
	bad := []string{
		"FOO / HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\n", "Origin: http://example.com\r\n" + message,
		"Content-Length: 2\r\norigin : null\r\n\r\n{}", "x: y\r\nHost: localhost:80\r\n\r\n",
		"Sec-WebSocket-Key: x\r\n\r\n",
	}
	for _, m := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "post"} {
		bad = append(bad, m+" / HTTP/1.1\r\nHost: localhost\r\n"+message, m+" /\r\n\r\n")
	}
	for _, text := range bad {
		if got := talk(t, address, text+strings.Repeat(message, 10)); got != "" {
			t.Errorf("%q is answered: %q", text, got)
		}
	}
	for _, text := range []string{message, "Content-Type: application/vscode-jsonrpc\r\n" + message, "Some garbage\nContent-Length: 5\r\n\r\nGET /", "\r\n\r\n" + message, "x" + strings.Repeat("y", 2*maxHead) + "\n"} {
		if got := talk(t, address, text); got != text[:4] {
			t.Errorf("%.60q is not answered: %q", text, got)
		}
	}
	// In pieces, too.
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, b := range []byte("POST / HTTP/1.1\r\n") {
		_, _ = c.Write([]byte{b})
	}
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	if n, err := c.Read(make([]byte, 1)); err == nil {
		t.Errorf("%d bytes", n)
	}
}

// TestPatience ends connections on which no session begins, however they begin, and no others.
func TestPatience(t *testing.T) {
	address := start(t, Options{Session: echo, Patience: 50 * time.Millisecond})
	for _, text := range []string{"", "Content-", "Content-Length: 10\r\n\r\n"} {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, _ = io.WriteString(c, text)
		_ = c.SetDeadline(time.Now().Add(20 * time.Second))
		if _, err := io.Copy(io.Discard, c); err != nil {
			if ne, ok := err.(net.Error); ok && ne.Timeout() {
				t.Errorf("%q: the connection stays open", text)
			}
		}
	}
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r := bufio.NewReader(c)
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	fmt.Fprint(c, "initialize\n\n")
	_, _ = r.ReadString('\n')
	_, _ = r.ReadString('\n')
	// A connection that came later and is idle is closed first.
	idle, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	_ = idle.SetDeadline(time.Now().Add(20 * time.Second))
	_, _ = io.Copy(io.Discard, idle)
	fmt.Fprint(c, "still there\n")
	if got, err := r.ReadString('\n'); got != "still there\n" {
		t.Errorf("%q %v", got, err)
	}
}

// TestSessions survives panics, and refuses more sessions than it is to have.
func TestSessions(t *testing.T) {
	address := start(t, Options{Session: echo, MaxSessions: 2})
	if got := talk(t, address, "panic\n\n"); got != "" {
		t.Error(got)
	}
	var open []net.Conn
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	for len(open) < 2 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(20 * time.Second))
		fmt.Fprint(c, "one\n\n")
		if n, _ := io.ReadFull(c, make([]byte, 4)); n == 4 { // else the one before has not ended yet
			open = append(open, c)
		} else {
			c.Close()
		}
	}
	if got := talk(t, address, "three\n\n"); got != "" {
		t.Errorf("a third session: %q", got)
	}
}

// TestGiveBack returns memory to the system after a large session.
func TestGiveBack(t *testing.T) {
	address := start(t, Options{Session: func(_ context.Context, _ int, c io.ReadWriteCloser) error {
		var keep [][]byte
		for range 200 {
			b := make([]byte, 1<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			keep = append(keep, b)
		}
		fmt.Fprint(c, len(keep), "!")
		_, err := c.Read(make([]byte, 1))
		for range keep {
			continue
		}
		return err
	}})
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	if n := held(); n < 200<<20 {
		t.Fatalf("%d bytes", n)
	}
	collecting.Lock()
	collecting.last = time.Time{}
	if collecting.timer != nil && collecting.timer.Stop() {
		collecting.timer = nil
	}
	collecting.Unlock()
	c.Close()
	for end := time.Now().Add(20 * time.Second); held() > 50<<20; {
		if time.Now().After(end) {
			t.Fatalf("%d bytes are held", held())
		}
		time.Sleep(10 * time.Millisecond)
	}
}
