package check

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// maxMessage is the size in bytes of the largest message that is passed on.
const maxMessage = 1 << 30

// Proxy carries a conversation between a client and an adapter until one of them ends it, and shows
// every message to see, one at a time, before it passes on. The bytes are not changed.
func Proxy(client, adapter io.ReadWriteCloser, see func(from Side, raw []byte)) error {
	var mu sync.Mutex
	carry := func(from Side, r io.ReadCloser, w io.WriteCloser) error {
		defer w.Close()
		in := bufio.NewReader(r)
		for {
			head, raw, err := frame(in)
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return fmt.Errorf("%s: %w", from, err)
			}
			mu.Lock()
			see(from, raw)
			mu.Unlock()
			if _, err := w.Write(append([]byte(head), raw...)); err != nil {
				return err
			}
		}
	}
	gone := make(chan error, 1)
	go func() { gone <- carry(Client, client, adapter) }()
	err := carry(Adapter, adapter, client)
	client.Close()
	if e := <-gone; err == nil && e != nil && !strings.Contains(e.Error(), "closed") {
		err = e
	}
	return err
}

// frame reads a message and returns its header as it came, and its content.
func frame(r *bufio.Reader) (head string, raw []byte, err error) {
	size := -1
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			if err == io.EOF && head+line != "" {
				err = io.ErrUnexpectedEOF
			}
			return "", nil, err
		}
		head += line
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		k, v, ok := strings.Cut(line, ":")
		if !ok {
			return "", nil, fmt.Errorf("%q is not a header", line)
		}
		if strings.EqualFold(strings.TrimSpace(k), "Content-Length") {
			if size, err = strconv.Atoi(strings.TrimSpace(v)); err != nil || size < 0 || size > maxMessage {
				return "", nil, fmt.Errorf("%q is not a message length", v)
			}
		}
	}
	if size < 0 {
		return "", nil, fmt.Errorf("the header %q has no Content-Length", head)
	}
	raw = make([]byte, size)
	_, err = io.ReadFull(r, raw)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return head, raw, err
}
