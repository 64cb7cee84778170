package rollout

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
)

const (
	// attendEvery is the time between looks at what nobody works on any more.
	attendEvery = 5 * time.Second
	// Quiet is how long nobody may have been seen to work on a build before it is
	// taken away. A process that is too busy to answer misses a look, not all of them.
	Quiet = 30 * time.Second
)

// Reclaim takes away what nobody works on any more, once answers are made of what is
// configured, until ctx ends. One process of all does. quiet is the least grace; 0 is
// Quiet.
func (p *Process) Reclaim(ctx context.Context, r *Reclaimer, quiet time.Duration) error {
	if quiet == 0 {
		quiet = Quiet
	}
	r.Grace = max(r.Grace, quiet)
	r.InUse = p.inUse
	every := min(attendEvery, quiet/2)
	return p.Bus.RunAlone(ctx, "reclaimer", func(ctx context.Context) error {
		for ctx.Err() == nil {
			// Whatever was noted: this process makes it.
			err := r.Resume(ctx)
			var serves bool
			if err == nil {
				serves, err = p.serves(ctx)
			}
			switch {
			case err != nil && ctx.Err() == nil:
				p.Log.Warn("what was built before stays for now", "error", err)
			case serves:
				r.Reclaim(ctx)
			}
			pause(ctx, every)
		}
		return nil
	})
}

func (p *Process) serves(ctx context.Context) (bool, error) {
	s, err := bus.BuildsOf(p.Bus).Serving(ctx)
	return s.Build == p.Build.ID(), err
}

// inUse is what processes work on. A process that does not say on which build may work
// on any.
func (p *Process) inUse(ctx context.Context) (InUse, error) {
	all, err := reports(ctx, p.Bus)
	if err != nil {
		return InUse{}, err
	}
	var out InUse
	for _, r := range all {
		if r.Build == nil {
			out.Builds, err = p.all(ctx)
			out.AnyAnalyzer = true
			return out, err
		}
		out.Builds, out.Analyzers = append(out.Builds, r.Build.ID()), append(out.Analyzers, r.Build.Analyzer)
		if r.Beside != "" {
			out.Builds = append(out.Builds, r.Beside)
		}
	}
	return out, nil
}

// all are the builds that the log has anything of.
func (p *Process) all(ctx context.Context) ([]contract.BuildID, error) {
	others, err := bus.GenerationsOf(p.Bus).Others(ctx, nil)
	if err != nil {
		return nil, err
	}
	noted, err := bus.GenerationsOf(p.Bus).AllSuperseded(ctx)
	if err != nil {
		return nil, err
	}
	builds, err := bus.BuildsOf(p.Bus).All(ctx)
	if err != nil {
		return nil, err
	}
	var out []contract.BuildID
	for _, b := range builds {
		out = append(out, b.ID())
	}
	for _, g := range append(slices.Collect(maps.Keys(others)), noted...) {
		if id := contract.BuildOf(g); !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out, nil
}
