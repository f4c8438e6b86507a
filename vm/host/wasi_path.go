package host

import (
	"io/fs"
	"os"
	"path/filepath"
)

// dir returns the directory in argument i.
func (s *System) dir(c *call, i int) (*os.Root, error) {
	d, err := s.fd(c.U32(i))
	switch {
	case err != nil:
		return nil, err
	case d.root == nil:
		return nil, errNotdir
	}
	return d.root, nil
}

// dirPath returns the directory in argument i and the path in the two arguments from j on. os.Root
// rejects a path that leads out of the directory, by `..` or a symbolic link.
func (s *System) dirPath(c *call, i, j int) (*os.Root, string, error) {
	root, err := s.dir(c, i)
	if err != nil {
		return nil, "", err
	}
	p, err := c.path(j)
	if err == nil && p == "" {
		err = errNoent
	}
	return root, p, err
}

// Flags of path_open and of look-ups.
const (
	followLinks  = 1
	openCreate   = 1
	openDir      = 2
	openExclude  = 4
	openTruncate = 8
)

func pathOpen(s *System, c *call) error {
	root, path, err := s.dirPath(c, 0, 2)
	if err != nil {
		return err
	}
	parent := s.fds[c.U32(0)]
	follow, flags, rights, fdFlags := c.U32(1)&followLinks != 0, c.U32(4), c.Num(5), c.U32(7)
	if flags > 15 || fdFlags&^fdAllFlags != 0 || flags&openDir != 0 && flags&openCreate != 0 {
		return errInval
	}
	if _, err := c.bytes(c.U32(8), 4); err != nil {
		return err
	}
	info, err := root.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		switch {
		case flags&openCreate != 0 && flags&openExclude != 0:
			return errExist
		case !follow:
			return errLoop
		}
		info, err = root.Stat(path)
	}
	switch {
	case flags&openCreate != 0 && err != nil && parent.dropped&rightCreateFile != 0,
		flags&openTruncate != 0 && parent.dropped&rightPathSetSize != 0, rights&parent.droppedInside != 0:
		return errNotcapable
	}
	write := rights&rightsWrite != 0
	d := &descriptor{
		flags: uint16(fdFlags), dropped: parent.droppedInside, droppedInside: parent.droppedInside,
	}
	switch {
	case err == nil && info.IsDir():
		switch {
		case flags&openCreate != 0 && flags&openExclude != 0:
			return errExist
		case flags&(openCreate|openTruncate) != 0, flags&openDir == 0 && rights&rightWrite != 0:
			return errIsdir
		}
		if d.root, err = root.OpenRoot(path); err != nil {
			return err
		}
		d.base, d.rel = parent.base, filepath.Join(parent.rel, path)
	case err == nil && flags&openDir != 0:
		return errNotdir
	case err != nil && flags&openCreate == 0:
		return err
	default:
		mode := os.O_RDONLY
		switch {
		case write && rights&rightsRead != 0:
			mode = os.O_RDWR
		case write:
			mode = os.O_WRONLY
		}
		d.readOnly, d.writeOnly = mode == os.O_RDONLY, mode == os.O_WRONLY
		if fdFlags&fdSyncs != 0 {
			mode |= os.O_SYNC
		}
		if flags&openCreate != 0 {
			mode |= os.O_CREATE
		}
		if flags&openExclude != 0 {
			mode |= os.O_EXCL
		}
		if flags&openTruncate != 0 {
			mode |= os.O_TRUNC
		}
		if d.file, err = root.OpenFile(path, mode, 0o666); err != nil {
			return err
		}
	}
	n, err := s.open(d)
	if err != nil {
		return err
	}
	return c.putU32(c.U32(8), n)
}

func pathCreateDirectory(s *System, c *call) error {
	root, path, err := s.dirPath(c, 0, 1)
	if err != nil {
		return err
	}
	return root.Mkdir(path, 0o777)
}

func pathFilestatGet(s *System, c *call) error {
	root, path, err := s.dirPath(c, 0, 2)
	if err != nil {
		return err
	}
	p, err := c.filestat(c.U32(4))
	if err != nil {
		return err
	}
	stat := root.Lstat
	if c.U32(1)&followLinks != 0 {
		stat = root.Stat
	}
	info, err := stat(path)
	if err == nil {
		putFilestat(p, info)
	}
	return err
}

func pathFilestatSetTimes(s *System, c *call) error {
	root, path, err := s.dirPath(c, 0, 2)
	if err != nil {
		return err
	}
	a, m, err := s.newTimes(c.Num(4), c.Num(5), c.U32(6))
	if err != nil {
		return err
	}
	if c.U32(1)&followLinks == 0 {
		if info, err := root.Lstat(path); err != nil {
			return err
		} else if info.Mode()&fs.ModeSymlink != 0 {
			return errNotsup
		}
	}
	return root.Chtimes(path, a, m)
}

func pathLink(s *System, c *call) error {
	from, old, err := s.dirPath(c, 0, 2)
	if err != nil {
		return err
	}
	to, name, err := s.dirPath(c, 4, 5)
	switch {
	case err != nil:
		return err
	case c.U32(1)&followLinks != 0:
		return errInval
	case from == to:
		return from.Link(old, name)
	}
	base, old, name, err := s.common(c.U32(0), old, c.U32(4), name)
	if err != nil {
		return err
	}
	return base.Link(old, name)
}

// common returns the directory that two directories are in, and the paths from there of what is at
// a path in each. The error is errXdev if they were given at the start by themselves, or one has
// been moved.
func (s *System) common(a uint32, pathA string, b uint32, pathB string) (base *os.Root, x, y string, err error) {
	from := func(n uint32, path string) (string, error) {
		d := s.fds[n]
		// What is in the directory must not lead out of it.
		if _, err := d.root.Stat(filepath.Dir(filepath.Clean(path))); err != nil {
			return "", err
		}
		here, err := d.root.Stat(".")
		if err != nil {
			return "", err
		}
		there, err := d.base.Stat(d.rel)
		if err != nil || !os.SameFile(here, there) {
			return "", errXdev
		}
		return d.rel + "/" + path, nil
	}
	if s.fds[a].base != s.fds[b].base {
		return nil, "", "", errXdev
	}
	if x, err = from(a, pathA); err == nil {
		y, err = from(b, pathB)
	}
	return s.fds[a].base, x, y, err
}

func pathRename(s *System, c *call) error {
	from, old, err := s.dirPath(c, 0, 1)
	if err != nil {
		return err
	}
	to, name, err := s.dirPath(c, 3, 4)
	switch {
	case err != nil:
		return err
	case from == to:
		return from.Rename(old, name)
	}
	base, old, name, err := s.common(c.U32(0), old, c.U32(3), name)
	if err != nil {
		return err
	}
	return base.Rename(old, name)
}

func pathReadlink(s *System, c *call) error {
	root, path, err := s.dirPath(c, 0, 1)
	if err != nil {
		return err
	}
	buf, err := c.bytes(c.U32(3), c.U32(4))
	if err != nil {
		return err
	}
	target, err := root.Readlink(path)
	if err != nil {
		return err
	}
	return c.putU32(c.U32(5), uint32(copy(buf, target)))
}

func pathSymlink(s *System, c *call) error {
	target, err := c.path(0)
	if err != nil {
		return err
	}
	root, path, err := s.dirPath(c, 2, 3)
	switch {
	case err != nil:
		return err
	case target == "":
		return errNoent
	case target[0] == '/':
		return errNotcapable
	}
	return root.Symlink(target, path)
}

func pathRemoveDirectory(s *System, c *call) error {
	root, path, err := s.dirPath(c, 0, 1)
	if err != nil {
		return err
	}
	info, err := root.Lstat(path)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return errNotdir
	}
	return root.Remove(path)
}

func pathUnlinkFile(s *System, c *call) error {
	root, path, err := s.dirPath(c, 0, 1)
	if err != nil {
		return err
	}
	info, err := root.Lstat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return errIsdir
	}
	return root.Remove(path)
}
