package freshet

import (
	"context"
	"log/slog"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// generations takes away what was built by another chunker, analyzer or
// embedder, once what this run builds is complete.
type generations struct {
	bus     *bus.Bus
	log     *slog.Logger
	keep    []document.Generation
	chunker string // name of its consumer
	// grace is how long it stays: whoever goes back by then finds it in the log.
	grace time.Duration
}

// resume notes that what this run builds is not superseded.
func (g generations) resume(ctx context.Context) error {
	for _, k := range g.keep {
		if err := g.bus.Resume(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

// reclaim removes what this run does not build and whose grace is over. It
// returns whether there was anything, and when it has to come again, 0 for
// never. What it cannot remove now, the next run does.
func (g generations) reclaim(ctx context.Context) (removed bool, again time.Duration) {
	others, err := g.bus.OtherGenerations(ctx, g.keep)
	for other, documents := range others {
		if err != nil {
			break
		}
		var left time.Duration
		if left, err = g.left(ctx, other); err == nil && left > 0 {
			if again == 0 || left < again {
				again = left
			}
			continue
		}
		if err == nil {
			err = g.bus.ReclaimGeneration(ctx, other)
		}
		if err == nil {
			removed = true
			g.log.Info("removed what was built before", "generation", other, "documents", documents)
		}
	}
	if err == nil && removed && again == 0 {
		err = g.bus.DropChunkers(ctx, g.chunker)
	}
	if err == nil && again == 0 {
		err = g.forgetBuilds(ctx)
	}
	if err != nil && ctx.Err() == nil {
		g.log.Warn("what was built before stays in the log for now", "error", err)
	}
	return removed, again
}

// forgetBuilds forgets how was made what nothing is left of. The one that answers are
// made of may be another's.
func (g generations) forgetBuilds(ctx context.Context) error {
	serving, err := g.bus.Serving(ctx)
	if err != nil {
		return err
	}
	return g.bus.ForgetBuilds(ctx, serving.Build, contract.BuildOf(g.keep[0]))
}

// left is how much of the grace of a generation is left.
func (g generations) left(ctx context.Context, other document.Generation) (time.Duration, error) {
	if g.grace == 0 {
		return 0, nil
	}
	since, err := g.bus.SupersededSince(ctx, other)
	if err != nil {
		return 0, err
	}
	return g.grace - g.bus.Now().Sub(since), nil
}

// attend reclaims what is due later, and has it overwritten.
func (g generations) attend(ctx context.Context, removed bool, again time.Duration, erase func(ctx context.Context, removed bool) error) {
	for {
		if err := erase(ctx, removed); err != nil && ctx.Err() == nil {
			g.log.Warn("what was built before still stands in files", "error", err)
		}
		if again <= 0 {
			return
		}
		select {
		case <-time.After(again):
			removed, again = g.reclaim(ctx)
		case <-ctx.Done():
			return
		}
	}
}
