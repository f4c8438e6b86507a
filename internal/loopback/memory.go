package loopback

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// Memory goes back to the system some time after a session has ended, if there is much of it:
// collecting takes time that other sessions need, so sessions that end together share one
// collection.
const (
	muchMemory = 64 << 20
	settleTime = 300 * time.Millisecond
	restTime   = 10 * time.Second
)

var collecting struct {
	sync.Mutex
	timer *time.Timer // a collection is due
	last  time.Time
}

// giveBack arranges for memory to be returned to the system.
func giveBack() {
	collecting.Lock()
	defer collecting.Unlock()
	if collecting.timer != nil {
		return
	}
	wait := max(settleTime, time.Until(collecting.last.Add(restTime)))
	collecting.timer = time.AfterFunc(wait, func() {
		collecting.Lock()
		collecting.timer, collecting.last = nil, time.Now()
		collecting.Unlock()
		if held() > muchMemory {
			debug.FreeOSMemory()
		}
	})
}

// held returns how many bytes of the heap the process has from the system.
func held() uint64 {
	s := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
	}
	metrics.Read(s)
	sum := uint64(0)
	for _, x := range s {
		if x.Value.Kind() == metrics.KindUint64 {
			sum += x.Value.Uint64()
		}
	}
	return sum
}
