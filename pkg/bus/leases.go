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

// forgetLeased takes the passages of a source out of every lease. Of each lease only
// how many those were is kept, for its next answer.
func forgetLeased(ctx context.Context, b *Bus, source document.Source) error {
	leases := b.Bucket(contract.BucketLeases)
	kv, err := leases.open(ctx)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	keys, err := kv.Keys(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoKeysFound) {
		return fmt.Errorf("list the leases: %w", err)
	}
	for _, id := range keys {
		for {
			err := leases.forgetLeased(ctx, id, source)
			if errors.Is(err, ErrConflict) {
				continue // an answer was quicker
			}
			if err != nil {
				return err
			}
			break
		}
	}
	return nil
}

func (k Bucket) forgetLeased(ctx context.Context, id string, source document.Source) error {
	raw, revision, err := k.Get(ctx, id)
	if err != nil || raw == nil {
		return err
	}
	var l contract.Lease
	if err := json.Unmarshal(raw, &l); err != nil {
		return k.Forget(ctx, id) // nobody can read it, and it may name the source
	}
	before := len(l.Passages)
	l.Passages = slices.DeleteFunc(l.Passages, func(p contract.LeasedPassage) bool { return p.Source == source })
	if len(l.Passages) == before {
		return nil
	}
	l.Forgotten += before - len(l.Passages)
	if raw, err = json.Marshal(l); err != nil {
		return fmt.Errorf("encode a lease: %w", err)
	}
	_, err = k.Update(ctx, id, raw, revision)
	return err
}
