package transformer

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
)

// scheme names what is done with a model; it is part of its identity.
const scheme = "transformer-1"

// together is how many tokens of short texts are worked on at once: weights are read
// once for all of them.
const together = 192

// Embedder is a model as an [embed.Embedder]. It is safe for concurrent use; a call
// works on the caller's goroutine.
type Embedder struct {
	model  *model
	id     string
	passes sync.Pool // *pass
}

var (
	_ embed.Counter = (*Embedder)(nil)
	_ embed.Slow    = (*Embedder)(nil)
)

// Open opens the model in a folder, and takes the memory that its weights do. The error
// is NotFound where a file of it is not there, InvalidRequest where it is damaged or of a
// kind that freshet cannot run, and Unavailable where it cannot be read.
func Open(folder string) (*Embedder, error) {
	space, err := SpaceOf(folder)
	if err != nil {
		return nil, err
	}
	m, err := read(folder)
	if err != nil {
		return nil, err
	}
	e := &Embedder{model: m, id: space.Identity}
	e.passes.New = func() any { return &pass{m: m} }
	if _, err := e.EmbedQuery(context.Background(), ""); err != nil {
		return nil, document.Errorf(document.InvalidRequest, "%s is damaged: a text has no vector by it: %w", filepath.Join(folder, fileWeights), err)
	}
	return e, nil
}

// SpaceOf tells what the model in a folder makes, without opening it. Errors are those
// of Open.
func SpaceOf(folder string) (embed.Space, error) {
	s, err := readSettings(folder)
	if err != nil {
		return embed.Space{}, err
	}
	hash, err := identify(folder)
	if err != nil {
		return embed.Space{}, err
	}
	return embed.Space{Identity: scheme + ":" + hash + ":" + embed.PrefixRule, Dims: s.Hidden}, nil
}

// Identity implements embed.Embedder.
func (e *Embedder) Identity() string { return e.id }

// Dims implements embed.Embedder.
func (e *Embedder) Dims() int { return e.model.Hidden }

// Tokens implements embed.Counter: what is behind the longest text that the model takes
// does not count.
func (e *Embedder) Tokens(text string) int {
	return len(e.model.words.cut(e.model.DocumentPrompt+text, e.model.Length))
}

// AtOnce implements embed.Slow.
func (e *Embedder) AtOnce() int { return 16 }

// EmbedDocuments implements embed.Embedder. A text's error is that of ctx.
func (e *Embedder) EmbedDocuments(ctx context.Context, texts []string) ([]embed.Vector, []error) {
	vectors, errs := make([]embed.Vector, len(texts)), make([]error, len(texts))
	p := e.passes.Get().(*pass)
	defer e.passes.Put(p)
	var batch [][]int32
	first, sum := 0, 0
	flush := func(end int) {
		for i, v := range p.run(batch) {
			vectors[first+i], errs[first+i] = embed.Round(v)
		}
		batch, first, sum = batch[:0], end, 0
	}
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			for ; first < len(texts); first++ {
				errs[first] = err
			}
			return vectors, errs
		}
		ids := e.model.words.cut(e.model.DocumentPrompt+text, e.model.Length)
		if sum > 0 && sum+len(ids) > together {
			flush(i)
		}
		batch, sum = append(batch, ids), sum+len(ids)
	}
	if len(batch) > 0 {
		flush(len(texts))
	}
	return vectors, errs
}

// EmbedQuery implements embed.Embedder.
func (e *Embedder) EmbedQuery(ctx context.Context, text string) (embed.Vector, error) {
	if err := ctx.Err(); err != nil {
		return embed.Vector{}, err
	}
	p := e.passes.Get().(*pass)
	defer e.passes.Put(p)
	ids := e.model.words.cut(e.model.QueryPrompt+text, e.model.Length)
	return embed.Round(p.run([][]int32{ids})[0])
}
