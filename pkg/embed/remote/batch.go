package remote

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
)

const (
	// requestTokens bounds the tokens of a request by an estimate: OpenAI takes
	// 300,000, others a third of that.
	requestTokens = 80_000
	// tokenBytes are the fewest bytes that a token of text takes on average; code
	// has about three.
	tokenBytes = 2
	// tries bounds how often one request is sent, and backoff is the first wait.
	tries   = 3
	backoff = 300 * time.Millisecond
	// patience is how long a batch waits for its server.
	patience = 5 * time.Second
)

// item is a text on its way.
type item struct {
	text   string
	key    [sha256.Size]byte
	vector embed.Vector
	err    error
}

// embed gives each item its vector or its error. What the server's trouble is, all
// that was not embedded by then have in common.
func (e *Embedder) embed(ctx context.Context, items []*item) {
	var trouble atomic.Pointer[error]
	var g errgroup.Group
	g.SetLimit(e.cfg.Concurrency)
	for _, part := range e.requestsOf(items) {
		g.Go(func() error {
			if err := trouble.Load(); err != nil {
				failAll(part, *err)
				return nil
			}
			if err := e.settle(ctx, part); err != nil {
				trouble.CompareAndSwap(nil, &err)
			}
			return nil
		})
	}
	_ = g.Wait()
}

// requestsOf cuts items into requests, by their number and an estimate of their
// tokens.
func (e *Embedder) requestsOf(items []*item) (out [][]*item) {
	first, size := 0, 0
	for i, it := range items {
		tokens := len(it.text)/tokenBytes + 1
		if i > first && (i-first >= min(e.cfg.Inputs, e.wire.most()) || size+tokens > requestTokens) {
			out = append(out, items[first:i])
			first, size = i, 0
		}
		size += tokens
	}
	if first < len(items) {
		out = append(out, items[first:])
	}
	return out
}

func failAll(items []*item, err error) {
	for _, it := range items {
		if it.err == nil && it.vector.IsZero() {
			it.err = err
		}
	}
}

// settle embeds the items of one request. What is refused is halved until the text
// is alone whose fault it is. The error is trouble of the server's.
func (e *Embedder) settle(ctx context.Context, items []*item) error {
	rows, err := e.patiently(ctx, items)
	if err == nil {
		return e.take(ctx, items, rows)
	}
	if !refusal(err) {
		failAll(items, err)
		return err
	}
	if perr := e.sound(ctx, err); perr != nil {
		failAll(items, perr)
		return perr
	}
	if len(items) == 1 {
		e.refuse(items[0], err)
		return nil
	}
	for _, half := range [][]*item{items[:len(items)/2], items[len(items)/2:]} {
		if err := e.settle(ctx, half); err != nil {
			failAll(items, err)
			return err
		}
	}
	return nil
}

// refuse gives up a text.
func (e *Embedder) refuse(it *item, err error) {
	e.refused.Add(1)
	it.err = document.Errorf(document.InvalidRequest, "%s has no vector for the text: %w", e.client.URL, err)
}

// take makes vectors of rows. A text whose row is none is asked for once more, alone.
func (e *Embedder) take(ctx context.Context, items []*item, rows [][]float32) error {
	var bad []*item
	for i, it := range items {
		v, err := e.vector(rows[i])
		switch {
		case document.KindOf(err) == document.IdentityMismatch:
			failAll(items, e.fail(ctx, err))
			return err
		case err != nil && len(items) == 1:
			if perr := e.sound(ctx, err); perr != nil {
				failAll(items, perr)
				return perr
			}
			e.refuse(it, err)
			return nil
		case err != nil:
			bad = append(bad, it)
		default:
			it.vector = v
			e.memory.put(it.key, v)
		}
	}
	e.health.answered()
	for _, it := range bad {
		if err := e.settle(ctx, []*item{it}); err != nil {
			failAll(bad, err)
			return err
		}
	}
	return nil
}

// vector checks the length of a row, which is IdentityMismatch, and rounds it.
func (e *Embedder) vector(values []float32) (embed.Vector, error) {
	if len(values) != e.cfg.Dimensions {
		return embed.Vector{}, document.Errorf(document.IdentityMismatch, "%s answers with vectors of %d values where %d are expected: correct embedder.model or embedder.dimensions", e.client.URL, len(values), e.cfg.Dimensions)
	}
	return embed.Round(values)
}

// patiently asks, and asks again what may pass by, as long as there are retries.
func (e *Embedder) patiently(ctx context.Context, items []*item) (rows [][]float32, err error) {
	for try := range tries {
		if err := e.turn(ctx); err != nil {
			return nil, err
		}
		if rows, err = e.ask(ctx, items, false); err == nil || refusal(err) {
			return rows, err
		}
		wait := max(backoff<<try, e.client.Left())
		if !mayPass(err) || try == tries-1 || wait > patience || !e.health.again() {
			break
		}
		e.retries.Add(1)
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
	return nil, e.fail(ctx, err)
}

// turn waits until the server may be asked, as it has said. What takes longer than
// patience is trouble.
func (e *Embedder) turn(ctx context.Context) error {
	for {
		left := e.client.Left()
		switch {
		case left <= 0:
			return ctx.Err()
		case left > patience:
			return e.fail(ctx, e.paused(left))
		}
		if err := sleep(ctx, left); err != nil {
			return err
		}
	}
}

// fail notes trouble of the server's. What ended with ctx is none.
func (e *Embedder) fail(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	if document.KindOf(err) == document.NotFound { // of the address or the model, and no document
		err = document.Errorf(document.Unavailable, "%w", err)
	}
	return e.health.fail(err)
}

// malformed is an answer that cannot be taken.
type malformed struct{ err error }

func (m *malformed) Error() string { return m.err.Error() }
func (m *malformed) Unwrap() error { return m.err }

// refusal reports whether an error may be the fault of one text: the request is
// refused, or its answer cannot be taken.
func refusal(err error) bool {
	var m *malformed
	k := document.KindOf(err)
	return errors.As(err, &m) || k == document.InvalidRequest || k == document.TooLarge
}

// ask sends one request, in its own time.
func (e *Embedder) ask(ctx context.Context, items []*item, query bool) ([][]float32, error) {
	out := asked{model: e.cfg.Model, dims: shorter(e.cfg), query: query, texts: make([]string, len(items))}
	for i, it := range items {
		out.texts[i] = it.text
	}
	within, cancel := context.WithTimeout(ctx, e.cfg.Timeout)
	defer cancel()
	raw, err := e.client.Ask(within, e.wire.body(out))
	e.requests.Add(1)
	if err != nil {
		if within.Err() != nil && ctx.Err() == nil {
			return nil, document.Errorf(document.Unavailable, "%s does not answer within %s (embedder.timeout)", e.client.URL, e.cfg.Timeout)
		}
		return nil, err
	}
	e.texts.Add(uint64(len(items)))
	got, err := e.wire.read(raw, len(items))
	e.spend(items, got.tokens)
	if err != nil {
		return nil, &malformed{document.Errorf(document.Unavailable, "%s answers in an unknown form: %w", e.client.URL, err)}
	}
	return got.vectors, nil
}

// spend counts the tokens of a request.
func (e *Embedder) spend(items []*item, told int) {
	if told <= 0 {
		for _, it := range items {
			told += e.count.Count(it.text)
		}
	}
	e.tokens.Add(uint64(told))
}
