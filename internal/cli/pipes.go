package cli

import (
	"errors"
	"io"
)

// Pipes is standard input and output as one stream.
type Pipes struct {
	io.Reader
	io.Writer
}

// Close closes what can be closed.
func (p Pipes) Close() error {
	var errs []error
	for _, x := range []any{p.Reader, p.Writer} {
		if c, ok := x.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}
