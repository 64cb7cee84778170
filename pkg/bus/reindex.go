package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Reindex says how often the index was to be made again. The zero value says never.
type Reindex struct {
	// Again is contract.Build.Again of what is to be made.
	Again int `json:"again"`
	// Collections are made as often as that in the place of Again.
	Collections map[document.Collection]int `json:"collections,omitempty"`
	// Last is the highest that ever was: what is made later has a name of its own.
	Last int `json:"last"`
	// Back is what a rollback makes of Again; nil where there is none.
	Back *int `json:"back,omitempty"`
	// BackCollections is what it makes of Collections.
	BackCollections map[document.Collection]int `json:"back_collections,omitempty"`
	// At is when it was asked for.
	At time.Time `json:"at"`
	// Seconds is what the last one took that was begun and complete, of Bytes of text.
	Seconds float64 `json:"seconds,omitempty"`
	Bytes   int64   `json:"bytes,omitempty"`

	revision uint64
}

// Of is a build made as often as the record says.
func (r Reindex) Of(b contract.Build) contract.Build { return b.Rebuilt(r.Again, r.Collections) }

// Makes reports whether a build is made as often as the record says.
func (r Reindex) Makes(b contract.Build) bool { return r.Of(b).ID() == b.ID() }

// Begin is the record that has all made once more, or one collection; "" is all.
func (r Reindex) Begin(c document.Collection) Reindex {
	back := r.Again
	r.Back, r.BackCollections = &back, r.Collections
	r.Last = max(r.Last, r.Again) + 1
	if c == "" {
		r.Again, r.Collections = r.Last, nil
		return r
	}
	r.Collections = maps.Clone(r.Collections)
	if r.Collections == nil {
		r.Collections = map[document.Collection]int{}
	}
	r.Collections[c] = r.Last
	return r
}

// Rollback is the record that has what was there before the last Begin answer. Back has
// to be there.
func (r Reindex) Rollback() Reindex {
	r.Again, r.Collections = *r.Back, r.BackCollections
	r.Back, r.BackCollections = nil, nil
	return r
}

// Reindexing is the record of it, under contract.KeyReindex in BucketMeta. It is safe
// for concurrent use.
type Reindexing struct{ Bus *Bus }

// Read returns the record. One that cannot be read counts as none.
func (r Reindexing) Read(ctx context.Context) (Reindex, error) {
	raw, revision, err := r.Bus.Bucket(contract.BucketMeta).Get(ctx, contract.KeyReindex)
	return reindexOf(raw, revision), err
}

func reindexOf(raw []byte, revision uint64) Reindex {
	var out Reindex
	if json.Unmarshal(raw, &out) != nil {
		out = Reindex{}
	}
	out.revision = revision
	return out
}

// Write puts another record in the place of before. The error is ErrConflict where
// somebody else has written one since.
func (r Reindexing) Write(ctx context.Context, before, now Reindex) error {
	js, err := json.Marshal(now)
	if err != nil {
		return fmt.Errorf("encode how often the index is made again: %w", err)
	}
	_, err = r.Bus.Bucket(contract.BucketMeta).Update(ctx, contract.KeyReindex, js, before.revision)
	return err
}

// Follow calls told with the record, and whenever it
// changes, until ctx ends.
func (r Reindexing) Follow(ctx context.Context, told func(Reindex)) {
	r.Bus.Bucket(contract.BucketMeta).Follow(ctx, contract.KeyReindex, func(e Entry) {
		if !e.Removed {
			told(reindexOf(e.Value, e.Revision))
		}
	}, func(int) {})
}
