package bus

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// forgetStanding removes every kept question that names a source: without it the
// question would be another one.
func forgetStanding(ctx context.Context, b *Bus, source document.Source) error {
	kept := b.Bucket(contract.BucketStanding)
	return kept.forgetIn(ctx, func(id string) error { return kept.forgetStanding(ctx, id, source) })
}

// forgetStanding leaves a mark with the id alone, by which those who hold the
// question against the log learn that it is gone.
func (k Bucket) forgetStanding(ctx context.Context, id string, source document.Source) error {
	raw, revision, err := k.Get(ctx, id)
	if err != nil || raw == nil {
		return err
	}
	var s contract.Standing
	if json.Unmarshal(raw, &s) == nil && !slices.Contains(s.Named, source) {
		return nil
	}
	return k.Remove(ctx, id, revision)
}
