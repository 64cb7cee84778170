package freshet

import (
	"context"
	"time"

	"github.com/freshet-dev/freshet/pkg/rollout"
)

// reclaimLater reclaims what is due later, and has it overwritten.
func reclaimLater(ctx context.Context, r *rollout.Reclaimer, removed bool, again time.Duration, erase func(ctx context.Context, removed bool) error) {
	for {
		if err := erase(ctx, removed); err != nil && ctx.Err() == nil {
			r.Log.Warn("what was built before still stands in files", "error", err)
		}
		if again <= 0 {
			return
		}
		select {
		case <-time.After(again):
			removed, again = r.Reclaim(ctx)
		case <-ctx.Done():
			return
		}
	}
}
