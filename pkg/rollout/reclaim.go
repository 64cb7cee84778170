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
func (r *Reclaimer) Resume(ctx context.Context) error { return r.resume(ctx, r.Keep.Generations()) }

func (r *Reclaimer) resume(ctx context.Context, generations []document.Generation) error {
	for _, g := range generations {
		noted, err := bus.GenerationsOf(r.Bus).Superseded(ctx, g)
		if err == nil && noted {
			err = bus.GenerationsOf(r.Bus).Resume(ctx, g)
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
	if removed, again, err = r.dropTokens(ctx, analyzers, using); err != nil {
		return removed, again, err
	}
	used, err := bus.BuildsOf(r.Bus).Generations(ctx, using.Builds...)
	if err != nil {
		return removed, again, err
	}
	for _, id := range slices.Sorted(maps.Keys(others)) {
		all := slices.Sorted(maps.Keys(others[id]))
		inUse := func(g document.Generation) bool { return slices.Contains(used, g) || slices.Contains(using.Builds, id) }
		if err := r.resume(ctx, slices.DeleteFunc(slices.Clone(all), func(g document.Generation) bool { return !inUse(g) })); err != nil {
			return removed, again, err
		}
		all = slices.DeleteFunc(all, inUse)
		if len(all) == 0 {
			continue
		}
		left, err := r.left(ctx, all[0])
		if err != nil {
			return removed, again, err
		}
		if left > 0 {
			if again == 0 || left < again {
				again = left
			}
			continue
		}
		if err := r.remove(ctx, id, all, others[id], append(used, r.Keep.Generations()...)); err != nil {
			return removed, again, err
		}
		removed = true
	}
	if again > 0 || r.tidied && !removed {
		return removed, again, nil
	}
	return removed, again, r.tidy(ctx, using.Builds)
}

// tidy removes the consumers and records of builds that nobody makes.
func (r *Reclaimer) tidy(ctx context.Context, used []contract.BuildID) error {
	// The one that answers are made of may be another's.
	serving, err := bus.BuildsOf(r.Bus).Serving(ctx)
	if err != nil {
		return err
	}
	keep := slices.Concat(used, []contract.BuildID{r.Keep.ID(), serving.Build})
	generations, err := bus.BuildsOf(r.Bus).Generations(ctx, keep...)
	if err != nil {
		return err
	}
	generations = append(generations, r.Keep.Generations()...) // which may not be noted yet
	if err = bus.GenerationsOf(r.Bus).KeepBuilders(ctx, keep, generations); err == nil {
		err = bus.BuildsOf(r.Bus).KeepOnly(ctx, keep...)
	}
	r.tidied = err == nil
	return err
}

// others are the generations that the log has and nobody configured, by what their names
// end with.
func (r *Reclaimer) others(ctx context.Context) (map[contract.BuildID]map[document.Generation]int, error) {
	all, err := bus.GenerationsOf(r.Bus).Others(ctx, r.Keep.Generations(), r.Keep.ID())
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
			noted, _, err := bus.BuildsOf(r.Bus).Get(ctx, id)
			if err != nil {
				return nil, err
			}
			for _, c := range noted.Collections() {
				if other := id.Generation(c); !slices.Contains(r.Keep.Generations(), other) {
					out[id][other] = 0 // one without a document has consumers and stores
				}
			}
		}
		out[id][g] = documents
	}
	return out, nil
}

// remove takes generations of one name out of stores and log; stay are those that are
// kept.
func (r *Reclaimer) remove(ctx context.Context, id contract.BuildID, all []document.Generation, documents map[document.Generation]int, stay []document.Generation) error {
	// The one with the note last, which says so where the rest was cut off.
	all = append(slices.Clone(all[1:]), all[0])
	if r.Drop != nil {
		// The stores first: what is left of them is found by what the log has.
		build, err := r.noted(ctx, id, all)
		if err != nil {
			return err
		}
		if err := r.Drop(ctx, build, all); err != nil {
			return err
		}
		if err := r.dropFormer(ctx, build, all); err != nil {
			return err
		}
	}
	for _, g := range all {
		if err := bus.GenerationsOf(r.Bus).Reclaim(ctx, g, stay...); err != nil {
			return err
		}
		r.Log.Info("removed what was built before", "generation", g, "documents", documents[g])
	}
	return nil
}

// noted is how generations of one name are made, or Keep where nobody has noted it: names
// are made of that as well as can be.
func (r *Reclaimer) noted(ctx context.Context, id contract.BuildID, generations []document.Generation) (contract.Build, error) {
	build, ok, err := bus.BuildsOf(r.Bus).Get(ctx, id)
	if ok || err != nil {
		return build, err
	}
	builds, err := bus.BuildsOf(r.Bus).All(ctx)
	for _, b := range builds {
		if slices.ContainsFunc(b.Generations(), func(g document.Generation) bool { return slices.Contains(generations, g) }) {
			return b, err
		}
	}
	return r.Keep, err
}

// left is how much of the grace of generations is left, of which g has the note since
// when nobody makes them.
func (r *Reclaimer) left(ctx context.Context, g document.Generation) (time.Duration, error) {
	if r.Grace == 0 {
		return 0, nil
	}
	since, err := bus.GenerationsOf(r.Bus).SupersededSince(ctx, g)
	if err != nil {
		return 0, err
	}
	return r.Grace - r.Bus.Now().Sub(since), nil
}
