//go:build !linux

package host

import (
	"io/fs"
	"os"
	"time"
)

// details returns what fs.FileInfo has no method for; nothing on this system.
func details(info fs.FileInfo) (dev, ino, links uint64, atime, ctime time.Time) {
	return 0, 0, 1, info.ModTime(), info.ModTime()
}

// setTimes sets the times of an open file; a zero time is not changed. Not supported on this
// system.
func setTimes(*os.File, time.Time, time.Time) error { return errNotsup }

// readable reports whether something can be read. This system does not tell: true.
func readable(*os.File, time.Duration) bool { return true }
