package cli

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/pkg/named"
	"github.com/freshet-dev/freshet/pkg/pathset"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/services/freshet"
	"github.com/freshet-dev/freshet/services/freshet/internal/cache"
	"github.com/freshet-dev/freshet/services/freshet/internal/render"
	"github.com/freshet-dev/freshet/services/watcher"
)

// within asks about one folder: the running instance if one watches it, else one
// that lives as long as the question.
func (c *searchCommand) within(ctx context.Context, req contract.SearchRequest) error {
	if c.all || len(c.sources) > 0 || namesSource.MatchString(req.Query) {
		return document.Errorf(document.InvalidRequest, "--in says already where to look: leave --all and sources out")
	}
	root, _, err := watcher.Locate(c.in)
	if err != nil {
		return err
	}
	folder := named.Resolve(c.in)
	nc, err := c.Dial(ctx)
	switch {
	case err == nil:
		defer nc.Close()
		places := placesOf(ctx, nc)
		if source, below, ok := watching(places.Sources, root, folder); ok {
			return c.askBelow(ctx, nc, req, places, source, below)
		}
	case document.KindOf(err) != document.NotFound || c.NATS != "" || os.Getenv(instance.EnvURL) != "":
		return err
	}
	return c.alone(ctx, req, root, folder)
}

// watching returns the watched source that has a folder, and where in it. A bare
// repository is known by its root.
func watching(known []contract.SourceInfo, root, folder string) (source document.Source, below string, ok bool) {
	if s, rel, ok := named.Holding(known, folder); ok && s.Watched {
		return s.Source, rel, true
	}
	for _, s := range known {
		if s.Watched && s.Kind == contract.SourceBare && s.Root == root {
			return s.Source, ".", true
		}
	}
	return "", "", false
}

// askBelow asks about a folder of a source. Paths of the question are those below
// the folder.
func (c *searchCommand) askBelow(ctx context.Context, nc *nats.Conn, req contract.SearchRequest, places render.Places, source document.Source, below string) error {
	req.Filter.Sources = []document.Source{source}
	var err error
	if req.Filter.Paths, err = belowFolder(req.Filter.Paths, below); err != nil {
		return err
	}
	return c.ask(ctx, nc, req, places)
}

// belowFolder makes paths and globs of a folder those of its source.
func belowFolder(paths []string, folder string) ([]string, error) {
	if _, err := pathset.Parse(paths); err != nil {
		return nil, document.Errorf(document.InvalidRequest, "with --in, --path is relative to that folder: %w", err)
	}
	if folder == "." {
		return paths, nil
	}
	if len(paths) == 0 {
		return []string{folder}, nil
	}
	out := make([]string, len(paths))
	for i, p := range paths {
		if !strings.Contains(p, "/") && strings.ContainsAny(p, "*?[{") {
			p = "**/" + p // a name in any folder
		}
		out[i] = path.Join(folder, p)
	}
	return out, nil
}

// alone runs the services in this process, on a state in the user's cache
// folder, until the question is answered.
func (c *searchCommand) alone(ctx context.Context, req contract.SearchRequest, root, folder string) error {
	kept, err := cache.Of()
	if err != nil {
		return err
	}
	cfg, err := configAlone(kept, root)
	if err != nil {
		return err
	}
	progress := progressOn(c.Program)
	var answered error
	err = freshet.Up(ctx, freshet.Options{
		Config: cfg, Once: true, Log: c.Logger(cfg.Log), Progress: progress.show, Accept: acceptance(c.Program, progress, false),
		Waiting: func() { c.Note("another search in " + root + " is under way: waiting for it") },
		Ask: func(ctx context.Context, nc *nats.Conn) error {
			progress.clear()
			places := placesOf(ctx, nc)
			source, below, ok := watching(places.Sources, root, folder)
			if !ok {
				return document.Errorf(document.Unavailable, "the watcher does not say what it has of %s: ask again", root)
			}
			answered = c.askBelow(ctx, nc, req, places, source, below)
			return nil
		},
	})
	progress.clear()
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = answered
	}
	if failed := kept.Evict(cfg.Data, time.Now()); failed != nil {
		c.Note(terminal.Printable(failed.Error()))
	}
	return err
}

// configAlone is the configuration of a run that answers one question: that of the
// environment, with everything in one folder of the cache.
func configAlone(kept cache.Cache, root string) (config.Config, error) {
	cfg, err := config.Load("", instance.Environ()...)
	if err != nil {
		return cfg, err
	}
	own := config.Default()
	cfg.NATS, cfg.Stores, cfg.Sources = own.NATS, own.Stores, []config.Source{{Root: root}}
	cfg.Data, err = kept.State(filepath.Clean(root))
	return cfg, err
}
