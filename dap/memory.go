package dap

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"

	engine "stackscope/vm/debugger"
)

// memory is the memories that the client looks at.
type memory struct {
	common
	opened []string // memory references that the client has read
}

// parseMemory reads a memory reference: instance, memory index, address.
func parseMemory(s string) (engine.MemoryRef, int64, error) {
	p := strings.Split(s, ":")
	if len(p) == 3 {
		in, err1 := strconv.ParseUint(p[0], 10, 32)
		m, err2 := strconv.ParseUint(p[1], 10, 32)
		at, err3 := strconv.ParseInt(p[2], 0, 64)
		if err1 == nil && err2 == nil && err3 == nil && at >= 0 {
			return engine.MemoryRef{Instance: uint32(in), Index: uint32(m)}, at, nil
		}
	}
	return engine.MemoryRef{}, 0, fmt.Errorf("%q is not a memory reference", s)
}

// maxRead bounds one readMemory, in bytes.
const maxRead = 16 << 20

type readMemoryBody struct {
	Address         string `json:"address"`
	UnreadableBytes int    `json:"unreadableBytes,omitempty"`
	Data            string `json:"data,omitempty"`
}

func (mm *memory) onReadMemory(a *godap.ReadMemoryArguments) (any, error) {
	ref, at, err := parseMemory(a.MemoryReference)
	if err != nil {
		return nil, err
	}
	if a.Count < 0 {
		return nil, fmt.Errorf("the count is negative")
	}
	mm.open(a.MemoryReference)
	var out readMemoryBody
	err = mm.prog.whenStopped(func(e *engine.Engine) error {
		m := e.Inspector.Memory(ref)
		if m == nil {
			return fmt.Errorf("there is no such memory")
		}
		b := m.Bytes()
		from := at + int64(a.Offset)
		out.Address = fmt.Sprintf("0x%x", max(from, 0))
		if from < 0 || from >= int64(len(b)) {
			out.UnreadableBytes = a.Count
			return nil
		}
		n := min(int64(a.Count), int64(len(b))-from)
		out.UnreadableBytes = a.Count - int(n)
		if n > maxRead { // the rest can be read, by another request
			n, out.UnreadableBytes = maxRead, 0
		}
		out.Data = base64.StdEncoding.EncodeToString(b[from : from+n])
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

type writeMemoryBody struct {
	Offset       int `json:"offset,omitempty"`
	BytesWritten int `json:"bytesWritten"`
}

func (mm *memory) onWriteMemory(a *godap.WriteMemoryArguments) (any, error) {
	ref, at, err := parseMemory(a.MemoryReference)
	if err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(a.Data)
	if err != nil {
		return nil, fmt.Errorf("the data is not valid base64")
	}
	var out writeMemoryBody
	err = mm.prog.whenStopped(func(e *engine.Engine) error {
		m := e.Inspector.Memory(ref)
		if m == nil {
			return fmt.Errorf("there is no such memory")
		}
		b := m.Bytes()
		from := at + int64(a.Offset)
		if from < 0 || from > int64(len(b)) || int64(len(data)) > int64(len(b))-from && !a.AllowPartial {
			return userError{fmt.Errorf("%d bytes at 0x%x do not fit in a memory of %d bytes", len(data), from, len(b))}
		}
		if out.BytesWritten = copy(b[from:], data); out.BytesWritten > 0 {
			mm.open(a.MemoryReference)
			mm.changed(e, &ref, uint64(from), out.BytesWritten)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if out.BytesWritten > 0 {
		mm.out.invalidate()
	}
	return out, nil
}

// maxOpen is how many memory references are remembered.
const maxOpen = 64

// open records a reference that the client looks at: events are about such references only.
func (mm *memory) open(reference string) {
	mm.opened = slices.DeleteFunc(mm.opened, func(r string) bool { return r == reference })
	if len(mm.opened) >= maxOpen {
		mm.opened = mm.opened[1:]
	}
	mm.opened = append(mm.opened, reference)
}

// changed reports, if the client supports it, that n bytes at an address of a memory are
// others now, in the terms of each reference that it has read; of a nil memory: of all of every
// memory.
func (mm *memory) changed(e *engine.Engine, ref *engine.MemoryRef, at uint64, n int) {
	if !mm.client.memoryEvent {
		return
	}
	for _, r := range mm.opened {
		in, base, err := parseMemory(r)
		if err != nil || ref != nil && in != *ref {
			continue
		}
		body := godap.MemoryEventBody{MemoryReference: r, Offset: int(int64(at) - base), Count: n}
		if ref == nil {
			m := e.Inspector.Memory(in)
			if m == nil {
				continue
			}
			body.Offset, body.Count = int(-base), len(m.Bytes())
		}
		mm.out.then(func() { mm.out.event("memory", body) })
	}
}
