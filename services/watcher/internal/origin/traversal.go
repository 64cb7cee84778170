package origin

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/ignore"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
	"golang.org/x/sync/errgroup"
)

// maxReaders bounds the goroutines that read the files of one source at once.
const maxReaders = 8

// Readers is how many do here.
func Readers() int { return min(maxReaders, 2*runtime.GOMAXPROCS(0)) }

// Traverse visits everything that a truth holds, and where asked also what its
// rules leave out. Failures to read the source are returned after everything
// else was visited; an error of visit ends it.
func (o *Origin) Traverse(ctx context.Context, t Truth, ignored bool, visit func(Entry) error) error {
	g, gctx := errgroup.WithContext(ctx)
	r := &traversal{ctx: gctx, origin: o, truth: t, ignored: ignored, visit: visit, tasks: make(chan func() error, 64)}
	if d, ok := t.(OnDisk); ok {
		disk := *d.Disk
		disk.Linked = nil // what it finds is followed up by comparisons
		if ignored {
			disk.Pruned = func(raw string, dec ignore.Decision) {
				_ = r.send(func() error { return visit(pruned(gctx, disk.Root, raw, dec)) }) // fails with gctx only
			}
			d.Enter = nil
		}
		t = OnDisk{&disk, d.Enter}
	}
	g.Go(func() error {
		defer close(r.tasks)
		return r.fail(t.Walk(gctx, "", func(c scan.Candidate) error {
			return r.send(func() error { return r.look(c) })
		}))
	})
	for range Readers() {
		g.Go(func() error {
			for task := range r.tasks {
				if err := task(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return r.failed
}

// traversal is one visit of everything.
type traversal struct {
	ctx     context.Context
	origin  *Origin
	truth   Truth
	ignored bool
	visit   func(Entry) error
	tasks   chan func() error

	mu     sync.Mutex
	failed error
}

// send has a task done by one of several goroutines.
func (r *traversal) send(task func() error) error {
	select {
	case r.tasks <- task:
		return nil
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
}

// fail notes an error that does not end the traversal; what it returns does.
func (r *traversal) fail(err error) error {
	if r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = errors.Join(r.failed, err)
	return nil
}

// look visits one candidate.
func (r *traversal) look(c scan.Candidate) error {
	f, err := r.truth.Look(r.ctx, c, contract.FileHead{}, nil)
	if err != nil {
		return r.fail(err)
	}
	defer r.origin.Budget.Give(f.Weight)
	e, ok := entryOf(f)
	if !ok || e.Outcome == Ignored && !r.ignored {
		return nil
	}
	if in, bare := r.truth.(*InTree); bare && r.ignored && e.Outcome != Indexed {
		if err := in.measure(r.ctx, c.Raw, &e); err != nil {
			return r.fail(err)
		}
	}
	return r.visit(e)
}

// pruned counts what lies below a directory that is left out. What cannot be
// read there is not counted.
func pruned(ctx context.Context, root, raw string, dec ignore.Decision) Entry {
	e := Entry{Path: document.EncodePath(raw), Folder: true, Outcome: Ignored, Reason: dec.Reason()}
	_ = filepath.WalkDir(filepath.Join(root, filepath.FromSlash(raw)), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return ctx.Err() // nil goes on beside what cannot be read
		}
		e.Files++
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			e.Bytes += info.Size()
		}
		return nil
	})
	return e
}
