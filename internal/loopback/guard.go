package loopback

import (
	"bytes"
	"errors"
	"net"
	"regexp"
	"time"
)

// ErrHTTP is the error of reading from a connection over which HTTP comes.
var ErrHTTP = errors.New("connection closed: it carries HTTP or names an origin, as a web page does")

// guarded is a connection that reads nothing from a web page, and ends if no session is established
// in time. Both protocols begin with a header; a browser that sends to the port begins with its
// own.
type guarded struct {
	net.Conn
	head    []byte // what has been read of the first header
	checked bool   // head is only to be handed out
	err     error
}

// maxHead bounds the first header.
const maxHead = 8 << 10

func newGuarded(c net.Conn, patience time.Duration) *guarded {
	_ = c.SetReadDeadline(time.Now().Add(patience))
	return &guarded{Conn: c}
}

// Established is called by a session that is initialized: from then on nothing bounds how long the
// client takes.
func (g *guarded) Established() { _ = g.SetReadDeadline(time.Time{}) }

// Established calls the method Established of a connection that has it.
func Established(conn any) {
	if g, ok := conn.(interface{ Established() }); ok {
		g.Established()
	}
}

var (
	requestLine = regexp.MustCompile(
		`^(?i:[A-Z]+ .*HTTP/[0-9.]+|(GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH|PRI) .*)$`,
	)
	webHeader = regexp.MustCompile(`^(?i:Origin|Referer|Host|Sec-[A-Za-z-]+)[ \t]*:`)
)

// Read reads what follows once the first header has been found to be none of HTTP.
func (g *guarded) Read(b []byte) (int, error) {
	for !g.checked {
		if g.err != nil {
			return 0, g.err
		}
		part := make([]byte, 512)
		n, err := g.Conn.Read(part)
		g.head = append(g.head, part[:n]...)
		done, bad := inspect(g.head)
		switch {
		case bad:
			g.err = ErrHTTP
			g.Close()
			return 0, ErrHTTP
		case done || len(g.head) > maxHead:
			g.checked = true
		case err != nil:
			g.checked, g.err = true, err
		}
	}
	if len(g.head) > 0 {
		n := copy(b, g.head)
		if g.head = g.head[n:]; len(g.head) == 0 {
			g.head = nil
		}
		return n, nil
	}
	if g.err != nil {
		return 0, g.err
	}
	return g.Conn.Read(b)
}

// inspect reports whether all of the first header is there, and whether it is one of HTTP.
func inspect(head []byte) (done, bad bool) {
	rest := head
	for {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		if whole && len(line) == 0 && len(rest) < len(head) {
			return true, false
		}
		if whole && requestLine.Match(line) || webHeader.Match(line) {
			return true, true
		}
		if !whole {
			return false, false
		}
		rest = after
	}
}
