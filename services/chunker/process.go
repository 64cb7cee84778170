package chunker

import (
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/rollout"
)

// Process makes what a process of chunkers runs: one for what is configured, and
// until that takes its place one for what answers are made of.
func Process(e *process.Env) (process.Service, error) {
	cfg, build, err := rollout.Resolved(e.Config)
	if err != nil {
		return nil, err
	}
	p := &rollout.Process{Name: "chunker", Bus: e.Bus, Log: e.Log, Build: build}
	p.Make = func(former *contract.Build) (rollout.Crew, error) {
		service, err := New(FromConfig(cfg, build.Embedder), Deps{Bus: e.Bus, Log: e.Log})
		crew := rollout.Crew{Service: service}
		if err != nil || former == nil {
			return crew, err
		}
		if former.Cutter != build.Cutter {
			e.Log.Warn("what answers are made of was cut by another version, so what changes is pending in it", "build", former.ID())
			return crew, nil
		}
		before, err := New(FromConfig(rollout.As(cfg, *former), former.Embedder), Deps{Bus: e.Bus, Log: e.Log, Beside: true})
		if err != nil {
			return crew, err
		}
		crew.Former = before.Run
		return crew, nil
	}
	return p, nil
}
