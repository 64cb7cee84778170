package origin

import (
	"context"
	"os"
	"syscall"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// OnDisk is the truth of folders and work trees.
type OnDisk struct {
	*scan.Disk
	Enter func(raw string) // registers a watch
}

// Walk is Truth's.
func (d OnDisk) Walk(ctx context.Context, raw string, emit func(scan.Candidate) error) error {
	if !d.Enterable(raw) {
		return emit(scan.Candidate{Raw: raw, Named: true})
	}
	if raw != "" {
		// A directory that took a file's place: the file has to go.
		if err := emit(scan.Candidate{Raw: raw}); err != nil {
			return err
		}
	}
	return d.Disk.Walk(ctx, raw, d.Enter, emit)
}

// StatOnly is Truth's.
func (d OnDisk) StatOnly() Truth {
	disk := *d.Disk
	disk.StatOnly = true
	return OnDisk{&disk, nil}
}

// Reachable fails with Unavailable where the root is no folder that can be read.
func (d OnDisk) Reachable() error {
	info, err := os.Stat(d.Root)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return document.Errorf(document.Unavailable, "the folder %s cannot be read: mount or restore it, or remove the source: %w", d.Root, err)
	}
	return nil
}

// Commit is of no file on disk.
func (d OnDisk) Commit() string { return "" }
