package chunker

import (
	"context"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/services/chunker/internal/parser"
	"github.com/freshet-dev/freshet/services/chunker/internal/split"
)

// Cutter cuts contents into passages as the service does, with parser children
// of its own. It needs no log, and is safe for concurrent use.
type Cutter struct {
	cfg  Config
	pool *parser.Pool
}

// NewCutter takes the configuration, of which what concerns the log is of no
// interest. The caller closes the Cutter.
func NewCutter(cfg Config) (*Cutter, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	pool, err := parser.NewPool(parser.Config{
		Command: cfg.ParserCommand, Children: cfg.Parsers,
		Timeout: cfg.ParserTimeout, TimeoutPerMiB: cfg.ParserTimeoutPerMiB, Memory: int64(cfg.ParserMemory),
		Options: cfg.options(),
	})
	if err != nil {
		return nil, err
	}
	return &Cutter{cfg, pool}, nil
}

// Close stops the parser children. Calls of Cut have to be over.
func (c *Cutter) Close() { c.pool.Close() }

// Cut returns the language of a content and its passages. A parser that fails
// costs the syntax, which the passages note; the error is ctx's.
func (c *Cutter) Cut(ctx context.Context, path document.Path, content []byte) (language string, spans []document.Span, err error) {
	return c.cut(ctx, path, content, false)
}

// cut does without a parser where a document is suspected of ending workers.
func (c *Cutter) cut(ctx context.Context, path document.Path, content []byte, suspect bool) (string, []document.Span, error) {
	lang := language.Detect(path, content)
	switch {
	case !language.Get(lang).Grammar:
		return lang, split.Split(lang, content, c.cfg.options()), nil
	case suspect:
		return lang, split.Fallback(lang, content, c.cfg.options(), suspectReason), nil
	}
	spans, err := c.pool.Split(ctx, lang, content)
	if err != nil {
		return lang, nil, fmt.Errorf("split %s: %w", path, err)
	}
	return lang, spans, nil
}
