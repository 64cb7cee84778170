package watcher

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/format"
	"github.com/freshet-dev/freshet/services/watcher/internal/classify"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// scope is what a comparison covers: one path, or everything at and below it.
type scope struct {
	raw  string // relative to the root, "" for the root
	tree bool
	// polled is what nothing is known of: it is looked at often, so that times
	// are relied on wherever they come from.
	polled bool
	// asked is what a token was asked for: it covers the other names of each
	// file, whoever took the change up.
	asked bool
	// byTimes relies on the times of a file that is named.
	byTimes bool
}

// linked is a file whose other names have to be looked at.
type linked struct {
	scan.ID
	// changed says that its content differed from what was known.
	changed bool
	// left says that one of its names does not name it any more.
	left bool
}

// outcome is what a comparison found.
type outcome struct {
	changed int              // versions written
	deleted int              // documents that were gone
	highest document.Version // of any head in the scope: its token covers what was seen
	// unstable are files that kept changing while they were read.
	unstable []string
	// unread are documents that are there and cannot be read; nil for none.
	unread *contract.Unread
	linked []linked
	// unsettled says that the log has other rules of access than the source alone.
	unsettled bool
}

// comparison brings one view in line with its truth.
type comparison struct {
	by    *comparer
	truth origin.Truth
	view  document.View
	pipe  *pipe
	audit *audit // takes what differs in place of the pipe

	mu       sync.Mutex
	seen     map[document.Path]bool // what is there; only filled for trees
	gone     []string
	deleted  int
	unstable []string
	unread   *contract.Unread
	linked   []linked
	asked    bool
	highest  document.Version
	failed   error // the source could not be read

	rules     *rulesSeen // nil where the scopes do not cover the file of rules
	whole     bool       // they cover all that it hides
	unsettled bool
}

func (c *comparison) run(ctx context.Context, scopes []scope) (outcome, error) {
	defer c.pipe.close()
	c.asked = slices.ContainsFunc(scopes, func(sc scope) bool { return sc.asked })
	err := c.holdRules(ctx, scopes)
	if err == nil {
		err = c.puts(ctx, scopes)
		err = errors.Join(err, c.pipe.flush())
	}
	if err == nil {
		err = c.deletes(ctx, scopes)
		err = errors.Join(err, c.pipe.flush())
	}
	if err == nil && c.failed == nil {
		err = c.settleRules(ctx)
	}
	changed, highest := c.pipe.written()
	o := outcome{changed: changed, deleted: c.deleted, highest: max(c.highest, highest), unstable: c.unstable, unread: c.unread, linked: c.linked, unsettled: c.unsettled}
	if err == nil {
		err = c.failed
	}
	if err != nil {
		return o, fmt.Errorf("compare %s: %w", c.by.origin.Name, err)
	}
	return o, nil
}

func (c *comparison) puts(ctx context.Context, scopes []scope) error {
	g, gctx := errgroup.WithContext(ctx)
	candidates := make(chan scan.Candidate, 64)
	g.Go(func() error {
		defer close(candidates)
		for _, sc := range scopes {
			err := c.truth.Walk(gctx, sc.raw, func(cand scan.Candidate) error {
				cand.Named = cand.Named && !sc.byTimes
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
	for range origin.Readers() {
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
	if c.audit == nil && path == document.AccessFile {
		return nil // it comes first, and last
	}
	doc := document.DocOf(path)
	release, err := c.by.claims.take(ctx, path, c.pipe.park)
	if err != nil {
		return err
	}
	c.by.svc.seen.Add(1)
	known, err := c.by.svc.head(ctx, bus.FileKey{Source: c.by.origin.Name, Doc: doc, View: c.view})
	if err != nil {
		release()
		return err
	}
	f, err := c.truth.Look(ctx, cand, c.by.svc.cuts.asRead(known), c.pipe.park)
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
		return c.truth.Walk(ctx, cand.Raw, func(inner scan.Candidate) error { return c.check(ctx, inner, final) })
	}
	there := f.Kind != scan.Gone && f.Kind != scan.Dir
	c.saw(path, known.Version, there)
	if there && classify.IsUnread(f.Reason) {
		c.cannotRead(path, f.Reason)
	}
	if c.audit != nil && there {
		c.audit.count(f, known)
	}
	c.again(cand.Raw, f)
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
		Source: c.by.origin.Name, Doc: doc, View: c.view, Path: path, Commit: c.truth.Commit(),
	}, release: release}
	if !c.by.svc.cuts.rewrite(&j, f, known) {
		release()
		return nil
	}
	if c.audit != nil {
		c.by.origin.Budget.Give(j.weight)
		release()
		c.audit.note(cand.Raw, j.head, known)
		return nil
	}
	c.pipe.add(j)
	return nil
}

// again notes what has to be looked at after this comparison.
func (c *comparison) again(raw string, f scan.Finding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.Former != (scan.ID{}) {
		c.linked = append(c.linked, linked{ID: f.Former, left: true})
	}
	switch f.Kind {
	case scan.Unstable:
		c.unstable = append(c.unstable, raw)
	case scan.Put, scan.Skip:
		if f.Links > 1 {
			c.linked = append(c.linked, linked{ID: f.ID, changed: true})
		}
	case scan.Same:
		// Another comparison may have found the change just now, and not have
		// come to the other names.
		if c.asked && f.Links > 1 {
			c.linked = append(c.linked, linked{ID: f.ID})
		}
	case scan.Gone, scan.Dir:
	}
}

// rewrite fills a job from a finding. It returns false when there is nothing
// to write.
func (c cuts) rewrite(j *job, f scan.Finding, known contract.FileHead) bool {
	h := &j.head
	h.Collection, h.Size, h.Modified, h.Inode, h.Changed, h.Blob = f.Collection, f.Size, f.Modified, f.Inode, f.Changed, f.Blob
	h.Hash, h.Reason, h.Format, h.Metadata = "", string(f.Reason), format.IDOf(h.Path), f.Metadata
	j.content, j.weight, j.expect = f.Content, f.Weight, known.Version
	if j.rules != nil && !j.rules.rewrite(h, f, known) {
		return false
	}
	switch f.Kind {
	case scan.Put:
		h.Op, h.Hash, h.Grammar = contract.OpPut, f.Hash, c.strategies.Grammar(h.Path)
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
			Op: contract.OpDelete, Collection: known.Collection, Metadata: known.Metadata.Only(document.MetadataRoles), Reason: string(f.Reason),
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
		// Another comparison may have read a document there before it went, and
		// be about to write it: no event of the document itself would tell.
		if err := c.by.claims.settle(ctx, encoded(trees)); err != nil {
			return err
		}
		_, written := c.pipe.written()
		missing, highest, err := c.by.svc.ledger.below(ctx, c.by.origin.Name, c.view, trees, written,
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
	if err := c.truth.Reachable(); err != nil {
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

func (c *comparison) cannotRead(p document.Path, why classify.Reason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := contract.UnreadDocument{Source: c.by.origin.Name, Path: p, Reason: string(why)}
	c.unread = c.unread.And(&contract.Unread{Count: 1, First: []contract.UnreadDocument{one}})
}

func (c *comparison) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && c.failed == nil {
		c.failed = err
	}
}
