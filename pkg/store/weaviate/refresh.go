package weaviate

import (
	"context"
	"net/http"
	"time"

	"github.com/weaviate/weaviate/entities/models"

	"github.com/freshet-dev/freshet/pkg/document"
)

// A queue of vectors is looked at again after firstLook, then after twice as
// long, up to lastLook.
const (
	firstLook = 5 * time.Millisecond
	lastLook  = 500 * time.Millisecond
)

// Refresh implements store.Store. A server answers a write when the object can
// be found, except with ASYNC_INDEXING: then Refresh waits until the queue is
// empty. It looks at the class again, so that what was applied to one that is
// gone is not taken for shown.
func (s *Store) Refresh(ctx context.Context) error {
	found, err := s.check(ctx)
	if err == nil && !found {
		err = s.absent()
	}
	if err != nil {
		return err
	}
	for wait := firstLook; s.async.Load(); wait = min(2*wait, lastLook) {
		n, err := s.queued(ctx)
		if err != nil || n == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
	return nil
}

// queued is the number of vectors that are not indexed yet. Its error tells
// what keeps the class from being written.
func (s *Store) queued(ctx context.Context) (int64, error) {
	status, err := s.api.cluster.NodesStatusGetter().WithClass(s.class).WithOutput("verbose").Do(ctx)
	if code, _ := unwrap(err); code == http.StatusNotFound {
		s.known.Store(false)
		return 0, s.absent()
	}
	if err != nil {
		return 0, s.failed(ctx, "read the state of its nodes", err)
	}
	var n int64
	for _, node := range status.Nodes {
		if node.Status != nil && *node.Status != models.NodeStatusStatusHEALTHY {
			return 0, document.Errorf(document.Unavailable, "node %s of Weaviate at %s is %s: bring it back", node.Name, s.address, *node.Status)
		}
		for _, shard := range node.Shards {
			if shard.VectorIndexingStatus == "READONLY" {
				return 0, document.Errorf(document.Unavailable, "shard %s of class %s of Weaviate at %s is read-only: see whether its disk is full", shard.Name, s.class, s.address)
			}
			n += shard.VectorQueueLength
		}
	}
	return n, nil
}
