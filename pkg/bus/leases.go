package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// forgetLeased takes the passages of a source out of every lease. Of each lease only
// how many those were is kept, for its next answer.
func forgetLeased(ctx context.Context, b *Bus, source document.Source) error {
	leases := b.Bucket(contract.BucketLeases)
	return leases.forgetIn(ctx, func(id string) error { return leases.forgetLeased(ctx, id, source) })
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
