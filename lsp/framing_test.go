package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"stackscope/lsp/internal/wire"
)

func framed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// readFramed reads one message of the server.
func readFramed(r *bufio.Reader) (map[string]any, error) {
	h, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(h.Get("Content-Length"))
	if err != nil {
		return nil, err
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	m := map[string]any{}
	return m, json.Unmarshal(b, &m)
}

// TestMalformedMessages puts what nobody can read between well-formed requests: it is answered with
// an error without an id, and the next request is answered as if nothing had happened.
func TestMalformedMessages(t *testing.T) {
	const parse, invalid = -32700, -32600
	ok := `{"jsonrpc":"2.0","id":%d,"method":"workspace/symbol","params":{"query":"x"}}`
	cases := []struct {
		bytes string
		code  int // of the error; 0: none
	}{
		{framed(`{`), parse},
		{framed(`{"jsonrpc":"2.0","id":7,"method":`), parse},
		{framed(`}`), parse},
		{framed(`nul`), parse},
		{framed(`[{"jsonrpc":"2.0",]`), parse},
		{framed(`{"jsonrpc":"2.0","id":7}`), invalid},
		{framed(`"text"`), parse},
		{framed("\x00\xff\xfe"), parse},
		{framed(strings.Repeat(`{"a":`, 3000)), parse},
		{"Content-Length: none\r\n\r\n{}", parse},
		{"Content-Length: 0\r\n\r\n", parse},
		{"Content-Length: -5\r\n\r\nabcde", parse},
		{"Content-Length: 99999999999999999999\r\n\r\n{}", parse},
		{"Content-Type: json\r\n\r\n{}", parse},
		{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", parse},
		{"\r\n", parse},
		{`{"jsonrpc":"2.0","id":7,"method":"x"}`, parse}, // no header
		{strings.Repeat("x", 3*wire.MaxHeader), parse},
		{strings.Repeat("Accept: y\r\n", wire.MaxHeader), parse},
		{"content-length:  2\r\nX-Other: 1\r\n\r\n{}", invalid},
		{"Content-Length: 4\r\n\r\n" + `{"jsonrpc":"2.0","method":"$/x"}` + "\r\n", parse}, // the rest is no header
		{"Content-Length: Content-Length: 12\r\n\r\nxxxx\r\n", parse},
	}
	a, b := net.Pipe()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, a, Options{}) }()
	r := bufio.NewReader(b)
	id := 0
	ask := func(before, method string) (errs []int) {
		t.Helper()
		id++
		go io.WriteString(b, before+framed(fmt.Sprintf(method, id)))
		for {
			m, err := readFramed(r)
			if err != nil {
				t.Fatalf("after %.80q: %v", before, err)
			}
			if e, ok := m["error"].(map[string]any); ok {
				if m["id"] != nil {
					t.Fatalf("after %.80q: %v", before, m)
				}
				errs = append(errs, int(e["code"].(float64)))
				continue
			}
			if m["id"] == float64(id) {
				return errs
			}
		}
	}
	ask("", `{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{"capabilities":{}}}`)
	for _, c := range cases {
		errs := ask(c.bytes, ok)
		if len(errs) == 0 || errs[0] != c.code {
			t.Errorf("%.80q: errors %v, want %d", c.bytes, errs, c.code)
		}
		if len(errs) > 2 {
			t.Errorf("%.80q: %d errors", c.bytes, len(errs))
		}
	}
	// A message with one byte changed, inserted or removed. Its length may then claim what follows:
	// there is enough of that for the largest length that can come about.
	const alphabet = "Cc-:\r\n{}\"09 x\x00"
	rng := rand.New(rand.NewPCG(1, 2))
	pad := framed(`{"jsonrpc":"2.0","method":"$/nothing","params":"` + strings.Repeat(" ", 2000) + `"}`)
	for range 500 {
		m := []byte(framed(`{"jsonrpc":"2.0","method":"$/nothing"}`))
		at, with := rng.IntN(len(m)), alphabet[rng.IntN(len(alphabet))]
		switch rng.IntN(3) {
		case 0:
			m[at] = with
		case 1:
			m = slices.Insert(m, at, with)
		case 2:
			m = slices.Delete(m, at, at+1)
		}
		ask(string(m)+pad, ok)
	}
	ask("", `{"jsonrpc":"2.0","id":%d,"method":"shutdown"}`)
	io.WriteString(b, framed(`{"jsonrpc":"2.0","method":"exit"}`))
	if err := <-done; err != nil {
		t.Error(err)
	}
}
