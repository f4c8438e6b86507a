package host

import (
	"encoding/binary"
	"io"
	"math"
	"time"

	"stackscope/vm"
	"stackscope/wasm"
)

// The clocks. Those of the process and the thread equal the monotonic one.
const (
	clockRealtime = iota
	clockMonotonic
	clockProcess
	clockThread
)

// clock returns the time of a clock in nanoseconds.
func (s *System) clock(id uint32) (uint64, error) {
	switch id {
	case clockRealtime:
		return uint64(s.conf.Now().UnixNano()), nil
	case clockMonotonic, clockProcess, clockThread:
		return uint64(s.conf.Now().Sub(s.start)), nil
	}
	return 0, errInval
}

func clockRes(s *System, c *call) error {
	if _, err := s.clock(c.U32(0)); err != nil {
		return err
	}
	return c.putU64(c.U32(1), 1)
}

func clockTime(s *System, c *call) error {
	t, err := s.clock(c.U32(0)) // argument 1 is the precision
	if err != nil {
		return err
	}
	return c.putU64(c.U32(2), t)
}

func random(s *System, c *call) error {
	b, err := c.bytes(c.U32(0), c.U32(1))
	for err == nil && len(b) > 0 { // in parts, so that the call can be ended soon
		part := b[:min(len(b), randomPart)]
		if _, err = io.ReadFull(s.conf.Random, part); err == nil {
			b = b[len(part):]
			err = c.Context().Err()
		}
	}
	if c.Context().Err() != nil {
		return vm.NewTrap(wasm.TrapInterrupted, "")
	}
	return err
}

// randomPart is how many random bytes are made at a time.
const randomPart = 1 << 20

// Sizes and kinds of poll_oneoff's structures.
const (
	subscriptionSize = 48
	eventSize        = 32
	eventClock       = 0
	eventRead        = 1
	eventWrite       = 2
	clockAbsolute    = 1
)

// pollOneoff waits for the first of its subscriptions: descriptors are always ready, else the
// earliest clock is.
func pollOneoff(s *System, c *call) error {
	n := c.U32(2)
	if n == 0 {
		return errInval
	}
	if uint64(n)*subscriptionSize > uint64(len(c.mem)) {
		return errFault
	}
	in, err := c.bytes(c.U32(0), n*subscriptionSize)
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
	type event struct {
		user uint64
		kind byte
		err  errno
		wait uint64 // nanoseconds from now
	}
	var events []event
	first := uint64(math.MaxUint64)
	for i := range int(n) {
		p := in[i*subscriptionSize:]
		e := event{user: binary.LittleEndian.Uint64(p), kind: p[8]}
		switch e.kind {
		case eventClock:
			now, err := s.clock(binary.LittleEndian.Uint32(p[16:]))
			if err != nil {
				e.err = errInval
				break
			}
			e.wait = binary.LittleEndian.Uint64(p[24:])
			if binary.LittleEndian.Uint16(p[40:])&clockAbsolute != 0 {
				e.wait -= min(e.wait, now)
			}
		case eventRead, eventWrite:
			d, err := s.fd(binary.LittleEndian.Uint32(p[16:]))
			if err != nil || d.root != nil {
				e.err = errBadf
			}
		default:
			return errInval
		}
		first = min(first, e.wait)
		events = append(events, e)
	}
	if first > 0 {
		done := c.Context().Done()
		s.conf.Sleep(time.Duration(min(first, math.MaxInt64)), done)
		select {
		case <-done:
			return vm.NewTrap(wasm.TrapInterrupted, "")
		default:
		}
	}
	ready := uint32(0)
	for _, e := range events {
		if e.wait > first {
			continue
		}
		p := out[ready*eventSize : (ready+1)*eventSize]
		clear(p)
		binary.LittleEndian.PutUint64(p, e.user)
		binary.LittleEndian.PutUint16(p[8:], uint16(e.err))
		p[10] = e.kind
		if e.kind != eventClock && e.err == 0 {
			binary.LittleEndian.PutUint64(p[16:], 1) // bytes that can be read or written, at least
		}
		ready++
	}
	return c.putU32(c.U32(3), ready)
}
