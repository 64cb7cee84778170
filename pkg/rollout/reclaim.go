package rollout

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Reclaimer takes away what was built by another chunker, analyzer or embedder, once
// what is configured is complete.
type Reclaimer struct {
	Bus *bus.Bus
	Log *slog.Logger
	// Keep is what is configured.
	Keep contract.Build
	// Grace is how long the rest stays: whoever goes back by then finds it in the log.
	Grace time.Duration
	// InUse says what somebody works on; nil: nobody but the caller works.
	InUse func(context.Context) (InUse, error)
	// Drop removes what stores on servers hold of generations that a build had; nil:
	// there are none.
	Drop func(context.Context, contract.Build, []document.Generation) error
	// DropTokens removes what lexical stores on servers hold of generations, as a build
	// had them made; nil: there are none.
	DropTokens func(context.Context, contract.Build, []document.Generation) error

	tidied bool // consumers and records of builds that are gone were looked for
	// unused is since when nobody was seen to work with an analyzer of before.
	unused map[string]time.Time
}

// InUse is what the processes of a deployment work on.
type InUse struct {
	Builds []contract.BuildID
	// Analyzers are the signatures of theirs; of a process that does not say on which
	// it works, it may be any.
	Analyzers   []string
	AnyAnalyzer bool
}

// Resume notes that what is configured is not superseded.
func (r *Reclaimer) Resume(ctx context.Context) error { return r.resume(ctx, r.Keep.ID()) }

func (r *Reclaimer) resume(ctx context.Context, id contract.BuildID) error {
	for _, c := range document.Collections {
		noted, err := bus.GenerationsOf(r.Bus).Superseded(ctx, id.Generation(c))
		if err == nil && noted {
			err = bus.GenerationsOf(r.Bus).Resume(ctx, id.Generation(c))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Reclaim removes what is not configured, used by nobody, and whose grace is over. It
// returns whether there was anything, and when it has to come again, 0 for never.
// What it cannot remove now, the next call does.
func (r *Reclaimer) Reclaim(ctx context.Context) (removed bool, again time.Duration) {
	removed, again, err := r.reclaim(ctx)
	if err != nil && ctx.Err() == nil {
		r.Log.Warn("what was built before stays in the log for now", "error", err)
	}
	return removed, again
}

func (r *Reclaimer) reclaim(ctx context.Context) (removed bool, again time.Duration, err error) {
	others, err := r.others(ctx)
	if err != nil {
		return false, 0, err
	}
	analyzers, err := r.formerAnalyzers(ctx)
	if err != nil {
		return false, 0, err
	}
	var using InUse
	if r.InUse != nil && len(others)+len(analyzers) > 0 {
		// After the others are listed: who has written them since says so.
		if using, err = r.InUse(ctx); err != nil {
			return false, 0, err
		}
	}
	used := using.Builds
	if removed, again, err = r.dropTokens(ctx, analyzers, using); err != nil {
		return removed, again, err
	}
	for _, id := range slices.Sorted(maps.Keys(others)) {
		if slices.Contains(used, id) {
			if err := r.resume(ctx, id); err != nil {
				return removed, again, err
			}
			continue
		}
		left, err := r.left(ctx, id)
		if err != nil {
			return removed, again, err
		}
		if left > 0 {
			if again == 0 || left < again {
				again = left
			}
			continue
		}
		if err := r.remove(ctx, id, others[id]); err != nil {
			return removed, again, err
		}
		removed = true
	}
	if again > 0 || r.tidied && !removed {
		return removed, again, nil
	}
	// The one that answers are made of may be another's.
	serving, err := bus.BuildsOf(r.Bus).Serving(ctx)
	if err != nil {
		return removed, again, err
	}
	keep := append(used, r.Keep.ID(), serving.Build)
	if err = bus.GenerationsOf(r.Bus).KeepBuilders(ctx, keep...); err == nil {
		err = bus.BuildsOf(r.Bus).KeepOnly(ctx, keep...)
	}
	r.tidied = err == nil
	return removed, again, err
}

// others are the generations of each build that the log has and nobody configured.
func (r *Reclaimer) others(ctx context.Context) (map[contract.BuildID]map[document.Generation]int, error) {
	all, err := bus.GenerationsOf(r.Bus).Others(ctx, r.Keep.Generations())
	if err != nil {
		return nil, err
	}
	// What was noted and not ended: whoever has its heads in memory was not told yet
	// that they are gone.
	superseded, err := bus.GenerationsOf(r.Bus).AllSuperseded(ctx)
	if err != nil {
		return nil, err
	}
	for _, g := range superseded {
		if !slices.Contains(r.Keep.Generations(), g) {
			all[g] += 0
		}
	}
	out := map[contract.BuildID]map[document.Generation]int{}
	for g, documents := range all {
		id := contract.BuildOf(g)
		if out[id] == nil {
			out[id] = map[document.Generation]int{}
			for _, c := range document.Collections {
				out[id][id.Generation(c)] = 0 // one without a document has consumers and stores
			}
		}
		out[id][g] = documents
	}
	return out, nil
}

// remove takes a build out of stores and log.
func (r *Reclaimer) remove(ctx context.Context, id contract.BuildID, generations map[document.Generation]int) error {
	// The one with the note last, which says so where the rest was cut off.
	all := slices.Sorted(maps.Keys(generations))
	if i := slices.Index(all, noted(id)); i >= 0 {
		all = append(slices.Delete(all, i, i+1), noted(id))
	}
	if r.Drop != nil {
		// The stores first: what is left of them is found by what the log has.
		build, ok, err := bus.BuildsOf(r.Bus).Get(ctx, id)
		if err != nil {
			return err
		}
		if !ok {
			build = r.Keep // of which names are made as well as can be
		}
		if err := r.Drop(ctx, build, all); err != nil {
			return err
		}
		if err := r.dropFormer(ctx, build, all); err != nil {
			return err
		}
	}
	for _, g := range all {
		if err := bus.GenerationsOf(r.Bus).Reclaim(ctx, g); err != nil {
			return err
		}
		r.Log.Info("removed what was built before", "generation", g, "documents", generations[g])
	}
	return nil
}

// noted is the generation of a build under which stands since when nobody makes it.
func noted(id contract.BuildID) document.Generation { return id.Generation(document.Collections[0]) }

// left is how much of the grace of a build is left.
func (r *Reclaimer) left(ctx context.Context, id contract.BuildID) (time.Duration, error) {
	if r.Grace == 0 {
		return 0, nil
	}
	since, err := bus.GenerationsOf(r.Bus).SupersededSince(ctx, noted(id))
	if err != nil {
		return 0, err
	}
	return r.Grace - r.Bus.Now().Sub(since), nil
}
