package chunker

import (
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/rollout"
)

// Process makes what a process of chunkers runs: one for what is configured, and
// until that takes its place one for what answers are made of.
func Process(e *process.Env) (process.Service, error) {
	return rollout.NewAgain(e.Bus, e.Config, func(cfg config.Config, build contract.Build) *rollout.Process {
		p := &rollout.Process{Name: "chunker", Bus: e.Bus, Log: e.Log, Build: build}
		p.Make = func(former *contract.Build) (rollout.Crew, error) { return crew(e, cfg, build, former) }
		return p
	})
}

func crew(e *process.Env, cfg config.Config, build contract.Build, former *contract.Build) (rollout.Crew, error) {
	service, err := New(FromConfig(cfg, build), Deps{Bus: e.Bus, Log: e.Log})
	crew := rollout.Crew{Service: service}
	if err != nil || former == nil {
		return crew, err
	}
	if former.Cutter != build.Cutter {
		e.Log.Warn("what answers are made of was cut by another version, so what changes is pending in it", "build", former.ID())
		return crew, nil
	}
	before, err := New(FromConfig(rollout.As(cfg, *former), *former), Deps{Bus: e.Bus, Log: e.Log, Beside: true})
	if err != nil {
		return crew, err
	}
	crew.Former = before.Run
	return crew, nil
}
