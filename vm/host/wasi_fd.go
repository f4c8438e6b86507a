package host

import (
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"time"
)

// descriptor is an open file, directory or stream; exactly one of in, out, file and root is set.
type descriptor struct {
	in        io.Reader
	out       io.Writer
	file      *os.File
	root      *os.Root
	preopen   string // the name a directory was given at the start
	isPreopen bool
	flags     uint16 // fdAppend …
	list      []fs.DirEntry

	base *os.Root // of a directory: the one that was given at the start
	rel  string   // and the path from there, when it was opened

	readOnly, writeOnly    bool // of a file
	dropped, droppedInside uint64
}

// The types of files.
const (
	typeUnknown   = 0
	typeBlock     = 1
	typeChar      = 2
	typeDirectory = 3
	typeRegular   = 4
	typeStream    = 6
	typeSymlink   = 7
)

// Flags of descriptors.
const (
	fdAppend   = 1
	fdNonblock = 4
	fdAllFlags = 31
	fdSyncs    = fdAllFlags &^ fdAppend &^ fdNonblock // dsync, rsync, sync
)

const maxFiles = 1 << 12

func (d *descriptor) close() error {
	switch {
	case d.file != nil:
		return d.file.Close()
	case d.root != nil:
		return d.root.Close()
	}
	return nil
}

// fd returns an open descriptor.
func (s *System) fd(n uint32) (*descriptor, error) {
	if uint64(n) >= uint64(len(s.fds)) || s.fds[n] == nil {
		return nil, errBadf
	}
	return s.fds[n], nil
}

// open adds a descriptor at the lowest free number.
func (s *System) open(d *descriptor) (uint32, error) {
	n := slices.Index(s.fds, nil)
	if n < 0 {
		n = len(s.fds)
		if n >= maxFiles {
			return 0, errors.Join(errMfile, d.close())
		}
		s.fds = append(s.fds, nil)
	}
	s.fds[n] = d
	return uint32(n), nil
}

// regular returns the file of a descriptor that supports seeking.
func (s *System) regular(n uint32) (*descriptor, *os.File, error) {
	d, err := s.fd(n)
	switch {
	case err != nil:
		return nil, nil, err
	case d.root != nil:
		return nil, nil, errBadf
	case d.file == nil:
		return nil, nil, errSpipe
	}
	return d, d.file, nil
}

// stat returns information on the file of a descriptor; nil for a stream that is none.
func (d *descriptor) stat() (fs.FileInfo, error) {
	switch {
	case d.file != nil:
		return d.file.Stat()
	case d.root != nil:
		return d.root.Stat(".")
	case d.in != nil:
		if f, ok := d.in.(*os.File); ok {
			return f.Stat()
		}
	}
	if f, ok := d.out.(*os.File); ok {
		return f.Stat()
	}
	return nil, nil
}

func fileType(m fs.FileMode) byte {
	switch {
	case m.IsRegular():
		return typeRegular
	case m.IsDir():
		return typeDirectory
	case m&fs.ModeSymlink != 0:
		return typeSymlink
	case m&fs.ModeCharDevice != 0:
		return typeChar
	case m&fs.ModeDevice != 0:
		return typeBlock
	case m&fs.ModeSocket != 0:
		return typeStream
	}
	return typeUnknown
}

func fdClose(s *System, c *call) error {
	d, err := s.fd(c.U32(0))
	if err != nil {
		return err
	}
	s.fds[c.U32(0)] = nil
	return d.close()
}

func fdRenumber(s *System, c *call) error {
	from, to := c.U32(0), c.U32(1)
	d, err := s.fd(from)
	if err != nil {
		return err
	}
	old, err := s.fd(to)
	if err != nil || from == to {
		return err
	}
	s.fds[to], s.fds[from] = d, nil
	return old.close()
}

func fdStatSetFlags(s *System, c *call) error {
	d, err := s.fd(c.U32(0))
	if err != nil {
		return err
	}
	f := c.U32(1)
	switch {
	case f&^fdAllFlags != 0:
		return errInval
	case (uint16(f)^d.flags)&fdSyncs != 0: // a file is opened with them
		return errNotsup
	}
	d.flags = uint16(f)
	return nil
}

// filestat returns where a filestat is to be written.
func (c *call) filestat(at uint32) ([]byte, error) {
	if c.old {
		return c.bytes(at, 56)
	}
	return c.bytes(at, 64)
}

// putFilestat writes a filestat. In snapshot 0 the number of links has 32 bits, and what follows is
// 8 bytes earlier.
func putFilestat(p []byte, info fs.FileInfo) {
	clear(p)
	if info == nil {
		return
	}
	dev, ino, links, atime, ctime := details(info)
	binary.LittleEndian.PutUint64(p, dev)
	binary.LittleEndian.PutUint64(p[8:], ino)
	p[16] = fileType(info.Mode())
	tail := p[len(p)-32:]
	if len(p) == 56 {
		binary.LittleEndian.PutUint32(p[20:], uint32(min(links, math.MaxUint32)))
	} else {
		binary.LittleEndian.PutUint64(p[24:], links)
	}
	binary.LittleEndian.PutUint64(tail, uint64(info.Size()))
	binary.LittleEndian.PutUint64(tail[8:], uint64(atime.UnixNano()))
	binary.LittleEndian.PutUint64(tail[16:], uint64(info.ModTime().UnixNano()))
	binary.LittleEndian.PutUint64(tail[24:], uint64(ctime.UnixNano()))
}

func fdFilestatGet(s *System, c *call) error {
	d, err := s.fd(c.U32(0))
	if err != nil {
		return err
	}
	p, err := c.filestat(c.U32(1))
	if err != nil {
		return err
	}
	info, err := d.stat()
	if err == nil {
		putFilestat(p, info)
	}
	return err
}

func fdFilestatSetSize(s *System, c *call) error {
	_, f, err := s.regular(c.U32(0))
	if err != nil {
		return err
	}
	if c.Num(1) > math.MaxInt64 {
		return errFbig
	}
	return f.Truncate(int64(c.Num(1)))
}

// Flags of set_times.
const (
	setAtime = 1 << iota
	setAtimeNow
	setMtime
	setMtimeNow
)

// newTimes returns the times to set, by two times and flags; zero where one is not to be changed.
func (s *System) newTimes(atim, mtim uint64, flags uint32) (a, m time.Time, err error) {
	pick := func(t uint64, set, now bool) (time.Time, error) {
		switch {
		case set && now:
			return time.Time{}, errInval
		case set:
			return time.Unix(0, int64(t)), nil
		case now:
			return s.conf.Now(), nil
		}
		return time.Time{}, nil
	}
	if a, err = pick(atim, flags&setAtime != 0, flags&setAtimeNow != 0); err == nil {
		m, err = pick(mtim, flags&setMtime != 0, flags&setMtimeNow != 0)
	}
	return a, m, err
}

func fdFilestatSetTimes(s *System, c *call) error {
	d, err := s.fd(c.U32(0))
	if err != nil {
		return err
	}
	a, m, err := s.newTimes(c.Num(1), c.Num(2), c.U32(3))
	switch {
	case err != nil:
		return err
	case d.root != nil:
		return d.root.Chtimes(".", a, m)
	case d.file != nil:
		return setTimes(d.file, a, m)
	}
	return errInval
}

func fdAdvise(s *System, c *call) error {
	if _, _, err := s.regular(c.U32(0)); err != nil {
		return err
	}
	if c.U32(3) > 5 {
		return errInval
	}
	return nil
}

// fdAllocate makes the file at least as long as the range.
func fdAllocate(s *System, c *call) error {
	_, f, err := s.regular(c.U32(0))
	if err != nil {
		return err
	}
	end := c.Num(1) + c.Num(2)
	switch {
	case c.Num(2) == 0:
		return errInval
	case end < c.Num(1) || end > math.MaxInt64:
		return errFbig
	}
	info, err := f.Stat()
	if err != nil || info.Size() >= int64(end) {
		return err
	}
	return f.Truncate(int64(end))
}

func fdSync(s *System, c *call) error {
	d, err := s.fd(c.U32(0))
	if err != nil || d.file == nil {
		return err
	}
	return d.file.Sync()
}

// transfer does one operation per buffer until one is short, and writes the number of bytes.
func transfer(c *call, bufs [][]byte, result int, op func([]byte) (int, error)) error {
	if _, err := c.bytes(c.U32(result), 4); err != nil {
		return err
	}
	total := 0
	for _, b := range bufs {
		if len(b) == 0 {
			continue
		}
		n, err := op(b)
		total += n
		if err != nil && err != io.EOF && total == 0 {
			return err
		}
		if err != nil || n < len(b) {
			break
		}
	}
	return c.putU32(c.U32(result), uint32(total))
}

func fdRead(s *System, c *call) error {
	d, err := s.fd(c.U32(0))
	if err != nil {
		return err
	}
	bufs, err := c.buffers(1)
	switch {
	case err != nil:
		return err
	case d.file != nil:
		return transfer(c, bufs, 3, d.file.Read)
	case d.in != nil:
		return transfer(c, bufs, 3, d.in.Read)
	}
	return errBadf
}

func fdWrite(s *System, c *call) error {
	d, err := s.fd(c.U32(0))
	if err != nil {
		return err
	}
	bufs, err := c.buffers(1)
	switch {
	case err != nil:
		return err
	case d.file != nil:
		if d.flags&fdAppend != 0 {
			if _, err := d.file.Seek(0, io.SeekEnd); err != nil {
				return err
			}
		}
		return transfer(c, bufs, 3, d.file.Write)
	case d.out != nil:
		return transfer(c, bufs, 3, d.out.Write)
	}
	return errBadf
}

// at returns an operation that advances from an offset.
func at(op func([]byte, int64) (int, error), off uint64) func([]byte) (int, error) {
	return func(b []byte) (int, error) {
		n, err := op(b, int64(off))
		off += uint64(n)
		return n, err
	}
}

func fdPread(s *System, c *call) error {
	_, f, err := s.regular(c.U32(0))
	if err != nil {
		return err
	}
	bufs, err := c.buffers(1)
	switch {
	case err != nil:
		return err
	case c.Num(3) > math.MaxInt64:
		return errInval
	}
	return transfer(c, bufs, 4, at(f.ReadAt, c.Num(3)))
}

func fdPwrite(s *System, c *call) error {
	_, f, err := s.regular(c.U32(0))
	if err != nil {
		return err
	}
	bufs, err := c.buffers(1)
	switch {
	case err != nil:
		return err
	case c.Num(3) > math.MaxInt64:
		return errInval
	}
	return transfer(c, bufs, 4, at(f.WriteAt, c.Num(3)))
}

func fdSeek(s *System, c *call) error {
	_, f, err := s.regular(c.U32(0))
	if err != nil {
		return err
	}
	whence := c.U32(2)
	if whence > 2 {
		return errInval
	}
	if c.old { // from the current place, from the end, from the start
		whence = (whence + 1) % 3
	}
	if _, err := c.bytes(c.U32(3), 8); err != nil {
		return err
	}
	n, err := f.Seek(int64(c.Num(1)), int(whence))
	if err != nil {
		return err
	}
	return c.putU64(c.U32(3), uint64(n))
}

func fdTell(s *System, c *call) error {
	_, f, err := s.regular(c.U32(0))
	if err != nil {
		return err
	}
	n, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	return c.putU64(c.U32(1), uint64(n))
}

func fdPrestatGet(s *System, c *call) error {
	d, err := s.fd(c.U32(0))
	if err != nil {
		return err
	}
	if !d.isPreopen {
		return errBadf
	}
	p, err := c.bytes(c.U32(1), 8)
	if err == nil {
		clear(p)
		binary.LittleEndian.PutUint32(p[4:], uint32(len(d.preopen)))
	}
	return err
}

func fdPrestatDirName(s *System, c *call) error {
	d, err := s.fd(c.U32(0))
	switch {
	case err != nil:
		return err
	case !d.isPreopen:
		return errBadf
	case uint64(c.U32(2)) < uint64(len(d.preopen)):
		return errNametoolong
	}
	p, err := c.bytes(c.U32(1), uint32(len(d.preopen)))
	copy(p, d.preopen)
	return err
}

// fdReaddir writes entries from a cookie on, the last one cut where the buffer ends: a full buffer
// means that there is more. Entries are `.`, `..` and the rest by name.
func fdReaddir(s *System, c *call) error {
	d, err := s.fd(c.U32(0))
	switch {
	case err != nil:
		return err
	case d.root == nil:
		return errNotdir
	}
	buf, err := c.bytes(c.U32(1), c.U32(2))
	if err != nil {
		return err
	}
	if _, err := c.bytes(c.U32(4), 4); err != nil {
		return err
	}
	cookie := c.Num(3)
	if cookie == 0 || d.list == nil {
		if d.list, err = readDir(d.root); err != nil {
			return err
		}
	}
	used := 0
	for i := cookie; i < uint64(len(d.list))+2 && used < len(buf); i++ {
		name, kind := ".", byte(typeDirectory)
		switch {
		case i == 1:
			name = ".."
		case i > 1:
			name, kind = d.list[i-2].Name(), fileType(d.list[i-2].Type())
		}
		head := make([]byte, 24, 24+len(name))
		binary.LittleEndian.PutUint64(head, i+1)
		if name != ".." { // which may be outside
			if info, err := d.root.Lstat(name); err == nil {
				_, ino, _, _, _ := details(info)
				binary.LittleEndian.PutUint64(head[8:], ino)
			}
		}
		binary.LittleEndian.PutUint32(head[16:], uint32(len(name)))
		head[20] = kind
		used += copy(buf[used:], append(head, name...))
	}
	return c.putU32(c.U32(4), uint32(used))
}

func readDir(root *os.Root) ([]fs.DirEntry, error) {
	f, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return list, err
}

func notSocket(s *System, c *call) error {
	if _, err := s.fd(c.U32(0)); err != nil {
		return err
	}
	return errNotsock
}
