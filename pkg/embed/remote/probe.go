package remote

import (
	"context"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
)

// probeText is what a server is asked for to see whether it answers.
const probeText = "freshet"

// sound tells whether the server is all right although it has refused something:
// nil, or the trouble.
func (e *Embedder) sound(ctx context.Context, refused error) error {
	if e.health.trusted() {
		return nil
	}
	if err := e.Probe(ctx); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return e.fail(ctx, document.Errorf(document.Unavailable, "it refuses every text: %w", refused))
	}
	return nil
}

// Probe implements embed.Remote.
func (e *Embedder) Probe(ctx context.Context) error {
	if left := e.client.Left(); left > 0 {
		return e.paused(left)
	}
	rows, err := e.ask(ctx, []*item{{text: e.input(e.cfg.PassagePrefix, probeText)}}, false)
	if err != nil {
		return e.fail(ctx, err)
	}
	if _, err := e.vector(rows[0]); err != nil {
		return e.fail(ctx, e.unsound(err))
	}
	e.health.probed()
	return nil
}

// canaries are fixed: what is kept of them in a log is compared for years.
var canaries = []string{
	"The quick brown fox jumps over the lazy dog.",
	"func (s *Server) Close() error { return s.listener.Close() }",
	"Errors are values; a deadline is exceeded when the context ends before the answer.",
}

// Canaries implements embed.Remote.
func (e *Embedder) Canaries(ctx context.Context) ([]embed.Vector, error) {
	if left := e.client.Left(); left > 0 {
		return nil, e.paused(left)
	}
	items := make([]*item, len(canaries))
	for i, text := range canaries {
		items[i] = &item{text: e.input(e.cfg.PassagePrefix, text)}
	}
	rows, err := e.ask(ctx, items, false)
	if err != nil {
		return nil, e.fail(ctx, err)
	}
	out := make([]embed.Vector, len(rows))
	for i, r := range rows {
		if out[i], err = e.vector(r); err != nil {
			return nil, e.fail(ctx, e.unsound(err))
		}
	}
	e.health.probed()
	return out, nil
}

// unsound is what is wrong with a vector of a plain text.
func (e *Embedder) unsound(err error) error {
	if document.KindOf(err) == document.IdentityMismatch {
		return err
	}
	return document.Errorf(document.Unavailable, "%s has no vector for a plain text: %w", e.client.URL, err)
}

func (e *Embedder) paused(left time.Duration) error {
	return document.Errorf(document.RateLimited, "%s is asked too often; it is left alone for %s more", e.client.URL, left.Round(time.Second/10))
}
