package host

import (
	"io/fs"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// details returns what fs.FileInfo has no method for.
func details(info fs.FileInfo) (dev, ino, links uint64, atime, ctime time.Time) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, 1, info.ModTime(), info.ModTime()
	}
	return st.Dev, st.Ino, uint64(st.Nlink), time.Unix(st.Atim.Unix()), time.Unix(st.Ctim.Unix())
}

// setTimes sets the times of an open file; a zero time is not changed.
func setTimes(f *os.File, a, m time.Time) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, _, _, atime, _ := details(info)
	tv := func(t, old time.Time) syscall.Timeval {
		if t.IsZero() {
			t = old
		}
		return syscall.NsecToTimeval(t.UnixNano())
	}
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var done error
	err = c.Control(func(fd uintptr) {
		done = syscall.Futimes(int(fd), []syscall.Timeval{tv(a, atime), tv(m, info.ModTime())})
	})
	if err != nil {
		return err
	}
	return done
}

// readable waits until something can be read from a file, or its end or an error is known, at most
// for a time.
func readable(f *os.File, wait time.Duration) bool {
	c, err := f.SyscallConn()
	if err != nil {
		return true
	}
	ready := true
	_ = c.Control(func(fd uintptr) {
		var set syscall.FdSet
		bits := uintptr(8 * unsafe.Sizeof(set.Bits[0]))
		if fd >= bits*uintptr(len(set.Bits)) {
			return
		}
		set.Bits[fd/bits] |= 1 << (fd % bits)
		tv := syscall.NsecToTimeval(int64(wait))
		n, err := syscall.Select(int(fd)+1, &set, nil, nil, &tv)
		ready = n > 0 || err != nil && err != syscall.EINTR
	})
	return ready
}
