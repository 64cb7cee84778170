package embedder

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Config configures the service.
type Config struct {
	// Generations are those that this embedder's identity is part of.
	Generations []document.Generation
	// Workers embed batches at the same time.
	Workers int
	// Batch is the most documents that are embedded in one call.
	Batch int
	// Lease is the deadline of one batch.
	Lease time.Duration
}

// SetDefaults fills in what is zero.
func (c *Config) SetDefaults() {
	if c.Workers == 0 {
		c.Workers = 1
	}
	if c.Batch == 0 {
		c.Batch = 16
	}
	if c.Lease == 0 {
		c.Lease = 30 * time.Second
	}
}

// Validate names the first setting that cannot work.
func (c *Config) Validate() error {
	switch {
	case len(c.Generations) == 0:
		return document.Errorf(document.InvalidRequest, "embedder: no generation to embed: configure at least one collection")
	case c.Workers < 1 || c.Workers > 64:
		return document.Errorf(document.InvalidRequest, "embedder.workers is %d: use 1 to 64", c.Workers)
	case c.Batch < 1 || c.Batch > 1024:
		return document.Errorf(document.InvalidRequest, "embedder.batch is %d: use 1 to 1024", c.Batch)
	case c.Lease < time.Second:
		return document.Errorf(document.InvalidRequest, "embedder.lease is %s: use at least 1s", c.Lease)
	}
	return nil
}
