package cli

import (
	"context"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/command/remote"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/services/freshet"
	"github.com/freshet-dev/freshet/services/freshet/internal/cache"
	"github.com/freshet-dev/freshet/services/watcher/survey"
)

// apart runs the services in this process for one question, on a state in the
// user's cache folder.
func apart() remote.Apart {
	return remote.Apart{Run: once, Root: func(folder string) (string, error) {
		root, _, err := survey.Locate(folder)
		return root, err
	}}
}

// once runs the services until a question is answered.
func once(ctx context.Context, p *command.Program, root string, ask func(context.Context, *nats.Conn) error) error {
	kept, err := cache.Of()
	if err != nil {
		return err
	}
	cfg, err := configApart(kept, root)
	if err != nil {
		return err
	}
	progress := remote.ProgressOn(p)
	var answered error
	err = freshet.Up(ctx, freshet.Options{
		Config: cfg, Once: true, Log: p.Logger(cfg.Log), Progress: progress.Show, Accept: acceptance(p, progress, false),
		Waiting: func() { p.Note("another search in " + root + " is under way: waiting for it") },
		Ask: func(ctx context.Context, nc *nats.Conn) error {
			progress.Clear()
			answered = ask(ctx, nc)
			return nil
		},
	})
	progress.Clear()
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = answered
	}
	if failed := kept.Evict(cfg.Data, time.Now()); failed != nil {
		p.Note(terminal.Printable(failed.Error()))
	}
	return err
}

// configApart is the configuration of a run that answers one question: that of the
// environment, with everything in one folder of the cache.
func configApart(kept cache.Cache, root string) (config.Config, error) {
	cfg, err := config.Load("", instance.Environ()...)
	if err != nil {
		return cfg, err
	}
	own := config.Default()
	cfg.NATS, cfg.Stores, cfg.Sources = own.NATS, own.Stores, []config.Source{{Root: root}}
	cfg.Data, err = kept.State(filepath.Clean(root))
	return cfg, err
}
