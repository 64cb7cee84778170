package rollout

import (
	"context"
	"errors"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
)

// switchEvery is the time between looks at who is configured otherwise.
const switchEvery = time.Second

// Switch has answers be made of what is configured once complete returns and every
// process is configured for it, and then waits for the end. One process of all does.
// While two configurations run, nothing is switched: they would take each other's
// place for as long as both do.
func (p *Process) Switch(ctx context.Context, complete func(context.Context) error) error {
	return p.Bus.RunAlone(ctx, "switch", func(ctx context.Context) error {
		said := ""
		for ctx.Err() == nil {
			serving, err := bus.BuildsOf(p.Bus).Serving(ctx)
			if err == nil && serving.Build == p.Build.ID() {
				<-ctx.Done()
				return nil
			}
			if err == nil {
				err = complete(ctx)
			}
			others := ""
			if err == nil {
				others, err = p.otherwise(ctx)
			}
			switch {
			case err != nil:
			case others != "":
				if others != said {
					p.Log.Warn("what is configured is complete and takes no place yet: processes are configured otherwise", "which", others)
					said = others
				}
			default:
				// Once more: who tidied up before this process was heard of has taken it away.
				if err = bus.BuildsOf(p.Bus).Note(ctx, p.Build); err != nil {
					break
				}
				if _, err = bus.BuildsOf(p.Bus).Serve(ctx, serving, p.Build.ID()); err == nil {
					p.Log.Info("answers are made of what is configured", "build", p.Build.ID(), "before", serving.Build)
					continue
				}
			}
			if err != nil && ctx.Err() == nil && !errors.Is(err, bus.ErrConflict) {
				p.Log.Warn("what is configured takes no place yet", "error", err)
			}
			pause(ctx, switchEvery)
		}
		return nil
	})
}

func (p *Process) otherwise(ctx context.Context) (string, error) {
	all, err := reports(ctx, p.Bus)
	if err != nil {
		return "", err
	}
	for _, r := range all {
		if r.Build == nil {
			return r.Service + " " + r.Instance + " does not say what it makes, as another version does not", nil
		}
	}
	return Otherwise(p.Build, all), nil
}
