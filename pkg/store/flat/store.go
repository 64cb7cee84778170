// Package flat is the embedded vector store: it compares the query with every
// vector, exactly, in int8. The dot products are computed by vector
// instructions where the processor has them: 65,000 vectors of 256 values take
// less than a millisecond on two cores of a server, 800,000 about ten.
//
// The vectors lie in immutable segments; how they come, merge and reach the
// disk is told in package segment.
package flat

import (
	"context"
	"math"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/dot"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/internal/segment"
)

// MaxDims is the largest length of a vector: sums of as many products of two
// int8, also when one of them is taken + 128, fit an int32.
const MaxDims = 16384

// Options of a store.
type Options struct {
	// SnapshotEvery is the time between snapshots while there are changes.
	// With 0 they are taken by Snapshot and Close alone.
	SnapshotEvery time.Duration
	// Room is asked before a snapshot whether so many bytes may be written; its
	// error puts the snapshot off. It may be nil.
	Room func(bytes int64) error
}

// set is everything but the search.
type set = segment.Set[embed.Vector, *vectors]

// Store implements store.Vector. It is safe for concurrent use; searches take
// no lock.
//
// Beside the port it has Recovered, which says why it began empty over a
// damaged snapshot, Snapshot, which persists what changed, and SnapshotErr,
// the error of the last snapshot.
type Store struct {
	*set
	dims   int
	kernel dot.Kernel
}

var _ store.Vector = (*Store)(nil)

// Open opens the store of vectors of dims values (1 to MaxDims) in dir, or
// creates it; the folder is the store's own. Errors: document.Conflict when it
// is open already, document.VersionMismatch when a newer version wrote it,
// document.IdentityMismatch when it has other dims or is of another kind. A
// damaged one begins empty and without a mark; see Recovered. The caller closes
// the store.
func Open(dir string, dims int, opts Options) (*Store, error) {
	if dims < 1 || dims > MaxDims {
		return nil, document.Errorf(document.InvalidRequest, "vectors of %d dimensions cannot be stored: use 1 to %d", dims, MaxDims)
	}
	s, err := segment.Open(dir, segment.Layout[embed.Vector, *vectors]{
		Kind:    string(document.Vector),
		Dims:    dims,
		Check:   func(v embed.Vector) error { return check(v, dims) },
		NewTail: func() segment.Tail[embed.Vector] { return new(tail) },
		Load:    func(s [][]byte, rows int) (*vectors, error) { return loadVectors(dims, s, rows) },
		Merge: func(ctx context.Context, parts []segment.Source[*vectors], rows int) ([][]byte, error) {
			return merge(ctx, dims, parts, rows)
		},
	}, opts.SnapshotEvery, opts.Room)
	if err != nil {
		return nil, err
	}
	return &Store{set: s, dims: dims, kernel: dot.Best()}, nil
}

func check(v embed.Vector, dims int) error {
	if len(v.Data) != dims {
		return document.Errorf(document.InvalidRequest, "a vector has %d values and the store's have %d: use the embedder that the store was built with", len(v.Data), dims)
	}
	if s := float64(v.Scale); math.IsNaN(s) || math.IsInf(s, 0) {
		return document.Errorf(document.InvalidRequest, "a vector has the scale %g: it must be finite", s)
	}
	return nil
}

// Apply implements store.Vector. Entries whose vector is zero or has another
// length are refused with document.InvalidRequest. The batch's memory is not
// kept.
func (s *Store) Apply(ctx context.Context, batch store.VectorBatch) (store.Result, error) {
	put := make([]segment.Entry[embed.Vector], len(batch.Put))
	for i, e := range batch.Put {
		put[i] = segment.Entry[embed.Vector]{ID: e.ID, Attrs: e.Attrs, Value: e.Vector}
	}
	return s.set.Apply(ctx, put, batch.Delete)
}
