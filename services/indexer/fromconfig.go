package indexer

import "github.com/freshet-dev/freshet/pkg/config"

// FromConfig takes the service's settings out of the configuration of all.
func FromConfig(c config.Config) Config {
	i := c.Indexer
	return Config{Workers: i.Workers, Batch: i.Batch, Linger: i.Linger, Lease: i.Lease, Sweep: i.Sweep, Verify: i.Verify}
}
