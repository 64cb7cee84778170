package scan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/freshet-dev/freshet/services/watcher/internal/beneath"
)

// Candidate is a path that has to be looked at.
type Candidate struct {
	Raw string // relative to the root
	// Err is why a directory could not be read; nil for everything else.
	Err error
	// Walked says that the path was come upon from the root, so that none of
	// its parents is a link.
	Walked bool
	// Named says that somebody named the file, or an event did: it is read
	// whatever its times say.
	Named bool
}

// List returns the entries of a directory in the order of their names. Where
// no file could be reached by its path, it is not read: such trees may go down
// for ever.
func (d *Disk) List(raw string) ([]fs.DirEntry, error) {
	if len(filepath.Join(d.Root, raw)) >= unix.PathMax {
		return nil, syscall.ENAMETOOLONG
	}
	dir, err := beneath.Open(d.Root, raw)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }() // only read
	entries, err := dir.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// Walk calls emit for every path below the directory raw (relative to the
// root, "" for the root itself) that has to be looked at: files and whatever
// else is no directory, other repositories' tops, and directories without
// permission. Ignored directories are pruned before they are opened. enter is
// called for every directory before it is read, so that a watch that it
// registers misses nothing. Entries come in the order of their names.
//
// emit fails only when ctx has ended. Failures of the disk are collected and
// returned after everything else was walked.
func (d *Disk) Walk(ctx context.Context, raw string, enter func(raw string), emit func(Candidate) error) error {
	if enter != nil {
		enter(raw)
	}
	entries, err := d.List(raw)
	var failed error
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENAMETOOLONG):
		return emit(Candidate{Raw: raw, Err: err, Walked: true})
	case raw != "" && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)):
		return nil // gone since it was listed, or a link by now
	default:
		failed = fmt.Errorf("read directory %s: %w", filepath.Join(d.Root, raw), err)
	}
	rules := d.Rules.Dir(raw)
	prefix := ""
	if raw != "" {
		prefix = raw + "/"
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		rel := prefix + e.Name()
		if !e.IsDir() {
			failed = errors.Join(failed, emit(Candidate{Raw: rel, Walked: true}))
			continue
		}
		switch dec := rules.Decide(e.Name(), true); {
		case dec.Ignored:
			if d.Pruned != nil {
				d.Pruned(rel, dec)
			}
			continue
		case d.Rules.Dir(rel).Self().Ignored: // another repository
			err = emit(Candidate{Raw: rel, Walked: true})
		default:
			err = d.Walk(ctx, rel, enter, emit)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failed = errors.Join(failed, err)
	}
	return failed
}
