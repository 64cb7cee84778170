package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// forgetStanding removes every kept question that names a source: without it the
// question would be another one.
func forgetStanding(ctx context.Context, b *Bus, source document.Source) error {
	kept := b.Bucket(contract.BucketStanding)
	kv, err := kept.open(ctx)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	keys, err := kv.Keys(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoKeysFound) {
		return fmt.Errorf("list the kept questions: %w", err)
	}
	for _, id := range keys {
		for {
			err := kept.forgetStanding(ctx, id, source)
			if errors.Is(err, ErrConflict) {
				continue // it was extended meanwhile
			}
			if err != nil {
				return err
			}
			break
		}
	}
	return nil
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
