//go:build !unix

package main

import "time"

// cpuTime returns the time since the program started: this system has no CPU time of a process.
func cpuTime() time.Duration { return time.Since(started) }

var started = time.Now()
