package remote

import (
	"context"
	"os"
	"path"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/pkg/named"
	"github.com/freshet-dev/freshet/pkg/pathset"
	"github.com/freshet-dev/freshet/pkg/render"
)

// within asks about one folder: the running instance if one watches it, else one
// that lives as long as the question.
func (c *searchCommand) within(ctx context.Context, req contract.SearchRequest) error {
	if c.all || len(c.sources) > 0 || namesSource.MatchString(req.Query) {
		return document.Errorf(document.InvalidRequest, "--in says already where to look: leave --all and sources out")
	}
	root, err := c.apart.Root(c.in)
	if err != nil {
		return err
	}
	folder := named.Resolve(c.in)
	nc, err := c.Dial(ctx)
	switch {
	case err == nil:
		defer nc.Close()
		places := PlacesOf(ctx, nc)
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

// Apart answers a question about a folder without a running instance.
type Apart struct {
	// Root returns the root of the source that a folder lies in.
	Root func(folder string) (string, error)
	// Run runs a freshet over a source in this process, has ask put its question,
	// and ends when it has returned.
	Run func(ctx context.Context, p *command.Program, root string, ask func(context.Context, *nats.Conn) error) error
}

// alone asks about a folder that no running instance watches.
func (c *searchCommand) alone(ctx context.Context, req contract.SearchRequest, root, folder string) error {
	return c.apart.Run(ctx, c.Program, root, func(ctx context.Context, nc *nats.Conn) error {
		places := PlacesOf(ctx, nc)
		source, below, ok := watching(places.Sources, root, folder)
		if !ok {
			return document.Errorf(document.Unavailable, "the watcher does not say what it has of %s: ask again", root)
		}
		return c.askBelow(ctx, nc, req, places, source, below)
	})
}
