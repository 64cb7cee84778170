package weaviate

import (
	"context"
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

// nobody is no object's id.
const nobody = "00000000-0000-4000-8000-000000000002"

// Refresh implements store.Store. A server answers a write when the object can
// be found, except with ASYNC_INDEXING: then Refresh waits until the queue is
// empty. It looks at the class again, so that what was applied to one that is
// gone is not taken for shown.
//
// What Refresh was called for also survives the end of the server's process.
// Without ASYNC_INDEXING a server (1.35) writes the graph's part of a batch to
// its file with the next write only, and any write does.
func (s *Store) Refresh(ctx context.Context) error {
	found, err := s.check(ctx)
	if err == nil && !found {
		err = s.absent()
	}
	if err != nil {
		return err
	}
	if s.async.Load() {
		return s.drained(ctx)
	}
	_, err = s.delete(ctx, []string{nobody})
	return err
}

// drained waits until every vector is indexed.
func (s *Store) drained(ctx context.Context) error {
	for wait := firstLook; ; wait = min(2*wait, lastLook) {
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
}

// queued is the number of vectors that are not indexed yet. Its error tells
// what keeps a part of the class from being written.
func (s *Store) queued(ctx context.Context) (int64, error) {
	status, err := s.api.cluster.NodesStatusGetter().WithClass(s.class).WithOutput("verbose").Do(ctx)
	if err != nil {
		return 0, s.unexpected(ctx, "read the state of its nodes", err)
	}
	var n int64
	copies := make(map[string]int64)
	for _, node := range status.Nodes {
		if node.Status != nil && *node.Status != models.NodeStatusStatusHEALTHY {
			return 0, document.Errorf(document.Unavailable, "node %s of Weaviate at %s is %s: bring it back", node.Name, s.address, *node.Status)
		}
		for _, shard := range node.Shards {
			if shard.VectorIndexingStatus == "READONLY" {
				return 0, document.Errorf(document.Unavailable, "shard %s of class %s of Weaviate at %s is read-only: see whether its disk is full", shard.Name, s.class, s.address)
			}
			n += shard.VectorQueueLength
			copies[shard.Name]++
		}
	}
	for shard, has := range copies {
		if want := s.copies.Load(); has < want {
			return 0, document.Errorf(document.Unavailable, "shard %s of class %s of Weaviate at %s has %d of %d replicas: bring the other nodes back", shard, s.class, s.address, has, want)
		}
	}
	return n, nil
}

// everywhere returns an error unless every replica was there to be written. A
// node that is away for some seconds is one that the server does not count
// when it is told to write to all.
func (s *Store) everywhere(ctx context.Context) error {
	if s.copies.Load() < 2 {
		return nil
	}
	_, err := s.queued(ctx)
	return err
}
