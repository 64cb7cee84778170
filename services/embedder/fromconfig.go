package embedder

import "github.com/freshet-dev/freshet/pkg/config"

// FromConfig takes the service's settings out of the configuration of all.
// embedder is the identity of the embedder that it works with.
func FromConfig(c config.Config, embedder string) Config {
	e := c.Embedder
	return Config{Generations: c.Generations(embedder), Workers: e.Workers, Batch: e.Batch, Lease: e.Lease}
}
