package vm

import "sync"

// hostWatch is the host function that runs, for who looks from another goroutine. It is kept only
// while somebody debugs.
type hostWatch struct {
	mu sync.Mutex
	fn *Func
}

// set records the host function that runs from here on, nil for none. It waits for who is looking.
func (w *hostWatch) set(fn *Func) {
	w.mu.Lock()
	w.fn = fn
	w.mu.Unlock()
}

// InHost calls f with the host function that runs, if one does and there is a probe. It may be
// called from any goroutine: as long as f runs the host function does not return, so that stacks
// stand still. f must not change anything.
func (v Inspection) InHost(f func(*Func)) bool {
	v.m.hostWatch.mu.Lock()
	defer v.m.hostWatch.mu.Unlock()
	if v.m.hostWatch.fn == nil {
		return false
	}
	f(v.m.hostWatch.fn)
	return true
}
