// Package postings is the embedded lexical store: an inverted index in memory
// that ranks by BM25 as package store defines it.
//
// The index is a list of immutable segments; how they come, merge and reach
// the disk is told in package segment. The statistics of BM25 (chunks, their
// mean length, chunks with a term) are exact at any moment, deletions
// included, over all segments: how the index is cut never shows in a score.
// Chunks without tokens do not count in them.
package postings

import (
	"context"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/internal/segment"
)

// MaxToken is the largest token in bytes; larger ones are refused with their
// entry.
const MaxToken = 255

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
type set = segment.Set[[]string, *inverted]

// Store implements store.Lexical. It is safe for concurrent use; searches
// take no lock.
//
// Beside the port it has Recovered, which says why it began empty over a
// damaged snapshot, Snapshot, which persists what changed, and SnapshotErr,
// the error of the last snapshot.
type Store struct {
	*set
	scratch scratchPool
}

var (
	_ store.Lexical  = (*Store)(nil)
	_ store.Expunger = (*Store)(nil)
)

// Open opens the store in dir, or creates it; the folder is the store's own.
// Errors: document.Conflict when it is open already, document.VersionMismatch
// when a newer version wrote it, document.IdentityMismatch when it is of
// another kind. A damaged one begins empty under a new ID; see Recovered. The
// caller closes the store.
func Open(dir string, opts Options) (*Store, error) {
	expected := 0 // only touched by tails, of which there is one at a time
	s, err := segment.Open(dir, segment.Layout[[]string, *inverted]{
		Kind:    string(document.Lexical),
		Check:   check,
		NewTail: func() segment.Tail[[]string] { return newTail(&expected) },
		Load:    load,
		Merge:   merge,
		Length:  (*inverted).length,
	}, opts.SnapshotEvery, opts.Room)
	if err != nil {
		return nil, err
	}
	return &Store{set: s}, nil
}

func check(tokens []string) error {
	for _, t := range tokens {
		if t == "" || len(t) > MaxToken {
			return document.Errorf(document.InvalidRequest, "a token has %d bytes: tokens have 1 to %d", len(t), MaxToken)
		}
	}
	return nil
}

// Apply implements store.Lexical. Entries with an empty token or one above
// MaxToken are refused with document.InvalidRequest. The batch's memory is not
// kept.
func (s *Store) Apply(ctx context.Context, batch store.LexicalBatch) (store.Result, error) {
	put := make([]segment.Entry[[]string], len(batch.Put))
	for i, e := range batch.Put {
		put[i] = segment.Entry[[]string]{ID: e.ID, Attrs: e.Attrs, Value: e.Tokens}
	}
	return s.set.Apply(ctx, put, batch.Delete)
}
