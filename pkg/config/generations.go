package config

import (
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Cut is where the chunker cuts.
func (c Chunker) Cut() contract.Cut {
	return contract.Cut{Target: c.Target, Max: c.Max, Prose: c.Prose, Overlap: c.Overlap}
}

// Generations are those of all collections, in the order of
// document.Collections, as an embedder of that identity builds them.
func (c Config) Generations(embedder string) []document.Generation {
	out := make([]document.Generation, len(document.Collections))
	for i, collection := range document.Collections {
		out[i] = contract.Generation(collection, c.Chunker.Cut().Signature(), embedder)
	}
	return out
}
