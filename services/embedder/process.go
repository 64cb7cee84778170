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
	resolved, err := open.Resolve(e.Config.Embedder)
	if err != nil {
		return nil, err
	}
	model, err := open.Embedder(resolved)
	if err != nil {
		return nil, err
	}
	var last *Service // of what was configured
	return rollout.NewAgain(e.Bus, e.Config, func(cfg config.Config, build contract.Build) *rollout.Process {
		p := &rollout.Process{Name: "embedder", Bus: e.Bus, Log: e.Log, Build: build}
		p.Make = func(former *contract.Build) (rollout.Crew, error) {
			service, crew, err := crew(e, cfg, build, former, Deps{Bus: e.Bus, Embedder: model, Log: e.Log, Version: process.Version, Continues: last})
			last = service
			return crew, err
		}
		return p
	})
}

// crew makes the embedder of what is configured, and of what answers are made of.
func crew(e *process.Env, cfg config.Config, build contract.Build, former *contract.Build, deps Deps) (*Service, rollout.Crew, error) {
	model := deps.Embedder
	var of embed.Embedder // of the former
	if former != nil {
		if of = embedderOf(cfg, *former, model); of == nil {
			e.Log.Warn("the model of what answers are made of is not there any more, so what changes is pending in it, and answers lack their vectors", "build", former.ID())
		} else if of != model {
			deps.Former = of
		}
	}
	service, err := New(FromConfig(cfg, build), deps)
	crew := rollout.Crew{Service: service}
	if err != nil || of == nil {
		return service, crew, err
	}
	settings := FromConfig(rollout.As(cfg, *former), *former)
	if settings.Generations = former.Without(build); len(settings.Generations) == 0 {
		return service, crew, nil
	}
	before, err := New(settings, Deps{Bus: e.Bus, Embedder: of, Log: e.Log, Beside: true, Counted: of == model})
	if err != nil {
		return service, crew, err
	}
	crew.Former = before.Run
	return service, crew, nil
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
