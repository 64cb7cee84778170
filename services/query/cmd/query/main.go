// Command query answers searches and tells the status.
package main

import (
	"os"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/contract"
	embedders "github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/process"
	stores "github.com/freshet-dev/freshet/pkg/store/open"
	"github.com/freshet-dev/freshet/services/query"
)

func main() {
	program := process.Program{Name: "query", Check: stores.CheckShared, Open: open}
	os.Exit(program.Main(os.Args[1:], os.Stdout, os.Stderr))
}

func open(e *process.Env) (process.Service, error) {
	vectors, err := embedders.Resolve(e.Config.Embedder)
	if err != nil {
		return nil, err
	}
	space, err := embedders.Space(vectors)
	if err != nil {
		return nil, err
	}
	analyzer := analysis.New()
	sinks, err := stores.Open(stores.FromConfig(e.Config, space, analyzer.Signature()))
	if err != nil {
		return nil, err
	}
	e.OnStop(sinks.Close)
	cfg := query.FromConfig(e.Config)
	cfg.Version = process.Version
	return query.New(cfg, query.Deps{Bus: e.Bus, Stores: sinks, Analyzer: analyzer, Embedder: space.Identity, Log: e.Log,
		Build: contract.NewBuild(e.Config.Chunker.Cut(), analyzer.Signature(), vectors.Embedding(space.Identity, space.Dims))})
}
