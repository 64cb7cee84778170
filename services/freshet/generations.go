package freshet

import (
	"context"
	"time"
)

// reclaimLater reclaims what is due later, and has it overwritten.
func (w *shifts) reclaimLater(ctx context.Context, s *shift, removed bool, again time.Duration, erase func(ctx context.Context, removed bool) error) {
	for {
		if err := erase(ctx, removed); err != nil && ctx.Err() == nil {
			w.o.Log.Warn("what was built before still stands in files", "error", err)
		}
		if again <= 0 {
			return
		}
		select {
		case <-time.After(again):
			removed, again = w.reclaim(ctx, s)
		case <-ctx.Done():
			return
		}
	}
}
