package embedder

import (
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/rollout"
)

// Process makes what a process of embedders runs: one for what is configured, and
// until that takes its place one for what answers are made of.
func Process(e *process.Env) (process.Service, error) {
	known, err := open.Known(e.Config)
	if err != nil {
		return nil, err
	}
	models, err := open.Embedders(known)
	if err != nil {
		return nil, err
	}
	var last *Service // of what was configured
	return rollout.NewAgain(e.Bus, known, func(cfg config.Config, build contract.Build) *rollout.Process {
		p := &rollout.Process{Name: "embedder", Bus: e.Bus, Log: e.Log, Build: build}
		p.Make = func(former *contract.Build) (rollout.Crew, error) {
			service, crew, err := crew(e, cfg, build, former, Deps{Bus: e.Bus, Embedders: models, Log: e.Log, Version: process.Version, Continues: last})
			last = service
			return crew, err
		}
		return p
	})
}

// crew makes the embedder of what is configured, and of what answers are made of.
func crew(e *process.Env, cfg config.Config, build contract.Build, former *contract.Build, deps Deps) (*Service, rollout.Crew, error) {
	models := deps.Embedders
	if former != nil {
		if deps.Former = rollout.Embedders(cfg, *former, models); deps.Former == nil {
			e.Log.Warn("the model of what answers are made of is not there any more, so what changes is pending in it, and answers lack their vectors", "build", former.ID())
		}
	}
	service, err := New(FromConfig(cfg, build), deps)
	crew := rollout.Crew{Service: service}
	if err != nil || deps.Former == nil {
		return service, crew, err
	}
	settings := FromConfig(rollout.As(cfg, *former), *former)
	if settings.Generations = former.Without(build); len(settings.Generations) == 0 {
		return service, crew, nil
	}
	before, err := New(settings, Deps{Bus: e.Bus, Embedders: deps.Former, Log: e.Log, Beside: true, Counted: models})
	if err != nil {
		return service, crew, err
	}
	crew.Former = before.Run
	return service, crew, nil
}
