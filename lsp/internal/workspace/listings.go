package workspace

import (
	"context"
	"os"
	"sync"
	"time"

	"stackscope/analysis/debuginfo/listing"
	"stackscope/analysis/debuginfo/load"
	"stackscope/analysis/debuginfo/sources"
	"stackscope/internal/files"
	"stackscope/wasm/binary"
)

// maxListings is how many printed modules are remembered with their places of source.
const maxListings = 4

// Listings remembers the printed modules that were asked for last.
type Listings struct {
	mu   sync.Mutex
	made []*madeListing // the last one was used last
}

// madeListing is a printed module, of one version of its file.
type madeListing struct {
	path  string
	built time.Time
	size  int64
	open  func() *listing.Listing // nil: the file is no module
}

// Of returns a printed module; nil: the file is not one, or not there.
func (c *Listings) Of(ctx context.Context, path string) *listing.Listing {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	c.mu.Lock()
	m := &madeListing{path: path, built: info.ModTime(), size: info.Size()}
	m.open = sync.OnceValue(func() *listing.Listing { return openListing(context.WithoutCancel(ctx), path) })
	kept := c.made[:0]
	for _, x := range c.made {
		switch {
		case x.path != path:
			kept = append(kept, x)
		case x.built.Equal(m.built) && x.size == m.size:
			m = x
		}
	}
	kept = kept[max(0, len(kept)-maxListings+1):]
	c.made = append(kept, m)
	c.mu.Unlock()
	return m.open()
}

func openListing(ctx context.Context, path string) *listing.Listing {
	data, err := files.Read(ctx, path, files.MaxSize)
	if err != nil {
		return nil
	}
	m, err := binary.Decode(data)
	if err != nil {
		return nil
	}
	info, finder := load.OpenFile(ctx, path, m, data, &sources.Finder{})
	if info == nil {
		return nil
	}
	return listing.New(m, info, finder)
}
