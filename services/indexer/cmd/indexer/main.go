// Command indexer keeps the lexical and the vector store in step with the log.
package main

import (
	"os"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/contract"
	embedders "github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/process"
	stores "github.com/freshet-dev/freshet/pkg/store/open"
	"github.com/freshet-dev/freshet/services/indexer"
)

func main() {
	program := process.Program{Name: "indexer", Check: stores.CheckShared, Open: open}
	os.Exit(program.Main(os.Args[1:], os.Stdout, os.Stderr))
}

func open(e *process.Env) (process.Service, error) {
	space, err := embedders.Space(e.Config.Embedder)
	if err != nil {
		return nil, err
	}
	analyzer := analysis.New()
	sinks, err := stores.Open(stores.FromConfig(e.Config, space, analyzer.Signature()))
	if err != nil {
		return nil, err
	}
	e.OnStop(sinks.Close)
	return indexer.New(e.Config.Indexer, indexer.Deps{
		Bus: e.Bus, Generations: sinks, Analyzer: analyzer, Log: e.Log, Version: process.Version,
		Chunker: contract.ChunkerConsumer(e.Config.Chunker.Cut().Signature(), space.Identity),
	})
}
