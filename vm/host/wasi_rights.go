package host

import "encoding/binary"

// Rights of descriptors, by their bits.
const (
	rightDatasync = 1 << iota
	rightRead
	rightSeek
	rightSetFlags
	rightSync
	rightTell
	rightWrite
	rightAdvise
	rightAllocate
	rightCreateDirectory
	rightCreateFile
	rightLinkSource
	rightLinkTarget
	rightOpen
	rightReaddir
	rightReadlink
	rightRenameSource
	rightRenameTarget
	rightPathStat
	rightPathSetSize
	rightPathSetTimes
	rightStat
	rightSetSize
	rightSetTimes
	rightSymlink
	rightRemoveDirectory
	rightUnlink
	rightPoll
	rightShutdown
	rightAccept
)

// Groups of rights.
const (
	rightsRead  = rightRead | rightReaddir
	rightsWrite = rightDatasync | rightWrite | rightAllocate | rightSetSize

	rightsAny = rightSetFlags | rightSync | rightStat | rightSetTimes | rightPoll // of all that is open
	// Libraries take a character device that cannot be sought in for a terminal.
	rightsStream = rightRead | rightWrite | rightDatasync | rightsAny&^rightSetTimes
	rightsFile   = rightsRead&^rightReaddir | rightsWrite | rightSeek | rightTell | rightAdvise | rightsAny
	rightsDir    = rightsAny&^rightPoll | rightDatasync | rightCreateDirectory | rightCreateFile |
		rightLinkSource | rightLinkTarget | rightOpen | rightReaddir | rightReadlink | rightRenameSource |
		rightRenameTarget | rightPathStat | rightPathSetSize | rightPathSetTimes | rightSymlink |
		rightRemoveDirectory | rightUnlink
)

// rights returns what can be done with a descriptor, and with what is opened through it. Nothing
// but the mode in which a file was opened limits that, and the program itself: it can drop rights.
func (d *descriptor) rights() (base, inheriting uint64) {
	switch {
	case d.root != nil:
		base, inheriting = rightsDir, rightsDir|rightsFile
	case d.file != nil:
		base = rightsFile
	default:
		base = rightsStream
	}
	if d.file != nil || d.root == nil {
		if !d.reads() {
			base &^= rightRead
		}
		if !d.writes() {
			base &^= rightsWrite
		}
	}
	return base &^ d.dropped, inheriting &^ d.droppedInside
}

// reads reports whether a file or stream is open for reading.
func (d *descriptor) reads() bool { return d.in != nil || d.file != nil && !d.writeOnly }

// writes reports whether a file or stream is open for writing.
func (d *descriptor) writes() bool { return d.out != nil || d.file != nil && !d.readOnly }

// need is a right that a function needs of the descriptor in an argument.
type need struct {
	arg   int
	right uint64
}

// needs lists the rights that functions need.
var needs = map[string][]need{
	"fd_advise":               {{0, rightAdvise}},
	"fd_allocate":             {{0, rightAllocate}},
	"fd_datasync":             {{0, rightDatasync}},
	"fd_fdstat_set_flags":     {{0, rightSetFlags}},
	"fd_filestat_get":         {{0, rightStat}},
	"fd_filestat_set_size":    {{0, rightSetSize}},
	"fd_filestat_set_times":   {{0, rightSetTimes}},
	"fd_pread":                {{0, rightRead}, {0, rightSeek}},
	"fd_pwrite":               {{0, rightWrite}, {0, rightSeek}},
	"fd_read":                 {{0, rightRead}},
	"fd_readdir":              {{0, rightReaddir}},
	"fd_seek":                 {{0, rightSeek}},
	"fd_sync":                 {{0, rightSync}},
	"fd_tell":                 {{0, rightTell}},
	"fd_write":                {{0, rightWrite}},
	"path_create_directory":   {{0, rightCreateDirectory}},
	"path_filestat_get":       {{0, rightPathStat}},
	"path_filestat_set_times": {{0, rightPathSetTimes}},
	"path_link":               {{0, rightLinkSource}, {4, rightLinkTarget}},
	"path_open":               {{0, rightOpen}},
	"path_readlink":           {{0, rightReadlink}},
	"path_remove_directory":   {{0, rightRemoveDirectory}},
	"path_rename":             {{0, rightRenameSource}, {3, rightRenameTarget}},
	"path_symlink":            {{2, rightSymlink}},
	"path_unlink_file":        {{0, rightUnlink}},
}

// permitted checks that the program has not dropped a right that a function needs.
func (s *System) permitted(name string, c *call) error {
	for _, n := range needs[name] {
		if d, err := s.fd(c.U32(n.arg)); err == nil && d.dropped&n.right != 0 {
			return errNotcapable
		}
	}
	return nil
}

// fdStatSetRights drops rights; it adds none.
func fdStatSetRights(s *System, c *call) error {
	d, err := s.fd(c.U32(0))
	if err != nil {
		return err
	}
	base, inheriting := d.rights()
	if c.Num(1)&^base != 0 || c.Num(2)&^inheriting != 0 {
		return errNotcapable
	}
	d.dropped |= base &^ c.Num(1)
	d.droppedInside |= inheriting &^ c.Num(2)
	return nil
}

func fdStatGet(s *System, c *call) error {
	d, err := s.fd(c.U32(0))
	if err != nil {
		return err
	}
	p, err := c.bytes(c.U32(1), 24)
	if err != nil {
		return err
	}
	info, err := d.stat()
	if err != nil {
		return err
	}
	clear(p)
	if info != nil {
		p[0] = fileType(info.Mode())
	}
	base, inheriting := d.rights()
	binary.LittleEndian.PutUint16(p[2:], d.flags)
	binary.LittleEndian.PutUint64(p[8:], base)
	binary.LittleEndian.PutUint64(p[16:], inheriting)
	return nil
}
