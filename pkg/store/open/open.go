// Package open opens the stores that the configuration chooses, for every
// generation: the same for the indexer, which fills them, and for the query
// service, which searches them.
package open

import (
	"errors"
	"fmt"
	"time"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// Options say what to open.
type Options struct {
	Stores        config.Stores
	Elasticsearch config.Elasticsearch
	Weaviate      config.Weaviate
	// Snapshot is the time between snapshots of embedded stores.
	Snapshot time.Duration

	Generations []document.Generation
	// Keep are generations that somebody else in this process opens: their folders
	// are left alone.
	Keep []document.Generation
	// Analyzer is the signature of the one that the tokens are from. Another
	// analyzer finds an empty store, which is filled from the log.
	Analyzer string
	// Dims is the length of the vectors of a collection.
	Dims map[document.Collection]int

	// Dir is the folder of the embedded stores, the process' own; "" where there
	// are none, see CheckShared.
	Dir string
	// Room is asked before a snapshot of an embedded store; see postings.Options.
	Room func(bytes int64) error
}

// FromConfig takes what the configuration says of stores, for the generations of a
// build. What is the process' own, Dir and Room, is left to the caller.
func FromConfig(c config.Config, b contract.Build) Options {
	return Options{
		Stores: c.Stores, Elasticsearch: c.Elasticsearch, Weaviate: c.Weaviate, Snapshot: c.Indexer.Snapshot,
		Generations: b.Generations(), Analyzer: b.Analyzer, Dims: dimsOf(b),
	}
}

// dimsOf is the length of the vectors of each collection of a build.
func dimsOf(b contract.Build) map[document.Collection]int {
	out := map[document.Collection]int{}
	for _, c := range b.Collections() {
		out[c] = b.Of(c).Dims
	}
	return out
}

// dims is the length of the vectors of a generation.
func (o Options) dims(g document.Generation) int { return o.Dims[contract.CollectionOf(g)] }

// CheckShared refuses a configuration whose stores several processes cannot
// share.
func CheckShared(c config.Config) error {
	for _, s := range []struct{ sink, chosen, server string }{
		{"lexical", c.Stores.Lexical, "elasticsearch"}, {"vector", c.Stores.Vector, "weaviate"},
	} {
		if s.chosen == config.Embedded {
			return document.Errorf(document.InvalidRequest, "stores.%s is embedded, which only the single binary can use, where indexer and query service are one process: set stores.%s to %s, or run freshet itself", s.sink, s.sink, s.server).Do(document.DoStart)
		}
	}
	return nil
}

// Stores are the sinks of every generation.
type Stores map[document.Generation]store.Sinks

// Open opens the stores of the generations; embedded ones are created where
// they are missing. The caller closes them.
func Open(o Options) (_ Stores, err error) {
	s := Stores{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	for _, g := range o.Generations {
		lexical, err := o.lexical(g)
		if err != nil {
			return nil, fmt.Errorf("open the lexical store of %s: %w", g, err)
		}
		s[g] = store.Sinks{Lexical: lexical}
		vector, err := o.vector(g)
		if err != nil {
			return nil, fmt.Errorf("open the vector store of %s: %w", g, err)
		}
		s[g] = store.Sinks{Lexical: lexical, Vector: vector}
	}
	if o.Dir == "" {
		return s, nil
	}
	return s, o.RemoveUnused()
}

// Close persists and closes all stores.
func (s Stores) Close() error {
	var errs []error
	for g, sinks := range s {
		if err := sinks.Lexical.Close(); err != nil {
			errs = append(errs, fmt.Errorf("close the lexical store of %s: %w", g, err))
		}
		if sinks.Vector == nil {
			continue // it could not be opened
		}
		if err := sinks.Vector.Close(); err != nil {
			errs = append(errs, fmt.Errorf("close the vector store of %s: %w", g, err))
		}
	}
	return errors.Join(errs...)
}

func (o Options) lexical(g document.Generation) (store.Lexical, error) {
	switch o.Stores.Lexical {
	case config.Embedded:
		return o.embeddedLexical(g)
	case config.OnElasticsearch:
		return o.elastic(g)
	}
	return nil, document.Errorf(document.InvalidRequest, "stores.lexical is %q, which is not known", o.Stores.Lexical)
}

func (o Options) vector(g document.Generation) (store.Vector, error) {
	switch o.Stores.Vector {
	case config.Embedded:
		return o.embeddedVector(g)
	case config.OnWeaviate:
		return o.weaviate(g)
	}
	return nil, document.Errorf(document.InvalidRequest, "stores.vector is %q, which is not known", o.Stores.Vector)
}
