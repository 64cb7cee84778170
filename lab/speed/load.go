package speed

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/document"
)

// bulk adds copies of a tree as further sources, one after the other, as long
// as something is measured meanwhile.
type bulk struct {
	from    string // tree to copy
	scratch string
	prefix  string // of the names of the sources
}

// maxCopies bounds a load whose measurement does not end.
const maxCopies = 6

// during runs measure while sources are being added and indexed. measure is
// told by more whether the load still lasts. The load ends after the source in
// whose indexing measure ended.
func (b bulk) during(ctx context.Context, c *instance, measure func(ctx context.Context, more func() bool) error) error {
	root := func(i int) string { return filepath.Join(b.scratch, b.prefix+strconv.Itoa(i)) }
	if _, err := copyTree(b.from, root(0), 0); err != nil {
		return err
	}
	var loading, done atomic.Bool
	loading.Store(true)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer loading.Store(false)
		for i := 0; i < maxCopies && !done.Load(); i++ {
			if i > 0 {
				if _, err := copyTree(b.from, root(i), 0); err != nil {
					return err
				}
			}
			if _, err := c.add(ctx, root(i), document.Source(b.prefix+strconv.Itoa(i))); err != nil {
				return fmt.Errorf("add a source as a load: %w", err)
			}
			if err := c.settled(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	group.Go(func() error {
		defer done.Store(true)
		return measure(ctx, loading.Load)
	})
	return group.Wait()
}
