package freshet

import (
	"errors"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/services/chunker"
	"github.com/freshet-dev/freshet/services/embedder"
	"github.com/freshet-dev/freshet/services/indexer"
	"github.com/freshet-dev/freshet/services/query"
	"github.com/freshet-dev/freshet/services/watcher"
)

// plan is the configuration as each part of the process takes it.
type plan struct {
	state  string // folder, "" for the user's own
	log    string // level
	server bus.ServerConfig
	nats   config.NATS
	health config.Health

	stores        config.Stores
	elasticsearch config.Elasticsearch
	weaviate      config.Weaviate
	snapshot      time.Duration // between snapshots of embedded stores

	watcher  watcher.Config
	chunker  chunker.Config
	embedder embedder.Config
	indexer  indexer.Config
	query    query.Config
}

// planOf translates the configuration. identity is that of the embedder.
func planOf(c config.Config, identity string) plan {
	p := plan{
		state: c.Data, log: c.Log, nats: c.NATS, health: c.Health,
		stores: c.Stores, elasticsearch: c.Elasticsearch, weaviate: c.Weaviate, snapshot: c.Indexer.Snapshot,
		server:   bus.ServerConfig{Host: c.NATS.Host, Port: c.NATS.Port, SyncInterval: c.NATS.Sync},
		watcher:  watcher.FromConfig(c),
		chunker:  chunker.FromConfig(c, identity),
		embedder: embedder.FromConfig(c, identity),
		indexer:  indexer.FromConfig(c),
		query:    query.FromConfig(c),
	}
	p.watcher.Version, p.query.Version = Version, Version
	if p.server.Port == 0 {
		p.server.Port = bus.AnyPort
	}
	return p
}

// Check reports the first setting with which a service would not start. What
// it finds beyond config.Validate is a mistake in the limits there.
func Check(c config.Config) error {
	p := planOf(c, "any")
	return errors.Join(p.watcher.Validate(), p.chunker.Validate(), p.embedder.Validate(), p.indexer.Validate(), p.query.Validate())
}
