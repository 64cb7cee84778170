package disk

import (
	"fmt"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	// lookEvery and lookBytes bound what is written between two looks at the
	// file system, which take about a microsecond each.
	lookEvery = 10 * time.Millisecond
	lookBytes = 256 << 10
	// marginShare of the reserve has to be free beyond it before writing goes
	// on, so that it does not stop and go with every file.
	marginShare = 8
)

// Guard keeps a reserve on the disk of a folder. It is safe for concurrent
// use. What was allowed and is not written yet is not counted, so the reserve
// can be touched by what its callers write at the same time.
type Guard struct {
	dir     string
	reserve int64
	space   func(path string) (Space, error)

	mu      sync.Mutex
	looked  time.Time
	free    int64 // at the last look, less what was allowed since
	allowed int64 // since the last look
	needed  int64 // free bytes with which writing goes on; 0 while it does
}

// NewGuard returns a Guard that keeps reserve bytes free on the disk of dir.
// space is asked for what is free; nil is SpaceOf.
func NewGuard(dir string, reserve int64, space func(path string) (Space, error)) *Guard {
	if space == nil {
		space = SpaceOf
	}
	return &Guard{dir: dir, reserve: reserve, space: space}
}

// Room returns nil where that many bytes may be written, else an error of the
// kind Unavailable that tells what to do. Once it has refused, it does so
// until there is room for what it refused, and some more.
func (g *Guard) Room(bytes int64) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.look(bytes)
	switch {
	case g.needed == 0 && g.free-bytes < g.reserve:
		g.needed = g.reserve + max(g.reserve/marginShare, bytes)
	case g.needed > 0 && g.free >= g.needed && g.free-bytes >= g.reserve:
		g.needed = 0
	}
	if g.needed > 0 {
		return g.full(g.needed)
	}
	g.free -= bytes
	g.allowed += bytes
	return nil
}

// Fits returns nil where that many bytes may be written, else an error as of
// Room. Others may go on writing after a refusal.
func (g *Guard) Fits(bytes int64) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.look(bytes)
	if g.needed > 0 {
		return g.full(g.needed)
	}
	if g.free-bytes < g.reserve {
		return g.full(g.reserve + bytes)
	}
	return nil
}

// look asks the file system, unless it was asked a moment ago. One that does
// not tell refuses nothing: what then cannot be written says so itself.
func (g *Guard) look(bytes int64) {
	if time.Since(g.looked) < lookEvery && g.allowed+bytes < lookBytes {
		return
	}
	space, err := g.space(g.dir)
	if err != nil {
		g.needed = 0
		space.Free = 1 << 62
	}
	g.free, g.allowed, g.looked = space.Free, 0, time.Now()
}

func (g *Guard) full(needed int64) error {
	return document.Errorf(document.Unavailable, "the disk of %s is nearly full: %s are free and %s are needed, of which %s stay in reserve (disk.reserve); nothing new is taken in, searches go on; make room, and it goes on by itself",
		g.dir, amount(g.free), amount(needed), amount(g.reserve))
}

// amount is a number of bytes for a person.
func amount(n int64) string {
	if n < 0 {
		n = 0
	}
	switch {
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
