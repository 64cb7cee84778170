package bus

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// keptVerify is the key in BucketMeta of the last comparison's end.
const keptVerify = "verify"

// KeepVerify keeps how a comparison of sources, log and stores ended.
func (b *Bus) KeepVerify(ctx context.Context, s contract.VerifySummary) error {
	js, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode the end of a comparison: %w", err)
	}
	if _, err := b.Bucket(contract.BucketMeta).Put(ctx, keptVerify, js); err != nil {
		return fmt.Errorf("keep the end of a comparison: %w", err)
	}
	return nil
}

// LastVerify returns how the last comparison ended; nil where there was none.
func (b *Bus) LastVerify(ctx context.Context) (*contract.VerifySummary, error) {
	raw, _, err := b.Bucket(contract.BucketMeta).Get(ctx, keptVerify)
	if err != nil {
		return nil, fmt.Errorf("read the end of the last comparison: %w", err)
	}
	var s contract.VerifySummary
	if json.Unmarshal(raw, &s) != nil {
		return nil, nil //nolint:nilerr // There was none, or nobody knows how it ended.
	}
	return &s, nil
}
