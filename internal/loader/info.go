package loader

import (
	"os"
	"time"

	"stackscope/analysis/debuginfo/load"
	"stackscope/internal/files"
)

// openInfo opens what a binary module says of the source that it was compiled from, and makes what
// finds the files of it.
func (u *Unit) openInfo(c *Config) {
	if u.data == nil || u.Info != nil {
		return
	}
	o := load.Options{}
	var built time.Time
	if u.path != "-" {
		o.Path = u.path
		o.Read = func(path string, max int64) ([]byte, error) { return files.Read(c.Context, path, max) }
		if info, err := os.Stat(u.path); err == nil {
			built = info.ModTime()
		}
	}
	u.Info = load.Open(u.Module, u.data, o)
	u.Sources = c.Sources.For(o.Path, built)
}
