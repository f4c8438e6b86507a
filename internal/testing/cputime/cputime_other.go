//go:build !unix

package cputime

import "time"

// Used returns the time since the program started: this system reports no processor time.
func Used() time.Duration { return time.Since(started) }

var started = time.Now()
