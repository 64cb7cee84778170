// Package cutter cuts contents into passages as the chunker does, without a log. The
// trees of code are built in supervised child processes of the same executable: a main
// function that opens a Cutter calls [ChildOrReturn] first.
package cutter

import (
	"context"
	"fmt"
	"sync"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/format"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/pkg/strategy"
	"github.com/freshet-dev/freshet/pkg/tokenizer"
	"github.com/freshet-dev/freshet/services/chunker/internal/parser"
	"github.com/freshet-dev/freshet/services/chunker/internal/split"
)

// Cutter cuts contents into passages as the service does, with parser children
// of its own. It needs no log, and is safe for concurrent use.
type Cutter struct {
	options    split.Options
	pool       *parser.Pool
	strategies strategy.Table
	tokens     *tokenizer.Tokenizer
	model      func() (embed.Counter, error) // the bundled one, opened when a document needs it
}

// suspectReason stands on the passages of a document that ended its worker.
const suspectReason = "workers died while they handled it"

// New takes the configuration, and what starts a parser child: nil for this executable
// with the argument ChildArgument. The caller closes the Cutter. The error says what was
// left out of cfg.
func New(cfg config.Chunker, command []string) (*Cutter, error) {
	if err := config.Filled("chunker", cfg); err != nil {
		return nil, err
	}
	options := split.Options(cfg.Cut())
	pool, err := parser.NewPool(parser.Config{
		Command: command, Children: cfg.Parsers,
		Timeout: cfg.ParserTimeout, TimeoutPerMiB: cfg.ParserTimeoutPerMiB, Memory: int64(cfg.ParserMemory),
		Options: options,
	})
	if err != nil {
		return nil, err
	}
	c := &Cutter{options: options, pool: pool, model: sync.OnceValues(func() (embed.Counter, error) { return open.Embedder(config.Embedder{}) })}
	if c.tokens, err = tokenizer.New(tokenizer.Cl100k); err == nil {
		c.strategies, err = strategy.New(cfg.Strategies)
	}
	if err != nil {
		pool.Close()
		return nil, err
	}
	return c, nil
}

// Close stops the parser children. Calls of Cut have to be over.
func (c *Cutter) Close() { c.pool.Close() }

// Parsers are the parser children, for the service that reports on them.
func (c *Cutter) Parsers() *parser.Pool { return c.pool }

// Cut is a document that was cut.
type Cut struct {
	Language string
	// Text is what the passages are ranges of: the content, or what the document's
	// format has made of it.
	Text  []byte
	Spans []document.Span
	Parts []document.Located // of a format
	// Textless is why a format could make no text of the content.
	Textless string
}

// Cut cuts a document. A parser that fails costs the syntax, which the passages note.
// The error is ctx's, or that the text of a format could not be made now.
func (c *Cutter) Cut(ctx context.Context, path document.Path, content []byte) (Cut, error) {
	return c.CutAs(ctx, path, format.Of(path), c.strategies.Of(path), content, false)
}

// CutAs cuts a document as its version says: by a format, nil for none, and a strategy,
// nil for that of its language. It does without a parser where a document is suspected of
// ending workers.
func (c *Cutter) CutAs(ctx context.Context, path document.Path, f *format.Format, by *strategy.Strategy, content []byte, suspect bool) (Cut, error) {
	if f != nil {
		out, err := c.make(ctx, path, f, content, suspect)
		if err == nil && by != nil && by.Name != config.CutSyntax && by.Name != config.CutHeaders {
			out.Spans, err = c.by(ctx, *by, out.Language, out.Text)
		}
		return out, err
	}
	out, opt := Cut{Language: language.Detect(path, content), Text: content}, c.options
	switch {
	case by != nil && by.Name != config.CutSyntax:
		var err error
		out.Spans, err = c.by(ctx, *by, out.Language, content)
		return out, err
	case by != nil:
		opt.Target, opt.Max = by.Size, 2*by.Size
	}
	switch {
	case !language.Get(out.Language).Grammar:
		out.Spans = split.Split(out.Language, content, opt)
		return out, nil
	case suspect:
		out.Spans = split.Fallback(out.Language, content, opt, suspectReason)
		return out, nil
	}
	var err error
	if out.Spans, err = c.pool.Split(ctx, out.Language, content, opt); err != nil {
		return Cut{}, fmt.Errorf("split %s: %w", path, err)
	}
	return out, nil
}

// by cuts as a strategy says. The error is ctx's, or the model's.
func (c *Cutter) by(ctx context.Context, s strategy.Strategy, lang string, text []byte) ([]document.Span, error) {
	m := split.Measures{Tokens: c.tokens}
	if s.Name == config.CutSemantic {
		model, err := c.model()
		if err != nil {
			return nil, fmt.Errorf("cut where the meaning changes: %w", err)
		}
		m.Vectors = func(texts []string) []embed.Vector {
			vectors, _ := model.EmbedDocuments(ctx, texts) // its errors are ctx's
			return vectors
		}
	}
	return split.By(s, lang, text, m), ctx.Err()
}

// make has the text of a document of a format made.
func (c *Cutter) make(ctx context.Context, path document.Path, f *format.Format, content []byte, suspect bool) (Cut, error) {
	out := Cut{Language: language.OfPath(path)}
	if suspect {
		out.Textless = suspectReason
		return out, nil
	}
	made, err := c.pool.Make(ctx, f, content)
	if err != nil {
		return Cut{}, fmt.Errorf("%s: %w", path, err)
	}
	out.Text, out.Spans, out.Parts, out.Textless = made.Text, made.Spans, made.Parts, made.Textless
	return out, nil
}
