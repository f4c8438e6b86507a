package host

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"
)

// errno is an error number of WASI preview 1.
type errno uint16

// The numbers that this package uses.
const (
	errAcces       errno = 2
	errAgain       errno = 6
	errBadf        errno = 8
	errBusy        errno = 10
	errExist       errno = 20
	errFault       errno = 21
	errFbig        errno = 22
	errIlseq       errno = 25
	errIntr        errno = 27
	errInval       errno = 28
	errIO          errno = 29
	errIsdir       errno = 31
	errLoop        errno = 32
	errMfile       errno = 33
	errMlink       errno = 34
	errNametoolong errno = 37
	errNfile       errno = 41
	errNoent       errno = 44
	errNomem       errno = 48
	errNospc       errno = 51
	errNosys       errno = 52
	errNotdir      errno = 54
	errNotempty    errno = 55
	errNotsock     errno = 57
	errNotsup      errno = 58
	errNxio        errno = 60
	errOverflow    errno = 61
	errPerm        errno = 63
	errPipe        errno = 64
	errRofs        errno = 69
	errSpipe       errno = 70
	errTxtbsy      errno = 74
	errXdev        errno = 75
	errNotcapable  errno = 76
)

// Error returns a text for people who debug this package; programs get the number.
func (e errno) Error() string { return fmt.Sprintf("wasi error number %d", uint16(e)) }

// systemErrors maps errors of the operating system; wasi_errno_txtbsy.go adds the one that not
// every system has.
var systemErrors = map[syscall.Errno]errno{
	syscall.EACCES:       errAcces,
	syscall.EAGAIN:       errAgain,
	syscall.EBADF:        errBadf,
	syscall.EBUSY:        errBusy,
	syscall.EEXIST:       errExist,
	syscall.EFBIG:        errFbig,
	syscall.EILSEQ:       errIlseq,
	syscall.EINTR:        errIntr,
	syscall.EINVAL:       errInval,
	syscall.EIO:          errIO,
	syscall.EISDIR:       errIsdir,
	syscall.ELOOP:        errLoop,
	syscall.EMFILE:       errMfile,
	syscall.EMLINK:       errMlink,
	syscall.ENAMETOOLONG: errNametoolong,
	syscall.ENFILE:       errNfile,
	syscall.ENOENT:       errNoent,
	syscall.ENOMEM:       errNomem,
	syscall.ENOSPC:       errNospc,
	syscall.ENOSYS:       errNosys,
	syscall.ENOTDIR:      errNotdir,
	syscall.ENOTEMPTY:    errNotempty,
	syscall.ENOTSUP:      errNotsup,
	syscall.ENXIO:        errNxio,
	syscall.EOVERFLOW:    errOverflow,
	syscall.EPERM:        errPerm,
	syscall.EPIPE:        errPipe,
	syscall.EROFS:        errRofs,
	syscall.ESPIPE:       errSpipe,
	syscall.EXDEV:        errXdev,
}

// errnoOf returns the number of an error of the operating system.
func errnoOf(err error) errno {
	var e errno
	var sys syscall.Errno
	var path *fs.PathError
	var link interface{ Unwrap() error }
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &sys):
		if e, ok := systemErrors[sys]; ok {
			return e
		}
		return errIO
	case errors.Is(err, fs.ErrNotExist):
		return errNoent
	case errors.Is(err, fs.ErrExist):
		return errExist
	case errors.Is(err, fs.ErrPermission):
		return errAcces
	case errors.Is(err, fs.ErrInvalid):
		return errInval
	case errors.Is(err, fs.ErrClosed):
		return errBadf
	case errors.Is(err, io.ErrClosedPipe):
		return errPipe
	case errors.As(err, &path):
		return errNotcapable // os.Root's only error of its own: the path leads out of the directory
	case errors.As(err, &link):
		return errNotcapable // the same of two paths
	}
	return errIO
}
