package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// forgetIn has each record of a bucket forget a source, again where somebody else wrote
// it meanwhile. A bucket that is not there holds nothing.
func (k Bucket) forgetIn(ctx context.Context, forget func(id string) error) error {
	kv, err := k.open(ctx)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	keys, err := kv.Keys(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoKeysFound) {
		return fmt.Errorf("list the bucket %s: %w", k.name, err)
	}
	for _, id := range keys {
		err := forget(id)
		for errors.Is(err, ErrConflict) {
			err = forget(id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
