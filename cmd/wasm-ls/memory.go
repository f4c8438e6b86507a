package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// What the server may hold before memory is collected: garbage up to slackBytes in all, so that a
// large file is opened without stopping to collect, and at least slackPercent of what is in use.
// Every edit copies the text, so more garbage than that only makes the process larger.
const (
	slackBytes   = 64 << 20
	slackPercent = 50
	// What the process should not grow beyond without need, at least; more if more is in use.
	softBytes = 192 << 20
)

// tuneMemory sets how often memory is collected, again after each collection.
func tuneMemory() {
	// The runtime's least heap is 4 MiB for each 100 percent.
	debug.SetGCPercent(slackBytes / (4 << 20) * 100)
	debug.SetMemoryLimit(softBytes)
	watch(new(int64))
}

// watch arranges for the next collection to call adjust: it ends the sentinel's life.
func watch(sentinel *int64) {
	runtime.SetFinalizer(sentinel, func(*int64) {
		adjust()
		watch(new(int64))
	})
}

// adjust sets the room for garbage by what the last collection left in use.
func adjust() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if live[0].Value.Kind() != metrics.KindUint64 {
		return
	}
	debug.SetGCPercent(gcPercent(live[0].Value.Uint64()))
	debug.SetMemoryLimit(softLimit(live[0].Value.Uint64()))
}

// softLimit returns the bytes from which memory is collected early and given back to the system:
// with room enough over what is in use that collecting does not become the main work.
func softLimit(live uint64) int64 { return int64(max(softBytes, live/2*5)) }

// gcPercent returns the room for garbage in percent of the bytes in use.
func gcPercent(live uint64) int {
	live = max(live, 4<<20)
	return int(max(slackPercent, (slackBytes-min(live, slackBytes))*100/live))
}
