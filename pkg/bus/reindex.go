package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Reindex says how often the index was to be made again. The zero value says never.
type Reindex struct {
	// Again is contract.Build.Again of what is to be made.
	Again int `json:"again"`
	// Last is the highest that ever was: what is made later has a name of its own.
	Last int `json:"last"`
	// Back is what a rollback makes of Again; nil where there is none.
	Back *int `json:"back,omitempty"`
	// At is when it was asked for.
	At time.Time `json:"at"`
	// Seconds is what the last one took that was begun and complete, of Bytes of text.
	Seconds float64 `json:"seconds,omitempty"`
	Bytes   int64   `json:"bytes,omitempty"`

	revision uint64
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

// Follow calls told with how often the index is to be made again, and whenever that
// changes, until ctx ends.
func (r Reindexing) Follow(ctx context.Context, told func(again int)) {
	r.Bus.Bucket(contract.BucketMeta).Follow(ctx, contract.KeyReindex, func(e Entry) {
		if !e.Removed {
			told(reindexOf(e.Value, e.Revision).Again)
		}
	}, func(int) {})
}
