package chunker

import (
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

// FromConfig takes the service's settings out of the configuration of all.
// embedder is the identity of the embedder that the chunks are for.
func FromConfig(c config.Config, embedder string) Config {
	k := c.Chunker
	return Config{
		Embedder: embedder, Collections: document.Collections,
		Target: k.Target, Max: k.Max, Prose: k.Prose, Overlap: k.Overlap,
		Parsers: k.Parsers, ParserTimeout: k.ParserTimeout, ParserTimeoutPerMiB: k.ParserTimeoutPerMiB,
		ParserMemory: int64(k.ParserMemory),
		Workers:      k.Workers, Batch: k.Batch, Lease: k.Lease,
	}
}
