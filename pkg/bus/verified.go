package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// keptVerify is the key in BucketMeta of the last comparison's end.
const keptVerify = "verify"

// KeepVerify keeps how a comparison of sources, log and stores ended.
func (b *Bus) KeepVerify(ctx context.Context, s contract.VerifySummary) error {
	kv, err := b.js.KeyValue(ctx, BucketMeta)
	if err != nil {
		return fmt.Errorf("open bucket %s: %w", BucketMeta, err)
	}
	js, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode the end of a comparison: %w", err)
	}
	if _, err := kv.Put(ctx, keptVerify, js); err != nil {
		return fmt.Errorf("keep the end of a comparison: %w", err)
	}
	return nil
}

// LastVerify returns how the last comparison ended; nil where there was none.
func (b *Bus) LastVerify(ctx context.Context) (*contract.VerifySummary, error) {
	kv, err := b.js.KeyValue(ctx, BucketMeta)
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", BucketMeta, err)
	}
	e, err := kv.Get(ctx, keptVerify)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the end of the last comparison: %w", err)
	}
	var s contract.VerifySummary
	if err := json.Unmarshal(e.Value(), &s); err != nil {
		return nil, fmt.Errorf("decode the end of the last comparison: %w", err)
	}
	return &s, nil
}
