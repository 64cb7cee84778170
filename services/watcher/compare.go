package watcher

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// scope is what a comparison covers: one path, or everything at and below it.
type scope struct {
	raw  string // relative to the root, "" for the root
	tree bool
}

// outcome is what a comparison found.
type outcome struct {
	changed int              // versions written
	deleted int              // documents that were gone
	highest document.Version // of any head in the scope: its token covers what was seen
	// unstable are files that kept changing while they were read.
	unstable []string
}

// comparison brings one view in line with its truth.
type comparison struct {
	s     *source
	truth truth
	view  document.View
	pipe  *pipe
	audit *audit // takes what differs in place of the pipe

	mu       sync.Mutex
	seen     map[document.Path]bool // what is there; only filled for trees
	gone     []string
	deleted  int
	unstable []string
	highest  document.Version
	failed   error // the source could not be read
}

// compare brings the scopes of a view in line with the truth. Puts are written
// first; deletes follow when all of them are in the log, so that a renamed
// document is never in neither place. Comparisons of one source may overlap.
func (s *source) compare(ctx context.Context, t truth, view document.View, scopes []scope, live bool) (outcome, error) {
	c := &comparison{s: s, truth: t, view: view, pipe: newPipe(ctx, s, t, live), seen: map[document.Path]bool{}}
	return c.run(ctx, scopes)
}

func (c *comparison) run(ctx context.Context, scopes []scope) (outcome, error) {
	s := c.s
	err := c.puts(ctx, scopes)
	err = errors.Join(err, c.pipe.flush())
	if err == nil {
		err = c.deletes(ctx, scopes)
		err = errors.Join(err, c.pipe.flush())
	}
	o := outcome{changed: c.pipe.changed, deleted: c.deleted, highest: max(c.highest, c.pipe.highest), unstable: c.unstable}
	if err == nil {
		err = c.failed
	}
	if err != nil {
		return o, fmt.Errorf("compare %s: %w", s.name, err)
	}
	return o, nil
}

// maxScanners bounds the goroutines that read files for one comparison.
const maxScanners = 8

func (c *comparison) puts(ctx context.Context, scopes []scope) error {
	g, gctx := errgroup.WithContext(ctx)
	candidates := make(chan scan.Candidate, 64)
	g.Go(func() error {
		defer close(candidates)
		for _, sc := range scopes {
			err := c.truth.walk(gctx, sc.raw, func(cand scan.Candidate) error {
				select {
				case candidates <- cand:
					return nil
				case <-gctx.Done():
					return gctx.Err()
				}
			})
			if gctx.Err() != nil {
				return gctx.Err()
			}
			c.fail(err)
		}
		return nil
	})
	for range min(maxScanners, 2*runtime.GOMAXPROCS(0)) {
		g.Go(func() error {
			for cand := range candidates {
				if err := c.check(gctx, cand, false); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// check compares one path. Deletions are noted, and written only if final is
// set. Its error ends the comparison.
func (c *comparison) check(ctx context.Context, cand scan.Candidate, final bool) error {
	if err := c.pipe.failed(); err != nil {
		return err // the log takes nothing; reading on would be in vain
	}
	path := document.EncodePath(cand.Raw)
	doc := document.DocOf(path)
	release, err := c.s.claims.take(ctx, doc, c.pipe.park)
	if err != nil {
		return err
	}
	c.s.svc.seen.Add(1)
	known := c.s.svc.ledger.get(bus.FileKey{Source: c.s.name, Doc: doc, View: c.view})
	f, err := c.truth.look(ctx, cand, known, c.pipe.park)
	if err != nil {
		release()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.fail(err)
		c.saw(path, known.Version, true) // what is known stands
		return nil
	}
	if f.Kind == scan.Dir && cand.Walked {
		// A file became a directory under our eyes.
		release()
		return c.truth.walk(ctx, cand.Raw, func(inner scan.Candidate) error { return c.check(ctx, inner, final) })
	}
	there := f.Kind != scan.Gone && f.Kind != scan.Dir
	c.saw(path, known.Version, there)
	if c.audit != nil && there {
		c.audit.count(f, known)
	}
	if f.Kind == scan.Unstable {
		c.mu.Lock()
		c.unstable = append(c.unstable, cand.Raw)
		c.mu.Unlock()
	}
	if !there && !final {
		release()
		if present(known) {
			c.mu.Lock()
			c.gone = append(c.gone, cand.Raw)
			c.mu.Unlock()
		}
		return nil
	}
	j := job{candidate: cand, head: contract.FileHead{
		Source: c.s.name, Doc: doc, View: c.view, Path: path, Commit: c.truth.commit(),
	}, release: release}
	if !c.s.rewrite(&j, f, known) {
		release()
		return nil
	}
	if c.audit != nil {
		c.s.budget.Give(j.weight)
		release()
		c.audit.note(cand.Raw, j.head, known)
		return nil
	}
	c.pipe.add(j)
	return nil
}

// rewrite fills a job from a finding. It returns false when there is nothing
// to write.
func (s *source) rewrite(j *job, f scan.Finding, known contract.FileHead) bool {
	h := &j.head
	h.Collection, h.Size, h.Modified, h.Inode, h.Blob = f.Collection, f.Size, f.Modified, f.Inode, f.Blob
	h.Hash, h.Reason = "", string(f.Reason)
	j.content, j.weight, j.expect = f.Content, f.Weight, known.Version
	switch f.Kind {
	case scan.Put:
		h.Op, h.Hash = contract.OpPut, f.Hash
		return true
	case scan.Skip:
		h.Op = contract.OpSkipped
		return true
	case scan.Gone, scan.Dir:
		if !present(known) {
			return false
		}
		*h = contract.FileHead{
			Source: h.Source, Doc: h.Doc, View: h.View, Path: h.Path, Commit: h.Commit,
			Op: contract.OpDelete, Collection: known.Collection, Reason: string(f.Reason),
		}
		return true
	case scan.Same, scan.Unstable:
	}
	return false
}

func (c *comparison) deletes(ctx context.Context, scopes []scope) error {
	var trees []string
	for _, sc := range scopes {
		if sc.tree {
			trees = append(trees, sc.raw)
		}
	}
	gone := c.gone
	if len(trees) > 0 {
		missing, highest, err := c.s.svc.ledger.below(ctx, c.s.name, c.view, trees, c.pipe.highest,
			func(p document.Path) bool { return c.seen[p] })
		if err != nil {
			return err
		}
		c.highest = max(c.highest, highest)
		listed := map[string]bool{}
		for _, raw := range gone {
			listed[raw] = true
		}
		for _, p := range missing {
			if raw := p.Raw(); !listed[raw] {
				gone = append(gone, raw)
			}
		}
	}
	if len(gone) == 0 {
		return nil
	}
	// A folder that was unmounted or moved away must not empty the index.
	if err := c.truth.reachable(); err != nil {
		return err
	}
	c.deleted = len(gone)
	for _, raw := range gone {
		// It may have come back since the walk, so it is looked at once more.
		if err := c.check(ctx, scan.Candidate{Raw: raw}, true); err != nil {
			return err
		}
	}
	return nil
}

func (c *comparison) saw(p document.Path, v document.Version, there bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if there {
		c.seen[p] = true
	}
	c.highest = max(c.highest, v)
}

func (c *comparison) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && c.failed == nil {
		c.failed = err
	}
}
