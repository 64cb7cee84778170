package indexer

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Config configures the service.
type Config struct {
	// Workers handle batches of one sink at the same time.
	Workers int
	// Batch is the most documents that are written to a store at once.
	Batch int
	// Linger is how long a batch waits to fill up.
	Linger time.Duration
	// Lease is the deadline of one batch.
	Lease time.Duration
	// Sweep is the time between comparisons of the stores with INDEXED; one
	// more runs at the start after an unclean stop.
	Sweep time.Duration
	// Verify is the time between comparisons of sources, log and stores.
	Verify time.Duration
}

// SetDefaults fills in what is zero.
func (c *Config) SetDefaults() {
	if c.Workers == 0 {
		c.Workers = 1
	}
	if c.Batch == 0 {
		c.Batch = 64
	}
	if c.Lease == 0 {
		c.Lease = 30 * time.Second
	}
	if c.Sweep == 0 {
		c.Sweep = time.Hour
	}
	if c.Verify == 0 {
		c.Verify = 24 * time.Hour
	}
}

// Validate names the first setting that cannot work.
func (c *Config) Validate() error {
	switch {
	case c.Workers < 1 || c.Workers > 64:
		return document.Errorf(document.InvalidRequest, "indexer.workers is %d: use 1 to 64", c.Workers)
	case c.Batch < 1 || c.Batch > 1024:
		return document.Errorf(document.InvalidRequest, "indexer.batch is %d: use 1 to 1024", c.Batch)
	case c.Linger < 0 || c.Linger > time.Second:
		return document.Errorf(document.InvalidRequest, "indexer.linger is %s: use 0 to 1s", c.Linger)
	case c.Lease < time.Second:
		return document.Errorf(document.InvalidRequest, "indexer.lease is %s: use at least 1s", c.Lease)
	case c.Sweep < time.Second:
		return document.Errorf(document.InvalidRequest, "indexer.sweep is %s: use at least 1s", c.Sweep)
	case c.Verify < time.Minute:
		return document.Errorf(document.InvalidRequest, "indexer.verify is %s: use at least 1m", c.Verify)
	}
	return nil
}
