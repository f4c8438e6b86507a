package host

import (
	"io"

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
