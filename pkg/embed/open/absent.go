package open

import (
	"context"
	"slices"

	"github.com/freshet-dev/freshet/pkg/embed"
)

// absent stands for a model in the process that cannot be loaded, where vectors of it are
// there: passages wait for theirs, and nothing is made by another in its place.
type absent struct {
	space embed.Space
	why   error
}

var _ embed.Fallible = absent{}

// Identity implements embed.Embedder.
func (a absent) Identity() string { return a.space.Identity }

// Dims implements embed.Embedder.
func (a absent) Dims() int { return a.space.Dims }

// EmbedDocuments implements embed.Embedder.
func (a absent) EmbedDocuments(_ context.Context, texts []string) ([]embed.Vector, []error) {
	return make([]embed.Vector, len(texts)), slices.Repeat([]error{a.why}, len(texts))
}

// EmbedQuery implements embed.Embedder.
func (a absent) EmbedQuery(context.Context, string) (embed.Vector, error) {
	return embed.Vector{}, a.why
}

// Probe implements embed.Fallible.
func (a absent) Probe(context.Context) error { return a.why }

// Trouble implements embed.Fallible.
func (a absent) Trouble() string { return a.why.Error() }
