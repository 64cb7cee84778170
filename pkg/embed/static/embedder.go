package static

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/freshet-dev/freshet/pkg/embed"
)

// Embedder is a model as an [embed.Embedder]. It is safe for concurrent use; a
// call works on the caller's goroutine.
//
// A text's vector is the sum over its distinct tokens of tf^0.75 × row,
// divided by its L2 norm; tokens carry their weight in the norm of their row.
type Embedder struct {
	tokens  *tokens
	table   []byte
	scales  []float64
	id      string
	scratch sync.Pool // *scratch
}

var _ embed.Counter = (*Embedder)(nil)

// scratch is what one text needs while it is embedded.
type scratch struct {
	text   []byte
	ids    []int32
	counts []uint32 // by id, zero between texts
	seen   []int32  // distinct ids
	weight []float64
	unit   [Dims]float64
}

// Embedder makes the model work. The error says what does not fit together.
func (m *Model) Embedder() (*Embedder, error) {
	vocabulary := m.tokens()
	scales, err := m.floats(len(vocabulary))
	if err != nil {
		return nil, fmt.Errorf("embedding model: %w", err)
	}
	tokens, err := newTokens(vocabulary)
	if err != nil {
		return nil, fmt.Errorf("embedding model: %w", err)
	}
	e := &Embedder{tokens: tokens, table: m.table, scales: scales, id: m.Identity()}
	e.scratch.New = func() any { return &scratch{counts: make([]uint32, len(scales))} }
	return e, nil
}

// Identity implements embed.Embedder.
func (e *Embedder) Identity() string { return e.id }

// Dims implements embed.Embedder.
func (e *Embedder) Dims() int { return Dims }

// EmbedDocuments implements embed.Embedder. A text's error is that of ctx.
func (e *Embedder) EmbedDocuments(ctx context.Context, texts []string) ([]embed.Vector, []error) {
	vectors, errs := make([]embed.Vector, len(texts)), make([]error, len(texts))
	s := e.scratch.Get().(*scratch)
	defer e.scratch.Put(s)
	for i, text := range texts {
		if errs[i] = ctx.Err(); errs[i] == nil {
			vectors[i] = e.embed(s, text)
		}
	}
	return vectors, errs
}

// Tokens implements embed.Counter: tokens that the model does not know do not
// count.
func (e *Embedder) Tokens(text string) int {
	s := e.scratch.Get().(*scratch)
	defer e.scratch.Put(s)
	s.text = prepare(s.text, text)
	s.ids = e.tokens.append(s.ids[:0], s.text)
	return len(s.ids)
}

// EmbedQuery implements embed.Embedder.
func (e *Embedder) EmbedQuery(ctx context.Context, text string) (embed.Vector, error) {
	if err := ctx.Err(); err != nil {
		return embed.Vector{}, err
	}
	s := e.scratch.Get().(*scratch)
	defer e.scratch.Put(s)
	return e.embed(s, text), nil
}

// embed returns the vector of text, zero when no token is known.
func (e *Embedder) embed(s *scratch, text string) embed.Vector {
	s.text = prepare(s.text, text)
	s.ids = e.tokens.append(s.ids[:0], s.text)
	if !e.pool(s) {
		return embed.Vector{}
	}
	return quantise(&s.unit)
}

// pool makes s.unit of s.ids and reports whether it has a direction.
func (e *Embedder) pool(s *scratch) bool {
	s.count()
	s.weight = s.weight[:0]
	var total float64
	for _, id := range s.seen {
		w := float64(damp(float64(s.counts[id])) * e.scales[id])
		s.weight = append(s.weight, w)
		total += w
		s.counts[id] = 0
	}
	if total == 0 {
		return false
	}
	var acc accumulator
	var sum uint64
	for i, id := range s.seen {
		w := uint64(float64(s.weight[i]/total*weightSum) + 0.5) // converted, so that nothing is fused
		acc.addRow(e.table[int(id)*Dims:], w)
		sum += w
	}
	return acc.unit(&s.unit, sum)
}

// quantise rounds a unit vector to int8 with the scale max|x| / 127.
func quantise(unit *[Dims]float64) embed.Vector {
	var largest float64
	for _, x := range unit {
		largest = max(largest, math.Abs(x))
	}
	data := make([]int8, Dims)
	for i, x := range unit {
		data[i] = int8(math.Round(x / largest * 127))
	}
	return embed.Vector{Scale: float32(largest / 127), Data: data}
}
