package bus

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// FollowModel calls told with what the log keeps under a name in
// contract.BucketModels, nil for nothing, and again after every change, until
// ctx ends. Calls come one after the other; the same state may come twice. raw
// belongs to told. A revision of 0 says that there was never anything.
func (b *Bus) FollowModel(ctx context.Context, name string, told func(raw []byte, revision uint64)) {
	for ctx.Err() == nil {
		if err := b.followModel(ctx, name, told); err != nil && ctx.Err() == nil {
			complain(nil, nil, err)
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

func (b *Bus) followModel(ctx context.Context, name string, told func([]byte, uint64)) error {
	kv, err := b.models(ctx)
	if err != nil {
		return err
	}
	watch, err := kv.Watch(ctx, name)
	if err != nil {
		return fmt.Errorf("watch bucket %s: %w", contract.BucketModels, err)
	}
	defer func() { _ = watch.Stop() }()
	seen := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-watch.Updates():
			switch {
			case !ok:
				return fmt.Errorf("the watch of bucket %s ended", contract.BucketModels)
			case e != nil:
				seen = true
				told(e.Value(), e.Revision())
			case !seen:
				told(nil, 0)
			}
		}
	}
}

// PutModel keeps raw under a name in contract.BucketModels, in place of what was
// there; empty takes it back. The revision is the one that FollowModel tells.
func (b *Bus) PutModel(ctx context.Context, name string, raw []byte) (revision uint64, err error) {
	kv, err := b.models(ctx)
	if err != nil {
		return 0, err
	}
	if revision, err = kv.Put(ctx, name, raw); err != nil {
		return 0, fmt.Errorf("write the model %s: %w", name, err)
	}
	return revision, nil
}

func (b *Bus) models(ctx context.Context) (jetstream.KeyValue, error) {
	kv, err := b.js.KeyValue(ctx, contract.BucketModels)
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", contract.BucketModels, err)
	}
	return kv, nil
}
