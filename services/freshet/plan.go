package freshet

import (
	"errors"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/chunker"
	"github.com/freshet-dev/freshet/services/embedder"
	"github.com/freshet-dev/freshet/services/indexer"
	"github.com/freshet-dev/freshet/services/query"
	"github.com/freshet-dev/freshet/services/watcher"
)

// plan is the configuration as each part of the process takes it.
type plan struct {
	state    string // folder, "" for the user's own
	log      string // level
	nats     config.NATS
	server   bus.ServerConfig
	sources  []contract.SourceAdd // those that a root alone does not describe
	snapshot time.Duration        // between snapshots of the stores

	stores        config.Stores
	elasticsearch config.Elasticsearch
	weaviate      config.Weaviate
	health        config.Health

	watcher  watcher.Config
	chunker  chunker.Config
	embedder embedder.Config
	indexer  indexer.Config
	query    query.Config
}

// collections are those that exist.
var collections = []document.Collection{document.CollectionCode, document.CollectionDocs}

// planOf translates the configuration. identity is that of the embedder.
func planOf(c config.Config, identity string) plan {
	p := plan{
		state: c.Data, log: c.Log, nats: c.NATS, snapshot: c.Indexer.Snapshot,
		stores: c.Stores, elasticsearch: c.Elasticsearch, weaviate: c.Weaviate, health: c.Health,
		server: bus.ServerConfig{Host: c.NATS.Host, Port: c.NATS.Port, SyncInterval: c.NATS.Sync},
		watcher: watcher.Config{
			Debounce: c.Watcher.Debounce, MaxDebounce: c.Watcher.MaxDebounce,
			Rescan: c.Watcher.Rescan, Poll: c.Watcher.Poll,
			MaxFileBytes: int64(c.Watcher.MaxFileSize), MaxWatches: c.Watcher.MaxWatches, Git: c.Watcher.Git,
			Version: Version,
		},
		chunker: chunker.Config{
			Embedder: identity, Collections: collections,
			Target: c.Chunker.Target, Max: c.Chunker.Max, Prose: c.Chunker.Prose, Overlap: c.Chunker.Overlap,
			Parsers: c.Chunker.Parsers, ParserTimeout: c.Chunker.ParserTimeout,
			ParserTimeoutPerMiB: c.Chunker.ParserTimeoutPerMiB, ParserMemory: int64(c.Chunker.ParserMemory),
			Workers: c.Chunker.Workers, Batch: c.Chunker.Batch, Lease: c.Chunker.Lease,
		},
		embedder: embedder.Config{Workers: c.Embedder.Workers, Batch: c.Embedder.Batch, Lease: c.Embedder.Lease},
		indexer: indexer.Config{
			Workers: c.Indexer.Workers, Batch: c.Indexer.Batch, Linger: c.Indexer.Linger,
			Lease: c.Indexer.Lease, Sweep: c.Indexer.Sweep,
		},
		query: query.Config{
			Version: Version, K: c.Query.K, MaxK: c.Query.MaxK,
			Deadline: c.Query.Deadline, MaxDeadline: c.Query.MaxDeadline,
			ChannelDeadline: c.Query.ChannelDeadline, EmbedDeadline: c.Query.EmbedDeadline,
			Overfetch: c.Query.Overfetch, MaxOverfetch: c.Query.MaxOverfetch, PerFile: c.Query.PerFile,
			PendingDocuments: c.Query.PendingDocuments, PendingBytes: int64(c.Query.PendingBytes),
			Listed: c.Query.Listed, BodyCache: int64(c.Query.BodyCache), VectorCache: c.Query.VectorCache,
			Excerpt: c.Query.Excerpt, Concurrency: c.Query.Concurrency, ReportWait: c.Query.ReportWait,
		},
	}
	if p.server.Port == 0 {
		p.server.Port = bus.AnyPort
	}
	for _, s := range c.Sources {
		if s.Name == "" && s.Branch == "" {
			p.watcher.Roots = append(p.watcher.Roots, s.Root)
			continue
		}
		p.sources = append(p.sources, contract.SourceAdd{Root: s.Root, Source: document.Source(s.Name), Branch: s.Branch})
	}
	for _, collection := range collections {
		p.embedder.Generations = append(p.embedder.Generations, p.chunker.Generation(collection))
	}
	return p
}

// Check reports the first setting with which a service would not start. What
// it finds beyond config.Validate is a mistake in the limits there.
func Check(c config.Config) error {
	p := planOf(c, "any")
	return errors.Join(p.watcher.Validate(), p.chunker.Validate(), p.embedder.Validate(), p.indexer.Validate(), p.validQuery())
}

// validQuery checks the query's settings with the weights at their defaults,
// which the configuration does not name.
func (p plan) validQuery() error {
	q := p.query
	q.SetDefaults()
	return q.Validate()
}
