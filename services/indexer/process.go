package indexer

import (
	"context"
	"time"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/rollout"
	"github.com/freshet-dev/freshet/pkg/store/open"
)

// Shared are the stores that the processes of a deployment share.
type Shared struct {
	// Open opens those of generations; nil: open.Open.
	Open func(open.Options) (open.Stores, error)
	// Quiet is how long nobody may have been seen to work on a build before it is
	// taken away; 0: rollout.Quiet.
	Quiet time.Duration
}

// Process makes what a process of indexers runs: the sides of what is configured, and
// until that takes its place those of what answers are made of. One process of all
// takes away what nobody works on any more.
func Process(e *process.Env, shared Shared) (process.Service, error) {
	if shared.Open == nil {
		shared.Open = open.Open
	}
	return rollout.NewAgain(e.Bus, e.Config, func(cfg config.Config, build contract.Build) *rollout.Process {
		return processOf(e, shared, cfg, build)
	})
}

// processOf makes what a process runs that makes a build.
func processOf(e *process.Env, shared Shared, cfg config.Config, build contract.Build) *rollout.Process {
	analyzer := analysis.New()
	p := &rollout.Process{Name: "indexer", Bus: e.Bus, Log: e.Log, Build: build}
	stores := open.FromConfig(cfg, build)
	p.First = func(ctx context.Context) error {
		return p.Reclaim(ctx, &rollout.Reclaimer{Bus: e.Bus, Log: e.Log, Keep: build, Grace: cfg.Superseded.Grace, Drop: stores.Drop, DropTokens: stores.DropTokens}, shared.Quiet)
	}
	p.Make = func(former *contract.Build) (rollout.Crew, error) {
		var crew rollout.Crew
		sinks, err := shared.Open(stores)
		if err != nil {
			return crew, err
		}
		e.OnStop(sinks.Close)
		deps := Deps{
			Bus: e.Bus, Generations: sinks, Analyzer: analyzer, Log: e.Log, Version: process.Version,
			Chunker: contract.ChunkerConsumer(build.ID()), Build: build.ID(),
		}
		var before open.Stores
		if former != nil {
			if !former.Searchable(build) {
				e.Log.Warn("what answers are made of was indexed by other words or vectors, so nobody keeps it in step", "build", former.ID())
			} else {
				own := open.FromConfig(rollout.As(cfg, *former), *former)
				own.Generations = former.Without(build)
				if before, err = shared.Open(own); err != nil {
					return crew, err
				}
			}
			deps.Former, deps.FormerBuild = before, former.ID()
		}
		service, err := New(cfg.Indexer, deps)
		crew.Service = service
		if before == nil {
			return crew, err
		}
		e.OnStop(before.Close)
		crew.Left = service.LeaveFormer
		return crew, err
	}
	return p
}
