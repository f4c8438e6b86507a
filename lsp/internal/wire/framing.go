package wire

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"strings"

	"go.lsp.dev/jsonrpc2"
)

const (
	MaxHeader = 8 << 10 // bytes of the header of a message
	maxBody   = 1 << 30 // bytes of a message
)

// stream is the framing of LSP that survives malformed input. The one of package jsonrpc2 ends the
// connection at the first message that it cannot read; this one answers with an error and goes on
// with the next `Content-Length`.
type stream struct {
	jsonrpc2.Stream // writes
	frames          interface {
		WriteFrame(ctx context.Context, data []byte) (int64, error)
	}
	in   *bufio.Reader
	body bytes.Buffer
	log  *slog.Logger
}

// NewStream returns the framing of the messages on a connection. Malformed messages are logged.
func NewStream(rwc io.ReadWriteCloser, log *slog.Logger) *stream {
	s := &stream{Stream: jsonrpc2.NewStream(rwc), in: bufio.NewReader(rwc), log: log}
	s.frames = s.Stream.(interface {
		WriteFrame(ctx context.Context, data []byte) (int64, error)
	})
	return s
}

// WriteFrame implements the raw framing that package jsonrpc2 uses for batches.
func (s *stream) WriteFrame(ctx context.Context, data []byte) (int64, error) {
	return s.frames.WriteFrame(ctx, data)
}

// Read implements jsonrpc2.Stream.
func (s *stream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	b, n, err := s.ReadFrame(ctx)
	if err != nil {
		return nil, 0, err
	}
	m, err := jsonrpc2.DecodeMessage(b)
	return m, n, err
}

// ReadFrame returns the next well-formed message: what is malformed before it is answered and
// skipped. The bytes are valid until the next call.
func (s *stream) ReadFrame(ctx context.Context) ([]byte, int64, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		n, bad, err := s.header()
		if bad != "" {
			if rerr := s.reject(ctx, jsonrpc2.ParseError, bad); rerr != nil {
				return nil, 0, rerr
			}
		}
		if err != nil {
			return nil, 0, err
		}
		// Memory grows with what arrives, not with what the header claims.
		s.body.Reset()
		s.body.Grow(min(n, 1<<20))
		if _, err := io.CopyN(&s.body, s.in, int64(n)); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, 0, err
		}
		b := s.body.Bytes()
		code, why := malformed(b)
		if why == "" {
			return b, int64(n), nil
		}
		if err := s.reject(ctx, code, why); err != nil {
			return nil, 0, err
		}
	}
}

// malformed returns what is wrong with a message, "" if it can be dispatched.
func malformed(b []byte) (jsonrpc2.Code, string) {
	if t := bytes.TrimLeft(b, " \t\r\n"); len(t) > 0 && t[0] == '[' {
		if json.Valid(b) {
			return 0, ""
		}
		return jsonrpc2.ParseError, "malformed JSON"
	}
	_, err := jsonrpc2.DecodeMessage(b)
	switch {
	case err == nil:
		return 0, ""
	case errors.Is(err, jsonrpc2.ErrParse):
		return jsonrpc2.ParseError, "malformed JSON"
	}
	return jsonrpc2.InvalidRequest, "not a JSON-RPC 2.0 message"
}

// reject answers a message that cannot be read. Its id is unknown, so the answer has none.
func (s *stream) reject(ctx context.Context, code jsonrpc2.Code, why string) error {
	s.log.Warn("malformed message", "reason", why)
	_, err := s.Write(ctx, jsonrpc2.NewResponse(jsonrpc2.ID{}, nil, jsonrpc2.NewError(code, why)))
	return err
}

// header reads a header and returns the length of the message after it. After a malformed header it
// finds the next `Content-Length` and says what was wrong; that is so even if err is not nil.
func (s *stream) header() (n int, bad string, err error) {
	n = -1
	for size := 0; ; {
		line, err := s.line(MaxHeader - size)
		size += len(line)
		if err != nil {
			if err == io.EOF && size > 0 {
				err = io.ErrUnexpectedEOF
			}
			if err != errLong {
				return 0, "", err
			}
		}
		text := strings.TrimRight(string(line), "\r\n")
		if err == nil && text == "" {
			if n > 0 {
				return n, "", nil
			}
			break
		}
		name, value, ok := strings.Cut(text, ":")
		if err != nil || !ok || !token(name) {
			return s.resync(text)
		}
		if strings.EqualFold(name, lengthField) {
			v, err := strconv.ParseUint(strings.TrimSpace(value), 10, 32)
			if err != nil || v == 0 || v > maxBody {
				return s.resync("")
			}
			n = int(v)
		}
	}
	return s.resync("")
}

const lengthField = "Content-Length"

// token reports whether a text can be the name of a header field.
func token(s string) bool {
	return s != "" &&
		!strings.ContainsFunc(
			s,
			func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) },
		)
}

var errLong = errors.New("header too long")

// line reads a line of a header with its end, of at most limit bytes.
func (s *stream) line(limit int) ([]byte, error) {
	var out []byte
	for len(out) < limit {
		b, err := s.in.ReadByte()
		if err != nil {
			return out, err
		}
		if out = append(out, b); b == '\n' {
			return out, nil
		}
	}
	return out, errLong
}

// resync skips what follows a malformed header up to a field `Content-Length` that has a usable
// number, and the rest of that header. The header that cannot be read may hold it already.
func (s *stream) resync(read string) (n int, bad string, err error) {
	bad = "malformed message header"
	in := io.MultiReader(strings.NewReader(tail(read)+"\r\n"), s.in)
	if read == "" {
		in = s.in
	}
	r, ok := in.(io.ByteReader)
	if !ok {
		r = oneByte{in}
	}
	want := strings.ToLower(lengthField + ":")
	for at := 0; ; {
		b, err := r.ReadByte()
		if err != nil {
			return 0, bad, ended(err)
		}
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		switch {
		case b == want[at]:
			at++
		case b == want[0]:
			at = 1 // no other beginning of the word repeats in it
		default:
			at = 0
		}
		if at < len(want) {
			continue
		}
		at = 0
		v, last, err := number(r)
		if err != nil {
			return 0, bad, ended(err)
		}
		if v <= 0 || v > maxBody || last != '\r' && last != '\n' {
			continue
		}
		if ok, err := blankLine(r, last); err != nil {
			return 0, bad, ended(err)
		} else if ok {
			return v, bad, nil
		}
	}
}

// tail returns the part of a header that was read from which a field may begin.
func tail(s string) string {
	if i := strings.LastIndex(strings.ToLower(s), strings.ToLower(lengthField)+":"); i >= 0 {
		return s[i:]
	}
	return s[max(0, len(s)-len(lengthField)):]
}

// number reads a decimal number after spaces, and the character after it.
func number(r io.ByteReader) (v int, last byte, err error) {
	digits := 0
	for {
		b, err := r.ReadByte()
		switch {
		case err != nil:
			return 0, 0, err
		case '0' <= b && b <= '9':
			if digits++; digits > 10 {
				return 0, b, nil
			}
			v = v*10 + int(b-'0')
		case (b == ' ' || b == '\t') && digits == 0:
		default:
			if digits == 0 {
				v = 0
			}
			return v, b, nil
		}
	}
}

// blankLine reads fields up to the empty line that ends a header; false if there is something else.
// last is the character before.
func blankLine(r io.ByteReader, last byte) (bool, error) {
	empty := last == '\n' // the line so far
	for range MaxHeader {
		b, err := r.ReadByte()
		switch {
		case err != nil:
			return false, err
		case b == '\n':
			if empty {
				return true, nil
			}
			empty = true
		case b == '\r':
		case b == '{':
			return false, nil
		default:
			empty = false
		}
	}
	return false, nil
}

func ended(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// oneByte reads byte by byte.
type oneByte struct{ io.Reader }

// ReadByte implements io.ByteReader.
func (r oneByte) ReadByte() (byte, error) {
	var b [1]byte
	_, err := io.ReadFull(r.Reader, b[:])
	return b[0], err
}
