package host

import (
	"encoding/binary"
	"io/fs"
	"math"
	"os"
	"time"

	"stackscope/vm"
	"stackscope/wasm"
)

// Sizes and kinds of poll_oneoff's structures.
const (
	subscriptionSize    = 48
	oldSubscriptionSize = 56 // of snapshot 0: a clock has a name of its own
	eventSize           = 32
	eventClock          = 0
	eventRead           = 1
	eventWrite          = 2
	clockAbsolute       = 1
)

// event is a subscription, and what came of it.
type event struct {
	user  uint64
	kind  byte
	err   errno
	bytes uint64 // that can be read, as far as is known; at least 1
	wait  uint64 // nanoseconds from now
	stdin *os.File
}

// subscription reads a subscription.
func (s *System) subscription(p []byte, old bool) (event, error) {
	e := event{user: binary.LittleEndian.Uint64(p), kind: p[8], bytes: 1}
	switch e.kind {
	case eventClock:
		clock := p[16:]
		if old {
			clock = p[24:]
		}
		now, err := s.clock(binary.LittleEndian.Uint32(clock))
		if err != nil {
			e.err = errInval
			break
		}
		e.wait = binary.LittleEndian.Uint64(clock[8:])
		if binary.LittleEndian.Uint16(clock[24:])&clockAbsolute != 0 {
			e.wait -= min(e.wait, now)
		}
	case eventRead, eventWrite:
		d, err := s.fd(binary.LittleEndian.Uint32(p[16:]))
		switch {
		case err != nil, d.root != nil, e.kind == eventRead && !d.reads(), e.kind == eventWrite && !d.writes():
			e.err = errBadf
		case d.dropped&rightPoll != 0:
			e.err = errNotcapable
		case e.kind == eventRead && d.file != nil:
			if at, err := d.file.Seek(0, 1); err == nil {
				if info, err := d.file.Stat(); err == nil {
					e.bytes = uint64(max(info.Size()-at, 1))
				}
			}
		case e.kind == eventRead:
			e.stdin = interactive(d)
		}
	default:
		return e, errInval
	}
	return e, nil
}

// interactive returns the file of a stream that may have nothing to read yet, nil if there is none.
func interactive(d *descriptor) *os.File {
	f, ok := d.in.(*os.File)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&(fs.ModeCharDevice|fs.ModeNamedPipe|fs.ModeSocket) == 0 {
		return nil
	}
	return f
}

// pollOneoff waits for the first of its subscriptions. Files and streams that are not interactive
// are always ready.
func pollOneoff(s *System, c *call) error {
	n, size := c.U32(2), uint32(subscriptionSize)
	if c.old {
		size = oldSubscriptionSize
	}
	if n == 0 {
		return errInval
	}
	if uint64(n)*uint64(size) > uint64(len(c.mem)) {
		return errFault
	}
	in, err := c.bytes(c.U32(0), n*size)
	if err != nil {
		return err
	}
	out, err := c.bytes(c.U32(1), n*eventSize)
	if err != nil {
		return err
	}
	if _, err := c.bytes(c.U32(3), 4); err != nil {
		return err
	}
	var events []event
	var stdin *os.File
	first := uint64(math.MaxUint64)
	for i := range n {
		e, err := s.subscription(in[i*size:], c.old)
		if err != nil {
			return err
		}
		if e.stdin != nil {
			stdin = e.stdin
		} else {
			first = min(first, e.wait)
		}
		events = append(events, e)
	}
	canRead := false
	switch done := c.Context().Done(); {
	case stdin != nil:
		canRead = waitForInput(stdin, first, done)
	case first > 0:
		s.conf.Sleep(time.Duration(min(first, math.MaxInt64)), done)
	}
	if c.Context().Err() != nil {
		return vm.NewTrap(wasm.TrapInterrupted, "")
	}
	if canRead {
		first = 0
	}
	ready := uint32(0)
	for _, e := range events {
		if e.wait > first || e.stdin != nil && !canRead {
			continue
		}
		p := out[ready*eventSize : (ready+1)*eventSize]
		clear(p)
		binary.LittleEndian.PutUint64(p, e.user)
		binary.LittleEndian.PutUint16(p[8:], uint16(e.err))
		p[10] = e.kind
		if e.kind != eventClock && e.err == 0 {
			binary.LittleEndian.PutUint64(p[16:], e.bytes)
		}
		ready++
	}
	return c.putU32(c.U32(3), ready)
}

// inputSlice is how long the operating system waits for input at a time.
const inputSlice = 20 * time.Millisecond

// waitForInput waits until something can be read, for so many nanoseconds or until the channel is
// closed.
func waitForInput(f *os.File, nanoseconds uint64, done <-chan struct{}) bool {
	for {
		slice := time.Duration(min(nanoseconds, uint64(inputSlice)))
		if readable(f, slice) {
			return true
		}
		if nanoseconds != math.MaxUint64 {
			if nanoseconds -= uint64(slice); nanoseconds == 0 {
				return false
			}
		}
		select {
		case <-done:
			return false
		default:
		}
	}
}
