package remote

import (
	"context"
	"crypto/sha256"
	"sync/atomic"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/provider"
	"github.com/freshet-dev/freshet/pkg/tokenizer"
)

// mostAnswer bounds an answer in bytes: 2,048 vectors of 4,096 values, 12 bytes each,
// are 100 MB; 64 of them, as by default, are 3 MB.
const mostAnswer = 128 << 20

// Embedder has texts embedded by a server. It is safe for concurrent use.
type Embedder struct {
	cfg    config.Embedder // resolved
	id     string
	wire   wire
	client *provider.Client
	count  tokenizer.Counter
	memory *memory
	health *health

	requests, retries, texts, reused, refused, tokens atomic.Uint64
}

var (
	_ embed.Counter = (*Embedder)(nil)
	_ embed.Remote  = (*Embedder)(nil)
)

// New returns the embedder of a section whose provider is a server. Nothing is asked.
// Errors are those of Resolve, and of the file of certificates.
func New(c config.Embedder) (*Embedder, error) {
	w := wires[c.Provider]
	if w == nil {
		return nil, document.Errorf(document.InvalidRequest, "embedder.provider is %q, which is no server", c.Provider)
	}
	c, err := Resolve(c)
	if err != nil {
		return nil, err
	}
	at := provider.Server{
		URL: c.URL, Key: c.Key, CA: c.CA, Section: "embedder", Most: mostAnswer,
		TooLarge: "lower embedder.inputs, or embedder.max_tokens",
	}
	path := w.server(c, &at)
	client, err := provider.New(at, path)
	if err != nil {
		return nil, err
	}
	count, err := counterOf(c.Model)
	if err != nil {
		return nil, err
	}
	return &Embedder{
		cfg: c, id: identity(c), wire: w, client: client,
		count: count, memory: newMemory(), health: newHealth(),
	}, nil
}

// Identity implements embed.Embedder.
func (e *Embedder) Identity() string { return e.id }

// Dims implements embed.Embedder.
func (e *Embedder) Dims() int { return e.cfg.Dimensions }

// Tokens implements embed.Counter.
func (e *Embedder) Tokens(text string) int {
	return min(e.count.Count(prefix(e.cfg.PassagePrefix)+text), e.cfg.MaxTokens)
}

// input is what is sent for a text: behind its prefix, cut where the model reads no
// further.
func (e *Embedder) input(before, text string) string {
	return e.count.Cut(prefix(before)+text, e.cfg.MaxTokens)
}

// EmbedDocuments implements embed.Embedder. A text that the server refuses, or has no
// vector for, fails alone, as an InvalidRequest; any other error is the server's,
// and passes by.
func (e *Embedder) EmbedDocuments(ctx context.Context, texts []string) ([]embed.Vector, []error) {
	vectors, errs := make([]embed.Vector, len(texts)), make([]error, len(texts))
	items := make([]*item, len(texts))
	seen := map[[sha256.Size]byte]*item{}
	var missing []*item
	for i, text := range texts {
		it := &item{text: e.input(e.cfg.PassagePrefix, text)}
		it.key = sha256.Sum256([]byte(it.text))
		if twin := seen[it.key]; twin != nil {
			items[i] = twin
			continue
		}
		items[i], seen[it.key] = it, it
		if v, ok := e.memory.get(it.key); ok {
			it.vector = v
			e.reused.Add(1)
		} else {
			missing = append(missing, it)
		}
	}
	e.embed(ctx, missing)
	for i, it := range items {
		vectors[i], errs[i] = it.vector, it.err
	}
	return vectors, errs
}

// EmbedQuery implements embed.Embedder. It asks once, in the time that ctx has, and
// not at all within a second of trouble.
func (e *Embedder) EmbedQuery(ctx context.Context, text string) (embed.Vector, error) {
	if err := e.health.resting(); err != nil {
		return embed.Vector{}, err
	}
	it := &item{text: e.input(e.cfg.QueryPrefix, text)}
	rows, err := e.ask(ctx, []*item{it}, true)
	switch {
	case err != nil && refusal(err):
		return embed.Vector{}, err
	case err != nil:
		return embed.Vector{}, e.fail(ctx, err)
	}
	e.health.answered()
	v, err := e.vector(rows[0])
	if err != nil {
		return embed.Vector{}, document.Errorf(document.Unavailable, "%s has no vector for the question: %w", e.client.URL, err)
	}
	return v, nil
}

// Trouble implements embed.Remote.
func (e *Embedder) Trouble() string { return e.health.says() }

// Usage implements embed.Remote.
func (e *Embedder) Usage() embed.Usage {
	return embed.Usage{
		Requests: e.requests.Load(), Retries: e.retries.Load(), Texts: e.texts.Load(),
		Reused: e.reused.Load(), Refused: e.refused.Load(), Tokens: e.tokens.Load(),
	}
}

// counterOf counts as a model does: OpenAI's models of vectors by their own
// vocabulary, others with a reserve.
func counterOf(name string) (tokenizer.Counter, error) {
	known := tokenizer.ForModel(name)
	if m, ok := modelOf(name); ok && m.openAI {
		known.Vocabulary, known.Factor = tokenizer.Cl100k, 1
	}
	words, err := tokenizer.New(known.Vocabulary)
	return tokenizer.Counter{Tokenizer: words, Factor: known.Factor}, err
}
