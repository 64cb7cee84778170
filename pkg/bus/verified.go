package bus

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// keptVerify is the key in BucketMeta of the last comparison's end.
const keptVerify = "verify"

// Verified is how the last comparison of sources, log and stores ended. It is
// safe for concurrent use.
type Verified struct{ meta Bucket }

// VerifiedOf is how the last comparison ended.
func VerifiedOf(b *Bus) Verified { return Verified{b.Bucket(contract.BucketMeta)} }

// Keep keeps how a comparison of sources, log and stores ended.
func (v Verified) Keep(ctx context.Context, s contract.VerifySummary) error {
	js, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode the end of a comparison: %w", err)
	}
	if _, err := v.meta.Put(ctx, keptVerify, js); err != nil {
		return fmt.Errorf("keep the end of a comparison: %w", err)
	}
	return nil
}

// Last returns how the last comparison ended; nil where there was none.
func (v Verified) Last(ctx context.Context) (*contract.VerifySummary, error) {
	raw, _, err := v.meta.Get(ctx, keptVerify)
	if err != nil {
		return nil, fmt.Errorf("read the end of the last comparison: %w", err)
	}
	var s contract.VerifySummary
	if json.Unmarshal(raw, &s) != nil {
		return nil, nil //nolint:nilerr // There was none, or nobody knows how it ended.
	}
	return &s, nil
}
