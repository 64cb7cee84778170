package query

import (
	"context"
	"slices"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	embedders "github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/rollout"
	"github.com/freshet-dev/freshet/pkg/store/open"
)

// Process makes what a process of the query service runs. It answers from what the
// log says that answers are made of; one process of all has that be what is
// configured, once it is complete. stores opens those of generations; nil: open.Open.
func Process(e *process.Env, stores func(open.Options) (open.Stores, error)) (process.Service, error) {
	if stores == nil {
		stores = open.Open
	}
	return rollout.NewAgain(e.Bus, e.Config, func(cfg config.Config, build contract.Build) *rollout.Process {
		return processOf(e, stores, cfg, build)
	})
}

// processOf makes what a process runs that makes a build.
func processOf(e *process.Env, stores func(open.Options) (open.Stores, error), cfg config.Config, build contract.Build) *rollout.Process {
	p := &rollout.Process{Name: "query", Bus: e.Bus, Log: e.Log, Build: build, Names: true}
	p.Make = func(former *contract.Build) (rollout.Crew, error) {
		var crew rollout.Crew
		opened := func(o open.Options) (open.Stores, error) {
			sinks, err := stores(o)
			if err == nil {
				e.OnStop(sinks.Close)
			}
			return sinks, err
		}
		sinks, err := opened(open.FromConfig(cfg, build))
		if err != nil {
			return crew, err
		}
		deps := Deps{Bus: e.Bus, Stores: sinks, Analyzer: analysis.New(), Log: e.Log, Build: build}
		if former != nil {
			if !former.Searchable(build) || !makes(cfg, *former, build) {
				e.Log.Warn("what answers were made of cannot be asked by this version or without its model: what is configured answers, and lists what it lacks as pending", "build", former.ID())
			} else {
				before, err := opened(open.FromConfig(rollout.As(cfg, *former), *former))
				if err != nil {
					return crew, err
				}
				deps.Former = &Former{Build: *former, Stores: before}
			}
		}
		settings := FromConfig(cfg)
		settings.Version = process.Version
		service, err := New(settings, deps)
		crew.Service = service
		crew.Beside = func(ctx context.Context) error { return p.Switch(ctx, service.Complete) }
		return crew, err
	}
	return p
}

// makes reports whether vectors of a build can be had.
func makes(c config.Config, b, now contract.Build) bool {
	as := rollout.As(c, b)
	for _, name := range b.Collections() {
		identity := b.Of(name).Embedder
		if slices.Contains(now.Embedders(), identity) {
			continue
		}
		if own, err := embedders.Space(as.EmbedderOf(name)); err != nil || own.Identity != identity {
			return false
		}
	}
	return true
}
