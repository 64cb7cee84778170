// Command indexer keeps the lexical and the vector store in step with the log.
package main

import (
	"os"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/static"
	"github.com/freshet-dev/freshet/pkg/process"
	stores "github.com/freshet-dev/freshet/pkg/store/open"
	"github.com/freshet-dev/freshet/services/indexer"
)

func main() {
	program := process.Program{Name: "indexer", Check: stores.CheckShared, Open: open}
	os.Exit(program.Main(os.Args[1:], os.Stdout, os.Stderr))
}

func open(e *process.Env) (process.Service, error) {
	identity, err := static.IdentityOf(e.Config.Embedder.Model)
	if err != nil {
		return nil, err
	}
	analyzer := analysis.New()
	o := stores.FromConfig(e.Config)
	o.Generations, o.Analyzer, o.Dims = e.Config.Generations(identity), analyzer.Signature(), static.Dims
	opened, err := stores.Open(o)
	if err != nil {
		return nil, err
	}
	e.OnStop(opened.Close)
	sinks := map[document.Generation]indexer.Stores{}
	for _, g := range o.Generations {
		sinks[g] = indexer.Stores{Lexical: opened.Lexical[g], Vector: opened.Vector[g]}
	}
	return indexer.New(indexer.FromConfig(e.Config), indexer.Deps{
		Bus: e.Bus, Generations: sinks, Analyzer: analyzer, Log: e.Log, Version: process.Version,
		Chunker: contract.ChunkerConsumer(e.Config.Chunker.Cut().Signature(), identity),
	})
}
