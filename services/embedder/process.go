package embedder

import (
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/rollout"
)

// Process makes what a process of embedders runs: one for what is configured, and
// until that takes its place one for what answers are made of.
func Process(e *process.Env) (process.Service, error) {
	cfg, build, err := rollout.Resolved(e.Config)
	if err != nil {
		return nil, err
	}
	model, err := open.Embedder(cfg.Embedder)
	if err != nil {
		return nil, err
	}
	p := &rollout.Process{Name: "embedder", Bus: e.Bus, Log: e.Log, Build: build}
	p.Make = func(former *contract.Build) (rollout.Crew, error) {
		deps := Deps{Bus: e.Bus, Embedder: model, Log: e.Log, Version: process.Version}
		var of embed.Embedder // of the former
		if former != nil {
			if of = embedderOf(cfg, *former, model); of == nil {
				e.Log.Warn("the model of what answers are made of is not there any more, so what changes is pending in it, and answers lack their vectors", "build", former.ID())
			} else if of != model {
				deps.Former = of
			}
		}
		service, err := New(FromConfig(cfg, build.Embedder), deps)
		crew := rollout.Crew{Service: service}
		if err != nil || of == nil {
			return crew, err
		}
		before, err := New(FromConfig(rollout.As(cfg, *former), former.Embedder), Deps{Bus: e.Bus, Embedder: of, Log: e.Log, Beside: true, Counted: of == model})
		if err != nil {
			return crew, err
		}
		crew.Former = before.Run
		return crew, nil
	}
	return p, nil
}

// embedderOf opens the one of a build, which may be the one at hand; nil where it is
// not there any more.
func embedderOf(c config.Config, b contract.Build, model embed.Embedder) embed.Embedder {
	if b.Embedder == model.Identity() {
		return model
	}
	own, err := open.Embedder(rollout.As(c, b).Embedder)
	if err != nil || own.Identity() != b.Embedder {
		return nil
	}
	return own
}
